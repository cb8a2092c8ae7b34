"""A bulk parse on a Ray cluster: the trees of an ordinary parse, and it goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse import ParseSettings, ParseTree, load
from shapeparse.commands.cli import main
from shapeparse.scale import ray_stream, shards
from shapeparse.scale.ray_stream import BlockParser
from shapeparse.scale.shards import Input
from shapeparse.support import progress

from .conftest import BROKEN, lines


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cluster of this machine that commands find, and shards and blocks so small that there are several."""
    ray = pytest.importorskip("ray")
    utils = pytest.importorskip("ray.cluster_utils")
    pytest.importorskip("ray.data")
    monkeypatch.setattr(shards, "SHARD", 4)
    monkeypatch.setattr(ray_stream, "BLOCK", 2)
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


def test_a_process_parses_blocks_of_json_text_in_the_folder_it_was_told(
    photos: list[Input], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    base, threads = Path.cwd(), torch.get_num_threads()
    monkeypatch.chdir("/")
    try:
        parse = BlockParser(str(base / "run"), ParseSettings(depth=2), str(base))
    finally:
        torch.set_num_threads(threads)
    block = {"place": np.array([3, BROKEN]), "input": [json.dumps(photos[place]) for place in (3, BROKEN)]}
    answer = parse(block)
    rows = dict(zip(answer["place"], map(json.loads, answer["row"]), strict=True))
    assert ParseTree.from_json(rows[3]["tree"]) == load("run").parse("photos/3.png", depth=2)
    assert set(rows[BROKEN]) == {"path", "reason"}


def test_without_anything_to_do_no_cluster_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_cluster(*_: object) -> None:
        raise AssertionError("a cluster was asked")

    monkeypatch.setattr(ray_stream, "cluster", no_cluster)
    assert list(ray_stream.stream([], [], None, ParseSettings())) == []


def test_options_that_do_not_go_together(photos: list[Input], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parse", "photos", "--model", "run", "--out", "out"]
    assert main([*words, "--format", "parquet"]) == 2
    assert main([*words, "--engine", "ray", "--formats", "json"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not Path("out").exists()
