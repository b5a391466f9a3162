"""A short conversation with a server over TCP: what readiness checks and sampling need.

Not for load: that is the drivers' work.
"""

import socket
from collections.abc import Callable
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.handshakes import ALERT, overheard, speaks_tls, unsecured, verifier
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
    refusals: Refusals | None = None
    """Where questions that it refuses are noted; None: they are errors."""

    @property
    def endpoint(self) -> str:
        """As the driver's order has it."""
        return f"{'tls' if self.tls else 'tcp'}://{self.host}:{self.port}"


class Connection:
    """One TCP connection, with TLS where the address says so; use it in a `with` block.

    The server's certificate is verified, by the authority of the credentials or the machine's own.

    :param timeout_seconds: for connecting, and for each write and read.
    :param protocol: what is to be spoken, as people call it. A server of somebody else's that does
        not answer is then asked what it speaks in its place.
    :raises OSError: when nobody listens, or the time is over.
    :raises Unfit: when the name is unknown, or its certificate or TLS is not as wanted.
    """

    def __init__(self, address: Address, timeout_seconds: float, protocol: str = "") -> None:
        self._address, self._timeout, self._protocol = address, timeout_seconds, protocol
        self._heard = False
        try:
            self._socket = socket.create_connection((address.host, address.port), timeout_seconds)
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise
            raise Unfit(
                f"the name {address.host} is not known on the agent's machine",
                "look at its spelling; or name the address",
            ) from error
        if address.tls:
            authority = address.credentials.tls_ca_file if address.credentials else None
            try:
                context = verifier(authority)
                self._socket = context.wrap_socket(self._socket, server_hostname=address.host)
            except OSError as error:
                self._socket.close()
                raise unsecured(error, address.host, address.port, timeout_seconds) from error
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

    def send(self, data: bytes) -> None:
        """Write all of it."""
        self._socket.sendall(data)

    def line(self) -> str:
        """Read a line, without its end.

        :raises ConnectionError: when the server closes instead.
        :raises Unfit: when it does so because it speaks TLS alone.
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
        except TimeoutError as error:
            raise self._instead() or error from error

    def _closed(self, data: bytes) -> Exception:
        """Of a server that closed the connection after these last bytes."""
        address = self._address
        if not (address.tls or self._heard) and (
            data.startswith(ALERT)
            or (not data and speaks_tls(address.host, address.port, self._timeout))
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
        heard = overheard(address.host, address.port, self._timeout)
        if spoken_by(heard) in (None, self._protocol):
            return None
        return other_protocol(self._protocol, heard)
