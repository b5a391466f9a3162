"""Which systems there are, and what they can do: each organization's own view."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog
from pydantic import ValidationError
from sqlalchemy.orm import Session
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.offered import check_whole, refusal
from weighhouse_protocol.storage import Storage
from weighhouse_protocol.text import seen

from weighhouse_backend.catalog.accepted import is_shipped
from weighhouse_backend.catalog.precedence import Candidate, in_order
from weighhouse_backend.catalog.readings import READINGS, Read
from weighhouse_backend.catalog.repository import CatalogRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound

log = structlog.get_logger(__name__)

MOST_PLUGINS = 100
MOST_NAMES = 100
"""Plugins of an organization: whatever looks at its systems reads a manifest of each, and a process
remembers more than that of what it read.
"""
MOST_KEPT = 5_000
"""Manifests of an organization, all versions of its plugins that machines ever brought."""
MOST_OF_AN_AGENT = 20_000
"""Values in all manifests of an agent, and faults of those: each takes some µs to be told."""
FIRST = "the first of its plugin"
OWN = "the platform's own machine"


@dataclass(frozen=True)
class SetAside:
    """A manifest that cannot be read; what else there is goes on without it."""

    plugin_id: str
    version: str
    digest: str
    reason: str


@dataclass(frozen=True)
class Entry:
    """The manifest that speaks for a plugin."""

    manifest: Manifest
    digest: str


@dataclass(frozen=True)
class Catalog:
    """What some projects see."""

    entries: Mapping[str, Entry]
    set_aside: tuple[SetAside, ...]

    @property
    def manifests(self) -> dict[str, Manifest]:
        """By plugin."""
        return {name: entry.manifest for name, entry in self.entries.items()}


@dataclass(frozen=True)
class Offered:
    """A plugin as one agent has it."""

    agent_id: UUID
    plugin_id: str
    version: str
    digest: str
    differs: bool
    """Whether another agent has the same version with another digest."""
    waits_in: tuple[UUID, ...]
    """Projects that the agent serves, of those asked for, in which the manifest is not in force."""


@dataclass(frozen=True)
class Bringer:
    """An agent that brings manifests."""

    agent_id: UUID
    organization_id: UUID
    home_id: UUID
    """The project that it was enrolled in."""
    projects: Sequence[UUID] | None
    """That it serves; None: all of its organization's."""
    trusted: bool = False
    """Whether what it brings is in force at home by itself."""


