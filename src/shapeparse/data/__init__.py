"""Photographs with masks: reading images, folders, COCO files, how to split them, and the built-in generator.

>>> loaded = Source(count=3).read(side=64)
>>> loaded.images.shape, loaded.masks.dtype.name
((3, 64, 64, 3), 'bool')
"""

import importlib
from typing import TYPE_CHECKING, Any

from .coco import CocoDataset
from .dataset import Dataset, Loaded, Sample, Skipped
from .folder import FolderDataset
from .source import BUILT_IN, Source, load
from .splits import Split, k_fold, random_splits

if TYPE_CHECKING:
    from . import generator

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
    "generator",
    "k_fold",
    "load",
    "random_splits",
]


def __getattr__(name: str) -> Any:
    if name == "generator":  # slow to load, and few need it
        return importlib.import_module(".generator", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
