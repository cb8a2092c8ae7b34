"""Teachers: each acts, knows what actions are worth, and follows when a mask is replaced."""

from __future__ import annotations

import numpy as np
import pytest

from shapeparse import Limits, Nodes, Oracle, expand
from shapeparse.oracle.optimal import OptimalOracle
from shapeparse.oracle.teachers import TeacherName, make_teacher
from shapeparse.support.limits import LOOKAHEAD

LIMITS = Limits(4)
rows, columns = np.mgrid[:24, :24]
DISC = (rows - 11) ** 2 + (columns - 12) ** 2 < 70


def test_every_name_has_its_oracle() -> None:
    greedy, ahead, best = (make_teacher([DISC], LIMITS, name) for name in ("igm", "lookahead", "optimal"))
    assert isinstance(greedy, Oracle) and greedy.lookahead == 0
    assert isinstance(ahead, Oracle) and ahead.lookahead == LOOKAHEAD
    assert isinstance(best, OptimalOracle)


def test_at_its_price_the_optimal_teacher_is_worth_most() -> None:
    price = 0.005
    worth = {}
    for name in ("igm", "lookahead", "optimal"):
        teacher = make_teacher([DISC], LIMITS, name, price=price)
        (tree,) = expand(teacher.sizes, teacher, LIMITS).trees()
        worth[name] = tree.accuracy(DISC) - price * tree.leaf_count
    assert worth["optimal"] >= max(worth.values())


@pytest.mark.parametrize("name", ["igm", "lookahead", "optimal"])
def test_a_replaced_mask_is_what_is_taught_from_then_on(name: TeacherName) -> None:
    teacher, fresh = make_teacher([DISC], LIMITS, name), make_teacher([~DISC], LIMITS, name)
    teacher.replace(0, ~DISC)
    roots = Nodes.roots(teacher.sizes)
    assert teacher(roots).rule.tolist() == fresh(roots).rule.tolist()
    actions = fresh(roots)
    assert teacher.cost_to_go(roots, actions) == pytest.approx(fresh.cost_to_go(roots, actions))
