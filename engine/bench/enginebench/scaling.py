"""`make bench-scaling`: the engine from one connection to many, one shard and two, without and with
pipelining, on one server.
"""

import argparse
import sys
from itertools import product

from enginebench.client import run
from enginebench.machine import client_prefix, cores, description, require
from enginebench.server import server
from enginebench.weighhouse import Weighhouse, closed, events_of, order

CONNECTIONS = (1, 2, 4, 8, 16, 32, 64, 128)
SHARDS = (1, 2)
DEPTHS = (1, 5, 10, 25, 50)


def caveat() -> str:
    """What this machine's cores mean for the table."""
    count = len(cores())
    lines = [f"{count} cores: Redis answers in one thread, on one of them."]
    for shards in SHARDS:
        own = bool(client_prefix(shards)) and count > 1
        words = "has" if shards == 1 else "have"
        place = (
            "cores of their own: its rate ends where the server's core or its own is full"
            if own
            else "no cores of their own and share them with the server: what is lower there says "
            "nothing of the engine"
        )
        lines.append(f"{shards} shard{'s' * (shards > 1)} {words} {place}.")
    return "\n".join(lines)


def main() -> int:
    """Measures every combination, once each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("driver", help="the built weighhouse-driver-resp")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run")
    asked = parser.parse_args()
    engine = Weighhouse.at(asked.driver)
    require("redis-server", "taskset")
    print(description(engine.version, []))
    print(f"\n{caveat()}\n")
    print(f"closed loop, GET of 1,000 bytes, {asked.seconds:g} s each\n")
    print(
        "| shards | connections | depth | operations/s | client CPU, µs/op | p50, µs | p99, µs | |"
    )
    print(f"|{' --- |' * 8}")
    with server() as running:
        engine.load(running.port)
        for shards, connections, depth in product(SHARDS, CONNECTIONS, DEPTHS):
            if connections < shards:
                continue
            phase = {"kind": "measure", "duration_seconds": asked.seconds}
            text = order(running.port, closed(connections, depth), phase, shards=shards)
            ran = run(engine.job(text), threads=shards)
            found = ran.figures[""]
            ended = next(one for one in events_of(ran.output) if one["event"] == "phase_finished")
            mark = "client-bound" if ended["client_bound"] else ""
            print(
                f"| {shards} | {connections} | {depth} | {found.rate:,.0f} "
                f"| {ran.cpu / found.operations:.2f} | {found.p50:,.0f} | {found.p99:,.0f} "
                f"| {mark} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
