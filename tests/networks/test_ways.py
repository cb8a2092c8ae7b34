"""The ways of looking, by name."""

from __future__ import annotations

from typing import get_args

from shapeparse.networks.presets import PRESETS, TrunkName
from shapeparse.networks.trunks import Trunk
from shapeparse.networks.ways import TRUNKS


def test_every_name_that_a_preset_may_give_is_a_trunk():
    assert set(TRUNKS) == set(get_args(TrunkName))
    assert all(issubclass(trunk, Trunk) for trunk in TRUNKS.values())


def test_only_trunks_with_a_map_see_gain(tiny_presets):
    assert {name for name, trunk in TRUNKS.items() if trunk.sees_gain} == {"map"}
    assert {PRESETS[name].trunk for name in ("paper", "crop", "fast", "frozen", "best")} == set(TRUNKS)
