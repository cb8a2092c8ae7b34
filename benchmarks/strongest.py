"""The strongest parser against the strongest peer: the same splits, minutes, cores, eyes and tree search for both.

    python benchmarks/strongest.py [--data DIR ...] [--minutes 6] [--folds 3] [--seed 2]

For every dataset and split, the preset best and two U-Nets, one on the same pretrained encoder and one from scratch,
are trained one after the other on all cores. Test images are then parsed once in every way that is compared: the best
tree of the map, the policy's own trees, and what lookahead on the map gave before there was a best tree. Beside that:
accuracy over the number of rectangles, and how right the parser's labels are that it is about equally sure of. Stop it
whenever you like: the same command goes on where it stopped. Writes results/strongest/NAME.json, NAME.md and NAME.png.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from machine import REPOSITORY, facts, made_on

from shapeparse.benchmark.plan import Job, Plan
from shapeparse.benchmark.statistics import Interval, paired_bootstrap
from shapeparse.benchmark.words import plural, signed_interval
from shapeparse.data.source import Source
from shapeparse.grammar import Forest, ParseTree
from shapeparse.learning.data import TrainingData
from shapeparse.learning.trainer import Trainer
from shapeparse.networks.policy import Policy
from shapeparse.networks.views import to_pixels
from shapeparse.oracle import igm
from shapeparse.oracle.optimal import best_tree
from shapeparse.parsing.estimate import student
from shapeparse.parsing.load import load
from shapeparse.parsing.parser import Parser
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.trees import Seen, parse_images
from shapeparse.peers.segmenter import Segmenter, SegmenterSettings
from shapeparse.pictures.figures import chart, figure_png, new_figure
from shapeparse.support.files import make_folder, write_bytes, write_json, write_text
from shapeparse.support.limits import DEFAULT_PRICE

SHARED = REPOSITORY.parent / "shared" / "data"
METHOD = "dagger"
"""How the preset best is trained."""
TRAINERS = ("best", "unet-lite", "unet")
PEERS = {"unet-lite": "U-Net on the same encoder", "unet": "U-Net from scratch"}
TITLES = {"best": "best"} | PEERS
RECTANGLES = (5, 10, 20, 40, 60)
LOOKAHEAD = ParseSettings().lookahead
PRICES = (0.0001, 0.0003, 0.001, 0.003, 0.01)
FINEST = PRICES[0]
"""At this price a tree has about as many rectangles as the paper's depth of 7 allows, where the image needs them."""
Parse = Callable[[np.ndarray], list[ParseTree]]


def main(
    data: tuple[Path, ...] = (),
    minutes: float = 6.0,
    folds: int = 3,
    seed: int = 2,
    trainers: tuple[str, ...] = TRAINERS,
    out: Path = REPOSITORY / "results" / "strongest",
) -> None:
    """Train and compare.

    Args:
        data: folders with images/ and masks/; those beside the repository if there are any, else built-in images.
        minutes: budget of each training.
        folds: random splits.
        seed: of the splits and of the trainings; splits of seeds 0 and 1 were looked at when the preset was made.
        trainers: what to train: best, unet-lite and unet.
        out: where the results go.
    """
    found = data or tuple(path for path in sorted(SHARED.glob("*")) if (path / "images").is_dir())
    for source in (*found,) or (None,):
        compare(source, minutes, folds, seed, trainers, out)


def compare(source: Path | None, minutes: float, folds: int, seed: int, trainers: tuple[str, ...], out: Path) -> None:
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
        for trainer in trainers:
            done = ((run["trainer"], run["fold"], run["minutes"]) for run in results["runs"])
            if (trainer, fold, minutes) in done:
                continue
            folder = out / "jobs" / f"{name}-{trainer}-{fold}"
            run: dict[str, Any] = {"trainer": trainer, "fold": fold, "minutes": minutes}
            run["test"] = list(plan.splits[fold].test)
            training = plan.training_data(loaded, fold)
            if trainer == "best":
                run |= race_best(plan, fold, training, images, masks, folder)
            else:
                run |= race_unet(trainer, plan, fold, training, images, masks, folder)
            results["runs"] = sorted([*results["runs"], run | facts()], key=lambda one: (one["trainer"], one["fold"]))
            results |= {"data": name, "folds": folds, "method": METHOD}
            write_json(path, results)
            write_text(out / f"{name}.md", table(results))
            draw_curves(results, out / f"{name}.png")
            print(f"{name}, {trainer}, split {fold}: {accuracies(run)}", flush=True)


