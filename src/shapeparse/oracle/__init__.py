"""The parsing oracle of section 3.1: it sees the true mask and splits where the information gain is greatest (IGM).

>>> tree = igm(mask)                      # one mask: a ParseTree; a stack or list of masks: a list of them
>>> oracle = Oracle([mask], Limits(7))    # the same decisions, node by node, and their exact cost-to-go
"""

from .igm import Mask, Oracle, igm

__all__ = ["Mask", "Oracle", "igm"]
