"""Looks after attempts nobody hears of, and re-issues what was lost on the way."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.report import Failure

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.execution.barriers import away
from weighhouse_backend.execution.gangs import GangService
from weighhouse_backend.execution.orders import planned_phases
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.runs.attempt_repository import GangRepository, Held
from weighhouse_backend.runs.models import Attempt, AttemptMember
from weighhouse_backend.runs.states import (
    LIVE_ATTEMPTS,
    LIVE_MEMBERS,
    AttemptStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
)

HARD_LIMIT_SECONDS = 60.0
"""A run may take its own limit and this much more."""
STOPPING_SECONDS = 120.0
"""What an agent has to stop an attempt it was told to stop: teardown, SIGTERM, SIGKILL, upload."""
REACH_HINT = "see whether the agent runs, and whether it reaches the server"


@dataclass(frozen=True)
class LeaseService:
    """Ends attempts that will not end by themselves.

    `watch` and `sweep` look without locking; what they find is dealt with in transactions of its
    own (`expire`), which look again.
    """

    repository: GangRepository
    gang: GangService
    transitions: Transitions
    experiments: ExperimentService
    fleet: FleetService
    jobs: Jobs
    clock: Clock
    settings: Settings

    def watch(self) -> list[UUID]:
        """Attempts with a member that is silent, past its limit, or a revoked agent's: for
        `expire`.
        """
        now = self.clock.now()
        lease = now - datetime.timedelta(seconds=self.settings.lease_seconds)
        lost = now - datetime.timedelta(seconds=self.settings.lost_after_seconds)
        found = list(
            self.repository.silent_attempts([MemberStatus.OFFERED, MemberStatus.CLAIMED], lease)
        )
        found += self.repository.silent_attempts([MemberStatus.RUNNING], lost)
        found += [
            attempt.id
            for attempt, member in self.repository.live()
            if self._overdue_seconds(attempt) > 0 or self._is_revoked(member.agent_id)
        ]
        found += self.repository.live_gangs()  # whom its members wait for is seen when it is held
        return list(dict.fromkeys(found))

    def expire(self, attempt_id: UUID) -> None:
        """Look at one attempt again, locked, and end it if a member is still silent or overdue.

        An offer nobody took goes back to the queue and costs the run nothing. A lost member ends
        its gang, as a failure of the infrastructure. An attempt past its hard limit is told to
        stop, and ended as timed out when it does not.
        """
        held = self.repository.hold(attempt_id)
        if held is None:
            return
        for member in held.members:
            if member.status in LIVE_MEMBERS:
                self._look_at(held, member)
        if held.attempt.status in LIVE_ATTEMPTS:
            self._limit(held)
        if held.attempt.status in LIVE_ATTEMPTS and not held.alone:
            self._await(held)

    def give_up(self, attempt_id: UUID, reason: str) -> None:
        """End an attempt that cannot be looked at, and its run: nobody would ever end them."""
        held = self.repository.hold(attempt_id)
        if held is not None and held.attempt.status in LIVE_ATTEMPTS:
            self._end(held, Failure(kind="invalid", message=f"nobody can tell how it is: {reason}"))

    def _look_at(self, held: Held, member: AttemptMember) -> None:
        if self._is_revoked(member.agent_id):
            self.gang.lose(held, member, "the agent was revoked", REACH_HINT)
            return
        last_sign = member.heartbeat_at or member.offered_at
        silent = (self.clock.now() - last_sign).total_seconds()
        if member.status == MemberStatus.OFFERED and silent > self.settings.lease_seconds:
            self.gang.withdraw(held)
        elif member.status == MemberStatus.CLAIMED and silent > self.settings.lease_seconds:
            message = "the agent took the run and did not begin it"
            self.gang.lose(held, member, message, REACH_HINT)
        elif member.status == MemberStatus.RUNNING and silent > self.settings.lost_after_seconds:
            message = f"nothing was heard of the agent for {silent:.0f} s"
            self.gang.lose(held, member, message, REACH_HINT)

    def sweep(self) -> None:
        """Send again what is stuck because a message was lost; harmless when it was not."""
        before = self.clock.now() - datetime.timedelta(seconds=self.settings.sweep_seconds / 2)
        campaigns = self.repository.campaigns
        for run_id in campaigns.settling_runs(before):
            self.jobs.send("results.settle_run", run_id=str(run_id))
        for campaign_id in campaigns.settling_campaigns(before):
            self.jobs.send("gates.settle_campaign", campaign_id=str(campaign_id))
        if campaigns.any_queued_run():
            self.jobs.send("campaigns.allocate")

    def _await(self, held: Held) -> None:
        """End a gang whose members wait for one that does not come."""
        document = measured_document(self.experiments, held.campaign)
        phases = planned_phases(document.phases)
        found = away(held.attempt, held.members, phases, self.clock.now())
        if found is None:
            return
        who = ", ".join(f"{one.agent_name} (member {one.index})" for one in found.members)
        failure = Failure(
            kind="infrastructure",
            message=f"{who} did not come to {found.barrier} within {found.limit_seconds:.0f} s of "
            "the first driver",
            hint="its logs tell what kept it; the others waited, and have stopped",
        )
        self.gang.end(held, AttemptStatus.FAILED, failure)

    def _limit(self, held: Held) -> None:
        attempt = held.attempt
        overdue = self._overdue_seconds(attempt)
        if overdue <= 0:
            return
        self.transitions.stop(held.members, CancelMode.KILL)
        if overdue > STOPPING_SECONDS:
            failure = Failure(
                kind="timeout",
                message=f"the run did not end within {attempt.limit_seconds:.0f} s",
                hint="a load phase or a server that hangs; see the run's logs",
            )
            self._end(held, failure)

    def _end(self, held: Held, failure: Failure) -> None:
        held.run.result_attempt_id = held.attempt.id
        for member in held.members:
            if member.status in LIVE_MEMBERS:
                self.transitions.member(
                    member,
                    MemberStatus.CANCELLED
                    if member.status == MemberStatus.OFFERED
                    else MemberStatus.FAILED,
                    failure,
                )
        self.transitions.attempt(held.attempt, AttemptStatus.FAILED, failure)
        self.transitions.run(held.campaign, held.run, RunStatus.FAILED, failure)

    def _is_revoked(self, agent_id: UUID) -> bool:
        return self.fleet.status(self.fleet.agent(agent_id), busy=False) == "revoked"

    def _overdue_seconds(self, attempt: Attempt) -> float:
        if attempt.started_at is None or attempt.status not in LIVE_ATTEMPTS:
            return 0.0
        taken = (self.clock.now() - attempt.started_at).total_seconds()
        return taken - attempt.limit_seconds - HARD_LIMIT_SECONDS
