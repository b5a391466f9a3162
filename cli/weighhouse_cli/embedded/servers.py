"""PostgreSQL and Redis on private data directories, listening on loopback alone."""

import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil

from weighhouse_cli.embedded.binaries import postgres_directory, redis_server
from weighhouse_cli.embedded.directory import require_reachable, server_account
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.embedded.part import Dispensable, PartPlan

SERVER_USER = "weighhouse"
"""Owns the tables, and migrates them."""
APPLICATION_LOGIN = "weighhouse_app"
"""Backend and worker: owns nothing."""
LEAST_BUFFERS, MOST_BUFFERS = 64, 1024
"""MiB; in the least, pages of a long history come from the system's cache again and again."""


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A private PostgreSQL: its plan and its address."""

    plan: PartPlan
    url: str
    """For SQLAlchemy, with the password; of the owner of everything."""


def require_shared_memory() -> None:
    """Make a semaphore, as the worker's processes have several: without them it would never begin,
    and everything that waits for it would wait.

    :raises PlatformError: when this machine lets none be made.
    """
    try:
        multiprocessing.get_context("spawn").Lock()
    except (ImportError, OSError) as error:
        raise PlatformError(
            f"no semaphore can be made in /dev/shm ({error}), and the worker needs some: mount a"
            " tmpfs there that everybody may write (mount -t tmpfs -o mode=1777 tmpfs /dev/shm)"
        ) from error


def postgres_url(login: str, password: str, port: int) -> str:
    """The address of an embedded platform's database for a login; for SQLAlchemy."""
    return f"postgresql+psycopg://{login}:{quote(password)}@127.0.0.1:{port}/postgres"


def redis_url(password: str, port: int) -> str:
    """The address of an embedded platform's Redis."""
    return f"redis://:{quote(password)}@127.0.0.1:{port}/0"


def postgres(
    directory: Path, logs: Path, records: Path, port: int, password: str, *, durable: bool = True
) -> PostgresServer:
    """Prepare a PostgreSQL server; the first call initializes its data directory.

    :param directory: of the data; made when missing, owned by the account that runs it.
    :param durable: False trades safety at power loss for speed, for tests; what was committed
        outlives the server's own death all the same.
    :raises PlatformError: when it cannot be initialized here, with the reason.
    """
    binaries = postgres_directory(directory)
    account = server_account()
    require_reachable(directory, account)
    if not (directory / "PG_VERSION").exists():
        _initialize(binaries, directory, account, password)
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "shared_buffers": f"{shared_buffers(psutil.virtual_memory().total)}MB",
        "max_connections": "80",
        "log_min_duration_statement": "2000",
        "fsync": "on" if durable else "off",
        "full_page_writes": "on" if durable else "off",
    }
    flags = [flag for name, value in options.items() for flag in ("-c", f"{name}={value}")]
    plan = PartPlan(
        name="postgresql",
        command=(str(binaries / "postgres"), "-D", str(directory), *flags),
        environment=_plain_environment(),
        directory=directory.parent,
        log=logs / "postgresql.log",
        record=records / "postgresql.json",
        ready=lambda: _postgres_ready(binaries, port),
        stop_signal=signal.SIGINT,  # a fast shutdown: open sessions are ended
        account=account,
    )
    return PostgresServer(plan=plan, url=postgres_url(SERVER_USER, password, port))


def shared_buffers(memory_bytes: int) -> int:
    """MiB of pages that PostgreSQL keeps: of a machine that measures as well, a sixty-fourth."""
    return min(max(memory_bytes // 64 >> 20, LEAST_BUFFERS), MOST_BUFFERS)


def _initialize(binaries: Path, directory: Path, account: str | None, password: str) -> None:
    if directory.exists() and any(directory.iterdir()):
        raise PlatformError(f"{directory} is not empty and no PostgreSQL data directory")
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    password_file = directory.parent / ".password"
    descriptor = os.open(password_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(password)
    if account is not None:
        shutil.chown(directory, account, account)
        shutil.chown(password_file, account, account)
    command = [
        str(binaries / "initdb"), "-D", str(directory), "-U", SERVER_USER,
        "-A", "scram-sha-256", "--pwfile", str(password_file),
        "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command,
            cwd=directory.parent,
            env=_plain_environment(),
            capture_output=True,
            text=True,
            check=False,
            user=account,
            group=account,
            extra_groups=[] if account else None,
        )
    finally:
        password_file.unlink(missing_ok=True)
    if done.returncode != 0:
        shutil.rmtree(directory, ignore_errors=True)
        reason = "\n".join((done.stderr or done.stdout).splitlines()[-8:])
        raise PlatformError(f"PostgreSQL could not be initialized at {directory}:\n{reason}")


def _postgres_ready(binaries: Path, port: int) -> bool:
    command = [str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A private Redis for Celery and wake-ups: its plan and its address."""

    plan: PartPlan
    url: str


def redis(directory: Path, logs: Path, records: Path, port: int, password: str) -> RedisServer:
    """Prepare a Redis server that keeps nothing on disk: it may be emptied at any time."""
    executable = redis_server()
    directory.mkdir(parents=True, exist_ok=True)
    configuration = directory / "redis.conf"
    descriptor = os.open(configuration, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(
            f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\nappendonly no\n'
            f"dir {directory}\ndaemonize no\nmaxmemory 256mb\nmaxmemory-policy noeviction\n"
        )
    plan = PartPlan(
        name="redis",
        command=(str(executable), str(configuration)),
        environment=_plain_environment(),
        directory=directory,
        log=logs / "redis.log",
        record=records / "redis.json",
        ready=lambda: answers(port),
        dispensable=Dispensable(
            hint="Nothing is lost; no new work is handed out until it is back. It is tried again "
            f"every minute; {logs / 'redis.log'} tells what it said last.",
        ),
    )
    return RedisServer(plan=plan, url=redis_url(password, port))


def answers(port: int) -> bool:
    """Whether something accepts connections on a port of 127.0.0.1."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _plain_environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
