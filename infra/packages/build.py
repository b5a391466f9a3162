"""Builds the wheels of a release into a folder, and writes down what they are.

Beside them: `release.json` with the name, size and digest of each, and `constraints.txt` with the
versions of what others wrote that this release was tested with, and of its own.
"""

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from wheels import AGENT, EXTRAS, PURE, Project, Wheel, agent_of_release, plugin_digests, projects

ROOT = Path(__file__).resolve().parents[2]
LOCKED = re.compile(r"^([A-Za-z0-9._-]+==[^\s;\\]+)", re.MULTILINE)


def build(programs: Path, platform: str, target: Path) -> list[tuple[Project, Path]]:
    """Build all wheels; what the folder held of another build is removed.

    :param programs: the folder with the drivers' executables.
    :param platform: of the executables, as in a wheel's name.
    """
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.whl"):
        old.unlink()
    found = projects(ROOT, programs, platform)
    built = {
        project.name: Path(next(Wheel(project).build(directory=str(target))))
        for project in found
        if project.name != AGENT
    }
    with tempfile.TemporaryDirectory() as folder:
        digests = Path(folder) / "release_plugins.json"
        digests.write_text(json.dumps(plugin_digests(built), indent=2) + "\n", "utf-8")
        (agent,) = (agent_of_release(one, digests) for one in found if one.name == AGENT)
        built[AGENT] = Path(next(Wheel(agent).build(directory=str(target))))
    return [(project, built[project.name]) for project in found]


def check(auditwheel: Path, wheel: Path, platform: str) -> None:
    """Have auditwheel look at a wheel with an executable.

    :raises SystemExit: when it runs on fewer machines than its name says.
    """
    command = [str(auditwheel), "show", "--json", str(wheel)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        sys.exit(f"{wheel.name}: auditwheel refuses it: {told.stderr.strip()}")
    allows = str(json.loads(told.stdout)["overall_tag"])
    print(f"{wheel.name}: auditwheel says {allows}")
    if _age(allows) > _age(platform):
        sys.exit(f"{wheel.name} says {platform}, and is {allows}")


def _age(platform: str) -> tuple[float, ...]:
    """The version of the C library that a manylinux platform asks for; of others: beyond any."""
    found = re.fullmatch(r"manylinux_(\d+)_(\d+)_.*", platform)
    return tuple(int(number) for number in found.groups()) if found else (math.inf,)


def release(wheels: Sequence[tuple[Project, Path]]) -> dict[str, Any]:
    """What `release.json` says."""
    commit = _git("rev-parse", "HEAD")
    aside = {plugin for plugins in EXTRAS.values() for plugin in plugins}
    prefix = "weighhouse-plugin-"
    plugins = {one.name.removeprefix(prefix) for one, _ in wheels if one.name.startswith(prefix)}
    return {
        "version": next(one.version for one, _ in wheels if one.name == "weighhouse"),
        "commit": commit,
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "wheels": [
            {
                "distribution": project.name,
                "version": project.version,
                "name": path.name,
                "size_bytes": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for project, path in wheels
        ],
        "systems": sorted(plugins - aside),
    }


def constraints(projects: Iterable[Project]) -> str:
    """Versions, one a line, as pip's `--constraint` reads them: the locked ones of what others
    wrote, and this release's own, so that nobody's newer package in an index takes a name of ours.
    """
    locked = LOCKED.findall((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    ours = sorted(f"{one.name}=={one.version}" for one in projects)
    return "".join(f"{one}\n" for one in (*locked, *ours))


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description="build the wheels of a release")
    parser.add_argument("--programs", type=Path, required=True, help="folder with the drivers")
    parser.add_argument("--platform", required=True, help="for example manylinux_2_28_x86_64")
    parser.add_argument("--auditwheel", type=Path, help="the program; without it nothing is held")
    parser.add_argument("target", type=Path)
    asked = parser.parse_args()
    # The same commit gives the same bytes.
    os.environ.setdefault("SOURCE_DATE_EPOCH", _git("log", "-1", "--format=%ct") or "1580601600")
    wheels = build(asked.programs, asked.platform, asked.target)
    if asked.auditwheel:
        for project, path in wheels:
            if project.tag != PURE:
                check(asked.auditwheel, path, asked.platform)
    found = release(wheels)
    (asked.target / "release.json").write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    (asked.target / "constraints.txt").write_text(constraints(one for one, _ in wheels), "utf-8")
    size = sum(one["size_bytes"] for one in found["wheels"])
    print(f"{len(wheels)} wheels, {size / 1e6:.1f} MB, in {asked.target}")


if __name__ == "__main__":
    main()
