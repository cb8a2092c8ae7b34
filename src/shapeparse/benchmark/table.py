"""Table 1 of the paper, with the paper's columns beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from ..data import BUILT_IN
from ..support.limits import DEFAULT_PRICE
from ..support.text import printable
from .paper import PAPER_NOTE, PAPER_ORACLE, PAPER_TABLE
from .standings import Standings, setting
from .statistics import SAMPLES, Group, Spread
from .words import NONE, amount, listed, percent, plural, signed_interval, spread_percent

COLUMNS = (
    "row", "setting", "paper train", "paper test", "train %", "test %",
    "folds", "leaves", "worth %", "minutes", "parse ms", "DRAG minus this",
)  # fmt: skip
_TEXT_COLUMNS = 2
_LONGEST_REASON = 300

INTERVAL_NOTE = (
    "DRAG minus this: points of test accuracy with a 95 % interval, over the folds where both were run, from a paired "
    f"bootstrap of test images ({SAMPLES:,} times), widened by what Student's t says of how far apart the folds are, "
    "each of which has its own split and seed. One fold has no such interval."
)
WORTH_NOTE = (
    f"Worth is test accuracy minus {100 * DEFAULT_PRICE:g} points per rectangle (leaf), the price that parse has by "
    "default."
)
RANK_COLUMNS = ("row", "setting", "rank", "95 % interval", "first, %")
RANK_NOTE = "Ranks by mean test accuracy, resampled in the same way; of rows that were run on all folds."


def table_markdown(results: dict[str, Any]) -> str:
    """The table of a results file, finished or not, as Markdown."""
    standings = Standings(results)
    lines = [f"# Benchmark on {_cell(data_name(results))}", "", f"{_cell(conditions(results))} Made by:", ""]
    lines += [f"    {command(results)}", ""]
    if not standings.groups:
        lines += ["Nothing is done yet.", ""]
    else:
        lines += [f"Accuracy is the share of pixels labelled right, mean ± standard deviation over folds. {PAPER_NOTE}"]
        lines += ["", *_markdown(COLUMNS, table_rows(standings)), "", WORTH_NOTE, "", INTERVAL_NOTE]
        lines += [f"{_cell(note)}" for note in notes(standings)] + [""]
        if ranked := rank_rows(standings):
            lines += [RANK_NOTE, "", *_markdown(RANK_COLUMNS, ranked), ""]
    lines += [f"- Failed: {_cell(job)}: {_cell(reason)}" for job, reason in failures(results)]
    return "\n".join(lines).rstrip("\n") + "\n"


def table_rows(standings: Standings, digits: int = 2) -> list[list[str]]:
    """The cells of every row, as the columns name them; ``digits`` are those of the differences."""
    return [_row(standings, group, digits) for group in standings.groups]


def rank_rows(standings: Standings) -> list[list[str]]:
    """The cells of the table of ranks; empty if there is nothing to rank."""
    return [
        [standings.title(group), setting(group), str(rank.rank), f"{rank.low} to {rank.high}", f"{100 * rank.best:.0f}"]
        for group, rank in standings.ranks()
    ]


def notes(standings: Standings) -> list[str]:
    """What must be known to read the table: masks that peers made, and rows that lack folds."""
    found = []
    masks = [(group, group.over_folds("raw_test_accuracy")) for group in standings.groups]
    reached = [f"{standings.title(group)} {percent(raw.mean)}" for group, raw in masks if raw is not None]
    if reached:
        found.append(f"The masks themselves, before they become trees: {'; '.join(reached)}.")
    if standings.incomplete:
        rows = [f"{standings.title(group)} ({len(group.runs)})" for group in standings.incomplete]
        found.append(f"Not all {plural(standings.folds, 'fold')} are done for {listed(rows)}: their means may move.")
    return found


def failures(results: dict[str, Any]) -> list[tuple[str, str]]:
    """Jobs that failed, with their reasons."""
    failed = results.get("failed") or []
    return [
        (printable(str(one.get("job"))), printable(str(one.get("reason") or "no reason given"), _LONGEST_REASON))
        for one in failed
    ]


def data_name(results: dict[str, Any]) -> str:
    """The dataset's name."""
    return printable(str((results.get("data") or {}).get("name") or "unnamed data"))


