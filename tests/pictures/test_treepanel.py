"""The tree panel: sizes that suit the tree, an artist a node, and words only where they have room."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.axes import Axes

from shapeparse import ParseTree
from shapeparse.pictures import toy_object
from shapeparse.pictures.figures import new_figure, panel
from shapeparse.pictures.layout import lay_out
from shapeparse.pictures.treepanel import FEW_LEAVES, draw_tree, is_numbered, measures, rule_words, split_width


def panel_of(tree: ParseTree, max_depth: int | None = None) -> Axes:
    layout = lay_out(tree, max_depth)
    sizes = measures(tree, layout, thumbnails=False, least_width=0)
    axes = panel(new_figure(sizes.width, sizes.height), 0, 0, sizes.width, sizes.height)
    draw_tree(axes, tree, layout, sizes, None)
    return axes


def words(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("depth", [0, 3, 9])
def test_everything_lies_within_the_panel(random_tree: Callable[..., ParseTree], depth: int) -> None:
    tree = random_tree(64, 64, depth)
    layout = lay_out(tree)
    sizes = measures(tree, layout, thumbnails=True, least_width=300)
    assert sizes.width >= max(300, layout.slots * sizes.pitch)
    assert sizes.height > (sizes.levels - 1) * sizes.level
    assert sizes.leaf <= sizes.pitch
    assert sizes.levels == depth + 1


def test_a_stretched_panel_fills_its_height_but_levels_part_by_half_at_most(random_tree) -> None:
    tree = random_tree(32, 32, 4)
    sizes = measures(tree, lay_out(tree), thumbnails=False, least_width=0)
    assert sizes.stretched(sizes.height + 8).level == sizes.level + 2
    assert sizes.stretched(10_000).level == 1.5 * sizes.level
    assert sizes.stretched(10_000).height == 10_000


def test_the_rule_of_a_node_is_its_axis_and_where_it_is_cut() -> None:
    tree = toy_object()[2]
    assert rule_words(tree, 0) == ("y : 0.61", "y")  # 44 of 72 rows
    assert "y : 0.61" in words(panel_of(tree))


def test_leaves_are_numbered_while_they_are_few_and_all_drawn(random_tree) -> None:
    toy = toy_object()[2]
    assert is_numbered(lay_out(toy))
    assert not is_numbered(lay_out(toy, max_depth=1))
    large = random_tree(64, 64, 5)
    assert large.leaf_count > FEW_LEAVES
    assert not is_numbered(lay_out(large))
    assert [word for word in words(panel_of(toy)) if word.isdigit()] == [str(number) for number in range(1, 8)]


def test_the_legend_names_what_occurs() -> None:
    toy = toy_object()[2]
    assert not any(word.startswith("subtree") for word in words(panel_of(toy)))
    assert any(word.startswith("subtree") for word in words(panel_of(toy, max_depth=1)))


def test_the_shallower_a_split_the_thicker_its_line() -> None:
    widths = [split_width(depth) for depth in range(12)]
    assert widths == sorted(widths, reverse=True)
    assert (widths[0], widths[-1]) == (3, 0.5)


def test_every_node_has_an_artist(random_tree) -> None:
    tree = random_tree(40, 40, 3)
    drawn = {patch.get_gid() for patch in panel_of(tree).patches}
    assert {f"node-{node}" for node in range(len(tree))} <= drawn
