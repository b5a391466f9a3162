"""Where one machine's limit lies, and what brings it nearer by how much: `make bench-knees`.

A platform as it is shipped, with one backend and one worker. Machines that wait and people that
watch are added until the backend takes no more connections; machines that send are added until
more of them bring no more. Of each is told what one costs: memory of a connection, processor time
and written bytes of an event. The last line is JSON.
"""

import argparse
import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg
from bench_tenants.machines import Machine, Tenant, begin_campaign
from weighhouse_agent.delivery.spool import BATCH_EVENTS
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_testing.bench_fleet import SERVER_TIMINGS, allow_connections, percentile
from weighhouse_testing.fixtures import plain
from weighhouse_testing.stub_agents import Connection

from backend.tests.results.reports import whole_run

PARTS = ("backend", "worker", "postgresql", "redis")
WAITING, WATCHING, SENDING = (250, 1000, 1900), (100, 250, 500), (1, 2, 4, 8)
LISTS = 40
PAUSES = 10
"""Events that everybody who watches is told."""
BATCHES = {"each_second": 2, "after_a_break": BATCH_EVENTS}
"""Events that an agent sends together: of a run of one driver an interval and a sample, and what
waited while the platform was away.
"""
AT_ONCE = 8
"""Connections that are begun together: more of one organization would wait for their turn."""
CALM_SECONDS, BEAT_SECONDS = 5.0, 5.0
MOST_SECONDS = 120.0


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


@dataclass
class Scales:
    """What the parts of a platform have used."""

    platform: Platform
    tenant: Tenant
    person: Connection = field(init=False)

    def __post_init__(self) -> None:
        self.person = self.tenant.connection()

    def megabytes(self) -> float:
        """Memory of the backend's own."""
        return self._process("backend").memory_full_info().uss / 1e6

    def processor(self) -> dict[str, float]:
        """Seconds of processor time by part, with its children, also those that have ended."""
        return {part: sum(_seconds(self._process(part))) for part in PARTS}

    def written(self) -> int:
        """Bytes of PostgreSQL's log of writes."""
        with psycopg.connect(plain(self.platform.owner_database_url)) as connection:
            row = connection.execute("SELECT pg_current_wal_lsn() - '0/0'").fetchone()
        assert row is not None
        return int(row[0])

    async def lists_ms(self) -> float:
        """95th percentile of the list of campaigns."""
        taken = []
        for _ in range(LISTS):
            begun = time.monotonic()
            await self.person.ask("GET", "/api/v1/campaigns?limit=20", self.tenant.token)
            taken.append(1000 * (time.monotonic() - begun))
        return round(percentile(taken, 0.95), 1)

    def _process(self, part: str) -> psutil.Process:
        process = self.platform.supervisor.part(part).process
        assert process is not None
        return psutil.Process(process.pid)


def _seconds(process: psutil.Process) -> Iterator[float]:
    """Of a process and its children."""
    times = process.cpu_times()
    yield times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            used = child.cpu_times()
            yield used.user + used.system


def kilobytes_each(steps: Sequence[dict[str, Any]], rest: float) -> float:
    """Of a connection: between nobody and the most there were."""
    most = steps[-1]
    return round(1000 * float(most["megabytes"] - rest) / int(most["connections"]), 1)


async def waiting(scales: Scales, sizes: Sequence[int]) -> dict[str, Any]:
    """Machines that ask for work and are told that there is none."""
    rest, steps, machines = scales.megabytes(), [], list[Machine]()
    tasks: list[asyncio.Task[None]] = []
    turns = asyncio.Semaphore(AT_ONCE)

    async def begin(machine: Machine) -> None:
        async with turns:
            await machine.enrol()

    async def wait(machine: Machine) -> None:
        while True:
            await machine.claim(float(SERVER_TIMINGS["WEIGHHOUSE_LONG_POLL_SECONDS"]))

    try:
        for size in sizes:
            more = [
                Machine(scales.tenant, number, scales.tenant.connection())
                for number in range(len(machines), size)
            ]
            machines += more
            await asyncio.gather(*(begin(machine) for machine in more))
            tasks += [asyncio.create_task(wait(machine)) for machine in more]
            await asyncio.sleep(CALM_SECONDS)
            begun, used = time.monotonic(), scales.processor()
            await asyncio.sleep(4 * CALM_SECONDS)
            took = time.monotonic() - begun
            spent = {part: now - used[part] for part, now in scales.processor().items()}
            steps.append({
                "connections": size, "megabytes": round(scales.megabytes()),
                "backend_percent": round(100 * spent["backend"] / took, 1),
                "list_p95_ms": await scales.lists_ms(),
            })  # fmt: skip
            say(f"waiting: {json.dumps(steps[-1])}")
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for machine in machines:
            machine.connection.close()
    return {"steps": steps, "kilobytes_each": kilobytes_each(steps, rest)}


