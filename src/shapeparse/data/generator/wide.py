"""The wide world: many kinds of objects, one or several, near and far, before anything, seen by any camera."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from . import kinds, objects
from .background import THINGS, add_clutter, lay
from .camera import daylight, shot
from .chance import happens, pick
from .fields import Picture, View, nothing, picture_view, without
from .objects import Family, Shape
from .scene import (
    ATTEMPTS,
    GEOMETRY,
    LOOKS,
    PROBE_SIZE,
    SENSOR,
    cast_shadow,
    glaze,
    lay_fittings,
    lay_object,
    paint_hue,
)
from .surroundings import from_above, wide_backdrop
from .texture import (
    BODYWORK,
    EVERYTHING,
    JOINERY,
    METALS,
    Colour,
    Material,
    everyday_colour,
    hsv,
    painted,
    partly_stripped,
    rusty,
    wood,
)

WIDE = 7
"""A fourth word of the random key, so that the two worlds have nothing in common."""
PAINT_FRACTION = (0.1, 0.8)
"""Objects that cover less or more of the picture than this are drawn again."""

Palette = Callable[[np.random.Generator], Colour]


def steel(rng: np.random.Generator) -> Colour:
    """Steel, primer or machine paint."""
    bare = (rng.uniform(0.5, 0.65), rng.uniform(0.02, 0.15), rng.uniform(0.3, 0.85))
    oxide = (rng.uniform(0.0, 0.05), rng.uniform(0.4, 0.65), rng.uniform(0.35, 0.6))
    coat = (paint_hue(rng), rng.uniform(0.3, 0.75), rng.uniform(0.3, 0.8))
    return hsv(*pick(rng, (bare, bare, oxide, coat)))


def timber(rng: np.random.Generator) -> Colour:
    """Wood, fresh or grey, or painted white or in colour."""
    fresh = (rng.uniform(0.05, 0.11), rng.uniform(0.3, 0.65), rng.uniform(0.35, 0.85))
    grey = (rng.uniform(0.07, 0.12), rng.uniform(0.05, 0.2), rng.uniform(0.35, 0.65))
    white = (rng.uniform(0.08, 0.16), rng.uniform(0.0, 0.15), rng.uniform(0.75, 0.95))
    coat = (paint_hue(rng), rng.uniform(0.2, 0.6), rng.uniform(0.3, 0.8))
    return hsv(*pick(rng, (fresh, fresh, grey, white, coat)))


def render_coat(rng: np.random.Generator) -> Colour:
    """What house fronts are painted in: white, cream, ochre, rose, grey, sometimes a strong colour."""
    pale = (pick(rng, (0.02, 0.08, 0.12, 0.15, 0.3, 0.55)), rng.uniform(0.02, 0.3), rng.uniform(0.65, 0.95))
    strong = (paint_hue(rng), rng.uniform(0.3, 0.6), rng.uniform(0.4, 0.8))
    return hsv(*pick(rng, (pale, pale, pale, strong)))


def crop(rng: np.random.Generator) -> Colour:
    """Green, ripe or ploughed."""
    return hsv(pick(rng, (0.08, 0.11, 0.14, 0.2, 0.26, 0.3)), rng.uniform(0.2, 0.6), rng.uniform(0.3, 0.75))


def bright(rng: np.random.Generator) -> Colour:
    """What signs and cars are painted in."""
    white = (rng.uniform(0.08, 0.6), rng.uniform(0, 0.08), rng.uniform(0.7, 0.95))
    dark = (paint_hue(rng), rng.uniform(0.05, 0.5), rng.uniform(0.15, 0.35))
    return hsv(*pick(rng, (white, dark, (paint_hue(rng), rng.uniform(0.5, 0.9), rng.uniform(0.4, 0.85)))))


@dataclass(frozen=True)
class Kind:
    """What is drawn, what it is made of, and how it is met with."""

    make: Family
    materials: tuple[Material, ...]
    palette: Palette
    most: int = 1
    """Objects in one picture."""
    lies_flat: bool = False
    """Seen from above, as part of the land: no shadow, no edges in relief."""


KINDS = (
    Kind(objects.plate, METALS, steel, most=3),
    Kind(objects.window, JOINERY, timber, most=2),
    Kind(objects.door, BODYWORK, bright),
    Kind(kinds.bracket, METALS, steel, most=3),
    Kind(kinds.grating, (*METALS, rusty), steel, most=2),
    Kind(kinds.crate, (wood, wood, *JOINERY), timber, most=3),
    Kind(kinds.fence, JOINERY, timber),
    Kind(kinds.house, EVERYTHING[:1] * 2 + EVERYTHING, render_coat),
    Kind(kinds.house, EVERYTHING[:1] * 2 + EVERYTHING, render_coat),
    Kind(kinds.field, (painted, painted, EVERYTHING[2]), crop, most=2, lies_flat=True),
    Kind(kinds.field, (painted, painted, EVERYTHING[2]), crop, most=2, lies_flat=True),
    Kind(kinds.sign, METALS, bright, most=2),
    Kind(kinds.cupboard, (wood, *JOINERY), timber, most=2),
)


def render(seed: int, index: int, size: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The photograph and the mask of what is to be painted."""
    rng = np.random.default_rng([seed, index, LOOKS, WIDE])
    view = picture_view(size)
    kind = pick(rng, KINDS)
    shape = _fitting_shape(seed, index, kind, view)
    angle = rng.uniform(-math.pi, 0)
    light = (math.cos(angle), math.sin(angle))
    colour = kind.palette(rng)
    surface = pick(rng, kind.materials)(rng, size, colour)
    canvas = (from_above if kind.lies_flat else wide_backdrop)(rng, view, colour)
    if kind.lies_flat:
        shape = replace(shape, fittings=nothing(view))
    else:
        if happens(rng, 0.6):
            canvas = add_clutter(rng, view, canvas, surface, light)
        canvas = cast_shadow(rng, canvas, shape, view.pixel, light)
        canvas = glaze(rng, view, canvas, shape)
    if happens(rng, 0.3):
        surface = partly_stripped(rng, size, surface, colour)
    canvas = lay_object(rng, view, canvas, shape, surface, light, edges=not kind.lies_flat)
    canvas = lay_fittings(rng, view, canvas, shape, colour, light)
    if not kind.lies_flat and happens(rng, 0.2):
        canvas, shape = _occluded(rng, view, canvas, shape, light)
    canvas = canvas * daylight(rng, view)
    return shot(rng, np.random.default_rng([seed, index, SENSOR, size, WIDE]), canvas), shape.paint < 0


