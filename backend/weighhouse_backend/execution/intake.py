"""What a member delivers: who may still deliver, and how far it got."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic_core import to_jsonable_python
from weighhouse_protocol.report import RunPhase

from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.execution.gangs import awaits_result
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.errors import AttemptNotYours, AttemptTokenInvalid
from weighhouse_backend.runs.models import AttemptMember
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import LIVE_MEMBERS, MemberStatus

SampleOf = Callable[[UUID], Mapping[str, Any]]
"""What is told of a run: `{run_id, at, throughput, p50_us, p99_us, phase, elapsed_seconds}`."""


@dataclass(frozen=True)
class IntakeService:
    """Opens members for what they deliver: events, logs, files.

    Nothing is taken of a member that has ended: what was measured stays as it was when the run got
    its result. A lost one may deliver while its run still waits for a result.
    """

    repository: CampaignRepository
    gangs: GangRepository
    transitions: Transitions

    def open_batch(
        self, attempt_id: UUID, phase: RunPhase | None = None, member: int = 0
    ) -> AttemptMember:
        """Lock a member to store something of it; the first thing of a batch's transaction.

        Store what has a sequence from `member.events_stored` on, then call `advance`. Whether it
        may (still) deliver is asked by `require_open`, once it is known that something is new: a
        repetition after a lost answer is harmless, and answered.

        :param phase: the run's phase after the batch, when it tells one.
        """
        if phase is None:
            return self.gangs.lock_member(attempt_id, member)
        held = self.gangs.hold(attempt_id)
        if held is None:
            raise AttemptTokenInvalid
        own = held.members[member]
        if own.status == MemberStatus.RUNNING:
            own.phase = phase
            drivers = [one.index for one in held.members if one.share is not None]
            if own.index == min(drivers, default=0):
                self.transitions.phase(held.campaign, held.run, phase)
        return own

    def require_open(self, member: AttemptMember) -> None:
        """:raises AttemptNotYours: when a member has ended, and its run takes nothing more."""
        if member.status in LIVE_MEMBERS:
            return
        if member.status == MemberStatus.LOST:
            attempt = self.gangs.attempt(member.attempt_id)
            run = self.repository.run(attempt.run_id) if attempt else None
            campaign = self.repository.campaign(run.campaign_id) if run else None
            if run is not None and campaign is not None and awaits_result(campaign, run):
                return
        raise AttemptNotYours(f"this part of the attempt is {member.status}: it takes nothing more")

    def advance(self, member: AttemptMember, next_sequence: int) -> None:
        """Note that every event below a sequence is stored; `member` comes from `open_batch`."""
        member.events_stored = max(member.events_stored, next_sequence)

    def advance_log(self, member: AttemptMember, stream: str, offset: int) -> None:
        """Note how much of a log is stored; `member` comes from `open_batch`."""
        member.log_offsets = {**member.log_offsets, stream: offset}

    def log_bytes(self, attempt_id: UUID) -> int:
        """How much of all logs of an attempt is stored, of all its members."""
        members = self.gangs.members(attempt_id)
        return sum(int(offset) for one in members for offset in one.log_offsets.values())

    def tell_live(self, member: AttemptMember, sample_of: SampleOf) -> None:
        """Tell a live sample of a member that measures to whoever watches now; it is not kept."""
        placed = self.gangs.placed(member.attempt_id)
        if placed is not None and member.status == MemberStatus.RUNNING:
            campaign_id, run_id = placed
            self.transitions.outbox.live(campaign_id, to_jsonable_python(dict(sample_of(run_id))))
