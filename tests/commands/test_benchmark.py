"""``shapeparse benchmark``: what it says, writes and refuses. Jobs run in this process; test_local.py has real ones."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shapeparse import UserError
from shapeparse.benchmark.engines import ENGINES
from shapeparse.benchmark.engines.local import Event
from shapeparse.benchmark.job import run_job
from shapeparse.benchmark.plan import Job, Plan
from shapeparse.benchmark.record import Record
from shapeparse.benchmark.rows import PEERS
from shapeparse.commands.cli import main
from shapeparse.learning.methods import METHODS
from shapeparse.networks.presets import PRESETS, Preset
from shapeparse.support import files
from shapeparse.support.processes import alone

from .conftest import Result, house, save

Cli = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("tiny")
BENCHMARK = "benchmark --data photos --out out --methods bc lines --folds 2 --epochs 1 --depth 3"
WORDS = BENCHMARK.split()


@pytest.fixture(scope="session")
def photos_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmark") / "photos"
    rng = np.random.default_rng(0)
    for index in range(8):
        save(folder / "images" / f"{index}.png", rng.integers(0, 255, (32, 48, 3), np.uint8))
        save(folder / "masks" / f"{index}.png", np.roll(house(), index, axis=1))
    return folder


@pytest.fixture(autouse=True)
def photos(photos_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight photographs with masks in the current folder."""
    shutil.copytree(photos_once, tmp_path / "photos")
    monkeypatch.chdir(tmp_path)
    return Path("photos")