def _occluded(
    rng: np.random.Generator, view: View, canvas: Picture, shape: Shape, light: tuple[float, float]
) -> tuple[Picture, Shape]:
    """A pole, a tool or a ladder before everything; what it hides is not to be painted."""
    local = view.placed((rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)), rng.normal(0, 0.3))
    thing = pick(rng, THINGS)(rng, local)
    surface = pick(rng, EVERYTHING)(rng, view.size, everyday_colour(rng))
    return lay(canvas, thing, surface, view.pixel, light), replace(shape, paint=without(shape.paint, thing))


def _fitting_shape(seed: int, index: int, kind: Kind, view: View) -> Shape:
    """The first objects whose paint fraction is within bounds, judged small: the same ones at any size."""
    probe = picture_view(PROBE_SIZE)
    for attempt in range(ATTEMPTS):
        key = [seed, index, GEOMETRY, WIDE, attempt]
        fraction = float(np.mean(_placed(np.random.default_rng(key), kind, probe).paint < 0))
        if PAINT_FRACTION[0] <= fraction <= PAINT_FRACTION[1]:
            break
    return _placed(np.random.default_rng(key), kind, view)


def _placed(rng: np.random.Generator, kind: Kind, view: View) -> Shape:
    """One object, whole or in part, or a row of them, all turned and tilted as the camera is."""
    turn = pick(rng, (rng.normal(0, 0.01), rng.normal(0, 0.05), rng.uniform(-0.25, 0.25)))
    tilt = pick(rng, (0.02, 0.12, 0.3)) * rng.normal(0, 1, 2)
    leaning = view.placed((0.5, 0.5), turn, (float(np.clip(tilt[0], -0.6, 0.6)), float(np.clip(tilt[1], -0.6, 0.6))))
    count = int(rng.integers(1, kind.most + 1))
    side_by_side = happens(rng, 0.6)
    edges = np.linspace(-0.5, 0.5, count + 1)
    found = []
    for start, end in pairwise(edges.tolist()):
        outer, inner = ((start, end), (-0.5, 0.5)) if side_by_side else ((-0.5, 0.5), (start, end))
        left, right = _span(rng, outer, alone=count == 1 or not side_by_side)
        top, bottom = _span(rng, inner, alone=count == 1 or side_by_side)
        local = View(leaning.x - (left + right) / 2, leaning.y - (top + bottom) / 2, view.pixel)
        found.append(kind.make(rng, local, (right - left) / 2, (bottom - top) / 2))
    return kinds.joined(found)


def _span(rng: np.random.Generator, slot: tuple[float, float], alone: bool) -> tuple[float, float]:
    """From where to where an object reaches along an axis; one that is ``alone`` may go on outside the picture."""
    start, end = slot
    room = end - start
    if not alone:
        return start + room * rng.uniform(0.06, 0.15), end - room * rng.uniform(0.06, 0.15)
    near, far, outside = rng.uniform(0.03, 0.12, 2), rng.uniform(0.1, 0.3, 2), rng.uniform(-0.3, 0.0, 2)
    before, after = (pick(rng, (near, near, far, outside)) for _ in range(2))
    return start + float(before[0]) * room, end - float(after[1]) * room
