"""All queries of the catalog."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, and_, cast, delete, func, or_, select, tuple_, update
from sqlalchemy import Uuid as UuidType
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.orm import Session
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.accepted import Decision, Standing, shipped
from weighhouse_backend.catalog.models import ManifestDecision, ManifestOffer, StoredManifest
from weighhouse_backend.catalog.precedence import Candidate
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.ids import new_id


@dataclass(frozen=True)
class OfferRow:
    """A plugin as an agent has it now."""

    agent_id: UUID
    organization_id: UUID
    projects: Sequence[UUID] | None
    """That the agent is lent to; None: all of its organization's."""
    plugin_id: str
    version: str
    digest: str

    def serves(self, standing: Standing) -> bool:
        """Whether the agent works for a project."""
        return self.organization_id == standing.organization_id and (
            self.projects is None or standing.project_id in self.projects
        )


@dataclass(frozen=True)
class CatalogRepository:
    """Reads and writes manifests, and which agents have them."""

    session: Session

    def standings(self, project_ids: Collection[UUID]) -> dict[UUID, Standing]:
        """What is decided in projects, each with its organization's word where it has none."""
        rows = self.session.execute(
            select(
                Project.id,
                Project.organization_id,
                ManifestDecision.digest,
                ManifestDecision.plugin_id,
                ManifestDecision.accepted,
                ManifestDecision.decided_by,
                ManifestDecision.decided_at,
            )
            .outerjoin(
                ManifestDecision,
                or_(
                    ManifestDecision.project_id == Project.id,
                    and_(
                        ManifestDecision.project_id.is_(None),
                        ManifestDecision.organization_id == Project.organization_id,
                    ),
                ),
            )
            .where(Project.id.in_(project_ids))
            .order_by(ManifestDecision.project_id.is_(None).desc())
        )
        found: dict[UUID, Standing] = {}
        for project_id, organization_id, digest, plugin_id, accepted, by, at in rows:
            standing = found.setdefault(project_id, Standing(project_id, organization_id))
            if digest is not None:
                standing.decisions[digest] = Decision(plugin_id, accepted, by, at)
        return found

    def candidates(self, standings: Collection[Standing]) -> list[Candidate]:
        """Every manifest that is in force in one of some projects, without its content."""
        project_ids = [standing.project_id for standing in standings]
        digests = {*shipped().values()}.union(*(standing.decisions for standing in standings))
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
            ).where(
                StoredManifest.organization_id.in_({one.organization_id for one in standings}),
                StoredManifest.digest == func.any(cast(sorted(digests), ARRAY(Text()))),
            )
        )
        found = []
        for organization_id, digest, plugin_id, version, first_seen_at, last_seen_at, has in rows:
            accepting = [
                one
                for one in standings
                if one.organization_id == organization_id and one.accepts(plugin_id, digest)
            ]
            decided = [one.decisions[digest] for one in accepting if digest in one.decisions]
            if accepting:
                accepted_at = max((one.decided_at for one in decided), default=first_seen_at)
                found.append(
                    Candidate(organization_id, digest, plugin_id, version, accepted_at,
                              last_seen_at, has, len(accepting))
                )  # fmt: skip
        return found

    def contents(self, wanted: Iterable[Candidate]) -> Mapping[tuple[UUID, str], dict[str, Any]]:
        """The content of manifests, by organization and digest."""
        keys = [(one.organization_id, one.digest) for one in wanted]
        rows = self.session.scalars(
            select(StoredManifest).where(
                tuple_(StoredManifest.organization_id, StoredManifest.digest).in_(keys)
            )
        )
        return {(row.organization_id, row.digest): row.manifest for row in rows}

    def offers(
        self, project_ids: Collection[UUID], agent_id: UUID | None = None
    ) -> Sequence[OfferRow]:
        """What agents lent to the projects, or one of them, have now."""
        rows = self.session.execute(
            select(
                ManifestOffer.agent_id,
                ManifestOffer.organization_id,
                ManifestOffer.projects,
                StoredManifest.plugin_id,
                StoredManifest.version,
                StoredManifest.digest,
            )
            .join(StoredManifest)
            .where(
                ManifestOffer.organization_id.in_(_organizations(project_ids)),
                _lent_to(project_ids),
                *(() if agent_id is None else (ManifestOffer.agent_id == agent_id,)),
            )
            .order_by(ManifestOffer.agent_id, ManifestOffer.plugin_id)
        )
        return [OfferRow(*row) for row in rows]

    def of_agent(self, agent_id: UUID) -> dict[str, str]:
        """What an agent has now: plugin → digest."""
        rows = self.session.execute(
            select(ManifestOffer.plugin_id, ManifestOffer.digest).where(
                ManifestOffer.agent_id == agent_id
            )
        )
        return {plugin_id: digest for plugin_id, digest in rows}  # noqa: C416 - typed rows

    def projects(self, organization_id: UUID) -> Sequence[UUID]:
        """Projects of an organization, as far as the transaction sees them."""
        return self.session.scalars(
            select(Project.id).where(Project.organization_id == organization_id)
        ).all()

    def names(self, organization_id: UUID, digests: Collection[str]) -> dict[str, str]:
        """What the systems of an organization's manifests are called, by digest."""
        name = func.jsonb_extract_path_text(StoredManifest.manifest, "name")
        rows = self.session.execute(
            select(StoredManifest.digest, name).where(_kept(organization_id, digests))
        )
        return {digest: name for digest, name in rows}  # noqa: C416 - typed rows

    def document(self, organization_id: UUID, digest: str) -> dict[str, Any]:
        """The content of an organization's manifest, which may be large."""
        content = select(StoredManifest.manifest).where(_kept(organization_id, [digest]))
        return dict(self.session.scalars(content).one())

    def stored(self, digest: str, project_id: UUID) -> StoredManifest | None:
        """A manifest that an agent of a project's organization brought."""
        return self.session.scalar(
            select(StoredManifest).where(
                StoredManifest.digest == digest,
                StoredManifest.organization_id.in_(_organizations([project_id])),
            )
        )

    def lock_decisions(self, organization_id: UUID) -> None:
        """Let nobody else accept by itself what is new to an organization until the transaction
        ends: of two that come first at once, one is first.
        """
        key = int.from_bytes(organization_id.bytes[-8:], signed=True)
        self.session.execute(select(func.pg_advisory_xact_lock(key)))

    def accept(
        self,
        organization_id: UUID,
        project_id: UUID | None,
        manifest: tuple[str, str],
        why: str,
        now: datetime.datetime,
    ) -> None:
        """A manifest is in force from now on, unless it was decided before.

        :param project_id: None: wherever the organization's projects have no word of their own.
        :param manifest: plugin and digest.
        """
        self.session.execute(
            insert(ManifestDecision)
            .values(
                id=new_id(), organization_id=organization_id, project_id=project_id,
                plugin_id=manifest[0], digest=manifest[1], accepted=True, decided_by=why,
                decided_at=now,
            )
            .on_conflict_do_nothing()
        )  # fmt: skip

    def decision(self, project_id: UUID, digest: str) -> ManifestDecision | None:
        """A project's own word on a manifest, locked."""
        return self.session.scalar(
            select(ManifestDecision)
            .where(ManifestDecision.project_id == project_id, ManifestDecision.digest == digest)
            .with_for_update()
        )

    def decided_ahead(self, project_id: UUID) -> int:
        """Of how many manifests a project has decided that nobody brought to its organization."""
        brought = select(StoredManifest.digest).where(
            StoredManifest.organization_id == ManifestDecision.organization_id,
            StoredManifest.digest == ManifestDecision.digest,
        )
        ahead = ManifestDecision.project_id == project_id, ~brought.exists()
        return self.session.scalar(select(func.count(ManifestDecision.id)).where(*ahead)) or 0

    def add(self, row: ManifestDecision) -> None:
        """Store a decision."""
        self.session.add(row)
        self.session.flush()

    def kept(self, organization_id: UUID, digests: Collection[str]) -> set[str]:
        """Those of some manifests that an organization has already."""
        return set(
            self.session.scalars(
                select(StoredManifest.digest).where(
                    StoredManifest.organization_id == organization_id,
                    StoredManifest.digest.in_(digests),
                )
            )
        )

    def tally(self, organization_id: UUID) -> tuple[int, set[str]]:
        """How many manifests an organization has, and of which plugins."""
        rows = self.session.execute(
            select(StoredManifest.plugin_id, func.count())
            .where(StoredManifest.organization_id == organization_id)
            .group_by(StoredManifest.plugin_id)
        ).all()
        return sum(count for _, count in rows), {plugin_id for plugin_id, _ in rows}

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


def _kept(organization_id: UUID, digests: Collection[str]) -> ColumnElement[bool]:
    return and_(
        StoredManifest.organization_id == organization_id,
        StoredManifest.digest == func.any(cast(sorted(digests), ARRAY(Text()))),
    )


def _organizations(project_ids: Collection[UUID]) -> Any:
    return select(Project.organization_id).where(Project.id.in_(project_ids))


def _lent_to(project_ids: Collection[UUID]) -> ColumnElement[bool]:
    named = cast(list(project_ids), ARRAY(UuidType()))
    return or_(ManifestOffer.projects.is_(None), ManifestOffer.projects.overlap(named))
