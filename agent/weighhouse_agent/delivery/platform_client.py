"""HTTP to the platform: one try, or again and again until there is an answer."""

import ipaddress
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import structlog
from pydantic import BaseModel, ValidationError
from weighhouse_protocol.text import AS_KEPT

from weighhouse_agent import VERSION

CONNECT_SECONDS = 5.0
READ_SECONDS = 20.0
KEEP_SECONDS = 4.0
"""Connections are given up before servers do it (uvicorn: after 5 s)."""
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 8.0
"""An agent is back soon after its platform, however long that was away."""
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that say: try again."""
FAILED = 500
"""Answer that says: a fault of the platform, which need not pass."""
FILES_AWAY = "/files-away"
"""How the type of a problem ends that need not pass either: the platform's store is away."""
REQUEST_ID = "X-Request-Id"
DETAIL_LENGTH = 500
PIECE_BYTES = 64 << 10

Answer = TypeVar("Answer", bound=BaseModel)
Result = TypeVar("Result")

LOG = structlog.get_logger("weighhouse_agent")


class PlatformAway(Exception):
    """No answer, or one that says to try again.

    :param wait_seconds: what the server asked to wait; None: it did not say.
    :param failed: whether it is the platform itself that failed at this very call.
    """

    def __init__(
        self, message: str, wait_seconds: float | None = None, *, failed: bool = False
    ) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
        self.failed = failed


class Refused(Exception):
    """The platform has answered, and said no: asking again changes nothing.

    :param status: of the answer.
    :param detail: the problem in the server's words.
    :param body: the answer as JSON, when it is an object.
    """

    def __init__(self, status: int, detail: str, body: dict[str, Any]) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.body = body


class NeverTaken(Refused):
    """The platform has failed at one call again and again: it will not take it."""


class GaveUp(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True)
class PlatformClient:
    """Calls with one token. Safe to share between threads.

    :param token: agent token, attempt token or registration token.
    """

    http: httpx.Client
    token: str

    @classmethod
    def connect(cls, url: str, token: str) -> "PlatformClient":
        """A client for a platform's address; opens no connection yet.

        Proxies of the environment hold, but not towards this machine itself.
        """
        http = httpx.Client(
            base_url=url.rstrip("/"),
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(keepalive_expiry=KEEP_SECONDS),
            headers={"User-Agent": f"weighhouse-agent/{VERSION}"},
            trust_env=not is_loopback(urlsplit(url).hostname or ""),
        )
        return cls(http, token)

    def with_token(self, token: str) -> "PlatformClient":
        """The same connections with another token."""
        return PlatformClient(self.http, token)

    def close(self) -> None:
        """Close the connections, of every client that shares them."""
        self.http.close()

    def send(
        self,
        method: str,
        path: str,
        body: BaseModel | bytes | None = None,
        *,
        content_type: str = "application/json",
        read_seconds: float = READ_SECONDS,
        end_at: float | None = None,
    ) -> dict[str, Any]:
        """Try once.

        :param body: a document, or bytes as they are to go.
        :param end_at: by `time.monotonic`: then it is given up, also while bytes are on their way.
        :returns: the answer's JSON object; empty when there is none.
        :raises PlatformAway: no connection, no answer in time, or one of the passing statuses.
        :raises Refused: any other status from 400 up.
        """
        content = body.model_dump_json().encode() if isinstance(body, BaseModel) else body
        headers = {"Authorization": f"Bearer {self.token}"}
        if content is not None:
            headers["Content-Type"] = content_type
        sent: bytes | Iterator[bytes] | None = content
        if content is not None and end_at is not None:
            headers["Content-Length"] = str(len(content))
            sent = _timely(content, end_at)
            read_seconds = max(FIRST_PAUSE_SECONDS, end_at - time.monotonic())
        try:
            answer = self.http.request(
                method,
                path,
                content=sent,
                headers=headers,
                timeout=httpx.Timeout(read_seconds, connect=min(CONNECT_SECONDS, read_seconds)),
            )
        except httpx.TransportError as error:
            raise PlatformAway(f"{type(error).__name__}: {error}") from error
        if answer.status_code in PASSING:
            raise PlatformAway(told_by(answer), retry_after(answer), failed=is_failure(answer))
        found = json_object(answer)
        if not answer.is_success:
            detail = str(found.get("detail") or found.get("title") or answer.text[:DETAIL_LENGTH])
            raise Refused(answer.status_code, detail, found)
        return found

    def ask(
        self,
        method: str,
        path: str,
        body: BaseModel | bytes | None,
        kind: type[Answer],
        *,
        read_seconds: float = READ_SECONDS,
    ) -> Answer:
        """Try once, and read the answer as a document.

        :raises PlatformAway, Refused: as `send`; an answer that is no such document counts as
            away, for something other than the platform may have given it.
        """
        found = self.send(method, path, body, read_seconds=read_seconds)
        try:
            return kind.model_validate(found, context=AS_KEPT)
        except ValidationError as error:
            raise PlatformAway(f"{path}: not an answer of the platform: {error}") from error


