"""All queries of gates."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_
from sqlalchemy.orm import Session

from weighhouse_backend.gates.models import CampaignVerdict, RejudgedCampaign
from weighhouse_backend.runs.commit_models import CampaignCommit, of_pull_request
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import BASE_VERDICTS, CampaignStatus, Verdict


@dataclass(frozen=True)
class Given:
    """What verdicts came to."""

    verdicts: int
    regressions: int
    taken_back: int
    """Those with a cell that was not worse when it was measured again."""


@dataclass(frozen=True)
class GateRepository:
    """Reads and writes verdicts."""

    session: Session
    foreseen_by: UUID | None = None
    """A rejudgement whose verdicts stand in place of those that campaigns have: a dry run's."""

    def lock_campaign(self, campaign_id: UUID) -> Campaign | None:
        """A campaign, read anew and locked: the first lock of judging it."""
        return self.session.scalar(
            select(Campaign)
            .where(Campaign.id == campaign_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )

    def campaigns(self, campaign_ids: Collection[UUID]) -> Sequence[Campaign]:
        """Campaigns by id."""
        return self.session.scalars(
            select(Campaign).where(Campaign.id.in_(list(campaign_ids)))
        ).all()

    def usable_before(self, campaign: Campaign, most: int, branch: str | None) -> list[UUID]:
        """Campaigns that stand before one in its experiment and may be a base, latest first, down
        to the last whose changed level was accepted: what came before it was another level.

        :param branch: those of this branch alone; None: whatever their branch, but of pull
            requests.
        """
        query = (
            select(Campaign.id, Campaign.accepted_at)
            .outerjoin(RejudgedCampaign, self._foreseen())
            .where(
                Campaign.experiment_id == campaign.experiment_id,
                _stands_before(campaign),
                Campaign.status == CampaignStatus.COMPLETED,
                or_(self._verdict().in_(list(BASE_VERDICTS)), Campaign.accepted_at.is_not(None)),
            )
        )
        if branch is not None:
            query = query.join(CampaignCommit, CampaignCommit.campaign_id == Campaign.id).where(
                CampaignCommit.branch == branch
            )
        else:
            query = query.where(~of_pull_request())
        found = []
        for campaign_id, accepted_at in self.session.execute(
            query.order_by(Campaign.stands_at.desc(), Campaign.id.desc()).limit(most)
        ):
            found.append(campaign_id)
            if accepted_at is not None:
                break
        return found

    def standing_since(self, campaign_id: UUID, among: Collection[UUID]) -> list[UUID]:
        """Of some campaigns those that stand where one does or after it, the latest first."""
        place = tuple_(Campaign.stands_at, Campaign.id)
        since = select(Campaign.stands_at, Campaign.id).where(Campaign.id == campaign_id)
        return list(
            self.session.scalars(
                select(Campaign.id)
                .where(Campaign.id.in_(list(among)), place >= since.scalar_subquery())
                .order_by(Campaign.stands_at.desc(), Campaign.id.desc())
            )
        )

    def rests_on(self, campaign_id: UUID) -> list[int]:
        """Numbers of the other campaigns whose verdict, the one that holds, rests on a campaign."""
        rests = or_(
            CampaignVerdict.bases.contains([str(campaign_id)]),
            CampaignVerdict.base_campaign_id == campaign_id,
            CampaignVerdict.anchor_campaign_id == campaign_id,
        )
        return list(
            self.session.scalars(
                select(Campaign.number)
                .join(CampaignVerdict, CampaignVerdict.campaign_id == Campaign.id)
                .where(CampaignVerdict.superseded_at.is_(None), rests, Campaign.id != campaign_id)
                .order_by(Campaign.number)
            )
        )

    def of_release(self, experiment_id: UUID, name: str) -> Campaign | None:
        """The campaign that stands for a release."""
        return self.session.scalar(
            select(Campaign).where(
                Campaign.experiment_id == experiment_id, Campaign.release == name
            )
        )

    def anchor_before(self, campaign: Campaign, branch: str | None) -> UUID | None:
        """The last release before a campaign, or one after it whose changed level was accepted:
        what was accepted is not held against later campaigns again.

        :param branch: where acceptances count; None: on whatever branch, but of pull requests.
        """
        anywhere = Campaign.accepted_at.is_not(None)
        of_line = ~of_pull_request() if branch is None else CampaignCommit.branch == branch
        accepted = anywhere & of_line
        return self.session.scalar(
            select(Campaign.id)
            .outerjoin(CampaignCommit, CampaignCommit.campaign_id == Campaign.id)
            .where(
                Campaign.experiment_id == campaign.experiment_id,
                or_(Campaign.release.is_not(None), accepted),
                _stands_before(campaign),
            )
            .order_by(Campaign.stands_at.desc(), Campaign.id.desc())
            .limit(1)
        )

    def verdicts(self, campaign_ids: Collection[UUID]) -> dict[UUID, str | None]:
        """The verdicts of campaigns, None of those that have none."""
        rows = self.session.execute(
            select(Campaign.id, self._verdict().label("verdict"))
            .outerjoin(RejudgedCampaign, self._foreseen())
            .where(Campaign.id.in_(list(campaign_ids)))
        )
        return {row.id: row.verdict for row in rows}

    def _verdict(self) -> ColumnElement[str | None]:
        return func.coalesce(RejudgedCampaign.verdict_now, Campaign.verdict)

    def _foreseen(self) -> ColumnElement[bool]:
        return and_(
            RejudgedCampaign.campaign_id == Campaign.id,
            RejudgedCampaign.rejudgement_id == self.foreseen_by,
        )

    def given(self, project_id: UUID) -> Given:
        """What a project's verdicts that compared came to; those that hold."""
        back = CampaignVerdict.details.contains({"cells": [{"taken_back": True}]})
        row = self.session.execute(
            select(
                func.count().label("verdicts"),
                func.count()
                .filter(CampaignVerdict.verdict == Verdict.REGRESSION)
                .label("regressions"),
                func.count().filter(back).label("taken_back"),
            ).where(
                CampaignVerdict.project_id == project_id,
                CampaignVerdict.superseded_at.is_(None),
                CampaignVerdict.verdict.in_(
                    [*BASE_VERDICTS - {Verdict.NO_BASELINE}, Verdict.REGRESSION]
                ),
            )
        ).one()
        return Given(row.verdicts, row.regressions, row.taken_back)

    def holding(self, campaign: Campaign) -> CampaignVerdict | None:
        """The verdict that a campaign has; None while it has none."""
        return None if campaign.verdict is None else self._latest(campaign.id)

    def former(self, campaign: Campaign) -> Sequence[CampaignVerdict]:
        """The verdicts that a campaign had before, the latest first."""
        query = select(CampaignVerdict).where(CampaignVerdict.campaign_id == campaign.id)
        if campaign.verdict is not None:
            query = query.where(CampaignVerdict.superseded_at.is_not(None))
        return self.session.scalars(query.order_by(CampaignVerdict.number.desc())).all()

    def add_verdict(
        self, row: CampaignVerdict, superseded_at: datetime.datetime, because: str
    ) -> None:
        """Write the verdict that holds from now on. The campaign has to be locked.

        :param because: why the earlier one, if there is one, does not hold any more.
        """
        latest = self._latest(row.campaign_id)
        row.number = 1
        if latest is not None:
            latest.superseded_at = superseded_at
            latest.superseded_because = because
            row.number = latest.number + 1
            self.session.flush()  # before the new one is there: one holds
        self.session.add(row)
        self.session.flush()

    def _latest(self, campaign_id: UUID) -> CampaignVerdict | None:
        return self.session.scalar(
            select(CampaignVerdict).where(
                CampaignVerdict.campaign_id == campaign_id,
                CampaignVerdict.superseded_at.is_(None),
            )
        )


def _stands_before(campaign: Campaign) -> ColumnElement[bool]:
    return tuple_(Campaign.stands_at, Campaign.id) < tuple_(campaign.stands_at, campaign.id)
