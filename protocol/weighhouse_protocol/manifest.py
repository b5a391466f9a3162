"""A plugin's manifest: what `plugin.toml` says of a system."""

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.apis import ManifestApi
from weighhouse_protocol.base import (
    Document,
    Few,
    FewBy,
    Label,
    Name,
    Page,
    Scalar,
    Sentence,
    Words,
)
from weighhouse_protocol.capacity import Holding
from weighhouse_protocol.causes import Cause
from weighhouse_protocol.ceilings import Ceiling
from weighhouse_protocol.configuration.tables import Settings
from weighhouse_protocol.counts import Counting
from weighhouse_protocol.disclaimers import ManifestDisclaimer
from weighhouse_protocol.endpoints import TLS_SWITCH, Forms
from weighhouse_protocol.fairness.rules import Translation
from weighhouse_protocol.faults import Fault, FaultVerb, layout_problem
from weighhouse_protocol.layouts import HASHING, Feature, ManifestTopology
from weighhouse_protocol.links import Link, Source
from weighhouse_protocol.offered import check_whole, toml_of
from weighhouse_protocol.parameters import Parameters, declared, defaults
from weighhouse_protocol.reach import Reach
from weighhouse_protocol.requirements import (
    MACHINE,
    Requirement,
    Unmet,
    check_names,
    unmet,
    values_of,
)
from weighhouse_protocol.storage import Storage
from weighhouse_protocol.target import Deployment, Target, Topology
from weighhouse_protocol.text import Named, Prose
from weighhouse_protocol.workload import Operation

PublicationPolicy = Literal[
    "open",
    "open_with_conditions",
    "open_with_disclosure",
    "consent_required",
    "prohibited",
    "unknown",
]
"""Whether results may be shown outside the organization that measured them."""


class BenchmarkClause(Document):
    """What a licence says of publishing benchmarks."""

    policy: PublicationPolicy
    text: Words
    source: Annotated[str, Source()]
    checked_on: datetime.date


class Edition(Document):
    """One edition of a product: what its licence says of publishing benchmarks, and who read it."""

    id: Name
    name: Annotated[str, Named(120)]
    licence: Annotated[str, Named(300)]
    """By its SPDX name, or its title."""
    policy: PublicationPolicy
    text: Words
    """What the clause says; where it could not be read, that."""
    conditions: Few[Words] = ()
    """What has to be kept, one in each: of the policy `open_with_conditions`."""
    source: Annotated[str, Source()]
    """Where the text stands, an `https://` address."""
    checked_on: datetime.date
    reviewer: Label = "Weighhouse maintainers"
    """Who read it."""

    @model_validator(mode="after")
    def _has_conditions(self) -> Self:
        if (self.policy == "open_with_conditions") != bool(self.conditions):
            message = "conditions: belong to the policy `open_with_conditions`, and to it alone"
            raise ValueError(message)
        return self


NOT_REVIEWED = "not recorded"
"""The reviewer of clauses from before reviewers were kept."""


class ManifestDriver(Document):
    """Which driver makes load on the system."""

    id: Name
    """For example `resp`; the executable is `weighhouse-driver-ID`."""
    options: Parameters = Field(default_factory=dict)
    """What `driver_options` may be."""


class ManifestImage(Document):
    """How the system is started in a container, by its vendor's documentation."""

    image: Label
    """With a tag, for example `docker.io/library/redis:8.2`."""
    program: Label
    """What is started in it, by path or name; the deployment's arguments follow."""
    arguments: Few[Sentence] = ()
    """Arguments that a container needs before the deployment's own."""
    port: int = Field(ge=1, le=65_535)
    """Where it listens unless told otherwise."""
    health: Sentence
    """How readiness is asked of it."""
    source: Annotated[str, Source()]
    """Page of the vendor that says so."""
    checked_on: datetime.date


class ManifestTool(Document):
    """What a foreign load tool can be used for."""

    drivers: Few[Name] = Field(min_length=1)
    """Drivers in whose place it can make load, for example `resp`."""
    pipelines: bool = False
    """Whether its clients can keep several requests in flight."""
    reach: Reach | None = None
    """What its options can say; None: only its plugin knows, on the agent's machine."""


