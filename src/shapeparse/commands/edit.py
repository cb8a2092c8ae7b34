"""``shapeparse edit``: correct one tree in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from ..support.errors import UserError
from ..support.text import one_line

if TYPE_CHECKING:
    from ..grammar import ParseTree
    from ..labelling.store import Store

EXAMPLES = """
  shapeparse edit parsed/door.json --image door.jpg
  shapeparse edit parsed/door.json --image door.jpg --out corrected
"""


@dataclass(frozen=True)
class Args:
    """Correct the rectangles of one tree in the browser.

    Opens the page of `shapeparse label` with this tree. The file itself stays as it is: the corrected tree is in
    OUT/trees and its mask in OUT/masks, for `paint` and for training, after every change.
    """

    tree: Annotated[Positional[Path], arg(metavar="TREE.json")]
    """The tree, as `parse` and `decompose` write it."""
    image: Annotated[Path | None, arg(metavar="PHOTO", help_behavior_hint="(default: a grey picture)")] = None
    """The photograph that it is of."""
    out: Annotated[Path | None, arg(metavar="OUT", help_behavior_hint="(default: TREE-edited)")] = None
    """Folder for the corrected tree."""
    host: str = "127.0.0.1"
    """Name or address of this machine to listen at."""
    port: int = 8000
    """Port to listen at; 0 takes a free one."""
    public: Annotated[bool, arg(help_behavior_hint="")] = False
    """Allow a --host that other machines can reach. Whoever reaches it can change the tree."""


def run(args: Args) -> int:
    """Serve the page until told to stop."""
    from ..grammar import ParseTree
    from ..labelling.learner import Learner
    from ..labelling.teaching import Teaching
    from .label import serve_store

    tree = ParseTree.load(args.tree)
    folder = args.out or args.tree.with_name(f"{args.tree.stem}-edited")
    return serve_store(
        lambda: tree_store(tree, args.tree.stem, args.image, folder),
        lambda store: Learner(store, Teaching(every=1000)),
        args.host,
        args.port,
        args.public,
    )


def tree_store(tree: ParseTree, name: str, image: Path | None, folder: Path) -> Store:
    """A store with one photograph whose proposal is the tree."""
    import numpy as np

    from ..data.images import read_image
    from ..labelling.store import Store, link_or_copy, write_png
    from ..support.files import make_folder

    place = make_folder(folder / "images")
    if image is None:
        write_png(place / f"{name}.png", np.full((tree.height, tree.width, 3), 200, np.uint8))
    else:
        height, width = read_image(image).shape[:2]
        if (width, height) != (tree.width, tree.height):
            raise UserError(
                f"{one_line(image)} is {width} x {height} pixels but the tree is of {tree.width} x {tree.height}; "
                "give the photograph that it is of."
            )
        link_or_copy(image, place / f"{name}{image.suffix.lower()}")
    store = Store(folder)
    if not store.photographs[0].journal.lines:
        store.propose(0, tree, 0)
    return store
