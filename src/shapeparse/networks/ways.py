"""The ways of looking, by name."""

from .frozen import FrozenTrunk
from .maps import MapTrunk
from .trunks import CropTrunk, PaperTrunk, SharedTrunk, Trunk

TRUNKS: dict[str, type[Trunk]] = {
    "paper": PaperTrunk,
    "crop": CropTrunk,
    "shared": SharedTrunk,
    "frozen": FrozenTrunk,
    "map": MapTrunk,
}