class Engine:
    """Instead of starting processes, it runs jobs here, one after the other."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        """The jobs of every start."""

    def __call__(
        self, record: Record, jobs: Sequence[Job], parallel: int, tell: Callable[[Event], None], address: str | None
    ) -> None:
        self.asked.append([job.name for job in jobs])
        plan = Plan.from_json(json.loads(record.plan_path.read_text()))
        for job in jobs:
            tell(Event(job, "running", {}))
            try:
                runs = run_job(plan, job, record.cached(plan), record.job_folder(job), 1)
            except UserError as error:
                tell(Event(job, "failed", {"reason": str(error)}))
            else:
                files.write_json(record.job_folder(job) / "result.json", runs)
                tell(Event(job, "done", {}))


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    here = Engine()
    monkeypatch.setitem(ENGINES, "local", here)
    return here


@pytest.fixture(scope="session")
def done_once(photos_once: Path, tiny_network: Preset) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "fast", tiny_network)
        patch.setitem(ENGINES, "local", Engine())
        patch.chdir(photos_once.parent)
        assert main(WORDS) == 0
    return photos_once.parent / "out"


@pytest.fixture
def done(done_once: Path, tmp_path: Path) -> None:
    """The benchmark of ``WORDS`` has been run."""
    shutil.copytree(done_once, tmp_path / "out")


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def results() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path("out/results.json").read_text())
    return content


# ---- results ---------------------------------------------------------------------------------------------------------


def test_every_row_and_fold_is_run_and_the_table_and_the_report_are_written(cli: Cli, engine: Engine) -> None:
    result = cli(*WORDS)
    assert engine.asked == [["fast-bc-0", "fast-lines-0", "fast-bc-1", "fast-lines-1"]]
    assert (result.code, result.sentences) == (0, [])
    assert [line for line in result.err.splitlines() if " done " in line] == [
        "fast-bc-0 done (1 of 4)", "fast-lines-0 done (2 of 4)",
        "fast-bc-1 done (3 of 4)", "fast-lines-1 done (4 of 4)",
    ]  # fmt: skip
    assert result.out == "10 runs in out/results.json; read out/report.html.\n"
    found = results()
    lines = ("majority-image", "majority-set", "oracle", "oracle-lookahead")
    assert [(run["row"], run["fold"]) for run in found["runs"]] == [(r, f) for r in ("bc", *lines) for f in (0, 1)]
    assert (found["data"]["name"], found["data"]["images"], found["failed"], found["jobs"]) == ("photos", 8, [], 2)
    title = METHODS["bc"].title
    assert f"| {title} |" in Path("out/table.md").read_text()
    assert title in Path("out/report.html").read_text()


@pytest.mark.usefixtures("done")
def test_a_second_start_has_nothing_left_to_do(cli: Cli, engine: Engine) -> None:
    before = Path("out/results.json").read_bytes()
    again = cli(*WORDS)
    assert (again.code, again.err) == (0, "")
    assert again.out == "10 runs in out/results.json; read out/report.html.\n"
    assert Path("out/results.json").read_bytes() == before
    assert engine.asked == [[]]


@pytest.mark.usefixtures("done")
def test_runs_are_remembered_even_if_the_job_folders_are_gone(cli: Cli, engine: Engine) -> None:
    shutil.rmtree("out/jobs")
    Path("out/plan.json").unlink()
    assert cli(*WORDS).code == 0
    assert engine.asked == [[]]


@pytest.mark.usefixtures("done")
def test_rows_that_are_added_are_all_that_is_run(cli: Cli, engine: Engine) -> None:
    words = [word.replace("lines", "colours") for word in WORDS]
    assert cli(*words).out.startswith("12 runs in ")
    assert engine.asked == [["fast-colours-0", "fast-colours-1"]]


def test_photographs_that_cannot_be_read_are_named_and_left_out(cli: Cli, photos: Path) -> None:
    (photos / "images" / "3.png").write_bytes(b"broken")
    result = cli(*WORDS)
    assert (result.code, len(result.sentences)) == (0, 1)
    assert "3.png" in result.sentences[0]
    assert results()["data"]["images"] == 7


# ---- only looking ----------------------------------------------------------------------------------------------------


def test_a_second_benchmark_in_the_same_folder_is_refused_and_told_who_is_at_work(cli: Cli, engine: Engine) -> None:
    with alone(Path("out/benchmark.lock")):
        result = cli(*WORDS)
        assert [path.name for path in Path("out").iterdir()] == ["benchmark.lock"]
    assert (result.code, len(result.sentences), engine.asked) == (2, 1, [])
    assert f"out is being worked in by another process ({os.getpid()} on " in result.err


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(cli: Cli, engine: Engine) -> None:
    result = cli(*WORDS, "--dry-run")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == (
        "photos: 8 photographs, 2 random splits of 6 to train, 1 to validate and 1 to test; preset fast, 1 epoch a job."
    )
    assert [line.split() for line in lines[1:4]] == [
        ["row", "fold", "0", "fold", "1"], ["bc", "to", "do", "to", "do"], ["lines", "to", "do", "to", "do"],
    ]  # fmt: skip
    assert lines[4].startswith("4 jobs to do; ")
    assert not Path("out").exists()
    assert engine.asked == []


@pytest.mark.usefixtures("done")
def test_a_dry_run_says_what_is_done_already(cli: Cli) -> None:
    before = contents()
    words = [word.replace("bc", "dagger") for word in WORDS]
    lines = cli(*words, "--dry-run").out.splitlines()
    assert [line.split() for line in lines[2:4]] == [["dagger", "to", "do", "to", "do"], ["lines", "done", "done"]]
    assert lines[4].startswith("2 jobs to do")
    assert contents() == before


def test_how_long_it_takes_is_the_minutes_of_all_jobs_shared_out(cli: Cli) -> None:
    longer = "benchmark --data photos --out out --methods dagger drag --folds 3 --minutes 10 --dry-run"
    words = longer.split()
    assert "10 minutes a job." in cli(*words).out
    assert cli(*words).out.endswith("6 jobs to do, 2 at a time: about 31 minutes.\n")  # 15 s around each
    assert cli(*words, "--jobs", 1).out.endswith("6 jobs to do, 1 at a time: about 62 minutes.\n")


# ---- failing, stopping and going on ----------------------------------------------------------------------------------


def test_a_job_that_fails_is_told_of_with_its_reason_and_the_others_are_there(cli: Cli) -> None:
    damaged = Path("out/jobs/fast-bc-0/checkpoint.safetensors")
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"")
    result = cli(*WORDS)
    assert result.code == 2
    (sentence,) = result.sentences
    assert sentence.startswith(f"shapeparse: fast-bc-0 failed: {damaged} is damaged")
    assert sentence.endswith(".") and not sentence.endswith("..")
    assert result.out.startswith("9 runs in ")
    (failed,) = results()["failed"]
    assert failed["job"] == "fast-bc-0"
    for name in ("table.md", "report.html"):
        assert "fast-bc-0" in Path("out", name).read_text()

    damaged.unlink()
    again = cli(*WORDS)
    assert (again.code, again.sentences, results()["failed"]) == (0, [], [])
    assert again.out.startswith("10 runs in ")
    assert "fast-bc-0" not in Path("out/table.md").read_text()


def test_a_benchmark_that_was_stopped_keeps_what_is_done_and_goes_on(
    cli: Cli, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(record: Record, jobs: Sequence[Job], *rest: Any) -> None:
        engine(record, jobs[:2], *rest)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(ENGINES, "local", stopped)
        result = cli(*WORDS)
    assert (result.code, result.out) == (130, "")
    assert result.sentences == ["shapeparse: Stopped; the same command goes on from here."]
    assert len(results()["runs"]) == 5
    assert METHODS["bc"].title in Path("out/table.md").read_text()
    assert cli(*WORDS).out.startswith("10 runs in ")
    assert engine.asked[1] == ["fast-bc-1", "fast-lines-1"]


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("--minutes=1", "Both --epochs and --minutes"),
        ("--methods=dragon", "There is no row 'dragon'; did you mean drag"),
        ("--engine=cloud", "There is no engine cloud"),
        ("--device=abacus", "There is no device 'abacus'"),
        ("--preset=magic", "There is no preset 'magic'"),
        ("--jobs=0", "jobs is 0"),
        ("--folds=0", "at least 1"),
        ("--epochs=0", "budget is empty"),
        ("--depth=99", "depth"),
        ("--seed=-1", "-1"),
        ("--data=nowhere", "nowhere"),
    ],
)
def test_senseless_options_are_one_sentence_and_leave_nothing_behind(
    cli: Cli, engine: Engine, option: str, complaint: str
) -> None:
    result = cli(*WORDS, option)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert complaint in result.err
    assert not Path("out").exists()
    assert engine.asked == []


@pytest.mark.parametrize(("option", "known"), [("--methods", (*METHODS, *PEERS)), ("--engine", ENGINES)])
def test_an_unknown_name_is_answered_with_the_known_ones(cli: Cli, option: str, known: Sequence[str]) -> None:
    result = cli(*WORDS, option, "magic")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert all(name in result.err for name in known)


def test_three_photographs_are_too_few(cli: Cli, photos: Path) -> None:
    for index in range(3, 8):
        (photos / "images" / f"{index}.png").unlink()
        (photos / "masks" / f"{index}.png").unlink()
    result = cli(*WORDS)
    assert (result.code, len(result.sentences)) == (2, 1)
    assert "3 usable images" in result.err


@pytest.mark.parametrize(
    ("option", "named"),
    [("--depth=4", "depth"), ("--folds=1", "splits"), ("--epochs=2", "epochs"), ("--seed=1", "splits, seed")],
)
@pytest.mark.usefixtures("done")
def test_the_folder_of_another_benchmark_is_refused(cli: Cli, option: str, named: str) -> None:
    before = contents()
    result = cli(*WORDS, option)
    assert (result.code, result.out, len(result.sentences)) == (2, "", 1)
    assert f"with other {named};" in result.err
    assert contents() == before


def test_help_fits_80_columns(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = cli("benchmark", "--help")
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80
    assert "{None}" not in result.out
    assert "examples:" in result.out
