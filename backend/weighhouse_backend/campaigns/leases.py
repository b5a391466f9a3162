"""Looks after attempts nobody hears of, and re-issues what was lost on the way."""

import datetime
from dataclasses import dataclass
from uuid import UUID

import structlog
from weighhouse_protocol.report import Failure

from weighhouse_backend.campaigns.attempts import HARD_LIMIT_SECONDS
from weighhouse_backend.campaigns.repository import CampaignRepository, Held
from weighhouse_backend.campaigns.states import LIVE_ATTEMPTS, AttemptStatus, CancelMode, RunStatus
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.settings import Settings

log = structlog.get_logger(__name__)

STOPPING_SECONDS = 120.0
"""What an agent has to stop an attempt it was told to stop: teardown, SIGTERM, SIGKILL, upload."""


@dataclass(frozen=True)
class LeaseService:
    """Ends attempts that will not end by themselves.

    `watch` and `sweep` look without locking; what they find is dealt with in transactions of its
    own (`expire`), which look again.
    """

    repository: CampaignRepository
    transitions: Transitions
    fleet: FleetService
    jobs: Jobs
    clock: Clock
    settings: Settings

    def watch(self) -> list[UUID]:
        """Attempts that are silent, past their limit, or a revoked agent's: for `expire`."""
        now = self.clock.now()
        lease = now - datetime.timedelta(seconds=self.settings.lease_seconds)
        lost = now - datetime.timedelta(seconds=self.settings.lost_after_seconds)
        found = list(self.repository.silent_attempts([AttemptStatus.OFFERED], lease))
        found += self.repository.silent_attempts([AttemptStatus.CLAIMED], lease)
        found += self.repository.silent_attempts([AttemptStatus.RUNNING], lost)
        found += [
            attempt.id
            for attempt in self.repository.live()
            if self._overdue_seconds(attempt.started_at, attempt.limit_seconds) > 0
            or self._is_revoked(attempt.agent_id)
        ]
        return list(dict.fromkeys(found))

    def expire(self, attempt_id: UUID) -> None:
        """Look at one attempt again, locked, and end it if it is still silent or overdue.

        An offer nobody took goes back to the queue and costs the run nothing. A lost attempt is
        a failure of the infrastructure. One past its hard limit is told to stop, and ended as
        timed out when it does not.
        """
        held = self.repository.hold(attempt_id)
        if held is None:
            return
        attempt = held.attempt
        if attempt.status in LIVE_ATTEMPTS and self._is_revoked(attempt.agent_id):
            self._lose(held, "the agent was revoked")
            return
        silent = (self.clock.now() - (attempt.heartbeat_at or attempt.offered_at)).total_seconds()
        if attempt.status == AttemptStatus.OFFERED and silent > self.settings.lease_seconds:
            self.transitions.attempt(attempt, AttemptStatus.LOST)
            self.transitions.run(held.campaign, held.run, RunStatus.QUEUED)
        elif attempt.status == AttemptStatus.CLAIMED and silent > self.settings.lease_seconds:
            self._lose(held, "the agent took the run and did not begin it")
        elif attempt.status == AttemptStatus.RUNNING:
            if silent > self.settings.lost_after_seconds:
                self._lose(held, f"nothing was heard of the agent for {silent:.0f} s")
            else:
                self._limit(held)

    def sweep(self) -> None:
        """Send again what is stuck because a message was lost; harmless when it was not."""
        before = self.clock.now() - datetime.timedelta(seconds=self.settings.sweep_seconds / 2)
        for run_id in self.repository.settling_runs(before):
            self.jobs.send("results.settle_run", run_id=str(run_id))
        for campaign_id in self.repository.settling_campaigns(before):
            self.jobs.send("analysis.settle_campaign", campaign_id=str(campaign_id))
        if self.repository.any_queued_run():
            self.jobs.send("campaigns.allocate")

    def _lose(self, held: Held, message: str) -> None:
        failure = Failure(
            kind="infrastructure",
            message=f"{message} (agent {held.attempt.agent_name})",
            hint="see whether the agent runs, and whether it reaches the server",
        )
        log.warning("attempt_lost", attempt_id=str(held.attempt.id), reason=message)
        self.transitions.attempt(held.attempt, AttemptStatus.LOST, failure)
        self.transitions.try_again(held.campaign, held.run, failure)

    def _limit(self, held: Held) -> None:
        attempt = held.attempt
        overdue = self._overdue_seconds(attempt.started_at, attempt.limit_seconds)
        if overdue <= 0:
            return
        attempt.cancel = CancelMode.KILL
        if overdue > STOPPING_SECONDS:
            failure = Failure(
                kind="timeout",
                message=f"the run did not end within {attempt.limit_seconds:.0f} s",
                hint="a load phase or a server that hangs; see the run's logs",
            )
            held.run.result_attempt_id = attempt.id
            self.transitions.attempt(attempt, AttemptStatus.FAILED, failure)
            self.transitions.run(held.campaign, held.run, RunStatus.FAILED, failure)

    def _is_revoked(self, agent_id: UUID) -> bool:
        return self.fleet.status(self.fleet.agent(agent_id), busy=False) == "revoked"

    def _overdue_seconds(self, started_at: datetime.datetime | None, limit_seconds: float) -> float:
        if started_at is None:
            return 0.0
        taken = (self.clock.now() - started_at).total_seconds()
        return taken - limit_seconds - HARD_LIMIT_SECONDS
