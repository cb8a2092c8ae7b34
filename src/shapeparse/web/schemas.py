"""The shapes of requests and answers, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..explorer.page import DRAWINGS
from ..painting import FORMATS
from ..painting.plane import Plane
from ..painting.settings import LEAST, MOST, Kind, Order, PaintSettings, Unit
from ..support.errors import UserError
from .samples import SAMPLES
from .settings import MAX_CORNERS, MAX_DEPTH, MAX_KEEP_OUTS, MAX_MILLIMETRES, MAX_PARSES, MAX_RECTANGLES, MAX_SIDE

DEFAULTS = PaintSettings()

EXAMPLE_TREE: dict[str, Any] = {
    "format": "shapeparse-tree",
    "version": 1,
    "image": {"name": "door.png", "width": 60, "height": 40},
    "nodes": [
        {"x": 0, "y": 0, "w": 60, "h": 40, "depth": 0, "parent": None, "rule": "split-x", "cut": 45},
        {"x": 0, "y": 0, "w": 45, "h": 40, "depth": 1, "parent": 0, "rule": "paint", "cut": None},
        {"x": 45, "y": 0, "w": 15, "h": 40, "depth": 1, "parent": 0, "rule": "skip", "cut": None},
    ],
}
PLAN_EXAMPLE: dict[str, Any] = {"tree": EXAMPLE_TREE, "brush": 12}
EXPORT_EXAMPLE: dict[str, Any] = {**PLAN_EXAMPLE, "format": "svg"}

PARSE_FORM: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "image": {
            "type": "string",
            "format": "binary",
            "description": "A photograph: JPEG, PNG, WebP, TIFF, BMP, GIF or PNM. Either this or `sample`.",
        },
        "sample": {"type": "string", "enum": list(SAMPLES), "description": "A built-in photograph, with its mask."},
        "mask": {
            "type": "string",
            "format": "binary",
            "description": "What is to be painted (white) in a picture of the same size. Oracles need it, and scores.",
        },
        "model": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": MAX_PARSES,
            "description": "Names of models from `/api/models`; the first of them if none is given.",
        },
        "depth": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_DEPTH,
            "description": "Of the deepest rectangle in the tree; the model's own if not given.",
        },
        "rectangles": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_RECTANGLES,
            "description": "The best tree of at most so many. One of `rectangles`, `price` and `accuracy`, or none.",
        },
        "price": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "default": 0,
            "description": "Accuracy, as a share of the picture, that every additional rectangle must bring.",
        },
        "accuracy": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1,
            "description": "The fewest rectangles that label this share of the pixels right, as far as a model knows.",
        },
        "plane": {
            "type": "string",
            "description": "The JSON of a `plane`: photograph and mask are rectified to it before they are parsed.",
        },
    },
}

PLAN_FORM: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["request"],
    "properties": {
        "request": {"type": "string", "format": "binary", "description": "The JSON of a request, as a file."},
        "mask": {
            "type": "string",
            "format": "binary",
            "description": "What is to be painted (white): the metrics then say `coverage` and `waste`.",
        },
        "sample": {"type": "string", "enum": list(SAMPLES), "description": "A built-in photograph, for its mask."},
    },
}


class Answer(BaseModel):
    """Base of everything that is answered."""


class Error(Answer):
    """Why a request was not answered as it was meant."""

    error: str = Field(description="One sentence: what was wrong, and what to do about it.")


class Health(Answer):
    """How the service is."""

    status: Literal["ok"]
    version: str = Field(description="Of shapeparse.")
    models: int = Field(description="How many models are offered, the oracles among them.")
    first: str = Field(description="The model that parses if a request names none.")
    busy: int = Field(description="Parses and plans that run or wait.")
    limit: int = Field(description="When so many run or wait, the next request is answered 503.")


class ModelFacts(Answer):
    """A model to parse with."""

    name: str = Field(description="What a request calls it.")
    title: str
    kind: Literal["model", "oracle"] = Field(description="Learned, or told by the mask.")
    needs_mask: bool
    facts: dict[str, Any] = Field(description="Its usual `depth`, the `settings` it knows, how it was trained.")


class SampleName(Answer):
    """A photograph to try."""

    name: str
    title: str


class ImageFacts(BaseModel):
    """The picture a tree is of."""

    name: str = ""
    width: int = Field(ge=1)
    height: int = Field(ge=1)


class Node(BaseModel):
    """A rectangle of the derivation, in pixels."""

    model_config = ConfigDict(extra="allow")

    x: int = Field(ge=0)
    y: int = Field(ge=0)
    w: int = Field(ge=1)
    h: int = Field(ge=1)
    depth: int = Field(ge=0)
    parent: int | None = Field(None, description="Place of the parent in the list; none for the root.")
    rule: Literal["split-x", "split-y", "paint", "skip"]
    cut: int | None = Field(None, description="Pixels that the first child of a split keeps; none for leaves.")


class Tree(BaseModel):
    """A parse tree, as `shapeparse` writes it to files."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [EXAMPLE_TREE]})

    format: Literal["shapeparse-tree"]
    version: Literal[1]
    image: ImageFacts
    nodes: list[Node] = Field(min_length=1, description="Depth-first, first child first; the first is the picture.")


class ScoresAnswer(Answer):
    """How well a tree fits the mask; all are shares between 0 and 1."""

    accuracy: float
    iou: float
    coverage: float
    waste: float


class Parse(Answer):
    """What one model made of the photograph."""

    model: str
    title: str
    tree: Tree
    merged_paint: int = Field(description="Rectangles to paint once neighbours are joined.")
    scores: ScoresAnswer | None = Field(description="None without a mask.")
    strangeness: float | None = Field(
        description="Beyond 1, the photograph is unlike those that the model has learned from. None if it cannot tell."
    )
    milliseconds: float = Field(description="Time the model took.")


