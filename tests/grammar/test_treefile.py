"""Trees as JSON: exact round trips, and one sentence for every malformed file."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeparse import ParseTree, UserError, igm
from shapeparse.grammar import treefile

from ..conftest import one

from_json, to_json = ParseTree.from_json, ParseTree.to_json
trees = st.from_type(ParseTree)


def example() -> dict[str, Any]:
    """A tree of seven nodes: 0 splits x into 1 and 2; each of them splits y into two leaves."""
    content: dict[str, Any] = json.loads(to_json(igm(np.array([[1, 1, 0, 0]] * 3 + [[0, 0, 1, 1]]), depth=2)))
    assert [node["rule"] for node in content["nodes"]] == [
        "split-x", "split-y", "paint", "skip", "split-y", "skip", "paint",
    ]  # fmt: skip
    return content


def changed(path: str, value: Any) -> str:
    """The example with one value replaced, as in ``nodes.3.x``."""
    content = example()
    *way, last = (int(key) if key.isdigit() else key for key in path.split("."))
    place: Any = content
    for key in way:
        place = place[key]
    place[last] = value
    return json.dumps(content)


@given(trees, st.text(max_size=12) | st.sampled_from(["", "a\nb.png", '"quoted"', "日本", "\x00", "\ud800", "{[,"]))
def test_a_tree_survives_its_json(tree, name):
    named = ParseTree(**{**vars(tree), "name": name})
    assert from_json(to_json(named)) == named
    assert from_json(to_json(named).encode()) == named


def test_a_saved_tree_is_loaded_as_it_was(tmp_path):
    tree = one(igm(np.random.default_rng(0).random((20, 31)) < 0.3))
    tree.save(tmp_path / "tree.json")
    assert ParseTree.load(str(tmp_path / "tree.json")) == tree
    content = json.loads((tmp_path / "tree.json").read_text())
    assert content["version"] == 1
    assert content["nodes"][0]["parent"] is None


def test_nodes_in_any_derivation_order_are_read_as_depth_first():
    content = example()
    level_order = [0, 1, 4, 2, 3, 5, 6]
    new_place = {old: new for new, old in enumerate(level_order)}
    nodes = [content["nodes"][old] for old in level_order]
    for node in nodes:
        node["parent"] = None if node["parent"] is None else new_place[node["parent"]]
    assert from_json(json.dumps({**content, "nodes": nodes})) == from_json(json.dumps(example()))


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        ("format", "another", "format"),
        ("version", 2, "version is 2"),
        ("version", True, "version is True"),
        ("version", None, "version is None"),
        ("version", [[]] * 999, "version is a list"),
        ("version", "long" * 999, "version is 'long"),
        ("image", None, "image"),
        ("image", [], "image"),
        ("image.name", 3, "image"),
        ("image.width", 5, "whole image"),
        ("image.width", 0, "width"),
        ("image.width", -4, "width"),
        ("image.height", 1 << 40, "height"),
        ("image.height", 4.0, "height"),
        ("image.height", True, "height"),
        ("nodes", {}, "nodes"),
        ("nodes", [], "nodes"),
        ("nodes", "seven", "nodes"),
        ("nodes.3", 7, "node 3 must be an object"),
        ("nodes.3", None, "node 3 must be an object"),
        ("nodes.3.rule", "split-z", "rule 'split-z'"),
        ("nodes.3.rule", 2, "rule 2"),
        ("nodes.3.rule", {}, "rule an object"),
        ("nodes.3.rule", "split-x", 'node 3 has "cut": None'),
        ("nodes.0.rule", "paint", "leaf but has children"),
        ("nodes.3.x", True, 'node 3 has "x": True'),
        ("nodes.3.x", 0.0, 'node 3 has "x": 0.0'),
        ("nodes.3.x", "0", "node 3 has \"x\": '0'"),
        ("nodes.3.x", float("nan"), 'node 3 has "x": nan'),
        ("nodes.3.x", None, 'node 3 has "x": None'),
        ("nodes.3.w", 10**30, 'node 3 has "w": 1000'),
        pytest.param("nodes.3.w", -(10**4000), 'node 3 has "w": -1000', id="4000 digits"),
        ("nodes.3.x", -1, "outside its parent"),
        ("nodes.3.w", 3, "outside its parent"),
        ("nodes.3.h", 0, "outside its parent"),
        ("nodes.2.h", 1, "gap or overlaps"),
        ("nodes.3.y", 1, "gap or overlaps"),
        ("nodes.1.w", 1, "outside its parent"),
        ("nodes.5.x", 1, "outside its parent"),
        ("nodes.0.w", 3, "whole image"),
        ("nodes.0.x", 1, "whole image"),
        ("nodes.0.depth", 1, "depths"),
        ("nodes.3.depth", 65, "depths"),
        ("nodes.3.depth", 1, "one deeper"),
        ("nodes.0.cut", 0, "node 0 has a cut outside"),
        ("nodes.0.cut", 4, "node 0 has a cut outside"),
        ("nodes.0.cut", -1, "node 0 has a cut outside"),
        ("nodes.0.cut", None, 'node 0 has "cut": None'),
        ("nodes.2.cut", 1, "is a leaf but has a cut"),
        ("nodes.0.parent", 0, "node 0 is the root"),
        ("nodes.0.parent", 3, "node 0 is the root"),
        ("nodes.3.parent", None, 'node 3 has "parent": None'),
        ("nodes.3.parent", -1, "only the first node may be the root"),
        ("nodes.1.parent", 4, "does not stand behind its parent (a cycle"),
        ("nodes.1.parent", 1, "does not stand behind its parent (a cycle"),
        ("nodes.3.parent", 0, "does not have exactly two children"),
        ("nodes.3.parent", 2, "leaf but has children"),
        ("nodes.3.parent", 10**6, "does not stand behind its parent"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(refused, path, value, complaint):
    assert complaint in refused(from_json, changed(path, value))


def test_a_file_of_a_few_bytes_cannot_claim_an_image_that_fills_the_memory(refused):
    content = example()
    content["image"].update(width=1 << 20, height=1 << 20)
    content["nodes"] = [{**content["nodes"][2], "w": 1 << 20, "h": 1 << 20, "depth": 0, "parent": None}]
    assert "pixels" in refused(from_json, json.dumps(content))


def test_siblings_in_the_wrong_order_are_refused(refused):
    content = example()
    content["nodes"][2], content["nodes"][3] = content["nodes"][3], content["nodes"][2]
    assert "gap or overlaps" in refused(from_json, json.dumps(content))


def test_a_missing_node_and_a_second_root_are_refused(refused):
    content = example()
    assert "exactly two children" in refused(from_json, json.dumps({**content, "nodes": content["nodes"][:-1]}))
    twice = content["nodes"] + [content["nodes"][0]]
    assert 'node 7 has "parent": None' in refused(from_json, json.dumps({**content, "nodes": twice}))


@pytest.mark.parametrize("key", ["format", "version", "image", "nodes"])
def test_a_missing_part_is_refused(refused, key):
    content = example()
    del content[key]
    refused(from_json, json.dumps(content))


@pytest.mark.parametrize("key", ["x", "y", "w", "h", "depth", "parent", "rule", "cut"])
def test_a_node_without_one_of_its_values_is_refused(refused, key):
    content = example()
    del content["nodes"][1][key]
    assert "node 1 has" in refused(from_json, json.dumps(content))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "null", "[]", "3", '"text"', "{", "not JSON", "{}{}", b"\xff\xfe\x00", b"\x80abc", "[" * 100_000,
        '{"a":' * 100_000, '{"version": ' + "9" * 5000 + "}", '{"format": "a\nb"}', "\ufeff{}",
    ],
)  # fmt: skip
def test_what_is_no_json_or_no_tree_is_refused(refused, text):
    refused(from_json, text)


def test_values_nested_up_to_the_recursion_limit_are_refused(refused):
    for depth in range(850, 1000, 3):
        for key in ("rule", "x"):
            text = json.dumps(example()).replace(f'"{key}": ', f'"{key}": {"[" * depth}{"]" * depth}, "other": ', 1)
            refused(from_json, text)


def test_every_truncation_is_refused(refused):
    text = to_json(from_json(json.dumps(example()))).strip()
    for length in range(len(text)):
        refused(from_json, text[:length])


def test_twelve_million_nodes_are_refused_before_they_are_parsed(refused):
    head = json.dumps(example())[:-1]
    flood = head[: head.index("[") + 1] + "{}," * 12_000_000 + "{}]}"
    assert f"more than the {treefile.MAX_NODES} nodes" in refused(from_json, flood)


def test_more_nodes_than_are_read_are_refused(refused, monkeypatch):
    monkeypatch.setattr(treefile, "MAX_NODES", 6)
    assert "7 nodes, more than the 6" in refused(from_json, json.dumps(example()))


def test_a_file_larger_than_any_tree_is_not_even_read(tmp_path, refused):
    with open(tmp_path / "sparse.json", "wb") as file:
        file.truncate(treefile.MAX_BYTES + 1)  # takes no space on the disk
    assert "is larger than" in refused(treefile.read, tmp_path / "sparse.json")


def test_files_that_are_not_trees_are_named_in_one_sentence(tmp_path, refused):
    (tmp_path / "empty.json").touch()
    (tmp_path / "bad\nname.json").write_text("{}")
    assert "missing.json" in refused(ParseTree.load, tmp_path / "missing.json")
    assert "is a folder" in refused(ParseTree.load, tmp_path)
    assert "empty" in refused(ParseTree.load, tmp_path / "empty.json")
    assert "is not a valid parse tree" in refused(ParseTree.load, tmp_path / "bad\nname.json")


leaf_values = st.none() | st.booleans() | st.integers(-3, 9) | st.integers() | st.floats() | st.text(max_size=3)
values = st.recursive(leaf_values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid tree's JSON in which a few values were replaced, removed or exchanged."""
    content = copy.deepcopy(json.loads(to_json(draw(trees))))
    for _ in range(draw(st.integers(1, 3))):
        place: Any = content
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and draw(st.integers(0, 9)):
                place = place[key]
                continue
            action = draw(st.sampled_from(["delete", "replace", "near", "exchange"]))
            if action == "delete":
                del place[key]
            elif action == "near" and type(place[key]) is int:
                place[key] += draw(st.sampled_from([-1, 1]))
            elif action == "exchange":
                other = draw(st.sampled_from(keys))
                place[key], place[other] = place[other], place[key]
            else:
                place[key] = draw(values)
            break
    return json.dumps(content)


@settings(max_examples=400)
@given(mutated())
def test_a_mutated_file_gives_a_tree_that_tiles_or_one_sentence(refused, text):
    try:
        tree = from_json(text)
    except UserError:
        refused(from_json, text)
        return
    covered = np.zeros((tree.height, tree.width), int)
    for x, y, w, h, _ in tree.segments():
        covered[y : y + h, x : x + w] += 1
    assert (covered == 1).all()
    assert from_json(to_json(tree)) == tree


def test_what_a_model_finds_likely_is_kept():
    tree = replace(
        from_json(json.dumps(example())), likely=np.linspace(0, 1, len(example()["nodes"]), dtype=np.float32)
    )
    again = from_json(to_json(tree))
    np.testing.assert_allclose(again.likely, tree.likely, atol=1e-4)
    assert from_json(json.dumps(example())).likely is None


@pytest.mark.parametrize("value", [None, -0.1, 1.5, "0.5", float("nan"), True])
def test_a_likelihood_that_is_none_is_refused(refused, value):
    content = example()
    for node in content["nodes"]:
        node["likely"] = 0.5
    content["nodes"][1]["likely"] = value
    assert 'node 1 has "likely"' in refused(from_json, json.dumps(content))
