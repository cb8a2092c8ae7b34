"""Jobs: every row is measured as trees against masks, tests are parsed once, and learning never sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse import Rule, igm
from shapeparse.benchmark import job as job_module
from shapeparse.benchmark.job import run_job
from shapeparse.benchmark.plan import Job, Plan, settings_json
from shapeparse.data import Loaded
from shapeparse.grammar import ParseTree
from shapeparse.learning import trainer as train
from shapeparse.learning.methods import METHODS
from shapeparse.parsing.load import load
from shapeparse.peers.colours import fit_colours
from shapeparse.peers.segmenter import load_segmenter

from .conftest import many

pytestmark = pytest.mark.usefixtures("tiny_presets")
PARTS = ("train", "validation", "test")


@pytest.fixture
def plan(dozen) -> Plan:
    return Plan.of("dozen", dozen, 2, None, 2, depth=4)


@pytest.fixture
def do(plan, dozen, tmp_path) -> Callable[..., list[dict]]:
    """Do the job of a row on fold 1, in the folder of that name."""

    def run(row: str, loaded: Loaded = dozen, folder: str = "job", **options: Any) -> list[dict]:
        return run_job(plan, Job(row, 1, "fast"), loaded, tmp_path / folder, **{"threads": 1, **options})

    return run


def stripes(columns: list[int], side: int = 8) -> Loaded:
    """Images that are red, and paint, in their first columns, and blue in the others."""
    masks = np.stack([np.tile(np.arange(side) < count, (side, 1)) for count in columns])
    images = np.where(masks[..., None], [200, 20, 20], [20, 20, 200]).astype(np.uint8)
    return Loaded(images, masks, [str(index) for index in range(len(columns))], [])


def columns_of(loaded: Loaded, plan: Plan, part: str) -> np.ndarray:
    return plan.part(loaded, 0, part)[1][:, 0].sum(axis=1)


def trees_in(folder: Path, row: str) -> list:
    content = json.loads((folder / f"{row}.test_trees.json").read_text())
    return [ParseTree.from_json(json.dumps(tree)) for tree in content]


# ---- lines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paint", [False, True])
def test_the_lines_of_stripes_are_known_by_hand(tmp_path, paint):
    loaded = stripes([0, 1, 2, 3, 3, 2, 1, 0, 1, 2, 3, 1])  # of 8 columns: skip is the commoner label everywhere
    if paint:
        loaded = loaded._replace(masks=~loaded.masks)
    plan = Plan.of("stripes", loaded, 1, None, 1)
    runs = {run["row"]: run for run in run_job(plan, Job("lines", 0, "fast"), loaded, tmp_path)}
    assert list(runs) == ["majority-set", "majority-image", "oracle", "oracle-lookahead"]
    for part in PARTS:
        columns = columns_of(loaded, plan, part)
        rarer = 8 - columns if paint else columns
        for row in ("majority-set", "majority-image"):
            assert runs[row][part]["accuracy"] == pytest.approx(np.mean(1 - rarer / 8))
            assert runs[row][part]["leaves"] == 1
        for row in ("oracle", "oracle-lookahead"):
            assert runs[row][part]["accuracy"] == 1
            assert runs[row][part]["regret"] == pytest.approx(0)
            assert runs[row][part]["leaves"] == pytest.approx(np.mean(1 + (rarer > 0)))


def test_the_majority_of_the_set_may_be_wrong_where_that_of_the_image_is_not(tmp_path):
    loaded = stripes([2] * 11 + [7])
    plans = (Plan.of("stripes", loaded, 1, None, 1, seed=seed) for seed in range(99))
    plan = next(plan for plan in plans if 11 in plan.splits[0].test)
    runs = {run["row"]: run for run in run_job(plan, Job("lines", 0, "fast"), loaded, tmp_path)}
    others = len(plan.splits[0].test) - 1
    assert sorted(runs["majority-set"]["test_accuracy_each"]) == pytest.approx([1 / 8] + [6 / 8] * others)
    assert sorted(runs["majority-image"]["test_accuracy_each"]) == pytest.approx([6 / 8] * others + [7 / 8])


def test_the_oracles_of_photographs_are_igm(do, plan, dozen):
    runs = {run["row"]: run for run in do("lines")}
    for part in PARTS:
        masks = plan.part(dozen, 1, part)[1]
        for row, lookahead in (("oracle", 0), ("oracle-lookahead", 8)):
            trees = many(igm(masks, 4, lookahead=lookahead))
            each = [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]
            assert runs[row][part]["accuracy"] == pytest.approx(np.mean(each))
            assert runs[row][part]["leaves"] == pytest.approx(np.mean([tree.leaf_count for tree in trees]))
            if part == "test":
                assert runs[row]["test_accuracy_each"] == pytest.approx(each)


def test_no_row_makes_smaller_rectangles_than_the_methods_may(photographs, tmp_path):
    """The paper's network leaves nodes of 25 pixels whole, and so must its oracle and its peers."""
    images, masks = photographs(6, 48)
    loaded = Loaded(images, masks, list("abcdef"), [])
    plan = Plan.of("photos", loaded, 1, None, 1, preset="paper")
    masks = plan.part(loaded, 0, "test")[1]
    expected = [tree.accuracy(mask) for tree, mask in zip(many(igm(masks, 7, 25)), masks, strict=True)]
    runs = {run["row"]: run for run in run_job(plan, Job("lines", 0, "paper"), loaded, tmp_path)}
    assert runs["oracle"]["test_accuracy_each"] == pytest.approx(expected)
    assert runs["oracle"]["test"]["leaves"] < np.mean([tree.leaf_count for tree in many(igm(masks, 7))])
    run_job(plan, Job("colours", 0, "paper"), loaded, tmp_path)
    for row in ("oracle", "oracle-lookahead", "colours"):
        for tree in trees_in(tmp_path, row):
            split = ~tree.is_leaf
            assert (np.where(tree.rule == Rule.SPLIT_X, tree.w, tree.h)[split] > 25).all()


