"""What frozen eyes saw, on disk: computed once, shared by content, complete or not there, and the same as looking."""

from __future__ import annotations

import numpy as np
import pytest

import shapeparse.learning.sight.features as features_module
from shapeparse.learning.scenes import Scenes
from shapeparse.learning.sight.features import ZOOMED, Features, FrozenSight
from shapeparse.networks.devices import CPU
from shapeparse.networks.frozen import eyes_for


@pytest.fixture
def pictures(photographs):
    return photographs(3, 64)


@pytest.fixture
def shape(tiny_presets):
    return tiny_presets["frozen"]


def test_a_scene_shows_what_eyes_see_of_its_pixels(pictures, shape, tmp_path):
    images, masks = pictures
    scenes = Scenes(images, masks, flips=True)
    sight = FrozenSight(scenes, Features.of(scenes.images, shape, tmp_path, zoom=0.3, flips=True))
    eyes, everything = eyes_for(shape), np.arange(6)
    for _ in range(3):
        seen = sight(everything, CPU)
        np.testing.assert_allclose(seen, eyes.see(scenes.pixels(everything)), atol=0.02, rtol=0.02)
        scenes.reframe(everything, 0.3, np.random.default_rng(1))
    assert len({tuple(frame) for frame in scenes.frames.tolist()}) > 2


def test_frames_are_the_whole_and_some_that_the_content_alone_decides(pictures, shape, tmp_path):
    images = pictures[0]
    first = Features.of(images, shape, tmp_path / "one", zoom=0.3)
    again = Features.of(images[::-1], shape, tmp_path / "other", zoom=0.3)
    np.testing.assert_array_equal(first.frames, again.frames[::-1])
    assert first.frames.shape == (3, 1 + ZOOMED, 4)
    assert (first.frames[:, 0] == [0, 0, 64, 64]).all()
    assert (first.frames[:, 1:, 2:] < 64).any()
    assert Features.of(images, shape, tmp_path / "one").frames.shape == (3, 1, 4)


def test_what_was_seen_is_not_looked_at_again_by_anybody(pictures, shape, tmp_path, monkeypatch):
    images, looked = pictures[0], []
    real = features_module._seen

    def listen(image, *given):
        looked.append(image)
        return real(image, *given)

    monkeypatch.setattr(features_module, "_seen", listen)
    Features.of(images[:2], shape, tmp_path)
    assert len(looked) == 2
    told: list[tuple[int, int]] = []
    Features.of(images, shape, tmp_path, report=lambda done, of: told.append((done, of)))  # another fold
    assert len(looked) == 3
    assert told == [(1, 1)]
    Features.of(images, shape, tmp_path, flips=True)
    assert len(looked) == 6


def test_a_file_is_complete_or_not_there(pictures, shape, tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shapeparse.support.files.os.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        Features.of(pictures[0], shape, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_named(pictures, shape, tmp_path, refused):
    known = Features.of(pictures[0][:1], shape, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(b"no features")
    assert path.name in refused(known.seen, 0, 0, False)
