"""Images of every kind are read right, and files that are broken or hostile end in one sentence."""

from __future__ import annotations

import io
import os
import struct
import threading
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image, ImageOps

from shapeparse.data import images
from shapeparse.data.images import read_image, read_mask, resize_image, resize_mask, to_mask, to_rgb
from shapeparse.support.errors import UserError

RED, WHITE, BLACK = (255, 0, 0), (255, 255, 255), (0, 0, 0)


@pytest.fixture(autouse=True)
def _nothing_leaks(capfd):
    """No test here may cause a warning, a log line or anything else on the user's terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def sentence(call, *arguments) -> str:
    with pytest.raises(UserError) as caught:
        call(*arguments)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert ";" in text, "the remedy follows a semicolon"
    return text


def outcome(read, path) -> np.ndarray | str:
    try:
        return read(path)
    except UserError as error:
        return str(error)


def noise(height: int = 24, width: int = 32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def png_header_only(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds hardly any data."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")


# Images


@pytest.mark.parametrize("extension", ["png", "bmp", "tiff", "PNG"])
def test_a_lossless_rgb_file_is_read_exactly(tmp_path, extension):
    Image.fromarray(noise()).save(tmp_path / f"a.{extension}")
    read = read_image(tmp_path / f"a.{extension}")
    assert read.dtype == np.uint8
    assert read.flags.c_contiguous
    assert read.flags.writeable
    np.testing.assert_array_equal(read, noise())


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "YCbCr", "HSV", "LAB", "I", "F", "PA"])
def test_white_is_white_in_every_mode(mode):
    if mode == "LAB":  # Pillow converts to it only with a profile
        image = Image.new("LAB", (3, 2), (255, 128, 128))
    else:
        image = Image.new("RGB", (3, 2), WHITE).convert("L" if mode in "IF" else "RGB").convert(mode)
    assert to_rgb(image).shape == (2, 3, 3)
    assert to_rgb(image).min() >= 254


def test_cmyk_jpeg_keeps_its_colours(tmp_path):
    Image.new("RGB", (16, 16), RED).convert("CMYK").save(tmp_path / "a.jpg", quality=95)
    pixel = read_image(tmp_path / "a.jpg")[8, 8].astype(int)
    assert np.abs(pixel - RED).max() < 10


@pytest.mark.parametrize("extension", ["png", "tiff"])
def test_16_bit_greys_are_scaled_not_clipped(tmp_path, extension):
    values = np.array([[0, 257, 32896, 65535]], np.uint16)
    Image.fromarray(values).save(tmp_path / f"a.{extension}")
    assert read_image(tmp_path / f"a.{extension}")[0, :, 0].tolist() == [0, 1, 128, 255]


def test_a_dark_16_bit_photograph_stays_dark(tmp_path):
    Image.fromarray(np.full((4, 4), 255, np.uint16)).save(tmp_path / "a.png")
    assert read_image(tmp_path / "a.png").max() == 1


@pytest.mark.parametrize(
    ("values", "greys"),
    [
        ([0, 128, 255], [0, 128, 255]),
        ([0, 32896, 65535], [0, 128, 255]),
        ([0, 500_000, 1_000_000], [0, 128, 255]),
        ([-100, 0, 100], [0, 128, 255]),
        ([0, 0, 0], [0, 0, 0]),
    ],
)
def test_32_bit_integers_fill_the_range_that_holds_them(values, greys):
    assert to_rgb(Image.fromarray(np.array([values], np.int32)))[0, :, 1].tolist() == greys


@pytest.mark.parametrize(
    ("values", "greys"),
    [
        ([0, 0.5, 1], [0, 128, 255]),
        ([0, 100, 255], [0, 100, 255]),
        ([np.nan, 0, 1], [0, 0, 255]),
        ([-np.inf, 0.5, np.inf], [128, 128, 128]),
        ([np.nan, np.nan, np.nan], [0, 0, 0]),
        ([-3e38, 0, 3e38], [0, 128, 255]),
    ],
)
def test_floats_fill_the_range_that_holds_them(values, greys):
    assert to_rgb(Image.fromarray(np.array([values], np.float32)))[0, :, 2].tolist() == greys


def test_transparent_pixels_become_white(tmp_path):
    rgba = Image.new("RGBA", (2, 1), (*RED, 255))
    rgba.putpixel((1, 0), (*BLACK, 0))
    rgba.save(tmp_path / "a.png")
    assert read_image(tmp_path / "a.png").tolist() == [[list(RED), list(WHITE)]]


def test_a_transparent_palette_colour_becomes_white(tmp_path):
    image = Image.new("P", (2, 1), 1)
    image.putpalette([9, 9, 9, *RED])
    image.putpixel((1, 0), 0)
    image.save(tmp_path / "a.png", transparency=0)
    assert read_image(tmp_path / "a.png").tolist() == [[list(RED), list(WHITE)]]


@pytest.mark.parametrize("extension", ["gif", "tiff", "webp", "png"])
def test_the_first_picture_of_an_animation_or_a_multi_page_file_is_read(tmp_path, extension):
    first, second = Image.new("RGB", (8, 8), RED), Image.new("RGB", (8, 8), BLACK)
    options = {"lossless": True} if extension == "webp" else {}
    first.save(tmp_path / f"a.{extension}", save_all=True, append_images=[second], **options)
    assert (read_image(tmp_path / f"a.{extension}") == RED).all()


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("extension", ["jpg", "png", "webp", "tiff"])
def test_exif_orientation_is_applied_once(tmp_path, extension, orientation):
    path = tmp_path / f"a.{extension}"
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    Image.fromarray(noise()).save(path, exif=exif)
    with Image.open(path) as image:
        expected = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    np.testing.assert_array_equal(read_image(path), expected)
    with Image.open(path) as image:
        np.testing.assert_array_equal(to_rgb(image), expected)
        np.testing.assert_array_equal(to_rgb(ImageOps.exif_transpose(image)), expected)
    assert read_mask(path).shape == expected.shape[:2]


def test_corrupt_exif_beside_sound_pixels_is_ignored(tmp_path):
    Image.fromarray(noise()).save(tmp_path / "a.jpg", exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + b"\xee" * 40)
    assert read_image(tmp_path / "a.jpg").shape == (24, 32, 3)


def test_one_pixel_is_an_image(tmp_path):
    Image.new("RGB", (1, 1), RED).save(tmp_path / "a.png")
    assert read_image(tmp_path / "a.png").tolist() == [[list(RED)]]


# Masks


@pytest.mark.parametrize(
    "image",
    [
        Image.fromarray(np.array([[0, 255]], np.uint8)),
        Image.fromarray(np.array([[0, 1]], np.uint8)),
        Image.fromarray(np.array([[False, True]])),
        Image.fromarray(np.array([[0, 65535]], np.uint16)),
        Image.fromarray(np.array([[0, 255]], np.uint16)),
        Image.fromarray(np.array([[0, 1]], np.uint16)),
        Image.fromarray(np.array([[0, 1_000_000]], np.int32)),
        Image.fromarray(np.array([[np.nan, 1]], np.float32)),
        Image.fromarray(np.array([[BLACK, WHITE]], np.uint8)),
        Image.fromarray(np.array([[BLACK, (1, 1, 1)]], np.uint8)),
        Image.fromarray(np.array([[BLACK, WHITE]], np.uint8)).convert("CMYK"),
    ],
    ids=lambda image: image.mode,
)
def test_a_mask_of_any_depth_is_paint_where_it_is_full(image):
    assert to_mask(image, 0.5).dtype == np.bool_
    assert to_mask(image, 0.5).tolist() == [[False, True]]


def test_masks_survive_the_file(tmp_path):
    mask = np.random.default_rng(1).random((5, 7)) < 0.5
    for name, array in {"a": mask, "b": mask * np.uint8(1), "c": mask * np.uint16(65535)}.items():
        Image.fromarray(array).save(tmp_path / f"{name}.png")
        np.testing.assert_array_equal(read_mask(tmp_path / f"{name}.png"), mask)


def test_the_threshold_is_a_fraction_of_the_full_range():
    greys = Image.fromarray(np.array([[0, 127, 128, 200, 255]], np.uint8))
    assert to_mask(greys, 0.5).tolist() == [[False, False, True, True, True]]
    assert to_mask(greys, 0.75).tolist() == [[False, False, False, True, True]]
    assert to_mask(greys, 1).tolist() == [[False, False, False, False, True]]


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold):
    assert "threshold" in sentence(to_mask, Image.new("L", (1, 1)), threshold)


@pytest.mark.parametrize("value", [0, 1, 255])
def test_all_paint_and_no_paint_are_masks(value):
    assert (to_mask(Image.new("L", (3, 3), value), 0.5) == bool(value)).all()


def test_in_a_palette_every_index_but_0_is_paint_whatever_its_colour(tmp_path):
    image = Image.fromarray(np.array([[0, 1, 2, 255]], np.uint8)).convert("P")
    image.putpalette([*WHITE, *BLACK, *BLACK])
    image.save(tmp_path / "a.png")
    assert read_mask(tmp_path / "a.png").tolist() == [[False, True, True, True]]


def test_a_varying_alpha_is_the_mask_and_a_constant_one_is_not():
    colours = np.array([[BLACK, WHITE]], np.uint8)
    varying = np.dstack([colours, np.array([[255, 0]], np.uint8)])
    constant = np.dstack([colours, np.full((1, 2), 255, np.uint8)])
    assert to_mask(Image.fromarray(varying), 0.5).tolist() == [[True, False]]
    assert to_mask(Image.fromarray(constant), 0.5).tolist() == [[False, True]]
    assert to_mask(Image.fromarray(varying).convert("LA"), 0.5).tolist() == [[True, False]]
    assert to_mask(Image.fromarray(constant * np.array([1, 1, 1, 0], np.uint8)), 0.5).tolist() == [[False, True]]


# Files that cannot be read


def test_a_missing_file_is_named(tmp_path):
    assert "There is no file" in sentence(read_image, tmp_path / "a.png")
    assert "There is no file" in sentence(read_mask, tmp_path / "a.png")


def test_a_folder_is_not_an_image(tmp_path):
    assert "is a folder" in sentence(read_image, tmp_path)


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "a.png").touch()
    assert "a.png is empty" in sentence(read_image, tmp_path / "a.png")


def test_text_renamed_png_is_not_an_image(tmp_path):
    (tmp_path / "a.png").write_text("Dear reader, this is no picture.")
    assert "a.png is not a JPEG, PNG" in sentence(read_image, tmp_path / "a.png")


def test_formats_that_start_other_programs_are_not_tried(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.eps")
    (tmp_path / "a.eps").rename(tmp_path / "a.png")
    assert "is not a JPEG, PNG" in sentence(read_image, tmp_path / "a.png")


@pytest.mark.parametrize("extension", ["jpg", "png", "webp", "tiff", "bmp", "gif"])
def test_a_truncated_file_is_refused(tmp_path, extension):
    path = tmp_path / f"a.{extension}"
    Image.fromarray(noise(64, 64)).save(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert f"a.{extension} is" in sentence(read_image, path)


@pytest.mark.parametrize("size", [(12_000, 9_000), (60_000, 60_000)], ids=["pillow-warns", "pillow-refuses"])
def test_a_decompression_bomb_is_refused_from_its_header(tmp_path, size):
    (tmp_path / "a.png").write_bytes(png_header_only(*size))
    assert "a.png has more than 100,000,000 pixels" in sentence(read_image, tmp_path / "a.png")


def test_the_largest_number_of_pixels_is_a_setting(tmp_path, monkeypatch):
    Image.new("RGB", (10, 10)).save(tmp_path / "a.png")
    monkeypatch.setattr(images, "MAX_PIXELS", 100)
    assert read_image(tmp_path / "a.png").shape == (10, 10, 3)
    monkeypatch.setattr(images, "MAX_PIXELS", 99)
    assert "more than 99 pixels (10 x 10)" in sentence(read_image, tmp_path / "a.png")


def test_no_permission_is_said(tmp_path, monkeypatch):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(images.Image, "open", refuse)
    assert "No permission to read" in sentence(read_image, tmp_path / "a.png")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_refused_and_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "a.png")
    assert "is not a regular file" in sentence(read_image, tmp_path / "a.png")


def test_an_image_without_pixels_is_refused(tmp_path):
    assert "has no pixels (0 x 5)" in sentence(to_rgb, Image.new("RGB", (0, 5)))
    (tmp_path / "a.png").write_bytes(png_header_only(0, 5))
    sentence(read_image, tmp_path / "a.png")


def test_strange_names_make_one_line(tmp_path):
    assert r"\n" in sentence(read_image, tmp_path / "a\nb\x1b[2J.png")
    sentence(read_image, "a\0b.png")
    sentence(read_image, tmp_path / ("a" * 5000))


FUZZED = {
    "jpg": {"exif": b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"},
    "png": {},
    "webp": {},
    "tiff": {"compression": "tiff_lzw"},
    "bmp": {},
    "gif": {},
}


@pytest.mark.parametrize("extension", FUZZED)
@pytest.mark.parametrize("read", [read_image, read_mask])
def test_hostile_bytes_give_an_array_or_one_sentence(tmp_path, capfd, extension, read):
    buffer = io.BytesIO()
    Image.fromarray(noise(24, 24)).save(buffer, {"jpg": "jpeg"}.get(extension, extension), **FUZZED[extension])
    sound = buffer.getvalue()
    generator = np.random.default_rng(7)
    path = tmp_path / f"a.{extension}"
    for case in range(60):
        damaged = np.frombuffer(sound, np.uint8).copy()
        reach = len(sound) if case % 2 else min(len(sound), 200)  # the headers are the interesting part
        flips = generator.integers(0, reach, int(generator.integers(1, 12)))
        damaged[flips] = generator.integers(0, 256, len(flips))
        end = int(generator.integers(1, len(sound))) if case % 3 == 0 else len(sound)
        path.write_bytes(damaged[:end].tobytes())
        result = outcome(read, path)
        if isinstance(result, str):
            assert path.name in result
        else:
            assert result.dtype == (np.uint8 if read is read_image else np.bool_)
    assert capfd.readouterr().err == ""  # libtiff itself, below Pillow, would complain of broken files there


def test_threads_may_read_at_once_and_leave_the_warning_filters_alone(tmp_path):
    Image.fromarray(noise()).save(tmp_path / "a.png")
    before, results = list(warnings.filters), []
    threads = [threading.Thread(target=lambda: results.append(read_image(tmp_path / "a.png"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert list(warnings.filters) == before


# Sizes


def test_resizing_to_the_same_side_changes_nothing():
    square = noise(16, 16)
    assert resize_image(square, 16) is square
    mask = square[:, :, 0] > 127
    assert resize_mask(mask, 16) is mask


def test_halving_takes_the_mean_of_each_block():
    image = np.zeros((4, 4, 3), np.uint8)
    image[:2, :2] = [[[0] * 3, [100] * 3], [[100] * 3, [200] * 3]]
    assert resize_image(image, 2)[0, 0].tolist() == [100, 100, 100]


def test_a_mask_stays_a_mask_at_any_side():
    mask = np.zeros((4, 6), np.bool_)
    mask[:, 3:] = True
    for side in (1, 2, 3, 8, 16):
        resized = resize_mask(mask, side)
        assert resized.shape == (side, side)
        assert resized.dtype == np.bool_
    assert resize_mask(mask, 8)[:, 4:].all()
    assert not resize_mask(mask, 8)[:, :4].any()


def test_the_real_sets_are_read_as_they_are():
    data = Path(__file__).parents[1] / "../shared/data/car-panels"
    if not data.is_dir():
        pytest.skip("the shared data are not here")
    assert read_image(data / "images/0000.jpg").shape == (256, 256, 3)
    assert read_mask(data / "masks/0000.png").mean() == pytest.approx(0.14, abs=0.01)


@pytest.mark.parametrize("mode", ["RGB", "L", "1", "RGBA", "LA", "P", "CMYK", "I;16", "F", "I"])
def test_a_large_image_is_converted_strip_by_strip_to_the_same_pixels(tmp_path, monkeypatch, mode):
    values = np.random.default_rng(3).integers(0, 255, (37, 23, 4), np.uint8)
    image = Image.fromarray(values, "RGBA")
    if mode in ("I;16", "F", "I"):
        image = Image.fromarray(values.view(np.uint32)[:, :, 0].astype({"I;16": "u2", "F": "f4", "I": "i4"}[mode]))
    elif mode == "P":
        image = image.convert("RGB").quantize(16)
        image.info["transparency"] = 3
    else:
        image = image.convert(mode)
    whole = images.to_rgb(image)
    monkeypatch.setattr(images, "STRIP", 23 * 5)
    assert np.array_equal(images.to_rgb(image), whole)


@pytest.mark.parametrize("lossless", [False, True])
@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_webp_bomb_is_refused_from_its_header_before_pillow_makes_room_for_it(
    tmp_path, monkeypatch, refused, lossless, mode
):
    path = tmp_path / "bomb.webp"
    Image.new(mode, (61, 43), (1, 2, 3, 4)[: len(mode)]).save(path, lossless=lossless)
    assert images.webp_size(path.read_bytes()[:30]) == (61, 43)
    assert images.pixel_count(path) == 61 * 43
    assert images.read_image(path).shape == (43, 61, 3)
    monkeypatch.setattr(images, "MAX_WEBP_PIXELS", 2000)
    monkeypatch.setattr(Image, "open", None)
    assert "has more than 2,000 pixels (61 x 43)" in refused(images.read_image, path)
    assert images.pixel_count(path) == 0


def test_heads_of_other_files_are_of_no_webp(tmp_path):
    assert [images.webp_size(head) for head in (b"", b"RIFF" * 20, b"\x89PNG" * 20)] == [None] * 3
