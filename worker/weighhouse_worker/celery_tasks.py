"""Celery with every task: what a worker is."""

import time
from typing import Any

import structlog
from celery import Celery, signals
from weighhouse_backend.kit.jobs import job_begins
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.traces import Tracing, tracing_of

from weighhouse_worker.celery_shape import PART, shaped
from weighhouse_worker.metrics import CountedRequest
from weighhouse_worker.tasks import FORMER_NAMES, TASKS, TaskPlan, arguments_of
from weighhouse_worker.tools import Tools

log = structlog.get_logger(__name__)

INTERRUPTED_SECONDS = 30.0
"""Between the interruption of a task that takes too long, and the end of its process."""


def make_worker(settings: Settings) -> Celery:
    """The Celery app with every task and the timetable."""
    tracing = tracing_of(settings, PART)
    app = shaped(settings, tracing)
    tools = Tools(settings)
    for name, plan in TASKS.items():
        _register(app, tools, tracing, name, plan)
    for former, name in FORMER_NAMES.items():
        _register(app, tools, tracing, former, TASKS[name])

    def begins(**_: Any) -> None:
        tools.watch_database()

    signals.worker_process_init.connect(begins, weak=False)
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
