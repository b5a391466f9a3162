"""Judges an ended campaign again: its own figures and bases, by today's rules."""

from dataclasses import dataclass, field, replace
from typing import Self
from uuid import UUID

from weighhouse_judging.rules import RULES_VERSION
from weighhouse_protocol.bases import POOLED
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService, Renewed
from weighhouse_backend.gates.answers import Decided
from weighhouse_backend.gates.bases import Bases, BaseService, is_beside
from weighhouse_backend.gates.limits import Limits
from weighhouse_backend.gates.models import CampaignVerdict, Outcome
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.service import PINNED, GateService
from weighhouse_backend.gates.verdicts import VerdictService, says_the_same
from weighhouse_backend.identity import audit
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import BASE_VERDICTS, CampaignStatus, Verdict
from weighhouse_backend.series.history import HistoryService


@dataclass(frozen=True)
class Rejudged:
    """What judging a campaign again came to."""

    outcome: Outcome
    before: CampaignVerdict | None = None
    """The verdict that held."""
    verdict: str | None = None
    message: str | None = None
    findings: Renewed = field(default_factory=Renewed)
    reason: str | None = None
    """Why there is no verdict."""


@dataclass(frozen=True)
class RejudgingService:
    """Gives campaigns from before the verdict and the findings of today's rules."""

    repository: GateRepository
    campaigns: CampaignService
    experiments: ExperimentService
    examination: ExaminationService
    choosing: BaseService
    gates: GateService
    history: HistoryService
    verdicts: VerdictService

    def judge(
        self, campaign_id: UUID, requested_by: str, *, dry_run: UUID | None = None
    ) -> Rejudged:
        """Judge a campaign again.

        A verdict that says something else, or was made by other rules, supersedes the one that
        holds. What people said of the campaign (accepted, release) and the points of its series
        keep their figures. Idempotent: a second time nothing changes.

        :param requested_by: whom the record names.
        :param dry_run: only say what would change; the rejudgement that this is, whose verdicts so
            far stand for those of its bases.
        """
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None:
            return Rejudged(Outcome.NO_VERDICT, reason="it is gone")
        if campaign.status not in {CampaignStatus.COMPLETED, CampaignStatus.FAILED}:
            return Rejudged(Outcome.NO_VERDICT, reason=f"it is {campaign.status}")
        findings = self.examination.renew(campaign, dry_run=dry_run is not None)
        if campaign.noise:
            reason = "it measured noise, every target twice"
            return Rejudged(Outcome.NO_VERDICT, findings=findings, reason=reason)
        before = self.repository.holding(campaign)
        document = document_of(self.experiments, campaign)
        here = self if dry_run is None else self._foreseeing(dry_run)
        decided = here.gates.decide(campaign, here.bases(campaign, before), Limits.of(document))
        same = before is not None and says_the_same(before, decided)
        if not same and dry_run is None:
            self._supersede(campaign, before, decided, requested_by)
        return Rejudged(
            Outcome.UNCHANGED if same else Outcome.JUDGED,
            before,
            decided.result.verdict,
            decided.result.message,
            findings,
        )

    def bases(self, campaign: Campaign, before: CampaignVerdict | None) -> Bases:
        """Those that it was judged by, without campaigns that may be none (any more) by today's
        rules; where none is left or was kept, those of the rule it asked for. An anchor from before
        an accepted level is none: that level is the new beginning.
        """
        kept = [] if before is None else [UUID(one) for one in before.bases]
        anchor_id = None if before is None else before.anchor_campaign_id
        wanted = [*kept, *([] if anchor_id is None else [anchor_id])]
        there = {one.id: one for one in self.repository.campaigns(wanted)}
        verdicts = self.repository.verdicts(wanted)

        def usable(one: UUID) -> bool:
            base = there.get(one)
            return base is not None and _may_be_base(campaign, base, verdicts.get(one))

        found = tuple(one for one in kept if usable(one))
        if not found:
            if kept and campaign.base == PINNED:
                return self.choosing.choose(campaign, POOLED)
            return self.gates.bases(campaign)
        anchor = None if anchor_id is None else there.get(anchor_id)
        if anchor is not None:
            renewed = any(there[one].accepted_at and one > anchor.id for one in found)
            if not renewed and (anchor.release is not None or usable(anchor.id)):
                return Bases(found, anchor.id, beside=is_beside(campaign, found))
        beginning = None if anchor_id is None else found[-1]
        anchor_id = self.choosing.anchor_before(campaign) or beginning
        return Bases(found, anchor_id, beside=is_beside(campaign, found))

    def _supersede(
        self,
        campaign: Campaign,
        before: CampaignVerdict | None,
        decided: Decided,
        requested_by: str,
    ) -> None:
        because = f"judged again by version {RULES_VERSION} of the rules, as {requested_by} asked"
        self.verdicts.keep(campaign, decided, because)
        self.history.mark(campaign.id, decided.regressed)
        self.campaigns.set_verdict(campaign.id, Verdict(decided.result.verdict))
        audit.record(
            self.repository.session,
            self.verdicts.clock,
            actor=requested_by,
            action="campaign.rejudged",
            subject=f"campaign {numbered(campaign.number)}",
            project_id=campaign.project_id,
            campaign_id=str(campaign.id),
            verdict_before=None if before is None else before.verdict,
            rules_before=None if before is None else before.rules_version,
            verdict=decided.result.verdict,
            rules=RULES_VERSION,
        )

    def _foreseeing(self, dry_run: UUID) -> Self:
        """The same service, to which a dry run's verdicts are those of campaigns."""
        repository = replace(self.repository, foreseen_by=dry_run)
        choosing = replace(self.choosing, repository=repository)
        gates = replace(self.gates, choosing=choosing)
        return replace(self, repository=repository, choosing=choosing, gates=gates)


def _may_be_base(campaign: Campaign, base: Campaign, verdict: str | None) -> bool:
    """May one be a base of the other? A base that was asked for by name stays one; of those that
    were chosen, one that regressed is none unless somebody accepted it.
    """
    if base.accepted_at is not None or campaign.base.startswith(("campaign:", "release:")):
        return True
    if campaign.base == PINNED:
        return verdict != Verdict.REGRESSION
    return verdict in BASE_VERDICTS
