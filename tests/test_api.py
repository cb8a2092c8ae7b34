"""The library as it is meant to be used: train, load, decompose, paint; with methods and networks of one's own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shapeparse
from shapeparse.data.generator import write_dataset
from shapeparse.painting import FORMATS, export_plan

from .conftest import one

Refused = Callable[..., str]
Train = Callable[..., Any]

HOUSE = np.zeros((24, 32), bool)
HOUSE[12:, 8:24] = HOUSE[6:12, 18:22] = True


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six photographs with masks."""
    folder = tmp_path_factory.mktemp("api") / "photos"
    write_dataset(folder, count=6, size=32)
    return folder


@pytest.fixture
def train(photos: Path, tmp_path: Path, tiny_presets: dict) -> Train:
    """``shapeparse.train`` with tiny networks, for two epochs, into the run folder of a name."""

    def quickly(name: str = "run", data: Any = photos, **options: Any) -> shapeparse.Parser:
        options = {"method": "bc", "preset": "fast", "epochs": 2, "depth": 3, "device": "cpu"} | options
        return shapeparse.train(data, out=tmp_path / name, **options)

    return quickly


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """What a test registers is forgotten behind it."""
    from shapeparse.learning.names import REGISTERED
    from shapeparse.networks.encoders import ENCODERS
    from shapeparse.networks.presets import PRESETS

    known = [(registry, dict(registry)) for registry in (REGISTERED, ENCODERS, PRESETS)]
    yield
    for registry, before in known:
        registry.clear()
        registry.update(before)


def config(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return content


def picture() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)


# ---- what is there -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shapeparse.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(shapeparse, name) is not None


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        shapeparse.nonsense  # noqa: B018


def loaded_by(statement: str, *names: str) -> list[str]:
    """Which modules, or parts of the package, a fresh Python has loaded behind a statement."""
    script = f"import sys; {statement}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    return [module for module in modules if any(module == name or module.startswith(f"{name}.") for name in names)]


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import shapeparse", "torch", "numba", "matplotlib", "PIL") == []


def test_a_trained_parser_is_used_without_the_code_that_trains() -> None:
    statement = "import shapeparse.parsing.load; shapeparse.load; shapeparse.Parser"
    assert loaded_by(statement, "shapeparse.learning") == []


def test_strokes_are_planned_without_torch() -> None:
    assert loaded_by("from shapeparse.painting import plan_painting", "torch") == []


# ---- decompose and paint -------------------------------------------------------------------------------------------


def test_a_mask_is_decomposed_into_the_best_tree() -> None:
    tree = shapeparse.decompose(HOUSE)
    assert np.array_equal(tree.labels(), HOUSE)
    assert tree == shapeparse.best_tree(HOUSE).tree
    assert shapeparse.decompose(HOUSE, depth=2).accuracy(HOUSE) >= one(shapeparse.igm(HOUSE, 2)).accuracy(HOUSE)
    assert shapeparse.decompose(HOUSE, rectangles=3).leaf_count <= 3
    assert shapeparse.decompose(HOUSE, price=0.1).leaf_count < tree.leaf_count
    assert shapeparse.decompose(HOUSE, accuracy=0.9).leaf_count <= tree.leaf_count


def test_a_map_of_probabilities_is_decomposed_too() -> None:
    tree = shapeparse.decompose(np.where(HOUSE, 0.8, 0.3))
    assert np.array_equal(tree.labels(), HOUSE)


def test_a_tree_is_painted_with_settings_and_single_changes() -> None:
    tree = shapeparse.decompose(HOUSE)
    settings = shapeparse.PaintSettings(brush=4, overlap=0.0)
    plan = shapeparse.paint(tree, settings, order="raster")
    assert plan.settings == replace(settings, order="raster")
    assert len(shapeparse.paint(tree, brush=2).strokes) > len(plan.strokes)
    assert plan.metrics(HOUSE)["coverage"] == 1


