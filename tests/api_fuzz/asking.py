"""One operation: requests of three kinds, each asked as everybody, and what was wrong."""

import json
import random
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import hypothesis
import requests
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from weighhouse_testing import hostile
from weighhouse_testing.waits import PATIENCE_SECONDS

from api_fuzz.grounding import break_value, ground
from api_fuzz.timed import HEADER
from api_fuzz.world import World

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_schema_conformance, response_headers_conformance, negative_data_rejection,
]  # fmt: skip
RAW = frozenset({"unkept", "hostile"})
REFUSED = range(400, 500)
MOST_MICROSECONDS = 100_000
"""Processor time that a refused request may take."""
AGAIN = 2
"""Asked so often again, what took long once: the first time of anything, and what a process does
beside, say nothing of a request."""
STREAM_SECONDS = 0.2
"""How long a stream of events is read before it is closed."""
LOG_OUT = "identity_log_out"
BY_LINK = "/api/v1/reply"
OF_ATTEMPT = "/agent/v1/attempts/"
OF_DIRECTORY = "/api/scim/"


@dataclass
class Finding:
    """Something that was wrong, as often as it was seen."""

    call: str
    what: str
    count: int = 0
    identities: set[str] = field(default_factory=set)
    detail: str = ""
    repeat: str = ""


@dataclass
class Account:
    """What was asked, and what was wrong."""

    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    requests: int = 0
    examples: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[int]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    """Valid requests of an owner that were refused with 422, by call."""
    reasons: dict[str, Counter[str]] = field(default_factory=dict)

    processor: list[int] = field(default_factory=list)
    """Of what was refused: µs each."""
    slow: dict[tuple[str, str], Finding] = field(default_factory=dict)
    """What was refused and took more than it may."""

    def time_refused(self, call: str, status: int, took: int, repeat: str) -> None:
        """Note what a refused request took of the processor, in µs."""
        self.processor.append(took)
        if took > MOST_MICROSECONDS:
            what = f"refused with {status} for too much processor time"
            found = self.slow.setdefault((call, what), Finding(call, what))
            found.count += 1
            if not found.detail or took > int(found.detail.split()[0]):
                found.detail, found.repeat = f"{took} µs", repeat[:1500]

    def note(self, call: str, what: str, identity: str, detail: str, repeat: str) -> None:
        """Note something wrong; the first is kept to be repeated."""
        found = self.findings.setdefault((call, what), Finding(call, what))
        found.count += 1
        found.identities.add(identity)
        found.detail = found.detail or detail[:1500]
        found.repeat = found.repeat or repeat[:1500]


