"""A thin client of the platform's API, for the commands."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from weighhouse_protocol.text import escaped

from weighhouse_cli.answers import AWAY, TOO_MANY, explain, retry_after
from weighhouse_cli.embedded.directory import DEFAULT_PORT, PlatformDirectory, default_directory
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.pipelines import Pipeline, PipelineAuth, pipeline_of

ENDED = frozenset({"completed", "failed", "cancelled"})
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Errors of requests that cannot have reached a server."""
SECOND_FACTOR = "/second-factor-needed"
"""How the type ends of the problem that asks for a code."""
RETRIES = 40
RETRY_SECONDS = 0.5
STREAM_TIMEOUT = httpx.Timeout(30, read=300)
"""Seconds; a large export may take its time from one piece to the next."""


@dataclass(frozen=True, slots=True)
class Access:
    """Where the platform is, and with what token to ask."""

    url: str
    token: str | None
    pipeline: Pipeline | None = None
    """A trusted CI job, which gets a token when it needs one."""


def find_access(url: str | None, token: str | None) -> Access:
    """The platform to talk to: given, by environment, else the embedded one of this machine.

    :raises CommandFailed: when no token is to be found.
    """
    given = url or os.environ.get("WEIGHHOUSE_URL")
    token = token or os.environ.get("WEIGHHOUSE_TOKEN") or None  # a secret nobody set is empty
    directory = PlatformDirectory(default_directory())
    if given is None:
        # The embedded platform's token goes to the embedded platform alone.
        token = token or _embedded_token(directory.first_user())
    address = platform_url(given, directory)
    pipeline = pipeline_of(address, os.environ) if token is None else None
    if token is None and pipeline is None:
        raise CommandFailed(
            Exit.INVALID,
            "no token: give --token or set WEIGHHOUSE_TOKEN "
            "(make one with `weighhouse token create`, or under Settings → API tokens; in a "
            "pipeline it is a secret of that name, which a fork's job does not get), or, in a "
            "trusted pipeline, WEIGHHOUSE_TRUST; of a platform that was started here with "
            "`--data-dir DIRECTORY`, set WEIGHHOUSE_DATA_DIR to that directory",
        )
    return Access(url=address, token=token, pipeline=pipeline)


def platform_url(url: str | None, directory: PlatformDirectory) -> str:
    """Address of the platform: given, by environment, else of the embedded one in a directory."""
    found = url or os.environ.get("WEIGHHOUSE_URL") or directory.remembered().get("url")
    return str(found or f"http://127.0.0.1:{DEFAULT_PORT}").rstrip("/")


def _embedded_token(path: Path) -> str | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    token = found.get("api_token")
    return str(token) if token else None


