"""One photograph: a surrounding, an object in front of it, light, and a camera."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from .background import add_clutter, backdrop, bevel
from .chance import happens, pick
from .fields import Picture, Plane, View, blurred, coverage, picture_view
from .objects import FAMILIES, Shape
from .texture import BODYWORK, JOINERY, METALS, Colour, fractal, hsv, mixed, noise, partly_stripped, tinted

FAMILY_MATERIALS = (METALS, JOINERY, BODYWORK)
PAINT_FRACTION = (0.15, 0.72)
"""Objects that cover less or more of the picture than this are drawn again."""
PROBE_SIZE = 64
ATTEMPTS = 50

# Third words of the random key: independent streams, so that a redrawn object or a finer picture
# changes nothing else in the scene.
LOOKS, SENSOR, GEOMETRY = 0, 1, 2

Light = tuple[float, float]


def render(seed: int, index: int, size: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The photograph and the mask of what is to be painted."""
    rng = np.random.default_rng([seed, index, LOOKS])
    view = picture_view(size)
    family = int(rng.integers(len(FAMILIES)))
    shape = _fitting_shape(seed, index, family, view)
    angle = rng.uniform(-math.pi, 0)
    light = (math.cos(angle), math.sin(angle))
    colour, material = _object_colour(rng, family), pick(rng, FAMILY_MATERIALS[family])
    surface = material(rng, size, colour)
    canvas = backdrop(rng, view, colour)
    canvas = add_clutter(rng, view, canvas, surface, light)
    canvas = cast_shadow(rng, canvas, shape, view.pixel, light)
    canvas = glaze(rng, view, canvas, shape)
    if happens(rng, 0.45):
        surface = partly_stripped(rng, size, surface, colour)
    canvas = lay_object(rng, view, canvas, shape, surface, light)
    canvas = lay_fittings(rng, view, canvas, shape, colour, light)
    canvas = canvas * _illumination(rng, view)
    photograph = _expose(rng, np.random.default_rng([seed, index, SENSOR, size]), canvas)
    return photograph, shape.paint < 0


def _fitting_shape(seed: int, index: int, family: int, view: View) -> Shape:
    """The first object whose paint fraction is within bounds, judged small: the same object at any size."""
    probe = picture_view(PROBE_SIZE)
    for attempt in range(ATTEMPTS):
        key = [seed, index, GEOMETRY, attempt]
        fraction = float(np.mean(_placed_shape(np.random.default_rng(key), family, probe).paint < 0))
        if PAINT_FRACTION[0] <= fraction <= PAINT_FRACTION[1]:
            break
    return _placed_shape(np.random.default_rng(key), family, view)


def _placed_shape(rng: np.random.Generator, family: int, view: View) -> Shape:
    """An object that nearly fills the picture, as in a photograph of one part; some sides may be cut off."""
    left, right = _margin(rng), 1 - _margin(rng)
    top, bottom = _margin(rng), 1 - _margin(rng)
    turn = rng.normal(0, 0.007) if happens(rng, 0.75) else rng.uniform(-0.045, 0.045)
    tilt = (rng.normal(0, 0.015), rng.normal(0, 0.015))
    placed = view.placed(((left + right) / 2, (top + bottom) / 2), turn, tilt)
    return FAMILIES[family](rng, placed, (right - left) / 2, (bottom - top) / 2)


def _margin(rng: np.random.Generator) -> float:
    """Room between an edge of the picture and the object; negative where the object goes on outside."""
    near, wide, outside = rng.uniform(0.02, 0.1), rng.uniform(0.1, 0.28), -rng.uniform(0.01, 0.08)
    return pick(rng, (near, near, wide, outside, outside))


def _object_colour(rng: np.random.Generator, family: int) -> Colour:
    """A colour such objects really have: steel and machine paint, joinery, car paint."""
    steel = (rng.uniform(0.5, 0.65), rng.uniform(0.02, 0.15), rng.uniform(0.4, 0.8))
    oxide = (rng.uniform(0.0, 0.05), rng.uniform(0.4, 0.65), rng.uniform(0.35, 0.6))
    white = (rng.uniform(0.08, 0.16), rng.uniform(0.02, 0.18), rng.uniform(0.72, 0.92))
    timber = (rng.uniform(0.05, 0.1), rng.uniform(0.4, 0.65), rng.uniform(0.35, 0.7))
    strong = (paint_hue(rng), rng.uniform(0.3, 0.62), rng.uniform(0.35, 0.75))
    dark = (paint_hue(rng), rng.uniform(0.05, 0.4), rng.uniform(0.15, 0.3))
    choices = (
        (steel, steel, oxide, strong),
        (white, white, timber, strong),
        (steel, white, strong, strong, dark),
    )
    return hsv(*pick(rng, choices[family]))


def paint_hue(rng: np.random.Generator) -> float:
    """Reds, yellows, greens and blues; hardly anybody paints parts purple."""
    return pick(rng, (0.0, 0.02, 0.08, 0.13, 0.3, 0.4, 0.47, 0.55, 0.6, 0.64)) + rng.normal(0, 0.012)


def cast_shadow(rng: np.random.Generator, canvas: Picture, shape: Shape, pixel: float, light: Light) -> Picture:
    """The shadow of the object on what is behind it."""
    distance = rng.uniform(0.008, 0.04)
    solid = coverage(np.minimum(shape.paint, shape.fittings), pixel)
    shadow = blurred(solid, rng.uniform(0.006, 0.025), (-light[0] * distance, -light[1] * distance))
    contact = np.exp(-np.maximum(shape.paint, 0) / 0.01)
    strength = rng.uniform(0.25, 0.6)
    return canvas * ((1 - strength * shadow) * (1 - 0.3 * contact))


