"""What the wrongdoer does: each attack prepares, and then does one thing after the other on each of
its connections.
"""

import asyncio
import itertools
import json
import math
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from weighhouse_testing import hostile
from weighhouse_testing.stub_agents import Answered, Connection

from backend.tests.results.laboratory import experiment, manifest
from backend.tests.results.reports import histogram, whole_run
from bench_tenants.machines import Machine, Tenant, begin_campaign

MEGABYTE = 1 << 20
HELD_SECONDS = 25.0
"""How long whoever is asked by a schema keeps the connection without an answer."""
LETTERS = 26
RUNS = 100


@dataclass
class Wrongdoer:
    """One tenant with machines, who counts what is answered."""

    tenant: Tenant
    statuses: Counter[str] = field(default_factory=Counter)
    longest_seconds: float = 0.0
    reached: int = 0
    """Connections that the platform made to an address which a schema named."""
    address: str = ""
    machines: list[Machine] = field(default_factory=list)
    orders: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Connection → the attempt that it holds."""

    async def ask(
        self, connection: Connection, method: str, path: str, token: str, content: bytes,
        media_type: str = "application/json",
    ) -> int:  # fmt: skip
        """Send, and wait as long as the limits say; the status, 0 when the door was shut."""
        begun = time.monotonic()
        try:
            status, head, _ = await connection.send(method, path, token, content, media_type)
        except (OSError, asyncio.IncompleteReadError):
            connection.close()
            self.statuses["closed"] += 1
            return 0
        self.statuses[str(status)] += 1
        self.longest_seconds = max(self.longest_seconds, time.monotonic() - begun)
        if status == 429:
            await asyncio.sleep(_retry_after(head))
        return status

    async def machine(self, number: int) -> Machine:
        """The machine of a connection."""
        while len(self.machines) <= number:
            made = Machine(self.tenant, 100 + len(self.machines), self.tenant.connection())
            self.machines.append(made)
            await made.enrol()
        return self.machines[number]

    async def order(self, number: int) -> dict[str, Any]:
        """An attempt that lives, of the machine of a connection."""
        machine = await self.machine(number)
        while True:
            try:
                if number not in self.orders:
                    order = await machine.claim()
                    if order is None:
                        await begin_campaign(self.tenant, "attempted", RUNS)
                        continue
                    self.orders[number] = order
                await machine.beat(self.orders[number])
            except Answered:
                self.orders.pop(number, None)
                await asyncio.sleep(1.0)
                continue
            return self.orders[number]

    async def report(
        self, connection: Connection, order: dict[str, Any], path: str, body: bytes,
        method: str = "POST", media_type: str = "application/json",
    ) -> int:  # fmt: skip
        """A call of an attempt, whatever it is answered."""
        address = f"/agent/v1/attempts/{order['attempt_id']}/{path}"
        return await self.ask(connection, method, address, order["attempt_token"], body, media_type)


Step = Callable[[Wrongdoer, Connection, int, int], Awaitable[None]]
"""Wrongdoer, a connection, its number, and the how manieth time."""


@dataclass(frozen=True)
class Attack:
    """One of them."""

    what: str
    step: Step
    connections: int = 4


def _retry_after(head: bytes) -> float:
    for line in head.split(b"\r\n"):
        if line.startswith(b"retry-after:"):
            return float(line.partition(b":")[2])
    return 1.0


def _validate(system: str, value: str) -> bytes:
    document = experiment("hostile", repetitions=1)
    document["targets"] = [{"name": system, "system": system, "parameters": {"held": value}}]
    return json.dumps({"document": document}).encode()


def _bringing(*held: dict[str, Any]) -> list[dict[str, Any]]:
    made = [manifest(f"hostile-{number}") for number in range(len(held))]
    for one, schema in zip(made, held, strict=True):
        said = {"title": "Held", "description": "Held."}
        one["parameters"]["properties"]["held"] = said | schema
    return made


async def _schemas(
    who: Wrongdoer, connection: Connection, number: int, turn: int, held: list[dict[str, Any]],
    value: str,
) -> None:  # fmt: skip
    """Bring systems whose parameters have such schemas, and hold experiments against them."""
    validate = "/api/v1/experiments/validate"
    machine = await who.machine(number)
    if turn % 20 == 0:
        for one in held:  # one by one: who refuses one of them refuses all that came with it
            body = json.dumps(machine.opening(_bringing(one))).encode()
            await who.ask(connection, "PUT", "/agent/v1/session", machine.token, body)
        body = json.dumps(machine.opening(_bringing(*held))).encode()
        await who.ask(connection, "PUT", "/agent/v1/session", machine.token, body)
    system = f"hostile-{turn % len(held)}"
    await who.ask(connection, "POST", validate, who.tenant.token, _validate(system, value))


async def ordinary(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """No attack: lists, as often as the limits let through."""
    del number, turn
    await who.ask(connection, "GET", "/api/v1/runs?limit=20", who.tenant.token, b"")


async def references(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Schemas that have somebody asked who does not answer."""
    held = [{"$ref": who.address}]
    await _schemas(who, connection, number, turn, held, "a")


