"""Reads what memtier_benchmark writes: its JSON, with a whole histogram of each command."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighhouse_sdk.errors import DriverFailed
from weighhouse_sdk.toolrun.histograms import HistogramUnreadable, decoded

NS_PER_US = 1000
US_PER_MS = 1000


@dataclass(frozen=True)
class Outcome:
    """One run of memtier_benchmark."""

    start_us: int
    """Unix time of its first request, µs."""
    finish_us: int
    """Unix time at which it ended, µs; the mean of its connections when it ended at a count."""
    counts: Mapping[str, Mapping[int, int]]
    """Command in lower case → time of an answer in ns → how many."""


def read(path: Path) -> Outcome:
    """What a run measured.

    :param path: what `--json-out-file` named.
    :raises DriverFailed: when it is not what memtier_benchmark 2 writes.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        stats = document["ALL STATS"]
        runtime = stats["Runtime"]
        found = {
            name.lower().removesuffix("s"): _histogram(told)
            for name, told in stats.items()
            if name not in ("Runtime", "Totals") and isinstance(told, dict) and told["Count"]
        }
        start, finish = (int(runtime[f"{each} time"]) * US_PER_MS for each in ("Start", "Finish"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DriverFailed(
            f"memtier_benchmark wrote no results that are known: {error}",
            "versions from 2.0 on write whole histograms into their JSON; its last lines tell more",
        ) from error
    return Outcome(start, finish, found)


def _histogram(told: Mapping[str, Any]) -> dict[int, int]:
    """Values of its histograms are µs."""
    text = told["Percentile Latencies"]["Histogram log format"]["Compressed Histogram"]
    try:
        counts = decoded(str(text), unit_ns=NS_PER_US)
    except HistogramUnreadable as error:
        raise ValueError(str(error)) from error
    if sum(counts.values()) != told["Count"]:
        message = f"a histogram has {sum(counts.values())} of {told['Count']} answers"
        raise ValueError(message)
    return counts
