"""Light and cameras of the wide world: dappled shade, haze, colour casts, blur, noise and JPEG."""

from __future__ import annotations

import io
import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from .chance import happens, pick
from .fields import Picture, Plane, View, coverage
from .texture import fractal, hsv, mixed, noise


def daylight(rng: np.random.Generator, view: View) -> Plane:
    """Light on everything: a gradient, and perhaps shade with an edge, shade of leaves, or a lamp's pool."""
    angle, strength = rng.uniform(0, 2 * math.pi), rng.uniform(0, 0.7)
    light: Plane = 1 + strength * ((view.x - 0.5) * math.cos(angle) + (view.y - 0.5) * math.sin(angle))
    kind = pick(rng, ("even", "even", "edge", "leaves", "lamp", "blinds"))
    depth = rng.uniform(0.2, 0.55)
    if kind == "edge":
        turn = rng.uniform(0, math.pi)
        edge = (view.x - rng.uniform(0.2, 0.8)) * math.cos(turn) + (view.y - rng.uniform(0.2, 0.8)) * math.sin(turn)
        edge = edge + rng.uniform(0, 0.06) * noise(rng, view.size, 5, 5)
        light = light * (1 - depth * coverage(edge, rng.uniform(0.01, 0.2)))
    if kind == "leaves":
        light = light * (1 - depth * coverage(fractal(rng, view.size, 4, 3) * 0.2, rng.uniform(0.05, 0.25)))
    if kind == "lamp":
        away = (view.x - rng.uniform(0, 1)) ** 2 + (view.y - rng.uniform(0, 1)) ** 2
        light = light * (1 - depth + 1.4 * depth * np.exp(-away / rng.uniform(0.1, 0.5)))
    if kind == "blinds":
        slant = view.y + rng.normal(0, 0.4) * view.x
        light = light * (1 - 0.5 * depth * coverage(np.sin(slant * rng.uniform(20, 60)) * 0.5, 0.5))
    corner = (view.x - 0.5) ** 2 + (view.y - 0.5) ** 2
    return light * (1 - rng.uniform(0, 0.9) * corner)


def shot(rng: np.random.Generator, sensor: np.random.Generator, canvas: Picture) -> NDArray[np.uint8]:
    """What some camera makes of it: from a good one in the sun to a phone at dusk."""
    size = canvas.shape[-1]
    if happens(rng, 0.15):
        canvas = mixed(canvas, hsv(rng.uniform(0.05, 0.6), 0.08, 0.8), np.float32(rng.uniform(0.1, 0.4)))  # haze
    warmth, tint = rng.normal(0, 0.07), rng.normal(0, 0.03)
    balance = np.array([1 + warmth, 1 + tint, 1 - warmth], np.float32).reshape(3, 1, 1)
    exposed = 1.08 * (1 - np.exp(canvas * balance * -rng.uniform(0.8, 2.3)))
    exposed = (exposed - 0.5) * rng.uniform(0.8, 1.3) + 0.5
    grey = exposed.mean(axis=0, keepdims=True)
    exposed = grey + (exposed - grey) * (0.1 if happens(rng, 0.05) else rng.uniform(0.7, 1.35))
    levels = (np.clip(exposed, 0, 1) * 255).astype(np.uint8)
    image = Image.fromarray(np.ascontiguousarray(levels.transpose(1, 2, 0)))
    blur = pick(rng, (0.0008, 0.0025, 0.005)) * rng.uniform(0.4, 1.0)
    sharp = np.asarray(image.filter(ImageFilter.GaussianBlur(blur * size)), np.float32)
    strength = rng.uniform(0.5, 4) if happens(rng, 0.75) else rng.uniform(4, 11)
    grain = sensor.standard_normal((size, size, 3), dtype=np.float32) * strength
    noisy = np.clip(sharp + grain + 0.5, 0, 255).astype(np.uint8)
    quality = int(rng.integers(30, 90))
    return compressed(noisy, quality) if happens(rng, 0.4) else noisy


def compressed(image: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """A picture after it was a JPEG file of the given quality."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, format="JPEG", quality=quality)
    with Image.open(file) as again:
        return np.asarray(again)