# ---- peers ---------------------------------------------------------------------------------------------------------


def test_colours_that_tell_all_are_decomposed_without_a_mistake(tmp_path):
    loaded = stripes([3, 4, 5] * 4)
    plan = Plan.of("stripes", loaded, 1, None, 1)
    (run,) = run_job(plan, Job("colours", 0, "fast"), loaded, tmp_path)
    assert (run["row"], run["kind"], run["raw_test_accuracy"]) == ("colours", "peer", 1)
    assert [run[part]["accuracy"] for part in PARTS] == [1, 1, 1]
    assert run["test"]["leaves"] == 2


def test_colours_are_learned_from_the_training_part_and_decomposed_as_if_they_were_true(do, plan, dozen):
    (run,) = do("colours")
    images, masks = plan.part(dozen, 1, "test")
    photographs, truth = plan.part(dozen, 1, "train")
    found = fit_colours(photographs, truth, seed=1).masks(images)
    assert run["raw_test_accuracy"] == pytest.approx((found == masks).mean())
    each = [tree.accuracy(mask) for tree, mask in zip(many(igm(found, 4)), masks, strict=True)]
    assert run["test_accuracy_each"] == pytest.approx(each)


@pytest.mark.parametrize(("job", "name"), [("unet", "segment"), ("unet-lite", "segment-lite")])
def test_a_segmenters_mask_is_decomposed_by_both_oracles(do, plan, dozen, tmp_path, job, name):
    runs = do(job)
    assert [run["row"] for run in runs] == [name, f"{name}-lookahead"]
    assert runs[0]["settings"]["encoder"] == ("lite0" if job == "unet-lite" else "none")
    images, masks = plan.part(dozen, 1, "test")
    found = load_segmenter(tmp_path / "job").probabilities(images) > 0.5
    for run, lookahead in zip(runs, (0, 8), strict=True):
        each = [tree.accuracy(mask) for tree, mask in zip(many(igm(found, 4, lookahead=lookahead)), masks, strict=True)]
        assert run["test_accuracy_each"] == pytest.approx(each)
        assert run["raw_test_accuracy"] == pytest.approx((found == masks).mean())
        assert (run["kind"], run["epochs"], len(run["validation_curve"])) == ("peer", 2, 2)


# ---- methods -------------------------------------------------------------------------------------------------------


def test_a_methods_run_says_what_its_best_parser_does(do, plan, dozen, tmp_path):
    (run,) = do("drag")
    parser = load(tmp_path / "job")
    for part in PARTS:
        images, masks = plan.part(dozen, 1, part)
        each = [tree.accuracy(mask) for tree, mask in zip(parser.parse(list(images)), masks, strict=True)]
        assert run[part]["accuracy"] == pytest.approx(np.mean(each))
        assert run[part]["images"] == len(images)
    assert run["test_accuracy_each"] == pytest.approx(each)
    reached = [accuracy for _, accuracy in run["validation_curve"]]
    assert run["validation"]["accuracy"] == pytest.approx(max(reached))
    assert (run["epochs"], run["best_epoch"]) == (2, reached.index(max(reached)) + 1)


