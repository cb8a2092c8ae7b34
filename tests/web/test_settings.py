"""What the service allows its clients: settings that serve nobody are refused."""

from __future__ import annotations

from typing import Any

import pytest

from shapeparse import UserError
from shapeparse.web import ServiceSettings
from shapeparse.web.settings import cores


@pytest.mark.parametrize(
    "wrong",
    [{"max_bytes": 10}, {"max_pixels": 0}, {"max_pixels": 10**9}, {"at_once": 0}, {"waiting": -1}, {"idle_seconds": 0}],
    ids=str,
)
def test_settings_that_serve_nobody_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        ServiceSettings(**wrong)


def test_twice_as_many_may_wait_as_are_worked_on_unless_it_is_said() -> None:
    assert ServiceSettings(at_once=3).queue == 6
    assert ServiceSettings(at_once=3, waiting=0).queue == 0


def test_a_full_load_of_the_largest_uploads_fits_into_memory() -> None:
    assert ServiceSettings(at_once=2, waiting=1, max_bytes=5000).max_buffered == 15_000


def test_there_is_work_for_every_core_but_not_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for count, expected in ((None, 1), (2, 2), (64, 4)):
        monkeypatch.setattr("os.cpu_count", lambda count=count: count)
        assert cores() == expected
