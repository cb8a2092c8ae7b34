"""Sound files of every kind that shapeparse reads, small so that thousands of damaged copies take minutes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from shapeparse import decompose
from shapeparse.data.generator import generate
from shapeparse.data.label_studio import write_tasks

WORLD = b"0.5\n0\n0\n-0.5\n1000.25\n1999.75\n"
ZONE = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {},
            "geometry": {"type": "Polygon", "coordinates": [[[4, 4], [20, 4], [20, 18.5], [4, 18.5], [4, 4]]]},
        }
    ],
}
SVG_ZONE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">
<rect x="2" y="3" width="10" height="8"/><polygon points="20,20 40,22 30,40"/><path d="M 5 30 L 12 30 L 9 44 Z"/>
</svg>
"""


@dataclass(frozen=True)
class Kind:
    """A kind of file, and how it is given to a command."""

    name: str
    count: int
    """Damaged files of it."""
    prepare: Callable[[Path, Path, list[bytes]], list[str]]
    """Given a folder to work in, the folder of sound files, and damaged contents: the command line."""
    at_a_time: int = 1
    is_text: bool = True


def _images(command: str, suffix: str) -> Callable[[Path, Path, list[bytes]], list[str]]:
    def prepare(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
        paths = [here / f"{place}{suffix}" for place in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        model = ["--model", str(seeds / "run")] if command == "parse" else []
        return [command, *map(str, paths), *model, "--formats", "json", "--out", str(here / "out")]

    return prepare


def _worlds(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
    words = []
    for place, content in enumerate(contents):
        shutil.copy(seeds / "tree" / "door.json", here / f"{place}.json")
        (here / f"{place}.pgw").write_bytes(content)
        words.append(str(here / f"{place}.json"))
    return ["paint", *words, "--formats", "geojson", "csv", "--out", str(here / "out")]


def _coco(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
    (here / "coco.json").write_bytes(contents[0])
    shutil.copy(seeds / "png" / "photo.png", here / "photo.png")
    return ["data", "check", str(here / "coco.json")]


def _label_studio(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
    (here / "tasks.json").write_bytes(contents[0])
    return ["data", "convert", str(here / "tasks.json"), "--to", "folder", "--out", str(here / "out")]


def _zone(suffix: str) -> Callable[[Path, Path, list[bytes]], list[str]]:
    def prepare(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
        zone = here / f"zone{suffix}"
        zone.write_bytes(contents[0])
        words = ["--keep-out", str(zone), "--plan", "rows", "--coverage", "0.1", "--out", str(here / "out")]
        return ["paint", str(seeds / "png" / "mask.png"), "--formats", "csv", *words]

    return prepare


def _in_run(name: str) -> Callable[[Path, Path, list[bytes]], list[str]]:
    def prepare(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
        shutil.copytree(seeds / "run", here / "run")
        (here / "run" / name).write_bytes(contents[0])
        photo = str(seeds / "png" / "photo.png")
        return ["parse", photo, "--model", str(here / "run"), "--formats", "json", "--out", str(here / "out")]

    return prepare


def _onnx(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
    (here / "parser.onnx").write_bytes(contents[0])
    photo, model = str(seeds / "png" / "photo.png"), str(here / "parser.onnx")
    return ["parse", photo, "--model", model, "--formats", "json", "--out", str(here / "out")]


def _results(here: Path, seeds: Path, contents: list[bytes]) -> list[str]:
    (here / "results.json").write_bytes(contents[0])
    words = ["--methods", "lines", "--folds", "1", "--epochs", "1", "--dry-run"]
    return ["benchmark", "--data", str(seeds / "photos"), "--out", str(here), *words]


KINDS = (
    Kind("png", 320, _images("decompose", ".png"), 20, is_text=False),
    Kind("jpeg", 300, _images("parse", ".jpg"), 20, is_text=False),
    Kind("tiff", 320, _images("decompose", ".tif"), 20, is_text=False),
    Kind("webp", 300, _images("parse", ".webp"), 20, is_text=False),
    Kind("bmp", 200, _images("decompose", ".bmp"), 20, is_text=False),
    Kind("tree", 300, _images("paint", ".json"), 20),
    Kind("world", 200, _worlds, 20),
    Kind("coco", 100, _coco),
    Kind("label-studio", 60, _label_studio),
    Kind("geojson", 60, _zone(".geojson")),
    Kind("svg", 60, _zone(".svg")),
    Kind("config", 100, _in_run("config.json")),
    Kind("weights", 60, _in_run("model.safetensors"), is_text=False),
    Kind("onnx", 24, _onnx, is_text=False),
    Kind("results", 40, _results),
)


def make_seeds(folder: Path) -> Path:
    """Make the sound files: a folder for every kind, a run folder, and photographs with masks."""
    photo, mask = generate(0, 0, 48)
    for kind in KINDS:
        (folder / kind.name).mkdir()
    for name, suffix in (("png", "png"), ("jpeg", "jpg"), ("tiff", "tif"), ("webp", "webp"), ("bmp", "bmp")):
        Image.fromarray(photo).save(folder / name / f"photo.{suffix}")
        Image.fromarray(mask.astype(np.uint8) * 255).save(folder / name / f"mask.{suffix}")
    Image.fromarray(photo).save(folder / "tiff" / "packed.tif", compression="tiff_lzw")
    Image.fromarray(photo).quantize(16).save(folder / "png" / "palette.png")
    tree = replace(decompose(mask, rectangles=12), name="door.png")
    tree.save(folder / "tree" / "door.json")
    (folder / "world" / "door.pgw").write_bytes(WORLD)
    (folder / "coco" / "coco.json").write_text(json.dumps(_annotations()))
    write_tasks(folder / "label-studio" / "tasks.json", [("door", "door.png", mask)])
    (folder / "geojson" / "zone.geojson").write_text(json.dumps(ZONE))
    (folder / "svg" / "zone.svg").write_text(SVG_ZONE)
    _make_models(folder)
    _make_results(folder)
    return folder


def _annotations() -> dict[str, object]:
    polygon = [5.0, 5.0, 40.0, 5.0, 40.0, 30.0, 5.0, 30.0]
    lengths = {"size": [48, 48], "counts": [100, 30, 18, 30, 48 * 48 - 178]}
    common = {"image_id": 1, "category_id": 1}
    return {
        "images": [{"id": 1, "file_name": "photo.png", "width": 48, "height": 48}],
        "categories": [{"id": 1, "name": "panel"}],
        "annotations": [
            {"id": 1, "segmentation": [polygon], "iscrowd": 0, **common},
            {"id": 2, "segmentation": lengths, "iscrowd": 1, **common},
        ],
    }


def _make_models(folder: Path) -> None:
    """A run folder of a network that is far too small, and the same as an ONNX file."""
    from shapeparse.learning.data import TrainingData
    from shapeparse.learning.settings import TrainSettings
    from shapeparse.learning.trainer import Trainer
    from shapeparse.networks.presets import PRESETS
    from shapeparse.parsing.load import load
    from shapeparse.parsing.onnx_file import export_onnx

    usual = PRESETS["fast"]
    PRESETS["fast"] = replace(usual, side=32, look=32, widths=(4, 6, 8), channels=4, dense=(16, 16))
    images, masks = (np.stack(several) for several in zip(*(generate(0, place, 32) for place in range(4)), strict=True))
    data = TrainingData(images[:3], masks[:3], images[3:], masks[3:])
    Trainer(TrainSettings("bc", "fast", epochs=1, depth=3), data, folder / "run").run()
    export_onnx(load(folder / "run"), folder / "onnx" / "parser.onnx")
    PRESETS["fast"] = usual
    shutil.copy(folder / "run" / "config.json", folder / "config" / "config.json")
    shutil.copy(folder / "run" / "model.safetensors", folder / "weights" / "model.safetensors")


def _make_results(folder: Path) -> None:
    """The record of a benchmark of the lines that need no learning."""
    from shapeparse.benchmark.job import run_job
    from shapeparse.benchmark.plan import Job, Plan
    from shapeparse.benchmark.record import Record
    from shapeparse.data.source import Source
    from shapeparse.networks.presets import preset_named

    for place in range(6):
        photo, mask = generate(0, place, 48)
        for name, pixels in (("images", photo), ("masks", mask.astype(np.uint8) * 255)):
            (folder / "photos" / name).mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(folder / "photos" / name / f"{place}.png")
    loaded = Source(str(folder / "photos")).read(preset_named("fast").side)
    plan = Plan.of("photos", loaded, 1, None, 1)
    record = Record(folder / "record")
    results = record.start(plan)
    results["runs"] = run_job(plan, Job("lines", 0, "fast"), loaded, folder / "record" / "job")
    record.write(results)
    shutil.copy(record.results_path, folder / "results" / "results.json")
