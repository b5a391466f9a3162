"""What a comparison of eight sides at six levels costs: `make bench-comparison`.

A PostgreSQL and a Redis of its own, into which the platform's own services invent one campaign,
five repeats of each cell; then the whole application is asked, as the comparison's page and its
neighbours ask it. Each answer is told with its time (p50, p95) and its processor time, with how
much of the time went into judging, queries and serialising, and with work that is counted: pairs
of sides judged, pairs judged again, rankings, readings of figures, queries. The last line is JSON.
Goals: no pair is judged again, figures are read once, and p95 is under 300 ms on a quiet machine.
"""

import argparse
import datetime
import functools
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from fastapi import FastAPI, routing
from sqlalchemy import event
from starlette.testclient import TestClient
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_cli.embedded.directory import free_port
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_worker.seeding.plan import LEVELS, SIDES, Sown
from weighhouse_worker.seeding.seed_writer import carry_out, enrolled
from weighhouse_worker.tools import Tools

from weighhouse_testing.bench_fleet import percentile
from weighhouse_testing.bench_life import EMAIL, PASSWORD, platform
from weighhouse_testing.judgements import Worked, counted
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.tree import REPOSITORY

WORKLOADS = ("balanced", "read-heavy")
CELL = {"workload": WORKLOADS[0], "load_level": "16 clients"}
WARM, REQUESTS, APART = 3, 40, 5
"""Requests before those that count, those that are timed, and those of which parts are timed."""
GOAL_MS = 300
REPEATS = 5
PARTS = ("judging", "queries", "serialising")


@dataclass
class Shares:
    """Seconds that went into parts of answers; what lies in another part counts there alone."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    queries: int = 0
    _inside: bool = False

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose time counts for a part, where it is not called from one."""

        @functools.wraps(function)
        def wrapper(*arguments: Any, **how: Any) -> Any:
            if self._inside:
                return function(*arguments, **how)
            self._inside, begun = True, time.perf_counter()
            try:
                return function(*arguments, **how)
            finally:
                self.seconds[part] += time.perf_counter() - begun
                self._inside = False

        return wrapper


def sow(tools: Tools, workloads: int) -> str:
    """Invent the campaign; its id."""
    at = datetime.datetime.now(tz=datetime.UTC)
    paths = sorted(REPOSITORY.glob("plugins/*/*/plugin.toml"))
    sown = Sown(
        "bench-comparison", "Eight sides, six levels", tuple(SIDES), LEVELS,
        workloads=WORKLOADS[:workloads], repetitions=REPEATS,
    )  # fmt: skip
    manifests = [packaged_manifest(path.parent.name) for path in paths]
    machines = enrolled(tools, manifests, [sown.machine(0)], at)
    return str(carry_out(tools, machines, sown, 0, at))


def asked(campaign: str) -> dict[str, str]:
    """What is asked, by name."""
    of_campaign = {"campaign": campaign}

    def path(name: str, **more: str | int) -> str:
        return f"comparisons{name}?{urlencode({**of_campaign, **more})}"

    return {
        "comparison": path(""),
        "answer": path("/answer"),
        "costs": path("/costs", price="aws c7g.large", rate=100_000),
        "scaling": path("/scaling"),
        "distributions": path("/distributions", **CELL),
        "footprint": path("/footprint", **CELL),
        "caveats": f"campaigns/{campaign}/caveats",
        "headline": f"headlines?campaign={campaign}",
    }


def measured(app: FastAPI, client: TestClient, path: str, requests: int) -> dict[str, Any]:
    """Ask for one thing again and again."""
    taken, used = [], []
    for number in range(WARM + requests):
        begun, before = time.perf_counter(), time.process_time()
        answer = client.get(path)
        if number >= WARM:
            taken.append(time.perf_counter() - begun)
            used.append(time.process_time() - before)
        answer.raise_for_status()
    found = {
        "p50_ms": _ms(percentile(taken, 0.5)),
        "p95_ms": _ms(percentile(taken, 0.95)),
        "processor_ms": _ms(statistics.median(used)),
        "kibibytes": round(len(answer.content) / 1024),
    }
    with apart(app) as (worked, shares):
        begun = time.perf_counter()
        for _ in range(APART):
            worked.clear()
            client.get(path).raise_for_status()
        whole = time.perf_counter() - begun
    counts = {
        "judged": worked.judged, "judged_again": len(worked.again), "ranked": worked.ranked,
        "readings": worked.readings, "queries": shares.queries // APART,
    }  # fmt: skip
    return {**found, **counts, **{part: round(shares.seconds[part] / whole, 2) for part in PARTS}}


