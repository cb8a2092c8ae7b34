"""The strongest parser against the strongest peer: the same splits, minutes and cores for both.

    python benchmarks/strongest.py [--data DIR ...] [--minutes 6] [--folds 3] [--seed 1]

For every dataset and split, the preset best and a U-Net are trained one after the other on all cores. Test images are
then parsed once in every way that is compared: with and without lookahead, flips and the learned policy, and the
U-Net's mask decomposed by the oracle. Beside that: what rectangles cost at several prices, for both of them and for
the oracle that sees the mask, and how right the parser's labels are that it is about equally sure of. Stop it whenever
you like: the same command goes on where it stopped. Writes results/strongest/NAME.json and NAME.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from machine import REPOSITORY, facts

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.benchmark.statistics import paired_bootstrap
from shapeparse.benchmark.words import signed_interval
from shapeparse.data.source import Source
from shapeparse.grammar import Forest, ParseTree
from shapeparse.learning.data import TrainingData
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.policy import Policy
from shapeparse.networks.views import to_pixels
from shapeparse.oracle import igm
from shapeparse.parsing.load import load
from shapeparse.parsing.parser import Parser
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.trees import Seen, parse_images
from shapeparse.peers.segmenter import Segmenter, SegmenterSettings
from shapeparse.support.files import make_folder, write_json, write_text

SHARED = REPOSITORY.parent / "shared" / "data"
METHOD = "dagger"
"""How the preset best is trained."""
LOOKAHEAD = ParseSettings().lookahead
"""The peer's too."""
WAYS = {
    "best": ParseSettings(search="lookahead"),
    "best, flips not averaged": ParseSettings(search="lookahead", flips=False),
    "best, no lookahead": ParseSettings(search="policy"),
}
PEER = "U-Net, then lookahead"
PRICES = (0.0, 0.0003, 0.001, 0.003, 0.01)
Parse = Callable[[np.ndarray], list[ParseTree]]


def main(
    data: tuple[Path, ...] = (),
    minutes: float = 6.0,
    folds: int = 3,
    seed: int = 1,
    out: Path = REPOSITORY / "results" / "strongest",
) -> None:
    """Train and compare.

    Args:
        data: folders with images/ and masks/; those beside the repository if there are any, else built-in images.
        minutes: budget of each training.
        folds: random splits.
        seed: of the splits and of the trainings; test images of seed 0 were looked at when the preset was made.
        out: where the results go.
    """
    found = data or tuple(path for path in sorted(SHARED.glob("*")) if (path / "images").is_dir())
    for source in (*found,) or (None,):
        compare(source, minutes, folds, seed, out)


def compare(source: Path | None, minutes: float, folds: int, seed: int, out: Path) -> None:
    """One dataset."""
    name = source.name if source else "built-in"
    loaded = (Source(str(source)) if source else Source()).read(256)
    plan = Plan.of(name, loaded, folds, minutes, None, "best", seed)
    path = make_folder(out) / f"{name}.json"
    results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"seed": seed, "runs": []}
    if results["seed"] != seed:
        raise SystemExit(f"{path} has splits of seed {results['seed']}: give another --out, or move it away.")
    for fold in range(folds):
        images, masks = plan.part(loaded, fold, "test")
        for trainer in ("best", "unet"):
            if any(
                (run["trainer"], run["fold"], run["minutes"]) == (trainer, fold, minutes) for run in results["runs"]
            ):
                continue
            folder = out / "jobs" / f"{name}-{trainer}-{fold}"
            run: dict[str, Any] = {"trainer": trainer, "fold": fold, "minutes": minutes}
            run["test"] = list(plan.splits[fold].test)
            race = race_best if trainer == "best" else race_unet
            run |= race(plan, fold, plan.training_data(loaded, fold), images, masks, folder)
            results["runs"] = sorted([*results["runs"], run], key=lambda one: (one["trainer"], one["fold"]))
            results |= {"data": name, "folds": folds, "method": METHOD, **facts()}
            write_json(path, results)
            write_text(out / f"{name}.md", table(results))
            print(f"{name}, {trainer}, split {fold}: {accuracies(run)}", flush=True)


def race_best(
    plan: Plan, fold: int, training: TrainingData, images: np.ndarray, masks: np.ndarray, folder: Path
) -> dict[str, Any]:
    """Train the preset best; how it parses test images in every way."""
    trainer = Trainer(plan.settings(Job(METHOD, fold, "best")), training, folder)
    trainer.run(resume=True)
    parser = load(folder)
    rows = {title: row_of(parse(images), masks) for title, parse in ways_of_best(parser.policy, plan).items()}
    rows["its map, no tree"] = {"accuracy_each": accuracy_each(evidence(parser.policy, images) > 0.5, masks)}
    prices = {
        "parser": price_curve(lambda price: parser.parse(list(images), search="lookahead", price=price), masks),
        "oracle": price_curve(lambda price: decomposed(masks, plan, LOOKAHEAD, price), masks),
    }
    sure = reliability(parser, parser.forests(images), masks)
    return {"epochs": trainer.epoch, "rows": rows, "prices": prices, "reliability": sure}


