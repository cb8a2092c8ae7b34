"""All colours of the pictures, in one place.

Paint is vermilion and skip is blue, close to those of Okabe and Ito's set, which people with any common
colour blindness can tell apart. Where both are flat, skip is the paler, so a grey print still reads.
"""

from __future__ import annotations

Colour = tuple[int, int, int]
"""Red, green and blue, each from 0 to 255."""

PAINT: Colour = (226, 88, 24)
SKIP: Colour = (70, 138, 190)
VIVID: Colour = (255, 116, 38)
"""Paint once more, brighter, for tints through which a photograph darkens it."""
INK: Colour = (31, 36, 48)
QUIET: Colour = (110, 118, 133)
"""Second-rank text and edges."""
PAPER: Colour = (255, 255, 255)
BLANK: Colour = (226, 228, 230)
"""Stands in for a photograph that is not there."""

MASK_GREYS = (90, 225)
"""Grey levels that show a mask's False and True when there is no photograph."""


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """The colour that lies ``share`` of the way from ``first`` to ``second``."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def label_colour(paint_share: float) -> Colour:
    """The colour of a region of which ``paint_share`` is painted: blue for none, vermilion for all."""
    return mix(SKIP, PAINT, paint_share)


def hexadecimal(colour: Colour) -> str:
    """The colour as ``#rrggbb``, for SVG and matplotlib."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
