"""Means over boxes of a feature map, from its integral: what adding up the cells one by one gives, and its gradient."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeparse.networks.pooling import box_means, box_means_anywhere, integrals


def overlap(edges: np.ndarray, cells: int) -> np.ndarray:
    """(boxes, cells): the share of each cell that lies between neighbouring edges."""
    inside = np.clip(edges, 0, 1) * cells
    cell = np.arange(cells)
    return np.clip(np.minimum(inside[1:, None], cell + 1) - np.maximum(inside[:-1, None], cell), 0, None)


def brute_force(features: np.ndarray, x_edges: np.ndarray, y_edges: np.ndarray) -> np.ndarray:
    """Cell by cell: every cell counts with the share of it that lies in the box."""
    across, down = overlap(x_edges, features.shape[2]), overlap(y_edges, features.shape[1])
    total = np.einsum("chw,iw,jh->jic", features, across, down)
    return total / np.einsum("iw,jh->ji", across, down)[:, :, None]


def random_edges(rng: np.random.Generator, nodes: int, boxes: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    return np.sort(rng.uniform(low, high, (nodes, boxes + 1)), axis=1)


@pytest.fixture
def features() -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).normal(size=(3, 2, 5, 6)).astype(np.float32))


def test_boxes_of_whole_cells_have_the_plain_mean_of_their_cells(features):
    x_edges, y_edges = np.array([[0, 2 / 6, 3 / 6, 1]]), np.array([[1 / 5, 3 / 5, 4 / 5]])
    (means,) = box_means(features, np.array([1]), [(x_edges, y_edges)])
    picture = features[1].numpy()
    for row, (top, bottom) in enumerate([(1, 3), (3, 4)]):
        for column, (left, right) in enumerate([(0, 2), (2, 3), (3, 6)]):
            expected = picture[:, top:bottom, left:right].mean(axis=(1, 2))
            np.testing.assert_allclose(means[0, row, column], expected, atol=1e-6)


def test_fractional_boxes_have_the_mean_of_a_finely_upsampled_map(features):
    """Edges at multiples of 1/60 and 1/50 fall between the pixels of a map that is ten times as fine."""
    fine = features[0].numpy().repeat(10, axis=1).repeat(10, axis=2)
    x_edges, y_edges = np.array([[7, 13, 58]]) / 60, np.array([[1, 2, 49]]) / 50
    (means,) = box_means(features, np.array([0]), [(x_edges, y_edges)])
    expected = [[fine[:, top:bottom, left:right].mean(axis=(1, 2)) for left, right in [(7, 13), (13, 58)]]
                for top, bottom in [(1, 2), (2, 49)]]  # fmt: skip
    np.testing.assert_allclose(means[0], expected, atol=1e-6)


def test_any_boxes_have_the_mean_of_their_cells_by_share_of_overlap(features):
    rng = np.random.default_rng(1)
    image = np.array([2, 0, 2, 0, 0], np.int32)  # in any order, and none of image 1
    edges = [(random_edges(rng, 5, 3), random_edges(rng, 5, 2)), (random_edges(rng, 5, 1), random_edges(rng, 5, 4))]
    for means, (x_edges, y_edges) in zip(box_means(features, image, edges), edges, strict=True):
        for node in range(5):
            expected = brute_force(features[image[node]].numpy(), x_edges[node], y_edges[node])
            np.testing.assert_allclose(means[node], expected, atol=1e-5)


def test_features_that_were_integrated_before_have_the_same_means(features):
    rng = np.random.default_rng(2)
    image, edges = np.array([1, 0, 1], np.int32), [(random_edges(rng, 3, 3), random_edges(rng, 3, 2))]
    (anew,), (known,) = box_means(features, image, edges), box_means(features, image, edges, integrals(features))
    np.testing.assert_array_equal(anew, known)


def test_only_the_part_of_a_box_inside_the_image_counts(features):
    edges = (np.array([[-0.5, 0.2, 1.0, 1.3]]), np.array([[-0.1, 0.5, 1.1]]))
    clipped = tuple(np.clip(edge, 0, 1) for edge in edges)
    over, inside = (box_means(features, np.array([0]), [pair])[0] for pair in (edges, clipped))
    np.testing.assert_array_equal(over, inside)
    np.testing.assert_allclose(
        over[0, :, :2], brute_force(features[0].numpy(), edges[0][0, :3], edges[1][0]), atol=1e-5
    )


def test_a_box_outside_the_image_is_0_and_disturbs_no_gradient(features):
    features.requires_grad_()
    outside = (np.array([[0.0, 0.5, 0.5, 1.0, 1.2]]), np.array([[0.0, 1.0]]))
    (means,) = box_means(features, np.array([0]), [outside])
    assert means[0, 0, [1, 3]].eq(0).all()
    means.sum().backward()
    np.testing.assert_allclose(features.grad[0], np.full((2, 5, 6), 2 / 30), rtol=1e-5)


def test_the_gradient_is_that_of_finite_differences(features):
    """The means are linear in the features, so a step of one has no error but rounding."""
    rng = np.random.default_rng(2)
    image, edges = np.array([2, 0, 2]), [(random_edges(rng, 3, 3, -0.2, 1.2), random_edges(rng, 3, 2, -0.2, 1.2))]
    weight = torch.from_numpy(rng.normal(size=(3, 2, 3, 2)).astype(np.float32))

    def objective(values: torch.Tensor) -> torch.Tensor:
        return (box_means(values, image, edges)[0] * weight).sum()

    features.requires_grad_()
    objective(features).backward()
    with torch.no_grad():
        for place in np.ndindex(*features.shape):
            step = torch.zeros_like(features)
            step[place] = 1.0
            difference = (objective(features + step) - objective(features - step)) / 2
            assert features.grad[place] == pytest.approx(float(difference), abs=2e-5)
    assert features.grad[1].eq(0).all()  # no node is of this image


def test_the_number_of_threads_changes_nothing(features):
    rng = np.random.default_rng(3)
    image, edges = rng.integers(0, 3, 40), [(random_edges(rng, 40, 4), random_edges(rng, 40, 4))]
    found = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            leaf = features.clone().requires_grad_()
            (means,) = box_means(leaf, image, edges)
            (means**2).sum().backward()
            found.append((means.detach().numpy(), leaf.grad.numpy()))
    finally:
        torch.set_num_threads(before)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_nodes_give_no_means(features):
    (means,) = box_means(features, np.zeros(0, np.int32), [(np.zeros((0, 3)), np.zeros((0, 2)))])
    assert means.shape == (0, 1, 2, 2)


@settings(max_examples=40)
@given(
    shape=st.tuples(*(st.integers(1, 4) for _ in range(2)), st.integers(1, 7), st.integers(1, 7)),
    boxes=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    nodes=st.integers(0, 6),
    reach=st.sampled_from([0.0, 0.3]),
    whole_cells=st.booleans(),
    seed=st.integers(0, 999),
)
def test_pytorch_alone_gives_the_means_and_gradients_of_the_kernels(shape, boxes, nodes, reach, whole_cells, seed):
    """Also for boxes beyond the image, boxes of no size, and edges exactly on those of cells."""
    rng = np.random.default_rng(seed)
    image = rng.integers(0, shape[0], nodes)
    x, y = (random_edges(rng, nodes, count, -reach, 1 + reach) for count in boxes)
    if whole_cells:
        x, y = np.round(x * shape[3]) / shape[3], np.round(y * shape[2]) / shape[2]
    values = torch.from_numpy(rng.normal(size=shape).astype(np.float32))
    weight = torch.from_numpy(rng.normal(size=(nodes, boxes[1], boxes[0], shape[1])).astype(np.float32))
    found = []
    for means in (lambda leaf: box_means(leaf, image, [(x, y)])[0], lambda leaf: box_means_anywhere(leaf, image, x, y)):
        leaf = values.clone().requires_grad_()
        mean = means(leaf)
        (gradient,) = torch.autograd.grad((mean * weight).sum(), leaf)
        found.append((mean.detach(), gradient))
    for kernels, anywhere in zip(*found, strict=True):
        torch.testing.assert_close(kernels, anywhere, rtol=1e-4, atol=1e-5)


def test_off_the_processor_pytorch_alone_is_asked():
    features = torch.empty(2, 3, 4, 4, device="meta")
    (means,) = box_means(features, np.array([0, 1, 1]), [(np.zeros((3, 6)), np.zeros((3, 3)))])
    assert means.device.type == "meta"
    assert means.shape == (3, 2, 5, 3)
