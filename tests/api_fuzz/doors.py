"""Doors that take documents of agents and experiments: of each what it would take, and where."""

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import yaml
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing import hostile

from backend.tests.results.laboratory import Laboratory, experiment, manifest
from backend.tests.results.reports import FACTS, whole_run

RUNS = 50
ANSWER_SECONDS = 30.0
"""What is not answered by then is not answered."""
STRANGER = "01a20389-2920-714d-978c-8346173e7b29"
SENT_US = 1_795_000_000_000_000


@dataclass
class Call:
    """A request that is fine."""

    method: str
    path: str
    token: str
    body: Any = None
    """A document, or bytes."""
    query: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Parts of the path, by name."""


@dataclass
class Bench:
    """A machine of its own with an attempt that lives, whatever becomes of the ones before."""

    client: httpx.Client
    laboratory: Laboratory
    owner: str
    registration: str = ""
    order: dict[str, Any] = field(default_factory=dict)
    opening: dict[str, Any] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)
    """Of all attempts so far."""

    @classmethod
    def at(cls, url: str, settings: Settings, owner: dict[str, str]) -> "Bench":
        """Of a platform that serves; enrolled."""
        client = httpx.Client(base_url=url, timeout=ANSWER_SECONDS)
        sessions = make_session_factory(make_engine(settings.database_url))
        made = cls(
            client, Laboratory(client, sessions, settings, owner), owner["Authorization"][7:]
        )
        made.enrol()
        return made

    def enrol(self) -> None:
        """Register, and open a session."""
        laboratory = self.laboratory
        instance = str(uuid4())
        facts = FACTS | {"hostname": instance, "machine_id": instance}
        body = {"name": f"live-{instance[:8]}", "instance_id": instance, "facts": facts}
        made = self.client.post(
            "/agent/v1/register", json=body, headers=_bearer(self.registering())
        )
        laboratory.agent = _bearer(made.json()["agent_token"])
        self.opening = {
            "instance_id": instance, "process_id": str(uuid4()), "agent_version": "0.1.0",
            "manifests": [manifest("redis"), manifest("memcached")], "facts": facts, "policy": {},
        }  # fmt: skip
        self.open()

    def open(self) -> None:
        """Open the session as it should be."""
        client, agent = self.client, self.laboratory.agent
        opened = client.put("/agent/v1/session", json=self.opening, headers=agent)
        assert opened.status_code == 200, opened.text

    def registering(self) -> str:
        """A registration token that was not used."""
        made = self.client.post(
            "/api/v1/agent-registration-tokens", json={}, headers=self.laboratory.headers
        )
        self.registration = str(made.json()["token"])
        return self.registration

    def live(self) -> dict[str, Any]:
        """An attempt that is claimed and begun, by the token's own word."""
        client = self.client
        if self.order:
            path = f"/agent/v1/attempts/{self.order['attempt_id']}"
            told = client.get(path, headers=_bearer(self.order["attempt_token"]))
            if told.status_code == 200 and told.json()["status"] in {"running", "claimed"}:
                return self.order | {"next_sequence": told.json()["next_sequence"]}
        try:
            self.open()
            self.order = self.laboratory.begin()
        except AssertionError:
            # What holds this machine is over only with its lease, and who it is may be refused.
            self.enrol()
            self.laboratory.campaign(experiment("live", repetitions=RUNS))
            self.order = self.laboratory.begin()
        self.runs.append(self.order["run_id"])
        return self.order | {"next_sequence": 0}


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


Make = Callable[[Bench, random.Random], Call]


def _agents(bench: Bench) -> str:
    return bench.laboratory.agent["Authorization"][7:]


def register(bench: Bench, dice: random.Random) -> Call:
    """A machine asks to be taken in."""
    token = bench.registration if dice.random() < 0.9 else bench.registering()
    body = {"name": "stranger", "instance_id": STRANGER, "facts": FACTS | {"machine_id": "n"}}
    return Call("POST", "/agent/v1/register", token, body)


def session(bench: Bench, dice: random.Random) -> Call:
    """A machine says what it brings."""
    opening = dict(bench.opening)
    if dice.random() < 0.5:
        brought = manifest("hostile")
        held = {"title": "H", "description": "H.", **dice.choice(hostile.schemas())}
        if dice.random() < 0.7:
            brought["parameters"]["properties"]["held"] = held
        else:
            brought["driver"]["options"] = {"type": "object", "properties": {"held": held}}
        opening["manifests"] = [brought]
    return Call("PUT", "/agent/v1/session", _agents(bench), opening)


def claim(bench: Bench, dice: random.Random) -> Call:
    """A machine asks for work."""
    del dice
    body = {"claim_id": str(uuid4()), "process_id": bench.opening["process_id"],
            "slot": "machine", "wait_seconds": 0.01}  # fmt: skip
    return Call("POST", "/agent/v1/claims", _agents(bench), body)


def _attempt(bench: Bench, method: str, path: str, body: Any, **more: Any) -> Call:
    order = bench.live()
    names = {"attempt": order["attempt_id"], **more.pop("names", {})}
    return Call(
        method, f"/agent/v1/attempts/{{attempt}}{path}", order["attempt_token"], body, names=names,
        **more,
    )  # fmt: skip


def start(bench: Bench, dice: random.Random) -> Call:
    """An attempt begins."""
    del dice
    return _attempt(bench, "POST", "/start", {"fence": bench.live()["fence"]})


