"""What executables say of themselves is remembered by the digest of their file."""

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from weighhouse_sdk.machine.version_cache import CACHE_VARIABLE, descriptions_directory, remembered

ECHO = "/bin/echo"


@dataclass
class Asked:
    """Runs an executable, and counts."""

    executable: Path
    times: int = 0
    cache: Path = field(default_factory=Path)

    def answer(self) -> bytes:
        return remembered(self.executable, ("hello",), self._ask, self.cache)

    def _ask(self) -> bytes:
        self.times += 1
        done = subprocess.run([self.executable, "hello"], capture_output=True, check=True)
        return done.stdout


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    shutil.copy(ECHO, tmp_path / "program")
    return Asked(tmp_path / "program", cache=tmp_path / "cache")


def test_the_same_file_is_asked_once(asked: Asked) -> None:
    assert [asked.answer() for _ in range(3)] == [b"hello\n"] * 3
    assert asked.times == 1
    moved = asked.executable.with_name("moved")
    shutil.copy(asked.executable, moved)
    assert Asked(moved, cache=asked.cache, times=7).answer() == b"hello\n"
    assert remembered(moved, ("other",), lambda: b"another question", asked.cache) == (
        b"another question"
    )


def test_a_copy_is_known_by_its_content(asked: Asked) -> None:
    asked.answer()
    moved = asked.executable.with_name("moved")
    shutil.copy(asked.executable, moved)
    copy = Asked(moved, cache=asked.cache)
    assert copy.answer() == b"hello\n"
    assert copy.times == 0


def test_a_file_that_was_built_again_is_asked_again(asked: Asked) -> None:
    asked.answer()
    with asked.executable.open("ab") as file:
        file.write(b"built again")
    asked.answer()
    assert asked.times == 2


@pytest.mark.parametrize("damage", [b"", b"\x00\x00", b"not\nwhole"])
def test_what_is_not_whole_counts_as_none(asked: Asked, damage: bytes) -> None:
    asked.answer()
    kept = list(asked.cache.iterdir())
    assert len(kept) == 2
    for entry in kept:
        entry.write_bytes(damage)
    assert asked.answer() == b"hello\n"
    assert asked.times == 2
    assert asked.answer() == b"hello\n"
    assert asked.times == 2, "it was mended"


def test_scripts_are_asked_each_time(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    asked = Asked(script, cache=tmp_path / "cache")
    assert asked.answer() == asked.answer() == b"hello\n"
    assert asked.times == 2


def test_a_failure_is_not_remembered(asked: Asked) -> None:
    def fail() -> bytes:
        raise RuntimeError("library missing")

    with pytest.raises(RuntimeError):
        remembered(asked.executable, ("hello",), fail, asked.cache)
    assert asked.answer() == b"hello\n"
    assert asked.times == 1


def test_without_a_place_to_remember_it_is_asked(asked: Asked) -> None:
    asked.cache.write_text("a file where the directory would be")
    assert asked.answer() == asked.answer() == b"hello\n"
    assert asked.times == 2


MANY = """
import sys
from pathlib import Path
from weighhouse_sdk.machine.version_cache import remembered
for _ in range(200):
    answer = remembered(Path(sys.argv[1]), ("x",), lambda: b"y" * 100_000, Path(sys.argv[2]))
    assert answer == b"y" * 100_000
    for entry in Path(sys.argv[2]).glob("[!.]*-*"):
        entry.unlink(missing_ok=True)
"""


def test_several_processes_at_once(asked: Asked) -> None:
    words = [sys.executable, "-c", MANY, str(asked.executable), str(asked.cache)]
    running = [subprocess.Popen(words) for _ in range(3)]
    assert [each.wait() for each in running] == [0, 0, 0]


def test_the_place_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert descriptions_directory() == tmp_path / "descriptions"
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert descriptions_directory() == tmp_path / ".cache" / "weighhouse" / "descriptions"
