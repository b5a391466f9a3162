"""Brings an attempt's events, logs and outcome to the platform.

Every call may be repeated; what the server has decides where to go on, never what was sent.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import quote

import structlog
from weighhouse_protocol.order import AttemptOrder, Timings
from weighhouse_protocol.report import (
    AttemptStarted,
    AttemptState,
    Completion,
    CompletionAnswer,
    EventsAccepted,
)
from weighhouse_sdk.kept_files import kept

from weighhouse_agent.delivery.files import FileSender, TooLate
from weighhouse_agent.delivery.logs import LogSender
from weighhouse_agent.delivery.platform_client import (
    GaveUp,
    NeverTaken,
    Patience,
    PlatformAway,
    PlatformClient,
    Refused,
    again,
)
from weighhouse_agent.delivery.spool import BATCH_EVENTS, SpoolReader
from weighhouse_agent.machine.home import AttemptDirectory, make_passable, write_atomically

LOG = structlog.get_logger("weighhouse_agent")
CONFLICT = 409
TOO_LARGE = 413
FILE_TYPE = "application/octet-stream"
FILE_TRIES, FILE_SECONDS = 4, 10.0
"""How often and how long a store of files that is away is tried."""
LOG_SECONDS = 5.0
"""How often logs are followed while nothing is measured."""
MEASURED = "measure"
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
    pause_seconds: float | None = None
    """How long the platform wants events gathered; none: as its timings say."""
    _never: NeverTaken | None = None
    """Events that the platform will not take: what comes after them cannot go either."""
    logs: LogSender = field(init=False)

    def __post_init__(self) -> None:
        self.logs = LogSender(self.directory, self._put_log, self._ask_logs)

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
        self.logs.offsets = dict(state.log_offsets)
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
                self.pause_seconds = answer.pause_seconds
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

    def follow_logs(self) -> None:
        """Send a little of what the logs have got since: seldom, and while the run is measured no
        oftener than a heartbeat.

        :raises GaveUp: when nobody waits any more.
        """
        beat = self.timings.heartbeat_seconds
        measured = self.spool.phase == MEASURED
        self.logs.follow(beat if measured else min(beat, LOG_SECONDS))

    def send_logs(self) -> None:
        """Send the rest of the logs; a log that is not taken is left.

        :raises GaveUp: when nobody waits any more.
        """
        self.logs.finish()

    def send_files(self, *, sent_before: bool) -> None:
        """Send the run's files; what is not taken is left, and the attempt's log says so.

        :param sent_before: an earlier agent may have sent some.
        :raises GaveUp: when nobody waits any more.
        """
        if not kept(self.directory.files):
            return
        self.resume()  # the limit is for a platform that is there
        has = self._has_file if sent_before else None
        FileSender(self.directory, has, self._put_file).finish()

    def _has_file(self, sha256: str) -> bool:
        try:
            self.client.send("HEAD", f"{self.path}/artifacts/{sha256}")
        except (Refused, PlatformAway):
            return False
        return True

    def _put_file(self, sha256: str, name: str, content: bytes, end_at: float) -> None:
        """:raises TooLate: when the time is over, whatever the platform has answered.
        :raises NeverTaken: when its store of files is away, or the platform fails.
        """
        path = f"{self.path}/artifacts/{sha256}?name={quote(name, safe='')}"
        answers: list[PlatformAway] = []

        def call() -> None:
            try:
                self.client.send("PUT", path, content, content_type=FILE_TYPE, end_at=end_at)
            except PlatformAway as error:
                answers.append(error)
                raise

        left = max(0.0, end_at - time.monotonic())
        timings = self.timings
        patience = Patience(
            min(FILE_TRIES, timings.failing_tries), min(FILE_SECONDS, timings.failing_seconds)
        )
        try:
            again(call, what="file", stop=self.give_up, limit_seconds=left, patience=patience)
        except GaveUp:
            if self.give_up.is_set():
                raise
            raise TooLate(f"the platform did not take it in time: {answers[-1]}") from None

    def _ask_logs(self) -> dict[str, int]:
        return dict(self.resume().log_offsets)

    def _put_log(self, stream: str, offset: int, piece: bytes) -> None:
        self._again("log", lambda: self._put_piece(stream, offset, piece))

    def _put_piece(self, stream: str, offset: int, piece: bytes) -> None:
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
