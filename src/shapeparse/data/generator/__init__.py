"""Photographs of objects to paint, made to order, with masks: three kinds of parts, or a wide world of things."""

from .dataset import VERSION, WORLDS, generate, write_dataset

__all__ = ["VERSION", "WORLDS", "generate", "write_dataset"]
