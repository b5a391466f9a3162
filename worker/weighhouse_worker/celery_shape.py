"""The only module that knows Celery's shape: configuration, tasks, timetable, logs."""

import time
from typing import Any

import structlog
from celery import Celery, signals
from weighhouse_backend.kit.jobs import job_begins
from weighhouse_backend.kit.logs import configure_library_logs, configure_logs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.tracing import Tracing, tracing_of

from weighhouse_worker.tasks import FORMER_NAMES, TASKS, TaskPlan, arguments_of, timetable
from weighhouse_worker.telling import CountedRequest, connect_telling
from weighhouse_worker.tools import Tools

log = structlog.get_logger(__name__)

INTERRUPTED_SECONDS = 30.0
"""Between the interruption of a task that takes too long, and the end of its process."""
REDELIVERED_SECONDS = 1800
"""A task whose worker vanished comes back after this long; the sweep is faster."""


def make_worker(settings: Settings) -> Celery:
    """The Celery app with every task and the timetable.

    Tasks are acknowledged when they are done, so that those of a killed worker come back; nothing
    is kept of results.
    """
    app = Celery("weighhouse", broker=settings.redis_url)
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
    tracing = tracing_of(settings, "weighhouse-worker")
    tools = Tools(settings)
    for name, plan in TASKS.items():
        _register(app, tools, tracing, name, plan)
    for former, name in FORMER_NAMES.items():
        _register(app, tools, tracing, former, TASKS[name])
    _connect_logs(settings)
    _connect_traces(tracing)
    connect_telling(settings)
    return app


def _register(app: Celery, tools: Tools, tracing: Tracing, name: str, plan: TaskPlan) -> None:
    def carry_out(**arguments: Any) -> None:
        begin = time.monotonic()
        words = {**arguments_of(arguments), **tracing.words()}
        with structlog.contextvars.bound_contextvars(task=name, **words):
            job_begins(tools.redis, name)
            try:
                plan.work(tools, **arguments)
            except Exception as error:
                log.warning("task_failed", error=repr(error), exc_info=True)
                raise
            log.debug("task_done", seconds=round(time.monotonic() - begin, 3))

    carry_out.__doc__ = plan.work.__doc__
    app.task(
        name=name,
        Request=CountedRequest,
        soft_time_limit=plan.limit_seconds,
        time_limit=plan.limit_seconds + INTERRUPTED_SECONDS,
    )(carry_out)


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
