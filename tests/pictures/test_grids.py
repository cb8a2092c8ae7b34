"""Grids of pictures: the cells, their order, scores, and what is refused."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from shapeparse.pictures import Cell, figure_png, figure_svg, grid, label_overlay, overlay, toy_object
from shapeparse.support.errors import UserError


def pictures(figure):
    return [axes for axes in figure.axes if axes.images]


def texts(figure):
    return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]


@pytest.fixture
def row():
    image, mask, tree = toy_object()
    return [Cell(image), Cell(mask, image), Cell(tree, image, tree.accuracy(mask))]


def test_cells_show_photograph_labels_and_segments(row):
    image, mask, tree = toy_object()
    shown = [axes.images[0].get_array() for axes in pictures(grid([row]))]
    for found, expected in zip(shown, [image, label_overlay(mask, image), overlay(tree, image)], strict=True):
        assert np.array_equal(found, expected)


def test_titles_names_and_accuracies_are_written(row):
    figure = grid([row, row[:2]], ["image", "truth", "oracle"], ["first", "second"])
    assert texts(figure) == ["image", "truth", "oracle", "first", "100.0 %", "second"]


def test_pictures_stand_in_columns_and_rows_without_overlap(row, random_tree):
    tall = [Cell(random_tree(10, 40, 2)), Cell(random_tree(40, 10, 2)), Cell(random_tree(1, 1, 0))]
    figure = grid([row, tall, [Cell(None), *row[1:]]], ["a", "b", "c"], ["r", "s", "t"])
    boxes = [axes.get_position() for axes in figure.axes if axes.images]
    assert len(boxes) == 8
    assert all(not box.overlaps(other) for i, box in enumerate(boxes) for other in boxes[:i])
    assert all(0 <= box.x0 < box.x1 <= 1 and 0 <= box.y0 < box.y1 <= 1 for box in boxes)
    assert [round(box.x0, 6) for box in boxes[:3]] == sorted(round(box.x0, 6) for box in boxes[:3])


def test_pictures_keep_their_shape(random_tree):
    figure = grid([[Cell(random_tree(30, 40, 2)), Cell(random_tree(40, 30, 2))]])
    width, height = figure.get_size_inches()
    shapes = [axes.get_position().width * width / (axes.get_position().height * height) for axes in pictures(figure)]
    assert shapes == pytest.approx([30 / 40, 40 / 30])


def test_files_decode_and_are_the_same_every_time(row):
    first, second = (grid([row[1:]], ["truth", "oracle"]) for _ in range(2))
    assert Image.open(io.BytesIO(figure_png(first))).width > 600
    assert figure_png(first) == figure_png(second)
    assert figure_svg(first) == figure_svg(second)


def test_hostile_names_are_only_text(hostile_name):
    figure = grid([[Cell(np.zeros((2, 3), np.uint8))]], [hostile_name], [hostile_name])
    root = ElementTree.fromstring(figure_svg(figure))
    assert not [element for element in root.iter() if "script" in element.tag]


def test_a_very_long_grid_can_still_be_rendered():
    figure = grid([[Cell(np.zeros((3, 2), np.uint8))]] * 4, cell=5000)
    assert figure.get_size_inches()[1] * figure.dpi < 2**16


@pytest.mark.parametrize(
    ("rows", "names", "words"),
    [
        ([], [], "no pictures"),
        ([[]], [], "no pictures"),
        ([[Cell(None)]], ["a", "b"], "1 rows but 2 row names"),
        ([[Cell(np.zeros(3))]], [], "has shape"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(rows, names, words):
    with pytest.raises(UserError, match=words):
        grid(rows, names=names)
