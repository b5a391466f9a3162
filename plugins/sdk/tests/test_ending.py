"""The last words of a node: of a real process, and of the logs in its folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_sdk.context import Context
from weighhouse_sdk.machine.process import Command, ServerProcess
from weighhouse_sdk.serving import exit_report
from weighhouse_sdk.serving.exit_report import last_words


@pytest.fixture
def body(context: Context) -> Iterator[ServerProcess]:
    """A node that said one line, a long one, and ended."""
    words = ("/bin/sh", "-c", f"echo {'x' * 5000}")
    process = context.processes.start(Command("p", words, context.data_directory))
    assert process.wait(120) == 0
    yield process
    process.stop(1.0)


def write(path: Path, text: str, written: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (written, written))
    return path


def test_only_files_of_its_own_are_read(body: ServerProcess, tmp_path: Path) -> None:
    folder, secret = tmp_path / "node", write(tmp_path / "far" / "secret.log", "secret\n", 1)
    write(folder / "deep" / "own.log", "a word\n", 1)
    (folder / "linked.log").symlink_to(secret)
    (folder / "far").symlink_to(tmp_path / "far")
    os.mkfifo(folder / "pipe.log")
    (folder / "folder.log").mkdir()
    assert last_words(body, folder)[1:] == ("own.log: a word",)
    (tmp_path / "way").symlink_to(tmp_path / "far")
    assert len(last_words(body, tmp_path / "way")) == 1


def test_the_latest_files_are_told_and_no_more_than_can_be_read(
    body: ServerProcess, tmp_path: Path
) -> None:
    for number in range(6):
        write(tmp_path / "n" / f"{number}" / "a.log", f"{'y' * 9000}\nend {number}\n", 10 + number)
    write(tmp_path / "n" / "writes.log", "binary\0", 100)
    said, *own = last_words(body, tmp_path / "n")
    assert len(said) == exit_report.LINE
    assert [each for each in own if "end" in each] == [f"a.log: end {n}" for n in (5, 4, 3)]
    assert max(map(len, own)) == exit_report.LINE


def test_the_walk_and_the_whole_have_an_end(
    body: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        write(tmp_path / "n" / f"{number}.log", "z\n", number)
    write(tmp_path / "n" / "below" / "a.log", "far\n", 99)
    monkeypatch.setattr(exit_report, "ENTRIES", 21)
    assert last_words(body, tmp_path / "n")[1:] == ("19.log: z", "18.log: z", "17.log: z")
    monkeypatch.setattr(exit_report, "TOTAL", exit_report.LINE + 9)
    assert last_words(body, tmp_path / "n")[1:] == ("19.log: z",)
