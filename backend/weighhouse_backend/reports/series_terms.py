"""Campaigns of series, and what leaves with a series, as the publication policy is asked of it."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session
from weighhouse_judging.identity.sides import family

from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.models import Series, SeriesPoint


@dataclass(frozen=True)
class SeriesTerms:
    """Of series whose access was asked for."""

    session: Session
    experiments: ExperimentService

    def campaign_ids(self, series_id: UUID) -> set[UUID]:
        """Campaigns that have a point in a series."""
        query = select(SeriesPoint.campaign_id).where(SeriesPoint.series_id == series_id)
        return set(self.session.scalars(query))

    def leaving(self, series: Series) -> list[Leaving]:
        """Of each revision that was measured, the targets of the series' side. Of one campaign
        consents and overrides do not count: a series goes on with others.
        """
        found = []
        for campaign in self._campaigns(series.id):
            document = document_of(self.experiments, campaign)
            same = [one for one in document.targets if one.system == series.system_id]
            mine = [one.name for one in same if family(one).digest == series.side_family]
            named = mine or [one.name for one in same]
            found.append(Leaving(series.project_id, document, None, named))
        return found

    def _campaigns(self, series_id: UUID) -> list[Campaign]:
        """Of a series' points, one campaign for each revision that was measured."""
        query = (
            select(Campaign)
            .join(SeriesPoint, SeriesPoint.campaign_id == Campaign.id)
            .where(SeriesPoint.series_id == series_id)
            .ext(distinct_on(Campaign.revision_id))
            .order_by(Campaign.revision_id, Campaign.id)
        )
        return list(self.session.scalars(query))
