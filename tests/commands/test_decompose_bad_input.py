"""Bad input to ``shapeparse decompose``: one sentence each, exit code 2, and the others go on."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shapeparse import ParseTree
from shapeparse.data.images import read_mask

from .conftest import Result, house, save

Cli = Callable[..., Result]


def jpeg(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG")
    return buffer.getvalue()


def bomb() -> bytes:
    """A PNG of a few bytes that says it is 60000 x 60000."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


NOISE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
BROKEN = {
    "empty.png": (b"", "is empty"),
    "text.png": (b"hello, I am a text\n", "is not a JPEG, PNG"),
    "cut.jpg": (jpeg(NOISE)[:700], "is damaged or cut short"),
    "bomb.png": (bomb(), "has more than"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_sentence_and_does_not_stop_the_others(
    cli: Cli, mask_file: Path, tmp_path: Path, name: str
) -> None:
    content, complaint = BROKEN[name]
    bad = tmp_path / name
    bad.write_bytes(content)
    result = cli("decompose", bad, mask_file, "--out", tmp_path / "out")
    assert result.code == 2
    [sentence] = result.sentences
    assert name in sentence
    assert complaint in sentence
    assert (tmp_path / "out" / "house.json").exists()
    assert [p["file"] for p in json.loads((tmp_path / "out" / "summary.json").read_text())["problems"]] == [str(bad)]


def test_all_broken_files_are_named(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    for name, (content, _) in BROKEN.items():
        (tmp_path / name).write_bytes(content)
    files = [tmp_path / name for name in BROKEN]
    result = cli("decompose", *files, tmp_path / "missing.png", mask_file, "--out", tmp_path / "out")
    assert result.code == 2
    assert len(result.sentences) == len(BROKEN) + 1
    assert "1 of 6 decomposed" in result.out


def test_a_missing_file(cli: Cli, tmp_path: Path) -> None:
    result = cli("decompose", tmp_path / "no.png", "--out", tmp_path / "out")
    assert (result.code, result.out) == (2, "")
    assert "There is no file" in result.sentences[0]


def test_no_masks_given(cli: Cli, tmp_path: Path) -> None:
    result = cli("decompose", "--out", tmp_path / "out")
    assert result.code == 2
    assert "No masks were given" in result.sentences[0]
    assert not (tmp_path / "out").exists()


def test_an_empty_folder(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = cli("decompose", tmp_path / "empty", mask_file, "--out", tmp_path / "out")
    assert result.code == 2
    assert "has no image files" in result.sentences[0]
    assert (tmp_path / "out" / "house.json").exists()


def test_a_mask_of_another_size_than_its_photograph(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    save(tmp_path / "photos" / "house.png", NOISE)
    result = cli("decompose", mask_file, "--out", tmp_path / "out", "--image-dir", tmp_path / "photos")
    assert result.code == 2
    [sentence] = result.sentences
    assert "48 x 32" in sentence
    assert "64 x 64" in sentence


def test_a_mask_without_a_photograph_or_with_two(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    save(tmp_path / "photos" / "other.png", NOISE)
    result = cli("decompose", mask_file, "--out", tmp_path / "out", "--image-dir", tmp_path / "photos")
    assert "has no photograph" in result.sentences[0]
    for extension in ("png", "jpg"):
        save(tmp_path / "photos" / f"house.{extension}", NOISE)
    result = cli("decompose", mask_file, "--out", tmp_path / "out", "--image-dir", tmp_path / "photos")
    assert "has 2 photographs" in result.sentences[0]
    assert result.code == 2


def test_a_folder_of_photographs_that_is_not_there(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    result = cli("decompose", mask_file, "--out", tmp_path / "out", "--image-dir", tmp_path / "nowhere")
    assert result.code == 2
    assert "does not exist" in result.sentences[0]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_an_output_folder_that_cannot_be_written_to(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    result = cli("decompose", mask_file, "--out", tmp_path / "locked")
    assert result.code == 2
    assert "not writable" in result.sentences[0]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /proc")
def test_an_output_folder_that_no_one_can_make(cli: Cli, mask_file: Path) -> None:
    result = cli("decompose", mask_file, "--out", "/proc/shapeparse/out")
    assert (result.code, len(result.sentences)) == (2, 1)


def test_an_output_path_that_is_a_file(cli: Cli, mask_file: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    for out in (tmp_path / "out", tmp_path / "out" / "deeper"):
        result = cli("decompose", mask_file, "--out", out)
        assert (result.code, len(result.sentences)) == (2, 1)
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--depth", -1),
        ("--depth", 65),
        ("--min-extent", 0),
        ("--lookahead", -1),
        ("--price", "nan"),
        ("--threshold", 0),
    ],
)
def test_settings_out_of_range_are_refused_once(
    cli: Cli, mask_file: Path, tmp_path: Path, option: str, value: object
) -> None:
    result = cli("decompose", mask_file, mask_file.parent, "--out", tmp_path / "out", f"{option}={value}")
    assert (result.code, len(result.sentences)) == (2, 1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("paint", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (5, 9)])
def test_masks_of_one_label_are_one_rectangle(cli: Cli, tmp_path: Path, paint: bool, shape: tuple[int, int]) -> None:
    mask = save(tmp_path / "flat.png", np.full(shape, paint))
    assert cli("decompose", mask, "--out", tmp_path / "out", "--figure").code == 0
    [segment] = ParseTree.load(tmp_path / "out" / "flat.json").segments()
    assert segment == (0, 0, shape[1], shape[0], paint)


def other_modes(folder: Path) -> dict[str, Path]:
    """The same house in other kinds of files."""
    grey = house().astype(np.uint8) * 255
    palette = Image.fromarray(house().astype(np.uint8), "P")
    palette.putpalette([0, 0, 0, 128, 0, 0])
    alpha = np.zeros((*grey.shape, 4), np.uint8)
    alpha[..., 3] = grey
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter to the right
    turned = Image.fromarray(np.rot90(grey, 1).copy())
    images = {
        "cmyk.jpg": (Image.fromarray(grey).convert("RGB").convert("CMYK"), {"quality": 100}),
        "deep.png": (Image.fromarray(grey.astype(np.uint16) * 257), {}),
        "palette.png": (palette, {}),
        "alpha.png": (Image.fromarray(alpha), {}),
        "turned.jpg": (turned, {"exif": exif, "quality": 100}),
    }
    for name, (image, options) in images.items():
        image.save(folder / name, **options)
    return {name: folder / name for name in images}


@pytest.mark.parametrize("name", ["cmyk.jpg", "deep.png", "palette.png", "alpha.png", "turned.jpg"])
def test_every_kind_of_file_gives_the_same_tree(cli: Cli, mask_file: Path, tmp_path: Path, name: str) -> None:
    other = other_modes(tmp_path)[name]
    result = cli("decompose", mask_file, other, "--out", tmp_path / "out", "--formats", "json")
    assert (result.code, result.sentences) == (0, [])
    plain, same = (ParseTree.load(tmp_path / "out" / f"{stem}.json") for stem in ("house", other.stem))
    assert np.array_equal(plain.labels(), same.labels())
    assert plain.accuracy(read_mask(mask_file)) == 1


def test_names_that_no_terminal_can_show(cli: Cli, tmp_path: Path) -> None:
    good = save(tmp_path / "a\nb\x1b[31m.png", house())
    bad = tmp_path / "c\nd.png"
    bad.write_bytes(b"text")
    result = cli("decompose", good, bad, "--out", tmp_path / "out")
    assert result.code == 2
    assert "\x1b" not in result.out + result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_a_name_that_is_not_unicode(cli: Cli, tmp_path: Path) -> None:
    mask = save(tmp_path / "plain.png", house())
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.png"))
    mask.rename(odd)
    assert cli("decompose", odd, "--out", tmp_path / "out").code == 0


def test_as_a_program_too(tmp_path: Path) -> None:
    """The same through a real process: no traceback, one sentence, results and complaints apart."""
    (tmp_path / "text.png").write_text("hello")
    save(tmp_path / "house.png", house())
    command = [sys.executable, "-m", "shapeparse", "decompose", "text.png", "house.png", "--out", "out"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 2
    assert "house" in result.stdout
    assert "Traceback" not in result.stderr
    assert [line for line in result.stderr.splitlines() if "text.png is not a JPEG" in line]
