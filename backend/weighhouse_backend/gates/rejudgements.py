"""Campaigns that somebody wants judged again: asked for, worked off one by one, looked at."""

import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog
from sqlalchemy import Select
from sqlalchemy.exc import OperationalError
from weighhouse_judging.rules import RULES_VERSION
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.schemas import ExperimentOfCampaign
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.models import Experiment
from weighhouse_backend.experiments.occurrences import reason_of
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.gates.errors import RejudgementNotFound, SeveralProjects
from weighhouse_backend.gates.models import Outcome, RejudgedCampaign, Rejudgement
from weighhouse_backend.gates.rejudgement_repository import RejudgementRepository
from weighhouse_backend.gates.rejudgement_schemas import (
    RejudgedCampaignRead,
    RejudgementCreate,
    RejudgementProgress,
    RejudgementRead,
)
from weighhouse_backend.gates.rejudgement_service import RejudgingService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit import idempotency
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.kit.unit_of_work import Transactions
from weighhouse_backend.runs.models import Campaign

log = structlog.get_logger(__name__)

ROUTE = "POST /api/v1/rejudgements"
JOB = "gates.rejudge"
MOST_TRIES = 3
"""A campaign at which a worker died so often is passed over."""
TURN_SECONDS = 60.0
"""A job judges campaigns for about so long; the next goes on."""


@dataclass(frozen=True)
class RejudgementService:
    """Keeps what was asked for and what came of it.

    Campaigns are judged one by one, each in a transaction of its own, the oldest first: the bases
    of a later one are then judged already. What a worker leaves behind, the sweep has done.
    """

    repository: RejudgementRepository
    rejudging: RejudgingService
    campaigns: CampaignService
    experiments: ExperimentService
    jobs: Jobs
    clock: Clock

    def create(
        self, caller: Caller, wanted: RejudgementCreate, idempotency_key: str | None = None
    ) -> Rejudgement:
        """Have campaigns judged again; named ones take a member, whole experiments and projects a
        maintainer.

        :param idempotency_key: the same key with the same body gives the same rejudgement again.
        :raises CampaignNotFound: when there is no such campaign the caller sees.
        :raises SeveralProjects: when campaigns are of several.
        :raises ExperimentNotFound: when there is no such experiment the caller sees.
        :raises KeyReused: when the key stands for another request.
        """
        scope = f"{caller.kind} {caller.id} {ROUTE}"
        session = self.repository.session
        if idempotency_key is not None:
            digest = idempotency.request_hash(wanted.model_dump_json().encode())
            made = idempotency.claim(session, scope, idempotency_key, digest, self.clock.now())
            if made is not None:
                return session.get_one(Rejudgement, made)
        project_id, chosen, subject = self._chosen(caller, wanted)
        rejudgement = Rejudgement(
            id=new_id(),
            project_id=project_id,
            rules_version=RULES_VERSION,
            dry_run=wanted.dry_run,
            requested_by=caller.name,
            created_at=self.clock.now(),
        )
        count = self.repository.add(rejudgement, chosen)
        if not wanted.dry_run:
            audit.record(
                session, self.clock, actor=caller.name, action="verdicts.rejudgement_asked",
                subject=subject, project_id=project_id, rejudgement_id=str(rejudgement.id),
                campaigns=count, rules=RULES_VERSION,
            )  # fmt: skip
        if idempotency_key is not None:
            idempotency.settle(session, scope, idempotency_key, rejudgement.id)
        self.jobs.send(JOB, rejudgement_id=str(rejudgement.id))
        return rejudgement

    def read(self, caller: Caller, rejudgement_id: UUID) -> RejudgementRead:
        """How far a rejudgement is.

        :raises RejudgementNotFound: when there is none the caller sees.
        """
        return self.shown(self._find(caller, rejudgement_id))

    def campaigns_of(
        self, caller: Caller, rejudgement_id: UUID, outcome: Outcome | None, query: PageQuery
    ) -> Page[RejudgedCampaignRead]:
        """What became of a rejudgement's campaigns, the newest first.

        :raises RejudgementNotFound: when there is none the caller sees.
        """
        rejudgement = self._find(caller, rejudgement_id)
        page: Page[RejudgedCampaign] = page_of(
            self.repository.session,
            self.repository.campaigns(rejudgement.id, outcome),
            RejudgedCampaign.campaign_id,
            query,
            lambda row: row,
            key_of=lambda row: row.campaign_id,
        )
        return page.of(self._rows(page.items))

    def shown(self, rejudgement: Rejudgement) -> RejudgementRead:
        """A rejudgement with its progress."""
        counts = self.repository.counts(rejudgement.id)
        return read_of(
            RejudgementRead,
            rejudgement,
            campaigns=RejudgementProgress(
                total=sum(counts.values()),
                waiting=counts.get(None, 0),
                judged=counts.get(Outcome.JUDGED, 0),
                changed=self.repository.changed_count(rejudgement.id),
                unchanged=counts.get(Outcome.UNCHANGED, 0),
                no_verdict=counts.get(Outcome.NO_VERDICT, 0),
                failed=counts.get(Outcome.FAILED, 0),
            ),
        )

    def next(self, rejudgement_id: UUID) -> UUID | None:
        """The campaign whose turn it is, its try noted; None: nothing is left, or another worker is
        at it. What has nothing left is finished.
        """
        rejudgement = self.repository.take(rejudgement_id)
        if rejudgement is None:
            return None
        while (row := self.repository.next_open(rejudgement_id)) is not None:
            row.tries += 1
            if row.tries <= MOST_TRIES:
                return row.campaign_id
            row.outcome = Outcome.FAILED
            row.reason = f"no worker finished it in {MOST_TRIES} tries; their logs say why"
            self.repository.session.flush()
        rejudgement.finished_at = self.clock.now()
        return None

    def judge(self, rejudgement_id: UUID, campaign_id: UUID) -> None:
        """Judge one campaign of a rejudgement again, and note what came of it."""
        rejudgement = self.repository.take(rejudgement_id)
        row = self.repository.campaign(rejudgement_id, campaign_id)
        if rejudgement is None or row is None or row.outcome is not None:
            return
        came = self.rejudging.judge(
            campaign_id,
            rejudgement.requested_by,
            dry_run=rejudgement_id if rejudgement.dry_run else None,
        )
        row.outcome = came.outcome
        row.reason = came.reason
        row.verdict_before = None if came.before is None else came.before.verdict
        row.rules_before = None if came.before is None else came.before.rules_version
        row.verdict_now = came.verdict
        row.message = came.message
        row.findings_new = came.findings.new
        row.findings_gone = came.findings.gone

    def failed(self, rejudgement_id: UUID, campaign_id: UUID, error: Exception) -> None:
        """Note that a campaign could not be judged; the others go on."""
        row = self.repository.campaign(rejudgement_id, campaign_id)
        if row is not None and row.outcome is None:
            row.outcome = Outcome.FAILED
            row.reason = reason_of(error)

    def go_on(self, rejudgement_id: UUID) -> None:
        """Have what is left done by another job."""
        self.jobs.send(JOB, rejudgement_id=str(rejudgement_id))

    def sweep(self, older_than_seconds: float) -> None:
        """Send again for what was asked for a while ago and is not done; harmless when somebody is
        at it.
        """
        before = self.clock.now() - datetime.timedelta(seconds=older_than_seconds)
        for rejudgement_id in self.repository.open_before(before):
            self.go_on(rejudgement_id)

    def _chosen(self, caller: Caller, wanted: RejudgementCreate) -> tuple[UUID, Select[UUID], str]:
        """Project, campaigns, and what they are in words."""
        if wanted.experiment is not None:
            found = self.experiments.find(
                caller, wanted.experiment, wanted.project_id, Role.MAINTAINER
            )
            chosen = self.repository.judged(found.project_id, found.id)
            return found.project_id, chosen, f"experiment {found.slug}"
        if wanted.all_campaigns:
            project_id = caller.project_or_only(wanted.project_id)
            caller.require(project_id, Role.MAINTAINER)
            return project_id, self.repository.judged(project_id), "all campaigns"
        named = [self.campaigns.find(caller, one, Role.MEMBER) for one in wanted.campaigns]
        projects = {one.project_id for one in named}
        if len(projects) > 1:
            raise SeveralProjects("the campaigns are of several projects; ask for each by itself")
        subject = (
            f"campaign {numbered(named[0].number)}"
            if len(named) == 1
            else f"{len(named)} campaigns"
        )
        return named[0].project_id, self.repository.named([one.id for one in named]), subject

    def _find(self, caller: Caller, rejudgement_id: UUID) -> Rejudgement:
        found = self.repository.get(rejudgement_id)
        if found is None or found.project_id not in caller.project_ids:
            raise RejudgementNotFound
        return found

    def _rows(self, rows: Sequence[RejudgedCampaign]) -> list[RejudgedCampaignRead]:
        campaigns = self.repository.campaigns_by_id([row.campaign_id for row in rows])
        names = self.experiments.get_many({one.experiment_id for one in campaigns.values()})
        return [
            _shown(row, campaigns[row.campaign_id], names[campaigns[row.campaign_id].experiment_id])
            for row in rows
        ]


