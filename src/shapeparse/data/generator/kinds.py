"""More kinds of objects to paint: brackets, gratings, crates, fences, house fronts, fields, signs and cupboards."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .chance import happens, pick
from .fields import (
    Plane,
    View,
    bar,
    box,
    disc,
    half_plane,
    intersection,
    nothing,
    rounded_intersection,
    union,
    without,
)
from .objects import Shape


def _shape(
    view: View,
    outline: Plane,
    openings: Plane | None = None,
    fittings: Plane | None = None,
    relief: Plane | None = None,
    pane: Plane | None = None,
    glazed: bool = False,
) -> Shape:
    """An object without its openings and fittings; what is not given is empty or flat."""
    openings = nothing(view) if openings is None else intersection(openings, outline)
    fittings = nothing(view) if fittings is None else fittings
    flat = np.zeros_like(view.x)
    return Shape(
        paint=without(outline, openings, fittings),
        openings=openings,
        fittings=fittings,
        relief=flat if relief is None else relief,
        pane=flat if pane is None else pane,
        glazed=glazed,
    )


def _line(distance: Plane, width: float, depth: float) -> Plane:
    """The tone of a joint or groove along a line: darker in the middle, ``width`` wide."""
    return -depth * np.exp(-((distance / width) ** 2))


def _centres(half: float, count: int) -> list[float]:
    """The middles of equal stretches from -half to half."""
    return [half * (2 * (number + 0.5) / count - 1) for number in range(count)]


def bracket(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """An angle, a channel, a T or a cross of flat steel, with holes along its legs."""
    if happens(rng, 0.5):
        view = view.mirrored()
    if happens(rng, 0.5):
        view = View(view.x, -view.y, view.pixel)
    thick_w, thick_h = (half * rng.uniform(0.18, 0.4) for half in (half_w, half_h))
    radius = pick(rng, (0.0, 0.01, 0.03))
    style = pick(rng, ("angle", "channel", "tee", "cross", "zed"))
    middle = 0.0 if style in ("tee", "cross") else half_h - thick_h
    lying = [box(view, 0, middle, half_w, thick_h, radius)]
    if style == "zed":
        lying = [
            box(view, -half_w / 2 + thick_w / 2, thick_h - half_h, half_w / 2 + thick_w / 2, thick_h, radius),
            box(view, half_w / 2 - thick_w / 2, half_h - thick_h, half_w / 2 + thick_w / 2, thick_h, radius),
        ]
    uprights = {"angle": [-1.0], "channel": [-1.0, 1.0], "tee": [-1.0], "cross": [0.0], "zed": [0.0]}[style]
    standing = [box(view, side * (half_w - thick_w), 0, thick_w, half_h, radius) for side in uprights]
    outline = union(*lying, *standing)
    hole = min(thick_w, thick_h) * rng.uniform(0.2, 0.5)
    slot = hole * pick(rng, (1.0, 1.0, 2.0))
    places = [(side * (half_w - thick_w), y) for side in uprights for y in _centres(half_h, int(rng.integers(2, 5)))]
    places += [(x, middle) for x in _centres(half_w, int(rng.integers(2, 5)))] if style != "zed" else []
    holes = union(*(box(view, x, y, hole, slot, hole) for x, y in places if happens(rng, 0.8)), nothing(view))
    fold = _line(view.x - uprights[0] * (half_w - 2 * thick_w), 0.006, rng.uniform(0, 0.25))
    return _shape(view, outline, holes, relief=fold + rng.uniform(-0.15, 0.15) * (standing[0] < 0))


def grating(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A frame with bars or a lattice: a grating, a grille, a gate."""
    if happens(rng, 0.5):
        view, half_w, half_h = View(view.y, view.x, view.pixel), half_h, half_w
    frame = rng.uniform(0.02, 0.07)
    outline = box(view, 0, 0, half_w, half_h, pick(rng, (0.0, 0.01, 0.04)))
    inner_w, inner_h = half_w - frame, half_h - frame
    opening = box(view, 0, 0, inner_w, inner_h)
    count = int(rng.integers(3, 9))
    pitch = 2 * inner_w / count
    # Bars repeat with the pitch, so that any number of them costs as much as one.
    bars = np.abs(np.mod(view.x + inner_w + pitch / 2, pitch) - pitch / 2) - pitch * rng.uniform(0.12, 0.3)
    for y in _centres(inner_h, int(rng.integers(1, 4)))[1:]:
        bars = union(bars, np.abs(view.y - y + inner_h / 3) - rng.uniform(0.008, 0.025))
    if happens(rng, 0.25):
        bars = union(bars, np.abs((view.x / half_w - view.y / half_h) * min(half_w, half_h) * 0.7) - 0.015)
    relief = rng.uniform(0, 0.15) * np.cos((view.x + inner_w) * (2 * math.pi / pitch)) * (opening < 0)
    return _shape(view, outline, without(opening, bars), relief=relief)


