"""The command lines of the platform's own programs, and the code that each of them runs."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
UVICORN_LOGS = REPOSITORY / "backend" / "weighhouse_backend" / "app" / "uvicorn.json"
CELERY = ("-m", "celery", "--quiet", "-A")

_PROTOCOL = REPOSITORY / "protocol" / "weighhouse_protocol"
_WORKER = REPOSITORY / "worker" / "weighhouse_worker"
BACKEND_CODE = (
    REPOSITORY / "backend" / "weighhouse_backend",
    REPOSITORY / "judging" / "weighhouse_judging",
    _PROTOCOL,
)
"""What the backend imports of ours; uvicorn itself looks for changes there."""
CODE = {
    "worker": (*BACKEND_CODE, _WORKER),
    "beat": (_WORKER,),
    "agent": (REPOSITORY / "agent" / "weighhouse_agent", REPOSITORY / "plugins", _PROTOCOL),
}
"""Of the programs that do not reload themselves: which folders they run."""


def backend(port: int, *, reload: bool = False) -> tuple[str, ...]:
    """What Python runs as the backend.

    :param reload: begin anew when its code changes; connections wait meanwhile.
    """
    arguments = (
        "-m", "uvicorn", "weighhouse_backend.app.factory:create_app", "--factory",
        "--host", "127.0.0.1", "--port", str(port),
        "--http", "weighhouse_backend.app.http:BoundedHttp", "--log-config", str(UVICORN_LOGS),
        "--no-access-log", "--no-proxy-headers",
        "--timeout-graceful-shutdown", "1" if reload else "3",
    )  # fmt: skip
    if not reload:
        return arguments
    folders = (word for folder in BACKEND_CODE for word in ("--reload-dir", str(folder)))
    return (*arguments, "--reload", "--reload-delay", "0.5", *folders)


def worker(*, foreground: bool = False) -> tuple[str, ...]:
    """What Python runs as the worker.

    :param foreground: tasks in the process that has the terminal, not in a child of it.
    """
    return (
        *CELERY, "weighhouse_worker.app:app", "worker",
        *(("--pool", "solo") if foreground else ("--concurrency", "1")),
        "--without-gossip", "--without-mingle",
    )  # fmt: skip


def beat() -> tuple[str, ...]:
    """What Python runs as the clock of the worker's tasks."""
    return (*CELERY, "weighhouse_worker.beat:app", "beat", "--pidfile", "")