def race_best(
    plan: Plan, fold: int, training: TrainingData, images: np.ndarray, masks: np.ndarray, folder: Path
) -> dict[str, Any]:
    """Train the preset best; how it parses test images in every way."""
    trainer = Trainer(plan.settings(Job(METHOD, fold, "best")), training, folder)
    trainer.run(resume=True)
    parser = load(folder)
    likely = evidence(parser.policy, images)
    rows = {
        **{title: row_of(parse(images), masks) for title, parse in ways_of_best(parser.policy, plan).items()},
        "its map, no tree": {"accuracy_each": accuracy_each(likely > 0.5, masks)},
    }
    before = (parser.parse(list(images), search="lookahead", price=price) for price in PRICES)
    curves = {**curves_of_map("best", likely, masks), "best, lookahead at a price": points(before, masks)}
    sure = reliability(parser, parser.forests(images), masks)
    return {"epochs": trainer.epoch, "rows": rows, "curves": curves, "reliability": sure}


def ways_of_best(policy: Policy, plan: Plan) -> dict[str, Parse]:
    """The parser as it comes, and what is left of it without some of its parts."""

    def parse(settings: ParseSettings) -> Parse:
        return lambda images: [
            tree for forest in parse_images(policy, images, plan.limits, settings=settings) for tree in forest.trees()
        ]

    return {
        "best": parse(ParseSettings()),
        "best, flips not averaged": parse(ParseSettings(flips=False)),
        "best, lookahead within depth 7": parse(ParseSettings(search="lookahead")),
        "best, its policy alone": parse(ParseSettings(search="policy")),
    }


def race_unet(
    trainer: str,
    plan: Plan,
    fold: int,
    training: TrainingData,
    images: np.ndarray,
    masks: np.ndarray,
    folder: Path,
) -> dict[str, Any]:
    """Train a U-Net, average flips, decompose what it finds likely, with the same search: what an engineer would do."""
    assert plan.minutes is not None
    settings = SegmenterSettings(
        minutes=plan.minutes, seed=plan.seed + fold, encoder="lite0" if trainer == "unet-lite" else "none"
    )
    segmenter = Segmenter(settings, training, folder)
    segmenter.run(resume=True)
    likely = segmenter.probabilities(images)
    title = PEERS[trainer]
    rows = {
        f"{title}, best tree": row_of([best_tree(one).tree for one in likely], masks),
        f"{title}, then IGM": row_of(decomposed(likely > 0.5, plan, 0), masks),
        f"{title}, no tree": {"accuracy_each": accuracy_each(likely > 0.5, masks)},
    }
    before = (decomposed(likely > 0.5, plan, LOOKAHEAD, price) for price in PRICES)
    curves = {**curves_of_map(title, likely, masks), f"{title}, lookahead at a price": points(before, masks)}
    return {"epochs": segmenter.epoch, "rows": rows, "curves": curves}


def row_of(trees: Sequence[ParseTree], masks: np.ndarray) -> dict[str, Any]:
    """How right the trees are, and how large."""
    each = [tree.accuracy(mask) for tree, mask in zip(trees, masks, strict=True)]
    return {"accuracy_each": each, "rectangles": float(np.mean([tree.leaf_count for tree in trees]))}


def accuracy_each(labels: np.ndarray, masks: np.ndarray) -> list[float]:
    """The share of each image's pixels that is labelled right."""
    right: list[float] = (labels == masks).mean(axis=(1, 2)).tolist()
    return right


def curves_of_map(title: str, likely: np.ndarray, masks: np.ndarray) -> dict[str, list[dict[str, float]]]:
    """Accuracy of the best trees: of so many rectangles each, and of a price, where hard images may have more."""
    counted = ([best_tree(one, rectangles=count).tree for one in likely] for count in RECTANGLES)
    priced = ([best_tree(one, price=price).tree for one in likely] for price in PRICES)
    return {title: points(counted, masks), f"{title}, at a price": points(priced, masks)}