@dataclass
class Watcher:
    """Somebody whose page is open beside a campaign."""

    told: int = 0

    async def watch(self, scales: Scales, campaign: str) -> None:
        """Count what comes; who is told to wait asks again, as pages do."""
        tenant = scales.tenant
        asked = (
            f"GET /api/v1/campaigns/{campaign}/events HTTP/1.1\r\nHost: {tenant.host}\r\n"
            f"Authorization: Bearer {tenant.token}\r\n\r\n"
        )
        while True:
            reader, writer = await asyncio.open_connection(tenant.host, tenant.port)
            with contextlib.closing(writer):
                writer.write(asked.encode())
                if b" 200 " in await reader.readline():
                    while line := await reader.readline():
                        self.told += line.startswith(b"event: campaign")
            await asyncio.sleep(1.0)


@contextlib.asynccontextmanager
async def watched(scales: Scales, campaign: str, size: int) -> AsyncIterator[list[Watcher]]:
    """A campaign that so many watch."""
    watchers, tasks, turns = [Watcher() for _ in range(size)], [], asyncio.Semaphore(AT_ONCE)

    async def begin(watcher: Watcher) -> None:
        async with turns:
            tasks.append(asyncio.create_task(watcher.watch(scales, campaign)))
            await _until(lambda: watcher.told)

    try:
        await asyncio.gather(*(begin(watcher) for watcher in watchers))
        yield watchers
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until(is_so: Any) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit("what was waited for did not come")
        await asyncio.sleep(0.05)


async def watching(scales: Scales, sizes: Sequence[int]) -> dict[str, Any]:
    """People who watch a campaign that is paused, and goes on, again and again."""
    campaign = await begin_campaign(scales.tenant, "watched", 1)
    rest, steps = scales.megabytes(), []

    async def turn(what: str) -> None:
        path = f"/api/v1/campaigns/{campaign}/{what}"
        await scales.person.ask("POST", path, scales.tenant.token)

    for size in sizes:
        async with watched(scales, campaign, size) as watchers:
            await asyncio.sleep(CALM_SECONDS)
            megabytes = round(scales.megabytes())
            before, used = sum(one.told for one in watchers), scales.processor()
            slowest = 0.0
            for number in range(PAUSES):
                begun = time.monotonic()
                wanted = sum(one.told for one in watchers) + size
                await turn("resume" if number % 2 else "pause")
                await _until(lambda wanted=wanted: sum(one.told for one in watchers) >= wanted)
                slowest = max(slowest, time.monotonic() - begun)
            told = sum(one.told for one in watchers) - before
            spent = scales.processor()["backend"] - used["backend"]
            steps.append({
                "connections": size, "megabytes": megabytes,
                "microseconds_each": round(1e6 * spent / told),
                "slowest_seconds": round(slowest, 2),
            })  # fmt: skip
            say(f"watching: {json.dumps(steps[-1])}")
    await asyncio.sleep(CALM_SECONDS)  # their streams are taken down
    await turn("cancel")
    return {"steps": steps, "kilobytes_each": kilobytes_each(steps, rest)}


async def sending(scales: Scales, sizes: Sequence[int], seconds: int) -> dict[str, Any]:
    """Machines that report runs of so many seconds, two operations each, as fast as they can, so
    many events at once; and the worker that settles them.
    """
    machines, steps = list[Machine](), {name: list[dict[str, Any]]() for name in BATCHES}
    for size in sizes:
        while len(machines) < size:
            machines.append(Machine(scales.tenant, len(machines), scales.tenant.connection()))
            await machines[-1].enrol()
        for name, batch in BATCHES.items():
            steps[name].append(await _sent(scales, machines, seconds, batch))
            say(f"sending {name}: {json.dumps(steps[name][-1])}")
    for machine in machines:
        machine.connection.close()
    return steps


