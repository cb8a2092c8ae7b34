"""What is behind the object: walls, grass, bricks, and clutter that can be taken for the object."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .chance import happens, pick
from .fields import Picture, Plane, View, bar, box, coverage, disc, intersection, union, without
from .texture import EVERYTHING, Colour, everyday_colour, fractal, hsv, mixed, noise, similar_colour, tinted


def _cells(rng: np.random.Generator, view: View, across: float, down: float, stagger: float) -> tuple[Plane, Plane]:
    """A wall of equal blocks: each pixel's tone, the same within a block, and its distance from a joint."""
    tones = rng.standard_normal((64, 64), dtype=np.float32)
    v = view.y * down + rng.random()
    row = np.floor(v)
    u = view.x * across + row * stagger + rng.random()
    column = np.floor(u)
    tone = tones[row.astype(np.intp) % 64, column.astype(np.intp) % 64]
    joint_u, joint_v = 0.5 - np.abs(u - column - 0.5), 0.5 - np.abs(v - row - 0.5)
    return tone, np.minimum(joint_u / across, joint_v / down)


def plaster(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """A rendered or concrete wall, stained."""
    return tinted(colour, 0.07 * fractal(rng, view.size, 2, 6) + 0.04 * noise(rng, view.size, 120, 120))


def bricks(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Brickwork with light or dark mortar."""
    down = rng.uniform(9, 20)
    tone, joint = _cells(rng, view, down * rng.uniform(0.33, 0.5), down, 0.5)
    wall = tinted(colour, 0.1 * tone + 0.06 * fractal(rng, view.size, 10, 4))
    mortar = hsv(0.1, 0.08, rng.uniform(0.35, 0.75))
    return mixed(wall, mortar, coverage(joint - rng.uniform(0.003, 0.006), max(0.004, view.pixel)))


def planks(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Boards, upright or lying."""
    upright = happens(rng, 0.6)
    tone, joint = _cells(rng, view, *((rng.uniform(5, 14), 1.3) if upright else (1.3, rng.uniform(5, 14))), 0.37)
    grain = noise(rng, view.size, 80, 6) * 0.06 + noise(rng, view.size, 30, 3) * 0.05
    boards = tinted(colour, 0.1 * tone + (grain if upright else grain.T))
    return mixed(boards, colour * 0.35, coverage(joint - 0.0025, max(0.004, view.pixel)))


def tiles(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """A tiled wall or a paved floor."""
    count = rng.uniform(4, 10)
    tone, joint = _cells(rng, view, count, count * rng.uniform(0.8, 1.25), 0.0)
    floor = tinted(colour, 0.05 * tone + 0.04 * fractal(rng, view.size, 4, 5))
    return mixed(floor, colour * rng.uniform(0.5, 1.3), coverage(joint - 0.004, max(0.004, view.pixel)))


def corrugated(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Corrugated sheet or a roller shutter."""
    along = view.x if happens(rng, 0.5) else view.y
    waves = np.sin(along * rng.uniform(60, 150) + rng.uniform(0, 6))
    return tinted(colour, 0.16 * waves + 0.06 * fractal(rng, view.size, 2, 5))


def grass(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """A lawn or a hedge; ``colour`` only tints it."""
    green = hsv(rng.uniform(0.19, 0.28), rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.5))
    blades = noise(rng, view.size, 140, 45) * 0.22 + fractal(rng, view.size, 3, 6) * 0.12
    dry = np.clip(fractal(rng, view.size, 3, 4) * 0.4, 0, 0.6)
    return mixed(tinted(green, blades), 0.5 * (colour + DRY_GRASS), dry)


def shelves(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """Workshop shelves full of boxes and tins."""
    down, across = rng.uniform(3, 6), rng.uniform(6, 14)
    tone, joint = _cells(rng, view, across, down, 0.43)
    other = similar_colour(rng, everyday_colour(rng))
    contents = mixed(tinted(colour, 0.16 * tone), tinted(other, 0.2 * tone), (tone > 0.4).astype(np.float32))
    gap = coverage(joint - rng.uniform(0.004, 0.01), 0.012)
    return mixed(contents, colour * 0.25, gap * 0.9) * (1 + 0.05 * fractal(rng, view.size, 5, 4))


DRY_GRASS = hsv(0.14, 0.4, 0.65)
Backdrop = Callable[[np.random.Generator, View, Colour], Picture]
BACKDROPS: tuple[Backdrop, ...] = (plaster, plaster, bricks, planks, tiles, corrugated, grass, shelves)


def backdrop(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    """One surrounding, or two that meet: wall and floor, or two walls."""
    surface = _one_backdrop(rng, view, colour)
    if happens(rng, 0.55):
        second = _one_backdrop(rng, view, colour)
        edge = view.y - rng.uniform(0.5, 0.9) if happens(rng, 0.65) else view.x - rng.uniform(0.15, 0.85)
        edge = edge + rng.normal(0, 0.03) * (view.x - view.y)
        dark = 1 - 0.35 * np.exp(-np.abs(edge) / 0.03)
        surface = mixed(second, surface, coverage(edge, 2 * view.pixel)) * dark
    return surface


def _one_backdrop(rng: np.random.Generator, view: View, colour: Colour) -> Picture:
    alike = happens(rng, 0.7)
    base = similar_colour(rng, colour) if alike else everyday_colour(rng)
    return pick(rng, BACKDROPS)(rng, view, base)


def add_clutter(
    rng: np.random.Generator, view: View, canvas: Picture, own: Picture, light: tuple[float, float]
) -> Picture:
    """Things that stand and hang around, many with the object's ``own`` surface."""
    for _ in range(int(rng.integers(3, 9))):
        if happens(rng, 0.6):
            surface = own * rng.uniform(0.75, 1.2)
        else:
            surface = pick(rng, EVERYTHING)(rng, view.size, everyday_colour(rng))
        angle = rng.uniform(0, 2 * math.pi)
        reach = rng.uniform(0.36, 0.55)
        centre = (0.5 + reach * math.cos(angle), 0.5 + reach * math.sin(angle))
        local = view.placed(centre, rng.normal(0, 0.06) if happens(rng, 0.7) else rng.uniform(-1.5, 1.5))
        canvas = lay(canvas, pick(rng, THINGS)(rng, local), surface, view.pixel, light)
    return canvas


def lay(canvas: Picture, shape: Plane, surface: Picture, pixel: float, light: tuple[float, float]) -> Picture:
    """Put a thing in front of the canvas: contact shadow around it, bevelled edges, then its surface."""
    shadow = 1 - 0.45 * np.exp(-np.maximum(shape, 0) / 0.015)
    lit = surface * (1 + bevel(shape, pixel, light, 0.006) * 0.5)
    return mixed(canvas * shadow, lit, coverage(shape, pixel))


def bevel(shape: Plane, pixel: float, light: tuple[float, float], width: float) -> Plane:
    """Brightness of edges: positive where they face the light, negative where they face away, -1..1."""
    down, across = np.gradient(shape, pixel)
    facing = across * light[0] + down * light[1]
    brightness: Plane = facing * np.exp(-((shape / max(width, pixel)) ** 2))
    return brightness


def _beam(rng: np.random.Generator, view: View) -> Plane:
    half = rng.uniform(0.012, 0.05)
    length = rng.uniform(0.2, 0.7)
    return box(view, 0, 0, length, half, 0.003) if happens(rng, 0.5) else box(view, 0, 0, half, length, 0.003)


def _panel(rng: np.random.Generator, view: View) -> Plane:
    return box(view, 0, 0, rng.uniform(0.06, 0.2), rng.uniform(0.06, 0.2), pick(rng, (0.0, 0.01, 0.03)))


def _small_frame(rng: np.random.Generator, view: View) -> Plane:
    half_w, half_h = rng.uniform(0.08, 0.18), rng.uniform(0.08, 0.18)
    rim = rng.uniform(0.02, 0.04)
    return without(box(view, 0, 0, half_w, half_h), box(view, 0, 0, half_w - rim, half_h - rim))


def _wheel(rng: np.random.Generator, view: View) -> Plane:
    radius = rng.uniform(0.05, 0.16)
    return without(disc(view, 0, 0, radius), disc(view, 0, 0, radius * rng.uniform(0.2, 0.6)))


def _wrench(rng: np.random.Generator, view: View) -> Plane:
    length, girth = rng.uniform(0.08, 0.16), rng.uniform(0.01, 0.018)
    handle = bar(view, (0, -length), (0, length), girth)
    jaw = without(disc(view, 0, -length, girth * 2.6), box(view, 0, -length - girth * 1.6, girth, girth * 1.6))
    ring = without(disc(view, 0, length, girth * 2.2), disc(view, 0, length, girth * 1.2))
    return union(handle, jaw, ring)


def _hammer(rng: np.random.Generator, view: View) -> Plane:
    length, girth = rng.uniform(0.09, 0.17), rng.uniform(0.01, 0.02)
    return union(bar(view, (0, -length), (0, length), girth), box(view, girth, -length, girth * 4, girth * 1.8, 0.005))


def _ladder(rng: np.random.Generator, view: View) -> Plane:
    half_w, length = rng.uniform(0.05, 0.09), rng.uniform(0.3, 0.6)
    rails = [box(view, side * half_w, 0, 0.011, length) for side in (-1, 1)]
    repeated = View(view.x, np.mod(view.y, 0.08), view.pixel)
    rungs = intersection(box(repeated, 0, 0.04, half_w, 0.008), np.abs(view.y) - length)
    return union(*rails, rungs)


THINGS: tuple[Callable[[np.random.Generator, View], Plane], ...] = (
    _beam,
    _beam,
    _panel,
    _panel,
    _small_frame,
    _wheel,
    _wrench,
    _hammer,
    _ladder,
)
