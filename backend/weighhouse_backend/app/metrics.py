"""What Prometheus reads of an API process: its requests, its pools, and what the platform is at.

The names, and what each means, stand in docs/operations.md. Every API process counts its own
requests and is scraped by itself; what the platform is at is the same in all of them.
"""

import secrets
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, cast, get_args

from anyio import CapacityLimiter
from fastapi import APIRouter, Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from sqlalchemy import Engine, QueuePool
from starlette.datastructures import Headers, State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weighhouse_backend.app.parts import Looked, silent_after
from weighhouse_backend.app.status import look
from weighhouse_backend.app.work import OPEN_RUNS, AgentAtWork, Work
from weighhouse_backend.kit.conditions import ConditionName
from weighhouse_backend.kit.problems import Forbidden
from weighhouse_backend.kit.settings import Settings

router = APIRouter(include_in_schema=False)
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
ELSEWHERE = "elsewhere"
"""In place of a route's template or a method, for what is none of ours: a scanner's inventions must
not become series."""
THROUGH_A_PROXY = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
EVENTS = b"text/event-stream"


class Metrics:
    """The metrics of one API process."""

    def __init__(self, engines: Mapping[str, Engine], state: State) -> None:
        """:param engines: pool's name → engine.
        :param state: of the application: who waits in it is counted when it is asked.
        """
        # Nobody draws when a counter began.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "weighhouse_http_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.duration = Histogram(
            "weighhouse_http_request_duration_seconds",
            "From a request to the beginning of its answer.",
            ("method", "route"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.open = Gauge(
            "weighhouse_http_open",
            "Requests under way; streams: server-sent events.",
            ("kind",),
            registry=self.registry,
        )
        for kind in ("request", "stream"):
            self.open.labels(kind)
        build = Info("weighhouse_build", "Which release this is.", registry=self.registry)
        build.info({"version": version("weighhouse-backend")})
        ProcessCollector(registry=self.registry)
        self._engines = engines
        self._state = state

    def text(self, looked: Looked) -> bytes:
        """Everything, in Prometheus' text format."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Once([*self._of_process(), *_of_platform(looked, self._state.settings)]))
        return generate_latest(self.registry) + generate_latest(registry)

    def _of_process(self) -> Iterator[Metric]:
        polls = _gauge("weighhouse_long_polls", "Agents' questions for work that are held open.")
        polls.add_metric((), self._state.waiting_room.waiting)
        yield polls
        used = _gauge("weighhouse_database_connections_in_use", "Of a pool.", "pool")
        most = _gauge("weighhouse_database_connections_max", "That a pool may have.", "pool")
        for name, engine in self._engines.items():
            pool = cast("QueuePool", engine.pool)
            used.add_metric((name,), pool.checkedout())
            most.add_metric((name,), pool.size() * 2)
        yield used
        yield most
        turns: CapacityLimiter = self._state.session_turns
        waiting = _gauge(
            "weighhouse_database_turns_waiting", "Requests that wait for a connection of the API's."
        )
        waiting.add_metric((), turns.statistics().tasks_waiting)
        yield waiting
        held = _gauge("weighhouse_turns_waiting", "Requests that wait since others ask too.")
        held.add_metric((), self._state.shares.waiting)
        yield held
        ends = _gauge(
            "weighhouse_background_task_ends",
            "How often work that should go on ended, and was begun again.",
            "task",
        )
        for name, failures in self._state.background.failures.items():
            ends.add_metric((name,), failures)
        yield ends


class Measured:
    """ASGI middleware: counts requests by their route's template, and times their answers."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        metrics, status, kind = self._metrics, 0, "request"
        method = scope["method"] if scope["method"] in METHODS else ELSEWHERE
        metrics.open.labels(kind).inc()

        async def send_and_count(message: Message) -> None:
            nonlocal status, kind
            if message["type"] == "http.response.start":
                status = message["status"]
                seconds = time.perf_counter() - begun
                metrics.duration.labels(method, _route(scope)).observe(seconds)
                if _is_stream(message):
                    metrics.open.labels(kind).dec()
                    kind = "stream"
                    metrics.open.labels(kind).inc()
                # A stream is counted when it begins: it may never end.
                metrics.requests.labels(method, _route(scope), str(status)).inc()
            await send(message)

        try:
            await self._app(scope, receive, send_and_count)
        except Exception:
            if not status:
                metrics.requests.labels(method, _route(scope), "500").inc()
            raise
        finally:
            metrics.open.labels(kind).dec()


def _route(scope: Scope) -> str:
    return str(getattr(scope.get("route"), "path", ELSEWHERE))


def _is_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(EVENTS)
        for name, value in message.get("headers", ())
    )


