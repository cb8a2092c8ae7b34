"""The three families of objects to paint: metal plates, window frames and car doors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .chance import happens, pick
from .fields import (
    Plane,
    View,
    bar,
    box,
    corner_cut,
    disc,
    half_plane,
    intersection,
    nothing,
    rounded_intersection,
    union,
    without,
)


@dataclass(frozen=True)
class Shape:
    """One object in one view: what is painted, what is not, and what its surface looks like."""

    paint: Plane
    """Distance to the surface to be painted: negative on it."""
    openings: Plane
    """Holes, panes and windows, through which one sees what is behind."""
    fittings: Plane
    """Handles and mouldings: on the object, but not to be painted."""
    relief: Plane
    """Brightness that folds, creases and joints add to the surface."""
    pane: Plane
    """A tone of its own for the glass of every opening, about 0 +- 1."""
    glazed: bool
    """Whether there is glass in the openings."""


def plate(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A sheet-metal plate: notched or chamfered, with holes, slots and cut-outs."""
    style = pick(rng, ("plain", "chamfer", "notch", "step", "recess"))
    outline = _plate_outline(rng, view, half_w, half_h, style)
    # An outline of many corners uses up the levels of a parse: a large opening as well would be out of reach.
    openings = pick(rng, OPENINGS if style in ("plain", "chamfer") else SMALL_OPENINGS)(
        rng, view, half_w - 0.1, half_h - 0.1
    )
    if style != "notch" and happens(rng, 0.7):
        openings = union(openings, _bolt_holes(rng, view, half_w, half_h))
    paint = without(outline, openings)
    return Shape(
        paint=paint,
        openings=intersection(openings, outline),
        fittings=nothing(view),
        relief=_plate_relief(rng, view, half_w, half_h),
        pane=np.zeros_like(paint),
        glazed=False,
    )


def _plate_outline(rng: np.random.Generator, view: View, half_w: float, half_h: float, style: str) -> Plane:
    outline = box(view, 0, 0, half_w, half_h, pick(rng, (0.0, 0.012, 0.05)))
    for right in (False, True):
        for below in (False, True):
            cut = rng.uniform(0.05, 0.085)
            deep, wide = rng.uniform(0.05, 0.13), rng.uniform(0.05, 0.16)
            chosen = happens(rng, 0.65)
            if style == "chamfer" and chosen:
                outline = intersection(outline, corner_cut(view, half_w, half_h, cut, right, below))
            if style == "notch" and chosen:
                x, y = (half_w if right else -half_w), (half_h if below else -half_h)
                outline = without(outline, box(view, x, y, wide, deep))
    side, along = pick(rng, (-1.0, 1.0)), pick(rng, (-1.0, 1.0))
    wide, deep = rng.uniform(0.3, 0.6) * half_w, rng.uniform(0.3, 0.7) * half_h
    if style == "step":
        outline = without(outline, box(view, along * half_w, side * half_h, wide, deep, 0.01))
    if style == "recess":
        outline = without(outline, box(view, along * 0.05, side * half_h, wide, deep, 0.01))
    return outline