def heartbeat(bench: Bench, dice: random.Random) -> Call:
    """An attempt goes on."""
    del dice
    body = {
        "fence": bench.live()["fence"], "phase": "measure", "progress": 0.5, "next_sequence": 3,
        "spool_bytes": 100, "sent_at_us": SENT_US,
        "clock": {"offset_us": 10, "error_us": 5, "samples": 3},
    }  # fmt: skip
    return _attempt(bench, "POST", "/heartbeat", body)


def barrier(bench: Bench, dice: random.Random) -> Call:
    """A member of a gang is there."""
    body = {"fence": bench.live()["fence"], "payload": {"ports": [1, 2]}, "sent_at_us": SENT_US,
            "wait_seconds": 0.01}  # fmt: skip
    name = dice.choice(("placed", "up", "formed", "connected", "phase-1", "measured"))
    return _attempt(bench, "POST", "/barriers/{barrier}", body, names={"barrier": name})


EVENTS = whole_run(seconds=2)


def events(bench: Bench, dice: random.Random) -> Call:
    """What an attempt saw."""
    first = bench.live()["next_sequence"]
    chosen = dice.sample(EVENTS, dice.randint(1, 6))
    numbered = [one | {"sequence": first + place} for place, one in enumerate(chosen)]
    return _attempt(bench, "POST", "/events", {"events": numbered})


def log(bench: Bench, dice: random.Random) -> Call:
    """A piece of a log."""
    piece = dice.choice((b"a line\n", bytes(range(256)), b"\x00" * 1000, b"x" * (1 << 20), b"",
                         b"x" * ((1 << 20) + 1), "\u202e\x1b[2J\n".encode()))  # fmt: skip
    return _attempt(bench, "PUT", "/logs/{stream}", piece, names={"stream": "driver"},
                    query={"offset": 0})  # fmt: skip


def artifact(bench: Bench, dice: random.Random) -> Call:
    """A file that a run leaves."""
    content = dice.choice((b"", b"{}", dice.randbytes(1000), b"<script>alert(1)</script>"))
    digest = hashlib.sha256(content).hexdigest()
    return _attempt(bench, "PUT", "/artifacts/{sha256}", content, names={"sha256": digest},
                    query={"name": "report.txt"})  # fmt: skip


def complete(bench: Bench, dice: random.Random) -> Call:
    """An attempt ends."""
    order = bench.live()
    outcome = dice.choice(("completed", "failed", "cancelled"))
    body: dict[str, Any] = {
        "fence": order["fence"],
        "outcome": outcome,
        "events_count": order["next_sequence"],
    }
    if outcome == "failed":
        body["failure"] = {"kind": "database", "message": "it crashed"}
    return _attempt(bench, "POST", "/complete", body)


YAMLS = (
    "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n"
                              for n in range(9)),
    "&a [*a]", "a: &a {b: *a}", "!!python/object/apply:os.system ['id']", "!!binary '////'",
    "? [a, b]\n: c", "a: 1\na: 2", "<<: {a: 1}\n<<: [{b: 2}]", "a: 0o7_7_7", "a: 1:2:3:4:5",
    "a: 2026-99-99", "a: .inf\nb: .nan", "a: !!set {x, y}", "--- 1\n--- 2", "%YAML 9.9\n--- a",
    "\t- a", "a: 'x", "[" * 5000, "{a: " * 3000, "- " * 5000 + "a", "a: |\n" + " x\n" * 30_000,
    "".join(f"k{n}: {n}\n" for n in range(60_000)), "a: " + "9" * 5000, "x" * 500_000,
    "".join(f"k{n}: &a{n} x\n" for n in range(5000)), 'name: "\\uD800"', "# only this", "",
    "\ufeffname: x", "targets: [{name: x, system: redis, parameters: {hz: !!int '0x" + "f" * 4000
    + "'}}]",
)  # fmt: skip
"""What nobody writes for an experiment."""


def document(bench: Bench, dice: random.Random) -> Call:
    """An experiment, to be looked at or kept."""
    made = experiment("fuzzed", repetitions=1)
    made["targets"][0]["parameters"] = {"hz": 10, "appendonly": True}
    path, query = dice.choice((
        ("/api/v1/experiments/validate", {}), ("/api/v1/experiments/fairness", {}),
        ("/api/v1/experiments", {"upsert": "true"}),
    ))  # fmt: skip
    if dice.random() < 0.25:
        return Call("POST", path, bench.owner, {"yaml": dice.choice(YAMLS)}, query=query)
    if dice.random() < 0.3:
        spoiled = hostile.spoiled(made, dice)
        try:
            text = yaml.safe_dump(spoiled, allow_unicode=True)
        except (yaml.YAMLError, UnicodeError, RecursionError, ValueError):
            text = "{}"
        return Call("POST", path, bench.owner, {"yaml": text}, query=query)
    return Call("POST", path, bench.owner, {"document": made}, query=query)


def campaign(bench: Bench, dice: random.Random) -> Call:
    """An experiment is carried out."""
    del dice
    git = {"branch": "b", "commit": "9f2c1e7b0a4d5c6e8f90123456789abcdef01234", "pull_request": 7,
           "repository": "https://git.example/team/store"}  # fmt: skip
    body = {"experiment": "no-such", "git": git, "base": "branch:main", "noise": False}
    return Call("POST", "/api/v1/campaigns", bench.owner, body)


DOORS: dict[str, Make] = {
    make.__name__: make
    for make in (register, session, claim, start, heartbeat, barrier, events, log, artifact,
                 complete, document, campaign)
}  # fmt: skip
WEIGHTS = {"events": 6, "session": 6, "document": 5, "complete": 1, "register": 2}
"""How often a door is asked, beside one for all others."""
