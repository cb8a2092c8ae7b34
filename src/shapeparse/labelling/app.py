"""The page's other half: what it may ask, and how it is answered. Photographs are known by number, never by path."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from PIL import Image
from starlette.exceptions import HTTPException

from ..pictures.palette import PAINT
from ..support.errors import UserError
from ..support.text import printable
from ..support.version import __version__
from ..web.answers import Refusal, answer_http_exception, answer_invalid, json_response
from ..web.forms import read_json
from ..web.guard import Guard
from ..web.pages import page_response
from ..web.settings import ServiceSettings
from ..web.workshop import Workshop
from .edits import edit_of
from .learner import Learner
from .page import labelling_page
from .store import Photograph, Stale, Store

WAITING = 64
"""Requests that may wait: a page asks for the small pictures of all photographs at once."""
QUALITY = 90
ALPHA = 150
"""How much paint covers the photograph, of 255."""


def create_app(store: Store, learner: Learner, settings: ServiceSettings) -> FastAPI:
    """The labelling of a folder as an ASGI application."""
    workshop = Workshop(settings.at_once, WAITING)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        watcher = threading.Thread(target=learner.watch, daemon=True)
        watcher.start()
        yield
        learner.stop()
        workshop.close()

    app = FastAPI(title="shapeparse label", version=__version__, docs_url=None, redoc_url=None, openapi_url=None,
                  lifespan=lifespan)  # fmt: skip
    app.add_middleware(Guard, settings=settings)
    app.add_exception_handler(HTTPException, answer_http_exception)
    app.add_exception_handler(RequestValidationError, answer_invalid)
    Endpoints(store, learner, workshop).add_to(app)
    return app


class Endpoints:
    """The functions behind the paths."""

    def __init__(self, store: Store, learner: Learner, workshop: Workshop) -> None:
        self.store, self.learner, self.workshop = store, learner, workshop
        photos = store.photos.resolve()
        self.page = page_response(labelling_page(photos.parent.name if photos.name == "images" else photos.name))
        self.photo_jpeg = lru_cache(maxsize=6)(self._photo_jpeg)

    def add_to(self, app: FastAPI) -> None:
        """Make the functions known under their paths."""
        app.add_api_route("/", self.index)
        app.add_api_route("/api/sitting", self.sitting)
        app.add_api_route("/api/photographs/{number}", self.photograph)
        for name in ("image", "thumbnail", "mask"):
            app.add_api_route(f"/api/photographs/{{number}}/{name}", getattr(self, name))
        app.add_api_route("/api/photographs/{number}/{action}", self.act, methods=["POST"])
        app.add_api_route("/api/learner/{action}", self.instruct, methods=["POST"])

    async def index(self) -> HTMLResponse:
        """The page."""
        return self.page

    async def sitting(self) -> Response:
        """All photographs with their states, the learner, and which photographs to label next."""
        store = self.store
        photographs = [
            {"name": printable(one.path.name), "state": store.state(one.number), "step": one.journal.step}
            for one in store.photographs
        ]
        problems = [{"name": printable(one.path.name), "reason": one.reason} for one in store.problems]
        content = {"photographs": photographs, "problems": problems, "learner": self.learner.status()}
        return json_response({**content, "next": self.learner.next(), "folder": printable(str(store.folder), 400)})

    async def photograph(self, request: Request, number: int) -> Response:
        """A photograph's labels: its tree, its state, and whether there is something to undo or redo."""
        return await self.workshop.do(request, lambda _: json_response(self._status(number)))

    async def image(self, request: Request, number: int) -> Response:
        """The photograph, upright, as JPEG."""
        return await self._picture(request, lambda: self.photo_jpeg(number), "image/jpeg")

    async def thumbnail(self, request: Request, number: int) -> Response:
        """The photograph, small."""
        return await self._picture(request, lambda: _jpeg(self._known(number).thumbnail), "image/jpeg")

    async def mask(self, request: Request, number: int) -> Response:
        """The present mask, to be laid over the photograph: paint in colour, the rest transparent."""
        return await self._picture(request, lambda: _overlay(self._labels(number).mask), "image/png")

    async def act(self, request: Request, number: int, action: str) -> Response:
        """Change the labels: ``edit``, ``undo``, ``redo``, ``accept`` or ``withdraw``."""
        store = self.store
        actions: dict[str, Callable[[dict[str, Any], int | None], object]] = {
            "edit": lambda content, step: store.edit(number, edit_of(content.get("edit")), step),
            "undo": lambda _, step: store.undo(number, step),
            "redo": lambda _, step: store.redo(number, step),
            "accept": lambda _, step: store.accept(number, step),
            "withdraw": lambda _, step: store.withdraw(number, step),
        }
        if action not in actions:
            raise Refusal(404, f"There is no action of that name; the actions are {', '.join(actions)}.")
        content = _object(await read_json(request))
        step = content.get("step")
        if step is not None and type(step) is not int:
            raise UserError("step must be the number of the last change that was seen.")

        def work(_: Callable[[], bool]) -> Response:
            self._known(number)
            try:
                actions[action](content, step)
            except Stale as error:
                raise Refusal(409, str(error)) from error
            return json_response(self._status(number))

        return await self.workshop.do(request, work)

    async def instruct(self, request: Request, action: str) -> Response:
        """Let a parser ``learn`` now, or ``finish``."""
        await read_json(request)
        if action == "learn":
            self.learner.ask()
            return json_response(self.learner.status())
        if action == "finish":
            return await self.workshop.do(request, lambda _: json_response(self.learner.finish()))
        raise Refusal(404, "There is no such action; the actions are learn, finish.")

    def _known(self, number: int) -> Photograph:
        try:
            return self.store.photograph(number)
        except UserError as error:
            raise Refusal(404, str(error)) from error

    def _labels(self, number: int) -> Any:
        self._known(number)
        return self.store.labels(number)

    def _status(self, number: int) -> dict[str, Any]:
        one, labels = self._known(number), self._labels(number)
        history = one.journal.history
        return {
            "number": number, "name": printable(one.path.name), "step": one.journal.step,
            "state": self.store.state(number), "undo": len(history.done), "redo": len(history.undone),
            "rectangles": labels.rectangles, "tree": json.loads(labels.tree.to_json()),
        }  # fmt: skip

    async def _picture(self, request: Request, make: Callable[[], bytes], media_type: str) -> Response:
        content = await self.workshop.do(request, lambda _: make())
        return Response(content, media_type=media_type)

    def _photo_jpeg(self, number: int) -> bytes:
        self._known(number)
        return _jpeg(self.store.pixels(number))


def _object(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "The request is not JSON.") from error
    if not isinstance(content, dict):
        raise UserError("The request must be an object.")
    return content


def _jpeg(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=QUALITY)
    return buffer.getvalue()


def _overlay(mask: np.ndarray) -> bytes:
    image = Image.fromarray(mask.astype(np.uint8), mode="P")
    image.putpalette([0, 0, 0, *PAINT])
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", bits=1, transparency=bytes([0, ALPHA]), compress_level=1)
    return buffer.getvalue()
