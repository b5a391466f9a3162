"""A PostgreSQL that a test may stop, let go on, and fill."""

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.servers import postgres
from weighhouse_cli.embedded.supervisor import Supervisor

from weighhouse_testing.clusters import OWNER_PASSWORD, lay_cluster


@dataclass(frozen=True)
class OwnPostgres:
    """A server of a test's own: its address for SQLAlchemy, its process, its log."""

    url: str
    pid: int
    log: Path

    def freeze(self) -> None:
        """Stop all of its processes where they are, as a disk or host that hangs does."""
        self._all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._all(signal.SIGCONT)

    def _all(self, number: signal.Signals) -> None:
        main = psutil.Process(self.pid)
        for process in (main, *main.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # one that served a connection has ended
                process.send_signal(number)


@contextmanager
def own_postgres(place: Path | None = None) -> Iterator[OwnPostgres]:
    """A server of one's own with all tables, ended afterwards however it stands.

    :param place: where its data lie; none: in a temporary directory.
    """
    supervisor = Supervisor()
    with tempfile.TemporaryDirectory(prefix="weighhouse-test-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o711)
        data = (place or Path(made)) / "postgresql"
        lay_cluster(data)
        server = postgres(data, Path(made), Path(made), free_port(), OWNER_PASSWORD, durable=False)
        part = supervisor.start(server.plan)
        assert part.process is not None
        found = OwnPostgres(server.url, part.process.pid, server.plan.log)
        try:
            yield found
        finally:
            if psutil.pid_exists(found.pid):
                found.thaw()
            supervisor.stop()


@contextmanager
def small_disk(mebibytes: int) -> Iterator[Path]:
    """A disk of its own that is soon full; takes the right to mount."""
    with tempfile.TemporaryDirectory(prefix="weighhouse-disk-") as place:
        size = f"size={mebibytes}m,mode=711"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", place], check=True)
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)