@pytest.mark.parametrize("name", FORMATS)
def test_a_plan_is_saved_by_the_ending_of_its_file(name: str, tmp_path: Path) -> None:
    tree = shapeparse.decompose(HOUSE)
    plan, path = shapeparse.paint(tree, brush=4), tmp_path / f"house{FORMATS[name].suffix}"
    plan.save(path)
    assert path.read_bytes() == export_plan(plan, tree, name)


# ---- train, load, evaluate -----------------------------------------------------------------------------------------


def test_training_gives_the_parser_of_its_run_folder(train: Train, tmp_path: Path) -> None:
    parser, image = train(), picture()
    tree = parser.parse(image)
    assert (tree.width, tree.height) == (50, 40)
    assert tree.depth.max() <= 3
    assert parser.title == "Behaviour cloning"
    assert shapeparse.load(tmp_path / "run").parse(image) == tree


def test_the_settings_given_by_name_are_those_of_the_run(train: Train, tmp_path: Path) -> None:
    train(seed=5, learning={"rate": 0.002}, preset="crop", validation=0.4, test=1)
    stored = config(tmp_path / "run")
    assert (stored["settings"]["seed"], stored["settings"]["learning"]["rate"]) == (5, 0.002)
    assert stored["settings"]["preset"] == "crop"
    assert [len(stored["data"][part]) for part in ("train", "validation", "test")] == [3, 2, 1]