async def patterns(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Patterns that take twice as long with each letter."""
    held = [{"type": "string", "pattern": "^(a+)+$"}, {"type": "string", "pattern": "^(a|aa)*$"}]
    await _schemas(who, connection, number, turn, held, "a" * LETTERS + "!")


LARGE = b'{"events":[' + b"0," * (30 * MEGABYTE) + b"0]}"


async def strangers(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Bodies of 60 MB from nobody that is known."""
    path = f"/agent/v1/attempts/01a20389-2920-714d-978c-8346173e7b{number:02}/events"
    await who.ask(connection, "POST", path, f"unknown-{number}-{turn}", LARGE)


def _with_keys(count: int) -> bytes:
    document = experiment("many-keys") | {f"unknown-{number}": number for number in range(count)}
    return json.dumps({"document": document}).encode()


KEYS = [_with_keys(200), _with_keys(90_000)]


async def unknown_keys(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """A viewer's experiments with 200 and with 90,000 keys that there are not."""
    del number
    path = "/api/v1/experiments/validate"
    await who.ask(connection, "POST", path, who.tenant.viewer, KEYS[turn % 5 == 4])


COUNTS: tuple[Any, ...] = (2**63, 10**300, -(2**63), 2**53 + 1, 1e300)


def _changed(change: Callable[[dict[str, Any], random.Random], None], turn: int) -> bytes:
    dice = random.Random(turn)
    events = whole_run(seed=turn % 5, seconds=2)
    for event in events:
        change(event, dice)
    return json.dumps({"events": events}).encode()


def _miscount(event: dict[str, Any], dice: random.Random) -> None:
    if event["kind"] == "phase_ended":
        event["duration_us"] = dice.choice((-1, 2**63, 0))
    for outcomes in event.get("interval", {}).get("operations", {}).values():
        for outcome in outcomes.values():
            outcome["count"] = dice.choice(COUNTS)


async def counts(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Counts that nothing can be counted to, and runs to be settled by them."""
    order = await who.order(number)
    await who.report(connection, order, "events", _changed(_miscount, turn))
    body = {"fence": order["fence"], "outcome": "completed", "events_count": 18}
    if await who.report(connection, order, "complete", json.dumps(body).encode()) == 200:
        who.orders.pop(number, None)


PIECE = bytes(range(32, 127)) * (MEGABYTE // 95)


async def logs(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Logs without end, each piece as large as it may be, in streams without number."""
    order = await who.order(number)
    stream, piece = divmod(turn, 4)
    path = f"logs/stream-{stream}?offset={piece * len(PIECE)}"
    await who.report(connection, order, path, PIECE, "PUT", "text/plain")


COARSE = histogram([1, 10**6, 10**9])


def _mistime(event: dict[str, Any], dice: random.Random) -> None:
    event["at_us"] = dice.choice((2**62, -(2**62), 2**63, 0))
    if "interval" in event:
        event["interval"]["start_us"] = dice.choice((2**62, -1))


def _mix(event: dict[str, Any], dice: random.Random) -> None:
    for outcomes in event.get("interval", {}).get("operations", {}).values():
        for outcome in outcomes.values():
            outcome["response"] = dice.choice(
                (COARSE, COARSE[: len(COARSE) // 2], "HISTFAAAAB", "A" * 65_536, "=")
            )


async def instants(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Instants that no calendar has, histograms that are none, schemas that are none."""
    order = await who.order(number)
    await who.report(connection, order, "events", _changed((_mistime, _mix)[turn % 2], turn))
    path = f"/api/v1/runs/{order['run_id']}"
    await who.ask(connection, "GET", path, who.tenant.token, b"")
    await who.ask(connection, "GET", f"{path}/series", who.tenant.token, b"")
    if turn % 10 == 0:
        await _schemas(who, connection, number, turn, hostile.schemas(who.address), "a")


PUBLIC = (
    "/public/{0}", "/api/v1/shared?share={0}", "/api/v1/shared/comparison?share={0}",
    "/pictures/{0}.svg", "/embed/{0}", "/public",
)  # fmt: skip
VISITORS, VISITS_A_MINUTE = 4, 1000


async def visitors(who: Wrongdoer, connection: Connection, number: int, turn: int) -> None:
    """Strangers who look at what is public, a thousand a minute, each at another address of it."""
    began = time.monotonic()
    path = PUBLIC[(number + turn) % len(PUBLIC)].format(who.tenant.shared)
    await who.ask(connection, "GET", path, "", b"")
    await asyncio.sleep(max(0.0, 60 * VISITORS / VISITS_A_MINUTE - (time.monotonic() - began)))


ATTACKS: dict[str, Attack] = {
    "references": Attack("schemas with addresses to be fetched", references, connections=16),
    "patterns": Attack("patterns that double with each letter", patterns),
    "strangers": Attack("bodies of 60 MB with unknown tokens", strangers),
    "visitors": Attack("a thousand strangers a minute, at what is public", visitors, VISITORS),
    "unknown-keys": Attack("experiments with 200 and 90,000 unknown keys", unknown_keys),
    "counts": Attack("counts of 2^63, 10^300 and below nothing", counts),
    "logs": Attack("logs without end in streams without number", logs),
    "instants": Attack("instants of 2^62, broken histograms, broken schemas", instants),
    "ordinary": Attack("no attack: lists as often as the limits let through", ordinary),
}
"""Name → what it is. `ordinary` says what anybody costs a neighbour who asks as often."""

WITH_ATTEMPTS: tuple[Step, ...] = (counts, logs, instants)
WITH_MACHINES: tuple[Step, ...] = (references, patterns, *WITH_ATTEMPTS)


async def carry_out(tenant: Tenant, name: str, seconds: float) -> Wrongdoer:
    """Attack for some time; what became of it."""
    who, attack = Wrongdoer(tenant), ATTACKS[name]

    def hold(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        who.reached += 1
        asyncio.get_running_loop().call_later(HELD_SECONDS, writer.close)

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    who.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/schema"
    ends = math.inf

    async def work(number: int) -> None:
        connection = tenant.connection()
        for turn in itertools.count():
            if time.monotonic() >= ends:
                break
            await attack.step(who, connection, number, turn)
        connection.close()

    for number in range(attack.connections):
        if attack.step in WITH_MACHINES:
            await who.machine(number)
        if attack.step in WITH_ATTEMPTS:
            await who.order(number)
    ends = time.monotonic() + seconds
    print(json.dumps("began"), flush=True)
    tasks = [asyncio.create_task(work(number)) for number in range(attack.connections)]
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    for done in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(done, Exception):
            raise done
    server.close()
    return who
