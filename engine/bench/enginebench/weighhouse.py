"""The engine's driver for RESP as a client."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hdrh.histogram import HdrHistogram

from enginebench.client import RECORDS, VALUE_BYTES, Figures, Job, run
from enginebench.machine import output_of

LONGEST_NS = 60_000_000_000
SEED = 1
DATABASE = 1
"""Its records lie apart: YCSB's have the same keys."""


def order(
    port: int,
    load: Mapping[str, object],
    phase: Mapping[str, object],
    *,
    shards: int = 1,
    interval: float = 1.0,
    io: str = "epoll",
) -> str:
    """An order to the driver: uniform reads of one string a record, in one phase."""
    return json.dumps(
        {
            "workload": {
                "name": "get",
                "record_count": RECORDS,
                "field_count": 1,
                "field_length": VALUE_BYTES,
                "operations": {"read": 1.0},
                "request_distribution": "uniform",
            },
            "target": {
                "endpoints": [f"tcp://127.0.0.1:{port}"],
                "options": {"layout": "string", "database": DATABASE, "io": io},
            },
            "load": load,
            "phases": [phase],
            "seed": SEED,
            "interval_seconds": interval,
            "shards": shards,
        }
    )


def closed(clients: int, depth: int = 1, **more: object) -> dict[str, object]:
    """The load of a closed loop."""
    return {"model": "closed", "clients": clients, "pipeline": depth, **more}


def events_of(output: str) -> list[dict[str, Any]]:
    """The events that a driver wrote."""
    return [json.loads(line) for line in output.splitlines()]


def figures_of(output: str) -> dict[str, Figures]:
    """Response times of a run's one measured phase; ends the program when an operation failed."""
    latencies = HdrHistogram(1, LONGEST_NS, 3)
    seconds, outcomes = 1.0, {}
    for event in events_of(output):
        if event["event"] == "interval":
            outcome = event["operations"].get("read", {}).get("ok")
            if outcome:
                latencies.decode_and_add(outcome["response"])
        if event["event"] == "phase_finished":
            seconds = event["duration_us"] / 1e6
            outcomes = event["operations"].get("read", {})
    count = latencies.get_total_count()
    if not count or outcomes.get("not_found") or any(outcomes.get("errors", {}).values()):
        raise SystemExit(f"weighhouse: not every operation succeeded: {outcomes}")

    def at(percent: float) -> float:
        return float(latencies.get_value_at_percentile(percent)) / 1e3

    return {"": Figures(count, count / seconds, at(50), at(95), at(99), at(99.9))}


@dataclass(frozen=True)
class Weighhouse:
    """The driver at a path."""

    driver: str
    described: dict[str, Any] = field(default_factory=dict)
    name: str = "weighhouse"
    reads_by: str = "GET"
    pipelines: bool = True
    paces: bool = True

    @classmethod
    def at(cls, driver: str) -> "Weighhouse":
        """Asks the driver what it can; ends the program when it is not there."""
        text = output_of([driver, "--describe"])
        if not text:
            raise SystemExit(f"{driver} cannot be started; `make install` builds it")
        return cls(driver, json.loads(text))

    @property
    def version(self) -> str:
        """The driver's version."""
        return str(self.described["version"])

    def load(self, port: int) -> None:
        """Writes its records."""
        run(Job([self.driver], lambda _: {}, order(port, closed(8), {"kind": "load"})))

    def job(self, text: str) -> Job:
        """A run by an order."""
        return Job([self.driver], figures_of, text)

    def full_speed(self, port: int, connections: int, depth: int, operations: int) -> Job:
        """A closed loop."""
        phase = {"kind": "measure", "operation_count": operations}
        return self.job(order(port, closed(connections, depth), phase))

    def open_loop(
        self, port: int, connections: int, rate: int, seconds: int, shape: Mapping[str, object]
    ) -> Job:
        """An open loop; `shape` is what of its load is not the default."""
        load = {
            "model": "open",
            "rate_per_second": rate,
            "connections": connections,
            # What is due within a stall of a second, more than once over.
            "max_in_flight": 4 * rate,
            **shape,
        }
        return self.job(order(port, load, {"kind": "measure", "duration_seconds": seconds}))

    def paced(self, port: int, connections: int, rate: int, seconds: int) -> Job:
        """An open loop at a constant rate."""
        return self.open_loop(port, connections, rate, seconds, {})
