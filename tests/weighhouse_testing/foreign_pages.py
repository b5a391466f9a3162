"""Pages of somebody else, served under two origins: one may embed what a platform shows, the other
may not.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_SHELL = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Elsewhere</title></head>'
    "<body>{}</body></html>"
)


@dataclass(frozen=True)
class ForeignPages:
    """One server by two names of this machine, which are two origins to a browser."""

    port: int
    _bodies: dict[str, str] = field(default_factory=dict)

    @property
    def allowed(self) -> str:
        """The origin that a platform is told to allow."""
        return f"http://localhost:{self.port}"

    @property
    def refused(self) -> str:
        """The origin that it is not told of."""
        return f"http://127.0.0.1:{self.port}"

    def serve(self, path: str, body: str) -> str:
        """Serve a page at a path from here on; the path.

        :param body: HTML, as it stands in the page's body.
        """
        self._bodies[path] = _SHELL.format(body)
        return path


@contextmanager
def foreign_pages() -> Iterator[ForeignPages]:
    """A server of them, as long as the block lasts."""
    bodies: dict[str, str] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = bodies.get(self.path)
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((found or "").encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield ForeignPages(int(server.server_address[1]), bodies)
    finally:
        server.shutdown()
        server.server_close()
