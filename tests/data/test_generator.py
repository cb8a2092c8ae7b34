"""The built-in generator: the same bytes for the same numbers, and pictures worth learning from."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from sklearn.tree import DecisionTreeClassifier

from shapeparse.data.generator import VERSION, generate, write_dataset
from shapeparse.support.errors import UserError

Pair = tuple[NDArray[np.uint8], NDArray[np.bool_]]
DIGEST_SCRIPT = """
import hashlib
from shapeparse.data.generator import generate
digest = hashlib.sha256()
for index in range(4):
    for array in generate(7, index, 96):
        digest.update(array.tobytes())
print(digest.hexdigest())
"""


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Sixty pictures, small enough to be quick."""
    return [generate(0, index, 128) for index in range(60)]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def oracle_accuracy(mask: NDArray[np.bool_]) -> float:
    rows, columns = np.indices(mask.shape)
    coordinates = np.stack([columns.ravel(), rows.ravel()], axis=1)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=7, random_state=0)
    return float(tree.fit(coordinates, mask.ravel()).score(coordinates, mask.ravel()))


def best_threshold_accuracy(image: NDArray[np.uint8], mask: NDArray[np.bool_]) -> float:
    """The best a single threshold on one channel could do if it were chosen with the mask in hand."""
    photograph = Image.fromarray(image)
    hue_and_saturation = np.asarray(photograph.convert("HSV"))[..., :2]
    channels = np.dstack([image, np.asarray(photograph.convert("L")), hue_and_saturation])
    best = 0.0
    for channel in np.moveaxis(channels, -1, 0):
        paint = np.bincount(channel[mask], minlength=256).cumsum()
        rest = np.bincount(channel[~mask], minlength=256).cumsum()
        accuracies = (paint + rest[-1] - rest) / mask.size
        best = max(best, float(accuracies.max()), float(1 - accuracies.min()))
    return best


@pytest.mark.parametrize("size", [16, 33, 256])
def test_a_picture_and_its_mask_have_the_asked_size(size: int) -> None:
    image, mask = generate(1, 2, size)
    assert image.shape == (size, size, 3)
    assert image.dtype == np.uint8
    assert mask.shape == (size, size)
    assert mask.dtype == np.bool_