class Client:
    """The API in the words of the commands.

    Every method raises CommandFailed with the server's own explanation when it is refused, and
    repeats for a while, when the server is away, what may be repeated.
    """

    def __init__(self, access: Access) -> None:
        """:param access: from `find_access`."""
        self.url = access.url
        headers = {"Authorization": f"Bearer {access.token}"} if access.token else {}
        self._told_to_wait = False
        self._http = httpx.Client(
            base_url=f"{access.url}/api/v1", headers=headers, timeout=30,
            auth=None if access.pipeline is None else PipelineAuth(access.pipeline),
        )  # fmt: skip

    def sign_in(self, email: str, password: str, code: Callable[[], str]) -> None:
        """Be a person from here on, until `sign_out`, in place of a token.

        :param code: asks for the code of the second factor, where one is needed.
        """
        self._http.headers["X-Weighhouse"] = "1"  # no form of another site can send it
        body = {"email": email, "password": password}
        answer = self._answer("POST", "/sessions", repeatable=False, json=body)
        if answer.status_code == httpx.codes.UNAUTHORIZED and SECOND_FACTOR in answer.text:
            body["code"] = code()
            answer = self._answer("POST", "/sessions", repeatable=False, json=body)
        self._read(answer)

    def sign_out(self) -> None:
        """End the login."""
        self._call("DELETE", "/sessions/current")

    def get(self, path: str, **query: Any) -> Any:
        """Ask for a resource."""
        return self._call("GET", path, params={k: v for k, v in query.items() if v is not None})

    def text(self, path: str, **query: Any) -> str:
        """Ask for a resource that is text."""
        asked = {name: value for name, value in query.items() if value is not None}
        answer = self._answer("GET", path, params=asked)
        return answer.text if answer.is_success else str(self._read(answer))

    @contextmanager
    def streamed(self, path: str, **query: Any) -> Iterator[httpx.Response]:
        """Ask for what may be long: its pieces are read as they come.

        :raises CommandFailed: also when it breaks off.
        """
        asked = {name: value for name, value in query.items() if value is not None}
        for attempt in range(RETRIES):
            request = self._http.build_request("GET", path, params=asked, timeout=STREAM_TIMEOUT)
            try:
                answer = self._http.send(request, stream=True)
            except httpx.TransportError as error:
                if attempt == RETRIES - 1:
                    raise CommandFailed(
                        Exit.INFRASTRUCTURE, f"{self.url} does not answer ({error})"
                    ) from error
                time.sleep(RETRY_SECONDS)
                continue
            with closing(answer):
                if answer.is_success:
                    try:
                        yield answer
                    except httpx.TransportError as error:
                        raise CommandFailed(
                            Exit.INFRASTRUCTURE, f"{self.url} broke off ({error}); try again"
                        ) from error
                    return
                answer.read()
                is_late = answer.status_code == TOO_MANY or answer.status_code in AWAY
                if not is_late or attempt == RETRIES - 1:
                    self._read(answer)
                self._wait_as_told(answer)

    def post(self, path: str, body: Any = None, *, repeatable: bool = False, **query: Any) -> Any:
        """Create or act.

        :param repeatable: doing it twice is the same as once: the server keeps the key it is sent
            with, or it stores nothing, or it stores the same. Anything else is asked again only
            when it cannot have reached the server.
        """
        return self._call(
            "POST",
            path,
            repeatable=repeatable,
            json=body if body is not None else {},
            params=query,
            headers={"Idempotency-Key": str(uuid4())} if repeatable else {},
        )

    def send(self, path: str, file: Path, kind: str) -> Any:
        """Send a file; sending it twice is the same as once.

        :param kind: its media type.
        """
        return self._call(
            "POST", path, content=file.read_bytes(), headers={"Content-Type": kind},
            timeout=STREAM_TIMEOUT,
        )  # fmt: skip

    def put(self, path: str, body: Any) -> Any:
        """Set a resource."""
        return self._call("PUT", path, json=body)

    def patch(self, path: str, body: Any) -> Any:
        """Change a part of a resource."""
        return self._call("PATCH", path, json=body)

    def delete(self, path: str) -> None:
        """Remove a resource."""
        self._call("DELETE", path)

    def watch(self, campaign_id: str, every: float = 1.0) -> Iterator[dict[str, Any]]:
        """A campaign as it stands, again and again, until it has ended."""
        while True:
            campaign = self.get(f"/campaigns/{campaign_id}")
            yield campaign
            if campaign["status"] in ENDED:
                return
            time.sleep(every)

    def _call(self, method: str, path: str, **arguments: Any) -> Any:
        return self._read(self._answer(method, path, **arguments))

    def _answer(
        self, method: str, path: str, *, repeatable: bool = True, **arguments: Any
    ) -> httpx.Response:
        for attempt in range(RETRIES):
            try:
                answer = self._http.request(method, path, **arguments)
            except httpx.TransportError as error:
                if not repeatable and not isinstance(error, NOT_SENT):
                    raise CommandFailed(
                        Exit.INFRASTRUCTURE,
                        f"{self.url} did not answer ({error}); whether it was carried out is not "
                        "known: look before you ask again",
                    ) from error
                if attempt == RETRIES - 1:
                    raise CommandFailed(
                        Exit.INFRASTRUCTURE,
                        f"{self.url} does not answer ({error}); `weighhouse up` starts a platform",
                    ) from error
            else:
                if answer.status_code == TOO_MANY and attempt < RETRIES - 1:
                    self._wait_as_told(answer)  # it was refused unread, so it may be repeated
                    continue
                if answer.status_code not in AWAY:
                    return answer
                if not repeatable:
                    raise CommandFailed(
                        Exit.INFRASTRUCTURE,
                        f"{self.url}: {explain(answer)}; whether it was carried out is not known: "
                        "look before you ask again",
                    )
            time.sleep(RETRY_SECONDS)
        raise CommandFailed(Exit.INFRASTRUCTURE, f"{self.url} is not ready")

    def _wait_as_told(self, answer: httpx.Response) -> None:
        seconds = retry_after(answer)
        if not self._told_to_wait:
            self._told_to_wait = True
            print(escaped(explain(answer)), file=sys.stderr, flush=True)  # noqa: T201 - for who waits
        time.sleep(seconds)

    def _read(self, answer: httpx.Response) -> Any:
        if answer.is_success:
            is_json = "json" in answer.headers.get("content-type", "")
            return answer.json() if is_json and answer.content else answer.text
        raise CommandFailed(Exit.INVALID, explain(answer))
