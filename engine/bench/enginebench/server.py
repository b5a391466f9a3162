"""A Redis to load, and to stop for a while."""

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import redis

from enginebench.machine import server_prefix

START_LIMIT_SECONDS = 120.0
PORTS = 20
"""Tries of another port, when somebody else has taken one meanwhile."""
WATCH_SECONDS = 0.02
READS = ("get", "hgetall", "hmget")
"""The commands that clients read a record with."""


@dataclass(frozen=True)
class Stall:
    """When a server did not run, unix time in s."""

    began_at: float
    ended_at: float


def reads_of(connection: redis.Redis) -> int:
    """Records that a Redis has read since its start."""
    counts = connection.info("commandstats")
    names = [f"cmdstat_{one}" for one in READS]
    return sum(int(counts[name]["calls"]) for name in names if name in counts)


@dataclass(frozen=True)
class Server:
    """A running Redis."""

    port: int
    process: subprocess.Popen[bytes]

    def reads(self) -> int:
        """Records read since the start."""
        with redis.Redis(port=self.port) as connection:
            return reads_of(connection)

    def watch(self, client: subprocess.Popen[str]) -> list[tuple[float, int]]:
        """Times, s, and the records read until then, until a client has ended."""
        seen = []
        with redis.Redis(port=self.port) as connection:
            while client.poll() is None:
                before = time.monotonic()
                reads = reads_of(connection)
                seen.append(((before + time.monotonic()) / 2, reads))
                time.sleep(WATCH_SECONDS)
        return seen

    def stop_after(self, reads: int, seconds: float, client: subprocess.Popen[str]) -> Stall | None:
        """Waits for so many more reads and then keeps the server from running for a while.

        Returns when it did not run; None when `client` ended before.
        """
        first = self.reads()
        while self.reads() < first + reads:
            if client.poll() is not None:
                return None
            time.sleep(0.05)
        self.process.send_signal(signal.SIGSTOP)
        began_at = time.time()
        try:
            time.sleep(seconds)
        finally:
            self.process.send_signal(signal.SIGCONT)
        return Stall(began_at, time.time())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(*, slow: bool = False) -> Iterator[Server]:
    """A Redis on a free loopback port that keeps nothing on disk; slow: translated by valgrind."""
    translator = ["valgrind", "-q", "--tool=none"] if slow else []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(PORTS):
            port = _free_port()
            command = [
                *server_prefix(), *translator, "redis-server", "--bind", "127.0.0.1",
                "--port", str(port), "--save", "", "--appendonly", "no", "--daemonize", "no",
            ]  # fmt: skip
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
            try:
                if _comes_up(port, process):
                    yield Server(port, process)
                    return
            finally:
                process.terminate()
                process.wait()
    raise SystemExit(f"redis-server ends at once, on {PORTS} ports")


def _comes_up(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Waits until this process answers; false when it has ended: somebody took its port first."""
    deadline = time.monotonic() + START_LIMIT_SECONDS
    while process.poll() is None:
        try:
            with redis.Redis(port=port) as connection:
                if int(connection.info("server")["process_id"]) == process.pid:
                    return True
        except redis.RedisError:
            pass
        if time.monotonic() > deadline:
            raise SystemExit(f"redis-server did not come up within {START_LIMIT_SECONDS:.0f} s")
        time.sleep(0.02)
    return False
