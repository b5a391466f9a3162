"""Distributions of a run, as charts take them."""

from pydantic import BaseModel


class SpectrumPointRead(BaseModel):
    """`count` operations took at most `value_us`."""

    quantile: float
    value_us: float
    count: int


class SpectrumRead(BaseModel):
    """Latency by percentile, by operation."""

    operations: dict[str, list[SpectrumPointRead]]


class HeatMapRead(BaseModel):
    """Operations by time and latency; `counts[i][j]` belongs to the seconds from `t[i]` to
    `until[i]`, and to `buckets_us[j]`, the lower end of a row.
    """

    t: list[float]
    until: list[float]
    buckets_us: list[float]
    counts: list[list[int]]
