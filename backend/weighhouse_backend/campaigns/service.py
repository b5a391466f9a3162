"""Campaigns as people and pipelines handle them."""

import datetime
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.bases import NO_BASE, BaseChoice
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.git import GitContext
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.bases import BasingService, default_base
from weighhouse_backend.campaigns.beside import cells_beside, with_beside
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.feasibility import never_possible, spots_of
from weighhouse_backend.campaigns.layout import lay_out
from weighhouse_backend.campaigns.plan import SEED_BITS, TWINS, plan
from weighhouse_backend.campaigns.retries import with_their_chains
from weighhouse_backend.campaigns.schemas import CampaignCreate
from weighhouse_backend.campaigns.transitions import NOTHING_TOLD, CameTo, Transitions
from weighhouse_backend.experiments.errors import ExperimentInvalid
from weighhouse_backend.experiments.models import Experiment
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit import idempotency
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.provisions.service import ProvisionService
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.quotas.kinds import Kind
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.errors import (
    BaseCampaignUnusable,
    CampaignNotFound,
    NothingToRetry,
    TransitionRefused,
)
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.progress import RunCounts, count_runs
from weighhouse_backend.runs.repository import CampaignRepository, CellName
from weighhouse_backend.runs.states import (
    FINISHED_CAMPAIGNS,
    LIVE_ATTEMPTS,
    OPEN_CAMPAIGNS,
    AttemptStatus,
    CampaignStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
    Trigger,
    Verdict,
)
from weighhouse_backend.runs.tombstones import Tombstones

ROUTE = "POST /api/v1/campaigns"
NOISE_UNDER_FAULTS = FieldError(
    "scenario", "noise is not measured while systems are broken on purpose", "scenario: fixed"
)
NOISE_OF_SEARCHES = FieldError(
    "scenario", "noise is measured at the loads of a file, not at chosen ones", "scenario: fixed"
)


