"""Paths of Fields2Cover, read back as its own loader reads them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, plan_painting

from ..conftest import brush_down, flipped, known, written

any_tree, any_settings = st.from_type(ParseTree), st.from_type(PaintSettings)


def load_path(text: str) -> np.ndarray:
    """As Path::loadFile does: eight numbers again and again until there are none."""
    numbers = [float(word) for word in text.split()]
    assert len(numbers) % 8 == 0
    return np.array(numbers).reshape(-1, 8)


@given(any_tree, any_settings)
def test_a_fields2cover_path_leads_from_state_to_state(tree: ParseTree, settings: PaintSettings) -> None:
    plan = plan_painting(tree, settings)
    path = load_path(written(plan, tree, "fields2cover"))
    size = settings.pixel_in("m")
    swaths = path[path[:, 7] == 1]
    ends = swaths[:, :2] + swaths[:, 5:6] * np.stack([np.cos(swaths[:, 3]), np.sin(swaths[:, 3])], axis=1)
    near = 3e-3 * size
    assert np.allclose(np.concatenate([swaths[:, :2], ends], axis=1), flipped(brush_down(plan), plan, size), atol=near)
    assert set(path[:, 7]) <= {1, 2}
    assert (path[:, 6] == 1).all()
    assert (path[:, 2] == 0).all()
    assert ((path[:, 3] >= 0) & (path[:, 3] < 2 * math.pi)).all()
    here = path[:, :2] + path[:, 5:6] * np.stack([np.cos(path[:, 3]), np.sin(path[:, 3])], axis=1)
    assert np.allclose(here[:-1], path[1:, :2], atol=near)  # each state ends where the next one begins
    task_time = (path[:, 5] / path[:, 4]).sum()
    metrics = plan.metrics()
    waiting = settings.lift_time * known(metrics["lifts"]) + settings.turn_time * known(metrics["turns"])
    expected = known(metrics["seconds"]) - waiting
    assert task_time == pytest.approx(expected, rel=1e-2, abs=1e-2)
