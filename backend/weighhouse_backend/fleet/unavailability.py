"""An agent takes no work because its machine does not allow it."""

from sqlalchemy.orm import Session
from weighhouse_protocol import pages

from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind


def rest(session: Session, clock: Clock, agent: Agent, reason: str | None) -> None:
    """Keep why an agent takes no work, and tell of it when it begins.

    :param reason: as the agent says it, for example that its disk is full; None: it takes work.
    """
    if reason is not None and agent.resting is None:
        notify(
            session,
            clock,
            project_id=agent.project_id,
            kind=NoticeKind.AGENT_RESTING,
            cause=f"resting:{agent.id}:{clock.now().isoformat()}",
            title=f"Agent {agent.name} takes no work",
            words=reason[:1].upper() + reason[1:],
            path=pages.agent(agent.id),
        )
    agent.resting = reason
