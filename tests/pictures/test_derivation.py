"""The derivation figure: every node is in it, it reads well at any size, and its files are repeatable."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon
from PIL import Image

from shapeparse.grammar import Rule
from shapeparse.pictures import derivation_figure, figure_png, figure_svg, toy_object
from shapeparse.pictures.layout import lay_out
from shapeparse.support.errors import UserError


def node_artists(figure):
    found = figure.findobj(lambda artist: re.fullmatch(r"node-\d+", artist.get_gid() or "") is not None)
    return {int(artist.get_gid()[5:]): artist for artist in found}


def texts(figure):
    return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]


@pytest.mark.parametrize("depth", [0, 1, 3, 7])
def test_every_node_has_its_artist_in_the_figure_and_its_files(random_tree, depth):
    tree = random_tree(90, 60, depth)
    figure = derivation_figure(tree)
    assert sorted(node_artists(figure)) == list(range(len(tree)))
    ids = {element.get("id") for element in ElementTree.fromstring(figure_svg(figure)).iter()}
    assert {f"node-{node}" for node in range(len(tree))} <= ids


def test_leaves_have_the_colour_of_their_label():
    image, mask, tree = toy_object()
    for node, artist in node_artists(derivation_figure(tree, image, mask)).items():
        red, _, blue = to_rgb(artist.get_facecolor())
        if tree.rule[node] == Rule.PAINT:
            assert red > blue
        if tree.rule[node] == Rule.SKIP:
            assert red < blue


def test_inner_nodes_are_labelled_with_their_rule_and_location():
    image, mask, tree = toy_object()
    shown = texts(derivation_figure(tree, image, mask))
    assert [text for text in shown if " : " in text] == ["y : 0.61", *["x : 0.31", "x : 0.08"],
        *["x : 0.58", "x : 0.91"], "y : 0.36"]  # fmt: skip
    assert "7 segments, 100.0 % right" in shown
    assert "parse tree of toy: 13 nodes, depth 4" in shown


def test_numbers_tie_the_leaves_of_a_small_tree_to_their_segments():
    image, mask, tree = toy_object()
    shown = texts(derivation_figure(tree, image, mask))
    assert all(shown.count(str(number)) == 2 for number in range(1, 8))


def test_words_never_overlap_in_a_large_tree(random_tree):
    figure = derivation_figure(random_tree(200, 200, 7))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.findobj(mpl.text.Text) if text.get_text()]
    whole = figure.bbox
    for i, box in enumerate(boxes):
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_shallow_splits_have_thicker_lines(random_tree):
    tree = random_tree(80, 80, 4)
    (splits,) = derivation_figure(tree).findobj(lambda artist: artist.get_gid() == "splits")
    assert isinstance(splits, LineCollection)
    widths = np.asarray(splits.get_linewidth())
    assert len(widths) == (~tree.is_leaf).sum()
    assert list(widths) == sorted(widths)  # the deepest are drawn first
    assert widths[-1] > 2 * widths[0]


@pytest.mark.parametrize("max_depth", [0, 2, 4])
def test_deeper_subtrees_collapse_into_triangles_coloured_by_their_share_of_paint(random_tree, max_depth):
    tree = random_tree(80, 80, 6)
    artists, layout = node_artists(derivation_figure(tree, max_depth=max_depth)), lay_out(tree, max_depth)
    assert sorted(artists) == np.flatnonzero(tree.depth <= max_depth).tolist()
    triangles = [node for node, artist in artists.items() if isinstance(artist, Polygon)]
    assert sorted(triangles) == np.flatnonzero(layout.collapsed).tolist()
    warm = [to_rgb(artists[node].get_facecolor())[0] for node in sorted(triangles, key=lambda n: layout.paint_share[n])]
    assert warm == sorted(warm)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (400, 10), (10, 400), (64, 64)])
def test_images_of_any_shape_fit_the_page(random_tree, width, height):
    tree = random_tree(width, height, 3, name="n" * 100)
    image, mask = np.zeros((height, width, 3), np.uint8), np.ones((height, width), bool)
    figure = derivation_figure(tree, image, mask)
    picture = Image.open(io.BytesIO(figure_png(figure)))
    assert 1 < picture.width / picture.height < 6
    for text in figure.findobj(mpl.text.Text):
        if text.get_text():
            assert figure.bbox.x0 <= text.get_window_extent().x0
            assert text.get_window_extent().x1 <= figure.bbox.x1


def test_without_image_and_mask_there_is_no_object_panel(random_tree):
    tree = random_tree(40, 40, 2)
    assert len(derivation_figure(tree).axes) == 2
    assert len(derivation_figure(tree, mask=tree.labels()).axes) == 3


def test_a_mask_of_another_size_is_refused_in_words():
    _, mask, tree = toy_object()
    with pytest.raises(UserError, match="give the mask of the same image"):
        derivation_figure(tree, mask=mask.T)


def test_hostile_names_are_only_text_and_raise_no_warning(random_tree, hostile_name):
    tree = random_tree(4, 3, depth=1, name=hostile_name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = derivation_figure(tree)
        figure_png(figure)
        root = ElementTree.fromstring(figure_svg(figure))
    assert not [element for element in root.iter() if "script" in element.tag]


def test_files_are_the_same_every_time_whatever_the_user_s_settings():
    image, mask, tree = toy_object()
    first = derivation_figure(tree, image, mask)
    png, svg = figure_png(first), figure_svg(first)
    unusual = {"font.size": 30, "savefig.bbox": "tight", "lines.linewidth": 9, "savefig.dpi": 20, "text.usetex": True}
    with mpl.rc_context(unusual | {"image.origin": "lower", "image.interpolation": "nearest", "axes.grid": True}):
        again = derivation_figure(tree, image, mask)
        assert figure_png(again) == png
        assert figure_svg(again) == svg
    assert b"dc:date" not in svg
    assert b"/home" not in svg
    assert b"/work" not in svg


def test_drawing_leaves_matplotlib_s_settings_alone():
    _, _, tree = toy_object()
    before = dict(mpl.rcParams)
    figure_svg(derivation_figure(tree))
    assert dict(mpl.rcParams) == before


def test_pyplot_is_never_imported():
    code = "import sys, shapeparse.pictures; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, env={"PYTHONPATH": ":".join(sys.path)}).returncode
        == 0
    )