class PlaneAnswer(Answer):
    """The photograph as it was rectified."""

    scale: float = Field(description="Millimetres per pixel of the rectified photograph.")
    sensitivity: float = Field(description="Millimetres by which an error of one pixel in a corner moves a plan.")
    source: str = Field(description="The rectified photograph, reduced, as a `data:` address.")
    photograph: ImageFacts = Field(description="The photograph before.")


class ParseAnswer(Answer):
    """A photograph and its parses, in the order of the models asked."""

    image: ImageFacts = Field(description="The picture the trees are of: the rectified one if there is a plane.")
    parses: list[Parse]
    plane: PlaneAnswer | None = Field(None, description="None unless a plane was given.")


class StrokeAnswer(Answer):
    """A way of the brush's centre while it is down."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    rectangle: int
    via: tuple[float, float] | None = Field(description="Corner of the way here with the brush down; null if lifted.")


class PlanAnswer(Answer):
    """How to paint a tree: strokes in order, in pixels of the picture."""

    model_config = ConfigDict(extra="allow")

    format: Literal["shapeparse-plan"]
    version: Literal[1]
    strokes: list[StrokeAnswer]
    plan: Kind = Field(description="The kind that was chosen.")
    metrics: dict[str, float | None]
    ways: dict[str, dict[str, float | None]] = Field(description="The metrics of the best plan of every kind.")
    seconds_least: float = Field(description="No plan takes less time.")
    against: Literal["mask", "labels"] = Field(description="What coverage and waste are shares of.")
    merged_paint: int = Field(description="Rectangles to paint once neighbours are joined.")
    scores: ScoresAnswer | None = Field(None, description="Of the labels; None without a mask.")


Coordinate = Annotated[float, Field(ge=-MAX_SIDE, le=2 * MAX_SIDE, allow_inf_nan=False)]
Point = tuple[Coordinate, Coordinate]
Millimetres = Annotated[float, Field(ge=1, le=MAX_MILLIMETRES, allow_inf_nan=False)]


class PlaneRequest(BaseModel):
    """A rectangle on the object, as the photograph shows it, and how large it really is."""

    model_config = ConfigDict(extra="forbid", strict=True)

    corners: tuple[Point, Point, Point, Point] = Field(
        description="Upper left, upper right, lower right and lower left, in pixels of the photograph."
    )
    width: Millimetres = Field(description="Of the rectangle, in millimetres.")
    height: Millimetres

    def plane(self) -> Plane:
        """As the planner takes it; UserError if corners cross."""
        return Plane(self.corners, self.width, self.height)


class PlanRequest(BaseModel):
    """A tree to paint, and with what; lengths are in pixels of its picture."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [PLAN_EXAMPLE]})

    tree: dict[str, Any]
    brush: float = Field(DEFAULTS.brush, ge=LEAST, le=MOST, allow_inf_nan=False, description="Width of the brush.")
    overlap: float = Field(
        DEFAULTS.overlap, ge=0, lt=1, description="Share of the brush by which neighbouring strokes overlap."
    )
    margin: float = Field(DEFAULTS.margin, ge=0, le=MOST, description="Distance kept from what is skipped.")
    scale: float | None = Field(DEFAULTS.scale, ge=LEAST, le=MOST, description="Millimetres a pixel, if known.")
    unit: Unit | None = Field(DEFAULTS.unit, description="Of lengths and exported coordinates.")
    order: Order = Field(DEFAULTS.order, description="How strokes are ordered.")
    stroke_speed: float = Field(DEFAULTS.stroke_speed, ge=LEAST, le=MOST, description="Brush down, a second.")
    travel_speed: float = Field(DEFAULTS.travel_speed, ge=LEAST, le=MOST, description="Brush up, a second.")
    lift_time: float = Field(DEFAULTS.lift_time, ge=0, le=MOST, description="Seconds to lower and lift the brush.")
    turn_time: float = Field(DEFAULTS.turn_time, ge=0, le=MOST, description="Seconds to turn with the brush down.")
    join: bool = Field(DEFAULTS.join, description="Whether the brush stays down between strokes where it may.")
    plan: Kind | Literal["auto"] = Field(DEFAULTS.plan, description="The kind of plan; `auto` takes the quickest.")
    coverage: float = Field(DEFAULTS.coverage, ge=LEAST, le=1, description="Share of the labels that must be painted.")
    waste: float | None = Field(
        DEFAULTS.waste, ge=0, le=1,
        description="Share of the paint that may be wasted; none if a plan can do without, else any.",
    )  # fmt: skip
    keep_out: list[Annotated[list[Point], Field(min_length=3, max_length=MAX_CORNERS)]] = Field(
        [], max_length=MAX_KEEP_OUTS, description="Polygons that the brush does not touch, in pixels, y down."
    )
    plane: PlaneRequest | None = Field(
        None, description="As it was given for the parse: it says the scale, and a mask beside is rectified to it."
    )

    def settings(self) -> PaintSettings:
        """As the planner takes them."""
        chosen = self.model_dump(include=set(PlanRequest.model_fields) - {"tree", "keep_out", "plane"})
        if self.plane is not None:
            if self.scale is not None:
                raise UserError("Both scale and plane are given, and a plane has a scale of its own; give one of them.")
            chosen["scale"] = self.plane.plane().scale
        return PaintSettings(**chosen)


class ExportRequest(PlanRequest):
    """A tree to download; formats with strokes take the same settings as a plan."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXPORT_EXAMPLE]})

    format: str = Field(description="Kind of file.", json_schema_extra={"enum": [*DRAWINGS, *FORMATS]})
