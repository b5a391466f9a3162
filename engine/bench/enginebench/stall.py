"""`make bench-stall`: who sees that a server stood still?

2,000 operations a second over 8 connections for 10 s; in the middle the server is stopped
(SIGSTOP) for 1 s. How long operations took is known without measuring: those due in that second
waited for its end. What each load model, and each client that can keep a rate, reports stands
beside that.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from enginebench.arithmetic import Profile, Schedule, Sine, Steps, Truth, stall_truth
from enginebench.client import Client, Figures, Job, Ran, run
from enginebench.machine import Bystanders, description, require
from enginebench.peers import present
from enginebench.server import Server, Stall, server
from enginebench.weighhouse import Weighhouse, closed, events_of, order

RATE = 2_000
CONNECTIONS = 8
SECONDS = 10
STALL_SECONDS = 1.0
STOP_AFTER = int(RATE * SECONDS * 0.4)
"""Reads before the stop."""
SHARES = {"p95": 0.95, "p99": 0.99, "p999": 0.999}
LABELS = {"p95": "p95", "p99": "p99", "p999": "p99.9"}

PROFILES: Mapping[str, Profile] = {"sine": Sine(5.0, 0.5), "steps": Steps(2.0, (0.5, 1.5))}
"""The profiles that there is arithmetic for."""


@dataclass(frozen=True)
class Model:
    """A load model of the engine, and the schedule that tells the truth of it."""

    label: str
    job: Job
    schedule: Schedule = field(default_factory=lambda: Schedule(RATE))
    random: bool = False


def models(engine: Weighhouse, port: int) -> list[Model]:
    """The load models that the driver says it has; the closed loop last."""

    def opened(shape: Mapping[str, object]) -> Job:
        return engine.open_loop(port, CONNECTIONS, RATE, SECONDS, shape)

    found = [
        Model(f"open, {arrival}", opened({"arrival": arrival}), random=arrival == "poisson")
        for arrival in engine.described.get("arrivals", ["constant", "poisson"])
    ]
    for name in engine.described.get("profiles", []):
        if name not in PROFILES:
            print(f"profile {name}: no arithmetic for it here")
            continue
        profile = PROFILES[name]
        job = opened({"profile": profile.document()})
        found.append(Model(f"open, {name}", job, Schedule(RATE, profile)))
    if "closed" in engine.described["load_models"]:
        # The pause that leads to the same rate when answers need no time.
        load = closed(CONNECTIONS, think_time_us=CONNECTIONS * 1_000_000 // RATE)
        text = order(port, load, {"kind": "measure", "duration_seconds": SECONDS})
        found.append(Model("closed, with pauses (omits)", engine.job(text)))
    return found


@dataclass
class Row:
    """What was found of one model or client: a value a repeat, in ms, and the truth of each."""

    label: str
    found: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SHARES})
    truths: dict[str, list[Truth | None]] = field(
        default_factory=lambda: {name: [] for name in SHARES}
    )
    rates: list[float] = field(default_factory=list)

    def add(self, figures: Figures, truths: Mapping[str, Truth | None]) -> None:
        """One more repeat."""
        for name in SHARES:
            self.found[name].append(getattr(figures, name) / 1e3)
            self.truths[name].append(truths[name])
        self.rates.append(figures.rate)

    def median(self, name: str) -> float:
        """The median of the repeats, ms."""
        return statistics.median(self.found[name])

    def cell(self, name: str) -> str:
        """The figure beside the truth."""
        truths = [one for one in self.truths[name] if one is not None]
        if len(truths) < len(self.truths[name]):
            return f"{self.median(name):,.1f}"
        truth = statistics.median(one.milliseconds for one in truths)
        chance = statistics.median(one.deviation for one in truths)
        error = (self.median(name) / truth - 1) * 100
        by_chance = f" ± {chance:.0f}" if chance else ""
        return f"{self.median(name):,.1f} of {truth:,.0f}{by_chance} ({error:+.1f} %)"

    def line(self) -> str:
        """As a line of the table."""
        cells = [self.cell(name) for name in SHARES]
        return f"| {self.label} | {statistics.median(self.rates):,.0f} | {' | '.join(cells)} |"


def truths_of(ran: Ran, stall: Stall, model: Model | None) -> dict[str, Truth | None]:
    """The true percentiles of a run. For a client that does not say when it began, those of a stall
    of the length that was measured in an even schedule, where it does not matter when.
    """
    length = stall.ended_at - stall.began_at
    began = SECONDS / 2 - length / 2
    schedule = model.schedule if model else Schedule(RATE)
    if model:
        started = next(one for one in events_of(ran.output) if one["event"] == "phase_started")
        began = stall.began_at - started["at_us"] / 1e6
    when = (began, began + length)
    random = model.random if model else False
    return {
        name: stall_truth(schedule, SECONDS, when, share, random=random)
        for name, share in SHARES.items()
    }


def measure(
    running: Server, job: Job, model: Model | None, row: Row, extra: dict[str, Row]
) -> None:
    """One run; figures of another name than the first go to a row of `extra`."""
    ran = run(job, stop=(running, STOP_AFTER, STALL_SECONDS))
    if ran.stall is None:
        raise SystemExit(f"{row.label}: ended before the stall")
    truths = truths_of(ran, ran.stall, model)
    for name, figures in ran.figures.items():
        if name:
            extra.setdefault(name, Row(f"{row.label}, {name}")).add(figures, truths)
        else:
            row.add(figures, truths)


def main() -> int:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("driver", help="the built weighhouse-driver-resp")
    parser.add_argument("--only", choices=["weighhouse"], help="without peers")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each; medians are shown")
    asked = parser.parse_args()
    engine = Weighhouse.at(asked.driver)
    others = Bystanders()
    require("redis-server", "taskset")
    peers: list[Client]
    peers, missing = ([], []) if asked.only else present()
    print(description(engine.version, [f"{one.name} {one.version}" for one in peers]))
    for absent in missing:
        print(f"not present: {absent}")
    print(
        f"\n{RATE:,} operations a second over {CONNECTIONS} connections for {SECONDS} s, server "
        f"stopped for {STALL_SECONDS:.0f} s; median of {asked.repeats}; ms found of true ms\n"
    )
    print(f"| | operations/s | {' | '.join(LABELS.values())} |")
    print(f"|{' --- |' * (len(SHARES) + 2)}")
    rows: list[Row] = []
    with server() as running:
        for client in (engine, *peers):
            client.load(running.port)
        for model in models(engine, running.port):
            row = Row(f"weighhouse, {model.label}")
            for _ in range(asked.repeats):
                measure(running, model.job, model, row, {})
            rows.append(row)
            print(row.line(), flush=True)
        for peer in peers:
            if not peer.paces:
                print(f"| {peer.name} | has no rate | | | |")
                continue
            row, extra = Row(peer.name), dict[str, Row]()
            for _ in range(asked.repeats):
                job = peer.paced(running.port, CONNECTIONS, RATE, SECONDS)
                measure(running, job, None, row, extra)
            for one_row in (row, *extra.values()):
                print(one_row.line(), flush=True)
    constant = rows[0]
    document = {f"{name}_ms": round(constant.median(name), 2) for name in SHARES}
    print(f"\n{others}")
    print(json.dumps({**document, "rate": round(statistics.median(constant.rates), 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
