"""Asks the doors of agents and experiments what nobody in good faith does; the tokens live."""

import contextlib
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import httpx
from weighhouse_testing import hostile

from api_fuzz.asking import AGAIN, MOST_MICROSECONDS, Account
from api_fuzz.doors import DOORS, WEIGHTS, Bench, Call
from api_fuzz.running import say
from api_fuzz.timed import HEADER
from api_fuzz.world import World

READ_AFTER = 400
SHOWN = 300
PIECE = 4096
SLOW_SECONDS = 5.0
"""What takes so long is told at once."""
PAGES = (
    "", "/series", "/gauges", "/spectrum", "/heatmap", "/faults", "/scenario", "/logs/driver",
    "/histogram?format=log",
)  # fmt: skip
LISTS = (
    "/runs?limit=50", "/campaigns?limit=50", "/agents", "/experiments", "/series?limit=50",
    "/overview", "/alerts", "/experiments/fuzzed", "/experiments/fuzzed/revisions/1/yaml",
)  # fmt: skip


@dataclass(frozen=True)
class Sent:
    """A request, byte for byte."""

    method: str
    path: str
    query: dict[str, str]
    headers: list[tuple[str, str]]
    content: bytes
    in_pieces: bool = False
    """Without a word of its length."""

    def of(self, client: httpx.Client) -> httpx.Request:
        """For a client, once."""
        return client.build_request(
            self.method,
            self.path,
            params=self.query,
            headers=[
                (name.encode(), value.encode("latin-1", "replace")) for name, value in self.headers
            ],
            content=self._pieces() if self.in_pieces else self.content,
        )

    def _pieces(self) -> Iterator[bytes]:
        for at in range(0, len(self.content), PIECE):
            yield self.content[at : at + PIECE]

    def shown(self) -> str:
        """For who repeats it; no token."""
        told = [(name, value[:80]) for name, value in self.headers[1:]]
        text = self.content[:SHOWN].decode("utf-8", "replace")
        query = {name: value[:80] for name, value in self.query.items()}
        return (
            f"{self.method} {self.path[:300]} {json.dumps(query)} {json.dumps(told)} "
            f"{len(self.content)} bytes: {text}"
        )


@dataclass
class Enemy:
    """Sends, and keeps account."""

    world: World
    bench: Bench
    account: Account
    dice: random.Random

    @classmethod
    def of(cls, world: World, account: Account, seed: int) -> "Enemy":
        """With a machine of its own."""
        bench = Bench.at(world.url, world.settings, world.headers["owner"])
        return cls(world, bench, account, random.Random(seed))

    def ask(self, count: int) -> None:
        """So many examples, over all doors; what was stored is read between."""
        names = list(DOORS)
        took: defaultdict[str, float] = defaultdict(float)
        weights = [WEIGHTS.get(name, 1) for name in names]
        for number in range(1, count + 1):
            name = self.dice.choices(names, weights)[0]
            begun = time.monotonic()
            self._one(name)
            took[name] += time.monotonic() - begun
            if number % READ_AFTER == 0 or number == count:
                begun = time.monotonic()
                self._read()
                took["reading"] += time.monotonic() - begun
                shares = ", ".join(f"{each} {seconds:.0f} s" for each, seconds in took.items())
                say(f"{number:6}/{count} hostile; so far {shares}")

    def _one(self, door: str) -> None:
        call = DOORS[door](self.bench, self.dice)
        request = self._request(call)
        self.account.examples[f"{door} hostile"] += 1
        answer = self._send(door, request)
        if answer is None:
            return
        self.account.statuses.setdefault(f"hostile {door}", Counter())[answer.status_code] += 1
        if answer.status_code < 400:
            return
        if answer.status_code >= 500:
            what = f"answered {answer.status_code}"
            self.account.note(door, what, "hostile", answer.text, request.shown())
        elif HEADER in answer.headers and not _is_problem(answer):
            what = f"no problem document ({answer.status_code})"
            self.account.note(door, what, "hostile", answer.text, request.shown())
        self._time(door, request, answer)

    def _time(self, door: str, request: Sent, answer: httpx.Response) -> None:
        took = _took(answer)
        for _ in range(AGAIN):
            if took > MOST_MICROSECONDS:
                again = self._send(door, request)
                took = min(took, _took(again)) if again is not None else took
        self.account.time_refused(door, answer.status_code, took, request.shown())

    def _request(self, call: Call) -> Sent:
        dice = self.dice
        names, query, body = dict(call.names), dict(call.query), call.body
        content: bytes
        headers: list[tuple[str, str]] = []
        where = dice.random()
        if names and where < 0.1:
            names[dice.choice(sorted(names))] = str(dice.choice(hostile.TEXTS))[:2000]
        elif query and where < 0.3:
            query[dice.choice(sorted(query))] = str(hostile.value(dice))[:20_000]
        if isinstance(body, bytes):
            content, headers = body, [("Content-Type", "application/octet-stream")]
        else:
            if where >= 0.3 or not (names or query):
                body = hostile.spoiled(body, dice)
            content, headers = hostile.wrapped(hostile.encoded(body), dice)
        path = call.path.format_map({
            name: quote(value.encode("utf-8", "surrogatepass"), safe="")
            for name, value in names.items()
        })  # fmt: skip
        return Sent(
            call.method,
            path,
            {name: str(value).encode("utf-8", "replace").decode() for name, value in query.items()},
            [("Authorization", f"Bearer {call.token}"), *headers],
            content,
            in_pieces=dice.random() < 0.05,
        )

    def _send(self, door: str, request: Sent) -> httpx.Response | None:
        self.account.requests += 1
        begun = time.monotonic()
        try:
            client = self.bench.client
            return client.send(request.of(client))
        except httpx.TransportError as error:
            # Who refuses a body unread may hang up while it is sent.
            if len(request.content) < 1 << 20 or isinstance(error, httpx.TimeoutException):
                self.account.note(door, "no answer", "hostile", repr(error), request.shown())
            else:
                self.account.statuses.setdefault(f"hostile {door}", Counter())[0] += 1
        finally:
            if (took := time.monotonic() - begun) > SLOW_SECONDS:
                say(f"  {took:.0f} s: {request.shown()}")
        return None

    def _read(self) -> None:
        """Whether all can be read that was taken in, and be settled."""
        client, owner = self.bench.client, self.world.headers["owner"]
        runs, self.bench.runs[:] = self.bench.runs[:-1], self.bench.runs[-1:]
        paths = [f"/runs/{run}{page}" for run in runs for page in PAGES] + list(LISTS)
        for run in runs:
            with contextlib.suppress(Exception):
                self.bench.laboratory.settle(run)
        for path in paths:
            answer = client.get(f"/api/v1{path}", headers=owner)
            self.account.requests += 1
            if answer.status_code >= 500:
                what = f"what was stored is answered with {answer.status_code}"
                kept = path.partition("?")[0].rpartition("/")[2]
                self.account.note(f"GET … {kept}", what, "owner", answer.text, path)


def _is_problem(answer: httpx.Response) -> bool:
    if "problem+json" not in answer.headers.get("Content-Type", ""):
        return answer.request.method == "HEAD"
    try:
        told = answer.json()
    except ValueError:
        return False
    return isinstance(told, dict) and {"type", "title", "status"} <= set(told)


def _took(answer: httpx.Response) -> int:
    return int(answer.headers.get(HEADER, 0))
