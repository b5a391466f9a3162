"""Executables of ours: which of those there are is taken, and what is said where there is none."""

from pathlib import Path

import pytest
from weighhouse_sdk.errors import BinaryMissing
from weighhouse_sdk.machine.programs import PACKAGE, locate_program

NAME = "weighhouse-driver-of-nobody"


def _place(folder: Path) -> Path:
    folder.mkdir(parents=True)
    program = folder / NAME
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    return program


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WEIGHHOUSE_DRIVERS", "CARGO_TARGET_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


def test_wheels_bring_drivers_into_one_folder_each_from_wherever_it_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site" / PACKAGE).mkdir(parents=True)
    brought = _place(tmp_path / "users-own" / PACKAGE)
    monkeypatch.syspath_prepend(tmp_path / "users-own")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert locate_program(NAME) == brought


def test_what_was_installed_is_taken_before_what_was_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = _place(tmp_path / "home" / ".cache" / "weighhouse" / "target" / "release")
    assert locate_program(NAME) == built
    brought = _place(tmp_path / "site" / PACKAGE)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert locate_program(NAME) == brought
    named = _place(tmp_path / "named")
    monkeypatch.setenv("WEIGHHOUSE_DRIVERS", str(named.parent))
    assert locate_program(NAME) == named


def test_one_that_is_nowhere_is_told_with_the_package_that_brings_it() -> None:
    with pytest.raises(BinaryMissing) as told:
        locate_program(NAME, "make driver NAME=nobody")
    assert f"the package {NAME} brings it" in told.value.hint
    assert "make driver NAME=nobody" in told.value.hint
