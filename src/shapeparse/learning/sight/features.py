"""What frozen eyes see of images, computed once and kept on disk, so that any number of trainings share it.

Every image has a file of its own, named after its content and all else that decides what is in it. Files appear
complete or not at all, so trainings that begin together may work on the same folder, and one that was stopped goes on
where it was. They are read through memory maps: what is used often stays in the system's cache.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ...networks.devices import CPU, as_tensor
from ...networks.frozen import FrozenTrunk, eyes_for
from ...networks.lite import CHECKSUM
from ...networks.presets import Preset
from ...networks.views import to_pixels
from ...support import files
from ...support.errors import UserError
from ...support.text import one_line
from ..scenes import Scenes, draw_frames, stretched

VERSION = 1
ZOOMED = 3
"""Frames of each image beside the whole of it."""
MOST_OPEN = 256
"""Files that are held open at a time."""
FOLDER = "shapeparse-features"
"""Beside the run folder; whoever deletes it only loses the time to compute it again."""

Images = npt.NDArray[np.uint8]
Frames = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Features:
    """Images as frozen eyes see them: some frames of each, as they are and flipped."""

    folder: Path
    names: Sequence[str]
    """The file of each image."""
    frames: Frames
    """(images, frames, 4): x, y, w, h."""
    variants: int
    """2 if every frame is also seen flipped."""

    @classmethod
    def of(
        cls,
        images: Images,
        preset: Preset,
        folder: Path,
        zoom: float = 0.0,
        flips: bool = False,
        report: Callable[[int, int], None] = lambda done, all: None,
    ) -> Features:
        """Look at all images that nobody looked at yet; ``report`` is told how many of these are done."""
        variants, zoomed = 2 if flips else 1, ZOOMED if zoom else 0
        settings = f"{VERSION} {CHECKSUM} {preset.look} {zoom} {zoomed} {variants}"
        digests = [hashlib.sha256(settings.encode() + np.ascontiguousarray(image).data) for image in images]
        frames = np.stack(
            [_frames(image, zoom, zoomed, digest.digest()) for image, digest in zip(images, digests, strict=True)]
        )
        known = cls(files.make_folder(folder), [f"{digest.hexdigest()}.npy" for digest in digests], frames, variants)
        known._look(images, preset, report)
        return known

    def seen(self, image: int, frame: int, flipped: bool) -> npt.NDArray[np.float16]:
        """What there is to see of a frame of an image."""
        row: npt.NDArray[np.float16] = _mapped(self.folder / self.names[image])[frame * self.variants + flipped]
        return row

    def all_whole(self, device: torch.device = CPU) -> Tensor:
        """(images, numbers): every image as it is."""
        return as_tensor(np.stack([self.seen(image, 0, False) for image in range(len(self.names))]), device)

    def _look(self, images: Images, preset: Preset, report: Callable[[int, int], None]) -> None:
        missing = [place for place, name in enumerate(self.names) if not (self.folder / name).exists()]
        np.random.default_rng(os.getpid()).shuffle(missing)  # others who look at the same begin elsewhere
        trunk = eyes_for(preset) if missing else None
        for done, place in enumerate(missing):
            path = self.folder / self.names[place]
            if trunk is not None and not path.exists():
                found = _seen(images[place], self.frames[place], self.variants, trunk)
                files.write_array(path, found)
            report(done + 1, len(missing))


@dataclass(frozen=True)
class FrozenSight:
    """Shows what frozen eyes saw of scenes."""

    scenes: Scenes
    features: Features

    def __post_init__(self) -> None:
        self.scenes.choices = self.features.frames

    def __call__(self, scenes: npt.NDArray[np.integer], device: torch.device) -> Tensor:
        """(scenes, numbers), in half precision."""
        return as_tensor(np.stack([self._seen(scene) for scene in np.asarray(scenes).tolist()]), device)

    def _seen(self, scene: int) -> npt.NDArray[np.float16]:
        image, flipped = divmod(scene, self.scenes.variants)
        shown = (self.features.frames[image] == self.scenes.frames[scene]).all(axis=1)
        return self.features.seen(image, int(np.argmax(shown)), bool(flipped))


@lru_cache(MOST_OPEN)
def _mapped(path: Path) -> npt.NDArray[np.float16]:
    try:
        return np.load(path, mmap_mode="r")  # type: ignore[no-any-return]
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"{one_line(path)} is gone or damaged; delete it and go on with --resume.") from error


def _frames(image: Images, zoom: float, zoomed: int, digest: bytes) -> Frames:
    """The whole of an image, and frames that its content alone decides, so that all trainings draw the same."""
    size = image.shape[1::-1]
    rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
    return np.concatenate([np.array([[0, 0, *size]], np.int32), draw_frames(zoomed, size, zoom, rng)])


def _seen(image: Images, frames: Frames, variants: int, trunk: FrozenTrunk) -> npt.NDArray[np.float16]:
    shown = [stretched(image, frame) for frame in frames.tolist()]
    both = [one[:, ::-1] if flipped else one for one in shown for flipped in range(variants)]
    found: npt.NDArray[np.float16] = trunk.see(to_pixels(np.stack(both))).numpy()
    return found
