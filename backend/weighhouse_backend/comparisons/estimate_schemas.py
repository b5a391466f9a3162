"""Figures of repeats and cells as the API shows them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field
from weighhouse_protocol.figures import Statistic


class EstimateRead(BaseModel):
    """The median of repeats with its interval, or with their range where they are too few."""

    median: float
    low: float
    high: float
    kind: Literal["interval", "range"]
    """`range`: fewer than four repeats, from the least to the greatest; no confidence."""
    repeats: int
    confidence: float | None


class FigureRead(EstimateRead):
    """A figure of a cell."""

    statistic: Statistic | Literal["mixed"]
    """How the values of its repeats came about."""


_Value = Annotated[float | None, Field(deprecated="read it in `figures`")]
_Estimate = Annotated[EstimateRead | None, Field(deprecated="read it in `figures`")]


class FormerRepeat(BaseModel):
    """Figures of a repeat under the names they had beside `figures`; answered for one release."""

    throughput: _Value = None
    p50_us: _Value = None
    p95_us: _Value = None
    p99_us: _Value = None
    p999_us: _Value = None
    mean_us: _Value = None
    memory_before_bytes: _Value = None
    memory_after_load_bytes: _Value = None
    memory_after_bytes: _Value = None
    load_throughput: _Value = None


class FormerCell(BaseModel):
    """The same of a cell."""

    throughput: _Estimate = None
    mean_us: _Estimate = None
    p50_us: _Estimate = None
    p95_us: _Estimate = None
    p99_us: _Estimate = None
    p999_us: _Estimate = None
    memory_before_bytes: _Estimate = None
    memory_after_load_bytes: _Estimate = None
    memory_after_bytes: _Estimate = None
    load_throughput: _Estimate = None
