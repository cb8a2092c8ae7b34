"""Lens distortion: a calibration as OpenCV writes it, and photographs and points without the distortion.

A point (x, y) of the ideal camera, in units of the focal length, is seen at

    x (1 + k1 r2 + k2 r4 + k3 r6) + 2 p1 x y + p2 (r2 + 2 x2),   r2 = x2 + y2,

and y likewise (OpenCV, "Camera Calibration and 3D Reconstruction"). OpenCV counts from the centre of the upper left
pixel, and plans from its corner: half a pixel lies between them.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray
from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line
from .plane import sampled

MOST_BYTES = 1 << 20
CAMERA = ("camera_matrix", "cameraMatrix", "Camera_Matrix", "K")
COEFFICIENTS = ("distortion_coefficients", "dist_coeffs", "distCoeffs", "Distortion_Coefficients", "dist", "D")
"""Names under which the samples of OpenCV, ROS and many scripts keep them."""
ROUNDS = 50
BAND = 256
"""Rows of a photograph that are computed at a time."""


@dataclass(frozen=True)
class Lens:
    """A camera matrix without skew, and five coefficients of distortion."""

    fx: float
    fy: float
    cx: float
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    def distorted(self, points: FloatArray) -> FloatArray:
        """Where the camera sees points (..., 2) of an undistorted photograph, both in its pixels."""
        focal, centre = np.array([self.fx, self.fy]), np.array([self.cx, self.cy]) + 0.5
        return self._bent((points - centre) / focal) * focal + centre

    def undistorted(self, points: FloatArray) -> FloatArray:
        """The inverse: points of the photograph as it was taken, in the undistorted one."""
        focal, centre = np.array([self.fx, self.fy]), np.array([self.cx, self.cy]) + 0.5
        seen = (np.asarray(points, np.float64) - centre) / focal
        found = seen.copy()
        for _ in range(ROUNDS):  # a fixed point, as OpenCV finds it
            found = found - (self._bent(found) - seen)
        if not np.abs(self._bent(found) - seen).max(initial=0.0) < 1e-6:
            raise UserError("The lens distortion cannot be undone so far from the centre; give corners nearer to it.")
        return np.asarray(found * focal + centre)

    def _bent(self, ideal: FloatArray) -> FloatArray:
        x, y = ideal[..., 0], ideal[..., 1]
        r2 = x * x + y * y
        radial = 1 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3))
        return np.stack(
            [
                x * radial + 2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x),
                y * radial + self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y,
            ],
            axis=-1,
        )

    def corrected(self, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """A photograph of the same size without distortion; what the camera did not see is its nearest edge."""
        picture = image.reshape(*image.shape[:2], -1)
        found = np.empty_like(picture)
        for row in range(0, len(picture), BAND):
            last = min(row + BAND, len(picture))
            y, x = np.mgrid[row:last, 0 : picture.shape[1]].astype(np.float64) + 0.5
            found[row:last] = sampled(picture, self.distorted(np.stack([x, y], axis=-1)))
        return found.reshape(image.shape)


def read_lens(path: str | Path) -> Lens:
    """The calibration in a file that ``cv2.FileStorage`` wrote (YAML, XML or JSON)."""
    path = Path(path)
    check_file(path, MOST_BYTES)
    try:
        matrices = _matrices(path.read_text(encoding="utf-8-sig"))
        camera = _named(matrices, CAMERA, (9,))
        distortion = _named(matrices, COEFFICIENTS, (4, 5))
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}: {error.strerror or error}; check its permissions.") from error
    except (ValueError, KeyError, TypeError, RecursionError, ElementTree.ParseError) as error:
        raise UserError(
            f"{one_line(path)} is not a calibration as cv2.FileStorage writes it ({one_line(error)[:80]}); write "
            "camera_matrix (3 x 3) and distortion_coefficients (k1, k2, p1, p2, k3)."
        ) from error
    fx, _, cx, _, fy, cy = camera[:6]
    if not (fx > 0 and fy > 0):
        raise UserError(f"The focal lengths in {one_line(path)} are {fx:g} and {fy:g}; calibrate the camera again.")
    return Lens(fx, fy, cx, cy, *distortion)


def _named(matrices: dict[str, list[float]], names: tuple[str, ...], sizes: tuple[int, ...]) -> list[float]:
    for name in names:
        if name in matrices:
            numbers = matrices[name]
            if len(numbers) not in sizes or not all(map(math.isfinite, numbers)):
                wanted = " or ".join(map(str, sizes))
                raise ValueError(f"{name} has {len(numbers)} numbers, not {wanted} finite ones")
            return numbers
    raise ValueError(f"it has no {names[0]}")


def _matrices(text: str) -> dict[str, list[float]]:
    """All matrices of a file by name."""
    if text.lstrip().startswith("{"):
        content = json.loads(text)
        return {name: _floats(value) for name, value in content.items() if isinstance(value, dict) and "data" in value}
    if text.lstrip().startswith("<"):
        if "<!ENTITY" in text:
            raise ValueError("it has entities")
        root = ElementTree.fromstring(text)
        return {one.tag: [float(word) for word in (one.findtext("data") or "").split()] for one in root}
    # The YAML of FileStorage is regular: a name, then the matrix with its numbers in brackets, over several lines.
    found = re.findall(r"^(\w+):[^\[\]\n]*\n(?:[ \t]+\w+:[^\[\]\n]*\n)*?[ \t]+data:\s*\[([^\]]*)\]", text, re.MULTILINE)
    return {name: [float(word) for word in numbers.split(",")] for name, numbers in found}


def _floats(matrix: dict[str, object]) -> list[float]:
    numbers = matrix["data"]
    if not isinstance(numbers, list):
        raise TypeError("its data are no list")
    return [float(number) for number in numbers]
