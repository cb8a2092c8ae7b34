"""The one place that reads images. Files users give us are hostile until read.

Only the formats in ``FORMATS`` are tried: Pillow knows dozens more, some of which (EPS) start other programs.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin

from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line

#: A setting: larger images are refused from their header, before anything is decoded.
#: Pillow itself refuses more than ``2 * PIL.Image.MAX_IMAGE_PIXELS`` (179 million), whatever is set here.
MAX_PIXELS = 100_000_000

#: The same for WebP, whose decoder holds three pictures of four bytes per pixel at a time.
MAX_WEBP_PIXELS = 50_000_000

#: Pixels that are converted at a time: a large image is never in memory in several modes.
STRIP = 1 << 22

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF", "PPM")
# Those that Pillow does not know from the start: with them it has no reason to load all of its forty.
PLUGINS = (TiffImagePlugin, WebPImagePlugin)

# Values of an image that are fractions, 8-bit or 16-bit numbers fill one of these ranges.
_RANGES = (1, 255, 65535)

# How to turn an array upright, by the EXIF orientation tag.
_TURNS: dict[object, Callable[[Any], Any]] = {
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.swapaxes(0, 1),
    6: lambda a: np.rot90(a, -1),
    7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
    8: lambda a: np.rot90(a, 1),
}

# Pillow warns of bombs, which are refused below, and of corrupt EXIF, which is harmless. To silence it around every
# image instead would swap process-wide state, so that two threads could not read at once.
warnings.filterwarnings("ignore", module=r"PIL\.")

# Without a handler, Pillow's complaints about odd TIFF files would be printed to the user's terminal.
logging.getLogger("PIL").addHandler(logging.NullHandler())

_STDERR = threading.RLock()

_Array = TypeVar("_Array", bound=NDArray)


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """Read ``path`` as uint8 (h, w, 3) RGB, upright (EXIF orientation applied); see :func:`to_rgb`."""
    return _read(path, _rgb)


def read_mask(path: str | Path, threshold: float = 0.5) -> NDArray[np.bool_]:
    """Read ``path`` as bool (h, w), True = paint, upright (EXIF orientation applied); see :func:`to_mask`."""
    check_threshold(threshold)
    return _read(path, lambda image: _paint(image, threshold))


def to_rgb(image: Image.Image) -> NDArray[np.uint8]:
    """Turn a Pillow image of any mode into uint8 (h, w, 3) RGB, upright.

    Transparent pixels are composited over white. 16-bit images are scaled by 255/65535. Integer and float
    images are taken as 0..1 (float only), 0..255 or 0..65535, whichever is the least that holds their
    largest value, and stretched from their least to their largest value if they fit none of these. Of an
    animation or a multi-page file the first picture is taken. Colour profiles are ignored.
    """
    return _whatever_is_warned_of(lambda: _convert(image, _name(image), _rgb))


def to_mask(image: Image.Image, threshold: float = 0.5) -> NDArray[np.bool_]:
    """Turn a Pillow image of any mode into bool (h, w), True = paint, upright.

    - If the image has an alpha channel (or a transparent colour) that is not the same everywhere, that is
      the mask: opaque = paint.
    - Else, in a palette image, index 0 is not paint and every other index is, whatever its colour (as in
      PASCAL VOC; its index 255, "void", is paint).
    - Else a pixel is paint if its luminance is at least ``threshold`` of the full range. The full range is
      the least of 1, 255 and 65535 that holds the largest value, so 0/1, 0/255 and 16-bit masks all work.
    """
    check_threshold(threshold)
    return _whatever_is_warned_of(lambda: _convert(image, _name(image), lambda upright: _paint(upright, threshold)))


def resize_image(image: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Squash an RGB image to ``side`` x ``side``: box means when halving it, else antialiased bicubic."""
    height, width = image.shape[:2]
    if (height, width) == (side, side):
        return image
    how = Image.Resampling.BOX if min(height, width) >= 2 * side else Image.Resampling.BICUBIC
    return np.array(Image.fromarray(image).resize((side, side), how))


