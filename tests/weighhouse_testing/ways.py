"""A way into a network namespace that ends TLS: what listens there leads to a port out here."""

import ctypes
import os
import select
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEW_NETWORK = 0x40000000


class _Way(socketserver.ThreadingTCPServer):
    """Listens on a socket that was made elsewhere."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, place: tuple[str, int], port: int, context: ssl.SSLContext) -> None:
        super().__init__(place, _Carrier)
        self.port, self.context = port, context


class _Carrier(socketserver.BaseRequestHandler):
    server: _Way

    def handle(self) -> None:
        try:
            with (
                self.server.context.wrap_socket(self.request, server_side=True) as secure,
                socket.create_connection(("127.0.0.1", self.server.port)) as plain,
            ):
                while _carry(secure, plain):
                    pass
        except OSError:
            return  # whoever asked went away


def _carry(secure: ssl.SSLSocket, plain: socket.socket) -> bool:
    """Carry what there is now, either way; false at an end."""
    ready = [secure] if secure.pending() else select.select([secure, plain], [], [])[0]
    for one in ready:
        said = one.recv(65536)
        if not said:
            return False
        (plain if one is secure else secure).sendall(said)
    return True


@contextmanager
def secure_way(
    namespace: str, place: tuple[str, int], port: int, certificate: Path, key: Path
) -> Iterator[None]:
    """Listen with TLS in a namespace, and lead to a port of this machine's loopback."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    made: list[_Way] = []

    def make() -> None:
        # Of this thread alone, which ends: what it has opened stays in the namespace.
        library = ctypes.CDLL(None, use_errno=True)
        with Path("/run/netns", namespace).open("rb") as there:
            if library.setns(there.fileno(), NEW_NETWORK):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        made.append(_Way(place, port, context))

    maker = threading.Thread(target=make)
    maker.start()
    maker.join()
    (way,) = made
    serving = threading.Thread(target=way.serve_forever)
    serving.start()
    try:
        yield
    finally:
        way.shutdown()
        way.server_close()
        serving.join()
