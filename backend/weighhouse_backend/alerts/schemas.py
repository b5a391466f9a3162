"""Series with what is found in them, as the API shows them."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.series.schemas import SeriesCourse, SeriesFacts


class SeriesSummaryRead(SeriesFacts):
    """A series in a list."""

    change_points_count: int
    """Confirmed ones."""


class ChangePointRead(BaseModel):
    """Where a series shifted."""

    id: UUID
    at: datetime.datetime
    campaign_id: UUID
    before: float
    after: float
    relative: float
    p_value: float
    profile: Literal["watch", "strict"] | None
    status: Literal["candidate", "confirmed"]
    state: str


class SeriesRead(SeriesCourse):
    """A series with its points and where it shifted."""

    change_points_count: int
    """Confirmed ones."""
    change_points: list[ChangePointRead]
