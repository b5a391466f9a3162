"""People accept manifests for their project, or refuse them, and see what would change."""

import datetime
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from weighhouse_backend.catalog.differing import Difference, differences
from weighhouse_backend.catalog.models import ManifestDecision
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.catalog.standing import Standing
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.problems import Invalid

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
        speaking = self.catalog.of([project_id]).entries
        having: dict[tuple[str, str], list[UUID]] = {}
        for row in repository.offers([project_id]):
            having.setdefault((row.plugin_id, row.digest), []).append(row.agent_id)
        contents = repository.documents(standing.organization_id, [one for _, one in having])
        found = []
        for (plugin_id, digest), agents in having.items():
            document = contents[digest]
            entry = speaking.get(plugin_id)
            state = _state(standing, plugin_id, digest)
            decision = standing.decisions.get(digest)
            differing: tuple[Difference, ...] = ()
            if entry is not None and state != "accepted":
                differing = differences(entry.manifest.model_dump(mode="json"), document)
            found.append(
                Brought(
                    plugin_id=plugin_id,
                    name=str(document.get("name", plugin_id)),
                    version=str(document.get("version", "")),
                    digest=digest,
                    state=state,
                    decided_by=None if decision is None else decision.decided_by,
                    decided_at=None if decision is None else decision.decided_at,
                    agents=tuple(sorted(agents)),
                    speaks=entry is not None and entry.digest == digest,
                    against=None if entry is None else entry.digest,
                    differences=differing,
                )
            )
        return sorted(found, key=lambda one: (one.state == "accepted", one.plugin_id, one.digest))

    def decide(
        self, caller: Caller, project_id: UUID, manifest: tuple[str, str], *, accepted: bool
    ) -> None:
        """Accept a manifest in a project, or refuse it there; takes a maintainer. Repeatable.

        It need not have been brought: who rolls a plugin out may accept its digest before.

        :param manifest: plugin and digest.
        :raises Invalid: when the digest is known as another plugin's.
        """
        caller.require(project_id, Role.MAINTAINER)
        plugin_id, digest = manifest
        repository = self.catalog.repository
        stored = repository.stored(digest, project_id)
        if stored is not None and stored.plugin_id != plugin_id:
            raise Invalid(f"plugin_id: this is a manifest of {stored.plugin_id!r}")
        standing = repository.standings([project_id])[project_id]
        before = _state(standing, plugin_id, digest)
        now = self.catalog.clock.now()
        row = repository.decision(project_id, digest)
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
