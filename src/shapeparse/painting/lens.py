"""Lens distortion: a calibration as OpenCV writes it, and photographs and points without the distortion.

A point (x, y) of the ideal camera, in units of the focal length, is seen at

    x (1 + k1 r2 + k2 r4 + k3 r6) / (1 + k4 r2 + k5 r4 + k6 r6) + 2 p1 x y + p2 (r2 + 2 x2),   r2 = x2 + y2,

and y likewise (OpenCV, "Camera Calibration and 3D Reconstruction"). OpenCV counts from the centre of the upper left
pixel, and plans from its corner: half a pixel lies between them.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..grammar import FloatArray
from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line
from .sampling import Picture, resampled

MOST_BYTES = 1 << 20
CAMERA = ("camera_matrix", "cameraMatrix", "Camera_Matrix", "K", "mtx")
COEFFICIENTS = ("distortion_coefficients", "dist_coeffs", "distCoeffs", "Distortion_Coefficients", "dist", "D")
"""Names under which the samples of OpenCV, ROS and many scripts keep them."""
WIDTH, HEIGHT = ("image_width", "image_Width"), ("image_height", "image_Height")
ERROR = ("avg_reprojection_error", "Avg_Reprojection_Error", "rms")
FISHEYE = re.compile(r"equidistant|fisheye_model\W+1\b", re.IGNORECASE)
ROUNDS, CLOSE = 50, 1e-9
"""Steps towards a point without distortion, and how close is close enough, in units of the focal length."""

NAMES = ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6")
"""The coefficients, in OpenCV's order."""

Numbers = dict[str, list[float]]
"""Numbers and matrices of a file, by name."""


@dataclass(frozen=True)
class Lens:
    """A camera matrix without skew, and up to eight coefficients of distortion."""

    fx: float
    fy: float
    cx: float
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0
    k5: float = 0.0
    k6: float = 0.0
    size: tuple[int, int] | None = None
    """Width and height of the photographs that it was calibrated with, if the file says so."""
    error: float | None = None
    """How far the calibration's own points were from where the lens puts them, in pixels, if the file says so."""

    def distorted(self, points: FloatArray) -> FloatArray:
        """Where the camera sees points (..., 2) of an undistorted photograph, both in its pixels."""
        focal, centre = np.array([self.fx, self.fy]), np.array([self.cx, self.cy]) + 0.5
        return self._bent((points - centre) / focal) * focal + centre

    def undistorted(self, points: FloatArray) -> FloatArray:
        """The inverse: points of the photograph as it was taken, in the undistorted one."""
        focal, centre = np.array([self.fx, self.fy]), np.array([self.cx, self.cy]) + 0.5
        seen = (np.asarray(points, np.float64) - centre) / focal
        found = seen.copy()
        with np.errstate(all="ignore"):  # what runs away is refused below
            for _ in range(ROUNDS):  # a fixed point, as OpenCV finds it
                apart = self._bent(found) - seen
                if not np.abs(apart).max(initial=0.0) >= CLOSE:
                    break
                found = found - apart
        if not np.abs(apart).max(initial=0.0) < 1e3 * CLOSE:
            raise UserError("The lens distortion cannot be undone so far from the centre; give corners nearer to it.")
        return np.asarray(found * focal + centre)

    def _bent(self, ideal: FloatArray) -> FloatArray:
        x, y = ideal[..., 0], ideal[..., 1]
        r2 = x * x + y * y
        radial = 1 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3))
        radial = radial / (1 + r2 * (self.k4 + r2 * (self.k5 + r2 * self.k6)))
        return np.stack(
            [
                x * radial + 2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x),
                y * radial + self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y,
            ],
            axis=-1,
        )

    def corrected(self, image: Picture) -> Picture:
        """A photograph of the same size without distortion; what the camera did not see is its nearest edge."""
        self.check(image)
        return resampled(image, (image.shape[0], image.shape[1]), self.distorted)

    def check(self, image: Picture) -> None:
        """Raise UserError if the lens was calibrated with photographs of another size."""
        if self.size is not None and self.size != image.shape[1::-1]:
            raise UserError(
                f"The lens was calibrated with photographs of {self.size[0]} x {self.size[1]} pixels, and this one has "
                f"{image.shape[1]} x {image.shape[0]}; give one of that size, or calibrate again."
            )


