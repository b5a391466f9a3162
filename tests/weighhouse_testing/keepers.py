"""Servers that somebody else set up, and what their keepers do while they are measured."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import ClassVar, Protocol

from redis import Redis
from weighhouse_cli.embedded.directory import free_port
from weighhouse_sdk.context import default_search_path
from weighhouse_sdk.testkit.children import child

from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until


class Keeper(Protocol):
    """Of one server."""

    port: int
    system: ClassVar[str]
    reply: ClassVar[bytes]
    """How replies to reads begin that found something."""
    something_else: ClassVar[str]
    """A command that no driver sends."""

    def read(self) -> None:
        """Ask for a record."""

    def do_something_else(self) -> None:
        """Send that command."""

    def set_back(self) -> None:
        """Set its counters back."""


@dataclass
class OwnRedisKeeper:
    """Of a Redis."""

    port: int
    client: Redis
    system: ClassVar[str] = "redis"
    reply: ClassVar[bytes] = b"*"
    something_else: ClassVar[str] = "lpush"

    @classmethod
    @contextmanager
    def started(cls) -> Iterator["OwnRedisKeeper"]:
        """One that has started, until the block is left."""
        found = OwnRedis(free_port())
        found.start()
        try:
            with closing(Redis(port=found.port)) as client:
                yield cls(found.port, client)
        finally:
            found.kill()

    def read(self) -> None:
        """Ask for a record."""
        self.client.hgetall("user0")

    def do_something_else(self) -> None:
        """Add to a list."""
        self.client.lpush("queue", "job")

    def set_back(self) -> None:
        """`CONFIG RESETSTAT`."""
        self.client.config_resetstat()


@dataclass
class OwnMemcached:
    """Of a Memcached."""

    port: int
    connection: socket.socket
    system: ClassVar[str] = "memcached"
    reply: ClassVar[bytes] = b"VALUE"
    something_else: ClassVar[str] = "touch"

    @classmethod
    @contextmanager
    def started(cls) -> Iterator["OwnMemcached"]:
        """One that has started, until the block is left."""
        program = shutil.which("memcached", path=default_search_path())
        assert program is not None, "memcached is not installed"
        port = free_port()
        words = [program, "-u", "nobody", "-l", "127.0.0.1", "-p", str(port)]
        with child(words):
            until("Memcached answers", lambda: _listens(port))
            with socket.create_connection(("127.0.0.1", port)) as connection:
                yield cls(port, connection)

    def read(self) -> None:
        """Ask for a record."""
        self._say(b"get user0")

    def do_something_else(self) -> None:
        """Let a record live on."""
        self._say(b"touch user0 0")

    def set_back(self) -> None:
        """`stats reset`."""
        self._say(b"stats reset")

    def _say(self, line: bytes) -> None:
        self.connection.sendall(line + b"\r\n")
        self.connection.recv(4096)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