def _bolt_holes(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Plane:
    radius, inset = rng.uniform(0.013, 0.024), rng.uniform(0.06, 0.075)
    corners = [(x, y) for x in (inset - half_w, half_w - inset) for y in (inset - half_h, half_h - inset)]
    return union(*(disc(view, x, y, radius) for x, y in corners))


def _cut_out(rng: np.random.Generator, view: View, room_w: float, room_h: float) -> Plane:
    half_w, half_h = room_w * rng.uniform(0.25, 0.8), room_h * rng.uniform(0.25, 0.8)
    x = (room_w - half_w) * rng.uniform(-0.9, 0.9)
    y = (room_h - half_h) * rng.uniform(-0.9, 0.9)
    return box(view, x, y, half_w, half_h, pick(rng, (0.0, 0.015, 0.04)))


def _slots(rng: np.random.Generator, view: View, room_w: float, room_h: float) -> Plane:
    upright = happens(rng, 0.5)
    if upright:
        room_w, room_h = room_h, room_w
        view = View(view.y, view.x, view.pixel)
    count = int(rng.integers(1, 4))
    pitch = 2 * room_h / count
    half_h = min(pitch * 0.3, rng.uniform(0.02, 0.042) / count)
    half_w = min(room_w, 0.3) * rng.uniform(0.45, 0.95)
    radius = half_h * pick(rng, (0.15, 1.0))
    x = (room_w - half_w) * rng.uniform(-1, 1)
    centres = (-room_h + pitch * (row + 0.5) for row in range(count))
    return union(*(box(view, x, y, half_w, half_h, radius) for y in centres))


def _hole_grid(rng: np.random.Generator, view: View, room_w: float, room_h: float) -> Plane:
    columns, rows = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    pitch_w, pitch_h = 2 * room_w / columns, 2 * room_h / rows
    radius = min(min(pitch_w, pitch_h) * 0.3, rng.uniform(0.04, 0.075) / math.sqrt(columns * rows))
    square = happens(rng, 0.4)
    holes = []
    for column in range(columns):
        for row in range(rows):
            x, y = pitch_w * (column + 0.5) - room_w, pitch_h * (row + 0.5) - room_h
            holes.append(box(view, x, y, radius, radius, 0.01) if square else disc(view, x, y, radius))
    return union(*holes)


def _round_hole(rng: np.random.Generator, view: View, room_w: float, room_h: float) -> Plane:
    radius = min(min(room_w, room_h) * 0.85, rng.uniform(0.05, 0.11))
    x, y = (room_w - radius) * rng.uniform(-0.8, 0.8), (room_h - radius) * rng.uniform(-0.8, 0.8)
    return disc(view, x, y, radius)


SMALL_OPENINGS = (_slots, _hole_grid, _round_hole)
OPENINGS = (_cut_out, _cut_out, _cut_out, *SMALL_OPENINGS)


def _plate_relief(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Plane:
    relief = np.zeros_like(view.x)
    if happens(rng, 0.5):
        fold = half_plane(view, (rng.uniform(-0.6, 0.6) * half_w, 0), (1, 0))
        if happens(rng, 0.5):
            fold = half_plane(view, (0, rng.uniform(-0.6, 0.6) * half_h), (0, 1))
        relief += pick(rng, (-1.0, 1.0)) * rng.uniform(0.05, 0.14) * np.tanh(fold / 0.006)
    for _ in range(int(rng.integers(0, 5))):
        start = (rng.uniform(-half_w, half_w), rng.uniform(-half_h, half_h))
        end = (start[0] + rng.normal(0, 0.1), start[1] + rng.normal(0, 0.06))
        relief += 0.12 * np.exp(-(np.maximum(bar(view, start, end, 0), 0) ** 2) / 4e-6)
    return relief


def window(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A window frame: panes between mullions, sometimes panels, a sill or shutters."""
    shuttered = happens(rng, 0.25)
    half_w *= rng.uniform(0.5, 0.65) if shuttered else 1.0
    frame, mullion = min(rng.uniform(0.07, 0.15), 0.35 * half_w), rng.uniform(0.012, 0.028)
    outline = box(view, 0, 0, half_w, half_h, 0.004)
    across, down = (pick(rng, (1, 1, 1, 1, 2, 2, 2, 2, 2, 3)) for _ in range(2))
    columns = _pane_spans(rng, half_w - frame, mullion, min(across, 1 if shuttered else 3))
    rows = _pane_spans(rng, half_h - frame, mullion, min(down, 3 if half_h > 0.35 else 2))
    panelled = len(rows) > 1 and not shuttered and happens(rng, 0.4)
    glass, panels, pane = nothing(view), nothing(view), np.zeros_like(view.x)
    for left, right in columns:
        for row, (top, bottom) in enumerate(rows):
            centre = ((left + right) / 2, (top + bottom) / 2)
            opening = box(view, *centre, (right - left) / 2, (bottom - top) / 2)
            pane[opening < 0] = rng.normal()
            if panelled and row == len(rows) - 1:
                panels = union(panels, opening)
            else:
                glass = union(glass, opening)
    if happens(rng, 0.08):
        arch = disc(view, 0, rng.uniform(0.7, 1.1) - half_h, rng.uniform(0.72, 0.8) * 1.4)
        outline, glass = intersection(outline, arch), intersection(glass, arch + frame)
    paint = without(outline, glass)
    relief = _joinery_relief(rng, view, half_w, half_h, panels, paint)
    paint = union(paint, _sill_and_shutters(rng, view, half_w, half_h, shuttered))
    return Shape(paint, glass, nothing(view), relief, pane, glazed=True)


def _pane_spans(rng: np.random.Generator, half: float, mullion: float, count: int) -> list[tuple[float, float]]:
    weights = rng.uniform(0.6, 1.0, count) if happens(rng, 0.5) else np.ones(count)
    lengths = weights / weights.sum() * (2 * half - mullion * (count - 1))
    starts = -half + np.concatenate([[0], np.cumsum(lengths + mullion)[:-1]])
    return [(float(start), float(start + length)) for start, length in zip(starts, lengths, strict=True)]


def _joinery_relief(
    rng: np.random.Generator, view: View, half_w: float, half_h: float, panels: Plane, paint: Plane
) -> Plane:
    groove = np.exp(-(((paint + rng.uniform(0.008, 0.016)) / 0.0025) ** 2))
    panel_edge = np.exp(-((panels / 0.006) ** 2))
    upright = np.abs(np.abs(view.x) - half_w) < np.abs(np.abs(view.y) - half_h)
    louvres = np.where(np.abs(view.x) > half_w + 0.02, np.sin(view.y * rng.uniform(110, 220)), 0)
    members = rng.uniform(-0.06, 0.06) * (2 * upright.astype(np.float32) - 1)
    relief: Plane = members - 0.22 * groove - 0.3 * panel_edge + 0.12 * louvres
    return relief


def _sill_and_shutters(rng: np.random.Generator, view: View, half_w: float, half_h: float, shuttered: bool) -> Plane:
    added = nothing(view)
    wing, gap = half_w * rng.uniform(0.35, 0.5), rng.uniform(0.006, 0.02)
    if shuttered:
        for side in (-1, 1):
            added = union(added, box(view, side * (half_w + gap + wing), 0, wing, half_h))
    overhang, thickness = rng.uniform(0.015, 0.05), rng.uniform(0.015, 0.035)
    if happens(rng, 0.45):
        added = union(added, box(view, 0, half_h + thickness, half_w + overhang, thickness, 0.004))
    return added


def door(rng: np.random.Generator, view: View, half_w: float, half_h: float) -> Shape:
    """A car door: curved sill, a window with a rim around it, a handle and perhaps a moulding."""
    if happens(rng, 0.5):
        view = view.mirrored()
    half_w = min(half_w, 1.25 * half_h)
    top, bottom = -half_h, half_h
    belt = half_h * rng.uniform(-0.3, 0.05)
    outline = _door_outline(rng, view, half_w, top, belt, bottom)
    glass = rounded_intersection(
        rng.uniform(0.01, 0.05),
        outline + rng.uniform(0.03, 0.06),
        half_plane(view, (0, belt), (rng.uniform(-0.04, 0.02), 1)),
    )
    if happens(rng, 0.25):
        post = rng.uniform(0.3, 0.55) * half_w
        glass = without(glass, box(view, post, belt, rng.uniform(0.008, 0.014), 0.6))
    fittings = intersection(_door_fittings(rng, view, half_w, belt, bottom), outline)
    return Shape(
        paint=without(outline, glass, fittings),
        openings=glass,
        fittings=fittings,
        relief=_door_relief(rng, view, belt, bottom),
        pane=np.full_like(view.x, rng.normal()),
        glazed=True,
    )


def _door_outline(rng: np.random.Generator, view: View, half_w: float, top: float, belt: float, bottom: float) -> Plane:
    front_lean, rear_lean = rng.uniform(0.03, 0.17), rng.uniform(-0.02, 0.05)
    bow = rng.uniform(0, 0.1)
    front = -half_w - view.x + bow * (view.y - 0.15) ** 2
    rear = view.x - half_w + bow * (view.y - 0.15) ** 2
    front_pillar = half_plane(view, (-half_w, belt), (top - belt, -front_lean))
    rear_pillar = half_plane(view, (half_w, belt), (belt - top, -rear_lean))
    roof = top - view.y + rng.uniform(0, 0.2) * (view.x - 0.1) ** 2
    sill = view.y - bottom + rng.uniform(0, 0.2) * (view.x - rng.uniform(-0.1, 0.1)) ** 2
    radius = rng.uniform(0.02, 0.05)
    outline = rounded_intersection(radius, front, rear, front_pillar, rear_pillar, roof, sill)
    arch_x, arch_radius = half_w + rng.uniform(0.0, 0.08), rng.uniform(0.12, 0.22)
    if happens(rng, 0.4):
        outline = without(outline, disc(view, arch_x, bottom + 0.02, arch_radius))
    return outline


def _door_fittings(rng: np.random.Generator, view: View, half_w: float, belt: float, bottom: float) -> Plane:
    long, high = rng.uniform(0.04, 0.065), rng.uniform(0.011, 0.018)
    x, y = half_w - long - rng.uniform(0.03, 0.07), belt + rng.uniform(0.05, 0.09)
    fittings = box(view, x, y, long, high, high)
    lock = disc(view, x + long * 0.3, y + high + 0.028, 0.01)
    if happens(rng, 0.5):
        fittings = union(fittings, lock)
    strip, thickness = rng.uniform(0.4, 0.7), rng.uniform(0.005, 0.011)
    if happens(rng, 0.35):
        fittings = union(fittings, box(view, 0, belt + strip * (bottom - belt), half_w * 0.97, thickness))
    return fittings


def _door_relief(rng: np.random.Generator, view: View, belt: float, bottom: float) -> Plane:
    height = bottom - belt
    relief = rng.uniform(-0.1, 0.25) * (belt + 0.5 * height - view.y) / height
    for position in (rng.uniform(0.12, 0.35), rng.uniform(0.6, 0.85)):
        crease = view.y - (belt + position * height) - rng.uniform(-0.05, 0.05) * view.x
        strength, width = rng.uniform(0.05, 0.2), rng.uniform(0.01, 0.06)
        relief = relief + strength * np.sign(crease) * np.exp(-np.abs(crease) / width)
    return relief


Family = Callable[[np.random.Generator, View, float, float], Shape]
FAMILIES: tuple[Family, ...] = (plate, window, door)