def resize_mask(mask: NDArray[np.bool_], side: int) -> NDArray[np.bool_]:
    """Squash a mask to ``side`` x ``side``, each pixel that of the nearest one."""
    if mask.shape == (side, side):
        return mask
    resized = Image.fromarray(mask.view(np.uint8)).resize((side, side), Image.Resampling.NEAREST)
    return np.asarray(np.array(resized) != 0, np.bool_)


def check_size(name: str, width: int, height: int, most: int | None = None) -> None:
    """Raise UserError if an image of that size has no pixels, or more than ``most`` (default: ``MAX_PIXELS``)."""
    most = MAX_PIXELS if most is None else most
    if width < 1 or height < 1:
        raise UserError(f"{name} has no pixels ({width} x {height}); export it again.")
    if width * height > most:
        raise _too_large(name, f" ({width} x {height})", most)


def pixel_count(path: str | Path) -> int:
    """How many pixels a file has according to its header; 0 if it cannot be read, which reading it will say."""
    try:
        check_file(Path(path))
        _check_webp(Path(path))
        with Image.open(path, formats=FORMATS) as image:
            return image.width * image.height
    except Exception:
        return 0


def _read(path: str | Path, convert: Callable[[Image.Image], _Array]) -> _Array:
    path = Path(path)
    check_file(path)
    _check_webp(path)

    def decoded() -> _Array:
        with Image.open(path, formats=FORMATS) as image:
            return _convert(image, one_line(path), convert)

    try:
        return _whatever_is_warned_of(decoded)
    except UserError:
        raise
    except PermissionError as error:
        raise UserError(f"No permission to read {one_line(path)}; change its permissions.") from error
    except UnidentifiedImageError as error:
        known = "JPEG, PNG, WebP, TIFF, BMP, GIF or PNM"
        raise UserError(
            f"{one_line(path)} is not a {known} image; save it as PNG or JPEG (renaming it is not enough)."
        ) from error
    except Image.DecompressionBombError as error:
        raise _too_large(one_line(path)) from error
    except Exception as error:
        raise _damaged(one_line(path)) from error


def _check_webp(path: Path) -> None:
    """Pillow makes room for all of a WebP picture when it opens the file, so its header is read here."""
    try:
        with path.open("rb") as file:
            size = webp_size(file.read(30))
    except OSError:
        return  # which opening it will say
    if size is not None:
        check_size(one_line(path), *size, MAX_WEBP_PIXELS)


