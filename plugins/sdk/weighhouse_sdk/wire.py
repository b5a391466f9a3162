"""A short conversation with a server over TCP: what readiness checks and sampling need.

Not for load: that is the drivers' work.
"""

import socket
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    @property
    def endpoint(self) -> str:
        """As the driver's order has it."""
        return f"tcp://{self.host}:{self.port}"


class ReplyError(Exception):
    """The server answered with an error, or with what is not its protocol."""


class Connection:
    """One TCP connection; use it in a `with` block.

    :param timeout_seconds: for connecting, and for each write and read.
    :raises OSError: when nobody listens, or the time is over.
    """

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        self._socket = socket.create_connection(address, timeout_seconds)
        self._reader: BinaryIO = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._reader.close()
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Write all of it."""
        self._socket.sendall(data)

    def line(self) -> str:
        """Read a line, without its end.

        :raises ConnectionError: when the server closes instead.
        """
        data = self._reader.readline()
        if not data.endswith(b"\n"):
            message = "the server closed the connection"
            raise ConnectionError(message)
        return data.rstrip(b"\r\n").decode("utf-8", errors="replace")

    def exactly(self, size: int) -> bytes:
        """Read so many bytes.

        :raises ConnectionError: when the server closes before.
        """
        data = self._reader.read(size)
        if len(data) < size:
            message = "the server closed the connection"
            raise ConnectionError(message)
        return data
