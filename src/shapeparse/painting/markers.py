"""Markers that show a plane: four ArUco markers or AprilTags on the object, found by OpenCV.

The centres of the markers 0, 1, 2 and 3 are the upper left, upper right, lower right and lower left corner of a
rectangle of known size. A marker's centre is where its diagonals cross, which it is from every angle, and whichever way
the marker is turned. Each marker is known to be a square, so there is more than the plane needs: how far the markers
are from squares on the plane is the error of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..grammar import BoolArray, FloatArray
from ..support.errors import UserError
from .lens import Lens
from .plane import Plane
from .sampling import Picture
from .zones import drawn

Family = Literal["aruco-4x4", "aruco-5x5", "aruco-6x6", "apriltag-16h5", "apriltag-25h9", "apriltag-36h11"]
DICTIONARIES: dict[Family, str] = {
    "aruco-4x4": "DICT_4X4_50", "aruco-5x5": "DICT_5X5_50", "aruco-6x6": "DICT_6X6_50",
    "apriltag-16h5": "DICT_APRILTAG_16h5", "apriltag-25h9": "DICT_APRILTAG_25h9",
    "apriltag-36h11": "DICT_APRILTAG_36h11",
}  # fmt: skip
"""What OpenCV calls them; only the markers 0 to 3 are used."""
PLACES = ("upper left", "upper right", "lower right", "lower left")


@dataclass(frozen=True, eq=False)
class Marked:
    """A plane that markers show."""

    plane: Plane
    outlines: FloatArray
    """(4, 4, 2): the corners of the four markers, in pixels of the rectified photograph."""

    @property
    def error(self) -> float:
        """How far the corners of the markers are from those of squares on the plane: millimetres, root mean square."""
        points = self.outlines[..., 0] + 1j * self.outlines[..., 1]
        arms = (points - points.mean(axis=1, keepdims=True)) * 1j ** -np.arange(4)  # all alike, if it is a square
        apart = arms - arms.mean(axis=1, keepdims=True)
        return float(np.sqrt((np.abs(apart) ** 2).mean()) * self.plane.scale)

    def covered(self) -> BoolArray:
        """The pixels of the rectified photograph that the markers hide."""
        return drawn([[outline] for outline in self.outlines], self.plane.shape)


def find_plane(
    photo: Picture, family: Family, width: float, height: float, pixel: float | None = None, lens: Lens | None = None
) -> Marked:
    """The plane of the markers in a photograph; the centres span ``width`` x ``height`` millimetres."""
    outlines = find_markers(photo, family)
    ideal = outlines if lens is None else lens.undistorted(outlines)
    centres = np.array([crossing(outline) for outline in ideal])
    seen = centres if lens is None else lens.distorted(centres)
    plane = Plane(tuple((x, y) for x, y in seen.tolist()), width, height, pixel, lens)
    return Marked(plane, plane.on_plane(outlines))


def find_markers(photo: Picture, family: Family) -> FloatArray:
    """(4, 4, 2): the corners of the markers 0 to 3, clockwise, in pixels of the photograph."""
    cv2 = opencv()
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_CONTOUR  # four times as exact as subpixels, in our tests
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARIES[family]))
    found, numbers, _ = cv2.aruco.ArucoDetector(dictionary, options).detectMarkers(
        cv2.cvtColor(np.ascontiguousarray(photo), cv2.COLOR_RGB2GRAY)
    )
    names = [] if numbers is None else np.ravel(numbers).tolist()
    for number, place in enumerate(PLACES):
        if names.count(number) != 1:
            seen = "not" if number not in names else "more than once"
            raise UserError(
                f"The {family} marker {number} ({place}) is {seen} to be seen; show 0, 1, 2 and 3 once each, clockwise "
                "from the upper left, with a white border, or give --corners."
            )
    corners = [np.reshape(found[names.index(number)], (4, 2)) for number in range(4)]
    return np.array(corners, np.float64) + 0.5  # OpenCV counts from the centre of the first pixel


def crossing(outline: FloatArray) -> FloatArray:
    """Where the diagonals of four corners cross."""
    a, b, c, d = outline
    along, share = np.array([c - a, b - d]).T, b - a
    return np.asarray(a + (c - a) * np.linalg.solve(along, share)[0])


def opencv() -> Any:
    """The module, which comes with an extra."""
    try:
        import cv2
    except ImportError as error:
        raise UserError("Finding markers needs OpenCV; install it with `pip install 'shapeparse[markers]'`.") from error
    return cv2
