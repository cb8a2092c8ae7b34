"""Every name that the package exports has an example, and every example in a docstring does what it says."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import shapeparse

PACKAGE = Path(shapeparse.__file__).parent


def modules_with_examples() -> list[str]:
    """Found by their text, so that collecting tests loads none of them."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


@pytest.fixture(autouse=True)
def registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What an example registers is forgotten behind it."""
    from shapeparse.learning.names import REGISTERED
    from shapeparse.networks.encoders import ENCODERS
    from shapeparse.networks.presets import PRESETS

    known = [(registry, dict(registry)) for registry in (REGISTERED, ENCODERS, PRESETS)]
    yield
    for registry, before in known:
        registry.clear()
        registry.update(before)


@pytest.mark.parametrize("name", sorted(set(shapeparse.__all__) - {"METHODS", "__version__"}))  # have no docstring
def test_what_is_public_has_an_example(name: str) -> None:
    assert ">>> " in (getattr(shapeparse, name).__doc__ or "")


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_work(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert tried.attempted > 0, "there are examples, but nothing that doctest finds"
    assert tried.failed == 0
