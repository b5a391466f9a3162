"""A short conversation with a server over TCP: what readiness checks and sampling need.

Not for load: that is the drivers' work.
"""

import socket
import ssl
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from weighhouse_sdk.credentials import Credentials


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int
    credentials: Credentials | None = None
    """What an `external` server wants to see; the plugin shows it, as its protocol says."""
    tls: bool = False

    @property
    def endpoint(self) -> str:
        """As the driver's order has it."""
        return f"{'tls' if self.tls else 'tcp'}://{self.host}:{self.port}"


class ReplyError(Exception):
    """The server answered with an error, or with what is not its protocol."""


class Connection:
    """One TCP connection, with TLS where the address says so; use it in a `with` block.

    The server's certificate is verified, by the authority of the credentials or the machine's own.

    :param timeout_seconds: for connecting, and for each write and read.
    :raises OSError: when nobody listens, or the time is over.
    """

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        self._socket = socket.create_connection((address.host, address.port), timeout_seconds)
        if address.tls:
            authority = address.credentials.tls_ca_file if address.credentials else None
            context = ssl.create_default_context(cafile=authority)
            try:
                self._socket = context.wrap_socket(self._socket, server_hostname=address.host)
            except OSError:
                self._socket.close()
                raise
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