@dataclass(frozen=True)
class Patience:
    """How long a platform that fails at one and the same call is borne with: until both are over.

    :param tries: failures, one after the other.
    :param seconds: since the first of them.
    """

    tries: int
    seconds: float


def again(
    call: Callable[[], Result],
    *,
    what: str,
    stop: threading.Event,
    limit_seconds: float | None = None,
    patience: Patience | None = None,
    log: Callable[..., Any] = LOG.warning,
) -> Result:
    """Call until the platform is there; pauses double, with jitter.

    Every call of the agent's protocol may be repeated, for the server knows repetitions.

    :param what: for the log.
    :param stop: ends the trying.
    :param limit_seconds: so does this; None: no limit.
    :param patience: so does this, for answers that are failures of the platform; None: no limit.
    :raises GaveUp: when it was ended.
    :raises Refused: as the call does.
    :raises NeverTaken: when the patience is over.
    """
    failures: list[float] = []
    end_at = None if limit_seconds is None else time.monotonic() + limit_seconds
    longest = FIRST_PAUSE_SECONDS
    while True:
        try:
            return call()
        except PlatformAway as error:
            failures = [*failures, time.monotonic()] if error.failed else []
            if patience is not None and _is_over(patience, failures):
                raise NeverTaken(
                    FAILED,
                    f"the platform failed {len(failures)} times in"
                    f" {failures[-1] - failures[0]:.0f} s, at last with {error}",
                    {},
                ) from error
            pause = error.wait_seconds or longest * secrets.SystemRandom().uniform(0.5, 1.0)
            longest = min(LONGEST_PAUSE_SECONDS, longest * 2)
            log("platform is away", what=what, reason=str(error), again_in_seconds=round(pause, 1))
            if end_at is not None:
                pause = min(pause, end_at - time.monotonic())
                if pause <= 0:
                    raise GaveUp(what) from error
            if stop.wait(pause):
                raise GaveUp(what) from error


def _is_over(patience: Patience, failures: list[float]) -> bool:
    return (
        len(failures) >= max(1, patience.tries) and failures[-1] - failures[0] >= patience.seconds
    )


def _timely(content: bytes, end_at: float) -> Iterator[bytes]:
    for begin in range(0, len(content), PIECE_BYTES):
        if time.monotonic() >= end_at:
            raise httpx.WriteTimeout("it took too long to send")
        yield content[begin : begin + PIECE_BYTES]


def is_failure(answer: httpx.Response) -> bool:
    """Whether it is the platform itself that failed at this very call."""
    return answer.status_code == FAILED or str(json_object(answer).get("type")).endswith(FILES_AWAY)


def told_by(answer: httpx.Response) -> str:
    """A status in words, with the id under which the platform logged the call."""
    known = answer.headers.get(REQUEST_ID)
    return f"status {answer.status_code}" + (f" (request {known})" if known else "")


def json_object(answer: httpx.Response) -> dict[str, Any]:
    """The answer's body, when it is a JSON object; else an empty one."""
    try:
        found = answer.json() if answer.content else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def retry_after(answer: httpx.Response) -> float | None:
    """Seconds that the server asks to wait, at most a minute; None when it does not say."""
    try:
        return min(60.0, max(0.0, float(answer.headers["Retry-After"])))
    except (KeyError, ValueError):
        return None


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