def glaze(rng: np.random.Generator, view: View, canvas: Picture, shape: Shape) -> Picture:
    """Glass, a dark interior or simply the background, seen through the openings."""
    kind = pick(rng, ("through", "interior", "sky")) if shape.glazed else "through"
    inside = coverage(shape.openings, view.pixel)
    cool = hsv(rng.uniform(0.5, 0.62), rng.uniform(0.05, 0.3), 1)
    if kind == "interior":
        room = tinted(cool * rng.uniform(0.12, 0.35), 0.3 * fractal(rng, view.size, 2, 4) + 0.15 * shape.pane)
        canvas = mixed(canvas, room, inside * 0.92)
    if kind == "sky":
        clouds = 0.12 * fractal(rng, view.size, 2, 5) + 0.08 * shape.pane - rng.uniform(0, 0.5) * (view.y - 0.5)
        canvas = mixed(canvas, tinted(cool * rng.uniform(0.45, 0.9), clouds), inside * rng.uniform(0.6, 0.9))
    if shape.glazed:
        slant = view.x + pick(rng, (-1, 1)) * view.y * rng.uniform(0.5, 1.2) + 0.03 * shape.pane
        streaks = np.clip(np.sin(slant * rng.uniform(6, 16) + rng.uniform(0, 6)) * 4 - 2, 0, 1)
        canvas = mixed(canvas, cool, streaks * inside * rng.uniform(0.03, 0.22))
        rim = np.exp(-((shape.openings / 0.008) ** 2)) * inside
        canvas = canvas * (1 - 0.5 * rim)
    return canvas


def lay_object(
    rng: np.random.Generator,
    view: View,
    canvas: Picture,
    shape: Shape,
    surface: Picture,
    light: Light,
    edges: bool = True,
) -> Picture:
    """The object before the canvas: its surface in the light, bevelled unless it has no ``edges``."""
    bevelled = bevel(shape.paint, view.pixel, light, rng.uniform(0.004, 0.01)) * rng.uniform(0.3, 0.7)
    slope = rng.uniform(0.0, 0.5) * ((view.x - 0.5) * light[0] + (view.y - 0.5) * light[1])
    gloss = rng.uniform(0.0, 0.35) * _highlight(rng, view)
    lit = surface * (1 + (bevelled if edges else 0.0) + slope + shape.relief) + gloss
    return mixed(canvas, lit, coverage(shape.paint, view.pixel))


def _highlight(rng: np.random.Generator, view: View) -> Plane:
    """Light mirrored by the surface: a soft spot or a band."""
    x, y = view.x - rng.uniform(0.2, 0.8), view.y - rng.uniform(0.2, 0.8)
    long, short = rng.uniform(0.1, 0.6), rng.uniform(0.03, 0.12)
    turn = rng.uniform(0, math.pi)
    along, aside = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return np.exp(-((along / long) ** 2) - (aside / short) ** 2)


def lay_fittings(
    rng: np.random.Generator, view: View, canvas: Picture, shape: Shape, colour: Colour, light: Light
) -> Picture:
    """Handles and mouldings, of chrome, rubber or a darker paint."""
    chrome, rubber = hsv(0.6, 0.05, rng.uniform(0.6, 0.85)), hsv(0.6, 0.1, rng.uniform(0.08, 0.2))
    finish = pick(rng, (chrome, rubber, rubber, 0.7 * colour))
    lit = tinted(finish, 0.6 * bevel(shape.fittings, view.pixel, light, 0.006))
    return mixed(canvas, lit, coverage(shape.fittings, view.pixel))


def _illumination(rng: np.random.Generator, view: View) -> Plane:
    """Light that falls unevenly on everything: a gradient, and the soft shadow of something out of sight."""
    angle, strength = rng.uniform(0, 2 * math.pi), rng.uniform(0.1, 0.6)
    light = 1 + strength * ((view.x - 0.5) * math.cos(angle) + (view.y - 0.5) * math.sin(angle))
    if happens(rng, 0.55):
        turn = rng.uniform(0, math.pi)
        x, y = view.x - rng.uniform(0.3, 0.7), view.y - rng.uniform(0.3, 0.7)
        edge = x * math.cos(turn) + y * math.sin(turn)
        edge = edge + rng.uniform(0, 0.06) * noise(rng, view.size, 5, 5)
        light = light * (1 - rng.uniform(0.2, 0.5) * coverage(edge, rng.uniform(0.02, 0.2)))
    corner = (view.x - 0.5) ** 2 + (view.y - 0.5) ** 2
    return light * (1 - rng.uniform(0.1, 0.6) * corner)


def _expose(rng: np.random.Generator, sensor: np.random.Generator, canvas: Picture) -> NDArray[np.uint8]:
    """What the camera makes of it: white balance, contrast, a little blur and noise."""
    size = canvas.shape[-1]
    balance = 1 + rng.normal(0, 0.03, (3, 1, 1)).astype(np.float32)
    exposure, contrast = rng.uniform(1.2, 1.9), rng.uniform(0.95, 1.2)
    # Film-like: bright parts saturate softly, as a camera's tone curve makes them.
    exposed = 1.08 * (1 - np.exp(canvas * balance * -exposure))
    exposed = (exposed - 0.5) * contrast + 0.5
    levels = (np.clip(exposed, 0, 1) * 255).astype(np.uint8)
    image = Image.fromarray(np.ascontiguousarray(levels.transpose(1, 2, 0)))
    sharp = np.asarray(image.filter(ImageFilter.GaussianBlur(rng.uniform(0.0004, 0.0025) * size)), np.float32)
    grain = sensor.standard_normal((size, size, 3), dtype=np.float32) * rng.uniform(1.5, 5)
    return np.clip(sharp + grain + 0.5, 0, 255).astype(np.uint8)
