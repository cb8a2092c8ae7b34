"""``shapeparse label``: from a folder of photographs to a parser, in the browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from ..support import progress
from ..support.errors import UserError

if TYPE_CHECKING:
    from ..labelling.learner import Learner
    from ..labelling.store import Store

EXAMPLES = """
  shapeparse label photos
  shapeparse label photos --out dataset --model run
  shapeparse label dataset --order name --every 6
"""


@dataclass(frozen=True)
class Args:
    """Label photographs in the browser, while a parser learns to do it.

    Prints an address to open. The page there shows the photographs; draw what is to be painted, or correct what a
    parser proposes, and accept it. After every few accepted photographs a parser learns from them in the background,
    and proposes labels for the others. Masks, trees and every change are on the disk at once: stop it with Ctrl-C
    whenever you like, and start it again to go on.
    """

    photos: Annotated[Positional[Path], arg(metavar="PHOTOS")]
    """Folder of photographs; or a dataset with images/, whose masks are then shown."""
    out: Annotated[Path | None, arg(metavar="DATASET", help_behavior_hint="(default: PHOTOS-labelled)")] = None
    """Folder for images/, masks/, trees/, labels/ (every change) and parsers/."""
    model: Annotated[str | None, arg(metavar="RUN", help_behavior_hint="(default: none)")] = None
    """Run folder of a parser that makes the first proposals; `pretrained` for the one that comes with shapeparse."""
    every: int = 3
    """Photographs to accept before the next parser learns."""
    minutes: float = 0.75
    """How long it learns."""
    preset: str = "best"
    """Its network."""
    epochs: Annotated[int | None, arg(metavar="EPOCHS", help_behavior_hint="")] = None
    """How often it goes through the photographs, instead of minutes."""
    order: Literal["chosen", "random", "name"] = "chosen"
    """Which photograph is offered next: the one that teaches most, any, or the next by name."""
    host: str = "127.0.0.1"
    """Name or address of this machine to listen at."""
    port: int = 8000
    """Port to listen at; 0 takes a free one."""
    public: Annotated[bool, arg(help_behavior_hint="")] = False
    """Allow a --host that other machines can reach. Whoever reaches it can change the labels."""


def run(args: Args) -> int:
    """Serve the page until told to stop."""
    from ..labelling.learner import Learner
    from ..labelling.store import Store
    from ..labelling.teaching import Teaching
    from ..networks.presets import preset_named

    preset_named(args.preset)
    teaching = Teaching(args.every, args.preset, args.minutes, args.epochs)
    model = _checked_model(args.model)
    return serve_store(
        lambda: Store(args.photos, args.out, progress.bar("Reading photographs")),
        lambda store: Learner(store, teaching, model, args.order), args.host, args.port, args.public,
    )  # fmt: skip


def serve_store(
    open_store: Callable[[], Store], make_learner: Callable[[Store], Learner], host: str, port: int, public: bool
) -> int:
    """Serve a folder that is being labelled, until told to stop; it is opened once the address is ours."""
    from ..oracle.ready import ready_oracle

    try:
        from ..labelling.app import create_app
        from ..web.server import address_of, host_names, listen, serve
        from ..web.settings import ServiceSettings
    except ImportError as error:
        raise UserError(
            f"The page needs the package {error.name}; install the extra with `pip install shapeparse[service]`."
        ) from error

    with listen(host, port, public) as bound:
        store = open_store()
        for problem in store.problems:
            progress.complain(problem.reason)
        try:
            ready_oracle()
            app = create_app(store, make_learner(store), ServiceSettings(hosts=host_names(host, public)))
            count = len(store.photographs)
            print(f"Label {count} photograph{'s'[: count > 1]} at {address_of(bound)} (Ctrl-C stops it).", flush=True)
            serve(app, bound)
        finally:
            store.close()
    return 0


def _checked_model(model: str | None) -> str | None:
    """A model that can be loaded, as the process finds it from wherever it runs."""
    if model is None or model == "pretrained":
        return model
    from ..parsing.load import load

    load(model)
    return str(Path(model).resolve())
