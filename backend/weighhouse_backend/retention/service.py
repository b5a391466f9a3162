"""Rules as people read and set them, and campaigns that they keep or delete."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.results.expiry import Removable, ThinningService
from weighhouse_backend.retention.errors import CampaignHeld
from weighhouse_backend.retention.holds import HoldingService
from weighhouse_backend.retention.models import RetentionRules
from weighhouse_backend.retention.repository import RetentionRepository
from weighhouse_backend.retention.schemas import (
    CampaignKeepingRead,
    DeletionRead,
    HeldRead,
    KeptRead,
    RemovalRead,
    RetentionPreview,
    RetentionRead,
)
from weighhouse_backend.retention.schemas import RetentionRules as RulesBody
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.tombstones import DeletedCampaign

NAMES = ("intervals_days", "logs_days", "artifacts_days", "events_days")
HELD_SHOWN = 100
DELETE, TURN = "retention.delete_campaign", "retention.take_turn"


@dataclass(frozen=True)
class RetentionService:
    """Keeps rules, tells what they would do, keeps and deletes campaigns."""

    repository: RetentionRepository
    holding: HoldingService
    thinning: ThinningService
    campaigns: CampaignService
    experiments: ExperimentService
    jobs: Jobs
    clock: Clock

    def read(self, caller: Caller, project_id: UUID | None) -> RetentionRead:
        """What a project keeps how long; takes a viewer."""
        chosen = caller.project_or_only(project_id)
        row = self.repository.rules(chosen)
        return _read(row, may_change=caller.roles[chosen].covers(Role.OWNER))

    def save(
        self, caller: Caller, project_id: UUID | None, rules: RulesBody, if_match: str | None
    ) -> RetentionRead:
        """Say how long a project keeps what; takes an owner. Carried out by the next turn of the
        worker.

        :raises Changed: when others were saved meanwhile.
        """
        chosen = caller.project_or_only(project_id)
        caller.require(chosen, Role.OWNER)
        row = self.repository.lock_rules(chosen)
        require_match(if_match, etag(row.version))
        before = _rules(row).model_dump(exclude_none=True)
        for name in NAMES:
            setattr(row, name, getattr(rules, name))
        row.version += 1
        row.updated_by, row.updated_at = caller.name, self.clock.now()
        audit.record(
            self.repository.session, self.clock, actor=caller.name, action="retention.saved",
            subject="what is kept how long", project_id=chosen, before=before,
            after=rules.model_dump(exclude_none=True),
        )  # fmt: skip
        self.jobs.send(TURN)
        return _read(row, may_change=True)

    def preview(
        self, caller: Caller, project_id: UUID | None, rules: RulesBody
    ) -> RetentionPreview:
        """What rules would remove now; nothing is. Takes a viewer."""
        chosen = caller.project_or_only(project_id)
        passed_over = self.holding.passed_over(chosen)
        ages = [days for name in NAMES if (days := getattr(rules, name)) is not None]
        held: dict[UUID, int] = {}
        if ages and passed_over:
            old = self.repository.numbers(self._older(chosen, min(ages), {}))
            held = {one: number for one, number in old.items() if one in passed_over}
        shown = list(held.items())[:HELD_SHOWN]
        events = rules.events_days
        return RetentionPreview(
            intervals=self._weighed("intervals", chosen, rules.intervals_days, passed_over),
            logs=self._weighed("logs", chosen, rules.logs_days, passed_over),
            artifacts=self._weighed("artifacts", chosen, rules.artifacts_days, passed_over),
            events=RemovalRead(
                count=0
                if events is None
                else self.repository.count_events(self._older(chosen, events, passed_over)),
                bytes=None,
            ),
            held=[
                HeldRead(campaign_id=one, number=number, because=passed_over[one])
                for one, number in shown
            ],
            held_total=len(held),
        )

    def keeping(self, caller: Caller, campaign_id: UUID) -> CampaignKeepingRead:
        """Whether a campaign is kept, and may be deleted; takes a viewer.

        :raises CampaignNotFound: when it is not the caller's to see.
        """
        campaign = self.campaigns.find(caller, campaign_id)
        kept = self.repository.keeper(campaign.id)
        asked = self.repository.deletion(campaign.id)
        role = caller.roles[campaign.project_id]
        return CampaignKeepingRead(
            kept=None if kept is None else KeptRead.model_validate(kept, from_attributes=True),
            held_because=self.holding.held(campaign),
            passed_over_because=self.holding.passed_over(campaign.project_id).get(campaign.id),
            deletion=None
            if asked is None
            else DeletionRead.model_validate(asked, from_attributes=True),
            may_keep=role.covers(Role.MEMBER),
            may_delete=role.covers(Role.MAINTAINER),
        )

    def keep(self, caller: Caller, campaign_id: UUID, because: str) -> CampaignKeepingRead:
        """Keep a campaign whole, whatever the rules say; takes a member. In the place of what was
        said before.

        :raises CampaignNotFound: when it is not the caller's to see.
        """
        campaign = self.campaigns.find(caller, campaign_id, Role.MEMBER)
        reason = because.strip()
        self.repository.keep(campaign, reason, caller.name, self.clock.now())
        self._note(caller.name, campaign, "campaign.kept", because=reason)
        return self.keeping(caller, campaign_id)

    def release(self, caller: Caller, campaign_id: UUID) -> None:
        """Have the rules hold for a campaign again; takes a member.

        :raises CampaignNotFound: when it is not the caller's to see.
        """
        campaign = self.campaigns.find(caller, campaign_id, Role.MEMBER)
        row = self.repository.keeper(campaign.id)
        if row is not None:
            self.repository.session.delete(row)
            self._note(caller.name, campaign, "campaign.no_longer_kept", because=row.because)

    def delete(self, caller: Caller, campaign_id: UUID, because: str) -> DeletionRead:
        """Have a campaign deleted with all it measured; takes a maintainer. Its number is never
        given again, and who looks for it is told.

        :raises CampaignNotFound: when it is not the caller's to see.
        :raises CampaignHeld: naming each reason.
        """
        campaign = self.campaigns.find(caller, campaign_id, Role.MAINTAINER)
        if held := self.holding.held(campaign):
            raise CampaignHeld("; ".join(held))
        session = self.repository.session
        asked = self.repository.deletion(campaign.id)
        if asked is None or asked.refused_because is not None:
            experiment = self.experiments.get_many({campaign.experiment_id})
            asked = session.merge(
                DeletedCampaign(
                    campaign_id=campaign.id,
                    project_id=campaign.project_id,
                    number=campaign.number,
                    experiment=experiment[campaign.experiment_id].name,
                    because=because.strip(),
                    deleted_by=caller.name,
                    asked_at=self.clock.now(),
                    deleted_at=None,
                    refused_because=None,
                )
            )
            session.flush()
            self._note(caller.name, campaign, "campaign.deletion_asked", because=asked.because)
            self.jobs.send(DELETE, campaign_id=str(campaign.id))
        return DeletionRead.model_validate(asked, from_attributes=True)

    def _note(self, actor: str, campaign: Campaign, action: str, because: str) -> None:
        audit.record(
            self.repository.session, self.clock, actor=actor, action=action,
            subject=f"campaign {numbered(campaign.number)}", project_id=campaign.project_id,
            campaign_id=str(campaign.id), because=because,
        )  # fmt: skip

    def _weighed(
        self, what: Removable, project_id: UUID, days: int | None, without: dict[UUID, str]
    ) -> RemovalRead:
        if days is None:
            return RemovalRead(count=0, bytes=0)
        found = self.thinning.weight(what, self._older(project_id, days, without))
        return RemovalRead(count=found.runs, bytes=found.bytes)

    def _older(self, project_id: UUID, days: int, without: dict[UUID, str]) -> Select[UUID]:
        before = self.clock.now() - datetime.timedelta(days=days)
        return self.repository.ended_before(project_id, before, without)


def _rules(row: RetentionRules | None) -> RulesBody:
    return RulesBody() if row is None else RulesBody(**{name: getattr(row, name) for name in NAMES})


def _read(row: RetentionRules | None, *, may_change: bool) -> RetentionRead:
    return RetentionRead(
        rules=_rules(row),
        version=0 if row is None else row.version,
        updated_by=None if row is None else row.updated_by,
        updated_at=None if row is None else row.updated_at,
        may_change=may_change,
    )
