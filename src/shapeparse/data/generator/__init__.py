"""Photographs of objects to paint, made to order: metal plates, window frames and car doors, with masks."""

from .dataset import VERSION, generate, write_dataset

__all__ = ["VERSION", "generate", "write_dataset"]
