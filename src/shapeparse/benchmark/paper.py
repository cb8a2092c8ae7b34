"""Table 1 of the paper: pixel accuracy in percent, of training and of test images, mean of three folds.

The authors' 362 images are not public, so their numbers and ours are of different data: only the order can be compared.
"""

from __future__ import annotations

PAPER_TABLE: dict[str, tuple[float, float]] = {
    "mcpg": (53.54, 51.23),
    "ddpg": (51.94, 48.78),
    "bc": (75.11, 75.10),
    "dagger": (84.01, 84.03),
    "aggrevated": (81.85, 81.07),
    "ac-aggrevated": (82.18, 81.31),
    "off-mcpg": (84.85, 83.65),
    "off-acpg": (80.91, 80.94),
    "drag": (88.05, 86.86),
}
"""Row: (train, test)."""

PAPER_ORACLE = 98.50
"""Of IGM at depth 7, which sees the truth; the paper gives it for the training images only."""

PAPER_NOTE = (
    "The paper's numbers are of its authors' own images, which are not public: compare the order of the rows, "
    "not the numbers."
)
