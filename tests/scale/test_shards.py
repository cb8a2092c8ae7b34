"""Very many photographs in shards: the trees of an ordinary parse, and nothing is done twice."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from shapeparse import Limits, load
from shapeparse.commands.cli import main
from shapeparse.data.dataset import Skipped
from shapeparse.grammar import ParseTree
from shapeparse.learning.data import TrainingData
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.presets import PRESETS
from shapeparse.parsing.settings import ParseSettings
from shapeparse.scale import shards as bulk
from shapeparse.scale.shards import Input, Result, Settings, Shards
from shapeparse.support import progress

PHOTOS = 10
BROKEN = 6
"""The place of the file that is no image."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, photographs: Callable) -> Path:
    """A folder with a tiny parser, ``run``, and ``photos``, one of which is broken."""
    folder = tmp_path_factory.mktemp("bulk")
    images, masks = photographs(4)
    tiny = dataclasses.replace(PRESETS["fast"], side=32, widths=(4, 6, 8, 8), channels=4, positions=8, dense=(16, 16))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "fast", tiny)
        data = TrainingData(images[:3], masks[:3], images[3:], masks[3:])
        Trainer(TrainSettings("dagger", epochs=2, depth=4), data, folder / "run").run()
    (folder / "photos").mkdir()
    for place in range(PHOTOS):
        pixels = np.random.default_rng(place).integers(0, 255, (30 + place, 40, 3), np.uint8)
        Image.fromarray(pixels).save(folder / "photos" / f"{place}.png")
    (folder / "photos" / f"{BROKEN}.png").write_bytes(b"no image")
    return folder


@pytest.fixture
def photos(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Input]:
    """The photographs, with the current folder such that ``run`` and ``photos`` are in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("run", "photos"):
        (tmp_path / name).symlink_to(made / name)
    return [Input(f"{place}", f"photos/{place}.png") for place in range(PHOTOS)]


def settings(**changed: Any) -> Settings:
    return dataclasses.replace(Settings("a model", 4, 1, shard=4), **changed)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def results(photos: list[Input], places: Iterable[int]) -> list[Result]:
    return bulk.parse_batch(load("run"), [(place, photos[place]) for place in places], Limits(4), ParseSettings())


# ---- shards, whoever does the work ---------------------------------------------------------------------------------


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
    ("changed", "named"), [({"model": "another"}, "model"), ({"depth": 5}, "depth"), ({"format": "parquet"}, "format")]
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


# ---- with Ray ------------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cluster of this machine that commands find, and shards and blocks so small that there are several."""
    ray = pytest.importorskip("ray")
    utils = pytest.importorskip("ray.cluster_utils")
    pytest.importorskip("ray.data")
    from shapeparse.scale import ray_stream as bulk_ray

    monkeypatch.setattr(bulk, "SHARD", 4)
    monkeypatch.setattr(bulk_ray, "BLOCK", 2)
    made = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    yield
    ray.shutdown()
    made.shutdown()


def stopping_after(count: int) -> Callable[[str], Callable[[Iterable[Any]], Iterator[Any]]]:
    """A progress bar whose watcher presses Ctrl-C."""

    def follow(items: Iterable[Any]) -> Iterator[Any]:
        for place, item in enumerate(items):
            if place == count:
                raise KeyboardInterrupt
            yield item

    return lambda description: follow


def test_ray_gives_the_trees_of_an_ordinary_parse_and_goes_on_where_it_was_stopped(
    photos: list[Input], cluster: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", "photos", "--model", "run", "--out", "plain", "--formats", "json"]) == 2
    words = ["parse", "photos", "missing.jpg", "--model", "run", "--out", "out", "--engine", "ray"]
    with monkeypatch.context() as patch:
        patch.setattr(progress, "bar", stopping_after(5))
        assert main(words) == 130
    assert sorted(path.name for path in Path("out").glob("part-*")) == ["part-00000.jsonl"]
    finished = Path("out/part-00000.jsonl").stat().st_mtime_ns
    capfd.readouterr()
    assert main(words) == 2
    printed = capfd.readouterr()
    assert printed.out == "9 of 11 parsed; the shards are in out.\n"
    sentences = [line for line in printed.err.splitlines() if line.startswith("shapeparse: ")]
    assert ["photos/6.png" in sentences[0], "missing.jpg" in sentences[1], len(sentences)] == [True, True, 2]
    assert Path("out/part-00000.jsonl").stat().st_mtime_ns == finished
    rows = [row for part in sorted(Path("out").glob("part-*")) for row in lines(part)]
    assert {row["name"]: row["tree"] for row in rows} == {
        path.stem: path.read_text() for path in Path("plain").glob("?.json")
    }
    assert [line["path"] for line in lines(Path("out/skipped.jsonl"))] == ["photos/6.png", "missing.jpg"]
    with monkeypatch.context() as patch:
        patch.setattr(progress, "bar", stopping_after(0))  # nothing is left to follow
        assert main(words) == 2
    assert main([*words, "--depth", "2"]) == 2
    assert "other depth; give another --out" in capfd.readouterr().err


def test_options_that_do_not_go_together(photos: list[Input], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parse", "photos", "--model", "run", "--out", "out"]
    assert main([*words, "--format", "parquet"]) == 2
    assert main([*words, "--engine", "ray", "--formats", "json"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not Path("out").exists()