def crate(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A crate or a pallet from the side or from above: boards with gaps, on battens."""
    if happens(rng, 0.4):
        view, half_w, half_h = View(view.y, view.x, view.pixel), half_h, half_w
    count = int(rng.integers(2, 7))
    pitch = 2 * half_h / count
    half_board = pitch / 2 * rng.uniform(0.6, 0.93)
    row = np.clip(np.floor((view.y + half_h) / pitch), 0, count - 1)
    tones = rng.normal(0, 0.08, 64).astype(np.float32)
    within = np.abs(view.y + half_h - (row + 0.5) * pitch) - half_board
    outline = box(view, 0, 0, half_w, half_h)
    boards = intersection(outline, within)
    half_batten = rng.uniform(0.025, 0.06)
    spread = half_w - half_batten * rng.uniform(1, 2.5)
    battens = union(*(box(view, x, 0, half_batten, half_h) for x in (-spread, 0.0, spread)[:: pick(rng, (1, 2))]))
    in_front = happens(rng, 0.5)
    edges = _line(battens, 0.005, 0.3) if in_front else np.zeros_like(view.x)
    relief = tones[row.astype(np.intp)] * ((battens > 0) if in_front else 1.0) + edges
    for x in (-spread, spread):
        nails = View(view.x, view.y + half_h - (row + 0.5) * pitch, view.pixel)
        relief = relief + _line(np.maximum(disc(nails, x, 0, 0.004), 0), 0.004, 0.4)
    paint = union(boards, battens)
    if happens(rng, 0.3):
        brace = bar(view, (-spread, -half_h), (spread, half_h), half_batten * 0.8)
        paint = union(paint, intersection(brace, outline))
    return _shape(view, outline, without(outline, paint), relief=relief.astype(np.float32))


def fence(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A picket fence or railing that runs through the picture."""
    half_w, half_h = 1.5, half_h * rng.uniform(0.55, 1.0)
    pitch = rng.uniform(0.09, 0.22)
    across = np.mod(view.x + rng.uniform(0, pitch), pitch) - pitch / 2
    half_picket = pitch * rng.uniform(0.2, 0.38)
    pickets = View(across, view.y, view.pixel)
    top = pick(rng, ("flat", "pointed", "round"))
    standing = box(pickets, 0, 0, half_picket, half_h, half_picket if top == "round" else 0.0)
    if top == "pointed":
        tip = half_plane(View(np.abs(across), view.y, view.pixel), (0, -half_h), (1, -1))
        standing = intersection(standing, tip)
    thick = rng.uniform(0.018, 0.05)
    rails = [box(view, 0, y * half_h, half_w, thick) for y in (-rng.uniform(0.45, 0.75), rng.uniform(0.35, 0.75))]
    posts = View(np.mod(view.x + rng.uniform(0, 0.6), 0.6) - 0.3, view.y, view.pixel)
    paint = union(standing, *rails)
    if happens(rng, 0.4):
        paint = union(paint, box(posts, 0, 0, half_picket * 1.5, half_h * 1.05))
    relief = _line(standing, 0.006, 0.25)
    return _shape(view, paint, relief=relief)


def house(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """The front of a house: a wall to paint, windows and doors that are not, perhaps a gable or a plinth."""
    outline = box(view, 0, 0, half_w, half_h)
    eaves = -half_h
    if happens(rng, 0.35):
        eaves += rng.uniform(0.15, 0.35) * half_h
        slope = rng.uniform(0.7, 1.2) * (eaves + half_h) / half_w
        gable = half_plane(View(np.abs(view.x), view.y, view.pixel), (half_w, eaves), (slope, -1))
        outline = intersection(outline, gable)
    floors, columns = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    high, wide = (half_h - eaves) / floors, 2 * half_w / columns
    glass, doors, pane = nothing(view), nothing(view), np.zeros_like(view.x)
    half_x, half_y = wide * rng.uniform(0.16, 0.3), high * rng.uniform(0.2, 0.32)
    door_at = int(rng.integers(columns)) if happens(rng, 0.6) else -1
    for floor in range(floors):
        for column, x in enumerate(_centres(half_w, columns)):
            y = eaves + high * (floor + rng.uniform(0.44, 0.46))
            if floor == floors - 1 and column == door_at:
                top, width = y - half_y, wide * rng.uniform(0.16, 0.3)
                doors = union(doors, box(view, x, (top + half_h) / 2, width, (half_h - top) / 2))
            elif happens(rng, 0.93):
                opening = box(view, x, y, half_x, half_y)
                pane[opening < 0] = rng.normal()
                glass = union(glass, opening)
    frames = without(glass - rng.uniform(0.006, 0.02), glass + rng.uniform(0.0, 0.008))
    if happens(rng, 0.6):
        frames = union(frames, intersection(_crosses(rng, view, half_w, columns), glass))
    fittings = union(intersection(doors, outline), intersection(frames, outline))
    if happens(rng, 0.35):
        fittings = union(fittings, box(view, 0, half_h, half_w, rng.uniform(0.03, 0.1)))
    if happens(rng, 0.3):
        fittings = union(fittings, box(view, pick(rng, (-0.94, 0.94)) * half_w, 0, 0.012, half_h))
    courses = _line(np.mod(view.y, 0.04) - 0.02, 0.004, 0.12 if happens(rng, 0.35) else 0.0)
    return _shape(view, outline, without(glass, fittings), fittings, courses, pane, glazed=True)


def _crosses(rng: np.random.Generator, view: View, half_w: float, columns: int) -> Plane:
    """Upright bars in the middles of columns of windows."""
    return union(*(np.abs(view.x - x) for x in _centres(half_w, columns))) - rng.uniform(0.005, 0.01)


def field(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """Plots seen from above: a field between crooked edges, perhaps cut by tracks, with a copse left out."""
    edges = []
    for outward, reach in (((1, 0), half_w), ((-1, 0), half_w), ((0, 1), half_h), ((0, -1), half_h)):
        crooked = (outward[0] + rng.normal(0, 0.12), outward[1] + rng.normal(0, 0.12))
        edges.append(half_plane(view, (outward[0] * reach, outward[1] * reach), crooked))
    outline = rounded_intersection(rng.uniform(0.005, 0.06), *edges)
    left_out = [nothing(view)]
    for _ in range(int(rng.integers(0, 3))):
        lean = rng.normal(0, 0.15)
        upright = happens(rng, 0.5)
        along = view.x - lean * view.y if upright else view.y - lean * view.x
        left_out.append(np.abs(along - rng.uniform(-0.25, 0.25)) - rng.uniform(0.006, 0.03))
    if happens(rng, 0.4):
        for _ in range(int(rng.integers(1, 5))):
            x, y = rng.uniform(-half_w, half_w), rng.uniform(-half_h, half_h)
            left_out.append(disc(view, x, y, rng.uniform(0.02, 0.1)))
    turn = rng.uniform(0, math.pi)
    furrows = np.sin((view.x * math.cos(turn) + view.y * math.sin(turn)) * rng.uniform(60, 260))
    return _shape(view, without(outline, *left_out), relief=rng.uniform(0, 0.12) * furrows)


def sign(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A board on posts, with letters or a pictogram that must stay as they are."""
    style = pick(rng, ("board", "board", "round", "triangle", "octagon", "arrow"))
    half = min(half_w, half_h)
    board_h = half_h * rng.uniform(0.5, 0.95) if style in ("board", "arrow") else half
    if style in ("board", "arrow"):
        outline = box(view, 0, 0, half_w, board_h, pick(rng, (0.0, 0.02, 0.05)))
    elif style == "round":
        outline = disc(view, 0, 0, half)
    elif style == "octagon":
        diagonal = (np.abs(view.x) + np.abs(view.y)) / math.sqrt(2) - half
        outline = intersection(box(view, 0, 0, half, half), diagonal)
    else:
        sides = half_plane(View(np.abs(view.x), view.y, view.pixel), (0, -half), (math.sqrt(3), -1))
        outline = rounded_intersection(0.04, sides, view.y - half * 0.6)
    if style == "arrow":
        point = half_plane(View(view.x, np.abs(view.y), view.pixel), (half_w, 0), (1, rng.uniform(0.6, 1.2)))
        outline = intersection(outline, point)
    letters = _letters(rng, view, half_w * 0.7, board_h * 0.5, 1 if style == "triangle" else int(rng.integers(1, 4)))
    letters = intersection(letters, outline + 0.03)
    posts = [box(view, x * half_w * 0.7, 1.0, 0.02, 1.0) for x in pick(rng, ((0.0,), (-1.0, 1.0), ()))]
    fittings = union(letters, without(union(*posts, nothing(view)), outline))
    rim = _line(outline + rng.uniform(0.012, 0.03), 0.006, rng.uniform(0, 0.5))
    return _shape(view, outline, fittings=fittings, relief=rim)


def _letters(rng: np.random.Generator, view: View, half_w: float, half_h: float, rows: int) -> Plane:
    """Strokes that look like writing, in rows."""
    found = nothing(view)
    for y in _centres(half_h, rows):
        tall = half_h / rows * rng.uniform(0.35, 0.6)
        letters = int(rng.integers(2, 7))
        for x in _centres(half_w, letters):
            wide = half_w / letters * 0.5
            stroke = tall * rng.uniform(0.15, 0.25)
            ends = [(x + a * wide, y + b * tall) for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0))]
            start, end = (ends[int(place)] for place in rng.permutation(5)[:2])
            found = union(found, bar(view, start, end, stroke), bar(view, (x, y - tall), (x, y + tall), stroke))
    return found


def cupboard(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """The front of a cupboard, a chest or a locker: doors and drawers with handles, perhaps panes, perhaps feet."""
    outline = box(view, 0, 0, half_w, half_h, pick(rng, (0.0, 0.01)))
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    rim = rng.uniform(0.01, 0.04)
    handles, glass, pane, relief = nothing(view), nothing(view), np.zeros_like(view.x), np.zeros_like(view.x)
    glazed_row = int(rng.integers(rows)) if happens(rng, 0.35) else -1
    missing_row = int(rng.integers(rows)) if happens(rng, 0.25) else -1
    knob, inset = happens(rng, 0.5), rng.uniform(0.03, 0.05)
    for row, y in enumerate(_centres(half_h - rim, rows)):
        for x in _centres(half_w - rim, columns):
            half_x, half_y = (half_w - rim) / columns - 0.006, (half_h - rim) / rows - 0.006
            front = box(view, x, y, half_x, half_y)
            relief = relief + _line(front, 0.005, 0.35)
            if min(half_x, half_y) > 2.5 * inset and row in (glazed_row, missing_row):
                opening = box(view, x, y, half_x - inset, half_y - inset)
                pane[opening < 0] = rng.normal()
                glass = union(glass, opening)
                continue
            if min(half_x, half_y) > 2.5 * inset and happens(rng, 0.4):
                relief = relief + _line(box(view, x, y, half_x - inset, half_y - inset), 0.005, 0.25)
            side = x + pick(rng, (-0.8, 0.8)) * half_x if half_y > half_x else x
            handles = union(handles, _handle(rng, view, side, y, knob, half_y > half_x))
    paint = outline
    if happens(rng, 0.45):
        foot = rng.uniform(0.02, 0.05)
        for x in (foot - half_w, half_w - foot):
            paint = union(paint, box(view, x, half_h + 0.05, foot, 0.06))
    return _shape(view, paint, glass, handles, relief, pane, glazed=glazed_row >= 0)


def _handle(rng: np.random.Generator, view: View, x: float, y: float, knob: bool, upright: bool) -> Plane:
    if knob:
        return disc(view, x, y, 0.014)
    long, thick = rng.uniform(0.03, 0.05), 0.009
    return box(view, x, y, thick, long, thick) if upright else box(view, x, y, long, thick, thick)


def joined(shapes: Sequence[Shape]) -> Shape:
    """Several objects in one picture, none of which lies before another."""
    if len(shapes) == 1:
        return shapes[0]
    near = np.argmin([np.minimum(np.minimum(one.paint, one.openings), one.fittings) for one in shapes], axis=0)
    return Shape(
        paint=union(*(one.paint for one in shapes)),
        openings=union(*(one.openings for one in shapes)),
        fittings=union(*(one.fittings for one in shapes)),
        relief=np.choose(near, [one.relief for one in shapes]),
        pane=np.choose(near, [one.pane for one in shapes]),
        glazed=any(one.glazed for one in shapes),
    )