def test_another_process_makes_the_same_bytes() -> None:
    digest = hashlib.sha256()
    for index in range(4):
        for array in generate(7, index, 96):
            digest.update(array.tobytes())
    other = subprocess.run([sys.executable, "-c", DIGEST_SCRIPT], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest.hexdigest()


def test_seed_and_index_both_change_the_picture() -> None:
    first, same, other_index, other_seed = (
        generate(seed, index, 32)[0].tobytes() for seed, index in [(0, 1), (0, 1), (0, 2), (1, 1)]
    )
    assert first == same
    assert len({first, other_index, other_seed}) == 3


def test_a_call_leaves_the_global_random_state_alone() -> None:
    before = str(np.random.get_state())  # noqa: NPY002
    generate(0, 0, 32)
    assert str(np.random.get_state()) == before  # noqa: NPY002


@pytest.mark.parametrize("index", range(6))
def test_every_size_shows_the_same_scene(index: int) -> None:
    small_image, small_mask = generate(0, index, 64)
    image, mask = generate(0, index, 192)
    assert np.mean(mask[1::3, 1::3] == small_mask) > 0.999  # the centres of the small picture's pixels
    shrunk = np.asarray(Image.fromarray(image).resize((64, 64), Image.Resampling.BOX), dtype=float)
    assert np.mean(np.abs(shrunk - small_image)) < 8


def test_paint_fractions_are_varied_and_never_extreme(pairs: list[Pair]) -> None:
    fractions = np.array([mask.mean() for _, mask in pairs])
    assert fractions.min() > 0.08
    assert fractions.max() < 0.85
    assert 0.35 < fractions.mean() < 0.55
    assert fractions.std() > 0.08


def test_few_rectangles_describe_the_objects_well_but_not_perfectly(pairs: list[Pair]) -> None:
    accuracies = np.array([oracle_accuracy(mask) for _, mask in pairs])
    assert 0.97 < accuracies.mean() < 0.99
    assert accuracies.min() > 0.92


def test_no_colour_threshold_finds_the_objects(pairs: list[Pair]) -> None:
    assert np.mean([best_threshold_accuracy(image, mask) for image, mask in pairs]) < 0.87


def test_a_written_dataset_holds_the_generated_pairs(tmp_path: Path) -> None:
    seen: list[int] = []

    def record_progress(indices: Iterable[int]) -> Iterable[int]:
        seen.extend(indices)
        return seen

    write_dataset(tmp_path / "made", count=3, seed=5, size=48, progress=record_progress)
    assert seen == [0, 1, 2]
    assert sorted(path.name for path in (tmp_path / "made/images").iterdir()) == [
        "0000.jpg",
        "0001.jpg",
        "0002.jpg",
    ]
    record = json.loads((tmp_path / "made/generator.json").read_text())
    assert record == {"seed": 5, "count": 3, "size": 48, "version": VERSION}
    image, mask = generate(5, 2, 48)
    with Image.open(tmp_path / "made/masks/0002.png") as stored:
        assert stored.mode == "L"
        np.testing.assert_array_equal(np.asarray(stored), mask * np.uint8(255))
    with Image.open(tmp_path / "made/images/0002.jpg") as stored:
        assert np.mean(np.abs(np.asarray(stored, dtype=float) - image)) < 10


def test_writing_again_gives_the_same_files(tmp_path: Path) -> None:
    write_dataset(tmp_path / "first", count=4, size=32)
    write_dataset(tmp_path / "second", count=6, seed=9, size=16)
    write_dataset(tmp_path / "second", count=4, size=32)
    assert folder_bytes(tmp_path / "first") == folder_bytes(tmp_path / "second")


def test_an_interrupted_dataset_can_be_finished(tmp_path: Path) -> None:
    def stop_after_the_first(indices: Iterable[int]) -> Iterator[int]:
        yield next(iter(indices))
        raise KeyboardInterrupt

    write_dataset(tmp_path / "whole", count=3, size=16)
    write_dataset(tmp_path / "broken", count=5, size=16)
    with pytest.raises(KeyboardInterrupt):
        write_dataset(tmp_path / "broken", count=2, size=32, progress=stop_after_the_first)
    write_dataset(tmp_path / "broken", count=3, size=16)
    assert folder_bytes(tmp_path / "whole") == folder_bytes(tmp_path / "broken")


@pytest.mark.parametrize("folder", ["images", "masks"])
def test_a_folder_of_other_pictures_is_refused_and_kept(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "mine.jpg").write_bytes(b"precious")
    with pytest.raises(UserError, match=f"{folder} holds files the generator did not make"):
        write_dataset(tmp_path, count=1, size=16)
    assert folder_bytes(tmp_path) == {f"{folder}/mine.jpg": b"precious"}


def test_files_added_to_a_generated_folder_survive(tmp_path: Path) -> None:
    write_dataset(tmp_path, count=3, size=16)
    (tmp_path / "images/0007.jpg").write_bytes(b"precious")
    with pytest.raises(UserError, match=r"0007\.jpg was not made by the generator"):
        write_dataset(tmp_path, count=9, size=16)
    write_dataset(tmp_path, count=1, size=16)
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == ["0000.jpg", "0007.jpg"]
    assert (tmp_path / "images/0007.jpg").read_bytes() == b"precious"


@pytest.mark.parametrize("content", [b"not json", b"[]", b'{"count": "many"}', b"\xff\xfe"])
def test_a_foreign_record_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "generator.json").write_bytes(content)
    with pytest.raises(UserError, match=r"generator\.json"):
        write_dataset(tmp_path, count=1, size=16)
    assert folder_bytes(tmp_path) == {"generator.json": content}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"count": 0}, "Cannot generate 0 images; ask for a count of 1 or more"),
        ({"size": 15}, "size 15; choose a size from 16 to 2048"),
        ({"size": 2049}, "size 2049; choose a size from 16 to 2048"),
        ({"seed": -1}, "The seed -1 is negative; give 0 or more"),
    ],
)
def test_impossible_arguments_are_named_and_nothing_is_written(
    tmp_path: Path, arguments: dict[str, int], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        write_dataset(tmp_path / "made", **arguments)  # type: ignore[arg-type]
    assert not (tmp_path / "made").exists()


def test_a_negative_index_is_refused() -> None:
    with pytest.raises(UserError, match="The index -3 is negative"):
        generate(0, -3)


def test_an_output_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("a file")
    with pytest.raises(UserError, match="is a file"):
        write_dataset(tmp_path / "made", count=1, size=16)