def race_unet(
    plan: Plan, fold: int, training: TrainingData, images: np.ndarray, masks: np.ndarray, folder: Path
) -> dict[str, Any]:
    """Train a U-Net, average flips, decompose its mask: what an engineer would do."""
    assert plan.minutes is not None
    segmenter = Segmenter(SegmenterSettings(minutes=plan.minutes, seed=plan.seed + fold), training, folder)
    segmenter.run(resume=True)
    mask = segmenter.probabilities(images) > 0.5
    rows = {
        PEER: row_of(decomposed(mask, plan, LOOKAHEAD), masks),
        "U-Net, then IGM": row_of(decomposed(mask, plan, 0), masks),
        "U-Net's mask, no tree": {"accuracy_each": accuracy_each(mask, masks)},
    }
    prices = {"U-Net": price_curve(lambda price: decomposed(mask, plan, LOOKAHEAD, price), masks)}
    return {"epochs": segmenter.epoch, "rows": rows, "prices": prices}


def row_of(trees: Sequence[ParseTree], masks: np.ndarray) -> dict[str, Any]:
    """How right the trees are, and how large."""
    each = [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]
    return {"accuracy_each": each, "rectangles": float(np.mean([tree.leaf_count for tree in trees]))}


def accuracy_each(labels: np.ndarray, masks: np.ndarray) -> list[float]:
    """The share of each image's pixels that is labelled right."""
    right: list[float] = (labels == masks).mean(axis=(1, 2)).tolist()
    return right


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


def price_curve(trees_at: Callable[[float], Sequence[ParseTree]], masks: np.ndarray) -> list[dict[str, float]]:
    """Accuracy and rectangles at each price."""
    points = []
    for price in PRICES:
        row = row_of(trees_at(price), masks)
        points.append(
            {"price": price, "accuracy": float(np.mean(row["accuracy_each"])), "rectangles": row["rectangles"]}
        )
    return points


def reliability(parser: Parser, forests: list[Forest], masks: np.ndarray) -> dict[str, Any]:
    """How right labels are, over how sure the parser is of them, and how far it is off."""
    found = parser.reliability(forests, masks)
    return {**{name: column.tolist() for name, column in found._asdict().items()}, "error": found.error}


def evidence(policy: Policy, images: np.ndarray) -> np.ndarray:
    """(images, side, side): how likely each pixel is paint, flips averaged."""
    return Seen.by(policy.eval(), to_pixels(images), flips=True).likely.numpy()


def decomposed(masks: np.ndarray, plan: Plan, lookahead: int, price: float = 0.0) -> list[ParseTree]:
    """The oracle's trees of masks."""
    trees = igm(list(masks), plan.limits.depth, plan.limits.min_extent, lookahead, price)
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
            rectangles.setdefault(title, []).append(row.get("rectangles", np.nan))
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
        f"{results['folds']} random splits (seed {results['seed']}), {results['runs'][0]['minutes']:g} minutes of "
        "training a run on all cores,",
        f"depth 7, flips averaged unless said otherwise; preset best trained by {results['method']}.",
        f"{results['machine']['cpu']}, {results['machine']['cores']} cores; {results['date']}.",
        "Made by `python benchmarks/strongest.py`.",
        "",
        "| row | test % | splits | rectangles | minus the strongest peer |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for title, row in rows_of(results).items():
        size = "–" if np.isnan(row.rectangles) else f"{row.rectangles:.1f}"
        lines.append(f"| {title} | {row.percent()} | {len(row.accuracy)} | {size} | {row.beside} |")
    if any("reliability" in run for run in results["runs"]):
        lines += ["", *price_lines(results), "", *reliability_lines(results)]
    return "\n".join([*lines, ""])


def price_lines(results: dict[str, Any]) -> list[str]:
    """What rectangles cost: means over the splits."""
    curves: dict[str, list[list[dict[str, float]]]] = {"parser": [], "U-Net": [], "oracle": []}
    for run in results["runs"]:
        for name, points in run["prices"].items():
            curves[name].append(points)
    found = {name: several for name, several in curves.items() if several}
    lines = [
        "What a price a rectangle leaves: of the parser, of lookahead on the U-Net's mask, and of the oracle with",
        "lookahead, which sees the true mask:",
        "",
        f"| price |{''.join(f' {name} % | rectangles |' for name in found)}",
        f"| ---: |{' ---: | ---: |' * len(found)}",
    ]
    for place, price in enumerate(PRICES):
        means = [
            np.mean([[points[place]["accuracy"], points[place]["rectangles"]] for points in several], axis=0)
            for several in found.values()
        ]
        lines.append(f"| {price:g} |{''.join(f' {100 * accuracy:.2f} | {size:.1f} |' for accuracy, size in means)}")
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
