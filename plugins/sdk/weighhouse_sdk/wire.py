"""A short conversation with a server, over TCP or a socket of its machine: what readiness checks
and sampling need.

Not for load: that is the drivers' work.
"""

import contextlib
import socket
import ssl
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from weighhouse_protocol.endpoints import Endpoint

from weighhouse_sdk.credentials import Credentials


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int
    credentials: Credentials | None = None
    """What an `external` server wants to see; the plugin shows it, as its protocol says."""
    tls: bool = False
    path: str = ""
    """A socket of this machine in the place of host and port."""
    resolved: tuple[str, ...] = ()
    """Where the host is a name: its addresses, tried in order; empty: it is looked up."""
    server_name: str = ""
    """What the server's certificate is for; empty: the host."""
    database: int = 0
    """Number of the logical database that the records are in, where there are such."""

    @property
    def endpoint(self) -> str:
        """As the driver's order has it."""
        if self.path:
            return str(Endpoint("unix", path=self.path))
        return str(Endpoint("tls" if self.tls else "tcp", self.host, self.port))


class ReplyError(Exception):
    """The server answered with an error, or with what is not its protocol."""


class Connection:
    """One connection, with TLS where the address says so; use it in a `with` block.

    The server's certificate is verified, by the authority of the credentials or the machine's own,
    for the name that was written.

    :param timeout_seconds: for connecting, and for each write and read.
    :raises OSError: when nobody listens, or the time is over.
    """

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        self._socket = _connected(address, timeout_seconds)
        if address.tls:
            try:
                self._socket = secured(address).wrap_socket(
                    self._socket, server_hostname=address.server_name or address.host
                )
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


def secured(address: Address) -> ssl.SSLContext:
    """How TLS is spoken with a server: whom to believe, and what to show.

    :raises OSError: when a file of the credentials cannot be used.
    """
    shown = address.credentials
    context = ssl.create_default_context(cafile=shown.tls_ca_file if shown else None)
    if shown is not None and shown.tls_certificate_file is not None:
        context.load_cert_chain(shown.tls_certificate_file, shown.tls_key_file)
    return context


def _connected(address: Address, timeout_seconds: float) -> socket.socket:
    """The first of a name's addresses where somebody listens; the last one's error, when nobody."""
    if address.path:
        made = socket.socket(socket.AF_UNIX)
        try:
            made.settimeout(timeout_seconds)
            made.connect(address.path)
        except OSError:
            made.close()
            raise
        return made
    *others, last = address.resolved or (address.host,)
    for host in others:
        with contextlib.suppress(OSError):
            return socket.create_connection((host, address.port), timeout_seconds)
    return socket.create_connection((last, address.port), timeout_seconds)
