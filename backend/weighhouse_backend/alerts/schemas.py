"""Series with what is found in them, as the API shows them."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.alerts.states import AlertState
from weighhouse_backend.series.schemas import (
    NoiseBandRead,
    SeriesCourse,
    SeriesFacts,
)


class SeriesSummaryRead(SeriesFacts):
    """A series in a list."""

    change_points_count: int
    """Confirmed ones."""
    course: list[float]
    """By its latest campaigns of the main line, 30 at most, from the oldest on."""


class ChangePointRead(BaseModel):
    """Where a series shifted."""

    id: UUID
    kind: Literal["step", "drift", "spread", "moved"]
    at: datetime.datetime
    campaign_id: UUID
    """The first campaign of what is new; of a drift, the last before it."""
    ended_by_id: UUID | None
    """Of a drift that is over: the first campaign of the lasting level."""
    before: float
    """Levels; of a change of spread, standard deviations relative to the level."""
    after: float
    relative: float
    p_value: float
    """Adjusted for the places where the change could have begun."""
    autocorrelation: float
    effective_points: float | None
    """How many independent points the segment was worth."""
    profile: Literal["watch", "strict"] | None
    downstream_of_id: UUID | None
    """The change point that explains this one."""
    alert_id: UUID | None
    """The alert that tells of it; null: it is a candidate, or the project's rule keeps it quiet."""
    status: Literal["candidate", "confirmed"]
    confirmed_at: datetime.datetime | None
    state: AlertState
    """Of its alert."""


class SeriesRead(SeriesCourse):
    """A series with its points and where it shifted."""

    change_points_count: int
    """Confirmed ones."""
    change_points: list[ChangePointRead]
    bands: list[NoiseBandRead]
    """What its machines cannot tell, about each level; none where they were never measured."""