@dataclass
class Examiner:
    """Asks, and keeps account."""

    world: World
    examples: int
    seed: int
    account: Account = field(default_factory=Account)
    session: requests.Session = field(default_factory=requests.Session)

    def examine(self, operation: Any) -> None:
        """Ask an operation: half valid, most of the rest invalid, some that no database keeps, and
        of many some that are hostile.
        """
        unkept, hostile_ones = max(1, self.examples // 10), self.examples // 5
        valid = (self.examples - unkept - hostile_ones) // 2
        invalid = self.examples - unkept - hostile_ones - valid
        # In one go: these begin as something valid, and to begin takes the longest.
        raw = ["unkept"] * unkept + ["hostile"] * hostile_ones
        self._ask(operation, ["valid"] * valid + raw)
        self._ask(operation, ["invalid"] * invalid)
        short = invalid - self.account.examples[f"{operation.label} invalid"]
        if short > 0:
            # Not everything can be asked wrongly; then there are more that are right.
            self._ask(operation, ["valid"] * short)

    def _ask(self, operation: Any, kinds: list[str]) -> None:
        first, count, coming = kinds[0], len(kinds), iter(kinds)
        mode = GenerationMode.NEGATIVE if first == "invalid" else GenerationMode.POSITIVE

        def one(case: Any, dice: int) -> None:
            kind = next(coming, first)
            self.account.examples[f"{operation.label} {kind}"] += 1
            self._all(operation, case, kind, random.Random(dice))

        run: Callable[[], None] = hypothesis.settings(
            max_examples=count, deadline=None, database=None, phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck), print_blob=False,
        )(hypothesis.seed(f"{self.seed} {operation.label} {first}")(
            hypothesis.given(
                case=operation.as_strategy(mode), dice=st.integers(0, 2**32 - 1)
            )(one)
        ))  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run()
            except hypothesis.errors.Unsatisfiable:
                if first != "invalid":
                    raise

    def _all(self, operation: Any, case: Any, kind: str, dice: random.Random) -> None:
        name = operation.definition.raw.get("operationId", "")
        ids = self.world.ids | self.world.thrown_away.get(name, {})
        ground(case, ids, dice)
        for identity, headers in self.world.headers.items():
            own = self._as(name, operation, identity, headers)
            self._one(operation, case, kind, identity, own, dice)

    def _as(
        self, name: str, operation: Any, identity: str, headers: dict[str, str]
    ) -> dict[str, str]:
        if operation.path == BY_LINK and identity == "owner":
            return self.world.link
        if operation.path.startswith(OF_DIRECTORY) and identity == "owner":
            return self.world.directory
        if operation.path.startswith(OF_ATTEMPT) and identity == "agent":
            return self.world.attempt
        if name == LOG_OUT and "Cookie" in headers and self.world.sessions:
            # When all were ended, one that was: never the login that others are asked with.
            sessions = self.world.sessions
            spare = sessions.pop() if len(sessions) > 1 else sessions[0]
            return headers | {"Cookie": f"weighhouse_session={spare}"}
        return headers

    def _one(
        self, operation: Any, case: Any, kind: str, identity: str, headers: dict[str, str],
        dice: random.Random,
    ) -> None:  # fmt: skip
        call, account = operation.label, self.account
        streamed = "text/event-stream" in json.dumps(operation.definition.raw["responses"])
        wait = STREAM_SECONDS if streamed else PATIENCE_SECONDS
        raw = self._raw(case, kind, headers, dice) if kind in RAW else None
        response = None

        def ask() -> tuple[int, int]:
            nonlocal response
            self.session.cookies.clear()
            account.requests += 1
            if raw is not None:
                return self._send(raw, wait)
            response = case.call(
                base_url=self.world.url, session=self.session, headers=headers, timeout=wait
            )
            return response.status_code, _took(response.headers)

        try:
            status, took = ask()
            for _ in range(AGAIN if status in REFUSED else 0):
                if took > MOST_MICROSECONDS:
                    took = min(took, ask()[1])
        except requests.exceptions.RequestException as error:
            if not (streamed and isinstance(error, requests.exceptions.Timeout)):
                account.note(call, "no answer", identity, repr(error), self._told(case, raw))
            return
        account.statuses.setdefault(identity, Counter())[status] += 1
        if status in REFUSED:
            account.time_refused(call, status, took, self._told(case, raw))
        if response is None:
            if status >= 500:
                what = f"answered {status} to what is {kind}"
                account.note(call, what, identity, "", self._told(case, raw))
            return
        if kind == "valid" and status == 422 and identity.startswith("owner"):
            account.refused[call] += 1
            told = response.text_lossy()[:300]
            account.reasons.setdefault(call, Counter())[told] += 1
        try:
            case.validate_response(response, checks=CHECKS, headers=headers)
        except FailureGroup as group:
            for failure in group.exceptions:
                title = getattr(failure, "title", type(failure).__name__)
                what = f"{title} ({status})"
                account.note(call, what, identity, str(failure), self._told(case, None))

    def _raw(
        self, case: Any, kind: str, headers: dict[str, str], dice: random.Random
    ) -> dict[str, Any]:
        """What the schema allows and no database keeps, or what nobody in good faith sends."""
        arguments: dict[str, Any] = case.as_transport_kwargs(base_url=self.world.url)
        arguments["headers"] = {**arguments.get("headers", {}), **headers}
        arguments.pop("cookies", None)
        if isinstance(arguments.get("json"), (dict, list)) and dice.random() < 0.7:
            document = arguments.pop("json")
            if kind == "hostile":
                body, told = hostile.wrapped(hostile.encoded(hostile.spoiled(document, dice)), dice)
                arguments["data"] = body
                sent = {name: value.encode("latin-1", "replace") for name, value in told}
                # Of an operation, who asks matters more than what else could stand there.
                arguments["headers"] = sent | arguments["headers"]
            else:
                arguments["data"] = json.dumps(break_value(document, dice)).encode()
                arguments["headers"]["Content-Type"] = "application/json"
        elif isinstance(arguments.get("params"), dict) and arguments["params"]:
            name = dice.choice(sorted(arguments["params"]))
            values = ["a\x00b", str(2**31), str(2**63), str(10**30), "\U0010ffff"]
            if kind == "hostile":
                values = [_sendable(str(hostile.value(dice)))[:10_000]]
            arguments["params"] = arguments["params"] | {name: dice.choice(values)}
        else:
            head, _, _ = arguments["url"].rpartition("/")
            by = dice.choice(["%00", "a%00b", str(2**31), str(2**63), str(10**30), "%ED%A0%80"])
            if kind == "hostile":
                by = quote(_sendable(str(dice.choice(hostile.TEXTS)))[:3000], safe="") or "%20"
            arguments["url"] = f"{head}/{by}" if dice.random() < 0.5 else f"{arguments['url']}{by}"
        return arguments

    def _send(self, arguments: dict[str, Any], wait: float) -> tuple[int, int]:
        """Status of the answer, and µs of the processor."""
        with self.session.request(timeout=wait, stream=True, **arguments) as answer:
            if "event-stream" not in answer.headers.get("Content-Type", ""):
                assert answer.content is not None
            return answer.status_code, _took(answer.headers)

    def _told(self, case: Any, raw: dict[str, Any] | None) -> str:
        if raw is not None:
            body = raw.get("data") or raw.get("json") or b""
            told = {name: str(value)[:80] for name, value in raw["headers"].items()
                    if name not in {"Authorization", "Cookie"}}  # fmt: skip
            return (
                f"{raw['method']} {raw['url'][:300]} {str(raw.get('params'))[:300]} {told} "
                f"{str(body)[:400]}"
            )
        try:
            return str(case.as_curl_command(headers={}))
        except Exception as error:  # noqa: BLE001 - to be told is more than to fail
            return repr(error)


def _took(headers: Any) -> int:
    told = headers.get(HEADER.lower(), headers.get(HEADER, 0))
    return int(told[0] if isinstance(told, list) else told)


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