@dataclass(frozen=True)
class CatalogService:
    """Manifests of plugins, by digest for each organization; no tenant changes another's."""

    session: Session
    clock: Clock

    @property
    def repository(self) -> CatalogRepository:
        """The feature's queries, for its own use."""
        return CatalogRepository(self.session)

    def of(self, project_ids: Collection[UUID]) -> Catalog:
        """What projects see: of each plugin the newest version in force that an agent of theirs
        offers.

        A manifest that cannot be read (any more) is set aside, and the next best one speaks.
        """
        standings = self.repository.standings(project_ids).values()
        ranked = in_order(self.repository.candidates(standings))
        entries: dict[str, Entry] = {}
        aside: list[SetAside] = []
        while ranked:
            firsts = {plugin_id: several.pop(0) for plugin_id, several in ranked.items()}
            for plugin_id, found in self._read(firsts).items():
                one = firsts[plugin_id]
                if isinstance(found, Manifest):
                    entries[plugin_id] = Entry(found, one.digest)
                else:
                    log.warning("manifest_set_aside", plugin=plugin_id, reason=found)
                    aside.append(SetAside(plugin_id, one.version, one.digest, found))
            ranked = {
                plugin_id: several
                for plugin_id, several in ranked.items()
                if several and plugin_id not in entries
            }
        return Catalog(dict(sorted(entries.items())), tuple(aside))

    def _read(self, wanted: Mapping[str, Candidate]) -> dict[str, Read]:
        found = {plugin_id: READINGS.known(one.digest) for plugin_id, one in wanted.items()}
        new = {plugin_id: wanted[plugin_id] for plugin_id, each in found.items() if each is None}
        contents = self.repository.contents(new.values()) if new else {}
        return {
            plugin_id: READINGS.read(one.digest, contents[one.organization_id, one.digest])
            if (kept := found[plugin_id]) is None
            else kept
            for plugin_id, one in wanted.items()
        }

    def manifests(self, project_ids: Collection[UUID]) -> dict[str, Manifest]:
        """The manifest that speaks for each plugin, by id, as projects see it."""
        return self.of(project_ids).manifests

    def manifest(self, project_ids: Collection[UUID], plugin_id: str) -> Manifest:
        """The manifest that speaks for a plugin.

        :raises NotFound: when no agent ever brought one that is in force and can be read.
        """
        found = self.of(project_ids).entries.get(plugin_id)
        if found is None:
            raise NotFound(f"no agent has brought a plugin {plugin_id!r} that is in force")
        return found.manifest

    def offers(self, project_ids: Collection[UUID]) -> list[Offered]:
        """What agents lent to projects have now, with what they disagree on."""
        rows = self.repository.offers(project_ids)
        standings = self.repository.standings(project_ids).values()
        digests: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            digests[row.plugin_id, row.version].add(row.digest)
        return [
            Offered(
                row.agent_id,
                row.plugin_id,
                row.version,
                row.digest,
                len(digests[row.plugin_id, row.version]) > 1,
                tuple(
                    one.project_id
                    for one in standings
                    if row.serves(one) and not one.accepts(row.plugin_id, row.digest)
                ),
            )
            for row in rows
        ]

    def in_force(
        self, project_id: UUID, agent_id: UUID | None = None
    ) -> dict[UUID, frozenset[str]]:
        """Plugins that each agent of a project may be given work of: those whose manifests, as the
        agent has them now, are in force there.

        :param agent_id: this one alone.
        """
        found: dict[UUID, set[str]] = defaultdict(set)
        for standing in self.repository.standings([project_id]).values():
            for row in self.repository.offers([project_id], agent_id):
                if standing.accepts(row.plugin_id, row.digest):
                    found[row.agent_id].add(row.plugin_id)
        return {agent_id: frozenset(plugins) for agent_id, plugins in found.items()}

    def offer(self, bringer: Bringer, manifests: Iterable[Manifest]) -> dict[str, str]:
        """An agent says what it has; what it had before is forgotten. Repeatable.

        What is new to a project waits until somebody accepts it there, unless it is the first of
        its plugin, or accepted by itself.

        :returns: plugins for which the organization has no room → the reason.
        """
        now = self.clock.now()
        brought = {digest_of(one): one for one in manifests}
        full = self._without_room(bringer.organization_id, brought)
        digests: dict[str, str] = {}
        for digest, manifest in sorted(
            brought.items(), key=lambda one: (one[1].id, one[1].version)
        ):
            if manifest.id not in full:
                digests[manifest.id] = digest
                self.repository.keep(bringer.organization_id, manifest, digest, now)
        self.repository.offer(
            bringer.agent_id, bringer.organization_id, bringer.projects, digests, now
        )
        self._admit(bringer, digests)
        return full

    def _without_room(
        self, organization_id: UUID, brought: Mapping[str, Manifest]
    ) -> dict[str, str]:
        """Plugins whose manifests are new, and more than an organization keeps → that; what this
        release ships has room.
        """
        foreign = {digest for digest, one in brought.items() if not is_shipped(one.id, digest)}
        new = foreign - self.repository.kept(organization_id, foreign)
        if not new:
            return {}
        count, known = self.repository.tally(organization_id)
        full: dict[str, str] = {}
        for digest in sorted(new):
            plugin_id = brought[digest].id
            if count >= MOST_KEPT or len(known | {plugin_id}) > MOST_NAMES:
                full[plugin_id] = (
                    f"the organization has no room: {MOST_NAMES} plugins, and {MOST_KEPT:,} of "
                    "their manifests, are kept"
                )
            else:
                count, known = count + 1, known | {plugin_id}
        return full

    def lend(self, bringer: Bringer) -> None:
        """An agent serves these projects from now on."""
        self.repository.lend(bringer.agent_id, bringer.projects)
        self._admit(bringer, self.repository.of_agent(bringer.agent_id))

    def withdraw(self, agent_id: UUID) -> None:
        """An agent has nothing any more."""
        self.repository.withdraw(agent_id)

    def _admit(self, bringer: Bringer, digests: Mapping[str, str]) -> None:
        """Accept what needs nobody: see `docs/adr`, "A manifest is accepted before it is in
        force".
        """
        keep, now = self.repository, self.clock.now()
        organization_id = bringer.organization_id
        served = bringer.projects
        projects = keep.projects(organization_id) if served is None else served
        if all(
            digest in one.decisions
            for one in keep.standings(projects).values()
            for digest in digests.values()
        ):
            return
        keep.lock_decisions(organization_id)
        standings = keep.standings(projects).values()
        for manifest in digests.items():
            plugin_id, digest = manifest
            unknown = [one.project_id for one in standings if not one.knows(plugin_id)]
            if is_shipped(plugin_id, digest):
                keep.accept(organization_id, None, manifest, "shipped with this release", now)
            elif served is None and len(unknown) == len(standings):
                keep.accept(organization_id, None, manifest, FIRST, now)
            else:
                for project_id in unknown:
                    keep.accept(organization_id, project_id, manifest, FIRST, now)
            if bringer.trusted and bringer.home_id in projects:
                keep.accept(organization_id, bringer.home_id, manifest, OWN, now)


