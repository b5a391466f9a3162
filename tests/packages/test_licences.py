"""Each wheel with something of others in it has their licences, too."""

import json
import os
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest
from weighhouse_testing.tree import REPOSITORY

PROGRAMS = (
    *sorted(file.parent.parent.name for file in REPOSITORY.glob("plugins/*/driver/Cargo.toml")),
    "sdk",
)
"""Folders of plugins with an executable, and of the one that all of them have."""
FILE = "THIRD-PARTY-LICENCES.txt"
TERMS = {
    "Apache-2.0": "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    "BSD-3-Clause": "Neither the name",
    "MIT": "Permission is hereby granted, free of charge",
}


def inside(wheel: Path, end: str) -> str:
    """The one file of a wheel whose name ends so."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(end))
        return archive.read(name).decode()


def linked(crate: str) -> set[str]:
    """Crates of others that Cargo links into one of ours: name and version."""
    done = subprocess.run(
        [
            "cargo", "tree", "--locked", "--package", crate, "--edges", "normal,no-proc-macro",
            "--target", f"{os.uname().machine}-unknown-linux-gnu", "--prefix", "none",
            "--format", "{p}",
        ],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = {line for line in done.stdout.splitlines() if str(REPOSITORY) not in line}
    return {" ".join(line.replace(" v", " ").split()[:2]) for line in lines if line}


@pytest.mark.parametrize("plugin", PROGRAMS)
def test_an_executables_wheel_names_all_that_is_linked_with_its_terms(
    wheels: Path, plugin: str
) -> None:
    folder = REPOSITORY / "plugins" / plugin / ("netdelay" if plugin == "sdk" else "driver")
    manifest = (folder / "Cargo.toml").read_text("utf-8")
    name = re.findall(r'^name = "(.+)"$', manifest, re.MULTILINE)[0]
    (wheel,) = wheels.glob(f"{name.replace('-', '_')}-*.whl")
    text = inside(wheel, f".dist-info/licenses/{FILE}")
    found = linked(name)
    assert len(found) > 3
    listed = text.partition("=" * 100)[0]
    assert {one for one in found if f"\n{one}  " not in listed} == set()
    for licence, words in TERMS.items():
        assert words in text or licence not in listed, licence
    assert f"License-File: {FILE}" in inside(wheel, ".dist-info/METADATA")
    assert "Rust's standard library" in text
    # The same terms stand there once, however many there are who give them.
    assert text.count("END OF TERMS AND CONDITIONS") < listed.count("Apache-2.0")
    assert str(Path.home()) not in text


def test_what_is_declared_comes_with_its_text(wheels: Path) -> None:
    cargo = tomllib.loads((REPOSITORY / "Cargo.toml").read_text("utf-8"))
    declared = cargo["workspace"]["package"]["license"]
    own = (REPOSITORY / "LICENSE").read_text("utf-8")
    assert declared == "Apache-2.0"
    assert "Version 2.0, January 2004" in own
    assert TERMS[declared] in own
    for file in REPOSITORY.glob("plugins/*/*/Cargo.toml"):
        crate = tomllib.loads(file.read_text("utf-8"))["package"]
        assert crate["license"] == {"workspace": True}, file
    (sources,) = wheels.glob("weighhouse_driver_sources-*.whl")
    assert f"License-Expression: {declared}\n" in inside(sources, ".dist-info/METADATA")
    executables = [*wheels.glob("weighhouse_driver_*-linux_*.whl"), *wheels.glob("*netdelay*.whl")]
    assert len(executables) > 1
    for wheel in (sources, *executables):
        assert inside(wheel, ".dist-info/licenses/LICENSE") == own, wheel.name


def test_rocksdbs_wheel_says_whose_code_is_in_its_library(wheels: Path) -> None:
    (wheel,) = wheels.glob("weighhouse_driver_rocksdb-*.whl")
    text = inside(wheel, FILE)
    for one in ("LevelDB Authors", "Jean-loup Gailly", "Julian R Seward", "Yann Collet", "Meta"):
        assert one in text, one
    # It is given under one licence or another: the other is not the one that it is used under.
    assert "GNU GENERAL PUBLIC LICENSE\n" not in text


def test_the_pages_bring_the_licences_of_what_is_bundled(wheels: Path) -> None:
    (wheel,) = wheels.glob("weighhouse_resources-*.whl")
    text = inside(wheel, "/frontend/third-party-licences.txt")
    package = json.loads((REPOSITORY / "frontend" / "package.json").read_text("utf-8"))
    # Of vue itself nothing is left: it hands on what its own packages have.
    for name in package["dependencies"].keys() - {"vue"} | {"@vue/runtime-dom"}:
        assert f"\n\n{name} " in text, name
    # Of what these need in turn, too, and what Apache's licence wants to be given on.
    for words in ("\n\nzrender ", "This product includes software developed at", "SIL OPEN FONT"):
        assert words in text, words
