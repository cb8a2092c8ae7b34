"""Which files are meant, and names for their outputs that never meet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapeparse.commands.inputs import Job, output_names, plan, refuse_overwriting

from .conftest import house, save


@pytest.mark.parametrize(
    ("stems", "names"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "A"], ["a", "A-2"]),
        (["a", "a", "a-2"], ["a", "a-3", "a-2"]),
        (["a", "a-derivation"], ["a", "a-derivation-2"]),
        (["a-derivation", "a"], ["a-derivation", "a-2"]),
    ],
)
def test_output_names_never_meet(stems: list[str], names: list[str]) -> None:
    assert output_names(stems) == names


def test_a_folder_stands_for_its_images_in_the_order_people_count(tmp_path: Path) -> None:
    for name in ("10.png", "9.png", ".hidden.png"):
        save(tmp_path / name, house())
    (tmp_path / "notes.txt").write_text("no image")
    jobs, problems = plan([tmp_path, tmp_path / "9.png"], None)
    assert [job.path.name for job in jobs] == ["9.png", "10.png"]
    assert [job.name for job in jobs] == ["9", "10"]
    assert problems == []


def test_a_mask_is_paired_with_the_photograph_of_its_name_or_named(tmp_path: Path) -> None:
    for name in ("masks/a.png", "masks/b.png", "masks/c.png", "photos/a.jpg", "photos/c.jpg", "photos/c.png"):
        save(tmp_path / name, house())
    jobs, problems = plan([tmp_path / "masks"], tmp_path / "photos")
    assert [(job.path.name, job.photo) for job in jobs] == [("a.png", tmp_path / "photos" / "a.jpg")]
    assert ["has no photograph" in problems[0].reason, "has 2 photographs" in problems[1].reason] == [True, True]


def test_an_input_is_never_an_output_even_by_another_way(tmp_path: Path, refused: Callable[..., str]) -> None:
    mask = save(tmp_path / "in" / "a.png", house())
    (tmp_path / "link").symlink_to(tmp_path / "in")
    jobs = [Job(mask, None, "a")]
    assert "would be overwritten" in refused(refuse_overwriting, [tmp_path / "link" / "a.png"], jobs)
    refuse_overwriting([tmp_path / "in" / "a.json"], jobs)


def test_a_picture_of_somebody_else_is_never_an_output(tmp_path: Path, refused: Callable[..., str]) -> None:
    theirs = save(tmp_path / "b.png", house())
    assert "another kind of file" in refused(refuse_overwriting, [theirs], [Job(tmp_path / "b.jpg", None, "b")])
