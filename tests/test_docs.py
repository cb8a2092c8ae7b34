"""The documentation is true: its code runs, its links lead somewhere, and the options it names exist."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import shapeparse
from shapeparse.commands import cli
from shapeparse.data.generator import write_dataset

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = sorted((REPOSITORY / "docs").glob("*.md"))
README = REPOSITORY / "README.md"
PAGES = [README, *DOCS, *(REPOSITORY / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "results/README.md"))]
COMMANDS = sorted((command.words for command in cli.COMMANDS), key=len, reverse=True)
GENERATED = re.compile(r"<!-- (\w+) results: .*?<!-- end of \1 results -->", re.DOTALL)
FENCED = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w.-]*")


def fenced(page: Path, language: str) -> list[str]:
    """The code blocks of a language that are to be run; one that is not must say why: ```python no-run: the reason."""
    blocks = []
    for words, code in FENCED.findall(page.read_text(encoding="utf-8")):
        name, _, rest = words.partition(" ")
        if name == language and rest:
            assert re.fullmatch(r"no-run: .{10,}", rest), f"{page.name}: {words}"
        elif name == language:
            blocks.append(code)
    return blocks


def written_by(page: Path) -> str:
    """The text of a page without what benchmarks wrote."""
    return GENERATED.sub("", page.read_text(encoding="utf-8"))


# ---- code ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def workshop(tmp_path: Path, tiny_presets: dict, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with what the pages take for granted: photographs, a mask, a tree, and a run with a tiny network."""
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # tiny networks are quicker so
    write_dataset(tmp_path / "photos", count=12, seed=0, size=64)
    _, mask = shapeparse.data.generator.generate(seed=0, index=0)
    Image.fromarray(mask.astype(np.uint8) * 255).save("door.png")
    shapeparse.decompose(mask, price=0.002).save("door.json")
    shapeparse.train("photos", out="run", method="bc", epochs=1, depth=3)
    yield tmp_path
    torch.set_num_threads(threads)


@pytest.mark.parametrize("page", [page for page in DOCS if fenced(page, "python")], ids=lambda page: page.name)
@pytest.mark.usefixtures("workshop")
def test_python_works_in_its_order(page: Path) -> None:
    names: dict[str, object] = {}
    for code in fenced(page, "python"):
        exec(compile(code, page.name, "exec"), names)


@pytest.mark.parametrize("page", [page for page in DOCS if fenced(page, "sh")], ids=lambda page: page.name)
def test_commands_work_in_their_order(page: Path, workshop: Path) -> None:
    """With tiny networks, trained for a second instead of minutes on fewer photographs."""
    (workshop / "masks").symlink_to("photos/masks")
    shutil.rmtree("run")  # pages that train make their own
    for command in "".join(fenced(page, "sh")).splitlines():
        quick = re.sub(r"--minutes \d+", "--minutes 0.02", command).replace("--count 60", "--count 12")
        program, *words = shlex.split(quick)
        if program == "python":
            subprocess.run([sys.executable, REPOSITORY / words[0], *words[1:]], check=True)
        else:
            assert program == "shapeparse"
            assert cli.main(words) == 0, command
    if page.name == "painting-example.md":
        check_example(page, workshop / "angle" / "plan" / "plans.json")


def check_example(page: Path, summary: Path) -> None:
    """The table of the example is what the commands gave, but for what another processor rounds otherwise."""
    (table,) = fenced(page, "text")
    ways = json.loads(summary.read_bytes())["ways"]
    rows = [re.split(r"\s{2,}", line) for line in table.splitlines()[1:]]
    assert [name for name, *_ in rows] == list(ways)
    for name, strokes, _, painted, _, coverage, waste, _ in rows:
        assert int(strokes) == pytest.approx(ways[name]["strokes"], rel=0.15)
        assert float(painted.replace(",", "")) == pytest.approx(ways[name]["painted_length"], rel=0.03)
        assert float(coverage.split()[0]) == pytest.approx(100 * ways[name]["coverage"], abs=0.3)
        assert float(waste.split()[0]) == pytest.approx(100 * ways[name]["waste"], abs=0.5)


# ---- links -----------------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {link}"


def test_the_readme_is_short_and_links_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    missing = [page.name for page in DOCS if f"](docs/{page.name}" not in text]
    assert not missing


def test_the_index_links_every_page() -> None:
    text = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
    missing = [page.name for page in DOCS if f"]({page.name}" not in text and page.name != "index.md"]
    assert not missing


def test_the_index_of_results_names_every_file() -> None:
    text = (REPOSITORY / "results" / "README.md").read_text(encoding="utf-8")
    places = set(re.findall(r"^\| \[([\w/.-]+)\]", text, re.MULTILINE)) | set(re.findall(r"`([\w/.-]+\.json)`", text))
    for path in (REPOSITORY / "results").rglob("*.*"):
        name = path.relative_to(REPOSITORY / "results").as_posix()
        if name != "README.md" and "/." not in f"/{name}":
            named = any(name.startswith(place) for place in places if place.endswith("/"))
            assert named or name in places or path.name in places, f"results/README.md does not name {name}"


# ---- options ---------------------------------------------------------------------------------------------------------


@functools.cache
def options_of(command: str) -> frozenset[str]:
    """The options that the help of a command shows."""
    shown = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "200"
    try:
        with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
            cli.main([*command.split(), "--help"])
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return frozenset(OPTION.findall(shown.getvalue())) | {"--help", "--import"}


def commands_in(page: Path) -> Iterator[str]:
    """Every line of code of a page, and every piece of code within its text."""
    text = written_by(page).replace("\\\n", " ")
    inside = "\n".join(code for words, code in FENCED.findall(text) if not words.startswith(("python", "json")))
    yield from (line for line in inside.splitlines() if "--" in line)
    text = FENCED.sub("", text)
    yield from (line.strip() for line in re.findall(r"^    .*$", text, re.MULTILINE) if "--" in line)
    yield from (span for span in re.findall(r"`([^`\n]+)`", text) if "--" in span)


@pytest.mark.parametrize("page", [README, *DOCS], ids=lambda page: page.name)
def test_options_exist(page: Path) -> None:
    every = frozenset().union(*map(options_of, COMMANDS))
    for line in commands_in(page):
        if re.match(r"(python|pip|curl|make|git) ", line):
            continue
        line = re.sub(r"\s#.*$", "", line)
        words = re.sub(r"--import \S+ ", "", line.removeprefix("shapeparse "))
        command = next((name for name in COMMANDS if f"{words} ".startswith(f"{name} ")), None)
        known = every if command is None else options_of(command)
        unknown = set(OPTION.findall(line)) - known
        assert not unknown, f"{page.name}: {line}"


@pytest.mark.parametrize(
    ("name", "command"),
    [("decompose.md", "decompose"), ("painting.md", "paint"), ("service.md", "serve"), ("benchmark.md", "benchmark")],
)
def test_tables_of_options_are_of_their_command(name: str, command: str) -> None:
    text = (REPOSITORY / "docs" / name).read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`--.+?) \|", text, re.MULTILINE)
    assert rows
    for row in rows:
        unknown = set(OPTION.findall(row)) - options_of(command)
        assert not unknown, f"{name}: {row}"


# ---- the walks of docs/architecture.md -------------------------------------------------------------------------------

ARCHITECTURE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`([\w/]+\.py)(?::([\w.]+))?`")
SOURCES = REPOSITORY / "src" / "shapeparse"


@pytest.mark.parametrize(("file", "name"), sorted(set(PLACE.findall(ARCHITECTURE))))
def test_the_architecture_names_what_is_there(file: str, name: str) -> None:
    source = (SOURCES / file).read_text(encoding="utf-8")
    for part in filter(None, name.split(".")):
        assert re.search(rf"^ *(def|class) {part}\b|^{part}\b", source, re.MULTILINE), f"{file} has no {part}"


def test_walks_are_as_long_as_they_say() -> None:
    walks = [part for part in re.split(r"^## ", ARCHITECTURE, flags=re.MULTILINE) if "Jumps: " in part]
    assert len(walks) == 6
    for walk in walks:
        steps = "\n".join(re.findall(r"^(?:\d+\. |   ).*$", walk, re.MULTILINE))
        files = [file for file, _ in PLACE.findall(steps)]
        jumps = sum(one != other for one, other in itertools.pairwise(files))
        assert f"Files: {len(set(files))}. Jumps: {jumps}." in walk, walk.splitlines()[0]


def test_the_picture_of_the_layers_is_what_import_linter_checks() -> None:
    contract = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8").partition("layers = [")[2].partition("]")[0]
    wanted = [row.replace("shapeparse.", "") for row in re.findall(r'"(.+?)"', contract)]
    picture = ARCHITECTURE.partition("## Layers")[2].partition("## ")[0]
    drawn = [re.split(r"\s{2,}", row.strip())[0] for row in re.findall(r"^    .+$", picture, re.MULTILINE)]
    assert drawn == wanted
