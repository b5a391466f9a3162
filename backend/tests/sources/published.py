"""Results of an invented study, as somebody would keep them."""

from copy import deepcopy
from typing import Any

STUDY: dict[str, Any] = {
    "version": 1,
    "source": {
        "title": "Stores under load", "authors": "A. Nother; S. Omebody", "date": "May 2025",
        "sponsor": "none stated", "machines": "one laptop, 12 cores", "tool": "YCSB",
        "licence": "CC BY 4.0",
    },
    "sides": [
        {"name": "redis", "label": "Redis", "system": "redis"},
        {"name": "fastest", "label": "FastestDB", "system": "FastestDB", "sponsor": True},
    ],
    "cells": [
        {
            "side": "redis", "workload": "reads",
            "load": {"clients": 32, "pipeline": 1, "loop": "closed"},
            "figures": [
                {
                    "figure": "throughput", "value": 25_000.0, "low": 24_500.0, "high": 25_500.0,
                    "printed": "25 k ops/s", "place": "Table 2",
                },
                {
                    "figure": "p99_us", "value": 3_200.0, "low": 3_150.0, "high": 3_250.0,
                    "printed": "3.2 ms", "place": "Table 2",
                },
            ],
        },
        {
            "side": "fastest", "workload": "reads",
            "load": {"clients": 32, "pipeline": 1, "loop": "closed"},
            "figures": [
                {"figure": "throughput", "value": 25_000.0, "printed": "25000 ops/s"},
                {"figure": "mean_us", "value": 436_000.0, "printed": "436 ms"},
            ],
        },
    ],
}  # fmt: skip


def study(**source: Any) -> dict[str, Any]:
    """The study, with other facts of its source."""
    found = deepcopy(STUDY)
    found["source"] |= source
    return found
