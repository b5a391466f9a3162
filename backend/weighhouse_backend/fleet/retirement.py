"""Takes machines out of service."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.repository import FleetRepository
from weighhouse_backend.identity import audit
from weighhouse_backend.kit.clock import Clock


@dataclass(frozen=True)
class Retirement:
    """Makes tokens of machines worthless."""

    session: Session
    clock: Clock
    catalog: CatalogService

    def revoke(self, agent: Agent, actor: str) -> None:
        """Revoke one agent. Repeatable."""
        if agent.revoked_at is None:
            agent.revoked_at = self.clock.now()
            self.catalog.withdraw(agent.id)
            audit.record(
                self.session, self.clock, actor=actor, action="agent.revoked", subject=agent.name,
                project_id=agent.project_id,
            )  # fmt: skip

    def labelled(self, project_id: UUID, labels: Mapping[str, str], actor: str) -> None:
        """Revoke all agents of a project that carry some labels, and let none enrol with tokens
        that carry them. Repeatable.
        """
        repository = FleetRepository(self.session)
        for agent in repository.labelled(project_id, labels):
            self.revoke(agent, actor)
        repository.expire_registrations(project_id, labels, self.clock.now())
