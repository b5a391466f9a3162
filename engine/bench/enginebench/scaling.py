"""`make bench-scaling`: the engine from one connection to many, one shard and two, without and with
pipelining, on one server.
"""

import argparse
import statistics
import sys
from dataclasses import dataclass
from itertools import product

from enginebench.client import run
from enginebench.machine import Bystanders, client_prefix, cores, description, require
from enginebench.server import server
from enginebench.weighhouse import Weighhouse, closed, events_of, order

CONNECTIONS = (1, 2, 4, 8, 16, 32, 64, 128)
SHARDS = (1, 2)
DEPTHS = (1, 5, 10, 25, 50)


@dataclass(frozen=True)
class Point:
    """One run."""

    rate: float
    cpu: float
    p50: float
    p99: float
    client_bound: bool


def caveat() -> str:
    """What this machine's cores mean for the table."""
    count = len(cores())
    lines = [f"{count} cores: Redis answers in one thread, on one of them."]
    for shards in SHARDS:
        who = f"{shards} shard{'s' * (shards > 1)}"
        place = "kept off the server's core"
        if not client_prefix(shards):
            place = (
                "too few cores, so shards and server take turns on all of them; what is lower "
                "there says nothing of the engine"
            )
        lines.append(f"{who}: {place}.")
    return "\n".join(lines)


def measure(engine: Weighhouse, port: int, case: tuple[int, int, int], seconds: float) -> Point:
    """One run of shards, connections and depth."""
    shards, connections, depth = case
    phase = {"kind": "measure", "duration_seconds": seconds}
    text = order(port, closed(connections, depth), phase, shards=shards)
    ran = run(engine.job(text), threads=shards)
    found = ran.figures[""]
    ended = next(one for one in events_of(ran.output) if one["event"] == "phase_finished")
    return Point(
        found.rate, ran.cpu / found.operations, found.p50, found.p99, bool(ended["client_bound"])
    )


def line(case: tuple[int, int, int], points: list[Point]) -> str:
    """Medians as a line of the table; client-bound when most runs were."""

    def median(name: str) -> float:
        return float(statistics.median(getattr(one, name) for one in points))

    bound = "client-bound" if median("client_bound") else ""
    return (
        f"| {' | '.join(map(str, case))} | {median('rate'):,.0f} | {median('cpu'):.2f} "
        f"| {median('p50'):,.0f} | {median('p99'):,.0f} | {bound} |"
    )


def main() -> int:
    """Measures every combination in each of several rounds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("driver", help="the built weighhouse-driver-resp")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each run")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; medians are shown")
    asked = parser.parse_args()
    engine = Weighhouse.at(asked.driver)
    others = Bystanders()
    require("redis-server", "taskset")
    print(description(engine.version, []))
    print(f"\n{caveat()}\n")
    print(
        f"closed loop, GET of 1,000 bytes, {asked.seconds:g} s a run; median of {asked.repeats}\n",
        flush=True,
    )
    cases = [one for one in product(SHARDS, CONNECTIONS, DEPTHS) if one[1] >= one[0]]
    found: dict[tuple[int, int, int], list[Point]] = {one: [] for one in cases}
    with server() as running:
        engine.load(running.port)
        for _ in range(asked.repeats):
            for case in cases:
                found[case].append(measure(engine, running.port, case, asked.seconds))
    print(
        "| shards | connections | depth | operations/s | client CPU, µs/op | p50, µs | p99, µs | |"
    )
    print(f"|{' --- |' * 8}")
    for case, points in found.items():
        print(line(case, points))
    print(f"\n{others}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
