"""How photographs were taken, and what they show from the front: lens, corners or markers, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..grammar import BoolArray
from .lens import Lens
from .markers import Family, Marked, find_plane
from .plane import Plane
from .sampling import Picture


@dataclass(frozen=True)
class View:
    """How photographs were taken: a plane by its corners or its markers, and the lens; or none of them."""

    lens: Lens | None = None
    corners: tuple[tuple[float, float], ...] = ()
    """The same in all photographs."""
    markers: Family | None = None
    """Found in each photograph."""
    size: tuple[float, float] = (0.0, 0.0)
    """Width and height of the rectangle, in millimetres."""
    pixel: float | None = None
    """Millimetres per pixel of rectified photographs."""

    @property
    def is_plain(self) -> bool:
        """Whether photographs stay as they are."""
        return self == View(pixel=self.pixel, size=self.size)

    @property
    def plane(self) -> Plane | None:
        """The plane that the corners give."""
        return Plane(self.corners, *self.size, self.pixel, self.lens) if self.corners else None

    def of(self, photo: Picture) -> Front:
        """What is known of a photograph."""
        if self.markers is None:
            return Front(self.lens, self.plane)
        marked = find_plane(photo, self.markers, *self.size, self.pixel, self.lens)
        return Front(self.lens, marked.plane, marked)


@dataclass(frozen=True, eq=False)
class Front:
    """One photograph's view of its plane."""

    lens: Lens | None = None
    plane: Plane | None = None
    marked: Marked | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a plane or a lens at all."""
        return self.plane is not None or self.lens is not None

    def picture(self, image: Picture) -> Picture:
        """The photograph, or a picture of the same size that belongs to it, from the front."""
        if self.plane is not None:
            return self.plane.rectified(image)
        return image if self.lens is None else self.lens.corrected(image)

    def mask(self, mask: BoolArray) -> BoolArray:
        """The same for a mask."""
        return self.picture(np.where(mask, 255, 0).astype(np.uint8)) >= 128 if self.is_known else mask

    def hidden(self) -> BoolArray | None:
        """What markers hide, from the front."""
        return None if self.marked is None else self.marked.covered()

    def facts(self) -> dict[str, Any]:
        """What summaries say of it."""
        lens = None if self.lens is None else {"reprojection_error_px": self.lens.error}
        if self.plane is None:
            return {"lens": lens}
        return {
            "corners": self.plane.corners,
            "width_mm": self.plane.width,
            "height_mm": self.plane.height,
            "mm_per_pixel": self.plane.scale,
            "mm_per_pixel_of_corner_error": self.plane.sensitivity(),
            "marker_error_mm": None if self.marked is None else self.marked.error,
            "lens": lens,
        }


def told(fronts: list[Front]) -> str:
    """The planes of photographs, and how well they are known, in sentences; the worst of several."""
    planes = [front.plane for front in fronts if front.plane is not None]
    said = ""
    if planes:
        first, most = planes[0], max(plane.sensitivity() for plane in planes)
        said += (
            f" The plane is {first.width:g} x {first.height:g} mm, {first.scale:.4g} mm per pixel; an error of one "
            f"pixel in a corner moves the plan by up to {most:.3g} mm."
        )
    errors = [front.marked.error for front in fronts if front.marked is not None]
    if errors:
        said += f" The markers are squares to within {max(errors):.2g} mm (root mean square)."
    lens = next((front.lens for front in fronts if front.lens is not None), None)
    if lens is not None:
        error = "" if lens.error is None else f"; it was calibrated to {lens.error:.3g} pixels"
        said += f" The distortion of the lens is undone{error}."
    return said.strip()
