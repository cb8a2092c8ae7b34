"""The shapes of requests: the planner's own settings and defaults, and nothing else."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pydantic import ValidationError

from shapeparse.painting import PaintSettings
from shapeparse.web.forms import PARSE_FIELDS, PLAN_FIELDS
from shapeparse.web.schemas import (
    EXAMPLE_TREE,
    EXPORT_EXAMPLE,
    PARSE_FORM,
    PLAN_EXAMPLE,
    PLAN_FORM,
    ExportRequest,
    PlanRequest,
)
from shapeparse.web.uploads import as_tree


def test_a_plan_takes_all_of_the_planners_settings_with_its_defaults() -> None:
    of_the_command = {"overrun", "lead_in", "lead_out", "smallest", "start", "home"}
    own = set(PlanRequest.model_fields) - {"tree", "keep_out", "plane"}
    assert own == {field.name for field in fields(PaintSettings)} - of_the_command
    assert PlanRequest(tree={}).settings() == PaintSettings()
    assert PlanRequest(tree={}, brush=3.5, order="raster", scale=2.0).settings() == PaintSettings(
        brush=3.5, order="raster", scale=2
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"brush": 0},
        {"brush": "12"},
        {"overlap": 1},
        {"order": "best"},
        {"unit": "inch"},
        {"bursh": 12},
        {"plan": "best"},
        {"coverage": 0},
        {"coverage": 1.01},
        {"waste": -0.1},
        {"keep_out": [[(0, 0), (1, 1)]]},
    ],
    ids=str,
)
def test_what_the_planner_would_refuse_is_no_request(wrong: dict) -> None:
    with pytest.raises(ValidationError):
        PlanRequest(tree={}, **wrong)


def test_the_examples_are_requests_of_a_real_tree() -> None:
    assert PlanRequest(**PLAN_EXAMPLE).settings().brush == 12
    assert ExportRequest(**EXPORT_EXAMPLE).format == "svg"
    assert as_tree(EXAMPLE_TREE, 10_000).leaf_count == 2


def test_the_form_that_is_described_is_the_form_that_is_read() -> None:
    assert tuple(PARSE_FORM["properties"]) == PARSE_FIELDS
    assert tuple(PLAN_FORM["properties"]) == PLAN_FIELDS
