"""Answers questions as somebody else wrote down that a server answers them.

For tests of plugins whose real server is not to be had: what they make of INFO and CONFIG GET. Not
for load, and no stand-in for a system.
"""

import socketserver
import threading
from collections.abc import Mapping
from io import BufferedIOBase
from types import TracebackType
from typing import Self

from weighhouse_sdk.families.resp import Reply
from weighhouse_sdk.wire import Address


class RecordedServer:
    """Listens on a free port of the loopback interface; use it in a `with` block.

    :param answers: the words of a command, upper case, joined by a space → what to answer; what
        is not there is an error.
    """

    def __init__(self, answers: Mapping[str, Reply]) -> None:
        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while words := _command(self.rfile):
                    asked = " ".join(words).upper()
                    known = asked in answers
                    self.wfile.write(_reply(answers[asked]) if known else b"-ERR not recorded\r\n")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> Address:
        """Where it listens."""
        host, port = self._server.server_address[:2]
        return Address(str(host), int(port))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _command(stream: BufferedIOBase) -> list[str]:
    head = stream.readline()
    if not head.startswith(b"*"):
        return []
    words = []
    for _ in range(int(head[1:])):
        size = int(stream.readline()[1:])
        words.append(stream.read(size + 2)[:-2].decode())
    return words


def _reply(value: Reply) -> bytes:
    if isinstance(value, list):
        return b"*%d\r\n" % len(value) + b"".join(_reply(each) for each in value)
    if isinstance(value, int):
        return b":%d\r\n" % value
    if value is None:
        return b"$-1\r\n"
    data = value.encode()
    return b"$%d\r\n%s\r\n" % (len(data), data)
