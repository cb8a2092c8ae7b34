"""The web service: the explorer page, and the API that parses photographs and plans the painting of trees.

>>> from shapeparse.web import ServiceSettings, create_app
>>> create_app(ServiceSettings()).title   # an ASGI application; `shapeparse serve` runs it
'shapeparse'

It keeps nothing between requests and writes no files.
"""

from typing import TYPE_CHECKING, Any

from .settings import ServiceSettings

if TYPE_CHECKING:
    from .app import create_app

__all__ = ["ServiceSettings", "create_app"]


def __getattr__(name: str) -> Any:
    """Import the application when it is first asked for: what it is built with loads slowly."""
    if name == "create_app":
        from .app import create_app

        return create_app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
