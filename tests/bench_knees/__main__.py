"""Where one machine's limit lies, and what brings it nearer by how much: `make bench-knees`.

A platform as it is shipped, with one backend and one worker. Machines that wait and people that
watch are added until the backend takes no more connections; machines that send, and those that
work, until more of them bring no more. Of each is told what one costs: memory of a connection,
processor time and written bytes of an event. The last line is JSON.
"""

import argparse
import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_tenants.machines import Machine, Tenant, begin_campaign
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_testing.bench_fleet import SERVER_TIMINGS, allow_connections

from .runs import sending, working
from .scales import MOST_SECONDS, Scales, say

WAITING, WATCHING, SENDING = (250, 1000, 1900), (100, 250, 500), (1, 2, 4, 8)
WORKING = (25, 100, 400)
PAUSES = 10
"""Events that everybody who watches is told."""
AT_ONCE = 8
"""Connections that are begun together: more of one organization would wait for their turn."""
CALM_SECONDS = 5.0
WORKED_SECONDS = 120


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


async def measure(platform: Platform, options: argparse.Namespace) -> dict[str, Any]:
    """What is asked for."""
    known = platform.credentials
    token = known["api_token"]
    tenant = Tenant("127.0.0.1", platform.options.port, "knees", token, token)
    scales = Scales(platform, tenant)
    await scales.enrolled(1)  # brings the systems that are written about
    await scales.lists_ms()
    found: dict[str, Any] = {"rest_megabytes": round(scales.megabytes())}
    if "sending" in options.only:
        found["sending"] = await sending(scales, SENDING, options.run_seconds)
    if "working" in options.only:
        found["working"] = await working(scales, WORKING, WORKED_SECONDS)
    if "watching" in options.only:
        found["watching"] = await watching(scales, WATCHING)
    if "waiting" in options.only:
        found["waiting"] = await waiting(scales, WAITING)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and close with one line of JSON."""
    every = ["sending", "working", "watching", "waiting"]
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