@router.get("/metrics")
async def status_metrics(request: Request) -> Response:
    """For Prometheus: with the token of the settings, or from this machine itself."""
    if not may_read(request.app.state.settings, request.client and request.client.host, request):
        raise Forbidden(
            "these are read from this machine itself, not through a proxy, or with the token of "
            "WEIGHHOUSE_METRICS_TOKEN"
        )
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(await look(request)), media_type=CONTENT_TYPE_LATEST)


def may_read(settings: Settings, peer: str | None, request: Request) -> bool:
    """Whether somebody may read the metrics.

    Where there is a token, it alone counts. A proxy on this machine asks from this machine, too,
    for whomever: what went through one is refused.
    """
    headers: Headers = request.headers
    if settings.metrics_token is not None:
        wanted = f"Bearer {settings.metrics_token.get_secret_value()}"
        return secrets.compare_digest(headers.get("authorization", "").encode(), wanted.encode())
    if any(name in headers for name in THROUGH_A_PROXY):
        return False
    try:
        return ip_address(peer or "").is_loopback
    except ValueError:
        return False


class _Once:
    """Metrics that are there already, as a collector."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> list[Metric]:
        """The metrics."""
        return self._metrics


def _gauge(name: str, words: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, labels=labels)


def _single(name: str, words: str, value: float | None) -> Iterator[Metric]:
    """One value; nothing where there is none, for a nought would be a lie."""
    if value is not None:
        gauge = _gauge(name, words)
        gauge.add_metric((), value)
        yield gauge


def _of_platform(looked: Looked, settings: Settings) -> Iterator[Metric]:
    holding = _gauge("weighhouse_condition", "1: it is so now; docs/operations.md.", "condition")
    held = {one.name for one in looked.conditions}
    for name in get_args(ConditionName):
        holding.add_metric((name,), float(name in held))
    yield holding
    parts = _gauge("weighhouse_part_up", "1: the part does its work; 0: it does not.", "part")
    for part in looked.parts:
        if part.condition != "unknown":
            parts.add_metric((part.name,), float(part.condition == "ok"))
    yield parts
    signs = _gauge("weighhouse_sign_age_seconds", "Since a part's latest sign of life.", "part")
    for name, age in looked.signs.items():
        if age is not None:
            signs.add_metric((name,), age)
    yield signs
    yield from _single(
        "weighhouse_jobs_waiting", "Jobs in Redis that no worker has taken.", looked.jobs_waiting
    )
    if looked.work is not None:
        yield from _of_work(looked.work, settings)


def _of_work(work: Work, settings: Settings) -> Iterator[Metric]:
    runs = _gauge("weighhouse_runs", "Runs that have not ended.", "status")
    for status in OPEN_RUNS:
        runs.add_metric((str(status),), work.runs.get(str(status), 0))
    yield runs
    yield from _single(
        "weighhouse_oldest_queued_run_seconds",
        "How long the oldest queued run of a campaign that is not paused has waited; 0: none does.",
        work.oldest_queued_seconds or 0,
    )
    states = _gauge("weighhouse_agents", "Agents by what they are at.", "state")
    counts: dict[str, int] = dict.fromkeys(("idle", "busy", "resting", "draining", "silent"), 0) | {
        "revoked": work.agents_revoked
    }
    for one in work.agents:
        counts[_state(one, silent_after(settings))] += 1
    for state, count in counts.items():
        states.add_metric((state,), count)
    yield states
    each: dict[str, tuple[str, Any]] = {
        "weighhouse_agent_unseen_seconds": ("Since an agent's last call.", "unseen_seconds"),
        "weighhouse_agent_spool_bytes": ("Waiting on its disk, by its last word.", "spool_bytes"),
        "weighhouse_leases": ("Parts in attempts that an agent holds.", "leases"),
        "weighhouse_lease_silent_seconds": (
            "Since the last heartbeat of the part that was silent longest.",
            "lease_silent_seconds",
        ),
        "weighhouse_ingest_lag_seconds": (
            "Age of the newest sample stored of the running part that is furthest behind.",
            "ingest_lag_seconds",
        ),
    }
    for name, (words, attribute) in each.items():
        gauge = _gauge(name, words, "agent_id", "agent")
        for one in work.agents:
            value = getattr(one, attribute)
            if value is not None:
                gauge.add_metric((one.id, one.name), value)
        yield gauge


def _state(agent: AgentAtWork, longest: float) -> str:
    if agent.unseen_seconds is None or agent.unseen_seconds > longest:
        return "silent"
    if agent.draining:
        return "draining"
    if agent.leases:
        return "busy"
    return "resting" if agent.resting else "idle"
