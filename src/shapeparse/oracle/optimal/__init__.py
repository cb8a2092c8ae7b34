"""The best tree there is: an exact search over trees, for masks and for maps of probabilities.

>>> import numpy as np
>>> found = best_tree(np.pad(np.ones((3, 4), bool), 2), rectangles=5)
>>> found.accuracy, found.rectangles
(1.0, 5)
"""

from .best import BestTree, CurvePoint, best_tree, tree_curve
from .teacher import OptimalOracle

__all__ = ["BestTree", "CurvePoint", "OptimalOracle", "best_tree", "tree_curve"]
