"""The rows that a comparison can have, by name. Nothing here loads PyTorch or NumPy, so that help texts are quick."""

from __future__ import annotations

from collections.abc import Iterable

from ..learning.names import ABLATION_NAMES, METHOD_NAMES, PUBLISHED, REGISTERED
from ..support.text import unknown

PEERS = ("lines", "colours", "unet", "unet-lite")
"""Jobs beside the methods: what needs no learning, colour clustering, and U-Nets whose masks are decomposed, from
random weights and on the pretrained encoder."""
JOB_ROWS = (*METHOD_NAMES, *ABLATION_NAMES, *PEERS)
"""What a job can be named after, in the order of the table; methods from outside follow."""
GROUPS = {
    "all": (*METHOD_NAMES, *PEERS),
    "methods": METHOD_NAMES,
    "published": PUBLISHED,
    "ablations": ABLATION_NAMES,
    "peers": PEERS,
}
"""Names for several rows."""
ENGINE_NAMES = ("local", "ray")
"""Where jobs can run; see ``engines``."""


def rows_named(names: Iterable[str]) -> list[str]:
    """The rows that are wanted, in the order of the table; names of ``GROUPS`` stand for several."""
    wanted, known = set(names), (*JOB_ROWS, *REGISTERED)
    for name in sorted(wanted - {*known, *GROUPS}):
        raise unknown("row", name, (*GROUPS, *METHOD_NAMES, *PEERS, *REGISTERED))
    chosen = wanted.union(*(GROUPS[name] for name in wanted & set(GROUPS)))
    return [row for row in known if row in chosen]
