"""A forge as jobs talk to it: comments of a request, page by page, in the form in which GitHub and
GitLab answer (REST API 2022-11-28, v4), on loopback.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

GITHUB_BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
GITLAB_USER = {"id": 7, "username": "project_7_bot", "name": "weighhouse"}
HEAD = "c0ffee" + "0" * 34


@dataclass
class StandInForge:
    """What it was asked, and what it answers."""

    is_github: bool = True
    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    """In GitHub's form or GitLab's, as whoever fills it in writes them."""
    token: str = "forge-token"
    refuse: int | None = None
    """Status of each answer to a write."""
    pulls: dict[str, int] = field(default_factory=lambda: {HEAD: 7})
    """Numbers of open requests, by the commits that are their heads."""
    speaks_html: bool = False
    """Does something else answer in its place, as a proxy that wants a login does?"""
    busy: int = 0
    """So many answers are 429 before it answers again."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each question."""

    def fill(self, count: int) -> None:
        """What other people wrote, in both forms at once."""
        for _ in range(count):
            self.add("nice", {"login": "mia", "id": 1, "type": "User"})

    def add(self, body: str, author: dict[str, Any]) -> dict[str, Any]:
        """One more comment."""
        made = {"id": len(self.asked) + 1000 + len(self.comments), "body": body}
        made |= {"user": author, "author": author}
        self.comments.append(made)
        return made

    @property
    def ours(self) -> list[str]:
        """Texts of the comments that have our mark."""
        return [one["body"] for one in self.comments if one["body"].startswith("<!-- weighhouse")]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        """Status and JSON."""
        if self.busy:
            self.busy -= 1
            return 429, {"message": "secondary rate limit"}
        if method == "GET":
            return self._read(path, query)
        if self.refuse is not None:
            return self.refuse, {"message": "no"}
        if method == "POST":
            return 201, self.add(body["body"], GITHUB_BOT if self.is_github else GITLAB_USER)
        return self._change(method, int(path.rpartition("/")[2]), body)

    def _read(self, path: str, query: dict[str, list[str]]) -> Any:
        if path == "/user" and self.is_github:  # a job's token may not ask who it is
            return 403, {"message": "Resource not accessible by integration"}
        if path == "/user":
            return 200, GITLAB_USER
        if path.endswith("/pulls"):
            head = path.split("/")[-2]
            number = self.pulls.get(head)
            found = {"number": number, "state": "open", "head": {"sha": head}}
            return 200, [found] if number else []
        begin = (int(query["page"][0]) - 1) * (each := int(query["per_page"][0]))
        return 200, self.comments[begin : begin + each]

    def _change(self, method: str, number: int, body: Any) -> Any:
        found = [one for one in self.comments if one["id"] == number]
        if not found:
            return 404, {"message": "Not Found"}
        if method == "DELETE":
            self.comments.remove(found[0])
            return 204, None
        found[0]["body"] = body["body"]
        return 200, found[0]


@contextmanager
def stand_in_forge(*, github: bool = True) -> Iterator[StandInForge]:
    """A forge that runs as long as the block."""
    forge = StandInForge(is_github=github)

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if forge.token not in {bearer, self.headers.get("PRIVATE-TOKEN")}:
                status, told = 401, {"message": "Bad credentials"}
            else:
                forge.asked.append((self.command, parts.path))
                status, told = forge.answer(self.command, parts.path, parse_qs(parts.query), body)
            data = b"" if told is None else json.dumps(told).encode()
            if forge.speaks_html:
                status, data = 200, b"<!doctype html><title>Sign in</title>"
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _do  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    forge.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()
