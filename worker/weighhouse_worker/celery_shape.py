"""Celery's shape, for workers and timetable alike: configuration, times, logs, signs of life."""

from typing import Any

from celery import Celery, signals
from celery.app.amqp import AMQP
from kombu.connection import Connection
from weighhouse_backend.kit.logs import configure_library_logs, configure_logs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.traces import Tracing, tracing_of

from weighhouse_worker.metrics import connect_telling
from weighhouse_worker.times import timetable

PART = "weighhouse-worker"
"""What traces call it."""
REDELIVERED_SECONDS = 1800
"""A task whose worker vanished comes back after this long; the sweep is faster."""


MOST_PAUSE_SECONDS = 2
"""Between two tries to reach a broker that is away: it is back at work as soon as it is there."""


class _Returning(Connection):
    """A connection to the broker that goes on trying at the same pace."""

    def _ensure_connection(
        self, errback: Any = None, max_retries: Any = None, *pace: Any, **settings: Any
    ) -> Any:
        if not pace:
            settings = {"interval_start": 0.5, "interval_max": MOST_PAUSE_SECONDS, **settings}
        ensured: Any = super()._ensure_connection
        return ensured(errback, max_retries, *pace, **settings)


class _Returned(AMQP):  # type: ignore[misc]
    Connection = _Returning


def make_beat(settings: Settings) -> Celery:
    """The Celery app with the timetable and without the tasks, which a beat sends for by name:
    nothing that they call is loaded.
    """
    return shaped(settings, tracing_of(settings, PART))


def shaped(settings: Settings, tracing: Tracing) -> Celery:
    """The Celery app without a task.

    Tasks are acknowledged when they are done, so that those of a killed worker come back; nothing
    is kept of results.
    """
    app = Celery("weighhouse", broker=settings.redis_url, amqp=_Returned)
    app.conf.update(
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_create_missing_queues=True,
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={"visibility_timeout": REDELIVERED_SECONDS, "socket_timeout": 30},
        beat_scheduler="celery.beat:Scheduler",  # keeps no file: the timetable is all there is
        beat_max_loop_interval=1,
        beat_schedule={
            name: {"task": name, "schedule": seconds, "options": {"expires": max(seconds, 5.0)}}
            for name, seconds in timetable(settings).items()
        },
    )
    _connect_logs(settings)
    _connect_traces(tracing)
    connect_telling(app, settings)
    return app


def _connect_logs(settings: Settings) -> None:
    def set_up(**_: Any) -> None:
        configure_logs(settings.log_level)
        configure_library_logs(settings.log_level)

    signals.setup_logging.connect(set_up, weak=False)


def _connect_traces(tracing: Tracing) -> None:
    def ends(**_: Any) -> None:
        tracing.end()

    # The child processes that carry out tasks end without Python's own goodbye.
    signals.worker_process_shutdown.connect(ends, weak=False)