def webp_size(head: bytes) -> tuple[int, int] | None:
    """Width and height by the first 30 bytes of a WebP file; None if they are of no such file."""
    if len(head) < 30 or head[:4] != b"RIFF" or head[8:12] != b"WEBP":
        return None
    number = int.from_bytes
    if head[12:16] == b"VP8X":
        return number(head[24:27], "little") + 1, number(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = number(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return number(head[26:28], "little") & 0x3FFF, number(head[28:30], "little") & 0x3FFF


def _convert(image: Image.Image, name: str, convert: Callable[[Image.Image], _Array]) -> _Array:
    width, height = image.size
    check_size(name, width, height)
    try:
        with _quiet_libtiff(image.format):
            image.load()
        return _upright(convert(image), image)
    except Warning:
        raise
    except MemoryError as error:
        raise UserError(f"{name} ({width} x {height}) does not fit into memory; make it smaller.") from error
    except Exception as error:  # corrupt data raises nearly anything: struct.error, SyntaxError ...
        raise _damaged(name) from error


def _whatever_is_warned_of(work: Callable[[], _Array]) -> _Array:
    """Do it; where warnings are errors, once more without any, and alone, since that swaps process-wide state."""
    try:
        return work()
    except Warning:
        with _STDERR, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return work()


@contextlib.contextmanager
def _quiet_libtiff(format: str | None) -> Iterator[None]:
    """libtiff itself writes to standard error what it thinks of a damaged file; nobody else writes there meanwhile."""
    if format != "TIFF":
        yield
        return
    with _STDERR, open(os.devnull, "wb") as nowhere:
        sys.stderr.flush()
        kept = os.dup(2)
        try:
            os.dup2(nowhere.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _upright(array: _Array, image: Image.Image) -> _Array:
    try:
        # Asked after load(), because Pillow itself turns TIFF files then, and clears their tag.
        turn = _TURNS.get(image.getexif().get(ExifTags.Base.Orientation))
    except Exception:  # corrupt EXIF beside sound pixels: take the pixels as they are
        turn = None
    return turn(array).copy() if turn else array  # a copy is contiguous


def _rgb(image: Image.Image) -> NDArray[np.uint8]:
    if _is_numeric(image):
        return np.repeat(_to_8_bit(image)[:, :, None], 3, axis=2)
    rows = max(1, STRIP // image.width)
    if rows >= image.height:
        return _rgb_strip(image)
    pixels = np.empty((image.height, image.width, 3), np.uint8)
    for top in range(0, image.height, rows):
        strip = image.crop((0, top, image.width, min(top + rows, image.height)))
        pixels[top : top + rows] = _rgb_strip(strip)
    return pixels


def _rgb_strip(image: Image.Image) -> NDArray[np.uint8]:
    if image.has_transparency_data:
        white = Image.new("RGBA", image.size, "white")
        return np.array(Image.alpha_composite(white, _rgba(image)).convert("RGB"))
    return np.array(image.convert("RGB"))


def _paint(image: Image.Image, threshold: float) -> NDArray[np.bool_]:
    if not _is_numeric(image) and image.has_transparency_data:
        alpha = np.array(_rgba(image).getchannel("A"))
        if alpha.min() != alpha.max():
            return _reaches(alpha, threshold)
        image = image if image.mode in ("1", "L", "P") else _rgba(image)
    if image.mode == "P":
        return np.asarray(np.array(image) != 0, np.bool_)
    if image.mode == "1":
        return np.array(image)
    if _is_numeric(image) or image.mode == "L":
        return _reaches(np.array(image), threshold)
    return _reaches(np.array(image.convert("RGB").convert("L")), threshold)


def _reaches(values: NDArray, threshold: float) -> NDArray[np.bool_]:
    """Whether each value is at least ``threshold`` of the full range; NaN never is."""
    _, largest = _extremes(values)
    full = next((full for full in _RANGES if largest <= full), largest)
    return np.asarray(values >= threshold * full)


def _to_8_bit(image: Image.Image) -> NDArray[np.uint8]:
    values = np.array(image)
    if values.dtype.kind == "u":  # 16-bit: a table is quick, and lean for large images
        table: NDArray[np.uint8] = ((np.arange(65536) + 128) // 257).astype(np.uint8)
        return np.asarray(table[values])
    if image.format in ("PNG", "PPM"):  # 16-bit as well, which older Pillow reads as "I"
        ranges: tuple[int, ...] = (65535,)
    else:
        ranges = _RANGES if image.mode == "F" else _RANGES[1:]
    least, largest = _extremes(values)
    full = next((float(full) for full in ranges if largest <= full), None)
    if least < 0 or full is None:
        low, span = least, largest - least
    else:
        low, span = 0.0, full
    pixels = np.empty(values.shape, np.uint8)
    rows = max(1, STRIP // image.width)
    for top in range(0, image.height, rows):
        strip = values[top : top + rows].astype(np.float64)
        finite = np.nan_to_num(strip, nan=least, posinf=largest, neginf=least)
        pixels[top : top + rows] = np.rint((finite - low) / max(span, 1e-300) * 255).clip(0, 255)
    return pixels


def _extremes(values: NDArray) -> tuple[float, float]:
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _rgba(image: Image.Image) -> Image.Image:
    return (image.convert("LA") if image.mode == "La" else image).convert("RGBA")


def _is_numeric(image: Image.Image) -> bool:
    return image.mode in ("I", "F") or image.mode.startswith("I;16")


def check_threshold(threshold: float) -> None:
    """Raise UserError unless ``threshold`` is a fraction a mask can be read with."""
    if not 0 < threshold <= 1:
        raise UserError(f"The mask threshold must be above 0 and at most 1, not {threshold}; 0.5 is usual.")


def _name(image: Image.Image) -> str:
    return one_line(getattr(image, "filename", "") or "The image")


def _damaged(name: str) -> UserError:
    return UserError(f"{name} is damaged or cut short; copy or export it again.")


def _too_large(name: str, size: str = "", most: int | None = None) -> UserError:
    return UserError(f"{name} has more than {most or MAX_PIXELS:,} pixels{size}; make it smaller.")
