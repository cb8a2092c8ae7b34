"""What networks are shown of scenes while they learn: the same in rollouts and in updates, by construction."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


class Sight(Protocol):
    """Shows scenes to networks."""

    def __call__(self, scenes: npt.NDArray[np.integer], device: torch.device) -> Tensor:
        """What there is to see of some scenes, as ``Policy.encode`` takes it."""
