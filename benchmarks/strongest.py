"""The strongest parser against the strongest peer: the same splits, minutes and cores for both.

    python benchmarks/strongest.py [--data DIR ...] [--minutes 6] [--folds 3]

For every dataset and split, the preset best and a U-Net are trained one after the other on all cores. Test images are
then parsed once in every way that is compared: with and without lookahead, flips and the learned policy, and the
U-Net's mask decomposed by the oracle. Beside that: what rectangles cost at several prices, for the parser and for the
oracle, and how right the parser's labels are that it is about equally sure of. Stop it whenever you like: the same
command goes on where it stopped. Writes results/strongest/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import tyro
from machine import REPOSITORY, facts

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.benchmark.statistics import paired_bootstrap
from shapeparse.benchmark.words import signed_interval
from shapeparse.commands.learning import Source
from shapeparse.files import make_folder, write_json, write_text
from shapeparse.model import Parser, load
from shapeparse.networks import Policy
from shapeparse.oracle import igm
from shapeparse.parsing import ParseSettings, paint_map, parse_images
from shapeparse.peers.segmenter import Segmenter, SegmenterSettings
from shapeparse.scenes import to_pixels
from shapeparse.train import Trainer
from shapeparse.training import Training
from shapeparse.tree import Forest, ParseTree

SHARED = REPOSITORY.parent / "shared" / "data"
LOOKAHEAD = ParseSettings().lookahead
"""The peer's too."""
WAYS = {
    "best": ParseSettings(),
    "best, flips not averaged": ParseSettings(flips=False),
    "best, no lookahead": ParseSettings(lookahead=0),
}
PEER = "U-Net, then lookahead"
PRICES = (0.0, 0.0003, 0.001, 0.003, 0.01)
Parse = Callable[[np.ndarray], list[ParseTree]]


def main(
    data: tuple[Path, ...] = (),
    minutes: float = 6.0,
    folds: int = 3,
    method: str = "dagger",
    out: Path = REPOSITORY / "results" / "strongest",
) -> None:
    """Train and compare.

    Args:
        data: folders with images/ and masks/; those beside the repository if there are any, else built-in images.
        minutes: budget of each training.
        folds: random splits.
        method: how the preset best is trained.
        out: where the results go.
    """
    found = data or tuple(path for path in sorted(SHARED.glob("*")) if (path / "images").is_dir())
    for source in (*found,) or (None,):
        compare(source, minutes, folds, method, out)


def compare(source: Path | None, minutes: float, folds: int, method: str, out: Path) -> None:
    """One dataset."""
    name = source.name if source else "built-in"
    loaded = (Source(str(source)) if source else Source()).read(256)
    plan = Plan.of(name, loaded, folds, minutes, None, "best")
    path = make_folder(out) / f"{name}.json"
    results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"runs": []}
    for fold in range(folds):
        images, masks = plan.part(loaded, fold, "test")
        training = plan.training_data(loaded, fold)
        for trainer in ("best", "unet"):
            if any(
                (run["trainer"], run["fold"], run["minutes"]) == (trainer, fold, minutes) for run in results["runs"]
            ):
                continue
            folder = out / "jobs" / f"{name}-{trainer}-{fold}"
            run: dict[str, Any] = {"trainer": trainer, "fold": fold, "minutes": minutes, "rows": {}}
            run["test"] = list(plan.splits[fold].test)
            if trainer == "best":
                training_run: Training = Trainer(plan.settings(Job(method, fold, "best")), training, folder)
                training_run.run(resume=True)
                parser = load(folder)
                ways = ways_of_best(parser.policy, plan)
                forests = parser.forests(images)
                run["prices"] = price_curve(parser, forests, masks)
                run["reliability"] = reliability(parser, forests, masks)
            else:
                training_run = segmenter = Segmenter(SegmenterSettings(minutes=minutes, seed=fold), training, folder)
                training_run.run(resume=True)
                ways = ways_of_unet(segmenter, plan)
            run["epochs"] = training_run.epoch
            for title, parse in ways.items():
                trees = parse(images)
                run["rows"][title] = {
                    "accuracy_each": [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)],
                    "rectangles": float(np.mean([tree.leaf_count for tree in trees])),
                }
            results["runs"].append(run)
            results |= {"data": name, "folds": folds, "method": method, **facts()}
            write_json(path, results)
            write_text(out / f"{name}.md", table(results))
            print(f"{name}, {trainer}, split {fold}: {accuracies(run)}", flush=True)


