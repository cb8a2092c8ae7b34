"""Very many photographs in shards: the trees of an ordinary parse, and nothing is done twice."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from shapeparse import ParseSettings, ParseTree, load
from shapeparse.data.dataset import Skipped
from shapeparse.scale.shards import Input, Result, Settings, Shards, fingerprint, parse_batch

from .conftest import BROKEN, PHOTOS, lines


def settings(**changed: Any) -> Settings:
    return dataclasses.replace(Settings("a model", ParseSettings(depth=4), shard=4), **changed)


def results(photos: list[Input], places: Iterable[int]) -> list[Result]:
    return parse_batch(load("run"), [(place, photos[place]) for place in places], ParseSettings(depth=4))


def test_a_batch_gives_the_parsers_own_trees_and_says_what_cannot_be_read(photos: list[Input]) -> None:
    found = dict(results(photos, [2, BROKEN, 3]))
    tree = load("run").parse("photos/3.png")
    assert ParseTree.from_json(found[3]["tree"]) == tree
    assert found[3]["name"] == "3" and found[3]["path"] == "photos/3.png"
    assert (found[3]["width"], found[3]["height"], found[3]["leaves"]) == (40, 33, tree.leaf_count)
    assert found[3]["rectangles"] == [[*leaf[:4], int(leaf.paint)] for leaf in tree.segments()]
    assert set(found[BROKEN]) == {"path", "reason"}


def test_shards_hold_all_in_order_in_whatever_order_results_come(photos: list[Input]) -> None:
    shards = Shards(Path("out"), photos, settings())
    left = shards.start()
    assert left == list(range(PHOTOS))
    shards.collect(results(photos, reversed(left)))
    skipped = shards.finish({}, [Skipped(Path("nothing"), "It is nothing.")])
    assert [[row["name"] for row in lines(part)] for part in shards.parts] == [list("0123"), list("457"), list("89")]
    assert [problem.path.name for problem in skipped] == ["6.png", "nothing"]
    summary = json.loads(Path("out/summary.json").read_text())
    assert (summary["photographs"], summary["parsed"], len(summary["problems"])) == (PHOTOS, PHOTOS - 1, 2)
    assert shards.start() == []


def test_what_was_stopped_goes_on_behind_the_last_finished_shard(photos: list[Input]) -> None:
    stopped = Shards(Path("out"), photos, settings())
    stopped.collect(results(photos, [*stopped.start()[4:8], 0, 1]))
    assert [part.exists() for part in stopped.parts] == [False, True, False]
    again = Shards(Path("out"), photos, settings())
    assert again.start() == [0, 1, 2, 3, 8, 9]
    again.collect(results(photos, [0, 1, 2, 3, 8, 9]))
    assert [problem.path.name for problem in again.finish({}, [])] == ["6.png"]


def test_a_shard_that_was_lost_before_it_was_written_is_not_skipped_twice(photos: list[Input]) -> None:
    shards = Shards(Path("out"), photos, settings())
    shards.collect(results(photos, shards.start()))
    shards.parts[1].unlink()
    again = Shards(Path("out"), photos, settings())
    again.collect(results(photos, again.start()))
    assert len(again.finish({}, [])) == 1


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"model": "another"}, "model"), ({"parse": ParseSettings(depth=5)}, "depth"), ({"format": "parquet"}, "format")],
)
def test_another_parse_in_the_folder_is_refused(
    photos: list[Input], refused: Callable[..., str], changed: dict[str, Any], named: str
) -> None:
    Shards(Path("out"), photos, settings()).start()
    assert f"other {named};" in refused(Shards(Path("out"), photos, settings(**changed)).start)
    assert "other photographs;" in refused(Shards(Path("out"), photos[1:], settings()).start)
    Path("out/manifest.json").write_text("{}")
    assert "manifest.json" in refused(Shards(Path("out"), photos, settings()).start)


def test_parquet_holds_the_same_rows(photos: list[Input]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for format in ("jsonl", "parquet"):
        shards = Shards(Path(format), photos, settings(format=format))
        shards.collect(results(photos, shards.start()))
    for number in range(3):
        table = parquet.read_table(f"parquet/part-{number:05d}.parquet")
        assert table.to_pylist() == lines(Path(f"jsonl/part-{number:05d}.jsonl"))


def test_two_parsers_have_two_fingerprints(photos: list[Input], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("config.json", "model.safetensors"):
        (other / name).write_bytes(Path("run", name).read_bytes())
    assert fingerprint(other) == fingerprint(Path("run"))
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    assert fingerprint(other) != fingerprint(Path("run"))


def test_a_file_that_is_there_before_the_first_start_is_kept(photos: list[Input], refused: Callable[..., str]) -> None:
    Path("out").mkdir()
    Path("out/summary.json").write_text("{}")
    assert "is there already" in refused(Shards(Path("out"), photos, settings()).start)
    assert [path.name for path in Path("out").iterdir()] == ["summary.json"]
