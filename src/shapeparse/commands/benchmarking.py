"""What ``shapeparse benchmark`` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..benchmark.board import Board, duration
from ..benchmark.engines import ENGINES
from ..benchmark.engines.local import Event
from ..benchmark.plan import Job, Plan
from ..benchmark.record import Record
from ..benchmark.report import write_report
from ..benchmark.rows import rows_named
from ..benchmark.table import budget, table_markdown
from ..data import BUILT_IN, Loaded
from ..data.source import Source
from ..networks.devices import choose_device
from ..networks.presets import preset_named
from ..support import files, progress
from ..support.errors import UserError
from ..support.processes import alone, refuse_if_taken
from ..support.text import one_line
from .benchmark import Args


def run(args: Args) -> int:
    """Run what is not done yet, and write what has come of it."""
    rows = rows_named(args.methods)
    choose_device(args.device)  # which refuses one that is not there
    if args.jobs < 1:
        raise UserError(f"jobs is {args.jobs}; give at least 1.")
    if args.epochs is not None and args.minutes is not None:
        raise UserError("Both --epochs and --minutes were given; give one of them.")
    if args.engine not in ENGINES:
        raise UserError(f"There is no engine {one_line(args.engine)}; choose one of {', '.join(ENGINES)}.")
    record = Record(args.out)
    refuse_if_taken(record.lock_path)  # before much is read
    source = Source(args.data or BUILT_IN)
    loaded = source.read(preset_named(args.preset).side)
    for skipped in loaded.skipped:
        progress.complain(skipped.reason)
    plan = Plan.of(
        Path(source.source).name, loaded, args.folds, args.minutes, args.epochs, args.preset, args.seed, args.depth,
        args.plateau, args.device,
    )  # fmt: skip
    if args.dry_run:
        results = record.so_far(plan)
        say_plan(plan, rows, *parted(plan, rows, record, results), args.jobs, results)
        return 0
    with alone(record.lock_path):
        return measure(record, plan, rows, loaded, args)


def parted(plan: Plan, rows: list[str], record: Record, results: dict[str, Any]) -> tuple[list[Job], list[Job]]:
    """The jobs that are recorded, and those that are left to do."""
    jobs = plan.jobs(rows)
    recorded = [job for job in jobs if record.is_done(job, plan, results)]
    return recorded, [job for job in jobs if job not in recorded]


def measure(record: Record, plan: Plan, rows: list[str], loaded: Loaded, args: Args) -> int:
    """Run the jobs that are left, write what has come of all, and say so; the exit code."""
    results = record.start(plan) | {"jobs": args.jobs}
    recorded, left = parted(plan, rows, record, results)
    record.cache(loaded)
    try:
        work(record, plan, results, rows, recorded, left, args)
    except KeyboardInterrupt:
        progress.complain("Stopped; the same command goes on from here.")
        return 130
    finally:
        write_outcome(record, results, loaded)
    for failure in results["failed"]:
        progress.complain(f"{failure['job']} failed: {failure['reason'].rstrip('.')}.")
    print(f"{len(results['runs'])} runs in {one_line(record.results_path)}; read {one_line(args.out / 'report.html')}.")
    return 2 if results["failed"] else 0


def work(
    record: Record,
    plan: Plan,
    results: dict[str, Any],
    rows: list[str],
    recorded: list[Job],
    left: list[Job],
    args: Args,
) -> None:
    """Run the jobs that are left, and take each into the record as it ends."""
    with Board(rows, len(plan.splits), recorded, len(left)) as board:

        def tell(event: Event) -> None:
            if event.state == "done":
                record.collect(event.job, results)
            elif event.state == "failed":
                results["failed"].append({"job": event.job.name, "reason": event.detail["reason"]})
                record.write(results)
            board.tell(event)

        ENGINES[args.engine](record, left, args.jobs, tell, args.address)


def write_outcome(record: Record, results: dict[str, Any], loaded: Loaded) -> None:
    """The table and the report of what is done so far."""
    record.write(results)
    files.write_text(record.out / "table.md", table_markdown(results))
    write_report(results, record.out, loaded)


def say_plan(
    plan: Plan, rows: list[str], recorded: list[Job], left: list[Job], parallel: int, results: dict[str, Any]
) -> None:
    """Print what would be done, and how long it would take."""
    first = plan.splits[0]
    print(
        f"{plan.data}: {len(plan.names)} photographs, {len(plan.splits)} random splits of {len(first.train)} to train, "
        f"{len(first.validation)} to validate and {len(first.test)} to test; preset {plan.preset}, "
        f"{budget(results)} a job."
    )
    done = {(job.row, job.fold) for job in recorded}
    progress.print_table(
        ["row", *(f"fold {fold}" for fold in range(len(plan.splits)))],
        [[row, *("done" if (row, fold) in done else "to do" for fold in range(len(plan.splits)))] for row in rows],
    )
    seconds = [estimate(job, plan, results) for job in left]
    if any(value is None for value in seconds):
        print(f"{len(left)} jobs to do; how long an epoch takes is known once a first job is done.")
    else:
        total = sum(value for value in seconds if value is not None) / parallel
        print(f"{len(left)} jobs to do, {parallel} at a time: about {duration(total)}.")


def estimate(job: Job, plan: Plan, results: dict[str, Any]) -> float | None:
    """Seconds a job takes: its minutes, or those of a run of the same row, with a little around it."""
    around = 15.0
    if job.row in ("lines", "colours"):
        return around
    if plan.epochs is None and plan.minutes is not None:
        return 60 * plan.minutes + around
    known = [
        run["seconds"]
        for run in results["runs"]
        if run["seconds"] and run["job"].startswith(f"{plan.preset}-{job.row}-")
    ]
    return sum(known) / len(known) + around if known else None
