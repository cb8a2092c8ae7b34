"""The generator's two entry points: the same bytes for the same numbers, and folders that are never spoiled."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse.data.generator import VERSION, generate, write_dataset
from shapeparse.support.errors import UserError

DIGEST_SCRIPT = """
import hashlib
from shapeparse.data.generator import generate
digest = hashlib.sha256()
for index in range(4):
    for array in generate(7, index, 96):
        digest.update(array.tobytes())
print(digest.hexdigest())
"""


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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
    assert record == {"world": "plain", "seed": 5, "count": 3, "size": 48, "version": VERSION}
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


@pytest.mark.parametrize(
    "content",
    [b"not json", b"[]", b'{"count": "many"}', b'{"count": 1000000000000}', b"[" * 100_000, b"\xff\xfe"],
    ids=["text", "list", "many", "billions", "nested", "binary"],
)
def test_a_foreign_record_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "generator.json").write_bytes(content)
    with pytest.raises(UserError, match=r"generator\.json"):
        write_dataset(tmp_path, count=1, size=16)
    assert folder_bytes(tmp_path) == {"generator.json": content}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"count": 0}, "Cannot generate 0 images; ask for a count from 1 to 1,000,000"),
        ({"count": 10**15}, "ask for a count from 1 to 1,000,000"),
        ({"size": 15}, "size 15; choose a size from 16 to 2048"),
        ({"size": 2049}, "size 2049; choose a size from 16 to 2048"),
        ({"seed": -1}, "The seed is -1; give a whole number from 0 to"),
    ],
)
def test_impossible_arguments_are_named_and_nothing_is_written(
    tmp_path: Path, arguments: dict[str, int], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        write_dataset(tmp_path / "made", **arguments)  # type: ignore[arg-type]
    assert not (tmp_path / "made").exists()


def test_a_folder_of_the_wide_world_says_so_and_holds_its_pictures(tmp_path: Path) -> None:
    write_dataset(tmp_path, count=1, seed=5, size=48, world="wide")
    assert json.loads((tmp_path / "generator.json").read_text())["world"] == "wide"
    with Image.open(tmp_path / "masks/0000.png") as stored:
        np.testing.assert_array_equal(np.asarray(stored), generate(5, 0, 48, "wide")[1] * np.uint8(255))


def test_an_unknown_world_is_refused() -> None:
    with pytest.raises(UserError, match="There is no world 'wid'; did you mean wide"):
        generate(0, 0, 32, "wid")


def test_the_plain_world_is_the_one_that_the_stored_tables_were_made_with() -> None:
    digest = hashlib.sha256()
    for index in range(6):
        digest.update(generate(0, index, 64)[1].tobytes())
    assert digest.hexdigest() == "a920a3467c44c0cd0b01038e8089b8b7a2eea2dcba77a1c7c5b9d38f776bf12b"


def test_a_negative_index_is_refused() -> None:
    with pytest.raises(UserError, match="The index -3 is negative"):
        generate(0, -3)


def test_an_output_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("a file")
    with pytest.raises(UserError, match="is a file"):
        write_dataset(tmp_path / "made", count=1, size=16)
