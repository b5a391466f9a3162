"""Bills of materials as CycloneDX documents: what the Python environment, the frontend and the
drivers are made of.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

REPOSITORY = Path(__file__).resolve().parents[2]
OURS = "weighhouse"
"""How our own parts' names begin; they are no material of others."""


class CannotList(Exception):
    """A list cannot be made; the message says why."""


@dataclass(frozen=True)
class Part:
    """Something of others, in one version."""

    kind: str
    """python, npm or rust."""
    name: str
    version: str
    licences: tuple[str, ...]
    """As it says itself: SPDX expressions, or names. None at all: it says nothing."""

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.kind})"


def python() -> dict[str, Any]:
    """Of the environment that this runs in, which is the one that the lock file makes."""
    tool = Path(sys.executable).with_name("cyclonedx-py")
    made = _said([str(tool), "environment", sys.executable, "--output-format", "JSON"])
    made["components"] = [
        one for one in made.get("components", []) if not one["name"].startswith(OURS)
    ]
    return made


def npm() -> dict[str, Any]:
    """Of the frontend, what only building it takes included."""
    command = ["npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]
    return _said(command, REPOSITORY / "frontend")


def rust() -> dict[str, Any]:
    """Of the engine and all drivers, for every platform that they can be built for."""
    told = _said(["cargo", "metadata", "--format-version", "1", "--locked"])
    lock = tomllib.loads((REPOSITORY / "Cargo.lock").read_text(encoding="utf-8"))
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock["package"]}
    licences = LicenseFactory()
    bom = Bom()
    for crate in told["packages"]:
        if crate["source"] is None:  # our own
            continue
        name, version = crate["name"], crate["version"]
        # Crates from before there were expressions write a slash for OR.
        said = (crate["license"] or "").replace("/", " OR ")
        digest = sums.get((name, version))
        bom.components.add(
            Component(
                type=ComponentType.LIBRARY, name=name, version=version, bom_ref=f"{name}@{version}",
                purl=PackageURL("cargo", None, name, version),
                licenses=[licences.make_from_string(said)] if said else [],
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else [],
            )
        )  # fmt: skip
    document: dict[str, Any] = json.loads(JsonV1Dot6(bom).output_as_string())
    return document


KINDS: Mapping[str, Callable[[], dict[str, Any]]] = {"python": python, "npm": npm, "rust": rust}


def parts(kind: str, document: Mapping[str, Any]) -> list[Part]:
    """What a document lists."""
    return [
        Part(
            kind,
            _full_name(one),
            one.get("version", ""),
            tuple(map(_licence, one.get("licenses", []))),
        )
        for one in document["components"]
    ]


def _full_name(component: Mapping[str, Any]) -> str:
    group = component.get("group")
    return f"{group}/{component['name']}" if group else str(component["name"])


def _licence(said: Mapping[str, Any]) -> str:
    licence = said.get("license", {})
    return str(said.get("expression") or licence.get("id") or licence.get("name") or "")


def _said(command: list[str], folder: Path = REPOSITORY) -> dict[str, Any]:
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CannotList(f"{command[0]} is missing: `make install` brings it") from error
    if ended.returncode != 0:
        last = ended.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        raise CannotList(f"`{' '.join(command[:2])}` ended with {ended.returncode}: {last[0]}")
    document: dict[str, Any] = json.loads(ended.stdout)
    return document