@contextmanager
def apart(app: FastAPI) -> Iterator[tuple[Worked, Shares]]:
    """Count what is worked out, and time the parts of answers."""
    shares = Shares()
    begun: list[float] = []

    def before(*_: object) -> None:
        begun.append(time.perf_counter())

    def after(*_: object) -> None:
        shares.seconds["queries"] += time.perf_counter() - begun.pop()
        shares.queries += 1

    serialise = routing.serialize_response

    async def serialising(**how: Any) -> Any:
        started = time.perf_counter()
        try:
            return await serialise(**how)
        finally:
            shares.seconds["serialising"] += time.perf_counter() - started

    events = (("before_cursor_execute", before), ("after_cursor_execute", after))
    with ExitStack() as patches:
        worked = patches.enter_context(counted())
        for module, name, function in _of_the_judge():
            patches.enter_context(patch.object(module, name, shares.timed("judging", function)))
        patches.enter_context(patch.object(routing, "serialize_response", serialising))
        for name, listener in events:
            event.listen(app.state.engine, name, listener)
            patches.callback(event.remove, app.state.engine, name, listener)
        yield worked, shares


def _of_the_judge() -> Iterator[tuple[Any, str, FunctionType]]:
    """Every function of the judge, where the backend calls it."""
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("weighhouse_backend."):
            for name, value in list(vars(module).items()):
                if isinstance(value, FunctionType) and value.__module__.startswith(
                    "weighhouse_judging."
                ):
                    yield module, name, value


@contextmanager
def served(tools: Tools) -> Iterator[tuple[FastAPI, TestClient]]:
    """The application over a platform's database, and its first person's client."""
    with unit_of_work(tools.sessions) as session:
        first = FirstUserService(session, SystemClock())
        _, project = first.ensure(EMAIL, PASSWORD)
        headers = {"Authorization": f"Bearer {first.ensure_token(project, 'bench', None)}"}
    redis = OwnRedis(free_port())
    redis.start()
    try:
        url = f"redis://127.0.0.1:{redis.port}/0"
        app = create_app(tools.settings.model_copy(update={"redis_url": url}))
        with TestClient(app, base_url="http://bench/api/v1/", headers=headers) as client:
            yield app, client
    finally:
        redis.kill()


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def _say(text: str) -> None:
    print(text, flush=True)


def missed(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Goals that were not reached."""
    return [
        f"{name}: {what} {one[what]}, not above {most}"
        for name, one in found.items()
        for what, most in (("judged_again", 0), ("readings", 1), ("p95_ms", GOAL_MS))
        if one[what] > most
    ]


def main() -> int:
    """Invent, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--workloads", type=int, choices=(1, 2), default=len(WORKLOADS))
    options = parser.parse_args()
    cells = len(SIDES) * len(LEVELS) * options.workloads
    found = {}
    with platform() as tools:
        campaign = sow(tools, options.workloads)
        with tools.engine.connect() as connection:
            connection.exec_driver_sql("ANALYZE")
        _say(
            f"{len(SIDES)} sides at {len(LEVELS)} levels: {cells} cells, {REPEATS} repeats of each"
        )
        with served(tools) as (app, client):
            for name, path in asked(campaign).items():
                found[name] = measured(app, client, path, options.requests)
                _say(f"{name}: {found[name]}")
    failures = missed(found)
    for one in failures:
        _say(f"missed: {one}")
    _say(json.dumps({"cells": cells, "requests": options.requests, "answers": found}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
