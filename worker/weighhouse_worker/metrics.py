"""What a worker tells of itself: signs of life, and metrics on a port of its own.

Tasks run in child processes, but how each one ended is heard by the worker's main process, which
alone counts and answers: no files are shared between processes, and a task that was interrupted or
whose process was killed counts like any other.
"""

import contextlib
import time
from importlib.metadata import version
from typing import Any

import structlog
from celery import Celery, signals
from celery.bootsteps import StartStopStep
from celery.exceptions import TimeLimitExceeded, WorkerLostError
from celery.worker.consumer import Connection as ConnectionStep
from celery.worker.request import Request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)
from redis import Redis
from redis.exceptions import RedisError
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signs import Part, give_sign

log = structlog.get_logger(__name__)

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600)
SIGN_SECONDS = 1.0
"""Between two signs of life of a worker; a timetable that sends more often gives fewer signs than
it sends."""

REGISTRY = CollectorRegistry()
TASKS = Counter(
    "weighhouse_worker_tasks", "Tasks that ended.", ("task", "outcome"), registry=REGISTRY
)
DURATION = Histogram(
    "weighhouse_worker_task_seconds", "How long tasks took.", ("task",), buckets=SECONDS,
    registry=REGISTRY,
)  # fmt: skip
RUNNING = Gauge("weighhouse_worker_tasks_running", "Tasks under way.", registry=REGISTRY)
DONE_AT = Gauge(
    "weighhouse_worker_task_done_timestamp_seconds",
    "When a task was done last without a failure.",
    ("task",),
    registry=REGISTRY,
)


class CountedRequest(Request):  # type: ignore[misc]
    """A task in the worker's main process: counts how it ended."""

    _begun: float | None = None

    def on_accepted(self, pid: int, time_accepted: float) -> None:
        """A child has begun with it."""
        super().on_accepted(pid, time_accepted)
        if self._begun is None:
            self._begun = time.monotonic()
            RUNNING.inc()

    def acknowledge(self) -> None:
        """It is done: tasks are acknowledged late, and how a failure ended was counted before.

        Celery replaces `on_success` in a class that it derives from this one.
        """
        self._ended("done")
        super().acknowledge()

    def on_failure(
        self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False
    ) -> Any:
        """It failed, or the child that was at it is gone."""
        lost = isinstance(exc_info.exception, WorkerLostError)
        late = isinstance(exc_info.exception, TimeLimitExceeded)
        self._ended("lost" if lost else "interrupted" if late else "failed")
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """It took too long: softly, it may still tidy up; else its process is ended."""
        if not soft:
            self._ended("interrupted")
        super().on_timeout(soft, timeout)

    def _ended(self, outcome: str) -> None:
        if self._begun is None:
            return
        RUNNING.dec()
        TASKS.labels(self.name, outcome).inc()
        DURATION.labels(self.name).observe(time.monotonic() - self._begun)
        self._begun = None
        if outcome == "done":
            DONE_AT.labels(self.name).set_to_current_time()


class Signs:
    """Gives signs of life of one part; it does not mind when nobody hears them."""

    def __init__(self, redis: Redis, part: Part) -> None:
        self._redis = redis
        self._part = part
        self._given_at = 0.0

    def give(self) -> None:
        """Give one."""
        self._given_at = time.monotonic()
        with contextlib.suppress(RedisError):
            give_sign(self._redis, self._part)

    def give_seldom(self, **_: Any) -> None:
        """Give one, unless the last was just now."""
        if time.monotonic() - self._given_at >= SIGN_SECONDS:
            self.give()


def _signs_of_worker(redis_url: str) -> type[StartStopStep]:
    """Has the loop that receives tasks give the signs: they end when it does nothing any more."""

    class SignsOfWorker(StartStopStep):  # type: ignore[misc]
        requires = (ConnectionStep,)
        timer: Any = None

        def start(self, consumer: Any) -> None:
            signs = Signs(make_redis(redis_url), "worker")
            signs.give()
            self.timer = consumer.timer.call_repeatedly(SIGN_SECONDS, signs.give)

        def stop(self, consumer: Any) -> None:
            if self.timer is not None:
                consumer.timer.cancel(self.timer)
                self.timer = None

    return SignsOfWorker


def connect_telling(app: Celery, settings: Settings) -> None:
    """Have workers and beats of this process tell of themselves, once they are one."""
    app.steps["consumer"].add(_signs_of_worker(settings.redis_url))

    def worker_is_ready(**_: Any) -> None:
        serve(settings)

    def timetable_begins(**_: Any) -> None:
        signs = Signs(make_redis(settings.redis_url), "timetable")
        signals.before_task_publish.connect(signs.give_seldom, weak=False)

    signals.worker_ready.connect(worker_is_ready, weak=False)
    signals.beat_init.connect(timetable_begins, weak=False)
    # A beat inside of a worker is a process, or a thread, of its own.
    signals.beat_embedded_init.connect(timetable_begins, weak=False)


def serve(settings: Settings) -> None:
    """Answer Prometheus, where the settings say so; a taken port costs the metrics alone."""
    port = settings.worker_metrics_port
    if port is None:
        return
    disable_created_metrics()  # type: ignore[no-untyped-call]
    Info("weighhouse_build", "Which release this is.", registry=REGISTRY).info(
        {"version": version("weighhouse-worker")}
    )
    ProcessCollector(registry=REGISTRY)
    try:
        start_http_server(port, settings.worker_metrics_host, REGISTRY)
    except OSError as error:
        log.warning("no_metrics", port=port, reason=str(error))
