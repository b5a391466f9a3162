"""How a gang takes up its work, and how it ends: what becomes of attempt and run."""

from dataclasses import dataclass

import structlog
from sqlalchemy.orm import Session
from weighhouse_protocol.report import Completion, Failure

from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.runs.attempt_repository import GangRepository, Held
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Run
from weighhouse_backend.runs.states import (
    FINISHED_RUNS,
    LIVE_ATTEMPTS,
    LIVE_MEMBERS,
    AttemptStatus,
    CampaignStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
)

log = structlog.get_logger(__name__)

UNDECIDED = (*LIVE_ATTEMPTS, AttemptStatus.LOST)
"""An attempt in one of these may still give its run's result."""

OUTCOMES = {
    "completed": MemberStatus.COMPLETED,
    "failed": MemberStatus.FAILED,
    "cancelled": MemberStatus.CANCELLED,
}


def awaits_result(campaign: Campaign, run: Run) -> bool:
    """Whether a run would still take the result of one of its attempts.

    One that was given up because its attempts were lost does: what arrives late counts.
    """
    if campaign.status == CampaignStatus.CANCELLED:
        return False
    if run.status == RunStatus.FAILED:
        kind = (run.failure or {}).get("kind")
        return run.result_attempt_id is None and kind == "infrastructure"
    return run.status != RunStatus.SETTLING and run.status not in FINISHED_RUNS


