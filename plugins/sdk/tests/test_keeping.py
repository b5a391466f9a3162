"""What a tool and a system wrote is kept; nothing that they could smuggle in is."""

import os
from pathlib import Path

import pytest
from weighhouse_sdk import kept_files
from weighhouse_sdk.context import Context
from weighhouse_sdk.kept_files import KEPT, OUTPUT, Shelf, flat_name, keep_files, kept


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(context: Context) -> list[str]:
    return [each.name for each in kept(context.file_directory)]


def test_files_of_the_driver_and_those_that_patterns_name(context: Context) -> None:
    write(context.driver_directory / KEPT / "output.txt", "said")
    write(context.driver_directory / "else.txt")
    write(context.data_directory / "node-1" / "system.conf", "port 1")
    write(context.data_directory / "node-2" / "system.conf", "port 2")
    write(context.data_directory / "node-2" / "data.sst")
    write(context.data_directory / "node-2" / "empty.conf", "")
    assert keep_files(context, ("*.conf",)) == ()
    assert names(context) == ["node-1-system.conf", "node-2-system.conf", "output.txt"]
    assert (context.file_directory / "node-2-system.conf").read_text() == "port 2"


def test_no_pattern_keeps_nothing_of_a_system(context: Context) -> None:
    write(context.data_directory / "data.sst")
    assert keep_files(context) == ()
    assert not context.file_directory.exists()


def test_again_changes_nothing(context: Context) -> None:
    file = write(context.data_directory / "LOG", "before")
    keep_files(context, ("LOG",))
    file.write_text("after")
    assert keep_files(context, ("LOG",)) == ()
    assert (context.file_directory / "LOG").read_text() == "before"


def test_links_pipes_and_folders_are_no_files(context: Context, tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere" / "secret.conf", "a secret")
    context.data_directory.mkdir(parents=True)
    (context.data_directory / "soft.conf").symlink_to(secret)
    (context.data_directory / "hard.conf").hardlink_to(secret)
    (context.data_directory / "folder").symlink_to(secret.parent)
    (context.data_directory / "folder.conf").mkdir()
    os.mkfifo(context.data_directory / "pipe.conf")
    assert keep_files(context, ("*.conf",)) == ()
    assert names(context) == []


def test_what_is_too_much_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_files, "MOST_FILE_BYTES", 10)
    shelf = Shelf(tmp_path / "files", bytes_left=12, files_left=2)

    def put(name: str, size: int) -> str:
        with write(tmp_path / name, "x" * size).open("rb") as file:
            missed = shelf.put(name, file)
        return missed.reason if missed else "kept"

    assert put("a", 4) == "kept"
    assert put("b", 11) == "it has 11 bytes; 10 are kept at most"
    assert put("c", 10).startswith("all files together may have ")
    assert put("d", 2) == "kept"
    assert put("e", 1).endswith(" files are kept at most")
    assert [each.name for each in kept(shelf.directory)] == ["a", "d"]
    assert Shelf(shelf.directory, bytes_left=12, files_left=2).bytes_left == 6


def test_a_copy_that_fails_leaves_no_half(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(context.data_directory / "LOG", "all of it")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    (missed,) = keep_files(context, ("LOG",))
    assert missed.reason == "No space left on device"
    assert list(context.file_directory.iterdir()) == []


def test_names_are_plain() -> None:
    assert flat_name(Path("node-1/a b\x00;c.conf")) == "node-1-a_b_c.conf"
    assert flat_name(Path(".hidden")) == "hidden"
    assert flat_name(Path("...")) == "file"
    assert len(flat_name(Path("x" * 300))) == kept_files.LONGEST_NAME


def test_files_of_one_name_are_told_apart_again_and_again(context: Context) -> None:
    write(context.data_directory / "a" / "x.conf", "one")
    write(context.data_directory / "a-x.conf", "other")
    write(context.driver_directory / KEPT / "a-x.conf", "the driver's")
    for _ in range(2):
        assert keep_files(context, ("*.conf",)) == ()
        found = {each.name: each.read_text() for each in kept(context.file_directory)}
        assert found == {"a-x.conf": "other", "a-x-2.conf": "one", "a-x-3.conf": "the driver's"}


def test_a_maze_is_left_at_some_depth(context: Context) -> None:
    place = context.data_directory
    place.joinpath(*["x"] * 50).mkdir(parents=True)
    place.joinpath("x/LOG").write_text("near")
    place.joinpath("x/x/x/x/x/LOG").write_text("far")
    assert keep_files(context, ("LOG",)) == ()
    assert names(context) == ["x-LOG"]


def test_what_was_printed_comes_before_a_hundred_reports(context: Context) -> None:
    for number in range(kept_files.MOST_FILES):
        write(context.driver_directory / KEPT / f"{number}.json")
    write(context.driver_directory / KEPT / OUTPUT, "said")
    write(context.data_directory / "LOG")
    assert len(keep_files(context, ("LOG",))) == 2
    assert {"LOG", OUTPUT} <= set(names(context))
