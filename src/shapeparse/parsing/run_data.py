"""Where the photographs of a run came from, and how they were divided: what ``config.json`` says of its data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..data import BUILT_IN, Loaded, Source
from ..data.source import PARTS
from ..support.errors import UserError
from ..support.text import one_line
from .runs import RunFolder

NOWHERE: dict[str, Any] = {"source": "", "train": [], "validation": [], "test": []}
"""Stands in for the data of a run that was trained from arrays in Python: only its maker knows where they came from."""


@dataclass(frozen=True)
class RunData:
    """The entry ``data`` of a run's ``config.json``."""

    run: Path
    source: Source
    parts: dict[str, list[str]]
    """Names of the photographs of each part."""
    facts: dict[str, Any]
    """The entry as it stands there."""

    @classmethod
    def of(cls, run: Path) -> RunData:
        """Read it; UserError says what is wrong with the file."""
        folder = RunFolder(run)
        config = folder.read_config()
        try:
            facts = dict(config.get("data", NOWHERE))
            options = {
                name: facts[name] for name in ("threshold", "image_root", "seed", "count", "world") if name in facts
            }
            source = Source(str(facts["source"]), categories=tuple(facts.get("categories", ())), **options)
            return cls(run, source, {part: [str(name) for name in facts[part]] for part in PARTS}, facts)
        except UserError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise folder.not_a_training(error) from error

    def read(self, elsewhere: str | None, side: int) -> Loaded:
        """The data of the run, from where it was or from ``elsewhere``."""
        source = self.source
        if elsewhere is not None:
            categories = source.categories if elsewhere.lower().endswith(".json") else ()
            source = Source(elsewhere, source.threshold, categories)
        elif not source.source:
            raise UserError(
                f"{one_line(self.run)} does not say where its data came from; give photographs with --data."
            )
        elif source.source != BUILT_IN and not Path(source.source).exists():
            beside = self.run / str(self.facts.get("from_run", ""))  # the caller is elsewhere now, but the data is not
            if "from_run" in self.facts and beside.exists():
                return replace(source, source=str(beside)).read(side)
            raise UserError(
                f"The data of {one_line(self.run)} was in {one_line(source.source)}, which is not there; say where "
                "with --data."
            )
        return source.read(side)