@dataclass(frozen=True)
class CampaignService:
    """Plans campaigns, and cancels, pauses, resumes and retries them."""

    session: Session
    repository: CampaignRepository
    gangs: GangRepository
    transitions: Transitions
    experiments: ExperimentService
    commits: CommitService
    fleet: FleetService
    provisions: ProvisionService
    quotas: QuotaGuard
    jobs: Jobs
    clock: Clock

    @property
    def basing(self) -> BasingService:
        """What campaigns are compared with, as far as it has to be known when they are made."""
        return BasingService(self.repository, self.experiments, self.fleet, self.commits.ancestry)

    def create(
        self, caller: Caller, wanted: CampaignCreate, idempotency_key: str | None = None
    ) -> Campaign:
        """Plan a campaign of an experiment's revision, in one transaction; takes a member.

        :param idempotency_key: the same key with the same body gives the same campaign again.
        :raises ExperimentNotFound: when there is none the caller sees.
        :raises ExperimentInvalid: when a system cannot (any more) do what the revision asks, or no
            agents could ever do what it places.
        :raises BaseCampaignUnusable: when the base is not a completed campaign of the project, or
            regressed and was not accepted, or when no campaign stands for the release.
        :raises KeyReused: when the key stands for another request.
        """
        scope = f"{caller.kind} {caller.id} {ROUTE}"
        if idempotency_key is not None:
            digest = idempotency.request_hash(wanted.model_dump_json().encode())
            made = idempotency.claim(self.session, scope, idempotency_key, digest, self.clock.now())
            if made is not None:
                return self.session.get_one(Campaign, made)
        key = wanted.experiment or str(wanted.experiment_id)
        experiment = self.experiments.find(caller, key, wanted.project_id, Role.MEMBER)
        campaign = self.start(
            experiment,
            revision=wanted.revision,
            trigger=Trigger.PERSON if caller.kind == "user" else Trigger.API,
            requested_by=caller.name,
            base=self.basing.checked(experiment, wanted.choice, wanted.revision),
            priority=wanted.priority,
            git=wanted.git,
            noise=wanted.noise,
        )
        self._audit(caller.name, campaign, "campaign.created")
        if idempotency_key is not None:
            idempotency.settle(self.session, scope, idempotency_key, campaign.id)
        return campaign

    def start(
        self,
        experiment: Experiment,
        *,
        trigger: Trigger,
        requested_by: str,
        revision: int | None = None,
        base: BaseChoice | None = None,
        priority: int = 0,
        scheduled_for: datetime.datetime | None = None,
        git: GitContext | None = None,
        noise: bool = False,
    ) -> Campaign:
        """Plan a campaign without asking who wants it.

        :param revision: default: the current one.
        :param priority: higher comes first among the project's campaigns.
        :param base: of its verdict; default: the revision's, of which what is named may be missing.
        :param scheduled_for: the date of a schedule it stands for.
        :param git: the commit it is started for.
        :param noise: measure every target twice in each block; an experiment may ask for it too.
        :raises RevisionNotFound: when the experiment has no such revision.
        :raises ExperimentInvalid: when it cannot (any more) be done, or by no agents.
        :raises BaseCampaignUnusable: when a base that is to be measured again cannot be had.
        :raises QuotaExceeded: when the project may not use more.
        :raises CannotProvision: when machines are to be made for it, and cannot.
        """
        self.quotas.may_spend(experiment.project_id)
        source = self.experiments.revision(experiment.id, revision or experiment.current_revision)
        document = self.experiments.document(source.id)
        self.experiments.validation.require_possible(document, experiment.project_id)
        placed = document.placement != Placement() and document.placement.provision is None
        if placed:  # without one it waits for whoever comes, and made machines come
            spots = spots_of(
                self.fleet.enrolled(experiment.project_id),
                self.fleet.plugins_in_force(experiment.project_id),
            )
            if errors := never_possible(document, spots):
                raise ExperimentInvalid.of(errors)
        noise = noise or document.scenario == "noise"
        if noise and document.scenario == "fault":
            raise ExperimentInvalid.of([NOISE_UNDER_FAULTS])
        if noise and document.searches:
            raise ExperimentInvalid.of([NOISE_OF_SEARCHES])
        if noise and base is not None and base.kind == "beside":
            raise BaseCampaignUnusable("noise has no base: there is no verdict to measure it for")
        base = NO_BASE if noise else base or default_base(document, git)
        seed = document.seed if document.seed is not None else secrets.randbits(SEED_BITS)
        now = self.clock.now()
        campaign = Campaign(
            id=new_id(),
            project_id=experiment.project_id,
            number=self.repository.next_number(experiment.project_id),
            experiment_id=experiment.id,
            revision_id=source.id,
            revision_number=source.number,
            status=CampaignStatus.QUEUED,
            paused=False,
            priority=priority,
            trigger=trigger,
            seed=seed,
            repetitions=document.least_repetitions,
            noise=noise,
            labels=dict(document.placement.labels),
            base=str(base),
            base_campaign_id=self.basing.named(experiment.project_id, base),
            requested_by=requested_by,
            scheduled_for=scheduled_for,
            created_at=now,
            stands_at=now,
            changed_at=now,
        )
        self.session.add(campaign)
        self.session.flush()
        if git is not None:
            self.commits.note(campaign, git)
        digests = self.experiments.validation.digests(experiment.project_id)
        campaign.beside = list(self.basing.beside(campaign, document, base, git))
        again = cells_beside(document, campaign.beside)
        planned = plan(document, seed, twins=TWINS if noise else 1, beside=again)
        measured = with_beside(document, campaign.beside)
        lay_out(self.session, campaign, measured, planned, digests)
        self.provisions.want(campaign, document)
        self.transitions.tell(campaign)
        self.jobs.send("campaigns.allocate")
        self.quotas.take(Kind.CAMPAIGNS, campaign.project_id)
        return campaign

    def find(self, caller: Caller, campaign_id: UUID, role: Role = Role.VIEWER) -> Campaign:
        """A campaign the caller may see.

        :raises CampaignNotFound: when there is none (any more).
        :raises Forbidden: when the caller's role is too low.
        """
        campaign = self.repository.campaign(campaign_id)
        if campaign is None or campaign.project_id not in caller.project_ids:
            raise Tombstones(self.session).not_found(caller, campaign_id)
        caller.require(campaign.project_id, role)
        return campaign

    def get(self, campaign_id: UUID) -> Campaign:
        """A campaign that is known to exist; for features above, which check access."""
        return self.session.get_one(Campaign, campaign_id)

    def that_planned(
        self, experiment_id: UUID, since: datetime.datetime, cell: CellName, but: Collection[UUID]
    ) -> Sequence[Campaign]:
        """Ended campaigns, `but` some, that had a cell in their plan, oldest first; for features
        above, which check access.
        """
        return self.repository.that_planned(experiment_id, since, cell, but)

    def projects_waiting(self) -> set[UUID]:
        """Projects with a campaign that is not over; for features above."""
        return self.repository.projects_waiting()

    def cancel(self, caller: Caller, campaign_id: UUID) -> Campaign:
        """End a campaign early; what was measured stays.

        Runs that wait are cancelled at once, those under way stop gracefully and are settled; asked
        a second time, all end at once. One that is being judged gets no verdict. Repeatable.

        :raises TransitionRefused: when it has ended by itself.
        """
        if (campaign := self._locked(caller, campaign_id)).status != CampaignStatus.CANCELLED:
            self._cancel(campaign, caller.name)
        return campaign

    def make_way(self, campaigns: Sequence[Campaign], actor: str) -> list[Campaign]:
        """Cancel campaigns in good order, for one that takes their place.

        :param campaigns: as they were seen; they are locked here.
        :param actor: whom the record names.
        :returns: those that were cancelled; not those that have ended, or are being cancelled.
        """
        cancelled = []
        locked = [
            self.repository.lock_campaign(one.id) for one in sorted(campaigns, key=lambda c: c.id)
        ]
        for campaign in locked:
            if campaign is None or campaign.cancel_requested_at is not None:
                continue
            if campaign.status in {CampaignStatus.QUEUED, CampaignStatus.RUNNING}:
                self._cancel(campaign, actor)
                cancelled.append(campaign)
        return cancelled

    def _cancel(self, campaign: Campaign, actor: str) -> None:
        if campaign.status not in OPEN_CAMPAIGNS:
            raise TransitionRefused(f"campaign {numbered(campaign.number)} is {campaign.status}")
        again = campaign.cancel_requested_at is not None
        if not again:
            campaign.cancel_requested_at = self.clock.now()
            self._audit(actor, campaign, "campaign.cancelled")
        if campaign.status == CampaignStatus.SETTLING:
            self.transitions.campaign(campaign, CampaignStatus.CANCELLED)
            return
        ended = {RunStatus.QUEUED} | ({RunStatus.SETTLING} if again else set())
        waiting = list(self.repository.lock_runs(campaign.id, ended))
        for run in self.repository.lock_runs(campaign.id, [RunStatus.ALLOCATED, RunStatus.RUNNING]):
            waiting += self._stop(run, CancelMode.KILL if again else CancelMode.GRACEFUL)
        self.transitions.runs(campaign, waiting, RunStatus.CANCELLED)

    def _stop(self, run: Run, mode: CancelMode) -> list[Run]:
        """Tell a run's members to stop; the run itself, when none of them had taken it up."""
        untouched = []
        for attempt in self.gangs.attempts_in(run.id, LIVE_ATTEMPTS, locked=True):
            members = self.gangs.members(attempt.id, locked=True)
            if all(member.status == MemberStatus.OFFERED for member in members):
                self.transitions.attempt(attempt, AttemptStatus.CANCELLED)
                untouched.append(run)
            self.transitions.stop(members, mode)
        return untouched

    def pause(self, caller: Caller, campaign_id: UUID) -> Campaign:
        """Give out no more runs; those under way go on to their end. Repeatable."""
        return self._set_paused(caller, campaign_id, paused=True)

    def resume(self, caller: Caller, campaign_id: UUID) -> Campaign:
        """Give out runs again; also of a campaign that was set aside. Repeatable."""
        campaign = self._set_paused(caller, campaign_id, paused=False)
        campaign.set_aside = None
        self.jobs.send("campaigns.allocate")
        return campaign

    def retry_failed(self, caller: Caller, campaign_id: UUID) -> Campaign:
        """Queue a campaign's failed runs again; one that had ended is open once more.

        :raises TransitionRefused: when it was cancelled, is being cancelled, or is being settled.
        :raises NothingToRetry: when no run has failed.
        """
        campaign = self._locked(caller, campaign_id)
        if campaign.cancel_requested_at is not None and campaign.status not in FINISHED_CAMPAIGNS:
            raise TransitionRefused(f"campaign {numbered(campaign.number)} is being cancelled")
        if campaign.status in {CampaignStatus.CANCELLED, CampaignStatus.SETTLING}:
            raise TransitionRefused(f"campaign {numbered(campaign.number)} is {campaign.status}")
        self.quotas.may_spend(campaign.project_id)
        failed = with_their_chains(self.repository, self.gangs, campaign)
        if not failed:
            raise NothingToRetry(f"no run of campaign {numbered(campaign.number)} has failed")
        for run in failed:
            run.infrastructure_failures = 0
            run.result_attempt_id = None
            run.throughput = run.p99_us = None
        if campaign.status in FINISHED_CAMPAIGNS:
            campaign.verdict = None
            self.transitions.campaign(campaign, CampaignStatus.RUNNING)
        self.transitions.runs(campaign, failed, RunStatus.QUEUED)
        self.provisions.want(campaign, self.experiments.document(campaign.revision_id))
        self._audit(caller.name, campaign, "campaign.retried")
        self.jobs.send("campaigns.allocate")
        return campaign

    def run_counts(self, campaign_ids: Collection[UUID]) -> dict[UUID, RunCounts]:
        """Runs of campaigns by where they stand; for features above, which check access."""
        found = self.repository.counts(campaign_ids)
        return {one: count_runs(found.get(one, {})) for one in campaign_ids}

    def set_verdict(
        self, campaign_id: UUID, verdict: Verdict | None, came_to: CameTo = NOTHING_TOLD
    ) -> bool:
        """End a campaign that was being settled, with what it says against its base.

        `came_to`: what people are told of it.

        It is failed when no run of it completed, else completed. Repeatable; a verdict on an ended
        campaign replaces the earlier one.

        :returns: False when the campaign is open again (failed runs are being retried) or was
            cancelled: then nothing changed.
        """
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None:
            return False
        if campaign.status == CampaignStatus.SETTLING:
            campaign.verdict = verdict
            counts = self.repository.counts([campaign.id]).get(campaign.id, {})
            any_completed = counts.get(RunStatus.COMPLETED, 0) > 0
            ended = CampaignStatus.COMPLETED if any_completed else CampaignStatus.FAILED
            self.transitions.campaign(campaign, ended, came_to)
            return True
        if campaign.status not in {CampaignStatus.COMPLETED, CampaignStatus.FAILED}:
            return False
        if campaign.verdict != verdict:
            campaign.verdict = verdict
            self.transitions.tell(campaign)
        return True

    def _set_paused(self, caller: Caller, campaign_id: UUID, *, paused: bool) -> Campaign:
        campaign = self._locked(caller, campaign_id)
        if campaign.status not in {CampaignStatus.QUEUED, CampaignStatus.RUNNING}:
            raise TransitionRefused(f"campaign {numbered(campaign.number)} is {campaign.status}")
        if campaign.paused != paused:
            campaign.paused = paused
            self._audit(caller.name, campaign, "campaign.paused" if paused else "campaign.resumed")
            self.transitions.tell(campaign)
        return campaign

    def _locked(self, caller: Caller, campaign_id: UUID) -> Campaign:
        self.find(caller, campaign_id, Role.MEMBER)
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None:
            raise CampaignNotFound
        return campaign

    def _audit(self, actor: str, campaign: Campaign, action: str) -> None:
        audit.record(
            self.session, self.clock, actor=actor, action=action,
            subject=f"campaign {numbered(campaign.number)}", project_id=campaign.project_id,
            campaign_id=str(campaign.id),
        )  # fmt: skip