def conditions(results: dict[str, Any]) -> str:
    """Data, splits, budget, seed, machine and date in two sentences."""
    data, runs = results.get("data") or {}, results.get("runs") or []
    known = [f"{data_name(results)}, {plural(data.get('images') or 0, 'image')}"]
    if data.get("fingerprint"):
        known.append(f"fingerprint {printable(str(data['fingerprint']), 16)}")
    known += [_split_words(results.get("splits") or []), f"{budget(results)} of training a run"]
    known += [f"network {printable(str(results.get('preset')))}", f"depth {results.get('depth')}"]
    known += [f"seed {results.get('seed')}"]
    machines = list(dict.fromkeys(_machine_words(run.get("machine") or {}) for run in runs))
    dates = sorted({str(run["date"]) for run in runs if run.get("date")})
    made = [
        *filter(None, machines),
        *([dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"] if dates else []),
    ]
    return f"{'; '.join(known)}." + (f" {'; '.join(made)}." if made else "")


def budget(results: dict[str, Any]) -> str:
    """How long a method may train: ``5 minutes`` or ``100 epochs``."""
    if results.get("plateau") is not None:
        return f"as many updates as it takes (until {results['plateau']:,} bring nothing)"
    if results.get("minutes") is not None:
        return f"{results['minutes']:g} minute{'' if results['minutes'] == 1 else 's'}"
    return plural(results["epochs"], "epoch") if results.get("epochs") is not None else "an unknown time"


def command(results: dict[str, Any]) -> str:
    """The command that makes these results, wherever the data lies."""
    name = data_name(results)
    data = [] if name == BUILT_IN else [f"--data {name.replace(' ', '-')}"]
    amount = f"--minutes {results['minutes']:g}" if results.get("minutes") is not None else ""
    amount = amount or (f"--epochs {results['epochs']}" if results.get("epochs") is not None else "")
    until = f"--plateau {results['plateau']}" if results.get("plateau") is not None else ""
    options = [until, amount, f"--folds {len(results.get('splits') or [])}", f"--seed {results.get('seed', 0)}"]
    options += [f"--preset {results['preset']}"] if results.get("preset") else []
    options += [f"--jobs {results['jobs']}"] if results.get("jobs") else []
    return " ".join(["shapeparse benchmark", *data, "--out DIR", *filter(None, options)])


def _row(standings: Standings, group: Group, digits: int) -> list[str]:
    paper_train, paper_test = PAPER_TABLE.get(group.row, (PAPER_ORACLE if group.row == "oracle" else None, None))
    drag = standings.drag_beside(group)
    beside = NONE
    if drag is not None and drag is not group:
        beside = signed_interval(standings.difference(drag, group), digits)
    seconds = group.over_folds("seconds")
    return [
        standings.title(group),
        setting(group),
        NONE if paper_train is None else f"{paper_train:.2f}",
        NONE if paper_test is None else f"{paper_test:.2f}",
        spread_percent(group.over_folds("accuracy", "train")),
        spread_percent(group.over_folds("accuracy", "test")),
        str(len(group.runs)),
        _mean(group.over_folds("leaves", "test")),
        spread_percent(group.worth()),
        NONE if seconds is None else amount(seconds.mean / 60),
        _mean(group.over_folds("parse_ms")),
        beside,
    ]


def _mean(spread: Spread | None) -> str:
    return NONE if spread is None else amount(spread.mean)


def _split_words(splits: Sequence[dict[str, Any]]) -> str:
    sizes = {"/".join(str(len(split[part])) for part in ("train", "validation", "test")) for split in splits}
    of = f" of {sizes.pop()} images (train/validation/test)" if len(sizes) == 1 else ""
    return plural(len(splits), "split") + of


def _machine_words(machine: dict[str, Any]) -> str:
    words = [str(machine[key]) for key in ("cpu", "gpu") if machine.get(key)]
    words += [plural(machine["cores"], "core")] if machine.get("cores") else []
    words += [str(machine["system"])] if machine.get("system") else []
    return printable(", ".join(words))


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    alignment = ["---"] * _TEXT_COLUMNS + ["---:"] * (len(columns) - _TEXT_COLUMNS)
    lines = [columns, alignment, *([_cell(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(text: str) -> str:
    """Text from outside, which shall be neither markup nor the end of a cell."""
    return escape(text, quote=False).replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
