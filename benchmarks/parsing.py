"""How fast parsing is: level by level for many images at once, against the authors' way, node by node.

    python benchmarks/parsing.py [--images 64]

Both use the same network and give the same trees. Writes results/speed/parsing.json and parsing.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
import tyro
from machine import REPOSITORY, facts

from shapeparse.data.generator import generate
from shapeparse.files import make_folder, write_json, write_text
from shapeparse.grammar import Actions, Limits, Nodes, split_children
from shapeparse.networks import PRESETS, Policy
from shapeparse.parsing import parse_images
from shapeparse.rollout import PolicyActor
from shapeparse.scenes import to_pixels

LIMITS = Limits(7)


def main(images: int = 64, rounds: int = 3, out: Path = REPOSITORY / "results" / "speed") -> None:
    """Time both ways in turns with the preset fast.

    Args:
        images: how many images.
        rounds: how often each is timed; the best counts.
        out: where the results go.
    """
    pixels = np.stack([generate(0, index, 256)[0] for index in range(images)])
    torch.manual_seed(0)
    policy = splitting_policy()
    ways: dict[str, Callable[[], int]] = {
        "level by level, 32 images at a time": lambda: sum(
            len(forest) for forest in parse_images(policy, pixels, LIMITS)
        ),
        "node by node, image by image, encoded once": lambda: node_by_node(policy, pixels, encode_each_node=False),
        "node by node, looking at the image again for every node": lambda: node_by_node(policy, pixels[:4], True),
    }
    rows: list[dict[str, Any]] = []
    for name, way in ways.items():
        way()
        timings = []
        for _ in range(rounds):
            start = perf_counter()
            nodes = way()
            timings.append(perf_counter() - start)
        count = 4 if "again" in name else images
        rows.append({"way": name, "ms_an_image": 1e3 * min(timings) / count, "nodes_an_image": nodes / count})
    for row in rows:
        row["ratio"] = row["ms_an_image"] / rows[0]["ms_an_image"]
        print(row)
    write_json(make_folder(out) / "parsing.json", {"images": images, "rows": rows, **facts()})
    lines = [
        "# Speed of parsing",
        "",
        f"Preset fast, depth 7, {images} images of 256x256, the same trees each way.",
        "Made by `python benchmarks/parsing.py`.",
        "",
        "| way | ms an image | nodes an image | times slower |",
        "| --- | --- | --- | --- |",
        *[f"| {r['way']} | {r['ms_an_image']:.1f} | {r['nodes_an_image']:.0f} | {r['ratio']:.1f} |" for r in rows],
        "",
    ]
    write_text(out / "parsing.md", "\n".join(lines))


def splitting_policy() -> Policy:
    """An untrained policy biased to split, so that its trees are as large as a trained one's or larger."""
    policy = Policy(PRESETS["fast"]).eval()
    with torch.no_grad():
        policy.rule.bias.copy_(torch.tensor([1.0, 1.0, 0.0]))
        policy.rule.weight.normal_(0, 0.3)
    return policy


def node_by_node(policy: Policy, images: np.ndarray, encode_each_node: bool) -> int:
    """The authors' way: depth-first, one network call a node, one image after the other; how many nodes there were."""
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
            actions = PolicyActor(policy, encoded, sizes, LIMITS)(node)
            count += 1
            if actions.splits[0]:
                children = split_children(node, Actions(actions.rule, actions.cut))
                stack += [children.take(np.array([1])), children.take(np.array([0]))]
    return count


if __name__ == "__main__":
    tyro.cli(main)
