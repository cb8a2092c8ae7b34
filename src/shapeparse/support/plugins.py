"""Code from outside the package that a user asks for: what registers methods and networks of one's own.

Nothing is ever imported because a file says so, only because the user does.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from .errors import UserError
from .text import one_line

IMPORTED: list[str] = []
"""What was asked for, for processes that have to do the same."""


def import_plugin(name: str) -> None:
    """Import a module by its name, or a file that ends in .py by its path."""
    try:
        if name.endswith(".py"):
            _import_file(Path(name))
        else:
            importlib.import_module(name)
    except (ImportError, OSError, SyntaxError) as error:
        raise UserError(f"Cannot import {one_line(name)} ({one_line(error)}); give a module or a .py file.") from error
    if name not in IMPORTED:
        IMPORTED.append(name)


def _import_file(path: Path) -> None:
    if path.stem in sys.modules and getattr(sys.modules[path.stem], "__file__", None) == str(path.resolve()):
        return
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError("there is no such file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
