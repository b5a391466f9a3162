"""The agent's protocol in memory, over real HTTP, strict: what a platform must be able to rely on.

A breach of the protocol by the agent is kept in `breaches`, which the fixture asserts to be empty.
"""

import asyncio
import hashlib
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID, uuid4

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from weighhouse_protocol.order import (
    Arrival,
    AttemptOrder,
    BarrierState,
    Claimed,
    ClaimRequest,
    Registered,
    Registration,
    SessionOpened,
    SessionOpening,
    Timings,
)
from weighhouse_protocol.report import (
    AttemptStarted,
    AttemptState,
    Completion,
    CompletionAnswer,
    EventBatch,
    EventsAccepted,
    Heartbeat,
    HeartbeatAnswer,
    SignTaken,
)
from weighhouse_protocol.updates import UpdateOrder, UpdateProgress

from .meeting import Meeting

REQUEST_ID = "req-7"
TIMINGS = Timings(
    long_poll_seconds=0.5, heartbeat_seconds=0.2, upload_seconds=0.1, sign_seconds=0.1,
    teardown_seconds=3.0, term_seconds=1.0, failing_tries=3, failing_seconds=1.0,
)  # fmt: skip


@dataclass
class Attempt:
    order: AttemptOrder
    status: str = "offered"
    events: list[dict[str, Any]] = field(default_factory=list)
    heartbeats: list[Heartbeat] = field(default_factory=list)
    logs: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """Name → content."""
    completion: Completion | None = None
    cancel: Literal["none", "graceful", "kill"] = "none"
    starts: int = 0

    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["kind"] == kind]

    def answered(self, operation: str = "read", phase: str = "measure") -> list[dict[str, Any]]:
        """What was answered well, by interval; none of one without any."""
        found = (
            each["interval"]["operations"].get(operation, {})
            for each in self.of_kind("interval")
            if each["interval"]["phase"] == phase
        )
        return [outcomes["ok"] for outcomes in found if "ok" in outcomes]

    def phases(self) -> list[str]:
        return [event["phase"] for event in self.of_kind("phase")]


@dataclass
class Platform:
    """The state behind the protocol."""

    agent_token: str = "wha_agent"
    registration_token: str = "whr_registration"
    timings: Timings = TIMINGS
    attempts: dict[UUID, Attempt] = field(default_factory=dict)
    claims: dict[UUID, UUID] = field(default_factory=dict)
    sessions: list[SessionOpening] = field(default_factory=list)
    registrations: list[Registration] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    lost: dict[str, int] = field(default_factory=dict)
    """Pattern of `METHOD path` → how many answers to lose after the call took effect."""
    refusals: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Pattern of `METHOD path` → status and detail."""
    problem: str = "refused"
    """How the type of a refusal's problem ends."""
    late: dict[str, float] = field(default_factory=dict)
    """Pattern of `METHOD path` → seconds until a call arrives."""
    calls: list[str] = field(default_factory=list)
    update: UpdateOrder | None = None
    """What waits for the agent, until it has said anything of it."""
    progress: list[UpdateProgress] = field(default_factory=list)
    packages: dict[str, bytes] = field(default_factory=dict)
    signed_at: list[float] = field(default_factory=list)
    """When the agent said that it is there, monotonic."""
    sign_pause_seconds: float | None = None
    """How long an agent is to wait until it says so again."""
    pause_seconds: float | None = None
    """How long agents are to gather events."""
    batches: list[tuple[float, int]] = field(default_factory=list)
    """When events came, monotonic, and how many were there then."""
    meeting: Meeting = field(default_factory=Meeting)
    """Of the gang whose member this platform's agent is; each agent has a platform of its own."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def offer(self, order: AttemptOrder) -> Attempt:
        with self.changed:
            self.attempts[order.attempt_id] = Attempt(order)
            self.changed.notify_all()
            return self.attempts[order.attempt_id]

    def breach(self, text: str) -> None:
        self.breaches.append(text)

    def claim(self, request: ClaimRequest) -> AttemptOrder | None:
        if request.claim_id in self.claims:
            return self.attempts[self.claims[request.claim_id]].order
        if not self.sessions or self.sessions[-1].process_id != request.process_id:
            self.breach("a claim without a session")
        of_slot = [a for a in self.attempts.values() if a.order.slot == request.slot]
        busy = [a for a in of_slot if a.status in {"claimed", "running"}]
        if busy:
            self.breach(f"a new claim while an attempt of its slot is {busy[0].status}")
        waiting = [a for a in of_slot if a.status == "offered"]
        if not waiting:
            return None
        self.claims[request.claim_id] = waiting[0].order.attempt_id
        waiting[0].status = "claimed"
        return waiting[0].order

    def cancel_of(self, attempt: Attempt) -> Literal["none", "graceful", "kill"]:
        """Whether an attempt is to stop; a gang's, when another member failed."""
        return "graceful" if self.meeting.gone - {attempt.order.member} else attempt.cancel

    def of(self, attempt_id: UUID, request: Request) -> Attempt:
        attempt = self.attempts.get(attempt_id)
        if attempt is None:
            raise HTTPException(404, "no such attempt")
        if request.headers.get("authorization") != f"Bearer {attempt.order.attempt_token}":
            self.breach(f"{request.url.path} without the attempt's token")
            raise HTTPException(401, "not the attempt's token")
        return attempt


