"""Peers: other ways from photographs to masks, which the oracle decomposes; to hold the learned parsers against.

``fit_colours(images, masks).masks(others)`` are masks by colour alone; ``load_segmenter(run)`` gives those of a U-Net.
"""

from .colours import ColourLabels, fit_colours
from .segmenter import Segmenter, SegmenterSettings, TrainedSegmenter, load_segmenter

__all__ = ["ColourLabels", "Segmenter", "SegmenterSettings", "TrainedSegmenter", "fit_colours", "load_segmenter"]
