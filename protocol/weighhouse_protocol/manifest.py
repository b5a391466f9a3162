"""A plugin's manifest: what `plugin.toml` says of a system."""

import datetime
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import Field

from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.target import Deployment
from weighhouse_protocol.workload import Operation

PublicationPolicy = Literal[
    "open", "open_with_disclosure", "consent_required", "prohibited", "unknown"
]
"""Whether results may be shown outside the organization that measured them."""


class BenchmarkClause(Document):
    """What a licence says of publishing benchmarks."""

    policy: PublicationPolicy
    text: str
    source: str
    checked_on: datetime.date


class ManifestDisclaimer(Document):
    """A statement that must stand beside every number of this system."""

    id: Name
    kind: Literal["vendor", "plugin"] = "plugin"
    severity: Literal["note", "caution", "bar"] = "note"
    title: str = Field(max_length=120)
    text: str = Field(max_length=4000)
    source: str | None = None


class ManifestDriver(Document):
    """Which driver makes load on the system."""

    id: Name
    """For example `resp`; the executable is `weighhouse-driver-ID`."""
    options: dict[str, object] = Field(default_factory=dict)
    """JSON Schema of `driver_options`: an object schema with `properties`."""


class Manifest(Document):
    """One system (or foreign load tool) as its plugin describes it."""

    id: Name
    version: str
    """Version of the plugin."""
    kind: Literal["system", "tool"] = "system"
    name: str
    vendor: str
    homepage: str = ""
    licence: str
    architecture: str
    summary: str = ""
    colour: str = Field(pattern=r"^#[0-9A-Fa-f]{6}$")
    mark: str = Field(max_length=4)
    operations: tuple[Operation, ...]
    features: tuple[Literal["ttl", "multi_get"], ...] = ()
    """Further parts of a workload that it can carry out: records that expire, reads of several
    records at once."""
    deployments: tuple[Deployment, ...] = Field(min_length=1)
    default_deployment: Deployment
    packages: dict[str, str] = Field(default_factory=dict)
    """Executable → the Debian package that brings it."""
    parameters: dict[str, object] = Field(default_factory=dict)
    """JSON Schema of `target.parameters`: an object schema; each property has `title`,
    `description`, `default`, and `x-unit` where it has a unit, and may have `x-aspect`
    (`durability`, `replication`, `consistency`, `memory`, `threads`) for comparability."""
    aspects: dict[str, str] = Field(default_factory=dict)
    """Comparability aspects that no parameter decides, in words: `durability`, `consistency`,
    `network`, … → what this system does by default."""
    driver: ManifestDriver
    benchmark_clause: BenchmarkClause
    disclaimers: tuple[ManifestDisclaimer, ...] = ()
    documentation: str = ""
    """The plugin's page, Markdown; the SDK fills it from the folder's README.md."""


def load_manifest(path: Path, documentation: str = "") -> Manifest:
    """Read `plugin.toml`.

    :param path: the file.
    :param documentation: Markdown of the plugin's page, put into the manifest.
    :raises pydantic.ValidationError: when the manifest is not valid.
    :raises tomllib.TOMLDecodeError: when the file is not TOML.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    if documentation:
        data["documentation"] = documentation
    return Manifest.model_validate(data)
