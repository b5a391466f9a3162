"""A way to a real server that answers some questions itself, as proxies and managed services do.

For tests of plugins whose server has no account that may some things and not others. Not for load.
"""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator

from weighhouse_sdk.wire import Address

CHUNK = 1 << 16

Answering = Callable[[bytes], bytes | None]
"""Given what a client sends at once: the answer to it, or None where the server answers."""


class _Handler(socketserver.BaseRequestHandler):
    server: "_Server"

    def handle(self) -> None:
        with socket.create_connection(self.server.real) as real:
            back = threading.Thread(target=_pump, args=(real, self.request), daemon=True)
            back.start()
            with contextlib.suppress(OSError):
                while data := self.request.recv(CHUNK):
                    answer = self.server.answering(data)
                    if answer is None:
                        real.sendall(data)
                    else:
                        self.server.refused += 1
                        self.request.sendall(answer)
            with contextlib.suppress(OSError):
                # Closed alone it would stay open for as long as the other thread reads from it.
                real.shutdown(socket.SHUT_RDWR)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    refused = 0

    def __init__(self, real: Address, answering: Answering) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.real, self.answering = (real.host, real.port), answering

    @property
    def address(self) -> Address:
        """Where clients come."""
        host, port = self.server_address[:2]
        return Address(str(host), int(port))


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def gateway(real: Address, answering: Answering) -> Iterator[_Server]:
    """Stand before a server; `refused` counts what was answered in its place."""
    server = _Server(real, answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
