"""infra/bootstrap/source_times.py: a second clone compiles what is another there, no more."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "infra" / "bootstrap" / "source_times.py"
MANIFEST = '[package]\nname = "one"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n'
LOCK = 'version = 4\n\n[[package]]\nname = "one"\nversion = "0.0.0"\n'
SOURCE = Path("engine/one.rs")
HELLO, BYE = (f'fn main() {{ print!("{word}") }}\n' for word in ("hello", "bye"))


@pytest.fixture
def clone(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes a tree of one program, whose files are as new as those of a fresh clone."""

    def made(name: str, source: str) -> Path:
        root = tmp_path / name
        (root / SOURCE).parent.mkdir(parents=True)
        (root / SOURCE).write_text(source)
        binary = f'[[bin]]\nname = "one"\npath = "{SOURCE}"\n'
        (root / "Cargo.toml").write_text(MANIFEST + binary)
        (root / "Cargo.lock").write_text(LOCK)
        subprocess.run(["git", "init", "--quiet", root], check=True)
        return root

    return made


@pytest.fixture
def built(tmp_path: Path) -> Callable[[Path], tuple[str, bool]]:
    """Builds a tree in the folder that all share: what its program says, and whether it was
    compiled for that."""

    def made(root: Path) -> tuple[str, bool]:
        subprocess.run([sys.executable, SCRIPT, tmp_path], cwd=root, check=True)
        target = tmp_path / "target"
        done = subprocess.run(
            ["cargo", "build", "--release", "--locked", "--offline"],
            cwd=root, env={**os.environ, "CARGO_TARGET_DIR": str(target)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        program = target / "release" / "one"
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        return said, "Compiling" in done.stderr

    return made


def test_clones_of_the_same_contents_are_compiled_once(clone, built) -> None:
    assert built(clone("first", HELLO)) == ("hello", True)
    second = clone("second", HELLO)
    assert built(second) == ("hello", False)
    (second / SOURCE).write_text(BYE)
    assert built(second) == ("bye", True)
    assert built(second) == ("bye", False)


def test_a_clone_never_takes_what_was_made_of_anothers_contents(clone, built) -> None:
    first, second = clone("first", HELLO), clone("second", BYE)
    for _ in range(2):
        assert built(first) == ("hello", True)
        assert built(second) == ("bye", True)


def test_where_git_says_nothing_files_keep_their_times(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    source = tmp_path / SOURCE
    source.write_text(HELLO)
    os.utime(source, (1, 1))
    subprocess.run(
        [sys.executable, SCRIPT, tmp_path], cwd=tmp_path, check=True,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
    )  # fmt: skip
    assert source.stat().st_mtime == 1
