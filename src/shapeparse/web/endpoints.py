"""What the API does, request by request. Everything heavy happens in the workshop's threads."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from ..explorer.page import DRAWINGS, LONGEST
from ..grammar import BoolArray, ParseTree
from ..painting import FORMATS, export_plan
from ..painting.plane import Plane
from ..pictures import tree_svg
from ..pictures.page import photo_uri
from ..support.errors import UserError
from ..support.text import one_line
from ..support.version import __version__
from .answers import Refusal, json_response
from .forms import ParseForm, PlanForm, read_json, read_parse, read_plan
from .parsers import Found, Model, Photo
from .plans import chosen_plan, plan_answer, plane_of, rectified
from .samples import SAMPLES, Sample, find_sample
from .schemas import ExportRequest, Health, ModelFacts, PlanRequest, SampleName
from .settings import ServiceSettings
from .uploads import as_request, as_tree, read_photo, read_upload_mask
from .workshop import Stopped, Workshop


@dataclass(frozen=True)
class Endpoints:
    """The functions behind the paths of the API."""

    settings: ServiceSettings
    models: dict[str, Model]
    workshop: Workshop

    async def health(self) -> Health:
        """Whether the service is well, and how busy it is."""
        return Health(
            status="ok", version=__version__, models=len(self.models), first=next(iter(self.models)),
            busy=self.workshop.busy, limit=self.workshop.limit,
        )  # fmt: skip

    async def list_models(self) -> list[ModelFacts]:
        """The models to parse with: trained ones, and the oracles, which need a mask."""
        return [
            ModelFacts(
                name=model.name, title=model.title, kind=model.kind, needs_mask=model.needs_mask, facts=model.facts()
            )
            for model in self.models.values()
        ]  # fmt: skip

    async def list_samples(self) -> list[SampleName]:
        """Built-in photographs to try, each with its mask."""
        return [SampleName(name=name, title=title) for name, (title, _) in SAMPLES.items()]

    def sample_image(self, name: str) -> Response:
        """A sample's photograph."""
        return _png(_sample(name).photo_png)

    def sample_mask(self, name: str) -> Response:
        """A sample's mask: white is to be painted."""
        return _png(_sample(name).mask_png)

    async def parse(self, request: Request) -> Response:
        """Decompose a photograph into labelled rectangles, by one model or several.

        The trees are in the photograph's own pixels, whatever its size.
        """
        self.workshop.check()
        form = await read_parse(request)
        return await self.workshop.do(request, lambda stopped: self._parse(form, stopped))

    async def plan(self, request: Request) -> Response:
        """Plan the brush strokes that paint a tree: the quickest plan, beside the figures of the other kinds.

        Coverage and waste are held against the labels, or against a mask that comes with the request.
        """
        self.workshop.check()
        form = await read_plan(request)
        return await self.workshop.do(request, lambda _: self._plan(form))

    async def export(self, request: Request) -> Response:
        """Download a tree, or the strokes that paint it, as a file."""
        self.workshop.check()
        body = await read_json(request)
        return await self.workshop.do(request, lambda _: self._export(body))

    def _parse(self, form: ParseForm, stopped: Stopped) -> Response:
        models = self._chosen(form.models)
        name, photo, mask = self._pictures(form)
        before = _image_json(name, photo)
        plane = None if form.plane is None else plane_of(form.plane, self.settings.max_pixels)
        if plane is not None:
            photo, mask = plane.rectified(photo), None if mask is None else rectified(mask, plane)
        parses = []
        for model in models:
            if stopped():
                break
            start = perf_counter()
            found = model.parse(photo, mask, form.settings)
            milliseconds = 1000 * (perf_counter() - start)
            parses.append(_parse_json(model, found, name, mask) | {"milliseconds": round(milliseconds, 2)})
        seen = None if plane is None else _plane_json(plane, photo, before)
        return json_response({"image": _image_json(name, photo), "parses": parses, "plane": seen})

    def _chosen(self, names: tuple[str, ...]) -> list[Model]:
        for name in names:
            if name not in self.models:
                raise UserError(f"There is no model {one_line(name[:60])!r}; the models are {', '.join(self.models)}.")
        return [self.models[name] for name in names] or [next(iter(self.models.values()))]

    def _pictures(self, form: ParseForm) -> tuple[str, Photo, BoolArray | None]:
        """The photograph's name, its pixels, and its mask if there is one."""
        if form.image is None:
            sample = find_sample(form.sample or "")
            return sample.name, sample.photo, sample.mask
        photo = read_photo(form.image, self.settings.max_pixels)
        if form.mask is None:
            return form.image.name, photo, None
        mask = read_upload_mask(form.mask, self.settings.max_pixels)
        if mask.shape != photo.shape[:2]:
            raise UserError(
                f"The mask is {mask.shape[1]} x {mask.shape[0]} pixels but the photograph is {photo.shape[1]} x "
                f"{photo.shape[0]}; send a mask of the photograph's size."
            )
        return form.image.name, photo, mask

    def _plan(self, form: PlanForm) -> Response:
        request = as_request(form.body, PlanRequest)
        tree = as_tree(request.tree, self.settings.max_pixels)
        mask = None if form.sample is None else find_sample(form.sample).mask
        if form.mask is not None:
            mask = read_upload_mask(form.mask, self.settings.max_pixels)
        plane = None if request.plane is None else plane_of(request.plane, self.settings.max_pixels)
        if plane is not None and plane.shape != (tree.height, tree.width):
            raise UserError(
                f"The tree is of {tree.width} x {tree.height} pixels but the plane of {plane.shape[1]} x "
                f"{plane.shape[0]}; parse the photograph with this plane."
            )
        return json_response(plan_answer(request, tree, None if mask is None else rectified(mask, plane)))

    def _export(self, body: bytes) -> Response:
        request = as_request(body, ExportRequest)
        if request.format not in DRAWINGS and request.format not in FORMATS:
            known = ", ".join([*DRAWINGS, *FORMATS])
            raise UserError(f"There is no format {one_line(request.format[:40])!r}; the formats are {known}.")
        tree = as_tree(request.tree, self.settings.max_pixels)
        media_type = (DRAWINGS.get(request.format) or FORMATS[request.format])[1]
        content = _exported(tree, request)
        name = f'attachment; filename="{download_name(tree.name, request.format)}"'
        return Response(content, media_type=media_type, headers={"Content-Disposition": name})