def ways_of_best(policy: Policy, plan: Plan) -> dict[str, Parse]:
    """The parser, and what is left of it without each of its parts."""

    def parse(settings: ParseSettings) -> Parse:
        return lambda images: [
            tree for forest in parse_images(policy, images, plan.limits, settings=settings) for tree in forest.trees()
        ]

    def map_alone(lookahead: int) -> Parse:
        return lambda images: decomposed(evidence(policy, images).astype(np.float64), plan, lookahead)

    return {
        **{title: parse(settings) for title, settings in WAYS.items()},
        "its map alone, then lookahead": map_alone(LOOKAHEAD),
        "its map alone, then IGM": map_alone(0),
    }


def ways_of_unet(segmenter: Segmenter, plan: Plan) -> dict[str, Parse]:
    """What an engineer would do: a mask, flips averaged, and the oracle on it."""

    def parse(lookahead: int) -> Parse:
        return lambda images: decomposed(segmenter.probabilities(images) > 0.5, plan, lookahead)

    return {PEER: parse(LOOKAHEAD), "U-Net, then IGM": parse(0)}


def price_curve(parser: Parser, forests: list[Forest], masks: np.ndarray) -> list[dict[str, float]]:
    """Accuracy and rectangles at each price: the parser's, and those of the oracle that sees the mask."""
    points = []
    trees = [tree for forest in forests for tree in parser.calibrated(forest).trees()]
    for price in PRICES:
        several = {
            "parser": [ParseSettings(price=price).pruned(tree) for tree in trees],
            "oracle": igm(list(masks), parser.limits.depth, parser.limits.min_extent, LOOKAHEAD, price),
        }
        point = {"price": price}
        for name, pruned in several.items():
            point[f"{name}_accuracy"] = float(
                np.mean([tree.accuracy(mask) for tree, mask in zip(pruned, masks, strict=True)])
            )
            point[f"{name}_rectangles"] = float(np.mean([tree.leaf_count for tree in pruned]))
        points.append(point)
    return points


def reliability(parser: Parser, forests: list[Forest], masks: np.ndarray) -> dict[str, Any]:
    """How right labels are, over how sure the parser is of them, and how far it is off."""
    found = parser.reliability(forests, masks)
    return {**{name: column.tolist() for name, column in found._asdict().items()}, "error": found.error}


def evidence(policy: Policy, images: np.ndarray) -> np.ndarray:
    """(images, side, side): how likely each pixel is paint, flips averaged."""
    parts = []
    with torch.no_grad():
        for first in range(0, len(images), 16):
            pixels = to_pixels(images[first : first + 16])
            parts.append(paint_map(policy.eval(), pixels, policy.encode(pixels), flips=True).numpy())
    return np.concatenate(parts)


def decomposed(masks: np.ndarray, plan: Plan, lookahead: int) -> list[ParseTree]:
    """The oracle's trees of masks."""
    trees = igm(list(masks), plan.limits.depth, plan.limits.min_extent, lookahead)
    assert isinstance(trees, list)
    return trees


def accuracies(run: dict[str, Any]) -> str:
    """Means of a run, for people who wait."""
    return "; ".join(f"{title} {np.mean(row['accuracy_each']):.4f}" for title, row in run["rows"].items())


class Row(NamedTuple):
    """One way of parsing over all splits."""

    accuracy: list[float]
    """Of each split, in percent."""
    rectangles: float
    beside: str
    """The interval of its difference to the strongest peer, in points."""

    def percent(self) -> str:
        """Mean and standard deviation."""
        spread = f" ± {np.std(self.accuracy, ddof=1):.2f}" if len(self.accuracy) > 1 else ""
        return f"{np.mean(self.accuracy):.2f}{spread}"


