"""Files appear complete or not at all; folders are usable or refused in one sentence."""

from __future__ import annotations

import errno
import json
import os
import stat

import pytest

from shapeparse.support import files


def leftovers(folder, *expected: str) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in expected)


def test_what_is_written_is_what_is_read(tmp_path):
    files.write_bytes(tmp_path / "a", b"\x00\xff")
    files.write_text(tmp_path / "b", "Größe ☂\n")
    files.write_json(tmp_path / "c", {"value": [1, None]})
    assert (tmp_path / "a").read_bytes() == b"\x00\xff"
    assert (tmp_path / "b").read_text(encoding="utf-8") == "Größe ☂\n"
    assert json.loads((tmp_path / "c").read_text()) == {"value": [1, None]}
    assert leftovers(tmp_path, "a", "b", "c") == []


def test_a_file_gets_the_permissions_that_open_would_give_it(tmp_path):
    old = os.umask(0o027)
    try:
        files.write_text(tmp_path / "a", "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_an_error_while_writing_leaves_the_old_content_and_nothing_else(tmp_path):
    files.write_text(tmp_path / "a", "old")

    def stop_half_way(file):
        file.write(b"new")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_with(tmp_path / "a", stop_half_way)
    assert (tmp_path / "a").read_text() == "old"
    assert leftovers(tmp_path, "a") == []


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_full_disk_is_one_sentence_and_leaves_the_old_content(tmp_path, monkeypatch, refused, step):
    files.write_text(tmp_path / "a", "old")

    def no_space(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if step != "write":
        monkeypatch.setattr(os, step, no_space)
    message = refused(
        files.write_with, tmp_path / "a", no_space if step == "write" else lambda file: file.write(b"new")
    )
    assert "No space left on device" in message
    assert str(tmp_path / "a") in message
    assert (tmp_path / "a").read_text() == "old"
    assert leftovers(tmp_path, "a") == []


def test_writing_into_a_missing_folder_or_over_a_folder_is_refused(tmp_path, refused):
    assert "No such file" in refused(files.write_text, tmp_path / "missing" / "a", "x")
    (tmp_path / "folder").mkdir()
    assert "directory" in refused(files.write_text, tmp_path / "folder", "x")
    assert leftovers(tmp_path, "folder") == []


def test_numbers_that_are_not_json_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(ValueError, match="JSON compliant"):
        files.write_json(tmp_path / "a", float("nan"))
    assert leftovers(tmp_path) == []


def test_a_folder_is_made_with_its_parents_and_may_be_there_already(tmp_path):
    assert files.make_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert files.make_folder(str(tmp_path / "a" / "b")).is_dir()


@pytest.mark.parametrize("place", ["file", "file/below", "file/below/deeper"])
def test_a_folder_in_place_of_or_below_a_file_is_refused(tmp_path, refused, place):
    (tmp_path / "file").write_text("x")
    assert "is a file; choose another" in refused(files.make_folder, tmp_path / place)


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, monkeypatch, refused):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "is not writable" in refused(files.make_folder, tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, monkeypatch, refused):
    def not_permitted(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "mkdir", not_permitted)
    assert "Permission denied" in refused(files.make_folder, tmp_path / "a")


def test_an_ordinary_file_passes_and_others_are_refused_before_they_are_read(tmp_path, refused):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    files.check_file(path, limit=5)
    assert "larger than 4 bytes" in refused(files.check_file, path, 4)
    path.write_bytes(b"")
    assert "is empty" in refused(files.check_file, path)
    assert "is a folder" in refused(files.check_file, tmp_path)
    assert "There is no file" in refused(files.check_file, tmp_path / "missing")
    assert "There is no file" in refused(files.check_file, path / "below")
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    assert "not a regular file" in refused(files.check_file, tmp_path / "pipe")


def test_json_that_is_a_pipe_a_device_or_nested_without_end_is_one_sentence(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    for name in ("pipe.json", "zero.json"):
        assert f"{name} is not a regular file" in refused(files.read_json, tmp_path / name, "restore it")
    (tmp_path / "deep.json").write_bytes(b"[" * 1_000_000)
    assert "it is nested too deeply); restore it." in refused(files.read_json, tmp_path / "deep.json", "restore it")
    (tmp_path / "large.json").write_bytes(b"[" + b" " * 100 + b"]")
    assert "larger than 50 bytes" in refused(files.read_json, tmp_path / "large.json", "restore it", 50)


KINDS = {
    "tree.json": (b'{\n  "format": "shapeparse-tree",\n  "made_by": "shapeparse-plan"', "shapeparse-tree"),
    "plan.svg": (b'<svg xmlns="http://www.w3.org/2000/svg" class="shapeparse-plan">', "shapeparse-plan"),
    "package.json": (b'{"name": "door"}', ""),
    "photo.png": (b"\x89PNG\r\n", ""),
    "summary.csv": (b"name,mask,width\nshapeparse-door.png,door.png,8\n", "name,mask"),
    "model.safetensors": (b"\x40" + 7 * b"\0" + b'{"__metadata__":{"data":"shapeparse-doors"', "safetensors"),
    "path.txt": (b"1.5 -2 0 3e-05 1 2 1 1\n", "8 numbers"),
    "notes.txt": (b"On the 2nd of May\n", ""),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_beginning_of_a_file_tells_its_kind(tmp_path, name):
    content, kind = KINDS[name]
    (tmp_path / name).write_bytes(content + b"\0" * 5000 + b"shapeparse-late")
    assert files.kind_of(tmp_path / name) == kind


@pytest.mark.parametrize("name", [name for name in KINDS if KINDS[name][1]])
def test_a_file_is_replaced_by_one_of_its_kind_and_by_no_other(tmp_path, refused, name):
    content, _ = KINDS[name]
    files.write_bytes(tmp_path / name, content)
    files.write_bytes(tmp_path / name, content + b" again")
    assert (tmp_path / name).read_bytes() == content + b" again"
    for other, _ in KINDS.values():
        if other != content:
            assert "another kind of file and is not replaced" in refused(files.write_bytes, tmp_path / name, other)
    assert (tmp_path / name).read_bytes() == content + b" again"
    assert leftovers(tmp_path, name) == []


def test_files_that_are_not_ours_are_refused_before_work_begins_and_empty_ones_are_nobodys(tmp_path, refused):
    (tmp_path / "door.png").write_bytes(b"\x89PNG\r\n")
    assert "door.png is another kind" in refused(files.refuse_foreign, [tmp_path / "new.png", tmp_path / "door.png"])
    (tmp_path / "door.png").write_bytes(b"")
    files.refuse_foreign([tmp_path / "door.png"])
    files.write_text(tmp_path / "door.png", "new")


def test_a_file_that_may_not_be_looked_at_is_not_replaced(tmp_path, monkeypatch, refused):
    files.write_text(tmp_path / "a.json", "old")

    def not_permitted(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files, "kind_of", not_permitted)
    assert "Permission denied" in refused(files.refuse_other_kind, tmp_path / "a.json", "")