def points(several: Iterator[Sequence[ParseTree]], masks: np.ndarray) -> list[dict[str, float]]:
    """Mean accuracy and rectangles of one list of trees after the other."""
    rows = [row_of(trees, masks) for trees in several]
    return [{"accuracy": float(np.mean(row["accuracy_each"])), "rectangles": row["rectangles"]} for row in rows]


def reliability(parser: Parser, forests: list[Forest], masks: np.ndarray) -> dict[str, Any]:
    """How right labels are, over how sure the parser is of them, and how far it is off."""
    found = parser.reliability(forests, masks)
    return {**{name: column.tolist() for name, column in found._asdict().items()}, "error": found.error}


def evidence(policy: Policy, images: np.ndarray) -> np.ndarray:
    """(images, side, side): how likely each pixel is paint, flips averaged."""
    return Seen.by(policy.eval(), to_pixels(images), flips=True).likely.numpy()


def decomposed(masks: np.ndarray, plan: Plan, lookahead: int, price: float = 0.0) -> list[ParseTree]:
    """The oracle's trees of masks, within the depth of the training."""
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
    over_images: str
    """The interval of its difference to the strongest peer, in points: images drawn anew."""
    over_splits: str
    """The same, with each split as one observation."""

    def percent(self) -> str:
        """Mean and standard deviation."""
        spread = f" ± {np.std(self.accuracy, ddof=1):.2f}" if len(self.accuracy) > 1 else ""
        return f"{np.mean(self.accuracy):.2f}{spread}"


def strongest_peer(results: dict[str, Any]) -> str:
    """The peer's tree that is most accurate on test images."""
    titles = [f"{title}, best tree" for title in PEERS.values()]
    means = {
        title: np.mean(
            [np.mean(run["rows"][title]["accuracy_each"]) for run in results["runs"] if title in run["rows"]]
        )
        for title in titles
        if any(title in run["rows"] for run in results["runs"])
    }
    return max(means, key=lambda title: float(means[title]), default=titles[0])


def rows_of(results: dict[str, Any]) -> dict[str, Row]:
    """All ways by title, each held against the strongest peer on the same test images."""
    each: dict[str, dict[int, dict[int, float]]] = {}
    rectangles: dict[str, list[float]] = {}
    for run in results["runs"]:
        for title, row in run["rows"].items():
            each.setdefault(title, {})[run["fold"]] = dict(zip(run["test"], row["accuracy_each"], strict=True))
            rectangles.setdefault(title, []).append(row.get("rectangles", np.nan))
    peer = strongest_peer(results)
    found = {}
    for title, folds in each.items():
        over_images = over_splits = "–"
        both = sorted(set(folds) & set(each.get(peer, {})))
        if title != peer and both:
            differences = [
                {image: folds[fold][image] - each[peer][fold][image] for image in folds[fold]} for fold in both
            ]
            over_images = signed_interval(paired_bootstrap(differences), 2)
            over_splits = split_interval([float(np.mean(list(one.values()))) for one in differences])
        accuracy = [100 * float(np.mean(list(images.values()))) for images in folds.values()]
        found[title] = Row(accuracy, float(np.mean(rectangles[title])), over_images, over_splits)
    return found | finest_rows(results)


def finest_rows(results: dict[str, Any]) -> dict[str, Row]:
    """The best trees at the lowest price, of which the curves keep one mean per split; held against the peer's."""
    means: dict[str, dict[int, dict[str, float]]] = {}
    for run in results["runs"]:
        for title, line in run["curves"].items():
            owner, _, way = title.rpartition(", ")
            if way == "at a price":
                means.setdefault(owner, {})[run["fold"]] = line[PRICES.index(FINEST)]
    peer = strongest_peer(results).removesuffix(", best tree")
    found = {}
    for owner, folds in means.items():
        both = sorted(set(folds) & set(means.get(peer, {})))
        apart = [folds[fold]["accuracy"] - means[peer][fold]["accuracy"] for fold in both]
        accuracy = [100 * folds[fold]["accuracy"] for fold in sorted(folds)]
        size = float(np.mean([point["rectangles"] for point in folds.values()]))
        over_splits = "–" if owner == peer else split_interval(apart)
        found[f"{owner}, at the price {FINEST:g}"] = Row(accuracy, size, "–", over_splits)
    return found