@dataclass(frozen=True)
class GangService:
    """Moves a gang as a whole; every method expects it held (`GangRepository.hold`)."""

    session: Session
    repository: GangRepository
    transitions: Transitions
    clock: Clock

    def take_up(self, held: Held, member: AttemptMember) -> bool:
        """Make a claimed member a running one, if its run has no other attempt at work; and a lost
        agent that works alone, if its run still waits.
        """
        campaign, run, attempt = held.campaign, held.run, held.attempt
        back = member.status == MemberStatus.LOST
        if back and (not held.alone or campaign.cancel_requested_at is not None):
            return False
        if member.status != MemberStatus.CLAIMED and not back:
            return False
        if not back and attempt.status not in LIVE_ATTEMPTS:
            return False
        if run.status not in {RunStatus.QUEUED, RunStatus.ALLOCATED} and (
            held.alone or run.status != RunStatus.RUNNING
        ):
            return False
        if not self._is_free(held, member):
            return False
        if back:
            run.infrastructure_failures = max(run.infrastructure_failures - 1, 0)
        self.transitions.supersede_others(run, attempt)
        self.session.flush()
        self.transitions.member(member, MemberStatus.RUNNING)
        attempt.started_at = attempt.started_at or self.clock.now()
        if held.alone:
            self.transitions.attempt(attempt, AttemptStatus.RUNNING)
        self.transitions.begin(campaign)
        if run.status != RunStatus.RUNNING:
            self.transitions.run(campaign, run, RunStatus.RUNNING)
        return True

    def conclude(self, held: Held, member: AttemptMember, completion: Completion) -> None:
        """A member has told its outcome: draw the consequences for the gang.

        The run has its result when all members completed. The first that did not ends the gang:
        as a result when a database failed, else the run is tried again.
        """
        campaign, attempt = held.campaign, held.attempt
        # A lost gang was stopped as a whole: only an agent alone may still bring its result.
        if attempt.status not in (UNDECIDED if held.alone else LIVE_ATTEMPTS):
            self._leave(member, completion)
            return
        if completion.outcome == "completed":
            if member.status == MemberStatus.CLAIMED:
                self.transitions.member(member, MemberStatus.RUNNING)
            self.transitions.member(member, MemberStatus.COMPLETED)
            if all(one.status == MemberStatus.COMPLETED for one in held.members):
                self._complete(held)
            return
        failure = completion.failure or Failure(
            kind="infrastructure", message=f"the agent reported {completion.outcome} without why"
        )
        if not held.alone:
            words = f"{failure.message} (member {member.index}, agent {member.agent_name})"
            failure = failure.model_copy(update={"message": words})
        asked = campaign.cancel_requested_at is not None
        if completion.outcome == "cancelled" or failure.kind == "cancelled":
            if asked:
                self._cancel(held, member, failure)
                return
            failure = failure.model_copy(update={"kind": "infrastructure"})
        self._fail(held, member, failure)

    def lose(self, held: Held, member: AttemptMember, message: str, hint: str) -> None:
        """A member is gone: its gang ends, and the run is tried again."""
        failure = Failure(
            kind="infrastructure", message=f"{message} (agent {member.agent_name})", hint=hint
        )
        log.warning("attempt_lost", attempt_id=str(held.attempt.id), reason=failure.message)
        self.transitions.member(member, MemberStatus.LOST, failure)
        self.end(held, AttemptStatus.LOST, failure)

    def end(self, held: Held, to: AttemptStatus, failure: Failure) -> None:
        """End a gang for want of machines that work; its members are stopped, its run is tried
        again.
        """
        if held.attempt.status not in LIVE_ATTEMPTS:
            return
        self.transitions.attempt(held.attempt, to, failure)
        self.transitions.stop(held.members, CancelMode.KILL)
        self.transitions.try_again(held.campaign, held.run, failure)

    def withdraw(self, held: Held) -> None:
        """Take back what not every member took up in time; it costs the run nothing."""
        for member in held.members:
            if member.status == MemberStatus.OFFERED:
                self.transitions.member(member, MemberStatus.LOST)
        self.transitions.stop(held.members, CancelMode.KILL)
        if held.attempt.status in LIVE_ATTEMPTS:
            self.transitions.attempt(held.attempt, AttemptStatus.LOST)
            self.transitions.queue_again(held.campaign, held.run)

    def cancel_of(self, campaign: Campaign, run: Run, member: AttemptMember) -> CancelMode:
        """What a member is told about stopping."""
        if member.status in LIVE_MEMBERS:
            return CancelMode(member.cancel)
        if member.status == MemberStatus.LOST and awaits_result(campaign, run):
            alone = self.repository.attempt(member.attempt_id)
            if alone is not None and alone.members_count == 1:
                return CancelMode.NONE  # its result may still count
        return CancelMode.KILL

    def _complete(self, held: Held) -> None:
        campaign, run, attempt = held.campaign, held.run, held.attempt
        if attempt.status == AttemptStatus.PREPARING:
            self.transitions.attempt(attempt, AttemptStatus.RUNNING)
        if attempt.status == AttemptStatus.READY:
            self.transitions.attempt(attempt, AttemptStatus.RUNNING)
        run.result_attempt_id = attempt.id
        begun = run.started_at or attempt.started_at
        self.transitions.attempt(attempt, AttemptStatus.COMPLETED)
        self._supersede_rivals(run, attempt)
        if run.status == RunStatus.FAILED:  # given up, and here it is after all
            run.infrastructure_failures = 0
            campaign.verdict = None
            self.transitions.begin(campaign)
        self.transitions.run(campaign, run, RunStatus.SETTLING)
        run.started_at = begun

    def _cancel(self, held: Held, member: AttemptMember, failure: Failure) -> None:
        self.transitions.member(member, MemberStatus.CANCELLED, failure)
        self.transitions.attempt(held.attempt, AttemptStatus.CANCELLED, failure)
        self.transitions.stop(held.members, CancelMode.GRACEFUL)
        if held.run.status not in FINISHED_RUNS:
            self.transitions.run(held.campaign, held.run, RunStatus.CANCELLED)

    def _fail(self, held: Held, member: AttemptMember, failure: Failure) -> None:
        campaign, run, attempt = held.campaign, held.run, held.attempt
        late = attempt.status == AttemptStatus.LOST
        self.transitions.member(member, MemberStatus.FAILED, failure)
        self.transitions.attempt(attempt, AttemptStatus.FAILED, failure)
        if failure.kind == "infrastructure":
            self.transitions.stop(held.members, CancelMode.KILL)
            if not late:  # a lost attempt was counted, and its run queued, when it was lost
                self.transitions.try_again(campaign, run, failure)
            return
        self.transitions.stop(held.members, CancelMode.GRACEFUL)
        if run.status in FINISHED_RUNS:
            return  # given up: a failure that comes late changes nothing
        run.result_attempt_id = attempt.id
        self._supersede_rivals(run, attempt)
        self.transitions.run(campaign, run, RunStatus.FAILED, failure)

    def _supersede_rivals(self, run: Run, winner: Attempt) -> None:
        self.transitions.supersede_others(run, winner, UNDECIDED)

    def _leave(self, member: AttemptMember, completion: Completion) -> None:
        """A member of a gang that has ended is through with it, too."""
        if member.status == MemberStatus.CLAIMED and completion.outcome == "completed":
            self.transitions.member(member, MemberStatus.RUNNING)
        self.transitions.member(member, OUTCOMES[completion.outcome], completion.failure)

    def _is_free(self, held: Held, member: AttemptMember) -> bool:
        """Whether nobody else works on the run, and nothing else in the member's slot."""
        offered: set[object] = set()
        for other in self.repository.attempts_in(held.run.id, LIVE_ATTEMPTS, locked=True):
            if other.id == held.attempt.id:
                continue
            members = self.repository.members(other.id, locked=True)
            if any(one.status != MemberStatus.OFFERED for one in members):
                return False
            offered.add(other.id)
        occupant = self.repository.live_member_of(member.agent_id, member.slot)
        mine = {held.attempt.id, *offered}
        return occupant is None or occupant.attempt_id in mine
