"""How long projects had machines lately."""

import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.execution.fair_share import LATELY, Shares
from weighhouse_backend.runs.models import AttemptMember


def shares_lately(session: Session, now: datetime.datetime) -> Shares:
    """What every project used of machines: from the claim of each member to its end, or to now."""
    end = func.coalesce(AttemptMember.finished_at, now)
    begin = func.greatest(AttemptMember.claimed_at, now - LATELY)
    rows = session.execute(
        select(
            AttemptMember.project_id,
            func.sum(func.greatest(func.extract("epoch", end - begin), 0)),
        )
        .where(
            # A member that was offered before, and is still at work, had its machine that long:
            # runs take up to two days, and the index begins at the offer.
            AttemptMember.offered_at > now - 3 * LATELY,
            AttemptMember.claimed_at.is_not(None),
            end > now - LATELY,
        )
        .group_by(AttemptMember.project_id)
    )
    return Shares({project_id: float(seconds) for project_id, seconds in rows})
