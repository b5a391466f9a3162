"""Entry point: `celery -A weighhouse_worker.app:app worker`."""

from functools import cache

from celery import Celery
from weighhouse_backend.kit.logs import configure_library_logs
from weighhouse_backend.kit.settings import Settings

from weighhouse_worker.celery_tasks import make_worker


@cache
def _app() -> Celery:
    settings = Settings()
    # Celery warns of things before it sets up what it logs to.
    configure_library_logs(settings.log_level)
    return make_worker(settings)


def __getattr__(name: str) -> Celery:
    """Makes `app` when Celery asks for it; importing this module does nothing."""
    if name == "app":
        return _app()
    raise AttributeError(name)
