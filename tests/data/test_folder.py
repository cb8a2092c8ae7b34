"""A folder of images and masks gives its pairs in order, and says what it left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image

from shapeparse.data import FolderDataset, load
from shapeparse.support.errors import UserError

SHARED = Path(__file__).parents[2] / "../shared/data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    (tmp_path / "masks").mkdir()
    return tmp_path


def add(folder: Path, image: str | None, mask: str | None, size=(6, 4), mask_size=None) -> None:
    if image:
        Image.new("RGB", size, "red").save(folder / "images" / image)
    if mask:
        Image.new("L", mask_size or size, 255).save(folder / "masks" / mask)


def test_pairs_are_matched_by_stem_in_natural_order(folder):
    for name in ("photo10", "photo2", "Photo1", "a.b"):
        add(folder, f"{name}.jpg", f"{name}.png")
    dataset = load(folder)
    assert dataset.names == ["Photo1", "a.b", "photo2", "photo10"]
    assert len(dataset) == 4
    assert dataset.skipped == []
    sample = dataset.read(2)
    assert sample.name == "photo2"
    assert sample.image.shape == (4, 6, 3)
    assert sample.mask.all()


@pytest.mark.parametrize("extension", ["jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp", "JPG", "Png"])
def test_every_extension_is_known_in_any_case(folder, extension):
    add(folder, f"a.{extension}", "a.PNG")
    assert load(folder).read(0).image.shape == (4, 6, 3)


def test_hidden_and_other_files_are_ignored(folder):
    add(folder, "a.jpg", "a.png")
    add(folder, ".hidden.jpg", ".hidden.png")
    (folder / "images" / "Thumbs.db").write_bytes(b"x")
    (folder / "masks" / "notes.txt").write_text("x")
    dataset = load(folder)
    assert dataset.names == ["a"]
    assert dataset.skipped == []


def test_what_has_no_partner_is_listed(folder):
    add(folder, "a.jpg", "a.png")
    add(folder, "b.jpg", None)
    add(folder, None, "c.png")
    skipped = load(folder).skipped
    assert [entry.path.name for entry in skipped] == ["b.jpg", "c.png"]
    assert "has no mask; add one" in skipped[0].reason
    assert "has no image; add one" in skipped[1].reason


def test_two_images_or_masks_of_one_name_are_listed_not_chosen_from(folder):
    add(folder, "a.jpg", "a.png")
    add(folder, "b.jpg", "b.png")
    add(folder, "b.PNG", None)
    add(folder, "c.jpg", "c.png")
    add(folder, None, "c.bmp")
    dataset = load(folder)
    assert dataset.names == ["a"]
    assert [entry.reason for entry in dataset.skipped] == [
        "There are 2 images of the same name, b.PNG and b.jpg; keep one of them.",
        "There are 2 masks of the same name, c.bmp and c.png; keep one of them.",
    ]


def test_a_mask_of_another_size_is_refused_with_both_sizes(folder):
    add(folder, "a.jpg", "a.png", size=(6, 4), mask_size=(4, 6))
    with pytest.raises(UserError, match=r"a\.png is 4 x 6 pixels but its image is 6 x 4; export"):
        load(folder).read(0)


def test_sizes_are_compared_after_each_file_is_turned_upright(folder):
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    Image.new("RGB", (6, 4)).save(folder / "images" / "a.jpg", exif=exif)
    Image.new("L", (4, 6)).save(folder / "masks" / "a.png")
    Image.new("RGB", (6, 4)).save(folder / "images" / "b.jpg", exif=exif)
    Image.new("L", (6, 4)).save(folder / "masks" / "b.png", exif=exif)
    dataset = load(folder)
    assert dataset.read(0).image.shape == (6, 4, 3)
    assert dataset.read(1).mask.shape == (6, 4)


def test_the_threshold_is_used(folder):
    add(folder, "a.jpg", None)
    Image.fromarray(np.array([[0, 100, 255] * 2] * 4, np.uint8)).save(folder / "masks" / "a.png")
    assert load(folder, threshold=0.5).read(0).mask.sum() == 8
    assert load(folder, threshold=0.3).read(0).mask.sum() == 16


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda root: root / "nowhere", "does not exist; give a folder"),
        (lambda root: root / "file.txt", "is a file, not a folder"),
        (lambda root: root / "bare", "has no images/ sub-folder"),
        (lambda root: root / "half", "has no masks/ sub-folder"),
        (lambda root: root / "empty", "has no photograph in images/ with a mask"),
        (lambda root: Path("a\0b"), "does not exist"),
    ],
)
def test_folders_that_are_no_dataset_are_refused(tmp_path, make, words):
    (tmp_path / "file.txt").write_text("x")
    for name in ("bare", "half/images", "empty/images", "empty/masks"):
        (tmp_path / name).mkdir(parents=True)
    with pytest.raises(UserError, match=words):
        FolderDataset(make(tmp_path))


def test_a_wrong_threshold_is_said_at_once(folder):
    add(folder, "a.jpg", "a.png")
    with pytest.raises(UserError, match="threshold"):
        load(folder, threshold=2)


@pytest.mark.parametrize(("name", "fraction"), [("car-panels", 0.248), ("cropland-aerial", 0.470)])
def test_the_shared_sets_have_362_pairs(name, fraction):
    if not (SHARED / name).is_dir():
        pytest.skip("the shared data are not here")
    loaded = load(SHARED / name).read_all(side=256)
    assert loaded.images.shape == (362, 256, 256, 3)
    assert loaded.names == [f"{index:04d}" for index in range(362)]
    assert loaded.skipped == []
    assert loaded.masks.mean() == pytest.approx(fraction, abs=0.001)
