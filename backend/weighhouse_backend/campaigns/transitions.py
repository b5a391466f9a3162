"""The one place that writes a status: checks the tables, stamps the row, tells whoever watches.

Rows come locked from `CampaignRepository` and `GangRepository` (campaign, run, attempt, members);
what changes is told in the same transaction, so that nobody hears of a change that was rolled back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from weighhouse_protocol import pages
from weighhouse_protocol.report import Failure, RunPhase
from weighhouse_protocol.text import numbered
from weighhouse_protocol.verdicts import verdict_words

from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.errors import TransitionRefused
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    ATTEMPT_TRANSITIONS,
    CAMPAIGN_TRANSITIONS,
    FINISHED_CAMPAIGNS,
    FINISHED_RUNS,
    INFRASTRUCTURE_RETRIES,
    LIVE_ATTEMPTS,
    LIVE_MEMBERS,
    MEMBER_TRANSITIONS,
    RUN_TRANSITIONS,
    AttemptStatus,
    CampaignStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
    state_of,
)

_NOTIFIED = {
    CampaignStatus.COMPLETED: NoticeKind.CAMPAIGN_DONE,
    CampaignStatus.FAILED: NoticeKind.CAMPAIGN_FAILED,
}
Status = TypeVar("Status", CampaignStatus, RunStatus, AttemptStatus, MemberStatus)


def checked(table: Mapping[Status, frozenset[Status]], now: Status, wanted: Status) -> Status:
    """The wanted status, if the table allows it after the present one.

    :raises TransitionRefused: when it does not.
    """
    if wanted not in table[now]:
        allowed = ", ".join(sorted(table[now])) or "nothing"
        raise TransitionRefused(f"{now} cannot become {wanted}; after {now} comes {allowed}")
    return wanted


@dataclass(frozen=True)
class CameTo:
    """What people are told of a campaign that has ended."""

    badge: str = ""
    """In a few words."""
    words: str = ""
    """In whole sentences."""


NOTHING_TOLD = CameTo()


@dataclass(frozen=True)
class Transitions:
    """Moves campaigns, runs, attempts and members, and draws the consequences.

    Every method expects locked rows of one campaign and works within the caller's transaction.
    """

    repository: CampaignRepository
    gangs: GangRepository
    experiments: ExperimentService
    outbox: Outbox
    jobs: Jobs
    clock: Clock

    def campaign(
        self, campaign: Campaign, to: CampaignStatus, came_to: CameTo = NOTHING_TOLD
    ) -> None:
        """Move a campaign.

        :param came_to: what people are told of it, when it ends.
        :raises TransitionRefused: when the table does not allow it.
        """
        now = self.clock.now()
        campaign.status = checked(CAMPAIGN_TRANSITIONS, CampaignStatus(campaign.status), to)
        campaign.changed_at = now
        if to is CampaignStatus.RUNNING and campaign.started_at is None:
            campaign.started_at = now
        campaign.finished_at = now if to in FINISHED_CAMPAIGNS else None
        self.tell(campaign)
        if to is CampaignStatus.SETTLING:
            self.jobs.send("gates.settle_campaign", campaign_id=str(campaign.id))
        if to in _NOTIFIED:
            self._notify(campaign, to, came_to)

    def _notify(self, campaign: Campaign, to: CampaignStatus, came_to: CameTo) -> None:
        experiment = self.experiments.get_many([campaign.experiment_id])[campaign.experiment_id]
        name = f"Campaign {numbered(campaign.number)} of {experiment.name}"
        failed = to is CampaignStatus.FAILED
        gate = f"Gate: {verdict_words(campaign.verdict)}." if campaign.verdict else ""
        ended = f"{name} {'ended without a result' if failed else 'is done'}"
        notify(
            self.repository.session,
            self.clock,
            project_id=campaign.project_id,
            kind=_NOTIFIED[to],
            # Failed runs may be tried again: then it ends once more.
            cause=f"campaign:{campaign.id}:{campaign.changed_at.isoformat()}",
            title=f"{ended}: {came_to.badge}" if came_to.badge else ended,
            words=" ".join(part for part in (came_to.words, "" if failed else gate) if part),
            path=pages.campaign(campaign.id),
        )

    def tell(self, campaign: Campaign) -> None:
        """Tell whoever watches, and the experiment's card, how a campaign stands."""
        self.experiments.note_campaign(
            campaign.experiment_id,
            campaign_id=campaign.id,
            state=state_of(campaign.status, paused=campaign.paused),
            verdict=campaign.verdict,
            finished_at=campaign.finished_at,
        )
        self.outbox.campaign(campaign)

    def run(
        self, campaign: Campaign, run: Run, to: RunStatus, failure: Failure | None = None
    ) -> None:
        """Move a run; when it was the last one open, its campaign goes on.

        :param failure: why, when it ends as failed; forgotten when it is queued again.
        :raises TransitionRefused: when the table does not allow it.
        """
        self._move_run(run, to, failure)
        followers = self._end_followers(run, to, failure)
        self.outbox.runs(campaign, [run, *followers])
        if to in FINISHED_RUNS or to is RunStatus.RUNNING:
            self.outbox.progress(campaign)
        if to in FINISHED_RUNS:
            self.close_if_done(campaign)

    def runs(self, campaign: Campaign, runs: Sequence[Run], to: RunStatus) -> None:
        """Move many runs of a campaign alike; its progress is told once.

        :raises TransitionRefused: when the table does not allow one of the moves.
        """
        for run in runs:
            self._move_run(run, to, None)
        self.outbox.runs(campaign, runs)
        self.outbox.progress(campaign)
        self.close_if_done(campaign)

    def _end_followers(self, run: Run, to: RunStatus, failure: Failure | None) -> list[Run]:
        """Runs that were to be measured by the same attempt end with the first of their chain."""
        if to not in {RunStatus.FAILED, RunStatus.CANCELLED}:
            return []
        waiting = [
            follower
            for follower in self.repository.lock_followers(run.id)
            if follower.status == RunStatus.QUEUED
        ]
        for follower in waiting:
            self._move_run(follower, to, failure)
        return waiting

    def _move_run(self, run: Run, to: RunStatus, failure: Failure | None) -> None:
        now = self.clock.now()
        run.status = checked(RUN_TRANSITIONS, RunStatus(run.status), to)
        run.changed_at = now
        run.failure = failure.model_dump(mode="json") if failure else None
        if to is RunStatus.RUNNING:
            run.started_at = now
        if to in {RunStatus.QUEUED, RunStatus.ALLOCATED, *FINISHED_RUNS}:
            run.phase = None
        if to is RunStatus.QUEUED:
            run.started_at = None
            run.finished_at = None
        if to in FINISHED_RUNS or to is RunStatus.SETTLING:
            run.finished_at = now
            self.repository.note_end(run.cell_id, now)
        if to is RunStatus.SETTLING:
            self.jobs.send("results.settle_run", run_id=str(run.id))

    def phase(self, campaign: Campaign, run: Run, phase: RunPhase) -> None:
        """Note the phase a running run is in; told when it is a new one."""
        if run.status == RunStatus.RUNNING and run.phase != phase:
            run.phase = phase
            self.outbox.runs(campaign, [run])

    def attempt(self, attempt: Attempt, to: AttemptStatus, failure: Failure | None = None) -> None:
        """Move an attempt; its members are moved by whoever moves it.

        :raises TransitionRefused: when the table does not allow it.
        """
        attempt.status = checked(ATTEMPT_TRANSITIONS, AttemptStatus(attempt.status), to)
        if failure is not None:
            attempt.failure = failure.model_dump(mode="json")
        if to in {AttemptStatus.RUNNING, AttemptStatus.COMPLETED}:
            attempt.failure = None  # a lost one is back
        attempt.finished_at = None if to in LIVE_ATTEMPTS else self.clock.now()

    def member(
        self, member: AttemptMember, to: MemberStatus, failure: Failure | None = None
    ) -> None:
        """Move a member; when it ends, its slot is free.

        :raises TransitionRefused: when the table does not allow it.
        """
        now = self.clock.now()
        member.status = checked(MEMBER_TRANSITIONS, MemberStatus(member.status), to)
        if failure is not None:
            member.failure = failure.model_dump(mode="json")
        if to in {MemberStatus.RUNNING, MemberStatus.COMPLETED}:
            member.failure = None
        if to is MemberStatus.RUNNING:
            member.started_at = member.started_at or now
        member.finished_at = None if to in LIVE_MEMBERS else now
        if to is MemberStatus.SUPERSEDED:
            member.cancel = CancelMode.KILL
        if to not in LIVE_MEMBERS:
            self.jobs.send("campaigns.allocate")

    def stop(self, members: Sequence[AttemptMember], mode: CancelMode) -> None:
        """Tell members to stop: offers nobody took are withdrawn, the others hear it with their
        next call and occupy their slots until they have ended. Kill is never taken back.
        """
        for member in members:
            if member.status == MemberStatus.OFFERED:
                self.member(member, MemberStatus.CANCELLED)
            elif member.status in LIVE_MEMBERS and member.cancel != CancelMode.KILL:
                member.cancel = mode
        for attempt_id in {member.attempt_id for member in members}:
            self.outbox.wake_gang(attempt_id)

    def try_again(self, campaign: Campaign, run: Run, failure: Failure) -> None:
        """A run lost its attempt to the infrastructure: queue it again, or give up.

        :param failure: what happened; the run's own when it was tried often enough.
        """
        if campaign.cancel_requested_at is None:
            run.infrastructure_failures += 1
            if run.infrastructure_failures > INFRASTRUCTURE_RETRIES:
                self.run(campaign, run, RunStatus.FAILED, failure)
                return
        self.queue_again(campaign, run)

    def queue_again(self, campaign: Campaign, run: Run) -> None:
        """A run waits once more; in a campaign that is being cancelled it ends: nobody would ever
        take it up.
        """
        asked = campaign.cancel_requested_at is not None
        self.run(campaign, run, RunStatus.CANCELLED if asked else RunStatus.QUEUED)

    def supersede_others(
        self, run: Run, winner: Attempt, statuses: Iterable[AttemptStatus] = LIVE_ATTEMPTS
    ) -> None:
        """End every other attempt of a run that is in some states; their agents are told."""
        for other in self.gangs.attempts_in(run.id, statuses, locked=True):
            if other.id != winner.id:
                self.supersede(other)

    def supersede(self, attempt: Attempt) -> None:
        """End an attempt that lost its race: nothing of it is taken any more."""
        self.attempt(attempt, AttemptStatus.SUPERSEDED)
        for member in self.gangs.members(attempt.id, locked=True):
            if member.status in {*LIVE_MEMBERS, MemberStatus.LOST}:
                self.member(member, MemberStatus.SUPERSEDED)

    def begin(self, campaign: Campaign) -> None:
        """An agent took up a run, or the late result of one has come: the campaign is under way."""
        if campaign.status != CampaignStatus.RUNNING:
            self.campaign(campaign, CampaignStatus.RUNNING)

    def close_if_done(self, campaign: Campaign) -> None:
        """When no run is open any more, settle the campaign, or end a cancelled one."""
        if campaign.status not in {CampaignStatus.QUEUED, CampaignStatus.RUNNING}:
            return
        if self.repository.open_runs_count(campaign.id):
            return
        campaign.waiting_for = None
        if campaign.cancel_requested_at is not None:
            self.campaign(campaign, CampaignStatus.CANCELLED)
            return
        self.begin(campaign)
        self.campaign(campaign, CampaignStatus.SETTLING)


def as_failure(stored: Mapping[str, Any] | None) -> Failure | None:
    """A failure as it stands in a row."""
    return Failure.as_kept(stored) if stored else None
