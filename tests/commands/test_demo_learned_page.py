"""The part of the demo's page about the parser: the figures of its run and of its evaluation."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from shapeparse.support.progress import percent


def test_it_says_what_was_learned_from_and_how_well(demo_once: tuple[Path, str]) -> None:
    out, page = demo_once[0], (demo_once[0] / "report.html").read_text()
    data = json.loads((out / "run" / "config.json").read_text())["data"]
    assert f"This parser saw {len(data['train'])} photographs" in page
    assert f"Means over {len(data['test'])} photographs" in page
    assert f"accuracy on {len(data['validation'])} validation photographs" in page
    row = page.split("<td>DRAG, dense and anchored</td>")[1].split("</tr>")[0]
    accuracy = json.loads((out / "evaluation.json").read_text())["accuracy"]
    assert f"<td>{percent(accuracy)}</td>" in row


def test_the_curve_is_that_of_the_metrics(demo_once: tuple[Path, str]) -> None:
    out, page = demo_once[0], (demo_once[0] / "report.html").read_text()
    rows = list(csv.DictReader((out / "run" / "metrics.csv").read_text().splitlines()))
    first, last = (percent(float(row["validation_accuracy"])) for row in (rows[0], rows[-1]))
    assert f"from {first} to {last}" in page


def test_held_out_objects_can_be_explored_beside_the_oracle(demo_once: tuple[Path, str]) -> None:
    page = (demo_once[0] / "report.html").read_text()
    assert '<iframe title="Explorer of held-out objects"' in page
    assert "&quot;Oracle&quot;" in page.split("<iframe")[1]
    assert (demo_once[0] / "held-out.png").read_bytes().startswith(b"\x89PNG")
