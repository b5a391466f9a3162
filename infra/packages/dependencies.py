"""Fetches what others wrote that agents and pipelines need, for each Python that a machine may
have, beside the wheels of a release: with them the platform serves both where no package index is
reached.

Only what `requirements.lock` names by its digest is taken.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from build import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
INSTALLER = "pip"
"""It installs agents, and stands among the dependencies, too."""
PREFIXES = ("weighhouse-agent", "weighhouse-cli", "weighhouse-plugin-")
DIGEST = re.compile(r"--hash=sha256:([0-9a-f]{64})")
OLDEST_GLIBC, NEWEST_GLIBC = 5, 28


def platforms(machine: str) -> list[str]:
    """Platforms of wheels that run where ours do, the newest first.

    :param machine: for example `x86_64`.
    """
    glibc = [
        f"manylinux_2_{minor}_{machine}" for minor in range(NEWEST_GLIBC, OLDEST_GLIBC - 1, -1)
    ]
    return [
        *glibc,
        *(f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010", "manylinux1")),
    ]


def fetch(
    python: str, target: Path, version: str, wanted: list[str], runs_on: list[str]
) -> list[Path]:
    """Fetch the dependencies for one Python into the folder.

    :param python: the program that has pip.
    :returns: the files that are not ours; none where something has no wheel for that Python.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [
            python, "-m", "pip", "--disable-pip-version-check", "download", "--quiet",
            "--only-binary", ":all:", "--implementation", "cp", "--python-version", version,
            *(word for each in runs_on for word in ("--platform", each)),
            "--find-links", str(target), "--constraint", str(target / "constraints.txt"),
            "--dest", folder, INSTALLER, *wanted,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"Python {version}: left out: {done.stderr.strip().splitlines()[-1]}")
            return []
        found = []
        for path in sorted(Path(folder).glob("*.whl")):
            if not path.name.startswith("weighhouse_"):
                shutil.move(path, target / path.name)
                found.append(target / path.name)
        return found


def described(path: Path) -> dict[str, Any]:
    """A wheel, as `release.json` names it."""
    distribution, version = path.name.split("-")[:2]
    return {
        "distribution": distribution,
        "version": version,
        "name": path.name,
        "size_bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def main() -> None:
    """Entry point."""
    about = "fetch what agents and pipelines need besides a release"
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--python", default=sys.executable, help="a Python that has pip")
    parser.add_argument("--machine", default="x86_64")
    parser.add_argument("target", type=Path, help="a folder that build.py has filled")
    asked = parser.parse_args()
    release = json.loads((asked.target / "release.json").read_text("utf-8"))
    wheels = release["wheels"]
    wanted = [
        f"{one['distribution']}=={one['version']}"
        for one in wheels
        if one["distribution"].startswith(PREFIXES)
    ]
    own = {one["name"].removesuffix(".whl").rpartition("-")[2] for one in wheels} - {"any"}
    runs_on = [*sorted(own), *platforms(asked.machine)]
    files: dict[str, Path] = {}
    for version in PYTHONS:
        for path in fetch(asked.python, asked.target, version, wanted, runs_on):
            files[path.name] = path
    locked = set(DIGEST.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")))
    found = [described(path) for _, path in sorted(files.items())]
    if strange := [one["name"] for one in found if one["sha256"] not in locked]:
        sys.exit(f"not among the digests of requirements.lock: {', '.join(strange)}")
    if not found:
        sys.exit("nothing was fetched: is the package index reached?")
    release["dependencies"] = found
    (asked.target / "release.json").write_text(json.dumps(release, indent=2) + "\n", "utf-8")
    size = sum(one["size_bytes"] for one in found)
    print(f"{len(found)} wheels of others, {size / 1e6:.1f} MB, for agents and pipelines")


if __name__ == "__main__":
    main()
