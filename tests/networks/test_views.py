"""What networks are told of nodes: shares of the image, and which rules are valid."""

from __future__ import annotations

import numpy as np
import torch

from shapeparse import Limits, Nodes, valid_rules
from shapeparse.networks.views import GEOMETRY, NodeView, to_pixels

NODE = Nodes(*(np.array([value], np.int32) for value in (1, 10, 5, 20, 10, 2)))
VIEW = NodeView.of(NODE, np.array([[7, 7], [40, 20]]), Limits(4))


def test_a_node_is_seen_in_shares_of_its_own_image():
    assert [float(column[0]) for column in (VIEW.x, VIEW.y, VIEW.w, VIEW.h)] == [0.25, 0.25, 0.5, 0.5]
    assert (int(VIEW.image[0]), float(VIEW.depth[0]), len(VIEW)) == (1, 0.5, 1)


def test_valid_rules_are_those_of_the_grammar(some_nodes):
    nodes, sizes, limits = some_nodes
    view = NodeView.of(nodes, sizes, limits)
    np.testing.assert_array_equal(view.valid.numpy(), valid_rules(nodes, limits))


def test_geometry_is_place_size_shape_and_depth_around_0():
    found = VIEW.geometry()[0] + 0.5
    log = np.log2(0.5) / 8
    expected = [0.25, 0.25, 0.75, 0.75, 0.5, 0.5, 0.5, 0.5, log, log, 0.0, 0.5]
    assert len(expected) == GEOMETRY
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_edges_divide_a_node_evenly_and_a_margin_reaches_beyond_it():
    x, y = VIEW.edges(4, 2)
    np.testing.assert_allclose(x[0], [0.25, 0.375, 0.5, 0.625, 0.75])
    np.testing.assert_allclose(y[0], [0.25, 0.5, 0.75])
    x, _ = VIEW.edges(2, 2, margin=0.5)
    np.testing.assert_allclose(x[0], [0.0, 0.5, 1.0])


def test_a_view_knows_its_device_and_puts_columns_there():
    assert VIEW.device == torch.device("cpu")
    meta = NodeView.of(NODE, np.array([[7, 7], [40, 20]]), Limits(4), torch.device("meta"))
    assert meta.device.type == "meta"
    assert meta.geometry().device.type == meta.tensor(meta.x).device.type == "meta"


def test_no_levels_at_all_make_no_depth():
    assert NodeView.of(Nodes.roots([(4, 4)]), np.array([[4, 4]]), Limits(0)).depth.tolist() == [0.0]


def test_bytes_become_shares_with_their_channels_first():
    images = np.zeros((1, 2, 4, 3), np.uint8)
    images[0, 1, 2] = [255, 51, 0]
    pixels = to_pixels(images[:, :, ::-1])  # also where they lie backwards in memory
    assert pixels.shape == (1, 3, 2, 4)
    torch.testing.assert_close(pixels[0, :, 1, 1], torch.tensor([1.0, 0.2, 0.0]))
    assert float(pixels.sum()) == 1.2000000476837158
