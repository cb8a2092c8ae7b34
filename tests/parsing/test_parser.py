"""A trained parser in Python: whatever a picture is given as, it is the same picture."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import shapeparse
from shapeparse.learning.data import TrainingData
from shapeparse.learning.methods import METHODS
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing.settings import ParseSettings


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, photographs: Callable) -> Path:
    """The run folder of a tiny parser."""
    folder = tmp_path_factory.mktemp("model") / "run"
    images, masks = photographs(4)
    tiny = dataclasses.replace(PRESETS["fast"], side=32, widths=(4, 6, 8, 8), channels=4, positions=8, dense=(16, 16))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "fast", tiny)
        data = TrainingData(images[:3], masks[:3], images[3:], masks[3:])
        Trainer(TrainSettings("dagger", "fast", epochs=2, depth=4), data, folder).run()
    return folder


@pytest.fixture(scope="module")
def parser(run: Path) -> shapeparse.Parser:
    return shapeparse.load(run)


def pixels(width: int = 40, height: int = 24, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)


def same(one: shapeparse.ParseTree, other: shapeparse.ParseTree) -> bool:
    """Whatever they are called."""
    return dataclasses.replace(one, name="") == dataclasses.replace(other, name="")


def test_loading_says_what_was_trained(parser: shapeparse.Parser) -> None:
    assert parser.facts["method"] in METHODS
    assert parser.facts["epoch"] in (1, 2)
    assert parser.limits.depth == 4


def test_files_arrays_and_images_are_one_and_the_same(parser: shapeparse.Parser, tmp_path: Path) -> None:
    array = pixels()
    path = tmp_path / "photo.png"
    Image.fromarray(array).save(path)
    tree = parser.parse(array)
    assert isinstance(tree, shapeparse.ParseTree)
    assert parser.parse(path).name == parser.parse(str(path)).name == "photo.png"
    others = [parser.parse(path), parser.parse(str(path)), parser.parse(Image.fromarray(array))]
    assert all(same(tree, other) for other in others)


def test_many_pictures_in_any_mixture_come_back_in_order(parser: shapeparse.Parser, tmp_path: Path) -> None:
    arrays = [pixels(20 + place, 30 - place, place) for place in range(6)]
    path = tmp_path / "photo.png"
    Image.fromarray(arrays[0]).save(path)
    trees = parser.parse([path, *arrays[1:4], Image.fromarray(arrays[4]), arrays[5]])
    assert [tree.width for tree in trees] == [20, 21, 22, 23, 24, 25]
    assert all(same(tree, parser.parse(array)) for tree, array in zip(trees, arrays, strict=True))
    assert parser.parse([]) == []


def test_any_iterable_will_do(parser: shapeparse.Parser, tmp_path: Path) -> None:
    for name in "ab":
        Image.fromarray(pixels()).save(tmp_path / f"{name}.png")
    assert {tree.name for tree in parser.parse(tmp_path.glob("*.png"))} == {"a.png", "b.png"}
    stack = np.stack([pixels(seed=1), pixels(seed=2)])
    assert len(parser.parse(iter(stack))) == 2
    each = parser.parse_each((pixels(seed=seed) for seed in range(5)), batch=2)
    assert sum(1 for _ in each) == 5


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (4000, 30), (30, 700), (32, 32)])
def test_leaves_tile_a_picture_of_any_shape(parser: shapeparse.Parser, width: int, height: int) -> None:
    tree = parser.parse(pixels(width, height))
    covered = np.zeros((height, width), int)
    for x, y, w, h, _ in tree.segments():
        covered[y : y + h, x : x + w] += 1
    assert (covered == 1).all()


def test_grey_and_transparent_arrays_are_read_as_files_are(parser: shapeparse.Parser) -> None:
    grey = pixels()[:, :, 0]
    assert same(parser.parse(grey), parser.parse(np.repeat(grey[:, :, None], 3, axis=2)))
    assert same(parser.parse(grey), parser.parse(grey[:, :, None]))
    unseen = np.dstack([pixels(), np.zeros((24, 40), np.uint8)])
    assert same(parser.parse(unseen), parser.parse(np.full((24, 40, 3), 255, np.uint8)))


def test_depth_and_extent_can_be_limited(parser: shapeparse.Parser, refused: Callable[..., str]) -> None:
    assert parser.parse(pixels(), depth=0).leaf_count == 1
    assert parser.parse(pixels(), min_extent=100).leaf_count == 1
    refused(parser.parse, pixels(), depth=-1)


@pytest.mark.parametrize(
    "picture",
    [
        pixels() / 255, pixels().astype(bool), pixels()[None], np.zeros((4, 0, 3), np.uint8),
        np.zeros((4, 4, 2), np.uint8), np.zeros(5, np.uint8), "nowhere.png",
    ],
)  # fmt: skip
def test_what_is_no_picture_is_refused(parser: shapeparse.Parser, refused: Callable[..., str], picture: object) -> None:
    refused(parser.parse, picture)


def test_parsing_leaves_the_pictures_and_the_parser_as_they_were(parser: shapeparse.Parser) -> None:
    array = pixels()
    before = array.copy()
    assert parser.parse(array) == parser.parse(array)
    assert np.array_equal(array, before)


def test_batches_end_early_when_photographs_are_large(parser, photographs, monkeypatch):
    images = list(photographs(5, 48)[0])
    together = parser.parse(images)
    read, parsed = [], []
    monkeypatch.setattr("shapeparse.parsing.parser.MOST_PIXELS", 48 * 48 + 1)

    def one_by_one() -> Iterator[np.ndarray]:
        for image in images:
            read.append(0)
            yield image

    for tree in parser.parse_each(one_by_one()):
        parsed.append(tree)
        assert len(read) - len(parsed) < 2
    assert parsed == together


def test_single_settings_are_given_by_name_and_unknown_ones_are_answered_with_close_ones(parser, refused) -> None:
    assert parser.parse(pixels(), ParseSettings(depth=3), depth=0).leaf_count == 1
    assert "did you mean depth?" in refused(parser.parse, pixels(), dept=3)


def test_evaluating_holds_trees_against_masks_and_oracle(
    parser: shapeparse.Parser, tmp_path: Path, photographs
) -> None:
    images, masks = photographs(3)
    for part, arrays in (("images", images), ("masks", masks.astype(np.uint8) * 255)):
        (tmp_path / part).mkdir()
        for index, array in enumerate(arrays):
            Image.fromarray(array).save(tmp_path / part / f"{index}.png")
    found = parser.evaluate(tmp_path)
    trees = [tree for forest in parser.forests(images) for tree in forest.trees()]
    expected = [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]
    np.testing.assert_allclose(found.accuracy, expected)
    assert (found.oracle_accuracy >= found.majority_accuracy).all()


def test_a_parser_says_how_sure_one_may_be_by_its_calibration(parser: shapeparse.Parser, photographs) -> None:
    (forest,) = parser.forests(photographs(4)[0])
    np.testing.assert_allclose(parser.calibrated(forest).likely, parser.calibration(forest.likely))
    reliability = parser.reliability([forest], photographs(4)[1])
    assert reliability.error >= 0
