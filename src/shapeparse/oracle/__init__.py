"""The parsing oracle of section 3.1: it sees the true mask and splits where the information gain is greatest (IGM).

>>> import numpy as np
>>> mask = np.pad(np.ones((3, 4), bool), 2)
>>> tree = igm(mask)           # one mask: a ParseTree; a stack or list of masks: a list of them
>>> oracle = Oracle([mask])    # the same decisions, node by node, and their exact cost-to-go
>>> tree.leaf_count, len(oracle.sizes)
(5, 1)
"""

from .igm import Mask, Oracle, igm

__all__ = ["Mask", "Oracle", "igm"]
