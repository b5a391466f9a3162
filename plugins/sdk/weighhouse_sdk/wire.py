"""A short conversation with a server, over TCP or a socket of its machine: what readiness checks
and sampling need.

Not for load: that is the drivers' work.
"""

import contextlib
import socket
import ssl
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from weighhouse_protocol.endpoints import Endpoint

from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.handshakes import ALERT, overheard, speaks_tls, unsecured, unshown, verifier
from weighhouse_sdk.replies import (
    Refusals,
    ReplyError,
    Unfit,
    other_protocol,
    spoken_by,
    without_tls,
)

__all__ = ["Address", "Connection", "ReplyError"]


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
    accounts: str = ""
    """Where databases have accounts of their own: the one that the account is of; empty: the
    system's usual."""
    refusals: Refusals | None = None
    """Where questions that it refuses are noted; None: they are errors."""

    @property
    def endpoint(self) -> str:
        """As the driver's order has it."""
        if self.path:
            return str(Endpoint("unix", path=self.path))
        return str(Endpoint("tls" if self.tls else "tcp", self.host, self.port))


class Connection:
    """One connection, with TLS where the address says so; use it in a `with` block.

    The server's certificate is verified, by the authority of the credentials or the machine's own,
    for the name that was written.

    :param timeout_seconds: for connecting, and for each write and read.
    :param protocol: what is to be spoken, as people call it. A server of somebody else's that does
        not answer is then asked what it speaks in its place.
    :raises OSError: when nobody listens, or the time is over.
    :raises Unfit: when the name is unknown, or its certificate or TLS is not as wanted.
    """

    def __init__(self, address: Address, timeout_seconds: float, protocol: str = "") -> None:
        self._address, self._protocol, self._heard = address, protocol, False
        self._connect = partial(_connected, address, timeout_seconds)
        self._socket = self._connect()
        if address.tls:
            name = address.server_name or address.host
            try:
                self._socket = secured(address).wrap_socket(self._socket, server_hostname=name)
            except OSError as error:
                self._socket.close()
                raise unsecured(error, name, address.port, self._connect) from error
            except Unfit:
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

    @property
    def peer(self) -> str:
        """The address that answered; of a socket its path."""
        return self._address.path or str(self._socket.getpeername()[0])

    def send(self, data: bytes) -> None:
        """Write all of it."""
        self._socket.sendall(data)

    def line(self) -> str:
        """Read a line, without its end.

        :raises ConnectionError: when the server closes instead.
        :raises Unfit: when it does so because it speaks TLS alone, or wants a certificate to be
            shown.
        """
        data = self._read(self._reader.readline)
        if not data.endswith(b"\n"):
            raise self._closed(data)
        self._heard = True
        return data.rstrip(b"\r\n").decode("utf-8", errors="replace")

    def exactly(self, size: int) -> bytes:
        """Read so many bytes.

        :raises ConnectionError, Unfit: as `line`.
        """
        data = self._read(lambda: self._reader.read(size))
        if len(data) < size:
            raise self._closed(data)
        self._heard = True
        return data

    def masked(self, words: str) -> str:
        """What the server says, without the password, should it repeat it."""
        shown = self._address.credentials
        return shown.masked(words) if shown else words

    def _read(self, read: Callable[[], bytes]) -> bytes:
        """What comes; of a server that breaks the connection off, nothing."""
        try:
            return read()
        except ConnectionResetError:
            return b""
        except ssl.SSLError as error:
            name = self._address.server_name or self._address.host
            raise unshown(error, name) or error from error
        except TimeoutError as error:
            raise self._instead() or error from error

    def _closed(self, data: bytes) -> Exception:
        """Of a server that closed the connection after these last bytes."""
        address = self._address
        if not (address.tls or self._heard) and (
            data.startswith(ALERT) or (not data and speaks_tls(self._connect, address.host))
        ):
            return without_tls()
        return self._instead() or ConnectionError("the server closed the connection")

    def _instead(self) -> Exception | None:
        """What a server speaks that did not answer at all; None: nothing that is known, or what it
        was spoken to in.
        """
        address = self._address
        if self._heard or address.tls or not self._protocol or address.refusals is None:
            return None
        heard = overheard(self._connect)
        if spoken_by(heard) in (None, self._protocol):
            return None
        return other_protocol(self._protocol, heard)


def secured(address: Address) -> ssl.SSLContext:
    """How TLS is spoken with a server: whom to believe, and what to show.

    :raises Unfit: when a file of the credentials cannot be used.
    """
    shown = address.credentials
    if shown is None:
        return ssl.create_default_context()
    return verifier(shown.tls_ca_file, shown.tls_certificate_file, shown.tls_key_file)


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
    try:
        return socket.create_connection((last, address.port), timeout_seconds)
    except socket.gaierror as error:
        if error.errno == socket.EAI_AGAIN:
            raise
        raise Unfit(
            f"the name {last} is not known on the agent's machine",
            "look at its spelling; or name the address",
        ) from error
