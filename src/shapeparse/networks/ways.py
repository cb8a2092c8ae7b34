"""The ways of looking, by name."""

from .maps import MapTrunk
from .trunks import CropTrunk, PaperTrunk, SharedTrunk, Trunk

TRUNKS: dict[str, type[Trunk]] = {"paper": PaperTrunk, "crop": CropTrunk, "shared": SharedTrunk, "map": MapTrunk}