def rows_of(results: dict[str, Any]) -> dict[str, Row]:
    """All ways by title, each held against the strongest peer on the same test images."""
    each: dict[str, dict[int, dict[int, float]]] = {}
    rectangles: dict[str, list[float]] = {}
    for run in results["runs"]:
        for title, row in run["rows"].items():
            each.setdefault(title, {})[run["fold"]] = dict(zip(run["test"], row["accuracy_each"], strict=True))
            rectangles.setdefault(title, []).append(row["rectangles"])
    found = {}
    for title, folds in each.items():
        beside = "–"
        both = sorted(set(folds) & set(each.get(PEER, {})))
        if title != PEER and both:
            differences = [
                {image: folds[fold][image] - each[PEER][fold][image] for image in folds[fold]} for fold in both
            ]
            beside = signed_interval(paired_bootstrap(differences), 2)
        accuracy = [100 * float(np.mean(list(images.values()))) for images in folds.values()]
        found[title] = Row(accuracy, float(np.mean(rectangles[title])), beside)
    return found


def table(results: dict[str, Any]) -> str:
    """All ways as Markdown, with the interval of each minus the strongest peer."""
    lines = [
        f"# The strongest parser on {results['data']}",
        "",
        f"{results['folds']} random splits, {results['runs'][0]['minutes']:g} minutes of training a run on all cores,",
        f"depth 7, flips averaged unless said otherwise; preset best trained by {results['method']}.",
        f"{results['machine']['cpu']}, {results['machine']['cores']} cores; {results['date']}.",
        "Made by `python benchmarks/strongest.py`.",
        "",
        "| row | test % | splits | rectangles | minus the strongest peer |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for title, row in rows_of(results).items():
        lines.append(f"| {title} | {row.percent()} | {len(row.accuracy)} | {row.rectangles:.1f} | {row.beside} |")
    if any("prices" in run for run in results["runs"]):
        lines += ["", *price_lines(results), "", *reliability_lines(results)]
    return "\n".join([*lines, ""])


def price_lines(results: dict[str, Any]) -> list[str]:
    """What rectangles cost: means over the splits."""
    curves = [run["prices"] for run in results["runs"] if "prices" in run]
    lines = [
        "What a price a rectangle leaves, for the parser and for the oracle with lookahead, which sees the mask:",
        "",
        "| price | parser % | rectangles | oracle % | rectangles |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for points in zip(*curves, strict=True):
        mean = {name: np.mean([point[name] for point in points]) for name in points[0]}
        cells = [f"{100 * mean[f'{by}_accuracy']:.2f} | {mean[f'{by}_rectangles']:.1f}" for by in ("parser", "oracle")]
        lines.append(f"| {points[0]['price']:g} | {' | '.join(cells)} |")
    return lines


def reliability_lines(results: dict[str, Any]) -> list[str]:
    """How right labels are that the parser is about equally sure of: of all splits."""
    found = [run["reliability"] for run in results["runs"] if "reliability" in run]
    sure, right, weight = (np.concatenate([one[name] for one in found]) for name in ("certainty", "right", "weight"))
    place = np.minimum((sure * 10).astype(int), 9)
    lines = [
        "How right labels are, over how sure the parser is of them; on average it is off by "
        f"{100 * np.mean([one['error'] for one in found]):.1f} %:",
        "",
        "| sure % | right % | share of pixels % |",
        "| ---: | ---: | ---: |",
    ]
    for bin_ in np.unique(place):
        here = place == bin_
        means = [100 * np.average(column[here], weights=weight[here]) for column in (sure, right)]
        share = 100 * weight[here].sum() / len(found)
        lines.append(f"| {means[0]:.0f} | {means[1]:.0f} | {share:.1f} |")
    return lines


if __name__ == "__main__":
    tyro.cli(main)
