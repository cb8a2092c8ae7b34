"""Photographs with masks: reading images, folders, COCO files, how to split them, and the built-in generator."""

from .coco import CocoDataset
from .dataset import Dataset, Loaded, Sample, Skipped
from .folder import FolderDataset
from .source import BUILT_IN, Source, load
from .splits import Split, k_fold, random_splits

__all__ = [
    "BUILT_IN",
    "CocoDataset",
    "Dataset",
    "FolderDataset",
    "Loaded",
    "Sample",
    "Skipped",
    "Source",
    "Split",
    "k_fold",
    "load",
    "random_splits",
]
