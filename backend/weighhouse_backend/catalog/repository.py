"""All queries of the catalog."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, cast, delete, or_, select, tuple_, update
from sqlalchemy import Uuid as UuidType
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.orm import Session
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.choosing import Candidate
from weighhouse_backend.catalog.models import ManifestOffer, StoredManifest
from weighhouse_backend.identity.models import Project


@dataclass(frozen=True)
class CatalogRepository:
    """Reads and writes manifests, and which agents have them."""

    session: Session

    def candidates(self, project_ids: Collection[UUID]) -> list[Candidate]:
        """Every manifest of the projects' organizations, without its content."""
        offered = (
            select(ManifestOffer.agent_id)
            .where(
                ManifestOffer.organization_id == StoredManifest.organization_id,
                ManifestOffer.digest == StoredManifest.digest,
                _lent_to(project_ids),
            )
            .exists()
        )
        rows = self.session.execute(
            select(
                StoredManifest.organization_id,
                StoredManifest.digest,
                StoredManifest.plugin_id,
                StoredManifest.version,
                StoredManifest.first_seen_at,
                StoredManifest.last_seen_at,
                offered,
            ).where(StoredManifest.organization_id.in_(_organizations(project_ids)))
        )
        return [Candidate(*row) for row in rows]

    def contents(self, wanted: Iterable[Candidate]) -> Mapping[tuple[UUID, str], dict[str, Any]]:
        """The content of manifests, by organization and digest."""
        keys = [(one.organization_id, one.digest) for one in wanted]
        rows = self.session.scalars(
            select(StoredManifest).where(
                tuple_(StoredManifest.organization_id, StoredManifest.digest).in_(keys)
            )
        )
        return {(row.organization_id, row.digest): row.manifest for row in rows}

    def offers(self, project_ids: Collection[UUID]) -> Sequence[tuple[UUID, str, str, str]]:
        """What agents lent to the projects have now: agent, plugin, version, digest."""
        rows = self.session.execute(
            select(
                ManifestOffer.agent_id,
                StoredManifest.plugin_id,
                StoredManifest.version,
                StoredManifest.digest,
            )
            .join(StoredManifest)
            .where(
                ManifestOffer.organization_id.in_(_organizations(project_ids)),
                _lent_to(project_ids),
            )
            .order_by(ManifestOffer.agent_id, ManifestOffer.plugin_id)
        )
        return [(agent, plugin, version, digest) for agent, plugin, version, digest in rows]

    def keep(
        self, organization_id: UUID, manifest: Manifest, digest: str, now: datetime.datetime
    ) -> None:
        """Store a manifest, or note that it was seen again."""
        statement = insert(StoredManifest).values(
            organization_id=organization_id,
            digest=digest,
            plugin_id=manifest.id,
            version=manifest.version,
            manifest=manifest.model_dump(mode="json"),
            first_seen_at=now,
            last_seen_at=now,
        )
        self.session.execute(
            statement.on_conflict_do_update(
                index_elements=[StoredManifest.organization_id, StoredManifest.digest],
                set_={"last_seen_at": now},
            )
        )

    def offer(
        self,
        agent_id: UUID,
        organization_id: UUID,
        projects: Sequence[UUID] | None,
        digests: Mapping[str, str],
        now: datetime.datetime,
    ) -> None:
        """Say what an agent has, in place of what it had."""
        self.withdraw(agent_id)
        if digests:
            self.session.execute(
                insert(ManifestOffer),
                [
                    {
                        "agent_id": agent_id,
                        "plugin_id": plugin_id,
                        "organization_id": organization_id,
                        "digest": digest,
                        "projects": None if projects is None else list(projects),
                        "offered_at": now,
                    }
                    for plugin_id, digest in sorted(digests.items())
                ],
            )

    def lend(self, agent_id: UUID, projects: Sequence[UUID] | None) -> None:
        """Say which projects an agent serves."""
        self.session.execute(
            update(ManifestOffer)
            .where(ManifestOffer.agent_id == agent_id)
            .values(projects=None if projects is None else list(projects))
        )

    def withdraw(self, agent_id: UUID) -> None:
        """Forget what an agent had."""
        self.session.execute(delete(ManifestOffer).where(ManifestOffer.agent_id == agent_id))


def _organizations(project_ids: Collection[UUID]) -> Any:
    return select(Project.organization_id).where(Project.id.in_(project_ids))


def _lent_to(project_ids: Collection[UUID]) -> ColumnElement[bool]:
    named = cast(list(project_ids), ARRAY(UuidType()))
    return or_(ManifestOffer.projects.is_(None), ManifestOffer.projects.overlap(named))
