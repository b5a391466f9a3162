"""Runs that machines report: as fast as one process takes them in, and as they go."""

import asyncio
import contextlib
import json
import time
from collections.abc import Sequence
from typing import Any

from bench_tenants.machines import Machine, begin_campaign
from weighhouse_agent.delivery.spool import BATCH_EVENTS
from weighhouse_testing.bench_fleet import percentile
from weighhouse_testing.stub_agents import Answered

from backend.tests.results.reports import whole_run

from .scales import MOST_SECONDS, PARTS, Scales, say

BATCHES = {"each_second": 2, "after_a_break": BATCH_EVENTS}
"""Events that an agent sends together: of a run of one driver an interval and a sample, and what
waited while the platform was away.
"""
BEAT_SECONDS = 5.0


async def sending(scales: Scales, sizes: Sequence[int], seconds: int) -> dict[str, Any]:
    """Machines that report runs of so many seconds, two operations each, as fast as they can, so
    many events at once; and the worker that settles them.
    """
    steps = {name: list[dict[str, Any]]() for name in BATCHES}
    for size in sizes:
        machines = await scales.enrolled(size)
        for name, batch in BATCHES.items():
            steps[name].append(await _sent(scales, machines, seconds, batch))
            say(f"sending {name}: {json.dumps(steps[name][-1])}")
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
        await _complete(machine, order, len(events))
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


async def working(scales: Scales, sizes: Sequence[int], seconds: int) -> dict[str, Any]:
    """Machines that carry out a run each, and report it as it goes: what a second brings, as often
    as they are asked to, and each second that they are there.
    """
    steps = []
    for size in sizes:
        steps.append(await _worked(scales, await scales.enrolled(size), seconds))
        say(f"working: {json.dumps(steps[-1])}")
    return {"steps": steps}


async def _worked(scales: Scales, machines: Sequence[Machine], seconds: int) -> dict[str, Any]:
    """What so many runs at once cost, once their pace is found."""
    events = whole_run(seconds=seconds)
    pauses, taken, refused = list[float](), list[float](), list[float]()
    campaigns = [
        await begin_campaign(scales.tenant, f"at-once-{len(machines)}-{machine.number}", 1)
        for machine in machines
    ]
    orders = await asyncio.gather(*(_claimed(machine) for machine in machines))

    async def report(machine: Machine, order: Any) -> None:
        await asyncio.sleep(machine.number / len(machines))
        began, sent, pause, signed = time.monotonic(), 0, 1.0, asyncio.create_task(sign(machine))
        try:
            while sent < len(events):
                await asyncio.sleep(pause)
                until = min(len(events), 2 * int(time.monotonic() - began) + 2)
                begun = time.monotonic()
                try:
                    body = {"events": events[sent:until]}
                    answer = await machine.of(order, "POST", "events", body)
                except Answered:
                    refused.append(time.monotonic())
                    continue
                taken.append(time.monotonic() - begun)
                sent, pause = until, answer["pause_seconds"] or 1.0
                pauses.append(pause)
                await machine.beat(order)
            await _complete(machine, order, len(events))
        finally:
            signed.cancel()

    async def sign(machine: Machine) -> None:
        pause = 1.0
        with contextlib.closing(scales.tenant.connection()) as own:
            while True:
                await asyncio.sleep(pause)
                with contextlib.suppress(Answered):
                    answer = await own.ask("POST", "/agent/v1/signs", machine.token)
                    pause = answer["pause_seconds"] or 1.0

    reports = asyncio.gather(
        *(report(machine, order) for machine, order in zip(machines, orders, strict=True))
    )
    await asyncio.sleep(seconds / 2)
    for told in (pauses, taken, refused):
        told.clear()
    begun, used = time.monotonic(), scales.processor()
    await asyncio.sleep(seconds / 4)
    took = time.monotonic() - begun
    spent = {part: now - used[part] for part, now in scales.processor().items()}
    lists = await scales.lists_ms()
    step = {
        "runs": len(machines), "batches_per_second": round(len(taken) / took, 1),
        "refused": len(refused), "pause_seconds": round(percentile(pauses, 0.5), 1),
        "batch_p95_ms": round(1000 * percentile(taken, 0.95)), "list_p95_ms": lists,
        "percent_of_a_core": {part: round(100 * spent[part] / took) for part in PARTS},
    }  # fmt: skip
    await reports
    for campaign in campaigns:
        await scales.person.ask("POST", f"/api/v1/campaigns/{campaign}/cancel", scales.tenant.token)
    return step


async def _complete(machine: Machine, order: Any, events: int) -> None:
    done = {"fence": order["fence"], "outcome": "completed", "events_count": events}
    await machine.of(order, "POST", "complete", done)


async def _claimed(machine: Machine) -> Any:
    """Its order: what is offered of a campaign that is cancelled meanwhile is none."""
    deadline = time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(Answered):  # asked for more than its share: again, as agents do
            if order := await machine.claim(5.0):
                return order
            continue
        await asyncio.sleep(2.0)
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
