"""How fast parsing is: against the authors' way, node by node, and against a U-Net whose map is searched as ours is.

    python benchmarks/parsing.py [--images 64] [--files 512]

Everything is timed in one run, in turns. Writes results/speed/parsing.json and parsing.md.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
import tyro
from machine import REPOSITORY, facts
from PIL import Image

from shapeparse import load
from shapeparse.commands import parse as parse_command
from shapeparse.data.generator import generate
from shapeparse.data.images import read_image, resize_image
from shapeparse.grammar import Actions, Limits, Nodes, ParseTree, split_children
from shapeparse.networks.folding import folded
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import PRESETS
from shapeparse.networks.views import to_pixels
from shapeparse.oracle.optimal import best_tree
from shapeparse.parsing.actors import PolicyActor
from shapeparse.parsing.parallel import side_by_side
from shapeparse.parsing.settings import ParseSettings
from shapeparse.parsing.trees import AT_ONCE, WITHIN_DEPTH, Seen, parse_images, parse_seen
from shapeparse.peers.segmenter import SegmenterSettings, begin_with_pretrained, predict
from shapeparse.peers.unet import LiteUNet, UNet
from shapeparse.support.files import make_folder, write_json, write_text

LIMITS = Limits(7)
BATCH = 32
FEW = 2
"""Images of the slowest ways."""


def main(images: int = 64, rounds: int = 3, files: int = 512, out: Path = REPOSITORY / "results" / "speed") -> None:
    """Time all ways in turns, then files to files.

    Args:
        images: how many images.
        rounds: how often each way is timed; the best counts.
        files: how many JPEG files become JSON files.
        out: where the results go.
    """
    pixels = np.stack([generate(0, index, 256)[0] for index in range(images)])
    torch.manual_seed(0)
    rows = timed(same_network(pixels), images, rounds)
    against = timed(other_networks(pixels), images, rounds)
    stages, a_minute = from_files(pixels, files)
    found = {"images": images, "rows": rows, "against": against, "stages": stages, "photographs_a_minute": a_minute}
    write_json(make_folder(out) / "parsing.json", {**found, **facts()})
    lines = [
        "# Speed of parsing",
        "",
        f"Depth 7, {images} images of 256x256 made by shapeparse's generator; the best of {rounds} rounds. Made by",
        "`python benchmarks/parsing.py`.",
        "",
        "The same network, preset fast, and the same trees each way:",
        "",
        *table(rows),
        "",
        "The preset best, as it comes with the package, against other networks. The U-Net on the same encoder has the",
        "pretrained parser's weights, so it sees the same map; the one from scratch is untrained, and what is searched",
        "is that map too. All of them run folded, and as many images side by side as there are cores.",
        "",
        *table(against),
        "",
        f"From JPEG files to JSON files with the preset best, {files} photographs of 256x256 on all cores:",
        "",
        "| command | photographs a minute |",
        "| --- | ---: |",
        *(f"| `{command}` | {rate:.0f} |" for command, rate in a_minute.items()),
        "",
        "Where the time goes, stage by stage, in milliseconds a photograph:",
        "",
        f"| stage | {' | '.join(f'`{command}`' for command in stages)} |",
        f"| --- |{' ---: |' * len(stages)}",
        *(
            f"| {stage} | {' | '.join(f'{times[stage]:.2f}' for times in stages.values())} |"
            for stage in next(iter(stages.values()))
        ),
        "",
    ]
    write_text(out / "parsing.md", "\n".join(lines))
    print("\n".join(lines))


def timed(ways: dict[str, Callable[[], tuple[int, int]]], images: int, rounds: int) -> list[dict[str, Any]]:
    """The time of each way, which says how many images and nodes it parsed."""
    best: dict[str, float] = {}
    counts: dict[str, tuple[int, int]] = {}
    for _ in range(rounds + 1):  # the first round warms up
        for name, way in ways.items():
            if name in best and counts[name][0] < images and best[name] > 1:  # too slow to be repeated
                continue
            start = perf_counter()
            counts[name] = way()
            best[name] = min(best.get(name, np.inf), perf_counter() - start)
    rows: list[dict[str, Any]] = [
        {
            "way": name,
            "ms_an_image": 1e3 * best[name] / counts[name][0],
            "nodes_an_image": counts[name][1] / counts[name][0],
        }
        for name in ways
    ]
    for row in rows:
        row["ratio"] = row["ms_an_image"] / rows[0]["ms_an_image"]
    return rows


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows as Markdown; how much slower each is than the first."""
    return [
        "| way | ms an image | nodes an image | times the first |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {r['way']} | {r['ms_an_image']:.2f} | {r['nodes_an_image']:.0f} | {r['ratio']:.2f} |" for r in rows),
    ]


def same_network(pixels: np.ndarray) -> dict[str, Callable[[], tuple[int, int]]]:
    """Level by level, and the authors' way, with the same network and trees."""
    policy = splitting_policy("fast")
    return {
        f"level by level, {BATCH} images at a time": lambda: level_by_level(policy, pixels, WITHIN_DEPTH),
        "node by node, image by image, encoded once": lambda: node_by_node(policy, pixels, LIMITS, False),
        "node by node, looking at the image again for every node": lambda: node_by_node(
            policy, pixels[:FEW], LIMITS, True
        ),
    }