def split_interval(differences: list[float]) -> str:
    """Student's interval of a mean over splits, in points."""
    if len(differences) < 2:
        return "–"
    mean = float(np.mean(differences))
    reach = student(len(differences) - 1) * float(np.std(differences, ddof=1)) / len(differences) ** 0.5
    return signed_interval(Interval(mean, mean - reach, mean + reach))


def table(results: dict[str, Any]) -> str:
    """All ways as Markdown, with the intervals of each minus the strongest peer."""
    made = made_on(results["runs"], [TITLES[run["trainer"]] for run in results["runs"]])
    lines = [
        f"# The strongest parser on {results['data']}",
        "",
        f"{plural(results['folds'], 'random split')} (seed {results['seed']}), "
        f"{results['runs'][0]['minutes']:g} minutes of "
        "training a run on all cores,",
        f"flips averaged unless said otherwise; preset best trained by {results['method']}. The strongest peer is",
        f"*{strongest_peer(results)}*. {made}.",
        "Made by `python benchmarks/strongest.py`.",
        "",
        f"Trees are the best at the price {DEFAULT_PRICE:g}, which is the default, unless said otherwise; those at the",
        f"price {FINEST:g} are held against the peer's at that price, over splits only.",
        "",
        "| row | test % | splits | rectangles | minus the peer, over images | over splits |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for title, row in rows_of(results).items():
        size = "–" if np.isnan(row.rectangles) else f"{row.rectangles:.1f}"
        lines.append(
            f"| {title} | {row.percent()} | {len(row.accuracy)} | {size} | {row.over_images} | {row.over_splits} |"
        )
    lines += ["", *curve_lines(results)]
    if any("reliability" in run for run in results["runs"]):
        lines += ["", *reliability_lines(results)]
    return "\n".join([*lines, ""])


def curves_of(results: dict[str, Any]) -> dict[str, np.ndarray]:
    """Of every way, (points, 2): rectangles and accuracy, means over the splits."""
    found: dict[str, list[list[list[float]]]] = {}
    for run in results["runs"]:
        for title, line in run["curves"].items():
            found.setdefault(title, []).append([[point["rectangles"], point["accuracy"]] for point in line])
    return {title: np.mean(several, axis=0) for title, several in found.items()}


def curve_lines(results: dict[str, Any]) -> list[str]:
    """Accuracy over rectangles."""
    lines = [
        "Accuracy in percent over the mean number of rectangles: of the best trees of at most 5, 10, 20, 40 and 60, of",
        "the best trees at a price, and, as it was before, of lookahead pruned at a price:",
        "",
        "| way | rectangles: % |",
        "| --- | --- |",
    ]
    for title, line in curves_of(results).items():
        shown = ", ".join(f"{size:.1f}: {100 * accuracy:.2f}" for size, accuracy in sorted(line.tolist()))
        lines.append(f"| {title} | {shown} |")
    return lines


def draw_curves(results: dict[str, Any], path: Path) -> None:
    """The same as a figure: a colour per network, a style per way."""
    figure = new_figure(620, 380)
    axes = chart(figure, 56, 16, 550, 320)
    styles = {"lookahead at a price": "--", "at a price": ":"}
    owners: list[str] = []
    for title, line in curves_of(results).items():
        owner, _, way = title.partition(", ")
        owners.extend([owner] if owner not in owners else [])
        rectangles, accuracy = line[line[:, 0].argsort()].T
        axes.plot(
            rectangles, 100 * accuracy, label=title, color=f"C{owners.index(owner)}", linestyle=styles.get(way, "-"),
            linewidth=1.2, marker="o", markersize=3,
        )  # fmt: skip
    axes.set_xlabel("rectangles")
    axes.set_ylabel("accuracy in %")
    axes.set_xlim(0, 65)
    axes.legend(loc="lower right", frameon=False, fontsize=8)
    write_bytes(path, figure_png(figure))


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