def _shown(
    row: RejudgedCampaign, campaign: Campaign, experiment: Experiment
) -> RejudgedCampaignRead:
    return RejudgedCampaignRead.model_validate(
        {
            "campaign_id": row.campaign_id,
            "campaign_number": campaign.number,
            "experiment": ExperimentOfCampaign(
                id=experiment.id, slug=experiment.slug, name=experiment.name
            ),
            "outcome": row.outcome,
            "reason": row.reason,
            "verdict_before": row.verdict_before,
            "rules_before": row.rules_before,
            "verdict_now": row.verdict_now,
            "message": row.message,
            "findings_new": row.findings_new,
            "findings_gone": row.findings_gone,
        }
    )


def carry_on(
    transaction: Transactions[RejudgementService],
    rejudgement_id: UUID,
    seconds: float = TURN_SECONDS,
) -> None:
    """Judge campaigns of a rejudgement, each in a transaction of its own, until none is left or
    time is up; then another job goes on. One that cannot be judged keeps no other from its turn.

    :param transaction: begins one.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with transaction() as service:
            campaign_id = service.next(rejudgement_id)
        if campaign_id is None:
            return
        try:
            with transaction() as service:
                service.judge(rejudgement_id, campaign_id)
        except OperationalError:
            raise  # the database, not the campaign: the sweep tries again
        except Exception as error:
            log.exception("rejudging_failed", campaign=str(campaign_id))
            with transaction() as service:
                service.failed(rejudgement_id, campaign_id, error)
    with transaction() as service:
        service.go_on(rejudgement_id)
