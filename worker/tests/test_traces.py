"""One trace goes from a request over a task to their SQL, and tells nothing that is secret."""

import contextlib
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from weighhouse_backend.app.bootstrap import bootstrap
from weighhouse_backend.kit.jobs import make_celery
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.waits import PATIENCE_SECONDS, until

EMAIL, PASSWORD = "una@weighhouse.example", "a long enough password"
CALLS = httpx.Client(timeout=PATIENCE_SECONDS)
HUSH = "whp_hush-hush-hush-hush"


@dataclass
class Collector:
    """Takes traces as OpenTelemetry's protocol has it."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)

    def spans(self, part: str = "") -> list[Span]:
        """What came so far: of a service, or of all."""
        found = []
        for body in list(self.bodies):
            for one in ExportTraceServiceRequest.FromString(body).resource_spans:
                told = {item.key: item.value.string_value for item in one.resource.attributes}
                if part in told["service.name"]:
                    found += [span for scope in one.scope_spans for span in scope.spans]
        return found


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    made = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}/v1/traces"
    yield made
    server.shutdown()
    server.server_close()


@dataclass(frozen=True)
class Running:
    """API and worker, and where they log."""

    url: str
    redis_url: str
    logs: dict[str, str]

    def lines(self, part: str) -> list[dict]:
        """What a part logged."""
        with Path(self.logs[part]).open(encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.startswith("{")]


@contextlib.contextmanager
def started(settings: Settings, folder, **more: str) -> Iterator[Running]:
    """API and worker as programs."""
    port = free_port()
    environment = {
        **os.environ,
        "WEIGHHOUSE_DATABASE_URL": settings.database_url,
        "WEIGHHOUSE_REDIS_URL": settings.redis_url,
        "WEIGHHOUSE_SECRET_KEY": "sixteen characters",
        "WEIGHHOUSE_SMTP_HOST": "127.0.0.1",
        "WEIGHHOUSE_SMTP_PORT": "1",
        "WEIGHHOUSE_LOG_LEVEL": "DEBUG",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        **more,
    }
    programs = {
        "api": [
            "uvicorn", "weighhouse_backend.app.factory:create_app", "--factory", "--port",
            str(port),
        ],
        "worker": ["celery", "-A", "weighhouse_worker.app:app", "worker", "--concurrency", "1",
                   "--without-gossip", "--without-mingle"],
    }  # fmt: skip
    logs = {name: str(folder / f"{name}.log") for name in programs}
    processes = []
    for name, words in programs.items():
        with Path(logs[name]).open("wb") as log:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", *words], env=environment, cwd=folder, stdout=log,
                    stderr=log, start_new_session=True,
                )
            )  # fmt: skip
    running = Running(f"http://127.0.0.1:{port}", settings.redis_url, logs)
    try:
        until("the API answers", lambda: _answers(running.url))
        yield running
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait()


def _answers(url: str) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return CALLS.get(f"{url}/health/live").is_success
    return False


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis_database: str) -> Settings:
    made = Settings(database_url=database_url, redis_url=own_redis_database)
    bootstrap(made, EMAIL, PASSWORD, None)
    return made


@pytest.fixture(scope="module")
def running(settings: Settings, collector: Collector, tmp_path_factory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("traced")
    with started(settings, folder, WEIGHHOUSE_TRACES_ENDPOINT=collector.url) as made:
        yield made


def named(spans: list[Span], name: str) -> list[Span]:
    return [span for span in spans if span.name == name]


def ask_reset(running: Running, **more: str) -> httpx.Response:
    return CALLS.post(
        f"{running.url}/api/v1/password-resets",
        json={"email": EMAIL},
        headers={"X-Weighhouse": "1", **more},
    )


def test_one_trace_goes_from_the_request_over_its_task_to_their_sql(
    running: Running, collector: Collector
) -> None:
    answer = ask_reset(running)
    assert answer.status_code == 202, answer.text
    (task,) = until(
        "the task's span came",
        lambda: named(collector.spans("weighhouse-worker"), "run/identity.mail_reset"),
    )
    (sent,) = until(
        "what sent it came", lambda: named(collector.spans(), "send/identity.mail_reset")
    )
    (request,) = until(
        "the request's span came",
        lambda: named(collector.spans("weighhouse-api"), "POST /api/v1/password-resets"),
    )
    assert task.trace_id == sent.trace_id == request.trace_id
    assert task.parent_span_id == sent.span_id
    assert sent.parent_span_id == request.span_id
    assert not request.parent_span_id

    def statements(part: str, parent: Span) -> list[str]:
        return [
            item.value.string_value
            for span in collector.spans(part)
            if span.parent_span_id == parent.span_id and span.trace_id == parent.trace_id
            for item in span.attributes
            if item.key == "db.statement"
        ]

    until(
        "the request's SQL came",
        lambda: any("INSERT INTO" in one for one in statements("weighhouse-api", request)),
    )
    until(
        "the task's SQL came",
        lambda: any("password_resets" in one for one in statements("weighhouse-worker", task)),
    )
    trace_id = request.trace_id.hex()
    of_task = [
        line for line in running.lines("worker") if line.get("task") == "identity.mail_reset"
    ]
    assert of_task
    assert {line["trace_id"] for line in of_task} == {trace_id}


def test_a_callers_trace_is_carried_on(running: Running, collector: Collector) -> None:
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    ask_reset(running, traceparent=f"00-{trace_id}-00f067aa0ba902b7-01")
    until(
        "its request came",
        lambda: [one for one in collector.spans("api") if one.trace_id.hex() == trace_id],
    )


def test_what_a_request_logs_names_its_trace(collector: Collector) -> None:
    program = (
        "import sys, structlog\n"
        "from fastapi import FastAPI\n"
        "from fastapi.testclient import TestClient\n"
        "from weighhouse_backend.app.surroundings import Surroundings\n"
        "from weighhouse_backend.kit.opentelemetry import begin\n"
        "tracing, app = begin(sys.argv[1], 'weighhouse-api'), FastAPI()\n"
        "app.add_middleware(Surroundings, tracing=tracing)\n"
        "for path in ('/bound', '/health/bound'):\n"
        "    app.get(path)(structlog.contextvars.get_contextvars)\n"
        "tracing.follow_requests(app)\n"
        "brought = {'traceparent': '00-' + 'ab' * 16 + '-' + 'cd' * 8 + '-01'}\n"
        "caller = TestClient(app, headers=brought)\n"
        "print(caller.get('/bound').json().get('trace_id'))\n"
        "print(caller.get('/health/bound').json().get('trace_id'))\n"
        "tracing.end()"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, collector.url], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["ab" * 16, "None"]


def test_a_failed_task_tells_its_kind_and_none_of_its_words(
    running: Running, collector: Collector
) -> None:
    sender = make_celery(running.redis_url)
    sender.send_task("results.settle_run", kwargs={"run_id": "hush-nonsense"})
    (span,) = until("it came", lambda: named(collector.spans("worker"), "run/results.settle_run"))
    (event,) = span.events
    assert {item.key: item.value.string_value for item in event.attributes} == {
        "exception.type": "ValueError"
    }
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert not span.status.message


def test_nobody_is_traced_who_only_looks_or_waits(running: Running, collector: Collector) -> None:
    paths = ("/health", "/health/live", "/health/ready", "/metrics", "/api/v1/campaigns/x/events")
    for path in paths:
        CALLS.get(running.url + path)
    CALLS.post(f"{running.url}/agent/v1/claims", json={})
    CALLS.get(f"{running.url}/api/v1/projects", params={"after": "the-last", "token": HUSH})
    until("what came last is there", lambda: named(collector.spans(), "GET /api/v1/projects"))
    names = {span.name for span in collector.spans()}
    assert not [one for one in names if "health" in one or "metrics" in one or "claims" in one]
    assert not [one for one in names if one.endswith("/events")]
    roots = [span.name for span in collector.spans() if not span.parent_span_id]
    assert not [one for one in roots if not one.startswith(("POST", "GET", "run/", "send/"))]


def test_nothing_secret_left(collector: Collector) -> None:
    """Of all that the other tests had sent, and what is in none of it."""
    everything = b"".join(collector.bodies)
    assert b"INSERT INTO" in everything
    for hush in (HUSH, EMAIL, PASSWORD, "hush-nonsense", "the-last", "127.0.0.1", "python-httpx"):
        assert hush.encode() not in everything, hush


def test_without_an_endpoint_none_of_it_is_even_imported() -> None:
    # Redis' own client imports the interfaces, and those of metrics, wherever it finds them.
    program = (
        "import sys, weighhouse_worker.celery_tasks, weighhouse_backend.app.factory as app\n"
        "from weighhouse_backend.kit.settings import Settings\n"
        "settings = Settings(database_url='postgresql+psycopg://x', redis_url='redis://x')\n"
        "app.create_app(settings); weighhouse_worker.celery_tasks.make_worker(settings)\n"
        "print(*sys.modules, sep='\\n')"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    ours = ("opentelemetry.exporter", "opentelemetry.instrumentation", "opentelemetry.sdk.trace.")
    found = told.stdout.split()
    assert "weighhouse_worker.celery_tasks" in found
    assert not [one for one in found if one.startswith(ours) or one.endswith("kit.opentelemetry")]
