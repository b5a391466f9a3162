"""What an agent would report: intervals with real histograms, made from known latencies."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram

START_US = 1_795_000_000_000_000
FACTS = {
    "hostname": "host", "machine_id": "m", "cpu_model": "Some CPU", "cores": 4,
    "memory_bytes": 8 << 30, "kernel": "6.18", "operating_system": "Debian 12",
    "architecture": "x86_64",
}  # fmt: skip


def histogram(values_ns: list[int]) -> str:
    """Encoded by the reference library, as a driver would."""
    made = HdrHistogram(1, 60_000_000_000, 3)
    for value in values_ns:
        made.record_value(value)
    return made.encode().decode()


def latencies(seed: int, count: int, median_us: float = 100.0) -> list[int]:
    """Skewed latencies in ns."""
    drawn = np.random.default_rng(seed).lognormal(np.log(median_us * 1000), 0.4, count)
    return [int(value) for value in drawn]


def recorded(values_ns: list[int]) -> dict[str, Any]:
    return {"count": len(values_ns), "response": histogram(values_ns)}


def interval(
    number: int,
    operations: dict[str, Any],
    *,
    phase: str = "measure",
    index: int = 2,
    duration_us: int = 1_000_000,
    driver: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A driver's interval."""
    start = START_US + number * 1_000_000
    return {
        "event": "interval", "at_us": start + duration_us, "elapsed_us": (number + 1) * 1_000_000,
        "phase": phase, "index": index, "sequence": number, "start_us": start,
        "duration_us": duration_us, "operations": operations,
        "driver": driver or {"cpu_us": 400_000},
    }  # fmt: skip


def described(**changes: Any) -> dict[str, Any]:
    """What was set up."""
    return {
        "kind": "target", "version": "7.0.15", "endpoints": ["tcp://127.0.0.1:7001"],
        "effective_configuration": [
            {"name": "appendonly", "value": "no", "default": "no"},
            {"name": "save", "value": "", "default": "3600 1", "source": "plugin"},
        ],
        "commands": ["redis-server --port 7001"], "facts": FACTS, "co_located": True, **changes,
    }  # fmt: skip


def numbered(events: list[dict[str, Any]], first: int = 0) -> list[dict[str, Any]]:
    """Events with their sequence, one a millisecond."""
    return [
        {"sequence": first + place, "at_us": START_US + (first + place) * 1000, **event}
        for place, event in enumerate(events)
    ]


def whole_run(
    *,
    seed: int = 1,
    rate: int = 200,
    median_us: float = 100.0,
    records: int = 50,
    seconds: int = 3,
    memory: int = 10_000_000,
    **target: Any,
) -> list[dict[str, Any]]:
    """All events of an attempt: load, warm-up, `seconds` of measuring at `rate` a second."""
    return numbered(list(_events(seed, rate, median_us, records, seconds, memory, target)))


def _events(
    seed: int,
    rate: int,
    median_us: float,
    records: int,
    seconds: int,
    memory: int,
    target: dict[str, Any],
) -> Iterator[dict[str, Any]]:
    def wrapped(made: dict[str, Any]) -> dict[str, Any]:
        return {"kind": "interval", "interval": made}

    yield {"kind": "phase", "phase": "deploy"}
    yield described(**target)
    yield {"kind": "memory", "moment": "before", "resident_bytes": 5_000_000}
    yield {"kind": "phase", "phase": "load"}
    load = {"insert": {"ok": recorded(latencies(seed, records))}}
    yield wrapped(interval(0, load, phase="load", index=0))
    yield ended("load", {"insert": {"ok": records}})
    yield {"kind": "memory", "moment": "after_load", "resident_bytes": memory}
    yield {"kind": "phase", "phase": "warmup"}
    warm = {"read": {"ok": recorded(latencies(seed + 1, 10, median_us * 50))}}
    yield wrapped(interval(1, warm, phase="warmup", index=1))
    yield {"kind": "phase", "phase": "measure"}
    for second in range(seconds):
        half = rate // 2
        operations = {
            "read": {"ok": recorded(latencies(seed * 100 + second, rate - half, median_us))},
            "update": {"ok": recorded(latencies(seed * 100 + second + 50, half, median_us))},
        }
        yield wrapped(interval(2 + second, operations))
        yield {
            "kind": "sample", "at_us": START_US + (3 + second) * 1_000_000,
            "cpu_percent": 40.0 + second, "resident_bytes": memory,
            "driver_cpu_percent": 30.0,
        }  # fmt: skip
    read = seconds * (rate - rate // 2)
    wire = {"sent": 40 * read, "received": 1010 * read}
    yield ended("measure", {"read": {"ok": read}}, duration_us=seconds * 1_000_000, wire=wire)
    yield {"kind": "mark", "mark": "stopped", "label": "server stopped"}
    yield {"kind": "memory", "moment": "after", "resident_bytes": memory + 1000}


def ended(phase: str, operations: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A phase's end."""
    return {
        "kind": "phase_ended", "phase": phase, "duration_us": 1_000_000, "operations": operations,
        **changes,
    }  # fmt: skip


def raw(text: str) -> bytes:
    """Bytes of an encoded histogram."""
    return base64.b64decode(text)
