"""All queries of the fleet."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, DateTime, Uuid, and_, cast, func, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from weighhouse_backend.fleet.models import Agent, RegistrationToken
from weighhouse_backend.identity.models import Project


@dataclass(frozen=True)
class FleetRepository:
    """Reads and locks agents."""

    session: Session

    def agent(self, agent_id: UUID) -> Agent | None:
        """An agent."""
        return self.session.get(Agent, agent_id)

    def by_token(self, digest: str) -> Agent | None:
        """An agent by its token's hash."""
        return self.session.scalar(select(Agent).where(Agent.token_hash == digest))

    def by_instance(self, project_id: UUID, instance_id: UUID) -> Agent | None:
        """An agent by the instance of its home directory."""
        return self.session.scalar(
            select(Agent).where(Agent.project_id == project_id, Agent.instance_id == instance_id)
        )

    def lock(self, agent_id: UUID) -> Agent:
        """An agent that is there, read anew and locked."""
        return self.session.scalars(
            select(Agent)
            .where(Agent.id == agent_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).one()

    def names(self, agent_ids: Collection[UUID]) -> dict[UUID, str]:
        """Names of agents."""
        rows = self.session.execute(select(Agent.id, Agent.name).where(Agent.id.in_(agent_ids)))
        return {agent_id: name for agent_id, name in rows}  # noqa: C416 - typed rows

    def organization_of(self, project_id: UUID) -> UUID:
        """Whose a project is."""
        return self.session.get_one(Project, project_id).organization_id

    def projects(self, organization_id: UUID) -> Sequence[UUID]:
        """Projects of an organization, as far as the transaction sees them."""
        return self.session.scalars(
            select(Project.id)
            .where(Project.organization_id == organization_id)
            .order_by(Project.id)
        ).all()

    def agents(self, project_ids: Collection[UUID]) -> Sequence[Agent]:
        """The agents that work for projects, revoked ones last."""
        return self.session.scalars(
            select(Agent)
            .where(_works_for(project_ids))
            .order_by(Agent.revoked_at.is_not(None), Agent.name, Agent.id)
        ).all()

    def labelled(self, project_id: UUID, labels: Mapping[str, str]) -> Sequence[Agent]:
        """Agents that were enrolled in a project and carry some labels, locked."""
        return self.session.scalars(
            select(Agent)
            .where(Agent.project_id == project_id, Agent.labels.contains(dict(labels)))
            .order_by(Agent.id)
            .with_for_update()
        ).all()

    def expire_registrations(
        self, project_id: UUID, labels: Mapping[str, str], now: datetime.datetime
    ) -> None:
        """Let tokens of a project that carry some labels enrol nobody from now on."""
        self.session.execute(
            update(RegistrationToken)
            .where(
                RegistrationToken.project_id == project_id,
                RegistrationToken.labels.contains(dict(labels)),
                RegistrationToken.expires_at > now,
            )
            .values(expires_at=now)
        )

    def working(self, project_id: UUID, limit: int) -> Sequence[Agent]:
        """Agents of a project that are neither revoked nor draining."""
        return self.session.scalars(
            select(Agent)
            .where(_lent_to([project_id]), Agent.revoked_at.is_(None), ~Agent.draining)
            .order_by(Agent.id)
            .limit(limit)
        ).all()

    def silent(self, since: datetime.datetime) -> Sequence[Agent]:
        """Agents neither revoked nor draining that had a session, and were not seen since."""
        return self.session.scalars(
            select(Agent)
            .where(
                Agent.revoked_at.is_(None),
                ~Agent.draining,
                Agent.process_id.is_not(None),
                func.coalesce(Agent.seen_at, Agent.registered_at) < since,
            )
            .order_by(Agent.id)
        ).all()

    def lock_working(self, agent_ids: Collection[UUID]) -> Sequence[Agent]:
        """Those of some agents that are neither revoked nor draining, locked in the order of their
        ids; those others hold are passed over.
        """
        return self.session.scalars(
            select(Agent)
            .where(Agent.id.in_(agent_ids), Agent.revoked_at.is_(None), ~Agent.draining)
            .order_by(Agent.id)
            .with_for_update(skip_locked=True)
            .execution_options(populate_existing=True)
        ).all()

    def enrolled(
        self, agent_ids: Collection[UUID]
    ) -> Sequence[tuple[UUID, UUID, str, bool, bool, dict[str, Any] | None]]:
        """Of some agents those that are not revoked: id, organization's id, hash of the token,
        whether it drains, whether it rests, its latest update.
        """
        found = self.session.execute(
            select(
                Agent.id, Agent.organization_id, Agent.token_hash, Agent.draining,
                Agent.resting.is_not(None), Agent.software_update,
            ).where(
                # One parameter for all of them: a thousand would be written out each time.
                Agent.id == func.any(cast(list(agent_ids), ARRAY(Uuid()))),
                Agent.revoked_at.is_(None),
            )
        )  # fmt: skip
        return [tuple(row) for row in found]

    def note_seen(self, seen: Mapping[UUID, datetime.datetime]) -> Sequence[UUID]:
        """Write when agents were seen, in the order of their ids; rows held by others are left."""
        pairs = (
            func.unnest(
                cast(list(seen), ARRAY(Uuid())),
                cast(list(seen.values()), ARRAY(DateTime(timezone=True))),
            )
            .table_valued("id", "at")
            .render_derived()
        )
        free = (
            select(Agent.id)
            .where(Agent.id.in_(select(pairs.c.id)))
            .order_by(Agent.id)
            .with_for_update(skip_locked=True)
            .cte("free")
        )
        return self.session.scalars(
            update(Agent)
            .where(Agent.id == pairs.c.id, Agent.id.in_(select(free.c.id)))
            .values(seen_at=func.greatest(Agent.seen_at, pairs.c.at))
            .returning(Agent.id)
            .execution_options(synchronize_session=False)
        ).all()

    def counts_by_plugin(self, project_ids: Collection[UUID]) -> dict[str, int]:
        """How many agents of projects have each plugin."""
        plugin = func.jsonb_object_keys(Agent.plugins).label("plugin")
        inner = select(plugin).where(_works_for(project_ids), Agent.revoked_at.is_(None)).subquery()
        rows = self.session.execute(select(inner.c.plugin, func.count()).group_by(inner.c.plugin))
        return {str(name): int(count) for name, count in rows}

    def lock_registration(self, digest: str) -> RegistrationToken | None:
        """A registration token by its hash, locked."""
        return self.session.scalar(
            select(RegistrationToken)
            .where(RegistrationToken.token_hash == digest)
            .with_for_update()
        )

    def add(self, row: object) -> None:
        """Store a new row."""
        self.session.add(row)
        self.session.flush()


def _lent_to(project_ids: Collection[UUID]) -> ColumnElement[bool]:
    """Agents that work for one of these projects."""
    organizations = select(Project.organization_id).where(Project.id.in_(project_ids))
    named = cast(list(project_ids), ARRAY(Uuid()))
    return and_(
        Agent.organization_id.in_(organizations),
        or_(Agent.lent_to.is_(None), Agent.lent_to.overlap(named)),
    )


def _works_for(project_ids: Collection[UUID]) -> ColumnElement[bool]:
    """The same, and those they enrolled: whoever did still sees them."""
    return or_(_lent_to(project_ids), Agent.project_id.in_(project_ids))
