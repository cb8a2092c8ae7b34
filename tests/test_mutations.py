"""Every mistake of benchmarks/mutations.py can still be made, and the test that guards against it is still there."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


def mutations() -> ModuleType:
    """The benchmark, which is no part of the package."""
    sys.path.insert(0, str(REPOSITORY / "benchmarks"))
    try:
        spec = importlib.util.spec_from_file_location("mutations", REPOSITORY / "benchmarks" / "mutations.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


BENCHMARK = mutations()


@pytest.mark.parametrize("mutation", BENCHMARK.MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mistake_can_be_made_and_has_a_test_that_guards_against_it(mutation) -> None:
    before = (BENCHMARK.SOURCE / mutation.file).read_text(encoding="utf-8")
    after = BENCHMARK.changed(mutation)  # which exits if the line is no longer there
    compile(after, mutation.file, "exec")
    assert after != before
    file, _, name = mutation.test.partition("::")
    assert f"def {name}(" in (REPOSITORY / file).read_text(encoding="utf-8")


def test_a_line_that_is_gone_is_named() -> None:
    gone = BENCHMARK.MUTATIONS[0]._replace(text="a line that never was")
    with pytest.raises(SystemExit, match="a line that never was"):
        BENCHMARK.changed(gone)