async def _sent(
    scales: Scales, machines: Sequence[Machine], seconds: int, batch: int
) -> dict[str, Any]:
    """What a run of each machine costs, sent so many events at a time."""
    events = whole_run(seconds=seconds)
    intervals = sum(event["kind"] == "interval" for event in events)
    batches = [events[at : at + batch] for at in range(0, len(events), batch)]
    campaigns = [
        await begin_campaign(scales.tenant, f"sent-{batch}-{len(machines)}-{machine.number}", 1)
        for machine in machines
    ]
    orders = await asyncio.gather(*(_claimed(machine) for machine in machines))
    taken: list[float] = []

    async def send(machine: Machine, order: Any, taken: list[float] = taken) -> None:
        beaten = time.monotonic()
        for those in batches:
            begun = time.monotonic()
            await machine.of(order, "POST", "events", {"events": those})
            taken.append(time.monotonic() - begun)
            if time.monotonic() - beaten > BEAT_SECONDS:
                beaten = time.monotonic()
                await machine.beat(order)

    begun, used, written = time.monotonic(), scales.processor(), scales.written()
    await asyncio.gather(
        *(send(machine, order) for machine, order in zip(machines, orders, strict=True))
    )
    took, sent = time.monotonic() - begun, len(machines) * intervals
    spent = {part: now - used[part] for part, now in scales.processor().items()}
    written = scales.written() - written
    begun, used = time.monotonic(), scales.processor()
    for machine, order in zip(machines, orders, strict=True):
        done = {"fence": order["fence"], "outcome": "completed", "events_count": len(events)}
        await machine.of(order, "POST", "complete", done)
    for campaign in campaigns:
        await _settled(scales, campaign)
    settled = scales.processor()
    took_to_settle = round(time.monotonic() - begun, 1)
    for campaign in campaigns:
        path = f"/api/v1/campaigns/{campaign}/cancel"
        await scales.person.ask("POST", path, scales.tenant.token)
    return {
        "senders": len(machines), "intervals_per_second": round(sent / took),
        "requests_per_second": round(len(machines) * len(batches) / took),
        "batch_p95_ms": round(1000 * percentile(taken, 0.95)),
        "microseconds_each": {part: round(1e6 * spent[part] / sent) for part in PARTS},
        "written_bytes_each": round(written / sent), "settled_seconds": took_to_settle,
        "worker_seconds_a_run": round((settled["worker"] - used["worker"]) / len(machines), 2),
    }  # fmt: skip


async def _claimed(machine: Machine) -> Any:
    """Its order: what is offered of a campaign that is cancelled meanwhile is none."""
    deadline = time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        if order := await machine.claim(5.0):
            return order
    raise SystemExit(f"machine {machine.number} was offered nothing")


async def _settled(scales: Scales, campaign: str) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    path = f"/api/v1/runs?campaign_id={campaign}&limit=50"
    while time.monotonic() < deadline:
        found = await scales.person.ask("GET", path, scales.tenant.token)
        if any(one["status"] == "completed" for one in found["items"]):
            return
        await asyncio.sleep(0.1)
    raise SystemExit(f"the run of campaign {campaign} was not settled")


async def measure(platform: Platform, options: argparse.Namespace) -> dict[str, Any]:
    """What is asked for."""
    known = platform.credentials
    token = known["api_token"]
    tenant = Tenant("127.0.0.1", platform.options.port, "knees", token, token)
    scales = Scales(platform, tenant)
    one = Machine(tenant, 0, tenant.connection())
    await one.enrol()  # brings the systems that are written about
    await scales.lists_ms()
    found: dict[str, Any] = {"rest_megabytes": round(scales.megabytes())}
    if "sending" in options.only:
        found["sending"] = await sending(scales, SENDING, options.run_seconds)
    if "watching" in options.only:
        found["watching"] = await watching(scales, WATCHING)
    if "waiting" in options.only:
        found["waiting"] = await waiting(scales, WAITING)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and close with one line of JSON."""
    every = ["sending", "watching", "waiting"]
    parser = argparse.ArgumentParser(prog="bench_knees", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=every, default=every)
    parser.add_argument("--run-seconds", type=int, default=1000, help="of each run that is sent")
    options = parser.parse_args(arguments)
    allow_connections(2 * max(WAITING + WATCHING))
    path = Path(tempfile.mkdtemp(prefix="weighhouse-knees-"))
    path.chmod(0o711)
    try:
        chosen = PlatformOptions(
            directory=path, port=free_port(), agent=False, settings=SERVER_TIMINGS
        )
        with Platform(chosen) as platform:
            found = asyncio.run(measure(platform, options))
    finally:
        shutil.rmtree(path, ignore_errors=True)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
