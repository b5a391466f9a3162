"""All queries of the fleet."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.fleet.models import Agent, RegistrationToken


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

    def agents(self, project_ids: Collection[UUID]) -> Sequence[Agent]:
        """The agents of projects, revoked ones last."""
        return self.session.scalars(
            select(Agent)
            .where(Agent.project_id.in_(project_ids))
            .order_by(Agent.revoked_at.is_not(None), Agent.name, Agent.id)
        ).all()

    def working(self, project_id: UUID, limit: int) -> Sequence[Agent]:
        """Agents of a project that are neither revoked nor draining."""
        return self.session.scalars(
            select(Agent)
            .where(Agent.project_id == project_id, Agent.revoked_at.is_(None), ~Agent.draining)
            .order_by(Agent.id)
            .limit(limit)
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

    def counts_by_plugin(self, project_ids: Collection[UUID]) -> dict[str, int]:
        """How many agents of projects have each plugin."""
        plugin = func.jsonb_object_keys(Agent.plugins).label("plugin")
        inner = (
            select(plugin)
            .where(Agent.project_id.in_(project_ids), Agent.revoked_at.is_(None))
            .subquery()
        )
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
