"""Datasets of photographs with masks: folders, COCO files, and how to split them."""

from .coco import CocoDataset
from .dataset import Dataset, Loaded, Sample, Skipped, load
from .folder import FolderDataset
from .splits import Split, k_fold, random_splits

BUILT_IN = "built-in generator"
"""What the data is called that nobody had to bring."""

__all__ = [
    "BUILT_IN",
    "CocoDataset",
    "Dataset",
    "FolderDataset",
    "Loaded",
    "Sample",
    "Skipped",
    "Split",
    "k_fold",
    "load",
    "random_splits",
]
