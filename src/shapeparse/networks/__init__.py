"""The learners' networks: how a policy and a critic see a node, as presets that are data."""

from .critic import Critic, CriticOutput
from .policy import Policy, PolicyOutput
from .presets import PRESETS, Preset
from .trunks import Features
from .views import NodeView

__all__ = ["PRESETS", "Critic", "CriticOutput", "Features", "NodeView", "Policy", "PolicyOutput", "Preset"]
