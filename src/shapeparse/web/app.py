"""The service put together: paths, pages, and the guard around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from ..explorer import explorer_service_page
from ..support.version import __version__
from . import description
from .answers import answer_http_exception, answer_invalid
from .endpoints import Endpoints
from .guard import Guard
from .pages import documentation, page_response
from .parsers import list_models
from .settings import ServiceSettings
from .workshop import Workshop


def create_app(settings: ServiceSettings) -> FastAPI:
    """The service as an ASGI application; ``UserError`` says why a model cannot be loaded."""
    models = list_models(settings.models, settings.device)
    workshop = Workshop(settings.at_once, settings.queue)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        workshop.close()

    app = FastAPI(
        title="shapeparse", version=__version__, summary=description.SUMMARY, description=description.TEXT,
        docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=lifespan,
    )  # fmt: skip
    app.openapi = cache(lambda: description.document(app))  # type: ignore[method-assign]
    app.add_middleware(Guard, settings=settings)
    app.add_exception_handler(HTTPException, answer_http_exception)
    app.add_exception_handler(RequestValidationError, answer_invalid)
    _add_api(app, Endpoints(settings, models, workshop))
    _add_pages(app)
    return app


def _add_api(app: FastAPI, endpoints: Endpoints) -> None:
    add, found = app.add_api_route, description.errors(404, 422)
    add("/health", endpoints.health, operation_id="health", response_description="It is well")
    add("/api/models", endpoints.list_models, operation_id="models", response_description="The models")
    add("/api/samples", endpoints.list_samples, operation_id="samples", response_description="The samples")
    for part, function in (("image", endpoints.sample_image), ("mask", endpoints.sample_mask)):
        options = description.file("image/png")
        options["responses"] |= found
        add(f"/api/samples/{{name}}/{part}", function, operation_id=f"sample_{part}", **options)
    for name, work in (("parse", endpoints.parse), ("plan", endpoints.plan), ("export", endpoints.export)):
        add(f"/api/{name}", work, methods=["POST"], operation_id=name, **description.posting(name))


def _add_pages(app: FastAPI) -> None:
    explorer, guide = page_response(explorer_service_page()), page_response(documentation(app.openapi()))

    @app.get("/", include_in_schema=False)
    async def index() -> HTMLResponse:
        return explorer

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return guide
