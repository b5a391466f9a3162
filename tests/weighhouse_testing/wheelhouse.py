"""Wheels of what is built here, and environments that have them and what they declare, no more."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from weighhouse_sdk.machine.programs import locate_program

from weighhouse_testing.tree import REPOSITORY

REQUIRES = re.compile(r"^Requires-Dist: (.+)$", re.MULTILINE)
EXTRAS = re.compile(r"^Provides-Extra: (.+)$", re.MULTILINE)


def built(target: Path, root: Path = REPOSITORY) -> dict[str, str]:
    """Wheels of a tree, with the drivers that are built here already; each one's name and digest.

    :param target: the folder that they are put into.
    """
    programs = locate_program("weighhouse-driver-resp").parent
    machine = f"linux_{os.uname().machine}"
    build = root / "infra" / "packages" / "build.py"
    command: list[str | Path] = [
        sys.executable, build, "--programs", programs, "--platform", machine, target,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    release = json.loads((target / "release.json").read_text("utf-8"))
    return {wheel["name"]: wheel["sha256"] for wheel in release["wheels"]}


def declared(wheels: Path) -> set[str]:
    """What others wrote that the wheels ask for, extras too, and what that asks for in turn."""
    wanted = []
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (one for one in archive.namelist() if one.endswith("dist-info/METADATA"))
            told = archive.read(name).decode()
        extras = ("", *EXTRAS.findall(told))
        wanted += [(requirement(one), extra) for one in REQUIRES.findall(told) for extra in extras]
    found: set[str] = set()
    while wanted:
        one, extra = wanted.pop()
        if one.marker is not None and not one.marker.evaluate({"extra": extra}):
            continue
        known = canonicalize_name(one.name) in found
        if one.name.startswith("weighhouse") or (known and not one.extras):
            continue
        try:
            asked = distribution(one.name).requires or []
        except PackageNotFoundError:
            continue  # the installer says so, if it is asked for
        found.add(canonicalize_name(one.name))
        for its_extra in ("", *one.extras):
            wanted += [
                (requirement(each), its_extra)
                for each in asked
                if its_extra or "extra ==" not in each  # most are of extras that nobody asked for
            ]
    return found


@cache
def requirement(text: str) -> Requirement:
    """What a line asks for; each is read once, for there are thousands, most of them known."""
    return Requirement(text)


@contextmanager
def environment(below: Path, others: Collection[str]) -> Iterator[Path]:
    """An environment that has of others what is named, and nothing of ours, until the block ends.

    :param below: a folder that PostgreSQL's own account may pass through.
    """
    root = Path(tempfile.mkdtemp(prefix="weighhouse-installed-", dir=below))
    root.chmod(0o711)  # PostgreSQL's own account passes through to its data
    venv.create(root, symlinks=True, with_pip=False)
    (packages,) = root.glob("lib/python*/site-packages")
    for name in others:
        link_distribution(name, packages)
    yield root
    shutil.rmtree(root, ignore_errors=True)


def link_distribution(name: str, packages: Path) -> None:
    """Let what is installed here be found elsewhere."""
    known = distribution(name)
    for top in {file.parts[0] for file in known.files or () if file.parts[0] != ".."}:
        place = Path(str(known.locate_file(top)))
        if top.endswith(".dist-info"):
            # The installer looks at no link.
            shutil.copytree(place, packages / top, dirs_exist_ok=True)
        elif top != "__pycache__" and not (packages / top).exists():
            (packages / top).symlink_to(place)


def install(root: Path, wheels: Path, requirement: str, *options: str) -> None:
    """Install something of a folder of wheels into an environment, without a network."""
    command: list[str | Path] = [
        Path(sys.executable).with_name("uv"), "pip", "install", "--python", root / "bin" / "python",
        "--offline", "--no-index", "--find-links", wheels, *options, requirement,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
