"""Time series: a workload whose records are data points.

Names and defaults are those of YCSB's TimeSeriesWorkload (core/src/main/java/site/ycsb), written in
snake case.
"""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document, Fraction

MOST_SERIES = 10**9
LETTERS = 52
"""Letters that names are made of: A to Z, a to z."""
START_SECONDS = 1_483_228_800
"""The first moment when none is given: the beginning of 2017."""


class TimeSeries(Document):
    """Records are the data points of time series: all series have a point at a moment before any
    has one at the next.

    A point's key is the series' name, the values of its tags and the moment, with dots between; so
    the keys of a series are in order of time.
    """

    series_keys: int = Field(default=10, ge=1, le=1_000_000)
    """Names of series (YCSB's fieldcount)."""
    tag_cardinalities: tuple[Annotated[int, Field(ge=1, le=1_000_000)], ...] = Field(
        default=(1, 2, 4, 8), max_length=16
    )
    """Values of each tag; every name has a series for every combination."""
    key_length: int = Field(default=8, ge=1, le=128)
    """Letters in a name (YCSB's fieldlength)."""
    tag_value_length: int = Field(default=8, ge=1, le=128)
    unit: Literal["seconds", "milliseconds"] = "seconds"
    """What moments are counted in, since 1970."""
    start: int | None = Field(default=None, ge=0, le=10**16)
    """The first moment; default: the beginning of 2017."""
    interval: int = Field(default=60, ge=1, le=10**9)
    """From one moment to the next."""
    shuffled: bool = True
    """The series of a moment are written in a shuffled order."""
    delayed_fraction: Fraction = 0.1
    """Share of the series that are late."""
    delayed_intervals: int = Field(default=5, ge=0, le=1_000_000)
    """They are late by up to so many intervals, this one left out."""

    @property
    def series(self) -> int:
        """All series."""
        return self.series_keys * math.prod(self.tag_cardinalities)

    @property
    def first_moment(self) -> int:
        """The first moment, in `unit`."""
        if self.start is not None:
            return self.start
        return START_SECONDS * (1 if self.unit == "seconds" else 1000)

    @model_validator(mode="after")
    def _names_suffice(self) -> Self:
        if self.series > MOST_SERIES:
            message = f"series_keys × tag_cardinalities: more than {MOST_SERIES:,} series"
            raise ValueError(message)
        for name, length, count in (
            ("key_length", self.key_length, self.series_keys),
            ("tag_value_length", self.tag_value_length, max(self.tag_cardinalities, default=1)),
        ):
            if LETTERS**length < count:
                message = f"{name}: {length} letters do not make {count:,} names"
                raise ValueError(message)
        if self.first_moment < self.interval * self.delayed_intervals:
            message = "start: late series would begin before 1970"
            raise ValueError(message)
        return self
