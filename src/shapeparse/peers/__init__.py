"""Peers: other ways from photographs to masks, which the oracle decomposes; to hold the learned parsers against.

>>> labels = fit_colours(images, masks)
>>> trees = shapeparse.igm(labels.masks(others))
"""

from .colours import ColourLabels, fit_colours
from .segmenter import Segmenter, SegmenterSettings, TrainedSegmenter, load_segmenter

__all__ = ["ColourLabels", "Segmenter", "SegmenterSettings", "TrainedSegmenter", "fit_colours", "load_segmenter"]
