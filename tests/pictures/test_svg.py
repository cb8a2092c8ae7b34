"""The SVG of a decomposition: well-formed, complete, self-contained, and safe whatever the image is called."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from shapeparse.grammar import Rule
from shapeparse.pictures import toy_object, tree_svg

SVG = "{http://www.w3.org/2000/svg}"


def leaves(svg):
    return [rect for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "leaf" in rect.attrib["class"].split()]


@pytest.mark.parametrize(("width", "height", "depth"), [(1, 1, 3), (5, 1, 3), (60, 40, 7), (30, 200, 0)])
def test_the_rectangles_tile_the_image_and_carry_the_labels(random_tree, width, height, depth):
    tree = random_tree(width, height, depth)
    labels, covered = np.zeros((height, width), bool), np.zeros((height, width), int)
    for rect in leaves(tree_svg(tree)):
        x, y, w, h = (int(rect.get(key)) for key in ("x", "y", "width", "height"))
        covered[y : y + h, x : x + w] += 1
        labels[y : y + h, x : x + w] = "paint" in rect.attrib["class"].split()
    assert (covered == 1).all()
    assert np.array_equal(labels, tree.labels())


def test_every_leaf_names_its_node_and_depth_and_has_a_tooltip(random_tree):
    tree = random_tree(60, 40, 5)
    found = leaves(tree_svg(tree))
    assert [int(rect.get("data-node")) for rect in found] == np.flatnonzero(tree.is_leaf).tolist()
    for rect in found:
        node = int(rect.get("data-node"))
        assert int(rect.get("data-depth")) == tree.depth[node]
        assert rect.find(f"{SVG}title").text == (
            f"{Rule(tree.rule[node]).label}, {tree.w[node]}×{tree.h[node]} px "
            f"at ({tree.x[node]}, {tree.y[node]}), depth {tree.depth[node]}"
        )


def test_the_view_box_is_in_pixels_and_strokes_do_not_scale():
    _, _, tree = toy_object()
    svg = tree_svg(tree)
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == "0 0 96 72"
    assert int(root.get("width")) / int(root.get("height")) == 96 / 72
    assert "non-scaling-stroke" in svg


def test_the_photograph_is_embedded_and_nothing_else_is_referred_to():
    image, _, tree = toy_object()
    svg = tree_svg(tree, image)
    (element,) = ElementTree.fromstring(svg).iter(f"{SVG}image")
    head, data = element.attrib["href"].split(",")
    assert head == "data:image/jpeg;base64"
    decoded = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))), int)
    assert np.abs(decoded - image).mean() < 4
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_large_photographs_are_reduced(random_tree):
    tree = random_tree(2000, 4, 1)
    (element,) = ElementTree.fromstring(tree_svg(tree, np.zeros((4, 2000), np.uint8))).iter(f"{SVG}image")
    assert Image.open(io.BytesIO(base64.b64decode(element.attrib["href"].split(",")[1]))).width == 1600
    assert element.get("width") == "2000"


def test_hostile_names_are_only_text(hostile_name):
    _, _, tree = toy_object()
    svg = tree_svg(replace(tree, name=hostile_name))
    root = ElementTree.fromstring(svg.encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "style", "rect", "g", "path"}
    title = root.findtext(f"{SVG}title")
    assert title is not None
    assert title.isprintable()
    assert title[0] == hostile_name[0]
    assert len(title) <= 80


def test_the_same_tree_gives_the_same_text():
    image, _, tree = toy_object()
    assert tree_svg(tree, image) == tree_svg(tree, image)
