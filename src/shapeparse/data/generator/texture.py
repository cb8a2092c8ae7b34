"""Noise, colours and the materials that objects and their surroundings are made of.

All randomness is drawn as small grids whose shape does not depend on the picture's size, so a scene looks
the same at every resolution.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .chance import happens, pick
from .fields import Picture, Plane

Colour = NDArray[np.floating]
"""Red, green, blue in 0..1; (3, 1, 1), so that it multiplies a Plane."""

RUST = np.array([[[0.45]], [[0.24]], [[0.12]]], dtype=np.float32)
DIRT = np.array([[[0.30]], [[0.26]], [[0.20]]], dtype=np.float32)


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """A colour by hue, saturation and value, each in 0..1; the hue wraps around."""
    return np.array(colorsys.hsv_to_rgb(hue % 1, saturation, value), dtype=np.float32).reshape(3, 1, 1)


def everyday_colour(rng: np.random.Generator) -> Colour:
    """A colour of brick, timber, ochre, leaves, slate or machine paint, more often dull than bright."""
    hue = pick(rng, (0.0, 0.03, 0.08, 0.12, 0.3, 0.42, 0.58, 0.62)) + rng.normal(0, 0.012)
    return hsv(hue, rng.beta(1.5, 2.5) * 0.85, rng.uniform(0.25, 0.85))


def similar_colour(rng: np.random.Generator, colour: Colour, spread: float = 1.0) -> Colour:
    """A colour of nearly the same hue, somewhat lighter, darker or greyer."""
    hue, saturation, value = colorsys.rgb_to_hsv(*colour.ravel().tolist())
    saturation = min(max(saturation * (1 + spread * rng.uniform(-0.35, 0.35)), 0), 1)
    value = min(max(value + spread * rng.uniform(-0.2, 0.2), 0.1), 0.95)
    return hsv(hue + spread * rng.normal(0, 0.015), saturation, value)


def noise(rng: np.random.Generator, size: int, across: int, down: int) -> Plane:
    """Smooth noise of unit variance at its grid points: ``across`` by ``down`` of them."""
    grid = rng.standard_normal((down + 1, across + 1), dtype=np.float32)
    return _enlarged(grid, size)


def fractal(rng: np.random.Generator, size: int, coarsest: int = 3, octaves: int = 5) -> Plane:
    """Cloudy noise: each octave twice as fine and about half as strong as the one before."""
    total = np.zeros((2, 2), dtype=np.float32)
    for octave in range(octaves):
        cells = coarsest * 2**octave + 1
        # Each octave enlarges the sum so far only to its own small grid: one full-size enlargement in all.
        total = _enlarged(total, cells) + 0.55**octave * rng.standard_normal((cells, cells), dtype=np.float32)
    return _enlarged(total, size)


def _enlarged(grid: Plane, size: int) -> Plane:
    return np.asarray(Image.fromarray(grid).resize((size, size), Image.Resampling.BICUBIC))


def tinted(colour: Colour, tone: Plane) -> Picture:
    """One colour, lighter and darker by ``tone``."""
    return colour * (1 + tone)


def mixed(under: Picture, over: Picture | Colour, amount: Plane) -> Picture:
    """``over`` laid upon ``under`` with the opacity ``amount``."""
    result: Picture = over - under
    result *= amount
    result += under
    return result


def painted(rng: np.random.Generator, size: int, colour: Colour) -> Picture:
    """Even paint with a trace of orange peel."""
    tone = 0.03 * fractal(rng, size, 2, 4) + 0.02 * noise(rng, size, 90, 90)
    return tinted(colour, tone)


def brushed(rng: np.random.Generator, size: int, colour: Colour) -> Picture:
    """Brushed sheet metal: fine streaks over broad bands of reflected light."""
    streaks = noise(rng, size, 6, 150) * 0.05 + noise(rng, size, 3, 60) * 0.04
    bands = noise(rng, size, 2, 5) * 0.10
    if happens(rng, 0.5):
        streaks, bands = streaks.T, bands.T
    return tinted(colour, streaks + bands)


def primer(rng: np.random.Generator, size: int, colour: Colour) -> Picture:
    """Matt, blotchy undercoat, sanded through in places."""
    blotches = fractal(rng, size, 4, 4)
    sanded = np.clip(fractal(rng, size, 3, 4) - 1.1, 0, 1) * 0.8
    return mixed(tinted(colour, 0.07 * blotches), similar_colour(rng, colour, 1.5), sanded)


def wood(rng: np.random.Generator, size: int, colour: Colour) -> Picture:
    """Grain along one axis."""
    grain = noise(rng, size, 70, 5) * 0.06 + noise(rng, size, 25, 3) * 0.07
    figure = np.sin(noise(rng, size, 9, 2) * 9) * 0.05
    tone = grain + figure
    return tinted(colour, tone.T if happens(rng, 0.4) else tone)


def rusty(rng: np.random.Generator, size: int, colour: Colour) -> Picture:
    """Old paint or steel with rust eating through."""
    spread = np.clip((fractal(rng, size, 3, 6) - rng.uniform(0.1, 0.9)) * 2, 0, 1)
    rust = tinted(RUST, 0.18 * fractal(rng, size, 8, 4))
    return mixed(painted(rng, size, colour), rust, spread * 0.85)


def dirty(rng: np.random.Generator, size: int, colour: Colour) -> Picture:
    """Paint with stains and runs of dirt."""
    stains = np.clip(fractal(rng, size, 3, 5) * 0.5 + noise(rng, size, 40, 4) * 0.35, 0, 1)
    return mixed(painted(rng, size, colour), DIRT, stains * rng.uniform(0.3, 0.7))


Material = Callable[[np.random.Generator, int, Colour], Picture]
METALS: tuple[Material, ...] = (painted, brushed, primer, rusty, dirty)
JOINERY: tuple[Material, ...] = (painted, wood, dirty, primer, wood)
BODYWORK: tuple[Material, ...] = (painted, painted, primer, dirty, rusty)
EVERYTHING: tuple[Material, ...] = (painted, brushed, primer, wood, rusty, dirty)


def partly_stripped(rng: np.random.Generator, size: int, surface: Picture, colour: Colour) -> Picture:
    """``surface`` with patches of filler, primer or bare metal, as parts look that wait for their paint."""
    greyish = hsv(rng.uniform(0.05, 0.15), rng.uniform(0, 0.25), rng.uniform(0.35, 0.8))
    oxide = hsv(0.03, rng.uniform(0.35, 0.55), rng.uniform(0.35, 0.55))
    filler = pick(rng, (greyish, oxide, similar_colour(rng, colour, 1.5)))
    sharpness = rng.uniform(3, 9)
    patches = np.clip((fractal(rng, size, 2, 4) - rng.uniform(0.2, 1.0)) * sharpness, 0, 1)
    return mixed(surface, primer(rng, size, filler), patches)