def test_a_run_says_what_it_is_and_how_it_came_about(do, plan):
    (run,) = do("bc")
    assert (run["job"], run["row"], run["title"], run["kind"]) == ("fast-bc-1", "bc", METHODS["bc"].title, "method")
    assert (run["preset"], run["fold"], run["seed"], run["threads"]) == ("fast", 1, 1, 1)
    assert run["settings"] == settings_json(plan.settings(Job("bc", 1, "fast")))
    assert run["seconds"] > 0 and run["nodes_per_second"] > 0 and run["parse_ms"] > 0
    assert {"date", "machine", "versions"} <= run.keys()
    assert run == json.loads(json.dumps(run, allow_nan=False))


@pytest.mark.parametrize(("row", "names"), [("bc", ["bc"]), ("lines", ["majority-image", "oracle"])])
def test_the_test_trees_can_be_read_back_and_are_those_that_were_measured(do, plan, dozen, tmp_path, row, names):
    runs = {run["row"]: run for run in do(row)}
    masks = plan.part(dozen, 1, "test")[1]
    for name in names:
        trees = trees_in(tmp_path / "job", name)
        each = [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]
        assert each == runs[name]["test_accuracy_each"]
        assert np.mean([tree.leaf_count for tree in trees]) == pytest.approx(runs[name]["test"]["leaves"])


# ---- what may be seen ----------------------------------------------------------------------------------------------


def test_test_images_are_parsed_once_when_all_is_learned(do, plan, dozen, monkeypatch):
    parsed: list[np.ndarray] = []
    real = train.parse_images

    def counted(policy, images, *rest, **options):
        parsed.append(np.array(images))
        return real(policy, images, *rest, **options)

    for module in (train, job_module):
        monkeypatch.setattr(module, "parse_images", counted)
    do("dagger")
    parts = {part: plan.part(dozen, 1, part)[0] for part in PARTS}
    order = [part for images in parsed for part in PARTS if np.array_equal(images, parts[part])]
    assert order == ["validation", "validation", "train", "validation", "test"]  # two epochs, and then each part


@pytest.mark.parametrize("row", ["drag-anchored", "mcpg", "unet"])
def test_learning_never_sees_a_test_image(do, plan, dozen, tmp_path, row):
    test = list(plan.splits[1].test)
    images, masks = dozen.images.copy(), dozen.masks.copy()
    images[test], masks[test] = 255 - images[test], ~masks[test]
    whole, changed = do(row, folder="whole"), do(row, Loaded(images, masks, dozen.names, []), "changed")
    one, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "changed"))
    assert one == other
    for before, after in zip(whole, changed, strict=True):
        assert after["train"] == before["train"]
        assert after["validation"] == before["validation"]
        assert after["test_accuracy_each"] != before["test_accuracy_each"]


def test_colours_never_see_a_test_image(do, plan, dozen):
    test = list(plan.splits[1].test)
    images, masks = dozen.images.copy(), dozen.masks.copy()
    images[test], masks[test] = 255 - images[test], ~masks[test]
    (whole,), (changed,) = do("colours"), do("colours", Loaded(images, masks, dozen.names, []))
    assert changed["train"] == whole["train"]
    assert changed["test_accuracy_each"] != whole["test_accuracy_each"]


# ---- going on ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ["dagger", "unet"])
def test_a_job_that_was_stopped_goes_on_even_with_another_number_of_threads(do, row):
    def stop(told: dict) -> None:
        if told.get("epoch") == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do(row, threads=2, report=stop)
    told: list[dict] = []
    run = do(row, threads=1, report=told.append)[0]
    assert [row["epoch"] for row in told if "epoch" in row] == [2]
    assert (run["epochs"], len(run["validation_curve"]), run["threads"]) == (2, 2, 1)


def test_a_job_that_was_done_is_only_measured_again(do, tmp_path):
    (first,) = do("bc")
    before = (tmp_path / "job" / "checkpoint.safetensors").read_bytes()
    (again,) = do("bc")
    times = ("date", "parse_ms")
    assert {name: again[name] for name in again if name not in times} == {
        name: first[name] for name in first if name not in times
    }
    assert (tmp_path / "job" / "checkpoint.safetensors").read_bytes() == before