def test_without_data_the_built_in_generator_makes_some(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapeparse.data.source.BUILT_IN_COUNT", 4)
    train(data=None, epochs=1)
    assert config(tmp_path / "run")["data"]["source"] == "built-in generator"
    train("other", data=shapeparse.data.Source(count=3), epochs=1)
    assert config(tmp_path / "other")["data"]["count"] == 3


def test_a_callback_is_told_of_every_epoch(train: Train) -> None:
    told: list[dict[str, Any]] = []
    train(callback=told.append)
    assert [row["epoch"] for row in told] == [1, 2]
    assert all(0 <= row["validation_accuracy"] <= 1 for row in told)


def test_who_stops_in_a_callback_goes_on_with_resume_to_the_same_end(train: Train, tmp_path: Path) -> None:
    def stop(row: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(callback=stop)
    told: list[dict[str, Any]] = []
    parser = shapeparse.train(out=tmp_path / "run", resume=True, callback=told.append, device="cpu")
    assert [row["epoch"] for row in told] == [2]
    assert parser.parse(picture()) == train("whole").parse(picture())
    weights = [(tmp_path / run / "model.safetensors").read_bytes() for run in ("run", "whole")]
    assert weights[0] == weights[1]


def test_a_run_is_resumed_with_the_data_it_was_begun_with_given_again(
    train: Train, photos: Path, tmp_path: Path
) -> None:
    train()
    for data in (photos, shapeparse.data.Source(str(photos))):
        assert shapeparse.train(data, out=tmp_path / "run", resume=True, device="cpu").title == "Behaviour cloning"


def test_a_run_folder_is_not_overwritten(train: Train, refused: Refused) -> None:
    train(epochs=1)
    assert "holds a run already" in refused(train, epochs=1)


def test_a_parser_is_evaluated_on_a_folder(train: Train, photos: Path) -> None:
    parser = train()
    found = parser.evaluate(photos)
    loaded = shapeparse.data.Source(str(photos)).read(parser.side)
    trees = parser.parse(list(loaded.images))
    expected = [tree.accuracy(mask) for tree, mask in zip(trees, loaded.masks, strict=True)]
    assert found.accuracy == pytest.approx(expected)
    assert found.summary()["images"] == 6
    assert parser.evaluate(shapeparse.data.Source(str(photos))).accuracy == pytest.approx(expected)


def test_without_a_run_the_pretrained_parser_is_loaded() -> None:
    try:
        parser = shapeparse.load()
    except shapeparse.UserError:
        pytest.skip("there is no pretrained parser in this checkout")
    assert parser.parse(picture(), depth=2).depth.max() <= 2


# ---- names that are not known --------------------------------------------------------------------------------------


def test_an_unknown_setting_is_answered_with_the_one_that_was_meant(train: Train, refused: Refused) -> None:
    tree = shapeparse.decompose(HOUSE)
    assert "did you mean brush" in refused(shapeparse.paint, tree, bursh=12)
    assert "did you mean seed" in refused(train, sede=1)
    parser = train(epochs=1)
    assert "did you mean price" in refused(parser.parse, picture(), prise=0.1)
    assert "did you mean depth" in refused(parser.parse, [picture()], depht=3)


def test_an_unknown_method_or_preset_is_answered_with_the_one_that_was_meant(train: Train, refused: Refused) -> None:
    assert "did you mean dagger" in refused(train, method="dager")
    assert "did you mean fast" in refused(train, preset="fats")


# ---- methods and networks of one's own -----------------------------------------------------------------------------


def test_a_method_of_ones_own_is_handed_in(train: Train, tmp_path: Path) -> None:
    asked: list[int] = []
    dagger = shapeparse.METHODS["dagger"]

    def counted(*given: Any, **options: Any) -> Any:
        asked.append(1)
        return dagger.policy_loss(*given, **options)

    own = replace(dagger, title="Dagger of mine", policy_loss=counted)
    parser = train(method=own)
    assert asked
    assert parser.title == "Dagger of mine"
    assert config(tmp_path / "run")["settings"]["method"] == "dagger-of-mine"
    assert train("again", method=own).parse(picture()) == parser.parse(picture())
    assert shapeparse.load(tmp_path / "run").title == "Dagger of mine"  # by the name in the folder alone


def test_a_registered_method_is_used_by_its_name(train: Train, refused: Refused) -> None:
    shapeparse.register_method("cloning", replace(shapeparse.METHODS["bc"], title="Cloning"))
    assert train(method="cloning").title == "Cloning"
    assert "did you mean cloning" in refused(train, "other", method="clonning")
    with pytest.raises(ValueError, match="take another name"):
        shapeparse.register_method("drag", shapeparse.METHODS["bc"])


@pytest.mark.parametrize("name", ["bc", "drag-dense"])
def test_a_method_of_the_package_may_be_handed_in_as_it_is(train: Train, tmp_path: Path, name: str) -> None:
    assert train(method=shapeparse.METHODS[name], epochs=1).title == shapeparse.METHODS[name].title
    assert config(tmp_path / "run")["settings"]["method"] == name


def one_layer(width: int) -> Any:
    from torch import nn

    return nn.Conv2d(3, width, 8, stride=8)


def own_preset() -> shapeparse.Preset:
    return shapeparse.Preset(
        "shared", side=32, look=32, channels=4, positions=8, dense=(8, 8), encoder="one-layer",
        encoder_settings={"width": 4},
    )  # fmt: skip


def test_a_network_with_an_encoder_of_ones_own_is_handed_in(train: Train, tmp_path: Path, refused: Refused) -> None:
    shapeparse.register_encoder("one-layer", one_layer)
    parser = train(preset=own_preset())
    tree = parser.parse(picture())
    assert shapeparse.load(tmp_path / "run").parse(picture()) == tree
    shapeparse.networks.encoders.ENCODERS.clear()
    assert "one-layer" in refused(shapeparse.load, tmp_path / "run")


def test_a_registered_preset_is_used_by_its_name(train: Train, tmp_path: Path) -> None:
    shapeparse.register_encoder("one-layer", one_layer)
    shapeparse.register_preset("tiny", own_preset())
    train(preset="tiny")
    assert config(tmp_path / "run")["network"]["encoder"] == "one-layer"
    with pytest.raises(ValueError, match="take another name"):
        shapeparse.register_preset("fast", own_preset())
