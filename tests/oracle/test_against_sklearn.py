"""IGM is a decision tree of binary entropy on (x, y): scikit-learn's must agree, up to ties.

scikit-learn breaks ties between cuts of equal gain by the random order in which it looks at the axes, and it takes a
best cut that gains nothing, where IGM stops. Wherever the two trees part, this is shown to be why.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from shapeparse import ParseTree, Rule, igm
from shapeparse.oracle import twins

from ..conftest import one


def fitted(mask: np.ndarray, depth: int = 7) -> tuple[DecisionTreeClassifier, float]:
    height, width = mask.shape
    places = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).astype(np.float32)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(places, mask.ravel())
    return tree, tree.score(places, mask.ravel())


def parted(tree: ParseTree, other, mask: np.ndarray, node: int = 0, its: int = 0) -> bool:
    """Whether the trees part somewhere below a node; if so, it is asserted to be at a tie."""
    box = tuple(int(column[node]) for column in (tree.x, tree.y, tree.w, tree.h))
    is_split, its_split = tree.rule[node] < Rule.PAINT, other.children_left[its] >= 0
    if not is_split and not its_split:
        return False
    own = (int(tree.rule[node]), int(tree.cut[node])) if is_split else None
    axis = int(other.feature[its])
    its_own = (axis, int(np.ceil(other.threshold[its])) - box[axis]) if its_split else None
    if own != its_own:
        gains = [twins.gain(mask, box, *cut) if cut else 0.0 for cut in (own, its_own)]
        assert gains[0] == pytest.approx(gains[1], abs=1e-8 * box[2] * box[3])
        return True
    below = zip(tree.children[node], (other.children_left[its], other.children_right[its]), strict=True)
    return sum(parted(tree, other, mask, int(child), int(its_child)) for child, its_child in below) > 0


def random_mask(kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    height, width = (int(side) for side in rng.integers(2, 48, 2))
    if kind == "noise":
        return rng.random((height, width)) < rng.random()
    mask = np.zeros((height, width), bool)
    y, x = np.mgrid[:height, :width]
    for _ in range(4):
        cx, cy, rx, ry = rng.random(4) * [width, height, width / 2, height / 2] + [0, 0, 1, 1]
        ellipse = ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1
        mask ^= ellipse if kind == "blobs" else (abs(x - cx) < rx) & (abs(y - cy) < ry)
    return mask


@pytest.mark.parametrize("kind", ["noise", "blobs", "rectangles"])
def test_on_random_masks_the_trees_are_equal_up_to_ties(kind):
    equal = 0
    for seed in range(60):
        mask = random_mask(kind, seed)
        tree, (its, its_accuracy) = one(igm(mask, depth=7)), fitted(mask)
        if not parted(tree, its.tree_, mask):
            assert tree.accuracy(mask) == pytest.approx(its_accuracy, abs=1e-12)
            equal += 1
    assert equal >= 10


def test_on_every_third_car_the_accuracy_is_scikit_learns(car_panels):
    for mask in car_panels[::3]:
        assert one(igm(mask, depth=7)).accuracy(mask) == pytest.approx(fitted(mask)[1], abs=1e-12)


@pytest.mark.parametrize(("depth", "mean"), [(5, 0.9260), (7, 0.9625), (9, 0.9806), (11, 0.9913)])
def test_the_mean_accuracy_over_all_cars_is_the_known_one(car_panels, depth, mean):
    trees = igm(car_panels, depth=depth)
    accuracy = np.mean([tree.accuracy(mask) for tree, mask in zip(trees, car_panels, strict=True)])
    assert round(float(accuracy), 4) == mean


def test_lookahead_takes_the_cars_beyond_098(car_panels):
    some = car_panels[::6]
    trees = igm(some, depth=7, lookahead=8)
    assert np.mean([tree.accuracy(mask) for tree, mask in zip(trees, some, strict=True)]) >= 0.988
