"""That series are to be looked at: sent at once, and owed until it is done."""

import datetime
from collections.abc import Iterable
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.kit import owed
from weighhouse_backend.kit.jobs import Jobs

JOB = "alerts.detect_changes"


def owe_detection(
    session: Session,
    jobs: Jobs,
    now: datetime.datetime,
    campaign_id: UUID,
    series_ids: Iterable[UUID],
) -> None:
    """Have the series of a campaign looked at together, after the commit.

    :param series_ids: those that got a point of the campaign, or lost it.
    """
    named = [str(one) for one in series_ids]
    if named:
        arguments = {"series_ids": named, "campaign_id": str(campaign_id)}
        owed.owe(session, now, JOB, campaign_id, arguments)
        jobs.send(JOB, **arguments)
