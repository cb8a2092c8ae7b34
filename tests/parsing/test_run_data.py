"""Where the photographs of a run came from, read back from its config."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse.data import BUILT_IN, Source
from shapeparse.parsing.run_data import RunData
from shapeparse.parsing.runs import RunFolder

PARTS = {"train": ["0000", "0001"], "validation": ["0002"], "test": []}


def run_of(folder: Path, **config: object) -> Path:
    RunFolder(folder).write_config(config)
    return folder


def photos(folder: Path, count: int = 2) -> Path:
    for part in ("images", "masks"):
        (folder / part).mkdir(parents=True)
        for index in range(count):
            Image.fromarray(np.full((8, 8, 3) if part == "images" else (8, 8), 9, np.uint8)).save(
                folder / part / f"{index}.png"
            )
    return folder


@pytest.mark.parametrize(
    "source",
    [Source(), Source(BUILT_IN, seed=4, count=7), Source("a.json", categories=("car",), image_root="x", threshold=0.3)],
)
def test_source_and_parts_come_back_as_they_were_written(tmp_path, source):
    stored = RunData.of(run_of(tmp_path, data={**asdict(source), **PARTS}))
    assert stored.source == source
    assert stored.parts == PARTS
    assert stored.facts["train"] == PARTS["train"]


def test_built_in_pictures_are_made_again_with_their_seed_and_count(tmp_path):
    stored = RunData.of(run_of(tmp_path, data={**asdict(Source(seed=4, count=3)), **PARTS}))
    loaded = stored.read(None, 16)
    assert loaded.images.shape == (3, 16, 16, 3)
    assert np.array_equal(loaded.images, Source(seed=4, count=3).read(16).images)
    assert not np.array_equal(loaded.images, Source(seed=5, count=3).read(16).images)


def test_photographs_are_read_from_where_they_were_or_from_elsewhere(tmp_path, refused):
    folder = photos(tmp_path / "photos")
    stored = RunData.of(run_of(tmp_path / "run", data={**asdict(Source(str(folder))), **PARTS}))
    assert len(stored.read(None, 16).names) == 2
    moved = folder.rename(tmp_path / "moved")
    assert "say where with --data" in refused(stored.read, None, 16)
    assert len(stored.read(str(moved), 16).names) == 2


def test_a_run_from_arrays_does_not_know_where_they_came_from(tmp_path, refused):
    stored = RunData.of(run_of(tmp_path / "run"))
    assert stored.parts == {"train": [], "validation": [], "test": []}
    assert "does not say where its data came from" in refused(stored.read, None, 16)
    assert len(stored.read(str(photos(tmp_path / "photos")), 16).names) == 2


@pytest.mark.parametrize(
    "data",
    [7, {}, {"source": "x"}, PARTS, {"source": "x", **PARTS, "test": 7}, {"source": "x", **PARTS, "seed": -1}],
)
def test_what_is_no_description_of_data_is_refused(tmp_path, refused, data):
    refused(RunData.of, run_of(tmp_path, data=data))


def test_photographs_beside_the_run_are_found_from_wherever_it_is_used(tmp_path, monkeypatch):
    photos(tmp_path / "photos")
    facts = {**asdict(Source("photos")), **PARTS, "from_run": "../photos"}
    stored = RunData.of(run_of(tmp_path / "run", data=facts))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(stored.read(None, 16).names) == 2