def other_networks(pixels: np.ndarray) -> dict[str, Callable[[], tuple[int, int]]]:
    """The preset best with and without what makes it stronger, and what it competes with."""
    best, fast, paper = load().policy, splitting_policy("fast"), splitting_policy("paper")
    maps = Seen.by(best, to_pixels(pixels), flips=True).likely.numpy()
    peers = {"U-Net on the same encoder": same_eyes(), "U-Net from scratch": UNet(SegmenterSettings().widths)}

    def parse(**settings: Any) -> Callable[[], tuple[int, int]]:
        return lambda: level_by_level(best, pixels, ParseSettings(**settings))

    def segment(title: str, flips: bool) -> Callable[[], tuple[int, int]]:
        network = folded(peers[title]).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        own = isinstance(peers[title], LiteUNet)

        def trees(first: int) -> list[ParseTree]:
            some = slice(first, first + BATCH)
            likely = predict(network, pixels[some], flips, AT_ONCE)
            return [best_tree(one).tree for one in (likely if own else maps[some])]

        def all_of_them() -> tuple[int, int]:
            found = [tree for some in side_by_side(trees, range(0, len(pixels), BATCH)) for tree in some]
            return len(found), sum(len(tree) for tree in found)

        return all_of_them

    return {
        "best": parse(),
        "best, flips not averaged": parse(flips=False),
        "best, lookahead": parse(search="lookahead"),
        "best, its policy, flips not averaged": parse(search="policy", flips=False),
        **{f"{title}, best tree": segment(title, True) for title in peers},
        **{f"{title}, flips not averaged, best tree": segment(title, False) for title in peers},
        "fast, level by level": lambda: level_by_level(fast, pixels, WITHIN_DEPTH),
        "paper, node by node (the authors' way)": lambda: node_by_node(paper, pixels[:FEW], Limits(7, 25), True),
    }


def same_eyes() -> LiteUNet:
    """The U-Net on the same encoder, with the pretrained parser's weights: the same map."""
    widths = PRESETS["best"].widths
    unet = LiteUNet(widths)
    begin_with_pretrained(unet, widths)
    return unet


def splitting_policy(preset: str) -> Policy:
    """An untrained policy biased to split, so that its trees are as large as a trained one's or larger."""
    policy = Policy(PRESETS[preset]).eval()
    with torch.no_grad():
        policy.rule.bias.copy_(torch.tensor([1.0, 1.0, 0.0]))
        policy.rule.weight.normal_(0, 0.3)
    return policy


def level_by_level(policy: Policy, images: np.ndarray, settings: ParseSettings) -> tuple[int, int]:
    """All nodes of a level of many images at once."""
    forests = parse_images(policy, images, LIMITS, batch=BATCH, settings=settings)
    return len(images), sum(len(forest) for forest in forests)


def node_by_node(policy: Policy, images: np.ndarray, limits: Limits, encode_each_node: bool) -> tuple[int, int]:
    """The authors' way: depth-first, one network call a node, one image after the other."""
    count = 0
    for image in images:
        sizes = np.array([[image.shape[1], image.shape[0]]], np.int32)
        with torch.no_grad():
            encoded = policy.encode(to_pixels(image[None]))
        stack = [Nodes.roots(sizes)]
        while stack:
            node = stack.pop()
            if encode_each_node:
                with torch.no_grad():
                    encoded = policy.encode(to_pixels(image[None]))
            actions = PolicyActor(policy, encoded, sizes, limits)(node)
            count += 1
            if actions.splits[0]:
                children = split_children(node, Actions(actions.rule, actions.cut))
                stack += [children.take(np.array([1])), children.take(np.array([0]))]
    return len(images), count


WAYS = {
    "shapeparse parse": ParseSettings(),
    "shapeparse parse --no-flips": ParseSettings(flips=False),
    "shapeparse parse --no-flips --search policy": ParseSettings(flips=False, search="policy"),
}
"""Commands, and the settings that they stand for."""


def from_files(pixels: np.ndarray, files: int) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """For every command: milliseconds a photograph in each stage, and photographs a minute."""
    with tempfile.TemporaryDirectory() as folder:
        photographs, trees = make_folder(Path(folder) / "photographs"), make_folder(Path(folder) / "trees")
        for index in range(files):
            Image.fromarray(pixels[index % len(pixels)]).save(photographs / f"{index:04}.jpg", quality=92)
        paths = sorted(photographs.iterdir())[: len(pixels)]
        stages = {command: stages_of(paths, trees, settings) for command, settings in WAYS.items()}
        rates = {}
        for number, (command, settings) in enumerate(WAYS.items()):
            args = parse_command.Args(
                (photographs,), out=Path(folder) / f"parsed{number}", formats=("json",),
                no_flips=not settings.flips,
                search=settings.search,
            )  # fmt: skip
            start = perf_counter()
            with contextlib.redirect_stdout(io.StringIO()):
                parse_command.run(args)
            rates[command] = files / (perf_counter() - start) * 60
    return stages, rates


def stages_of(paths: list[Path], out: Path, settings: ParseSettings) -> dict[str, float]:
    """Milliseconds a photograph in each stage from a JPEG file to a JSON file, one stage after the other."""
    policy = load().policy
    times = dict.fromkeys(("decoding", "network", "tree", "writing"), 0.0)

    def took(stage: str, since: float) -> float:
        now = perf_counter()
        times[stage] += 1e3 * (now - since) / len(paths)
        return now

    for first in range(0, len(paths), BATCH):
        some = paths[first : first + BATCH]
        now = perf_counter()
        images = np.stack([resize_image(read_image(path), 256) for path in some])
        now = took("decoding", now)
        seen = Seen.by(policy, to_pixels(images), settings.flips)
        now = took("network", now)
        sizes = np.full((len(some), 2), 256, np.int32)
        trees = parse_seen(policy, seen, sizes, LIMITS, settings).trees([path.name for path in some])
        now = took("tree", now)
        for path, tree in zip(some, trees, strict=True):
            tree.save(out / f"{path.stem}.json")
        took("writing", now)
    return {**times, "all": sum(times.values())}


if __name__ == "__main__":
    tyro.cli(main)
