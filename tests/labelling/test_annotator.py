"""The simulated annotator of the benchmark, and the benchmark itself in small."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from shapeparse import UserError
from shapeparse.data.generator import generate
from shapeparse.labelling.edits import Drag, Flip, Labels, Polygon, Sight

pytest.importorskip("scipy")
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def module(name: str) -> Any:
    """A script of the benchmarks; tests have modules of the same name."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found  # where dataclasses look for it
    spec.loader.exec_module(found)
    return found


@pytest.fixture
def annotator(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return module("annotator")


def test_it_corrects_until_enough_is_right(annotator: Any) -> None:
    photo, truth = generate(seed=3, index=0, size=96)
    nothing = Labels.of(np.zeros(truth.shape, bool))
    labels, effort = annotator.correct(nothing, truth, Sight(lambda: photo))
    assert effort.accuracy >= 0.98 and effort.accuracy == (labels.mask == truth).mean()
    assert 0 < effort.actions < 60 and effort.seconds > 2 * effort.actions
    assert annotator.correct(labels, truth, Sight(lambda: photo))[1].actions == 0
    assert annotator.polygons_from_nothing(truth).accuracy >= 0.98


def test_one_wrong_label_is_one_flip_and_one_wrong_cut_one_drag(annotator: Any) -> None:
    truth = np.zeros((60, 80), bool)
    truth[:, :40] = True
    right = Labels.of(truth)
    sight = Sight(lambda: np.zeros((60, 80, 3), np.uint8))
    flipped = Flip(1)(right, sight)
    assert annotator.correct(flipped, truth, sight)[1].actions == 1
    dragged = Drag(0, 46)(right, sight)
    _, effort = annotator.correct(dragged, truth, sight)
    assert effort.actions == 1 and effort.seconds == pytest.approx(annotator.THINK + annotator.DRAG + annotator.KEY)


def test_the_best_rectangle_is_found_to_the_pixel(annotator: Any) -> None:
    truth = np.zeros((70, 90), bool)
    truth[13:41, 22:77] = True
    found = annotator.best_rectangle(Labels.of(np.zeros((70, 90), bool)), truth, True)
    assert (found.x, found.y, found.w, found.h) == (22, 13, 55, 28)


def test_outlines_and_what_they_cost(annotator: Any) -> None:
    truth = np.zeros((40, 40), bool)
    truth[5:35, 5:35] = True
    truth[15:25, 15:25] = False
    rings = annotator.outlines(truth)
    assert sorted(annotator.area(ring) > 0 for ring in rings) == [False, True]
    assert all(4 <= len(annotator.simplified(ring, 1.0)) <= 8 for ring in rings)
    edit = Polygon((0, 0, 9, 0, 9, 9), True)
    assert annotator.clicks_of(edit) == 3 and annotator.seconds_of(edit) == pytest.approx(1.35 + 3 * 1.3)


def test_the_benchmark_in_small_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    labelling = module("labelling")
    monkeypatch.setattr(labelling, "SIDE", 64)
    monkeypatch.setattr(labelling, "CAR_PANELS", tmp_path / "none")
    labelling.main(out=tmp_path, quick=True)
    path, chosen = tmp_path / "built-in.json", "seed 0: proposals, chosen order"
    first = json.loads(path.read_text())
    assert [len(rows) for rows in first["sittings"].values()] == [4, 4, 4]
    assert all(row["held-out accuracy"] for row in first["sittings"][chosen][1:])
    assert Image.open(tmp_path / "built-in.png").width > 400
    first["sittings"][chosen] = first["sittings"][chosen][:3]
    path.write_text(json.dumps(first))
    labelling.main(out=tmp_path, quick=True)
    again = json.loads(path.read_text())
    assert [len(rows) for rows in again["sittings"].values()] == [4, 4, 4]
    assert "proposals, chosen order" in capsys.readouterr().out
    with pytest.raises(UserError, match="other settings"):
        labelling.main(out=tmp_path)


def test_a_bad_proposal_costs_no_more_than_to_clear_it_and_draw(annotator: Any) -> None:
    photo, truth = generate(seed=3, index=0, size=96)
    anew = annotator.polygons_from_nothing(truth)
    noise = np.random.default_rng(0).random(truth.shape) < 0.5
    _, effort = annotator.correct(Labels.of(noise), truth, Sight(lambda: photo))
    assert effort.accuracy >= 0.98
    assert effort.seconds <= anew.seconds + annotator.THINK + annotator.DRAG + 2 * annotator.KEY


def test_an_edit_gains_no_more_than_is_needed(annotator: Any) -> None:
    """Two thirds are enough here, so the quick flip that gives a half and more is better than many corners."""
    truth = np.zeros((60, 60), bool)
    truth[:, :40] = True
    whole = Labels.of(np.zeros((60, 60), bool))
    best = annotator.best_edit(whole, truth, Sight(lambda: np.zeros((60, 60, 3), np.uint8)), "flip", 0.66)
    assert best == Flip(0)
