"""``shapeparse decompose``: what it writes and prints for sound masks."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree
from shapeparse.data.images import read_mask
from shapeparse.support.files import kind_of

from .conftest import Result, house, save

Cli = Callable[..., Result]


def test_writes_a_tree_an_overlay_an_svg_and_the_summaries(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = cli("decompose", mask_file, "--out", out)
    assert (result.code, result.sentences) == (0, [])
    assert {path.name for path in out.iterdir()} == {
        "house.json", "house.png", "house.svg", "summary.csv", "summary.json",
    }  # fmt: skip
    tree = ParseTree.load(out / "house.json")
    assert tree.name == "house.png"
    assert tree.accuracy(read_mask(mask_file)) == 1


def test_the_summary_holds_what_the_tree_says(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    cli("decompose", mask_file, "--out", tmp_path / "out", "--depth", 1)
    tree = ParseTree.load(tmp_path / "out" / "house.json")
    scores = tree.scores(house())
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    [row] = summary["masks"]
    assert row["accuracy"] == summary["mean"]["accuracy"] == scores.accuracy
    assert (row["coverage"], row["waste"], row["iou"]) == (scores.coverage, scores.waste, scores.iou)
    assert (row["rectangles"], row["merged"]) == (tree.leaf_count, len(tree.segments(merge=True)))
    assert summary["settings"]["depth"] == 1
    [line] = csv.DictReader((tmp_path / "out" / "summary.csv").open())
    assert float(line["accuracy"]) == pytest.approx(scores.accuracy, abs=1e-6)


def test_only_the_formats_asked_for(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    cli("decompose", mask_file, "--out", tmp_path / "out", "--formats", "svg", "svg")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"house.svg", "summary.csv", "summary.json"}


def test_the_figure_is_written_as_png_and_svg(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    cli("decompose", mask_file, "--out", tmp_path / "out", "--formats", "json", "--figure")
    assert (tmp_path / "out" / "house-derivation.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "out" / "house-derivation.svg").read_text()


def test_a_folder_stands_for_the_images_in_it_each_once(cli: Cli, tmp_path: Path) -> None:
    for name in ("b10.png", "b9.png", ".hidden.png"):
        save(tmp_path / "masks" / name, house())
    (tmp_path / "masks" / "notes.txt").write_text("not a mask")
    result = cli("decompose", tmp_path / "masks", tmp_path / "masks" / "b9.png", "--out", tmp_path / "out")
    names = [row["name"] for row in json.loads((tmp_path / "out" / "summary.json").read_text())["masks"]]
    assert (result.code, names) == (0, ["b9", "b10"])


def test_the_overlay_is_drawn_on_the_photograph(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    save(tmp_path / "photos" / "house.jpg", np.full((32, 48, 3), (20, 200, 20), np.uint8))
    cli("decompose", mask_file, "--out", tmp_path / "on-photo", "--image-dir", tmp_path / "photos")
    cli("decompose", mask_file, "--out", tmp_path / "on-mask")
    on_photo, on_mask = (np.array(Image.open(tmp_path / name / "house.png")) for name in ("on-photo", "on-mask"))
    assert not np.array_equal(on_photo, on_mask)
    assert ParseTree.load(tmp_path / "on-photo" / "house.json").name == "house.jpg"


def test_masks_of_one_name_get_files_of_their_own(cli: Cli, tmp_path: Path) -> None:
    masks = [save(tmp_path / folder / "a.png", house(48 + 8 * place)) for place, folder in enumerate("xyz")]
    assert cli("decompose", *masks, "--out", tmp_path / "out", "--formats", "json").code == 0
    widths = [ParseTree.load(tmp_path / "out" / f"{name}.json").width for name in ("a", "a-2", "a-3")]
    assert widths == [48, 56, 64]


def test_a_mask_called_summary_does_not_cost_the_summary(cli: Cli, tmp_path: Path) -> None:
    mask = save(tmp_path / "summary.png", house())
    cli("decompose", mask, "--out", tmp_path / "out")
    assert "masks" in json.loads((tmp_path / "out" / "summary.json").read_text())
    assert ParseTree.load(tmp_path / "out" / "summary-2.json").width == 48


def test_names_as_long_as_the_file_system_allows(cli: Cli, tmp_path: Path) -> None:
    masks = [save(tmp_path / f"{'é' * length}.png", house()) for length in (125, 124)]
    assert cli("decompose", *masks, "--out", tmp_path / "out", "--figure").code == 0
    assert len(list((tmp_path / "out").iterdir())) == 2 * 5 + 2


def test_inputs_are_never_overwritten(cli: Cli, mask_file: Path) -> None:
    before = mask_file.read_bytes()
    result = cli("decompose", mask_file, "--out", mask_file.parent)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "would be overwritten" in result.err
    assert mask_file.read_bytes() == before
    assert cli("decompose", mask_file, "--out", mask_file.parent, "--formats", "json").code == 0


def test_a_price_leaves_fewer_rectangles_and_every_better_search_more_accuracy(cli: Cli, tmp_path: Path) -> None:
    rows, columns = np.mgrid[:64, :64]
    mask = save(tmp_path / "disc.png", (rows - 30) ** 2 + (columns - 34) ** 2 < 700)

    def mean(*options: object) -> dict[str, float]:
        cli("decompose", mask, "--out", tmp_path / "out", "--depth", 5, "--formats", "json", *options)
        found: dict[str, float] = json.loads((tmp_path / "out" / "summary.json").read_text())["mean"]
        return found

    assert mean("--price", 0.01)["rectangles"] < mean("--price", 0.001)["rectangles"]
    greedy, ahead, best = mean("--search", "greedy"), mean("--lookahead", 4), mean("--price", 1e-6)
    assert greedy["accuracy"] < ahead["accuracy"] <= best["accuracy"]


def test_the_best_tree_of_so_many_rectangles_or_of_an_accuracy(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    def mean(*options: object) -> dict[str, float]:
        assert cli("decompose", mask_file, "--out", tmp_path / "out", "--formats", "json", *options).code == 0
        found: dict[str, float] = json.loads((tmp_path / "out" / "summary.json").read_text())["mean"]
        return found

    few, more = mean("--rectangles", 2), mean("--rectangles", 4)
    assert few["rectangles"] <= 2 < more["rectangles"] <= 4
    assert few["accuracy"] < more["accuracy"]
    assert mean("--accuracy", more["accuracy"])["rectangles"] <= more["rectangles"]


def test_a_curve_holds_the_best_accuracy_for_every_number_of_rectangles(
    cli: Cli, mask_file: Path, tmp_path: Path
) -> None:
    cli("decompose", mask_file, "--out", tmp_path / "out", "--formats", "json", "--curve")
    lines = (tmp_path / "out" / "house-curve.csv").read_text().splitlines()
    assert lines[0] == "rectangles,accuracy"
    counts, accuracies = zip(*(map(float, line.split(",")) for line in lines[1:]), strict=True)
    assert counts[0] == 1 and list(counts) == sorted(counts)
    assert list(accuracies) == sorted(accuracies) and accuracies[-1] == 1
    assert (tmp_path / "out" / "house-curve.png").stat().st_size > 1000


def test_who_asks_for_nothing_is_told_what_was_done_and_how_good_it_can_be(
    cli: Cli, mask_file: Path, tmp_path: Path
) -> None:
    words = ("decompose", mask_file, "--out", tmp_path / "out", "--formats", "json")
    assert "--price 0.0005" in cli(*words).out
    assert "of the best trees" not in cli(*words, "--rectangles", 3).out
    assert "At most 0.00 % from the best possible tree" in cli(*words, "--depth", 2).out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--rectangles", 0), "rectangles is 0"),
        (("--rectangles", 3, "--price", 0.1), "give one of rectangles, price and accuracy"),
        (("--accuracy", 1.5), "accuracy is 1.5"),
        (("--search", "greedy", "--rectangles", 3), "knows no rectangles"),
        (("--missed", 0), "missed is 0"),
    ],
)
def test_what_cannot_be_asked_for_is_answered_in_a_sentence(
    cli: Cli, mask_file: Path, tmp_path: Path, options: tuple[object, ...], complaint: str
) -> None:
    result = cli("decompose", mask_file, "--out", tmp_path / "out", *options)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert complaint in result.err
    assert not (tmp_path / "out").exists()


def test_piped_tables_are_plain_and_not_cut(cli: Cli, tmp_path: Path) -> None:
    name = "[bold]" + 30 * "long-"
    result = cli("decompose", save(tmp_path / f"{name}.png", house()), "--out", tmp_path / "out", "--formats", "json")
    assert name in result.out
    assert "\x1b" not in result.out + result.err


def test_long_tables_end_with_the_mean_of_all(cli: Cli, tmp_path: Path) -> None:
    for index in range(25):
        save(tmp_path / "masks" / f"{index}.png", house())
    result = cli("decompose", tmp_path / "masks", "--out", tmp_path / "out", "--formats", "json")
    assert "mean of 25" in result.out
    assert "5 more are in summary.csv" in result.out


def test_every_file_tells_its_kind_and_is_replaced_by_its_own_kind_alone(
    cli: Cli, mask_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for _ in range(2):
        assert cli("decompose", mask_file, "--out", out, "--figure", "--curve").code == 0
    assert all(kind_of(path) for path in out.iterdir())
    theirs = save(out / "house.png", house()).read_bytes()
    tree = (out / "house.json").read_bytes()
    result = cli("decompose", mask_file, "--out", out, "--depth", 1)
    assert result.code == 2
    assert "house.png is another kind of file and is not replaced" in result.sentences[0]
    assert (out / "house.png").read_bytes() == theirs
    assert (out / "house.json").read_bytes() == tree


def test_the_results_of_another_command_are_left_alone(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "summary.json").write_text('{"format": "shapeparse-parse"}')
    result = cli("decompose", mask_file, "--out", out)
    assert "summary.json is another kind of file" in result.sentences[0]
    assert [path.name for path in out.iterdir()] == ["summary.json"]
