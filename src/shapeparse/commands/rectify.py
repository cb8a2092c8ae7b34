"""``shapeparse rectify``: photographs taken at an angle, from the front, as files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

EXAMPLES = """
  shapeparse rectify a.jpg --corners 9,8 99,9 98,70 8,69 --size 60x40mm --out p
  shapeparse rectify photos --markers aruco-4x4 --size 1200x800mm --out flat
  shapeparse rectify photos --lens camera.yml --out flat
"""


@dataclass(frozen=True)
class Args:
    """Show photographs that were taken at an angle from the front.

    For `label`, `parse`, `train` and `edit`, which know of no corners; `paint --scale` takes their trees. Each pixel
    is equally large on the object. A file that cannot be used is named at the end and does not stop the others; the
    exit code is then 2.
    """

    images: Positional[Annotated[tuple[Path, ...], arg(metavar="IMAGE [IMAGE ...]", help_behavior_hint="")]]
    """Photographs, or folders of them."""
    out: Annotated[Path, arg(metavar="DIR")]
    """Folder for the rectified photographs (PNG); it is made if need be."""
    corners: Annotated[tuple[str, ...], arg(metavar="X,Y X,Y X,Y X,Y", help_behavior_hint="")] = ()
    """Upper left, upper right, lower right and lower left corner of a rectangle on the object, in pixels of the
    photographs."""
    markers: Annotated[str | None, arg(metavar="FAMILY", help_behavior_hint="")] = None
    """Find them by the markers 0, 1, 2 and 3 of a family, such as aruco-4x4; needs OpenCV (the extra markers)."""
    size: Annotated[str | None, arg(metavar="WxHmm", help_behavior_hint="")] = None
    """How large that rectangle is, as 1200x800mm."""
    lens: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """OpenCV's calibration of the camera (YAML, XML or JSON), to undo the distortion of its lens."""
    scale: Annotated[
        float | None, arg(metavar="MM_PER_PX", help_behavior_hint="(default: as fine as the photograph)")
    ] = None
    """Millimetres per pixel of what is written."""


def run(args: Args) -> int:
    """Write the photographs from the front, and say how large a pixel is and how well that is known."""
    from ..data.images import read_image
    from ..painting.view import told
    from ..pictures.overlay import write_png
    from ..support import files, progress
    from ..support.errors import UserError
    from ..support.text import one_line
    from .inputs import plan, refuse_overwriting
    from .viewing import scale_of_markers, view_of

    view = view_of(args)
    if view.is_plain:
        raise UserError("Nothing says how the photographs were taken; give --corners or --markers, or a --lens.")
    jobs, problems = plan(args.images, None)
    if view.markers is not None and view.pixel is None:
        view = replace(view, pixel=scale_of_markers([job.path for job in jobs], view))
    outputs = [args.out / f"{job.name}.png" for job in jobs]
    refuse_overwriting(outputs, jobs)
    files.make_folder(args.out)
    fronts, reasons = [], [problem.reason for problem in problems]
    for job, output in zip(jobs, outputs, strict=True):
        try:
            photo = read_image(job.path)
            front = view.of(photo)
            found = front.picture(photo)
        except UserError as error:
            reasons.append(f"{one_line(job.path)}: {error}")
        else:
            write_png(output, found)
            fronts.append(front)
    if fronts:
        print(told(fronts))
        print(f"{len(fronts)} of {len(fronts) + len(reasons)} written to {one_line(args.out)}.")
    for reason in reasons:
        progress.complain(reason)
    return 2 if reasons else 0
