"""What a painting is planned with: the brush, the real-world scale, speeds, and how the strokes are ordered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..support.errors import UserError

Order = Literal["route", "nearest", "raster", "tree"]
"""``route`` searches for the least travel; ``nearest`` always goes to the nearest end of a stroke that is left;
``raster`` goes from top to bottom; ``tree`` follows the derivation."""
Unit = Literal["px", "mm", "m"]
Kind = Literal["rectangles", "rows", "cells"]
"""Rectangles of a tree, rows over all that is wanted, or boustrophedon cells."""

ORDERS: tuple[Order, ...] = get_args(Order)
UNITS: tuple[Unit, ...] = get_args(Unit)
PLANS: tuple[Kind, ...] = get_args(Kind)

NUMBERS = (
    "brush", "overlap", "margin", "scale", "stroke_speed", "travel_speed", "lift_time", "turn_time", "coverage",
    "waste", "overrun", "lead_in", "lead_out", "smallest",
)  # fmt: skip

LEAST, MOST = 1e-6, 1e9
"""Numbers beyond these are mistakes, and would drown in rounding."""


@dataclass(frozen=True)
class PaintSettings:
    """Brush and margin are in pixels of the image, whatever the scale.

    >>> PaintSettings(brush=12, scale=5).length_unit
    'mm'
    """

    brush: float = 12.0
    """Side of the square brush."""
    overlap: float = 0.1
    """Share of the brush's width by which neighbouring strokes overlap at least."""
    margin: float = 0.0
    """Distance that is kept from what is labelled skip."""
    scale: float | None = None
    """Millimetres a pixel; without it, all lengths are in pixels."""
    unit: Unit | None = None
    """Of lengths and of exported coordinates; millimetres with a scale, else pixels, if not given."""
    order: Order = "route"
    stroke_speed: float = 100.0
    """With the brush down: millimetres a second, or pixels a second without a scale."""
    travel_speed: float = 200.0
    """The same with the brush up."""
    lift_time: float = 0.5
    """Seconds to lower the brush and to lift it again."""
    turn_time: float = 0.1
    """Seconds to turn from a stroke into the next one while the brush stays down."""
    join: bool = True
    """Whether the brush stays down between strokes where the way is paint and that is quicker."""
    plan: Kind | Literal["auto"] = "auto"
    """Which kind of plan is made; ``auto`` takes the quickest that meets the limits."""
    coverage: float = 0.99
    """Share of what is wanted that a plan must paint at least."""
    waste: float | None = None
    """Share of what is painted that may be unwanted at most. If not given, none may be where some plan paints all that
    is wanted and nothing else, and any elsewhere."""
    overrun: float = 0.0
    """How far every stroke goes on, painting, beyond both of its ends."""
    lead_in: float = 0.0
    """How far before a stroke the brush begins to move along its line, not yet painting, after it was up."""
    lead_out: float = 0.0
    """How far it moves on behind a stroke, no longer painting, before it travels."""
    smallest: float = 0.0
    """Strokes that paint less than this length, with the brush's own, are left out."""
    start: tuple[float, float] | None = None
    """Where the brush comes from, in pixels right of and above the lower left corner of the image."""
    home: tuple[float, float] | None = None
    """Where it goes to in the end."""

    def __post_init__(self) -> None:
        _check("brush", self.brush, LEAST, "a width in pixels above 0, such as 12")
        _check("margin", self.margin, 0, "a distance in pixels of at least 0")
        _check("stroke_speed", self.stroke_speed, LEAST, "a speed above 0")
        _check("travel_speed", self.travel_speed, LEAST, "a speed above 0")
        _check("lift_time", self.lift_time, 0, "seconds, at least 0")
        _check("turn_time", self.turn_time, 0, "seconds, at least 0")
        if not _is_number(self.overlap) or not 0 <= self.overlap < 1:
            raise UserError(f"overlap is {_shown(self.overlap)}; give a share of the brush from 0 to below 1.")
        for name in ("overrun", "lead_in", "lead_out", "smallest"):
            _check(name, getattr(self, name), 0, "a length in pixels of at least 0")
        for name in ("start", "home"):
            if (place := getattr(self, name)) is not None:
                if len(place) != 2 or not all(_is_number(value) and abs(value) <= MOST for value in place):
                    raise UserError(f"{name} is {_shown(place)}; give two numbers, x and y.")
                object.__setattr__(self, name, (float(place[0]), float(place[1])))
        for name, least in (("coverage", LEAST), ("waste", 0)):
            if (value := getattr(self, name)) is None and name == "waste":
                continue
            if not _is_number(value) or not least <= value <= 1:
                raise UserError(f"{name} is {_shown(value)}; give a share from {'above ' if least else ''}0 to 1.")
        if self.plan != "auto" and self.plan not in PLANS:
            raise UserError(f"plan is {_shown(self.plan)}; give one of {', '.join(PLANS)} or auto.")
        if self.scale is not None:
            _check("scale", self.scale, LEAST, "millimetres a pixel, above 0")
        if self.order not in ORDERS:
            raise UserError(f"order is {_shown(self.order)}; give one of {', '.join(ORDERS)}.")
        if self.unit is not None and self.unit not in UNITS:
            raise UserError(f"unit is {_shown(self.unit)}; give one of {', '.join(UNITS)}.")
        if self.scale is None and self.unit in ("mm", "m"):
            raise UserError(f"unit is {self.unit}, but a pixel has no size; give a scale in millimetres a pixel.")
        for name in NUMBERS:  # whatever kind of number was given, files can hold it
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, float(value))

    @property
    def pitch(self) -> float:
        """Distance of neighbouring strokes at most."""
        return self.brush * (1 - self.overlap)

    @property
    def length_unit(self) -> Unit:
        """The unit of lengths and exported coordinates."""
        return self.unit or ("px" if self.scale is None else "mm")

    def length(self, pixels: float) -> float:
        """A length in pixels, in ``length_unit``."""
        return pixels * self.pixel_in(self.length_unit)

    def told(self, pixels: float) -> str:
        """A length in pixels as sentences say it, in ``length_unit``."""
        return f"{self.length(pixels):.6g} {self.length_unit}"

    def pixel_in(self, unit: Unit) -> float:
        """How long a pixel is in a unit; without a scale it is one pixel long, whatever the unit."""
        if unit == "px" or self.scale is None:
            return 1.0
        return self.scale if unit == "mm" else self.scale / 1000

    def pixels_a_second(self, down: bool) -> float:
        """The speed of the brush in pixels a second."""
        return (self.stroke_speed if down else self.travel_speed) / (self.scale or 1.0)


def _is_number(value: object) -> bool:
    """Whether a setting is a finite number; True and False are not meant as numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return math.isfinite(value)


def _check(name: str, value: object, least: float, wanted: str) -> None:
    if not _is_number(value) or not least <= value <= MOST:  # type: ignore[operator]  # it is a number then
        raise UserError(f"{name} is {_shown(value)}; give {wanted}.")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 40 else text[:37] + "..."
