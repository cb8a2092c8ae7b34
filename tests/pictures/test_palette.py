"""Colours: mixed by shares, and told apart without colour too."""

from __future__ import annotations

import pytest

from shapeparse.pictures.palette import INK, MASK_GREYS, PAINT, PAPER, SKIP, hexadecimal, label_colour, mix


def brightness(colour: tuple[int, int, int]) -> float:
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def test_a_mixture_goes_from_the_first_colour_to_the_second() -> None:
    assert [mix((0, 100, 255), (100, 0, 255), share) for share in (0, 0.25, 1)] == [
        (0, 100, 255), (25, 75, 255), (100, 0, 255),
    ]  # fmt: skip


def test_a_region_is_coloured_by_its_share_of_paint() -> None:
    assert (label_colour(0), label_colour(1)) == (SKIP, PAINT)
    assert label_colour(0.5) == mix(PAINT, SKIP, 0.5)


@pytest.mark.parametrize(("colour", "text"), [((0, 0, 0), "#000000"), ((255, 16, 1), "#ff1001")])
def test_colours_are_written_as_svg_writes_them(colour: tuple[int, int, int], text: str) -> None:
    assert hexadecimal(colour) == text


def test_a_grey_print_still_reads() -> None:
    assert brightness(INK) < brightness(PAINT) < brightness(SKIP) < brightness(PAPER)
    assert MASK_GREYS[1] - MASK_GREYS[0] > 100
