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

from weighhouse_backend.catalog.choosing import in_order
from weighhouse_backend.catalog.repository import CatalogRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound

log = structlog.get_logger(__name__)

MOST_PLUGINS = 100
MOST_OF_AN_AGENT = 20_000
"""Values in all manifests of an agent, and faults of those: each takes some µs to be told."""


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
        """What projects see: of each plugin the newest version that an agent of theirs offers.

        A manifest that cannot be read (any more) is set aside, and the next best one speaks.
        """
        ranked = in_order(self.repository.candidates(project_ids))
        entries: dict[str, Entry] = {}
        aside: list[SetAside] = []
        while ranked:
            firsts = {plugin_id: several.pop(0) for plugin_id, several in ranked.items()}
            contents = self.repository.contents(firsts.values())
            for plugin_id, one in firsts.items():
                try:
                    manifest = Manifest.as_kept(contents[one.organization_id, one.digest])
                except ValidationError as error:
                    reason = refusal(error)
                    log.warning("manifest_set_aside", plugin=plugin_id, reason=reason)
                    aside.append(SetAside(plugin_id, one.version, one.digest, reason))
                else:
                    entries[plugin_id] = Entry(manifest, one.digest)
            ranked = {
                plugin_id: several
                for plugin_id, several in ranked.items()
                if several and plugin_id not in entries
            }
        return Catalog(dict(sorted(entries.items())), tuple(aside))

    def manifests(self, project_ids: Collection[UUID]) -> dict[str, Manifest]:
        """The manifest that speaks for each plugin, by id, as projects see it."""
        return self.of(project_ids).manifests

    def manifest(self, project_ids: Collection[UUID], plugin_id: str) -> Manifest:
        """The manifest that speaks for a plugin.

        :raises NotFound: when no agent of the organization ever brought one that can be read.
        """
        found = self.of(project_ids).entries.get(plugin_id)
        if found is None:
            raise NotFound(f"no agent has brought a plugin {plugin_id!r}")
        return found.manifest

    def offers(self, project_ids: Collection[UUID]) -> list[Offered]:
        """What agents lent to projects have now, with what they disagree on."""
        rows = self.repository.offers(project_ids)
        digests: dict[tuple[str, str], set[str]] = defaultdict(set)
        for _, plugin_id, version, digest in rows:
            digests[plugin_id, version].add(digest)
        return [
            Offered(agent_id, plugin_id, version, digest, len(digests[plugin_id, version]) > 1)
            for agent_id, plugin_id, version, digest in rows
        ]

    def bring(self, organization_id: UUID, manifests: Iterable[Manifest]) -> dict[str, str]:
        """Take the manifests of an organization's agent; repeatable.

        :returns: plugin → digest.
        """
        now = self.clock.now()
        found: dict[str, str] = {}
        for manifest in sorted(manifests, key=lambda one: (one.id, one.version)):
            found[manifest.id] = digest_of(manifest)
            self.repository.keep(organization_id, manifest, found[manifest.id], now)
        return found

    def offer(
        self,
        agent_id: UUID,
        organization_id: UUID,
        projects: Sequence[UUID] | None,
        manifests: Iterable[Manifest],
    ) -> None:
        """An agent says what it has; what it had before is forgotten.

        :param projects: it is lent to; None: all of its organization's.
        """
        digests = self.bring(organization_id, manifests)
        self.repository.offer(agent_id, organization_id, projects, digests, self.clock.now())

    def lend(self, agent_id: UUID, projects: Sequence[UUID] | None) -> None:
        """An agent serves these projects from now on; None: all of its organization's."""
        self.repository.lend(agent_id, projects)

    def withdraw(self, agent_id: UUID) -> None:
        """An agent has nothing any more."""
        self.repository.withdraw(agent_id)


def digest_of(manifest: Manifest) -> str:
    """SHA-256 of a manifest's canonical JSON.

    What manifests could not say at first is left out where they do not say it: an unchanged plugin
    keeps its digest, whichever release its agent is of.
    """
    document = manifest.model_dump(mode="json")
    if not manifest.editions:
        del document["editions"]
    if not manifest.requirements:
        del document["requirements"]
    if manifest.holding is None:
        del document["holding"]
    if manifest.topology.keys_by_client == "never":
        del document["topology"]["keys_by_client"]
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
            named = plugin_id if isinstance(plugin_id, str) and plugin_id else f"number {number}"
            if len(aside) < MOST_PLUGINS:
                aside[named[:80]] = refusal(error)
            if isinstance(error, ValidationError):
                values += error.error_count()
    return tuple(readable), aside


def _check_share(number: int, values: int) -> None:
    if number > MOST_PLUGINS or values > MOST_OF_AN_AGENT:
        raise ValueError(
            f"an agent has up to {MOST_PLUGINS} plugins, and up to {MOST_OF_AN_AGENT:,} values in "
            "their manifests together"
        )