class Manifest(Document):
    """One system (or foreign load tool) as its plugin describes it."""

    id: Name
    version: Label
    """Version of the plugin."""
    api: ManifestApi | None = None
    """With which interfaces it works; None: it comes with the release that it is used in."""
    kind: Literal["system", "tool"] = "system"
    name: Annotated[str, Named(300)]
    vendor: Annotated[str, Named(300)]
    homepage: Annotated[str, Link(least=0)] = ""
    licence: Annotated[str, Named(300)]
    # As it is written: the digest is of it, and TOML ends a text of several lines with one.
    architecture: Annotated[str, Prose(65_536, trimmed=False)]
    summary: Annotated[str, Prose(65_536, least=0, trimmed=False)] = ""
    colour: str = Field(max_length=7, pattern=r"^#[0-9A-Fa-f]{6}$")
    mark: str = Field(max_length=4)
    operations: Few[Operation]
    features: Few[Feature] = ()
    """Further parts of a workload that it can carry out."""
    deployments: Few[Deployment] = ()
    """Ways to bring it up; a tool has none."""
    default_deployment: Deployment = "process"
    topology: ManifestTopology = ManifestTopology()
    image: ManifestImage | None = None
    """For the deployment `docker`."""
    faults: Few[FaultVerb] = ()
    """What can be done to it on purpose while it is measured."""
    tool: ManifestTool | None = None
    """For the kind `tool`."""
    packages: FewBy[Label] = Field(default_factory=dict)
    """Executable → the Debian package that brings it."""
    parameters: Parameters = Field(default_factory=dict)
    """What a target's `parameters` may be; `x-aspect` is one of `durability`, `replication`,
    `consistency`, `memory`, `threads`, for comparability."""
    requirements: Annotated[tuple[Requirement, ...], Field(max_length=500)] = ()
    """What parameters need of each other and of the machine."""
    aspects: FewBy[Words] = Field(default_factory=dict)
    """Comparability aspects that no parameter decides, in words: `durability`, `consistency`,
    `network`, … → what this system does by default."""
    fairness: Translation = Translation()
    """How a target's configuration, or what a tool does, reads in words that all systems share."""
    holding: Holding | None = None
    """What a record takes, and what becomes of those that do not fit; None: not known."""
    counts: Counting | None = None
    """What it counts of its own work; None: nothing that clients could be held against."""
    uncounted: Sentence = ""
    """Why there are no `counts`."""
    storage: Storage = Storage()
    """Whether records outlive a restart, and whether reads go to disk; left out: neither is known.
    """
    ceilings: Few[Ceiling] = ()
    """The most that it takes: bytes of a key or a record, connections; none: not known."""
    causes: Few[Cause] = ()
    """What its own words for errors mean, and how that is mended; the first that fits decides."""
    driver: ManifestDriver
    addresses: Forms | None = None
    """How addresses of servers are written that somebody else set up; None: as they are kept."""
    settings: Settings | None = None
    """The system's own settings: how its file says them, and which are never taken; None: the
    plugin reads no file, and takes nothing beside parameters."""
    benchmark_clause: BenchmarkClause
    """Of the default edition; left out where there are editions."""
    editions: Few[Edition] = ()
    """Editions of the product, the default one first; none: manifests from before there were."""
    disclaimers: Few[ManifestDisclaimer] = ()
    documentation: Page = ""
    """The plugin's page, Markdown; the SDK fills it from the folder's README.md."""

    @model_validator(mode="before")
    @classmethod
    def _measured(cls, data: object) -> object:
        """Before anything else is done with it; the default edition's clause is the product's."""
        if not isinstance(data, Mapping):
            return data
        check_whole(data)
        if "benchmark_clause" in data or not data.get("editions"):
            return data
        editions = data["editions"]
        first = editions[0] if isinstance(editions, list | tuple) else None
        if isinstance(first, Edition):
            first = first.model_dump()
        if not isinstance(first, Mapping):
            return data
        kept = {name: first[name] for name in BenchmarkClause.model_fields if name in first}
        return {**data, "benchmark_clause": kept}

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        names = [one.id for one in self.editions]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            message = f"editions: {', '.join(twice)} is there twice"
            raise ValueError(message)
        system = self.kind == "system"
        if system and self.default_deployment not in self.deployments:
            message = "deployments: a system has at least one; default_deployment is one of them"
            raise ValueError(message)
        if not system and (self.deployments or self.faults):
            message = "deployments, faults: a tool has none"
            raise ValueError(message)
        if system == (self.tool is not None):
            message = "tool: belongs to the kind `tool`, and to it alone"
            raise ValueError(message)
        if ("docker" in self.deployments) != (self.image is not None):
            message = "image: belongs to the deployment `docker`, and to it alone"
            raise ValueError(message)
        if self.topology.keys_by_client != "never" and HASHING not in declared(self.driver.options):
            message = f"topology.keys_by_client: there is no driver option `{HASHING}`"
            raise ValueError(message)
        self._check_facts()
        check_names(self.requirements, declared(self.parameters), declared(self.driver.options))
        for said in self.disclaimers:
            unknown = said.when.parameters.keys() - defaults(self.parameters).keys()
            if unknown:
                message = f"disclaimers.{said.id}.when: no parameters: {', '.join(sorted(unknown))}"
                raise ValueError(message)
        return self

    def _check_facts(self) -> None:
        """A tool's rules look at what the systems declare that it is used with."""
        if self.settings is not None:
            named = {each.parameter for each in self.settings.counterparts.values()}
            if lacking := sorted(named - declared(self.parameters).keys()):
                raise ValueError(f"settings.counterparts: no parameters: {', '.join(lacking)}")
        if self.addresses is not None:
            said = {*self.addresses.query.values(), self.addresses.path} - {"", TLS_SWITCH}
            if lacking := sorted(said - declared(self.driver.options).keys()):
                raise ValueError(f"addresses: there are no driver options {', '.join(lacking)}")
        if self.kind == "tool":
            return
        options = {f"option:{name}" for name in declared(self.driver.options)}
        known = {*declared(self.parameters), *options, "deployment"}
        known |= {"topology:nodes", "topology:replication_factor"}
        sizes = () if self.holding is None else self.holding.facts()
        most = [name for each in self.ceilings for name in each.facts()]
        looked_at = {"fairness": self.fairness.facts(), "holding": sizes, "ceilings": most,
                     "storage": self.storage.facts()}  # fmt: skip
        for rules, names in looked_at.items():
            asked = {name for name in names if not name.startswith("setting:")}
            if unknown := sorted(asked - known):
                lost = ", ".join(unknown)
                raise ValueError(f"{rules}: neither parameters nor driver options: {lost}")

    def requirement_facts(
        self, target: Target, machine: Mapping[str, int] | None = None
    ) -> dict[str, Scalar | None]:
        """What `requirements` look at, by name; None: left to the system. Of servers that are there
        already neither parameters nor machine are known. `machine`: as below.
        """
        options = values_of(declared(self.driver.options), target.driver_options)
        edition, there = self.edition_of(target), target.deployment == "external"
        return {
            **({} if there else values_of(declared(self.parameters), target.parameters)),
            **{f"option:{name}": value for name, value in options.items()},
            "topology:nodes": target.topology.nodes,
            "topology:replication_factor": target.topology.replication_factor,
            "topology:primaries": self.topology.primaries(target),
            "deployment": target.deployment,
            "tool": target.tool or "",
            "edition": None if edition is None else edition.id,
            **{n: v for n, v in (machine or {}).items() if not (there and n in MACHINE)},
        }

    def unmet(self, target: Target, machine: Mapping[str, int] | None = None) -> list[Unmet]:
        """What of `requirements` a target does not meet.

        :param machine: facts as in `requirements.MACHINE`, `PLACEMENT`, `WORKLOAD`; None: unknown.
        """
        return unmet(self.requirements, self.requirement_facts(target, machine).get)

    @property
    def known_editions(self) -> tuple[Edition, ...]:
        """Editions, the default one first; of a manifest from before, the one of its clause."""
        if self.editions:
            return self.editions
        clause = self.benchmark_clause
        # What it asked of whoever publishes stood in the text.
        conditions = (clause.text,) if clause.policy == "open_with_conditions" else ()
        return (
            Edition(
                id="default",
                name=self.name,
                licence=self.licence,
                conditions=conditions,
                reviewer=NOT_REVIEWED,
                **dict(clause),
            ),
        )

    def edition_of(self, target: Target) -> Edition | None:
        """The edition that a target is; None when it cannot be known.

        What the plugin sets up by itself is the default edition, unless the target says otherwise.
        Of servers that somebody else set up, and of images that are not the plugin's, nobody but
        the experiment's author can say it, where there is more than one.
        """
        known = self.known_editions
        if self.kind == "tool":
            return known[0]
        if target.edition is not None:
            return next((one for one in known if one.id == target.edition), None)
        foreign_image = bool(target.image) and (
            self.image is None or _repository(target.image) != _repository(self.image.image)
        )
        if len(known) > 1 and (target.deployment == "external" or foreign_image):
            return None
        return known[0]

    def fault_problem(self, fault: Fault, topology: Topology) -> str | None:
        """Why a verb cannot be done to this system, laid out so; None when it can."""
        if fault.verb not in self.faults:
            return f"`{fault.verb}`: {self.name} offers: {', '.join(self.faults) or 'none'}"
        return layout_problem(fault, self.topology.layout, topology, self.name)

    def concerning(self, target: Target, machines: int = 1) -> tuple[ManifestDisclaimer, ...]:
        """The statements that stand beside numbers of a target.

        :param target: of this system, or loaded by this tool.
        :param machines: that its nodes are spread over.
        """
        own, spread = defaults(self.parameters), self.topology.by_client(target)
        return tuple(
            said
            for said in self.disclaimers
            if said.when.holds(target, machines, own, keys_by_client=spread)
        )


def _repository(image: str) -> str:
    """An image without its tag or digest."""
    path = image.partition("@")[0]
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition(':')[0]}"


def load_manifest(path: Path, documentation: str = "") -> Manifest:
    """Read `plugin.toml`.

    :param path: the file.
    :param documentation: Markdown of the plugin's page, put into the manifest.
    :raises ValueError: when it is not a valid manifest, or no TOML; told as `offered.refusal` does.
    """
    data = toml_of(path)
    if documentation:
        data["documentation"] = documentation
    return Manifest.model_validate(data)