def download_name(image: str, format: str) -> str:
    """What a download is called: after the photograph and after what it is, so that no kind replaces another."""
    if format in DRAWINGS:
        return f"{safe_stem(image)}-{format.partition('-')[0]}{DRAWINGS[format][0]}"
    return f"{safe_stem(image)}-plan{FORMATS[format].suffix}"


def safe_stem(name: str) -> str:
    """A file name without extension that is one everywhere: letters, digits, dots, hyphens and underscores."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name.rpartition(".")[0] or name)[:60].strip("-.")
    return stem or "shapeparse"


def _exported(tree: ParseTree, request: ExportRequest) -> bytes:
    if request.format == "tree":
        return tree.to_json().encode()
    if request.format == "rectangles-svg":
        return tree_svg(tree).encode()
    return export_plan(chosen_plan(request, tree).plan, tree, request.format)


def _image_json(name: str, photo: Photo) -> dict[str, Any]:
    return {"name": name, "width": photo.shape[1], "height": photo.shape[0]}


def _plane_json(plane: Plane, photo: Photo, before: dict[str, Any]) -> dict[str, Any]:
    """What a client cannot know of the plane, and the picture to show."""
    seen = {"scale": plane.scale, "sensitivity": plane.sensitivity(), "source": photo_uri(photo, LONGEST)}
    return {**seen, "photograph": before}


def _parse_json(model: Model, found: Found, name: str, mask: BoolArray | None) -> dict[str, Any]:
    tree = replace(found.tree, name=name)
    return {
        "model": model.name,
        "title": model.title,
        "tree": json.loads(tree.to_json()),
        "merged_paint": sum(segment.paint for segment in tree.segments(merge=True)),
        "scores": None if mask is None else asdict(tree.scores(mask)),
        "strangeness": found.strangeness,
    }


def _sample(name: str) -> Sample:
    try:
        return find_sample(name)
    except UserError as error:
        raise Refusal(404, str(error)) from error


def _png(content: bytes) -> Response:
    return Response(content, media_type="image/png", headers={"Cache-Control": "max-age=3600"})
