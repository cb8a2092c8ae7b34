"""From a photograph at an angle to a robot's plan: what docs/painting-example.md shows.

python examples/at_an_angle.py photograph angle     # writes angle/door.png, and angle/truth.png to compare with
python examples/at_an_angle.py correct angle        # corrects angle/parsed/door.json as one would by hand
python examples/at_an_angle.py draw angle PICTURE   # draws all steps side by side
"""

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from shapeparse import ParseTree
from shapeparse.commands.edit import tree_store
from shapeparse.data.generator import generate
from shapeparse.data.images import read_image
from shapeparse.labelling.edits import Rectangle
from shapeparse.painting.plane import Plane
from shapeparse.painting.sampling import resampled
from shapeparse.pictures import overlay

CORNERS = ((190.0, 50.0), (870.0, 120.0), (800.0, 710.0), (110.0, 620.0))
PLANE = Plane(CORNERS, 1200, 1200, pixel=2.0)
"""A rectangle of 1200 x 1200 mm, as the camera sees it."""
HANDLE = {"x": 438, "y": 244, "w": 64, "h": 24}
"""Where a person draws a rectangle over the handle, in pixels of the rectified photograph."""


def photograph(folder: Path) -> None:
    """A car door on a wall, and its true mask from the front."""
    folder.mkdir(parents=True, exist_ok=True)
    photo, mask = generate(seed=1, index=6, size=600)
    wall = np.full((840, 840, 3), (148, 146, 140), np.uint8)
    wall[120:720, 120:720] = photo
    for x, y in ((120, 120), (720, 120), (720, 720), (120, 720)):  # crosses that show the corners
        wall[y - 1 : y + 1, x - 12 : x + 12] = wall[y - 12 : y + 12, x - 1 : x + 1] = (250, 40, 40)
    seen = resampled(wall, (750, 1000), lambda points: PLANE.on_plane(points) + 120, fine=2)
    Image.fromarray(seen).save(folder / "door.png")
    Image.fromarray(mask.astype(np.uint8) * 255).save(folder / "truth.png")


def correct(folder: Path) -> None:
    """What a mouse does on the page of `shapeparse edit`: the handle is skipped. And it is kept out."""
    tree = ParseTree.load(folder / "parsed" / "door.json")
    store = tree_store(tree, "door", folder / "flat" / "door.png", folder / "corrected")
    store.edit(0, Rectangle(**HANDLE, paint=False))
    x, y, w, h = HANDLE.values()
    zone = f'<rect x="{x}" y="{y}" width="{w}" height="{h}"/>'
    (folder / "keep-out.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg">{zone}</svg>')


def draw(folder: Path, picture: Path) -> None:
    """The photograph with its corners, the rectangles before and after the correction, and the strokes."""
    photo, flat = Image.fromarray(read_image(folder / "door.png")), read_image(folder / "flat" / "door.png")
    ImageDraw.Draw(photo).polygon(CORNERS, outline="yellow", width=4)
    trees = [ParseTree.load(folder / name) for name in ("parsed/door.json", "corrected/trees/door.json")]
    drawn = [photo, *(Image.fromarray(overlay(tree, flat)) for tree in trees), strokes(folder, flat)]
    height = 330
    panels = [panel.resize((round(panel.width * height / panel.height), height)) for panel in drawn]
    sheet = Image.new("RGB", (sum(panel.width + 12 for panel in panels) - 12, height), "white")
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, 0))
        left += panel.width + 12
    sheet.save(picture)


def strokes(folder: Path, flat: np.ndarray) -> Image.Image:
    """The way of the brush's centre over the paint: white with the brush down, black with it up."""
    content = json.loads((folder / "plan" / "door.plan.json").read_text())
    picture = Image.fromarray(flat)
    pencil = ImageDraw.Draw(picture)
    before = None
    for stroke in content["strokes"]:
        begin, end = (stroke["x1"], stroke["y1"]), (stroke["x2"], stroke["y2"])
        if before is not None:
            via = [] if stroke["via"] is None else [tuple(stroke["via"])]
            pencil.line([before, *via, begin], fill="white" if via else "black", width=3)
        pencil.line([begin, end], fill="white", width=5)
        before = end
    return picture


if __name__ == "__main__":
    step, place, *rest = sys.argv[1:]
    if step == "draw":
        draw(Path(place), Path(rest[0]))
    else:
        {"photograph": photograph, "correct": correct}[step](Path(place))
