"""People accept manifests for their project, or refuse them, and see what would change."""

import datetime
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from weighhouse_backend.catalog.accepted import Standing
from weighhouse_backend.catalog.manifest_diff import Difference, differences
from weighhouse_backend.catalog.models import ManifestDecision
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.problems import Conflict, Invalid

MOST_SHOWN = 200
"""Manifests of one answer, those that wait first."""
MOST_AHEAD = 1_000
"""Manifests that a project decides of before anybody brings them: whatever looks at its systems
reads what it decided.
"""
State = Literal["accepted", "waits", "refused"]


@dataclass(frozen=True)
class Brought:
    """A manifest that agents of a project have, or that was decided there."""

    plugin_id: str
    name: str
    version: str
    digest: str
    state: State
    decided_by: str | None
    decided_at: datetime.datetime | None
    agents: tuple[UUID, ...]
    speaks: bool
    """Whether it is the one that experiments are checked against now."""
    against: str | None
    """Digest of the one that speaks for its plugin; None: none does."""
    differences: tuple[Difference, ...]
    """From that one, where this one waits or was refused."""


@dataclass(frozen=True)
class ManifestDecisions:
    """What is in force in projects, as people decide it."""

    catalog: CatalogService

    def of(self, caller: Caller, project_id: UUID) -> list[Brought]:
        """Manifests that a project's agents have now, those that wait first; takes a viewer."""
        caller.require(project_id)
        repository = self.catalog.repository
        standing = repository.standings([project_id])[project_id]
        organization_id = standing.organization_id
        speaking = self.catalog.of([project_id]).entries
        having: dict[tuple[bool, str, str], list[UUID]] = {}
        versions: dict[str, str] = {}
        for row in repository.offers([project_id]):
            in_force = standing.accepts(row.plugin_id, row.digest)
            having.setdefault((in_force, row.plugin_id, row.digest), []).append(row.agent_id)
            versions[row.digest] = row.version
        shown = sorted(having)[:MOST_SHOWN]
        names = repository.names(organization_id, {digest for *_, digest in shown})
        contents: dict[str, dict[str, Any]] = {}
        found = []
        for in_force, plugin_id, digest in shown:
            entry = speaking.get(plugin_id)
            decision = standing.decisions.get(digest)
            differing: tuple[Difference, ...] = ()
            if entry is not None and not in_force:
                if plugin_id not in contents:
                    contents[plugin_id] = entry.manifest.model_dump(mode="json")
                document = repository.document(organization_id, digest)
                differing = differences(contents[plugin_id], document)
            found.append(
                Brought(
                    plugin_id=plugin_id,
                    name=names[digest],
                    version=versions[digest],
                    digest=digest,
                    state=_state(standing, plugin_id, digest),
                    decided_by=None if decision is None else decision.decided_by,
                    decided_at=None if decision is None else decision.decided_at,
                    agents=tuple(sorted(having[in_force, plugin_id, digest])),
                    speaks=entry is not None and entry.digest == digest,
                    against=None if entry is None else entry.digest,
                    differences=differing,
                )
            )
        return found

    def decide(
        self, caller: Caller, project_id: UUID, manifest: tuple[str, str], *, accepted: bool
    ) -> None:
        """Accept a manifest in a project, or refuse it there; takes a maintainer. Repeatable.

        It need not have been brought: who rolls a plugin out may accept its digest before.

        :param manifest: plugin and digest.
        :raises Invalid: when the digest is known as another plugin's.
        :raises Conflict: when the project has decided of `MOST_AHEAD` that nobody brought.
        """
        caller.require(project_id, Role.MAINTAINER)
        plugin_id, digest = manifest
        repository = self.catalog.repository
        stored = repository.stored(digest, project_id)
        if stored is not None and stored.plugin_id != plugin_id:
            raise Invalid(f"plugin_id: this is a manifest of {stored.plugin_id!r}")
        standing = repository.standings([project_id])[project_id]
        repository.lock_decisions(standing.organization_id)
        before = _state(standing, plugin_id, digest)
        now = self.catalog.clock.now()
        row = repository.decision(project_id, digest)
        if row is None and stored is None and repository.decided_ahead(project_id) >= MOST_AHEAD:
            raise Conflict(f"{MOST_AHEAD:,} manifests are decided here that nobody ever brought")
        if row is None:
            row = ManifestDecision(
                organization_id=standing.organization_id, project_id=project_id,
                plugin_id=plugin_id, digest=digest, accepted=accepted, decided_by=caller.name,
                decided_at=now,
            )  # fmt: skip
            repository.add(row)
        row.accepted, row.decided_by, row.decided_at = accepted, caller.name, now
        audit.record(
            self.catalog.session,
            self.catalog.clock,
            actor=caller.name,
            action="manifest.accepted" if accepted else "manifest.refused",
            subject=plugin_id if stored is None else f"{plugin_id} {stored.version}",
            project_id=project_id,
            before=before,
            now=digest,
        )


def _state(standing: Standing, plugin_id: str, digest: str) -> State:
    if standing.accepts(plugin_id, digest):
        return "accepted"
    return "refused" if digest in standing.decisions else "waits"