def make_app(platform: Platform) -> FastAPI:
    app = FastAPI()

    @app.middleware("http")
    async def faults(request: Request, call_next: Any) -> Any:
        call = f"{request.method} {request.url.path}"
        for pattern, (status, detail) in platform.refusals.items():
            if re.search(pattern, call):
                headers = {"X-Request-Id": REQUEST_ID}
                platform.calls.append(f"{call} {status}")
                return JSONResponse(
                    {"type": f"/{platform.problem}", "title": "refused", "detail": detail},
                    status, headers,
                )  # fmt: skip
        for pattern, seconds in platform.late.items():
            if re.search(pattern, call):
                await asyncio.sleep(seconds)
        answer = await call_next(request)
        platform.calls.append(f"{call} {answer.status_code}")
        for pattern, left in platform.lost.items():
            if left and re.search(pattern, call):
                platform.lost[pattern] -= 1
                return JSONResponse({"detail": "lost on the way"}, 502)
        return answer

    def must_be_agent(request: Request) -> None:
        if request.headers.get("authorization") != f"Bearer {platform.agent_token}":
            raise HTTPException(401, "this agent is not enrolled")

    @app.post("/agent/v1/register", status_code=201)
    def register(request: Request, body: Registration) -> Registered:
        if request.headers.get("authorization") != f"Bearer {platform.registration_token}":
            raise HTTPException(401, "this token does not work")
        platform.registrations.append(body)
        return Registered(agent_id=uuid4(), agent_token=platform.agent_token)

    @app.put("/agent/v1/session")
    def session(request: Request, body: SessionOpening) -> dict[str, Any]:
        must_be_agent(request)
        platform.sessions.append(body)
        opened = SessionOpened.model_validate(
            {
                "agent_id": uuid4(),
                "timings": platform.timings,
                "server_time": "2026-11-20T00:00:00Z",
            }
        )
        return opened.model_dump(mode="json")

    @app.post("/agent/v1/signs")
    def signs(request: Request) -> SignTaken:
        must_be_agent(request)
        platform.signed_at.append(time.monotonic())
        return SignTaken(pause_seconds=platform.sign_pause_seconds)

    @app.post("/agent/v1/claims")
    def claims(request: Request, body: ClaimRequest) -> Claimed:
        must_be_agent(request)
        with platform.changed:
            order = platform.claim(body)
            if order is None and platform.changed.wait(body.wait_seconds):
                order = platform.claim(body)
        return Claimed(order=order, update=platform.update.update_id if platform.update else None)

    @app.get("/agent/v1/update")
    def update(request: Request) -> UpdateOrder:
        must_be_agent(request)
        assert platform.update is not None
        return platform.update

    @app.post("/agent/v1/update", status_code=204)
    def progress(request: Request, body: UpdateProgress) -> None:
        must_be_agent(request)
        platform.progress.append(body)
        platform.update = None

    @app.get("/agent/packages/{sha256}/{name}")
    def package(sha256: str, name: str) -> Response:
        return Response(platform.packages[name])

    attempt_endpoints(app, platform)
    return app


