"""Offers that no agent has taken up yet."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.runs.models import AttemptMember
from weighhouse_backend.runs.states import MemberStatus


def offered_agents(session: Session) -> Sequence[UUID]:
    """Agents to whom something is offered now, of all tenants."""
    return session.scalars(
        select(AttemptMember.agent_id).where(AttemptMember.status == MemberStatus.OFFERED)
    ).all()
