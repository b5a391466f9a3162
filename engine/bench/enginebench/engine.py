"""`make bench-engine`: what an operation costs the engine, counted, and timed beside its peers.

Timed: all clients load the same server, in turn, several rounds; the one that begins changes from
round to round. Nothing is judged but what was counted: beyond its budget the program ends with 1.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from enginebench import counted
from enginebench.arithmetic import ratio_of_medians, steady_rate
from enginebench.client import Client, run
from enginebench.machine import Bystanders, cores, description, require
from enginebench.peers import present
from enginebench.server import Server, server
from enginebench.weighhouse import Weighhouse

LEVELS = ((8, 1), (32, 1), (8, 10))
"""Connections and depth."""
SHORT = 10
"""A short run has this share of the operations."""
SLOW = 10
"""As has a run on a slow server."""


@dataclass(frozen=True)
class Timed:
    """One timed run: operations a second, µs of client CPU an operation, latencies in µs."""

    rate: float
    cpu: float
    p50: float
    p99: float
    p999: float


COLUMNS = (
    ("rate", "operations/s", ",.0f"),
    ("cpu", "client CPU, µs/op", ".2f"),
    ("p50", "p50, µs", ",.0f"),
    ("p99", "p99, µs", ",.0f"),
    ("p999", "p99.9, µs", ",.0f"),
)


def timed(client: Client, running: Server, connections: int, depth: int, operations: int) -> Timed:
    """Runs a client at full speed. Its CPU is the difference of this run and a short one, so that
    what it needs to start (a virtual machine, say) does not count. Its rate is what the server
    saw, for not every client's own is right.
    """
    port = running.port
    short = operations // SHORT
    start = run(client.full_speed(port, connections, depth, short))
    whole = run(client.full_speed(port, connections, depth, operations), watch=running)
    found = whole.figures[""]
    cpu = (whole.cpu - start.cpu) / (operations - short)
    return Timed(steady_rate(whole.seen), cpu, found.p50, found.p99, found.p999)


def compare(
    clients: Sequence[Client],
    running: Server,
    repeats: int,
    operations: int,
    level: tuple[int, int],
) -> None:
    """Prints the clients' medians, and the first one's ratio to each other."""
    connections, depth = level
    taking_part = [one for one in clients if depth == 1 or one.pipelines]
    found: dict[str, list[Timed]] = {one.name: [] for one in taking_part}
    for turn in range(repeats):
        first = turn % len(taking_part)
        for one in (*taking_part[first:], *taking_part[:first]):
            found[one.name].append(timed(one, running, connections, depth, operations))
    print(f"\n### {connections} connections, depth {depth}\n")
    print(f"| median of {repeats} | {' | '.join(label for _, label, _ in COLUMNS)} |")
    print(f"|{' --- |' * (len(COLUMNS) + 1)}")
    for name, runs in found.items():
        values = [
            format(statistics.median(getattr(one, key) for one in runs), form)
            for key, _, form in COLUMNS
        ]
        print(f"| {name} | {' | '.join(values)} |")
    ours, *others = taking_part
    for other in others:
        ratios = [
            str(
                ratio_of_medians(
                    [getattr(one, key) for one in found[ours.name]],
                    [getattr(one, key) for one in found[other.name]],
                )
            )
            for key, _, _ in COLUMNS
        ]
        print(f"| {ours.name} / {other.name} | {' | '.join(ratios)} |", flush=True)


def side_by_side(
    engine: Weighhouse, running: Server, peers: list[Client], asked: argparse.Namespace
) -> None:
    """All clients on a fast server, then on one so slow that no client is what limits."""
    clients: list[Client] = [engine, *peers]
    for client in peers:
        client.load(running.port)
    place = "server and client on a core each" if len(cores()) > 1 else "all on one core"
    print(f"\nside by side: {asked.operations:,} reads of 1,000 bytes a run; {place}")
    print("operations/s as the server counts them; ratios of medians, 95 % bootstrap intervals")
    print("how they ask: " + "; ".join(f"{one.name}: {one.reads_by}" for one in clients))
    for level in LEVELS:
        compare(clients, running, asked.repeats, asked.operations, level)


def main() -> int:
    """Runs what is asked for; 1 when the budget is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("driver", help="the built weighhouse-driver-resp")
    parser.add_argument("--counted", action="store_true", help="count only, time nothing")
    parser.add_argument("--repeats", type=int, default=7, help="timed runs of each client")
    parser.add_argument("--operations", type=int, default=300_000, help="operations a timed run")
    asked = parser.parse_args()
    engine = Weighhouse.at(asked.driver)
    others = Bystanders()
    require("redis-server", "valgrind", "strace", "taskset")
    peers, missing = ([], []) if asked.counted else present()
    print(description(engine.version, [f"{one.name} {one.version}" for one in peers]))
    for absent in missing:
        print(f"not present: {absent}")
    print(flush=True)
    with server() as running:
        engine.load(running.port)
        found = counted.report(engine, running.port)
        if not asked.counted:
            side_by_side(engine, running, peers, asked)
    if not asked.counted:
        print("\nthe same with a server so slow that no client is what limits (valgrind runs it)")
        with server(slow=True) as running:
            for client in (engine, *peers):
                client.load(running.port)
            operations = asked.operations // SLOW
            compare([engine, *peers], running, asked.repeats, operations, LEVELS[0])
        print(f"\n{others}")
    document = {
        f"{one.way} depth{one.depth}": {
            "instructions": round(one.instructions, 1),
            "syscalls": round(one.syscalls, 3),
        }
        for one in found
    }
    print(json.dumps(document))
    return 0 if all(one.within for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
