"""The private data directory of an embedded platform: paths, lock, secrets, remembered ports."""

import contextlib
import fcntl
import json
import os
import pwd
import random
import secrets
import socket
import sys
from pathlib import Path
from typing import IO, Any, Self

from weighhouse_cli.embedded.errors import DirectoryInUse, PlatformError, PortTaken

ADMIN_EMAIL = "admin@weighhouse.local"
DEFAULT_PORT = 8480
FIRST_PORT, LAST_PORT = 20_000, 32_767
"""Private servers listen on one of these, or below where outgoing connections begin."""
LOCAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
AGENT = "agent"
"""The part that is the local agent, and the folder that is its home."""
AGENT_NAME = "local"
KEY, FORMER_KEYS = "key", "former-keys"
"""The installation's secret among the directory's, and what it was before, one a line."""


def default_directory() -> Path:
    """Where the data lies unless told otherwise.

    As root a place that PostgreSQL's own user can enter, else the user's data directory.
    """
    if given := os.environ.get("WEIGHHOUSE_DATA_DIR"):
        return Path(given)
    if os.geteuid() == 0:
        return Path("/var/lib/weighhouse")
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "weighhouse"


class PlatformDirectory:
    """One platform's files. Entering it takes the lock; leaving it gives the lock back."""

    def __init__(self, path: Path) -> None:
        """:param path: made when missing; only its owner reads what is secret in it."""
        self.path = path.absolute()
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        """:raises DirectoryInUse: when another platform holds it."""
        self.path.mkdir(parents=True, exist_ok=True)
        # PostgreSQL's own user passes through to its folder; everything else is closed.
        self.path.chmod(0o711)
        for name in ("logs", "parts", "secrets", "artifacts"):
            self.folder(name).mkdir(exist_ok=True)
            self.folder(name).chmod(0o700)
        self._lock = (self.path / "lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.seek(0)
            holder = self._lock.read().strip() or "unknown"
            self._lock.close()
            raise DirectoryInUse(
                f"a platform already runs on {self.path} (process {holder}); stop it, "
                "or choose another directory with --data-dir"
            ) from None
        self._lock.truncate(0)
        self._lock.write(str(os.getpid()))
        self._lock.flush()
        return self

    def __exit__(self, *_: object) -> None:
        """Gives the lock back."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def in_use(self) -> bool:
        """Whether a platform runs on it now; makes nothing."""
        if not (self.path / "lock").exists():
            return False
        with (self.path / "lock").open("a", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def folder(self, name: str) -> Path:
        """A folder of the directory."""
        return self.path / name

    def log(self, part: str) -> Path:
        """The log file of a part."""
        return self.folder("logs") / f"{part}.log"

    def first_user(self) -> Path:
        """The file with the first user's name, password and API token; only its owner reads it."""
        return self.folder("secrets") / "first-user.json"

    def secret(self, name: str) -> str:
        """A secret by name; drawn at the first call, kept in a file only its owner reads."""
        path = self.folder("secrets") / name
        if not path.exists():
            self.keep(path, secrets.token_urlsafe(24))
        return path.read_text(encoding="utf-8").strip()

    def rotate_key(self) -> None:
        """Draw the installation's secret anew; what it was before comes first of the former ones.

        :raises PlatformError: when there is none yet.
        """
        folder = self.folder("secrets")
        if not (folder / KEY).exists():
            raise PlatformError(f"no embedded platform's data lies in {self.path}")
        former = folder / FORMER_KEYS
        known = former.read_text(encoding="utf-8") if former.exists() else ""
        # In this order: interrupted between, what is sealed can be read still.
        self.keep(former, f"{self.secret(KEY)}\n{known}")
        self.keep(folder / KEY, secrets.token_urlsafe(24))

    def forget_former_keys(self) -> None:
        """Remove the former secrets."""
        (self.folder("secrets") / FORMER_KEYS).unlink(missing_ok=True)

    def keep(self, path: Path, text: str) -> None:
        """Write a file that only its owner reads, whole or not at all."""
        part = path.with_suffix(".part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        part.replace(path)

    def remembered(self) -> dict[str, Any]:
        """What the last start wrote about this platform (ports, addresses)."""
        path = self.path / "platform.json"
        if not path.exists():
            return {}
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def remember(self, facts: dict[str, Any]) -> None:
        """Write facts for the next start and for the other commands; nothing secret."""
        merged = {**self.remembered(), **facts}
        part = self.path / "platform.json.part"
        part.write_text(json.dumps(merged, indent=2) + "\n", encoding="utf-8")
        part.replace(self.path / "platform.json")

    def port(self, name: str) -> int:
        """A private port: the remembered one while it is free, else a new one."""
        remembered = self.remembered().get("ports", {})
        port = remembered.get(name)
        if port is None or not is_free(port):
            port = free_port()
            self.remember({"ports": {**remembered, name: port}})
        return int(port)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, for a server that is started later.

    It is none of those that the system gives to outgoing connections, and no other program that
    asks here is given it while this one runs: each holds what it was given by a name that the
    system forgets with the program.

    Where the system has no such names, or no such ports are left, it is one that the system gives.
    """
    ports = list(range(FIRST_PORT, _first_outgoing_port()))
    random.SystemRandom().shuffle(ports)
    for port in ports if sys.platform == "linux" else ():
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            held.bind(f"\0weighhouse-port-{port}")
            if is_free(port):
                held.detach()  # held until the program ends
                return port
        held.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _first_outgoing_port() -> int:
    """The first of those that the system gives to outgoing connections, ip(7)."""
    try:
        return int(LOCAL_PORTS.read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError):
        return LAST_PORT + 1


def is_free(port: int) -> bool:
    """Whether a port of 127.0.0.1 can be listened on."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def require_free(port: int) -> None:
    """:raises PortTaken: when somebody listens on it."""
    if not is_free(port):
        raise PortTaken(port)


def server_account() -> str | None:
    """The account PostgreSQL runs under: itself (None), or `postgres` when we are root.

    :raises PlatformError: when root has no such account to step down to.
    """
    if os.geteuid() != 0:
        return None
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        raise PlatformError(
            "PostgreSQL refuses to run as root, and there is no account `postgres` to run it as; "
            "install the Debian package postgresql, or start as another user"
        ) from None
    return "postgres"


def require_reachable(path: Path, account: str | None) -> None:
    """Check that an account may pass through every folder above a path.

    :raises PlatformError: naming the folder that is closed to it.
    """
    if account is None:
        return
    for folder in [*path.absolute().parents]:
        if folder.exists() and not folder.stat().st_mode & 0o001:
            raise PlatformError(
                f"PostgreSQL runs as `{account}`, which may not enter {folder}; choose a data "
                "directory elsewhere, for example --data-dir /var/lib/weighhouse"
            )
