"""What stands before a store: passes requests on, and answers in its stead when told to."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

FORBIDDEN = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
HOP = {"transfer-encoding", "content-length", "connection", "content-encoding"}


@dataclass
class Said:
    """An answer."""

    status: int
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    held_back: int = 0
    """So many bytes of the content never come."""


class Gateway:
    """Stands before a store at a port of this machine."""

    def __init__(self, store_port: int) -> None:
        """Passes all on."""
        self.asked: list[str] = []
        self.instead: Callable[[str, Said], Said] = lambda method, said: said
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                gateway.asked.append(self.command)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                there = f"http://127.0.0.1:{store_port}{self.path}"
                # The name that was asked stays: it is signed.
                came = httpx.request(self.command, there, headers=dict(self.headers), content=body)
                headers = {name: one for name, one in came.headers.items() if name not in HOP}
                said = gateway.instead(self.command, Said(came.status_code, came.content, headers))
                self.send_response(said.status)
                for name, one in said.headers.items():
                    self.send_header(name, one)
                length = came.headers.get("Content-Length", "0")
                alone = self.command == "HEAD"
                self.send_header("Content-Length", length if alone else str(len(said.content)))
                self.end_headers()
                if not alone:
                    self.wfile.write(said.content[: len(said.content) - said.held_back])
                self.close_connection = said.held_back > 0

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Nowhere."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()


def listing_forbidden(method: str, said: Said) -> Said:
    """As Amazon's store answers a key that may not list: what is not there is forbidden."""
    if said.status != 404:
        return said
    return Said(403, FORBIDDEN, {"Content-Type": "application/xml"})
