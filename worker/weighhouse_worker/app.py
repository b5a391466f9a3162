"""Entry point: `celery -A weighhouse_worker.app:app worker`, or `… beat`."""

from functools import cache

from celery import Celery
from weighhouse_backend.kit.settings import Settings

from weighhouse_worker.celery_shape import make_worker


@cache
def _app() -> Celery:
    return make_worker(Settings())


def __getattr__(name: str) -> Celery:
    """Makes `app` when Celery asks for it; importing this module does nothing."""
    if name == "app":
        return _app()
    raise AttributeError(name)
