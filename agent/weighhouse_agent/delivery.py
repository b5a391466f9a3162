"""Brings an attempt's events, logs and outcome to the platform.

Every call may be repeated; what the server has decides where to go on, never what was sent.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import structlog
from weighhouse_protocol.order import AttemptOrder, Timings
from weighhouse_protocol.report import (
    AttemptStarted,
    AttemptState,
    Completion,
    CompletionAnswer,
    EventsAccepted,
)

from weighhouse_agent.clients import NeverTaken, Patience, PlatformClient, Refused, again
from weighhouse_agent.home import AttemptDirectory, make_passable, write_atomically
from weighhouse_agent.spool import BATCH_EVENTS, SpoolReader

LOG = structlog.get_logger("weighhouse_agent")
CONFLICT = 409
TOO_LARGE = 413
WRONG_OFFSET = 416
LOG_PIECE_BYTES = 256 << 10
LOG_LIMIT_BYTES = 2 << 20
"""Of a longer log its end goes to the platform, for there it tells why."""
ROUNDS = 5
"""How often a disagreement over what is there may be settled by asking, before it is a fault."""

Result = TypeVar("Result")


@dataclass
class Delivery:
    """What is delivered of one attempt. Used by one thread at a time.

    :param client: with the attempt's token.
    :param give_up: ends all waiting for the platform; what is missing goes another time.
    """

    directory: AttemptDirectory
    order: AttemptOrder
    client: PlatformClient
    spool: SpoolReader
    give_up: threading.Event
    timings: Timings = field(default_factory=Timings)
    next_sequence: int = 0
    """Events below it are with the platform."""
    _never: NeverTaken | None = None
    """Events that the platform will not take: what comes after them cannot go either."""
    _log_offsets: dict[str, int] | None = None

    @property
    def path(self) -> str:
        """Of the attempt, in the agent's protocol."""
        return f"/agent/v1/attempts/{self.order.attempt_id}"

    def start(self) -> AttemptState | None:
        """Tell that the attempt has begun.

        :returns: None when the server agrees, else what it has of the attempt: its result may
            count nevertheless.
        :raises Refused: when the server does not know the attempt.
        :raises GaveUp: when nobody waits any more.
        """
        started = AttemptStarted(fence=self.order.fence)
        try:
            self._again("start", lambda: self.client.send("POST", f"{self.path}/start", started))
        except Refused as error:
            if error.status != CONFLICT:
                raise
            LOG.warning("the platform does not let it start", reason=error.detail)
            return self.resume()
        return None

    def resume(self) -> AttemptState:
        """Ask what the server has, and go on from there.

        :raises Refused: when the server does not know the attempt.
        :raises GaveUp: when nobody waits any more.
        """
        state = self._again("state", lambda: self.client.ask("GET", self.path, None, AttemptState))
        self.next_sequence = state.next_sequence
        self._log_offsets = dict(state.log_offsets)
        return state

    def send_events(self) -> None:
        """Send what is spooled and not there yet.

        :raises Refused: when the server does not take them; from then on at once.
        :raises GaveUp: when nobody waits any more.
        """
        if self._never is not None:
            raise self._never
        self.spool.refresh()
        most = BATCH_EVENTS
        rounds = 0
        while lines := self.spool.batch(self.next_sequence, most):
            before = self.next_sequence
            try:
                body = b'{"events":[' + b",".join(lines) + b"]}"
                answer = self._again("events", lambda b=body: self._post_events(b))  # type: ignore[misc]
                self.next_sequence = answer.next_sequence
            except NeverTaken as error:
                self._never = error
                self._keep(body)
                raise
            except Refused as error:
                if error.status == TOO_LARGE and len(lines) > 1:
                    most = len(lines) // 2
                    continue
                if self.resume().next_sequence == before:
                    raise
            if self.next_sequence <= before:
                rounds += 1
                if rounds == ROUNDS:
                    raise Refused(CONFLICT, f"event {before} was sent {ROUNDS} times", {})

    def _keep(self, body: bytes) -> None:
        """Put a batch that is never taken where somebody can look at it."""
        place = self.directory.home.set_aside_directory
        name = f"{self.directory.attempt_id}-events-{self.next_sequence}.json"
        try:
            make_passable(place)
            write_atomically(place / name, body.decode("utf-8", errors="replace"))
        except OSError as error:
            LOG.warning("a batch could not be kept", name=name, reason=str(error))
            return
        LOG.warning("the platform does not take a batch; it is kept", path=str(place / name))

    def _post_events(self, body: bytes) -> EventsAccepted:
        return self.client.ask("POST", f"{self.path}/events", body, EventsAccepted)

    def send_logs(self) -> None:
        """Send the logs, or of a long one the end; a log that is not taken is left.

        :raises GaveUp: when nobody waits any more.
        """
        for path in sorted(self.directory.logs.glob("*.log")):
            text = log_text(path)
            if not text:
                continue
            try:
                self._send_log(path.stem, text)
            except Refused as error:
                LOG.warning("log not taken", stream=path.stem, reason=str(error))

    def _send_log(self, stream: str, text: bytes) -> None:
        known = self._log_offsets or {}
        offset = known.get(stream, 0)
        rounds = 0
        while offset < len(text):
            piece = text[offset : offset + LOG_PIECE_BYTES]
            try:
                self._again("log", lambda o=offset, p=piece: self._put_log(stream, o, p))  # type: ignore[misc]
                offset += len(piece)
            except Refused as error:
                rounds += 1
                if error.status != WRONG_OFFSET or rounds == ROUNDS:
                    raise
                offset = self.resume().log_offsets.get(stream, 0)

    def _put_log(self, stream: str, offset: int, piece: bytes) -> None:
        self.client.send(
            "PUT",
            f"{self.path}/logs/{stream}?offset={offset}",
            piece,
            content_type="application/octet-stream",
        )

    def complete(self, completion: Completion) -> CompletionAnswer:
        """Send the outcome; sends events that turn out to be missing.

        :raises Refused: when the server does not take it.
        :raises GaveUp: when nobody waits any more.
        """
        for _ in range(ROUNDS):
            try:
                return self._again("complete", lambda: self._post_completion(completion))
            except Refused as error:
                if error.status != CONFLICT:
                    raise
                LOG.warning("the platform misses something", reason=error.detail)
                if self.resume().next_sequence >= completion.events_count:
                    raise
                self.send_events()
        raise Refused(CONFLICT, f"events were missing {ROUNDS} times", {})

    def _post_completion(self, completion: Completion) -> CompletionAnswer:
        return self.client.ask("POST", f"{self.path}/complete", completion, CompletionAnswer)

    def _again(self, what: str, call: Callable[[], Result]) -> Result:
        patience = Patience(self.timings.failing_tries, self.timings.failing_seconds)
        return again(call, what=what, stop=self.give_up, patience=patience)


def log_text(path: Path) -> bytes:
    """What of a log goes to the platform: all, or a line that says so and its end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= LOG_LIMIT_BYTES:
            return file.read()
        file.seek(size - LOG_LIMIT_BYTES)
        file.readline()
        left_out = file.tell()
        return f"[{left_out} bytes before this are left out]\n".encode() + file.read()