def read_lens(path: str | Path) -> Lens:
    """The calibration in a file that ``cv2.FileStorage`` wrote (YAML, XML or JSON)."""
    path = Path(path)
    check_file(path, MOST_BYTES)
    try:
        text = path.read_text(encoding="utf-8-sig")
        if FISHEYE.search(text):
            raise ValueError("it is of a fisheye lens")
        return _lens(_numbers(text))
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}: {error.strerror or error}; check its permissions.") from error
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError, ElementTree.ParseError) as error:
        raise UserError(
            f"{one_line(path)} is not a calibration as cv2.FileStorage writes it ({one_line(error)[:80]}); write "
            "camera_matrix (3 x 3) and distortion_coefficients (k1, k2, p1, p2, k3)."
        ) from error


def _lens(found: Numbers) -> Lens:
    fx, skew, cx, down, fy, cy, *last = _named(found, CAMERA, (9,))
    distortion = _named(found, COEFFICIENTS, (4, 5, 8, 12, 14))
    if not (fx > 0 and fy > 0):
        raise ValueError(f"its focal lengths are {fx:g} and {fy:g}")
    if skew or down or last != [0, 0, 1]:
        raise ValueError("its camera matrix is skewed")
    if any(distortion[8:]):
        raise ValueError("it has coefficients of a thin prism or a tilt")
    width, height, error = (
        next((found[name] for name in names if name in found), []) for names in (WIDTH, HEIGHT, ERROR)
    )
    known: dict[str, Any] = dict(zip(NAMES, distortion, strict=False))
    if width and height:
        known["size"] = (int(width[0]), int(height[0]))
    if error and math.isfinite(error[0]):
        known["error"] = error[0]
    return Lens(fx, fy, cx, cy, **known)


def _named(found: Numbers, names: tuple[str, ...], sizes: tuple[int, ...]) -> list[float]:
    for name in names:
        if name in found:
            numbers = found[name]
            if len(numbers) not in sizes or not all(map(math.isfinite, numbers)):
                wanted = " or ".join(map(str, sizes))
                raise ValueError(f"{name} has {len(numbers)} numbers, not {wanted} finite ones")
            return numbers
    raise ValueError(f"it has no {names[0]}")


def _numbers(text: str) -> Numbers:
    """All numbers and matrices of a file."""
    if text.lstrip().startswith("{"):
        found = {name: _floats(value) for name, value in json.loads(text).items()}
    elif text.lstrip().startswith("<"):
        if "<!ENTITY" in text:
            raise ValueError("it has entities")
        found = {one.tag: _words(one.findtext("data") or one.text or "") for one in ElementTree.fromstring(text)}
    else:
        # The YAML of FileStorage is regular: a name with a number, or with a matrix whose numbers are in brackets, over
        # several lines. No number has a colon, so a bracket that is never closed is not looked for to the end.
        matrix = r"^(\w+):[^\[\]\n]*\n(?:[ \t]+\w+:[^\[\]\n]*\n)*?[ \t]+data:\s*\[([^\[\]:]*)\]"
        scalar = r"^(\w+):[ \t]*([-+.\deE]+)[ \t]*$"
        found = {
            name: _words(numbers.replace(",", " "))
            for pattern in (scalar, matrix)
            for name, numbers in re.findall(pattern, text, re.MULTILINE)
        }
    return {name: numbers for name, numbers in found.items() if numbers}


def _words(text: str) -> list[float]:
    """The numbers that a text consists of; none if it is another text."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def _floats(value: object) -> list[float]:
    numbers = value.get("data") if isinstance(value, dict) else [value]
    plain = isinstance(numbers, list) and all(isinstance(number, int | float) for number in numbers)
    return [float(number) for number in numbers] if isinstance(numbers, list) and plain else []
