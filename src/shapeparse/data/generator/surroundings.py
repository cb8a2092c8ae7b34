"""More of what can be behind an object: studios, floors, leaves, skies, blurred rooms, and land seen from above."""

from __future__ import annotations

import math

import numpy as np

from .background import BACKDROPS, Backdrop
from .chance import happens, pick
from .fields import Picture, Plane, View, coverage
from .texture import Colour, everyday_colour, fractal, hsv, mixed, noise, similar_colour, tinted


def studio(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """An even backdrop with a gradient, as in a catalogue."""
    angle = rng.uniform(0, 2 * math.pi)
    slope = (view.x - 0.5) * math.cos(angle) + (view.y - 0.5) * math.sin(angle)
    grey = mixed(np.ones_like(view.x) * colour, hsv(0.1, 0.03, rng.uniform(0.3, 0.95)), np.float32(rng.uniform(0.3, 1)))
    return grey * (1 + rng.uniform(0, 0.5) * slope + 0.01 * noise(rng, view.size, 60, 60))


def asphalt(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Asphalt, gravel, sand or concrete: grains over stains."""
    grain = pick(rng, (60, 110, 160))
    ground = hsv(rng.uniform(0.06, 0.14), rng.uniform(0.02, 0.3), rng.uniform(0.25, 0.75))
    tone = rng.uniform(0.05, 0.2) * noise(rng, view.size, grain, grain) + 0.1 * fractal(rng, view.size, 2, 4)
    return tinted(0.8 * ground + 0.2 * colour, tone)


def foliage(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Leaves: light ones before dark ones, in clumps."""
    green = hsv(rng.uniform(0.15, 0.36), rng.uniform(0.25, 0.6), rng.uniform(0.35, 0.65))
    leaves = noise(rng, view.size, pick(rng, (50, 90, 130)), pick(rng, (50, 90, 130)))
    clumps = fractal(rng, view.size, 4, 4)
    lit = np.clip(leaves * 1.5 + 0.5 * clumps, -0.8, 0.9)
    gaps = coverage(clumps + 0.6 * leaves + 0.8, 1.5)
    return mixed(tinted(green, 0.45 * lit), 0.3 * green + 0.1 * colour, gaps)


def sky(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Clear, cloudy or grey."""
    blue = hsv(rng.uniform(0.53, 0.62), rng.uniform(0.05, 0.5), rng.uniform(0.6, 0.95))
    clouds = np.clip(fractal(rng, view.size, 2, 5) * rng.uniform(0.2, 0.6) + rng.uniform(-0.3, 0.4), 0, 1)
    return mixed(tinted(blue, 0.4 * (view.y - 0.5)), hsv(0.1, 0.03, rng.uniform(0.7, 0.95)), clouds)


def blurred_room(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Something out of focus: soft patches of several colours."""
    picture = tinted(colour, 0.25 * noise(rng, view.size, 4, 4))
    for _ in range(3):
        patches = np.clip(noise(rng, view.size, pick(rng, (3, 5, 8)), pick(rng, (3, 5, 8))) * 1.5, 0, 1)
        picture = mixed(picture, everyday_colour(rng), patches)
    return picture


def fabric(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Cloth, a carpet or a mat: a weave with folds."""
    count = rng.uniform(150, 500)
    weave = np.sin(view.x * count) * np.sin(view.y * count * rng.uniform(0.6, 1.4))
    return tinted(colour, 0.08 * weave + 0.13 * fractal(rng, view.size, 2, 3))


def jumble(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """A yard full of things: upright patches of many colours."""
    across, down = int(rng.integers(5, 14)), int(rng.integers(4, 10))
    shift = (0.4 * noise(rng, view.size, 5, 5), 0.4 * noise(rng, view.size, 5, 5))
    column = np.clip(np.floor(view.x * across + shift[0]), 0, across - 1).astype(np.intp)
    row = np.clip(np.floor(view.y * down + shift[1]), 0, down - 1).astype(np.intp)
    colours = np.stack([everyday_colour(rng)[:, 0, 0] for _ in range(8)])
    chosen = colours[rng.integers(8, size=(down, across))][row, column]
    return np.ascontiguousarray(chosen.transpose(2, 0, 1)) * (1 + 0.12 * fractal(rng, view.size, 6, 4))


def from_above(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Land as a drone sees it: a patchwork of other plots, or meadow, with woods and a road."""
    turn = rng.normal(0, 0.2)
    across = view.x * math.cos(turn) + view.y * math.sin(turn)
    down = view.y * math.cos(turn) - view.x * math.sin(turn)
    column, row = (np.floor(along * rng.uniform(1.5, 5) + rng.random()).astype(np.intp) for along in (across, down))
    plot = (column * 7 + row * 3) % 5
    colours = np.stack([_land(rng, colour)[:, 0, 0] for _ in range(5)])
    picture = np.ascontiguousarray(colours[plot].transpose(2, 0, 1))
    turns = rng.uniform(0, math.pi, 5).astype(np.float32)[plot]
    furrows = np.sin((across * np.cos(turns) + down * np.sin(turns)) * rng.uniform(80, 250))
    picture = picture * (1 + 0.07 * furrows + 0.1 * fractal(rng, view.size, 4, 5))
    woods = coverage(rng.uniform(0.3, 1.6) - fractal(rng, view.size, 3, 5), 0.15)
    dark = tinted(hsv(rng.uniform(0.25, 0.38), 0.45, 0.28), 0.35 * noise(rng, view.size, 70, 70))
    picture = mixed(picture, dark, woods)
    if happens(rng, 0.5):
        middle, lean = rng.uniform(0.1, 0.9), rng.normal(0, 0.3)
        road: Plane = np.abs(view.x - middle - lean * (view.y - 0.5)) if happens(rng, 0.5) else np.abs(down - middle)
        grey = hsv(0.1, rng.uniform(0.02, 0.2), rng.uniform(0.45, 0.75))
        picture = mixed(picture, grey, coverage(road - rng.uniform(0.008, 0.025), 2 * view.pixel))
    return picture


def _land(rng: np.random.Generator, colour: Colour) -> Colour:
    """A crop, stubble or bare soil; sometimes what is grown next door too."""
    if happens(rng, 0.3):
        return similar_colour(rng, colour)
    return hsv(pick(rng, (0.09, 0.12, 0.15, 0.22, 0.28)), rng.uniform(0.15, 0.5), rng.uniform(0.35, 0.7))


WIDE_BACKDROPS: tuple[Backdrop, ...] = (
    *BACKDROPS, studio, studio, asphalt, asphalt, foliage, foliage, sky, blurred_room, blurred_room, fabric, jumble,
)  # fmt: skip


def wide_backdrop(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """One surrounding, or two that meet at the floor or at a corner."""
    surface = _one(rng, view, colour)
    if happens(rng, 0.5):
        below = happens(rng, 0.7)
        second = (pick(rng, (asphalt, asphalt, foliage, fabric)) if below else pick(rng, WIDE_BACKDROPS))(
            rng, view, everyday_colour(rng)
        )
        edge = view.y - rng.uniform(0.45, 0.9) if below else view.x - rng.uniform(0.15, 0.85)
        edge = edge + rng.normal(0, 0.05) * (view.x - view.y)
        surface = mixed(second, surface, coverage(edge, 2 * view.pixel + rng.uniform(0, 0.02)))
        surface = surface * (1 - rng.uniform(0, 0.35) * np.exp(-np.abs(edge) / 0.03))
    return surface


def _one(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    base = similar_colour(rng, colour) if happens(rng, 0.35) else everyday_colour(rng)
    return pick(rng, WIDE_BACKDROPS)(rng, view, base)
