"""The names of methods, known without loading PyTorch, and methods from outside the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..support.errors import UserError
from ..support.text import unknown

if TYPE_CHECKING:
    from .methods import Method

PUBLISHED = ("mcpg", "ddpg", "bc", "dagger", "aggrevated", "ac-aggrevated", "off-mcpg", "off-acpg", "drag")
"""The nine rows of Table 2."""
METHOD_NAMES = (
    *PUBLISHED, "drag-control", "aggrevated-expected", "ac-aggrevated-expected", "drag-expected", "drag-dense",
    "drag-anchored", "dagger-optimal", "dagger-places", "drag-exact", "drag-exact-anchored", "aggrevate-exact",
)  # fmt: skip
"""They and ours, in the order of the table; ``methods.METHODS`` has them."""
ABLATION_NAMES = (
    "dagger-taken", "mcpg-root", "drag-expected-many", "drag-expected-shared", "drag-expected-still",
    "drag-expected-priced", "drag-expected-entropy",
)  # fmt: skip
KNOW_WORTH = {"drag-exact", "drag-exact-anchored", "aggrevate-exact"}
"""Those that are told the worth of every cut, which only the optimal teacher knows."""
REGISTERED: dict[str, Method] = {}
"""Methods from outside; see ``register_method``."""


def register_method(name: str, method: Method) -> None:
    """Make a method of one's own known under a name, for settings, run folders and benchmarks.

    >>> from dataclasses import replace
    >>> from shapeparse.learning.methods import METHODS
    >>> register_method("my-dagger", replace(METHODS["dagger"], title="DAgger of mine"))
    """
    if name in METHOD_NAMES + ABLATION_NAMES:
        raise UserError(f"{name!r} is a method of shapeparse; take another name or title for yours.")
    REGISTERED[name] = method
    (KNOW_WORTH.add if method.knows_worth else KNOW_WORTH.discard)(name)


def check_method_name(name: str) -> None:
    """Refuse a name that no method has, and say which come close."""
    if name not in METHOD_NAMES + ABLATION_NAMES and name not in REGISTERED:
        raise unknown("method", name, (*METHOD_NAMES, *REGISTERED))