def attempt_endpoints(app: FastAPI, platform: Platform) -> None:
    base = "/agent/v1/attempts/{attempt_id}"

    @app.post(f"{base}/start")
    def start(request: Request, attempt_id: UUID, body: AttemptStarted) -> dict[str, str]:
        attempt = platform.of(attempt_id, request)
        if body.fence != attempt.order.fence or attempt.status not in {"claimed", "running"}:
            raise HTTPException(409, f"the attempt is {attempt.status}")
        attempt.starts += 1
        attempt.status = "running"
        return {}

    @app.post(f"{base}/heartbeat")
    def heartbeat(request: Request, attempt_id: UUID, body: Heartbeat) -> HeartbeatAnswer:
        received_at_us = platform.meeting.now_us()
        attempt = platform.of(attempt_id, request)
        earlier = attempt.heartbeats[-1].next_sequence if attempt.heartbeats else 0
        if attempt.completion is not None:
            platform.breach("a heartbeat after completion")
        # Events may overtake a heartbeat under way, an earlier heartbeat may not.
        if body.next_sequence < earlier:
            platform.breach("a heartbeat that counts backwards")
        attempt.heartbeats.append(body)
        return HeartbeatAnswer(
            cancel=platform.cancel_of(attempt),
            received_at_us=received_at_us,
            answered_at_us=platform.meeting.now_us(),
        )

    @app.post(f"{base}/barriers/{{name}}")
    def barrier(request: Request, attempt_id: UUID, name: str, body: Arrival) -> BarrierState:
        attempt = platform.of(attempt_id, request)
        if attempt.status != "running":
            platform.breach(f"an arrival at {name} while the attempt is {attempt.status}")
        if (wrong := platform.meeting.breach(attempt.order, name)) is not None:
            platform.breach(wrong)
            raise HTTPException(409, wrong)
        return platform.meeting.arrive(attempt.order, name, body)

    @app.post(f"{base}/events")
    def events(request: Request, attempt_id: UUID, body: EventBatch) -> EventsAccepted:
        attempt = platform.of(attempt_id, request)
        if attempt.status == "claimed":
            platform.breach("events before the start")
        for event in body.model_dump(mode="json")["events"]:
            place = event["sequence"]
            if place < len(attempt.events):
                if attempt.events[place] != event:
                    platform.breach(f"event {place} changed")
            elif place > len(attempt.events):
                platform.breach(f"a gap: {place} after {len(attempt.events)}")
            elif attempt.completion is not None:
                platform.breach("events after completion")
            else:
                attempt.events.append(event)
        platform.batches.append((time.monotonic(), len(attempt.events)))
        pause = platform.pause_seconds
        return EventsAccepted(next_sequence=len(attempt.events), pause_seconds=pause)

    @app.put(f"{base}/logs/{{stream}}", status_code=202)
    async def logs(request: Request, attempt_id: UUID, stream: str, offset: int) -> dict[str, int]:
        attempt = platform.of(attempt_id, request)
        stored = attempt.logs.get(stream, b"")
        if offset > len(stored):
            raise HTTPException(416, f"{len(stored)} bytes are stored")
        if attempt.completion is not None:
            platform.breach("a log after completion")
        attempt.logs[stream] = stored + (await request.body())[len(stored) - offset :]
        return {"next_offset": len(attempt.logs[stream])}

    @app.head(f"{base}/artifacts/{{sha256}}")
    def has_file(request: Request, attempt_id: UUID, sha256: str) -> None:
        attempt = platform.of(attempt_id, request)
        if sha256 not in {hashlib.sha256(each).hexdigest() for each in attempt.files.values()}:
            raise HTTPException(404, "not here")

    @app.put(f"{base}/artifacts/{{sha256}}", status_code=201)
    async def file(request: Request, attempt_id: UUID, sha256: str, name: str) -> None:
        attempt = platform.of(attempt_id, request)
        content = await request.body()
        if attempt.completion is not None:
            platform.breach("a file after completion")
        if hashlib.sha256(content).hexdigest() != sha256 or not content:
            platform.breach(f"{name} is not what its hash says")
        attempt.files[name] = content

    @app.post(f"{base}/complete")
    def complete(request: Request, attempt_id: UUID, body: Completion) -> CompletionAnswer:
        attempt = platform.of(attempt_id, request)
        if attempt.completion is not None:
            if attempt.completion != body:
                platform.breach("another completion")
            return CompletionAnswer(result="already_accepted")
        if len(attempt.events) < body.events_count:
            raise HTTPException(409, f"{len(attempt.events)} events are stored")
        if len(attempt.events) > body.events_count:
            platform.breach("a completion that forgets events")
        attempt.completion = body
        attempt.status = body.outcome
        if body.outcome != "completed":
            platform.meeting.is_gone(attempt.order.member)
        return CompletionAnswer(result="accepted")

    @app.get(base)
    def state(request: Request, attempt_id: UUID) -> AttemptState:
        attempt = platform.of(attempt_id, request)
        return AttemptState.model_validate(
            {
                "attempt_id": str(attempt_id),
                "status": attempt.status,
                "next_sequence": len(attempt.events),
                "log_offsets": {name: len(text) for name, text in attempt.logs.items()},
                "cancel": platform.cancel_of(attempt),
            }
        )


class Server:
    """The platform over HTTP, on one port; may go away and come back."""

    def __init__(self, platform: Platform, port: int) -> None:
        self.platform = platform
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        config = uvicorn.Config(
            make_app(self.platform), host="127.0.0.1", port=self.port, log_level="error",
            timeout_graceful_shutdown=1, lifespan="off", ws="none",
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            with self.platform.changed:
                self.platform.changed.notify_all()
            self._thread.join(120)
        self._server = None