def digest_of(manifest: Manifest) -> str:
    """SHA-256 of a manifest's canonical JSON.

    What manifests could not say at first is left out where they do not say it: an unchanged plugin
    keeps its digest, whichever release its agent is of.
    """
    document = manifest.model_dump(mode="json")
    if not manifest.editions:
        del document["editions"]
    if manifest.storage == Storage():
        del document["storage"]
    for name in (
        "requirements", "ceilings", "holding", "addresses", "counts", "uncounted", "settings",
        "causes", "api",
    ):  # fmt: skip
        if not getattr(manifest, name):
            del document[name]
    if manifest.topology.keys_by_client == "never":
        del document["topology"]["keys_by_client"]
    if manifest.topology.endpoints == "primaries":
        del document["topology"]["endpoints"]
    if manifest.tool is not None and manifest.tool.reach is None:
        del document["tool"]["reach"]
    for statement in document["disclaimers"]:
        if statement["when"]["keys_by_client"] is None:
            del statement["when"]["keys_by_client"]
    content = json.dumps(document, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def sorted_out(
    documents: Sequence[Mapping[str, object]],
) -> tuple[tuple[Manifest, ...], dict[str, str]]:
    """Manifests as an agent sends them.

    :returns: those that can be read; and of the others plugin → reason.
    """
    readable: list[Manifest] = []
    aside: dict[str, str] = {}
    values = 0
    for number, document in enumerate(documents, 1):
        try:
            values += check_whole(document)
            _check_share(number, values)
            readable.append(Manifest.model_validate(document))
        except ValueError as error:
            plugin_id = document.get("id")
            named = seen(plugin_id[:80]) if isinstance(plugin_id, str) else ""
            if len(aside) < MOST_PLUGINS:
                aside[named or f"number {number}"] = refusal(error)
            if isinstance(error, ValidationError):
                values += error.error_count()
    return tuple(readable), aside


def _check_share(number: int, values: int) -> None:
    if number > MOST_PLUGINS or values > MOST_OF_AN_AGENT:
        raise ValueError(
            f"an agent has up to {MOST_PLUGINS} plugins, and up to {MOST_OF_AN_AGENT:,} values in "
            "their manifests together"
        )
