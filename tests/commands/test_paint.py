"""``shapeparse paint``: trees and photographs become files for machines, and a broken file stops nobody."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from shapeparse import Actions, Limits, Nodes, ParseTree, Rule, paint
from shapeparse.data.generator import generate
from shapeparse.grammar import expand
from shapeparse.painting import FORMATS
from shapeparse.painting.lens import read_lens

from .conftest import Result, Trained, house, save

Cli = Callable[..., Result]


@pytest.fixture
def trees(cli: Cli, tmp_path: Path) -> Path:
    """A folder as ``decompose`` writes it, of the masks of a house and of a door, which lie beside it."""
    save(tmp_path / "masks" / "house.png", house())
    save(tmp_path / "masks" / "door.png", generate(0, 0, 96)[1])
    assert cli("decompose", tmp_path / "masks", "--out", tmp_path / "trees", "--depth", 5).code == 0
    return tmp_path / "trees"


def summary(out: Path) -> dict:
    return json.loads((out / "plans.json").read_text())


def test_a_folder_of_trees_is_written_in_every_format(
    cli: Cli, trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = Path("plans")
    result = cli("paint", "trees", "--brush", 6, "--mask-dir", "masks", "--out", out)
    assert (result.code, result.sentences) == (0, [])
    expected = {f"{name}.plan{kind.suffix}" for name in ("house", "door") for kind in FORMATS.values()}
    assert {path.name for path in out.iterdir()} == expected | {"plans.json", "plans.csv"}
    assert "2 of 2 planned" in result.out
    for name in ("rectangles", "rows", "cells", "rows, lifted"):
        assert name in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_the_command_and_the_library_agree_and_the_summary_says_what_the_plans_say(
    cli: Cli, trees: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plans"
    words = ("--brush", 6, "--overlap", 0.2, "--margin", 1, "--scale", 2, "--formats", "json")
    assert cli("paint", trees / "door.json", *words, "--mask", tmp_path / "masks" / "door.png", "--out", out).code == 0
    tree = ParseTree.load(trees / "door.json")
    plan = paint(tree, brush=6, overlap=0.2, margin=1, scale=2)
    content = json.loads((out / "door.plan.json").read_text())
    assert content["strokes"] == plan.to_json()["strokes"]
    metrics = plan.metrics(generate(0, 0, 96)[1])
    (row,) = summary(out)["plans"]
    assert {name: row[name] for name in row if name in metrics} == {
        name: value for name, value in metrics.items() if name in row
    }
    assert row["seconds_least"] < row["seconds"] <= row["seconds_rows"]
    (line,) = csv.DictReader((out / "plans.csv").read_text().splitlines())
    assert int(line["strokes"]) == len(plan.strokes)
    assert summary(out)["settings"]["unit"] == "mm"
    assert set(summary(out)["ways"]) == {"rectangles", "rows", "cells", "rows, lifted", "chosen"}


@pytest.mark.parametrize(("typed", "pixels"), [("12", 12), ("12px", 12), ("60mm", 12), ("0.06m", 12), (" 60 mm ", 12)])
def test_lengths_may_have_a_unit(cli: Cli, trees: Path, tmp_path: Path, typed: str, pixels: float) -> None:
    out = tmp_path / "plans"
    words = ("--brush", typed, "--scale", 5, "--formats", "json", "--out", out)
    assert cli("paint", trees / "house.json", *words).code == 0
    assert json.loads((out / "house.plan.json").read_text())["settings"]["brush"] == pytest.approx(pixels)


def test_photographs_are_parsed_by_a_trained_parser(cli: Cli, trained: Trained) -> None:
    result = cli("paint", "photos/images", "--model", "run", "--mask-dir", "photos/masks", "--brush", 5, "--out", "out")
    assert (result.code, result.sentences) == (0, [])
    assert len(summary(Path("out"))["plans"]) == 8
    assert "data:image/jpeg" in next(Path("out").glob("*.svg")).read_text()
    assert summary(Path("out"))["plans"][0]["coverage"] is not None


def test_photographs_are_parsed_where_the_user_says(cli: Cli, trained: Trained) -> None:
    result = cli("paint", "photos/images", "--model", "run", "--device", "abacus", "--out", "out")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "There is no device 'abacus'" in result.err


def test_a_georeferenced_tree_is_written_in_its_own_coordinates(cli: Cli, trees: Path, tmp_path: Path) -> None:
    (trees / "house.pgw").write_text("0.5\n0\n0\n-0.5\n1000.25\n1999.75\n")
    words = ("--brush", 6, "--formats", "geojson", "csv", "gcode", "--crs", "EPSG:25832", "--out", tmp_path / "plans")
    assert cli("paint", trees / "house.json", *words).code == 0
    content = json.loads((tmp_path / "plans" / "house.plan.geojson").read_text())
    ring = content["features"][0]["geometry"]["coordinates"][0]
    assert ring[0] == ring[-1] == [1000, 2000]
    assert max(x for x, _ in ring) == 1024
    rows = list(csv.DictReader((tmp_path / "plans" / "house.plan.csv").read_text().splitlines()))
    assert all(1000 < float(row["x"]) < 1024 and 1984 < float(row["y"]) < 2000 for row in rows)


def test_commands_of_the_brush(cli: Cli, trees: Path, tmp_path: Path) -> None:
    words = ("--brush-up", "M5", "--brush-down", "M3 S90", "G4 P0.2", "--formats", "gcode", "--out", tmp_path / "plans")
    assert cli("paint", trees / "house.json", *words).code == 0
    lines = (tmp_path / "plans" / "house.plan.gcode").read_text().splitlines()
    assert lines.count("M5") == lines.count("M3 S90") + 1
    assert lines.count("G4 P0.2") == lines.count("M3 S90")


BROKEN = {
    "empty.json": (b"", "is empty"),
    "text.json": (b"hello", "is not JSON"),
    "other.json": (b'{"format": "shapeparse-plan", "version": 1}', "shapeparse-tree"),
    "nested.json": (b"[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_tree_is_one_sentence_and_does_not_stop_the_others(
    cli: Cli, trees: Path, tmp_path: Path, name: str
) -> None:
    content, complaint = BROKEN[name]
    bad, out = tmp_path / name, tmp_path / "plans"
    bad.write_bytes(content)
    result = cli("paint", bad, trees / "house.json", tmp_path / "missing.json", "--formats", "json", "--out", out)
    assert result.code == 2
    assert len(result.sentences) == 2
    assert complaint in result.sentences[0]
    assert "1 of 3 planned" in result.out
    assert (out / "house.plan.json").exists()
    assert [Path(problem["file"]).name for problem in summary(out)["problems"]] == [name, "missing.json"]


def test_a_brush_that_is_too_small_for_one_tree_does_not_stop_the_others(cli: Cli, tmp_path: Path) -> None:
    save(tmp_path / "masks" / "large.png", np.ones((3000, 3000), bool))
    save(tmp_path / "masks" / "small.png", house())
    cli("decompose", tmp_path / "masks", "--out", tmp_path / "trees", "--formats", "json")
    result = cli("paint", tmp_path / "trees", "--brush", 0.1, "--formats", "csv", "--out", tmp_path / "out")
    assert result.code == 2
    assert "wider brush" in result.sentences[0]
    assert "1 of 2 planned" in result.out


WRONG = {
    "nan brush": (("--brush", "nan"), "brush is nan"),
    "negative brush": (("--brush=-3",), "brush is -3.0"),
    "brush in words": (("--brush", "wide"), "--brush is 'wide'"),
    "millimetres without a scale": (("--brush", "5mm"), "give --scale"),
    "unit without a scale": (("--unit", "m"), "give a scale"),
    "negative margin": (("--margin=-1",), "margin is -1.0"),
    "overlap of one": (("--overlap", "1"), "overlap is 1.0"),
    "no such mask folder": (("--mask-dir", "nowhere"), "is not a folder"),
    "no such world file": (("--world", "nowhere.jgw"), "There is no"),
    "crs": (("--crs", "WGS84"), "EPSG:25832"),
    "brush up": (("--brush-up", "M5\nM112"), "Brush up"),
    "threshold": (("--threshold", "7"), "threshold"),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_option_that_cannot_be_is_one_sentence(cli: Cli, trees: Path, tmp_path: Path, case: str) -> None:
    words, complaint = WRONG[case]
    result = cli("paint", trees / "house.json", *words, "--out", tmp_path / "out")
    (sentence,) = result.sentences
    assert result.code == 2
    assert complaint in sentence
    assert not (tmp_path / "out").exists()


def test_a_brush_larger_than_the_part_is_refused(cli: Cli, trees: Path, tmp_path: Path) -> None:
    result = cli("paint", trees / "house.json", "--brush", "500px", "--out", tmp_path / "out")
    assert result.code == 2
    assert "larger than the part" in result.sentences[0]


def test_masks_that_do_not_fit_are_named(cli: Cli, trees: Path, tmp_path: Path) -> None:
    (tmp_path / "masks" / "door.png").unlink()
    save(tmp_path / "masks" / "house.png", np.zeros((5, 5), bool))
    result = cli("paint", trees, "--mask-dir", tmp_path / "masks", "--out", tmp_path / "out")
    assert result.code == 2
    assert "has no mask of the same name" in result.sentences[0]
    assert "has 5 x 5" in result.sentences[1]
    several = cli("paint", trees, "--mask", tmp_path / "masks" / "house.png", "--out", tmp_path / "out")
    assert "give --mask-dir for several" in several.sentences[0]


def test_plans_go_beside_the_trees_twice_over_and_replace_nothing_of_theirs(cli: Cli, trees: Path) -> None:
    before = {path.name: path.read_bytes() for path in trees.iterdir()}
    for _ in range(2):  # the second time plans lie beside the trees, and are not taken for trees
        assert cli("paint", trees, "--out", trees).code == 0
        assert [row["name"] for row in summary(trees)["plans"]] == ["door", "house"]
    assert {name: (trees / name).read_bytes() for name in before} == before


def test_a_file_of_somebody_else_is_never_replaced(cli: Cli, trees: Path) -> None:
    drawing = trees / "house.plan.svg"
    drawing.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    result = cli("paint", trees, "--out", trees)
    assert result.code == 2
    assert "is another kind of file and is not replaced" in result.sentences[0]
    assert drawing.read_text() == '<svg xmlns="http://www.w3.org/2000/svg"/>'
    assert not (trees / "door.plan.json").exists()


def test_nothing_given(cli: Cli, tmp_path: Path) -> None:
    assert "Nothing was given" in cli("paint", "--out", tmp_path / "out").sentences[0]


def test_thousands_of_rectangles_are_planned_in_seconds(cli: Cli, tmp_path: Path) -> None:
    rng, depth = np.random.default_rng(0), 11

    def halves(nodes: Nodes) -> Actions:
        labels = rng.integers(Rule.PAINT, Rule.SKIP + 1, len(nodes))
        return Actions.at_locations(
            nodes, np.where(nodes.depth < depth, nodes.depth % 2, labels), np.full(len(nodes), 0.5)
        )

    expand([(1024, 512)], halves, Limits(depth)).trees()[0].save(tmp_path / "fine.json")
    start = process_time()
    assert cli("paint", tmp_path / "fine.json", "--brush", 6, "--margin", 0.5, "--out", tmp_path / "out").code == 0
    assert process_time() - start < 40
    (row,) = summary(tmp_path / "out")["plans"]
    assert row["strokes"] > 1000
    assert row["seconds"] < 0.8 * row["seconds_rows"]


# ---- photographs taken at an angle -----------------------------------------------------------------------------------

SEEN = ((30, 20), (180, 40), (165, 140), (15, 120))
LENS = """%YAML:1.0
---
image_width: 200
image_height: 160
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 300., 0., 99.5, 0., 300., 79.5, 0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ -0.3, 0.05, 0., 0., 0. ]
avg_reprojection_error: 0.25
"""


def test_a_photograph_through_a_lens_at_an_angle_is_planned_on_the_plane(
    cli: Cli, tmp_path: Path, at_an_angle: Callable[..., np.ndarray]
) -> None:
    (tmp_path / "camera.yml").write_text(LENS)
    flat = np.zeros((80, 120), np.uint8)
    flat[20:60, 30:90] = 255
    save(tmp_path / "plate.png", at_an_angle(flat, SEEN, (160, 200), read_lens(tmp_path / "camera.yml")))
    corners = [f"{x:g},{y:g}" for x, y in SEEN]
    words = ("--corners", *corners, "--size", "1200x800mm", "--scale", 10, "--brush", "100mm", "--formats", "json")
    plane = cli("paint", tmp_path / "plate.png", *words, "--lens", tmp_path / "camera.yml", "--out", tmp_path / "a")
    assert (plane.code, plane.sentences) == (0, [])
    assert "calibrated to 0.25 pixels" in plane.out
    facts = summary(tmp_path / "a")["planes"]["plate"]
    assert facts["lens"] == {"reprojection_error_px": 0.25}
    content = json.loads((tmp_path / "a" / "plate.plan.json").read_text())
    xs = [10 * stroke[name] for stroke in content["strokes"] for name in ("x1", "x2")]
    ys = [10 * stroke[name] for stroke in content["strokes"] for name in ("y1", "y2")]
    assert np.allclose([min(xs), max(xs), min(ys), max(ys)], [350, 850, 250, 550], atol=12)  # 300 to 900, 200 to 600
    alone = cli("paint", tmp_path / "plate.png", "--lens", tmp_path / "camera.yml", "--out", tmp_path / "b")
    assert "The distortion of the lens is undone" in alone.out
    other = save(tmp_path / "other.png", house())
    assert "200 x 160" in cli("paint", other, "--lens", tmp_path / "camera.yml", "--out", tmp_path / "c").sentences[0]


def test_trees_and_masks_are_not_what_markers_and_lenses_are_for(cli: Cli, trees: Path, tmp_path: Path) -> None:
    words = ("--corners", "0,0", "9,0", "9,9", "0,9", "--size", "90x90mm", "--out", tmp_path / "out")
    assert "are for photographs" in cli("paint", trees / "house.json", *words).sentences[0]
    marked = ("--markers", "aruco-4x4", "--size", "90x90mm", "--scale", 1, "--out", tmp_path / "out")
    assert "is a mask" in cli("paint", tmp_path / "masks" / "house.png", *marked).sentences[0]


def test_a_photograph_with_markers_is_planned_around_them(
    cli: Cli, trained: Trained, marker_sheet: Callable[..., np.ndarray]
) -> None:
    save(Path("sheet.png"), marker_sheet("aruco-4x4"))
    words = ("--markers", "aruco-4x4", "--size", "1200x800mm", "--input", "photo", "--brush", "80mm", "--model", "run")
    result = cli("paint", "sheet.png", *words, "--out", "out")
    assert (result.code, result.sentences) == (0, [])
    assert "squares to within" in result.out
    assert summary(Path("out"))["planes"]["sheet"]["marker_error_mm"] < 1


# ---- the plate, and what cannot be -----------------------------------------------------------------------------------


def test_the_default_commands_paint_all_of_a_plate_with_a_window_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    save(tmp_path / "plate.png", plate())
    assert cli("paint", tmp_path / "plate.png", "--out", tmp_path / "mask").code == 0
    assert cli("decompose", tmp_path / "plate.png", "--out", tmp_path / "tree").code == 0
    assert cli("paint", tmp_path / "tree" / "plate.json", "--out", tmp_path / "plan").code == 0
    for out in ("mask", "plan"):
        (row,) = summary(tmp_path / out)["plans"]
        assert row["coverage"] == pytest.approx(1)
        assert row["waste"] == pytest.approx(0, abs=1e-9)


def plate() -> np.ndarray:
    """A plate with one rectangular window."""
    mask = np.zeros((100, 150), bool)
    mask[10:90, 15:135] = True
    mask[35:60, 50:90] = False
    return mask


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--corners", "0,0", "99,99", "99,0", "0,99", "--size", "9x9mm"), "cross"),
        (("--keep-out", "all.png"), "Nothing of"), (("--brush", "200px"), "larger than the part"),
        (("--keep-out", "grid.png", "--brush", "25px"), "cannot be reached"),
    ],
)  # fmt: skip
def test_what_no_plan_can_do_is_one_sentence(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    save(Path("plate.png"), plate())
    save(Path("all.png"), np.ones((100, 150), bool))
    grid = np.zeros((100, 150), bool)
    grid[:, [40, 60, 100]] = True  # a strip that the brush does not fit into
    save(Path("grid.png"), grid)
    result = cli("paint", "plate.png", *words, "--out", "out")
    (sentence,) = result.sentences
    assert result.code == 2
    assert said in sentence
    assert sentence.count(". ") == 0
