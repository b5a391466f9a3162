"""Histograms by the reference library, as a driver would write them, from known latencies."""

import base64

import numpy as np
from hdrh.histogram import HdrHistogram


def histogram(values_ns: list[int]) -> str:
    """As text: V2, deflated, base64."""
    made = HdrHistogram(1, 60_000_000_000, 3)
    for value in values_ns:
        made.record_value(value)
    return made.encode().decode()


def raw(text: str) -> bytes:
    """As bytes."""
    return base64.b64decode(text)


def latencies(seed: int, count: int, median_us: float = 100.0) -> list[int]:
    """Skewed latencies in ns."""
    drawn = np.random.default_rng(seed).lognormal(np.log(median_us * 1000), 0.4, count)
    return [int(value) for value in drawn]
