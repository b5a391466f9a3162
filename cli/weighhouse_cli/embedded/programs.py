"""The command lines of the platform's own programs, and the code that each of them runs."""

from collections.abc import Mapping
from pathlib import Path

from weighhouse_cli.resources import code_of, code_of_plugins

CELERY = ("-m", "celery", "--quiet", "-A")


def backend_code() -> tuple[Path, ...]:
    """What the backend imports of ours; uvicorn itself looks for changes there."""
    return tuple(code_of(f"weighhouse_{part}") for part in ("backend", "judging", "protocol"))


def code() -> Mapping[str, tuple[Path, ...]]:
    """Of the programs that do not reload themselves: which folders they run."""
    worker = code_of("weighhouse_worker")
    return {
        "worker": (*backend_code(), worker),
        "beat": (worker,),
        "agent": (
            *(code_of(f"weighhouse_{part}") for part in ("agent", "sdk", "protocol")),
            *code_of_plugins(),
        ),
    }


def backend(port: int, *, reload: bool = False) -> tuple[str, ...]:
    """What Python runs as the backend.

    :param reload: begin anew when its code changes; connections wait meanwhile.
    """
    logs = code_of("weighhouse_backend") / "app" / "uvicorn.json"
    arguments = (
        "-m", "uvicorn", "weighhouse_backend.app.factory:create_app", "--factory",
        "--host", "127.0.0.1", "--port", str(port),
        "--http", "weighhouse_backend.app.http:BoundedHttp", "--log-config", str(logs),
        "--no-access-log", "--no-proxy-headers",
        "--timeout-graceful-shutdown", "1" if reload else "3",
    )  # fmt: skip
    if not reload:
        return arguments
    folders = (word for folder in backend_code() for word in ("--reload-dir", str(folder)))
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
