"""Views: what a photograph shows from the front, by corners, markers and lens, and how well that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from shapeparse.painting.lens import Lens
from shapeparse.painting.plane import Plane
from shapeparse.painting.view import Front, View, told

LENS = Lens(200, 200, 99.5, 79.5, -0.3, 0.05, error=0.25)
SEEN = ((30.0, 20.0), (180.0, 40.0), (165.0, 140.0), (15.0, 120.0))


def plate() -> np.ndarray:
    """A mask of 120 x 80 pixels of 10 mm each."""
    mask = np.zeros((80, 120), bool)
    mask[20:60, 30:90] = True
    return mask


@pytest.fixture
def photographed(at_an_angle: Callable[..., np.ndarray]) -> Callable[[Lens | None], np.ndarray]:
    """The plate in a photograph of 200 x 160 pixels."""
    return lambda lens: at_an_angle(np.where(plate(), 255, 0).astype(np.uint8), SEEN, (160, 200), lens)


@pytest.mark.parametrize("lens", [None, LENS])
def test_corners_with_and_without_a_lens_show_the_plate_as_it_is(
    lens: Lens | None, photographed: Callable[[Lens | None], np.ndarray]
) -> None:
    view = View(lens, SEEN, None, (1200, 800), 10.0)
    photo = photographed(lens)
    front = view.of(photo)
    assert (front.mask(photo >= 128) != plate()).mean() < 0.002
    assert front.picture(photo).shape == (80, 120)
    if lens is not None:
        without = replace(view, lens=None).of(photo)
        assert (without.mask(photo >= 128) != plate()).mean() > 0.02


def test_a_lens_alone_keeps_the_size_and_a_plain_view_everything(
    photographed: Callable[[Lens | None], np.ndarray],
) -> None:
    photo = photographed(LENS)
    assert View(LENS).of(photo).picture(photo).shape == photo.shape
    assert not np.array_equal(View(LENS).of(photo).picture(photo), photo)
    assert View().of(photo).picture(photo) is photo
    assert View().is_plain and not View(LENS).is_plain and not View(markers="aruco-4x4").is_plain
    assert not Front().is_known


def test_what_markers_show_is_known_with_its_error(marker_sheet: Callable[..., np.ndarray]) -> None:
    front = View(None, (), "aruco-4x4", (1200, 800)).of(marker_sheet("aruco-4x4"))
    assert front.plane is not None
    assert np.allclose(front.plane.corners[0], (50, 50), atol=0.1)
    hidden = front.hidden()
    assert hidden is not None
    assert hidden[0, 0] and not hidden[400, 600]
    assert front.facts()["marker_error_mm"] < 0.5
    assert "The markers are squares to within" in told([front])


def test_the_error_of_the_fit_and_of_the_calibration_is_told() -> None:
    front = Front(LENS, Plane(SEEN, 1200, 800, 10.0, LENS))
    said = told([front])
    assert "an error of one pixel in a corner moves the plan by up to" in said
    assert "it was calibrated to 0.25 pixels" in said
    assert front.facts()["lens"] == {"reprojection_error_px": 0.25}
    assert front.facts()["mm_per_pixel"] == 10
    assert told([Front()]) == ""
