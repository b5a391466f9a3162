"""Challenges: somebody says that a result is wrong, and is answered."""

import datetime
from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel
from weighhouse_protocol import pages
from weighhouse_protocol.base import Name
from weighhouse_protocol.text import Prose

from weighhouse_backend.disclosure.consents import Reason
from weighhouse_backend.disclosure.errors import StateRefused
from weighhouse_backend.disclosure.models import UNDECIDED, Challenge
from weighhouse_backend.disclosure.repository import DisclosureRepository
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import Forbidden, NotFound
from weighhouse_backend.kit.schemas import Body
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind

ChallengeState = Literal["open", "answered", "upheld", "rejected", "withdrawn"]


class ChallengeWrite(Body):
    """What is wrong with a result."""

    system_id: Name | None = None
    """Default: the campaign as a whole."""
    text: Annotated[str, Prose(4000, least=10)]


class ChallengeAnswer(Body):
    """What whoever measured says to it."""

    answer: Reason


class ChallengeDecision(Body):
    """How it ends."""

    state: Literal["upheld", "rejected"]
    """`upheld`: the result is marked wherever it is shown."""
    reason: Reason


class ChallengeRead(BaseModel):
    """A challenge, and what became of it."""

    id: UUID
    campaign_id: UUID
    system_id: str | None
    state: ChallengeState
    text: str
    raised_by: str
    raised_by_id: UUID
    created_at: datetime.datetime
    answer: str | None
    answered_by: str | None
    answered_at: datetime.datetime | None
    decision: str | None
    decided_by: str | None
    decided_at: datetime.datetime | None


@dataclass(frozen=True)
class ChallengeService:
    """Keeps challenges; each step stands in the audit log."""

    repository: DisclosureRepository
    clock: Clock

    def of_campaign(self, campaign_id: UUID) -> list[ChallengeRead]:
        """All of a campaign, oldest first."""
        return [_read(row) for row in self.repository.challenges(campaign_id)]

    def raise_(
        self, caller: Caller, project_id: UUID, campaign_id: UUID, said: ChallengeWrite
    ) -> ChallengeRead:
        """Challenge a result; whoever sees it may."""
        caller.require(project_id)
        row = Challenge(
            project_id=project_id,
            campaign_id=campaign_id,
            system_id=said.system_id,
            state="open",
            text=said.text,
            raised_by=caller.name,
            raised_by_id=caller.id,
            created_at=self.clock.now(),
        )
        self.repository.session.add(row)
        self.repository.session.flush()
        self._audit(caller, row, "challenge.raised")
        self._tell(row, f"{row.raised_by} challenges a result", row.text)
        return _read(row)

    def answer(self, caller: Caller, challenge_id: UUID, answer: str) -> ChallengeRead:
        """Say something to it; takes a member. A later answer takes the earlier one's place.

        :raises StateRefused: when it is decided or withdrawn.
        """
        row = self._undecided(caller, challenge_id, Role.MEMBER)
        row.state, row.answer = "answered", answer
        row.answered_by, row.answered_at = caller.name, self.clock.now()
        self._audit(caller, row, "challenge.answered", answer=answer)
        self._tell(row, f"{row.answered_by} answered a challenge", answer)
        return _read(row)

    def decide(
        self, caller: Caller, challenge_id: UUID, decision: ChallengeDecision
    ) -> ChallengeRead:
        """Uphold or reject it; takes a maintainer.

        :raises StateRefused: when it is decided or withdrawn.
        """
        row = self._undecided(caller, challenge_id, Role.MAINTAINER)
        row.state, row.decision = decision.state, decision.reason
        row.decided_by, row.decided_at = caller.name, self.clock.now()
        self._audit(caller, row, f"challenge.{decision.state}", reason=decision.reason)
        self._tell(row, f"{row.decided_by} {decision.state} a challenge", decision.reason)
        return _read(row)

    def withdraw(self, caller: Caller, challenge_id: UUID) -> ChallengeRead:
        """Take it back; only whoever raised it may.

        :raises StateRefused: when it is decided or withdrawn.
        """
        row = self._undecided(caller, challenge_id, Role.VIEWER)
        if row.raised_by_id != caller.id:
            raise Forbidden(f"it is {row.raised_by}'s to withdraw")
        row.state, row.decided_by, row.decided_at = "withdrawn", caller.name, self.clock.now()
        self._audit(caller, row, "challenge.withdrawn")
        return _read(row)

    def _undecided(self, caller: Caller, challenge_id: UUID, role: Role) -> Challenge:
        row = self.repository.challenge(challenge_id)
        if row is None:
            raise NotFound("there is no such challenge")
        caller.require(row.project_id, role)
        if row.state not in UNDECIDED:
            raise StateRefused(f"the challenge is {row.state}")
        return row

    def _tell(self, row: Challenge, title: str, words: str) -> None:
        notify(
            self.repository.session,
            self.clock,
            project_id=row.project_id,
            kind=NoticeKind.CHALLENGE,
            cause=f"challenge:{row.id}:{row.state}:{self.clock.now().isoformat()}",
            title=f"{title} of {row.system_id}" if row.system_id else title,
            words=words,
            path=pages.campaign(row.campaign_id),
        )

    def _audit(self, caller: Caller, row: Challenge, action: str, **details: object) -> None:
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action=action,
            subject=row.system_id or "campaign",
            project_id=row.project_id,
            **{**details, "id": str(row.id), "campaign_id": str(row.campaign_id)},
        )


def _read(row: Challenge) -> ChallengeRead:
    return ChallengeRead.model_validate(row, from_attributes=True)
