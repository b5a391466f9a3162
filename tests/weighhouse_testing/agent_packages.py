"""Folders of packages as `make packages DEPENDENCIES=1` fills them, for agents and pipelines of any
version: ours are built of this tree, what others wrote is packed anew out of what is installed.
"""

import hashlib
import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from weighhouse_sdk.machine.programs import locate_program

from weighhouse_testing.tree import REPOSITORY

OURS = frozenset(
    {
        "weighhouse-agent", "weighhouse-cli", "weighhouse-protocol", "weighhouse-sdk",
        "weighhouse-netdelay",
        "weighhouse-driver-resp", "weighhouse-plugin-redis", "weighhouse-plugin-valkey",
    }
)  # fmt: skip
VERSIONED = frozenset(
    {"weighhouse-agent", "weighhouse-cli", "weighhouse-protocol", "weighhouse-sdk"}
)
"""What has the platform's version; plugins and drivers have their own."""
STARTS = '    if chosen.command == "start":\n'


@cache
def _builder() -> ModuleType:
    sys.path.insert(0, str(REPOSITORY / "infra" / "packages"))
    try:
        return import_module("wheels")
    finally:
        sys.path.pop(0)


def fill(
    target: Path, version: str, *, work: Path, broken: bool = False, like: Path | None = None
) -> Path:
    """Fill a folder with an agent of a version, and all that it needs; returns the folder.

    :param work: an empty folder to build in.
    :param like: a folder that was filled before, whose files of others are taken.
    :param broken: whether that agent ends as soon as it is started, with status 2.
    """
    target.mkdir(parents=True, exist_ok=True)
    for path in like.glob("*.whl") if like else ():
        if not path.name.startswith("weighhouse_"):
            os.link(path, target / path.name)
    wheels = _builder()
    programs = locate_program("weighhouse-driver-resp").parent
    machine = f"linux_{os.uname().machine}"
    ours = {
        project.name: _of_version(project, version, work, broken=broken)
        for project in wheels.projects(REPOSITORY, programs, machine)
        if project.name in OURS
    }
    agent = ours.pop(wheels.AGENT)
    built = {
        name: Path(next(wheels.Wheel(made).build(directory=str(target))))
        for name, made in ours.items()
    }
    digests = work / "release_plugins.json"
    digests.write_text(json.dumps(wheels.plugin_digests(built)), "utf-8")
    made = wheels.agent_of_release(agent, digests)
    own = [*built.values(), Path(next(wheels.Wheel(made).build(directory=str(target))))]
    release = {
        "version": version,
        "commit": "",
        "changed": False,
        "wheels": [described(path) for path in own],
        "dependencies": [described(path) for path in _others(target, own)],
        "systems": ["redis", "valkey"],
    }
    (target / "release.json").write_text(json.dumps(release), "utf-8")
    return target


def described(path: Path) -> dict[str, object]:
    """A wheel, as `release.json` names it."""
    name, version = path.name.split("-")[:2]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "distribution": name.replace("_", "-"), "version": version, "name": path.name,
        "size_bytes": path.stat().st_size, "sha256": digest,
    }  # fmt: skip


def _of_version(project: Any, version: str, work: Path, *, broken: bool) -> Any:
    """The project with the platform's version set, and what it needs of others of ours, too."""
    document = json.loads(json.dumps(project.document))
    about = document["project"]
    if project.name in VERSIONED:
        about["version"] = version
    about["dependencies"] = [
        f"{name}=={version}" if (name := one.partition("==")[0]) in VERSIONED else one
        for one in about.get("dependencies", [])
    ]
    root = project.root
    if project.name == "weighhouse-agent":
        root = work / "agent"
        shutil.copytree(project.root, root, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        _write_anew(
            root / "weighhouse_agent" / "__init__.py",
            r"(?m)^VERSION = .*$",
            f'VERSION = "{version}"',
        )
        if broken:
            main = root / "weighhouse_agent" / "__main__.py"
            _write_anew(main, re.escape(STARTS), f"{STARTS}        return 2\n")
    return replace(project, root=root, document=document)


def _write_anew(path: Path, pattern: str, by: str) -> None:
    text, count = re.subn(pattern, by, path.read_text("utf-8"))
    assert count == 1, path
    path.write_text(text, "utf-8")


def _others(target: Path, own: Iterable[Path]) -> list[Path]:
    """What others wrote that wheels ask for, and pip."""
    wanted = [("pip", "")]
    for wheel in own:
        with zipfile.ZipFile(wheel) as archive:
            (about,) = (one for one in archive.namelist() if one.endswith("dist-info/METADATA"))
            told = archive.read(about).decode()
        wanted += [(one, "") for one in re.findall(r"(?m)^Requires-Dist: (.+)$", told)]
    found: dict[str, Path] = {}
    while wanted:
        text, extra = wanted.pop()
        one = Requirement(text)
        name = canonicalize_name(one.name)
        if name.startswith("weighhouse") or (name in found and not one.extras):
            continue
        if one.marker is not None and not one.marker.evaluate({"extra": extra}):
            continue
        found[name] = packed(name, target)
        needs = distribution(name).requires or []
        wanted += [(each, asked) for each in needs for asked in ("", *one.extras)]
    return list(found.values())


def packed(name: str, target: Path) -> Path:
    """The wheel of what is installed, made of its files again."""
    known = distribution(name)
    told = known.read_text("WHEEL") or ""
    tags = [one.strip() for one in re.findall(r"(?m)^Tag: (.+)$", told)]
    tag = next((one for one in tags if not one.startswith("py2-")), tags[0])
    made = target / f"{known.metadata['Name'].replace('-', '_')}-{known.version}-{tag}.whl"
    if made.exists():
        return made
    left_out = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        record = []
        for file in known.files or ():
            if ".." in file.parts or "__pycache__" in file.parts or file.name in left_out:
                continue
            archive.write(str(known.locate_file(file)), str(file))
            record.append(f"{file},,")
        (about,) = {one.split("/")[0] for one in record if ".dist-info/" in one}
        archive.writestr(f"{about}/RECORD", "\n".join([*record, f"{about}/RECORD,,", ""]))
    return made
