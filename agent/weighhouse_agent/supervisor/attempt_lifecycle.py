"""Carries one attempt from its order to its delivery, whatever happens in between.

The same code serves a new attempt, one that an earlier agent left running, and one that has
ended but is not delivered.
"""

import shutil
import threading
from dataclasses import dataclass, field
from typing import Literal

import structlog
from pydantic import ValidationError
from weighhouse_protocol.order import AttemptOrder, Timings
from weighhouse_protocol.report import ClockOffset, Completion, Failure, FailureKind
from weighhouse_protocol.text import mended_json
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.machine.process import log_tail

from weighhouse_agent.attempt.gangs import is_gang
from weighhouse_agent.attempt.process import context_left, stop_request
from weighhouse_agent.delivery.delivery import CONFLICT, Delivery
from weighhouse_agent.delivery.platform_client import GaveUp, NeverTaken, PlatformClient, Refused
from weighhouse_agent.delivery.spool import SpoolReader
from weighhouse_agent.machine.clock import ClockEstimate, clock_of
from weighhouse_agent.machine.disk_space import ROOM_SECONDS, taken_by, write_essential
from weighhouse_agent.machine.home import AttemptDirectory, make_passable, read_text
from weighhouse_agent.supervisor.barrier_calls import BarrierCalls
from weighhouse_agent.supervisor.fork_server import Exit
from weighhouse_agent.supervisor.heartbeats import Heartbeats, obey
from weighhouse_agent.supervisor.process_starter import ForkServerBroken, Starter
from weighhouse_agent.supervisor.process_watch import Watch, record_of
from weighhouse_agent.supervisor.threads import go_on

LOG = structlog.get_logger("weighhouse_agent")
UNKNOWN = frozenset({401, 403, 404, 410})
"""Answers that say: no such attempt, or not yours."""
TOO_MANY = "/events-too-many"
"""So ends the type of a problem that no repetition mends."""
INVALID = frozenset({413, 422})
"""Answers that say: this can be no event, whenever and by whomever it is sent."""
SET_ASIDE_KEPT = 10
LOG_LINES = 20

Result = Literal["delivered", "later", "set_aside"]


@dataclass
class Carrier:
    """One attempt in this agent's hands.

    :param client: with the attempt's token.
    :param give_up: ends the waiting for the platform.
    """

    directory: AttemptDirectory
    order: AttemptOrder
    client: PlatformClient
    starter: Starter
    timings: Timings
    give_up: threading.Event
    fresh: bool = True
    """Just claimed; else found on disk."""
    settled: threading.Event = field(default_factory=threading.Event)
    """Set when the attempt has its outcome, and nothing of it runs."""
    _spool: SpoolReader = field(init=False)
    _delivery: Delivery = field(init=False)
    _watch: Watch | None = None
    _clock: ClockEstimate = field(default_factory=ClockEstimate)
    _found: bool = False
    _refused: Refused | None = None
    _stop: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        self._spool = SpoolReader(self.directory.spool)
        self._delivery = Delivery(
            self.directory, self.order, self.client, self._spool, self.give_up, self.timings
        )

    @property
    def clock_offset(self) -> ClockOffset | None:
        """How far the attempt's clock is from the platform's; None while nobody knows."""
        return self._clock.offset()

    def stop(self, message: str, hint: str) -> None:
        """End the attempt in good order, as a failure that is tried again; called by another
        thread. Repeatable.
        """
        self._stop = (message, hint)
        if self._watch is not None:
            self._watch.ask_to_stop("infrastructure", message, hint)

    def carry(self) -> Result:
        """Do all of it; blocks until the attempt is delivered, set aside, or left for later."""
        LOG.info("attempt", attempt=self.directory.attempt_id, target=self.order.target.name)
        try:
            trouble = self._begin()
        except GaveUp:
            return "later"
        except Refused as error:
            return self._set_aside(error)
        if self._watch is None:
            return self._deliver(self._settle(trouble))
        heartbeats = Heartbeats(
            self.order, self.client, self._delivery, self._watch, self.timings, self._clock
        ).start()
        stream = go_on("stream", self._stream, self._watch.ended)
        go_on("room", self._look_at_room, self._watch.ended)
        self._watch.until_ended()
        completion = self._settle(trouble)
        stream.join()
        heartbeats.join()  # one that is under way arrives before the outcome
        return self._deliver(completion)

    def _begin(self) -> str | None:
        """Start the attempt's process, or find it.

        :returns: why it could not be started; None when all is well.
        :raises Refused: when it was never begun and the server does not want it any more.
        :raises GaveUp: when nobody waits for the platform's word on that.
        """
        trouble = None
        self._found = record_of(self.directory) is not None or self.directory.outcome.exists()
        if not self._found:
            self._ask_leave()
            self._clock.clock = clock_of(self.directory, new=True)
            try:
                self.starter.start(self.directory)
            except ForkServerBroken as error:
                trouble = str(error)
        else:
            self._clock.clock = clock_of(self.directory)
        self._watch = Watch.of(self.directory, self.timings, self.order.limit_seconds)
        asked = stop_request(self.directory)
        if asked is not None and self._watch is not None:
            self._watch.ask_to_stop(asked.kind, asked.message, asked.hint)
        if self._stop is not None:
            self.stop(*self._stop)
        return trouble

    def _ask_leave(self) -> None:
        """An order that lay on disk may be old: ask before it is begun."""
        if self.fresh:
            return
        state = self._delivery.start()
        if state is not None:
            raise Refused(CONFLICT, f"the attempt is {state.status}, and was never begun", {})

    def _stream(self) -> None:
        """Deliver while the attempt runs."""
        watch = self._watch
        if watch is None:
            return
        try:
            self._introduce()
            if is_gang(self.order):
                BarrierCalls(
                    self.directory, self.order, self.client, watch, self.timings, self._clock
                ).start()
            while not watch.ended.wait(self._pause_seconds()):
                self._delivery.send_events()
                self._delivery.follow_logs()
        except GaveUp:
            return
        except Refused as error:
            self._refused = error
            LOG.warning("the platform does not take this attempt", reason=str(error))
            kind: FailureKind = "invalid" if error.status in INVALID else "infrastructure"
            watch.ask_to_stop(kind, f"the platform does not take it: {error.detail}")

    def _look_at_room(self) -> None:
        """End the attempt when it takes more of the disk than it may: it would do so elsewhere."""
        watch = self._watch
        while watch is not None and not watch.ended.wait(ROOM_SECONDS):
            taken = taken_by(self.directory)
            if taken is not None:
                watch.ask_to_stop("policy", taken.message, taken.hint)
                return

    def _pause_seconds(self) -> float:
        """How long events are gathered: as the platform wants it, so that it is seen within the
        time between heartbeats whatever it wants.
        """
        wanted = self._delivery.pause_seconds or self.timings.upload_seconds
        return min(wanted, max(self.timings.upload_seconds, self.timings.heartbeat_seconds))

    def _introduce(self) -> None:
        """Tell of the start; learn what the server has of an attempt that was begun before."""
        state = self._delivery.start()
        if state is None and self._found:
            state = self._delivery.resume()
        if state is not None and self._watch is not None:
            obey(self.order, self._watch, state.cancel)

    def _settle(self, trouble: str | None) -> Completion:
        try:
            return self._outcome(trouble)
        finally:
            self.settled.set()

    def _outcome(self, trouble: str | None) -> Completion:
        """The outcome; made up here when the attempt's process died without one."""
        if self._leftovers():
            self._clean()
        text = read_text(self.directory.outcome)
        if text is not None:
            try:
                return Completion.model_validate_json(text)
            except ValidationError as error:
                trouble = f"its outcome cannot be read: {error}"
        self._spool.refresh()
        failure = self._failure(trouble)
        completion = Completion(
            fence=self.order.fence,
            outcome="cancelled" if failure.kind == "cancelled" else "failed",
            failure=failure,
            events_count=self._spool.count,
        )
        try:
            write_essential(self.directory.home, self.directory.outcome, mended_json(completion))
        except OSError as error:
            # It is delivered as it is; should this agent end first, the next one makes it anew.
            LOG.warning("an outcome could not be kept", reason=str(error))
        return completion

    def _failure(self, trouble: str | None) -> Failure:
        lines = log_tail(self.directory.own_log, LOG_LINES)
        asked = stop_request(self.directory)
        if asked is not None:
            return Failure(kind=asked.kind, message=asked.message, hint=asked.hint, log_lines=lines)
        return Failure(
            kind="infrastructure",
            message=trouble or f"the attempt's process ended without a result{self._how()}",
            hint="it was killed, or the machine went down; the kernel's log tells whether memory"
            " ran out",
            log_lines=lines,
        )

    def _how(self) -> str:
        text = read_text(self.directory.exit)
        if text is None:
            return ""
        try:
            status = Exit.model_validate_json(text).status
        except ValidationError:  # cut off by a full disk, by an agent of before
            return ""
        return f", by signal {-status}" if status < 0 else f", with status {status}"

    def _leftovers(self) -> bool:
        system = self.directory.system
        if not system.exists():
            return False
        if not self.directory.outcome.exists():
            return True
        try:
            return bool(context_left(self.order, self.directory).leftovers())
        except PluginError:
            return True  # Whoever cleans will tell what cannot be asked.

    def _clean(self) -> None:
        try:
            done = self.starter.clean(self.directory)
        except ForkServerBroken as error:
            LOG.warning("leftovers could not be removed", reason=str(error))
            return
        LOG.info("leftovers removed", attempt=self.directory.attempt_id, done=done)

    def _deliver(self, completion: Completion) -> Result:
        delivery = self._delivery
        try:
            if self._refused is not None and self._refused.status in UNKNOWN:
                return self._set_aside(self._refused)
            if self._watch is None:
                self._introduce()
            completion = self._all_events(completion)
            # Before the logs, which tell what was not taken.
            delivery.send_files(sent_before=self._found or not self.fresh)
            delivery.send_logs()
            answer = delivery.complete(completion)
        except GaveUp:
            LOG.warning("to be delivered at the next start", attempt=self.directory.attempt_id)
            return "later"
        except Refused as error:
            return self._set_aside(error)
        LOG.info(
            "attempt delivered",
            attempt=self.directory.attempt_id,
            outcome=completion.outcome,
            result=answer.result,
        )
        shutil.rmtree(self.directory.path)
        return "delivered"

    def _all_events(self, completion: Completion) -> Completion:
        """Send the rest; when the server will not have it, the outcome says so."""
        try:
            self._delivery.send_events()
        except Refused as error:
            if error.status in UNKNOWN:
                raise
            if str(error.body.get("type")).endswith(TOO_MANY):
                return self._spoiled(
                    f"the run reports more than the platform keeps: {error.detail}",
                    "make it shorter, or of fewer drivers; it would be the same on any machine",
                    "policy",
                )
            return self._spoiled(
                f"the platform did not take event {self._delivery.next_sequence}: {error.detail}",
                "the platform's log has that request; report it"
                if isinstance(error, NeverTaken)
                else "agent and platform must be of versions that fit",
                "invalid" if error.status in INVALID else "infrastructure",
            )
        if self._spool.count < completion.events_count:
            return self._spoiled(
                f"of {completion.events_count} events {self._spool.count} are left on this machine",
                "the machine's disk or file system lost them",
            )
        return completion

    def _spoiled(self, message: str, hint: str, kind: FailureKind = "infrastructure") -> Completion:
        return Completion(
            fence=self.order.fence,
            outcome="failed",
            failure=Failure(kind=kind, message=message, hint=hint),
            events_count=self._delivery.next_sequence,
        )

    def _set_aside(self, error: Refused) -> Result:
        LOG.warning("set aside", attempt=self.directory.attempt_id, reason=str(error))
        set_aside(self.directory)
        return "set_aside"


def set_aside(directory: AttemptDirectory) -> None:
    """Keep what nobody takes for somebody to look at; the oldest give way."""
    place = directory.home.set_aside_directory
    make_passable(place)
    kept = place / directory.attempt_id
    shutil.rmtree(kept, ignore_errors=True)
    directory.path.rename(kept)
    attempts = sorted(each for each in place.iterdir() if each.is_dir())
    batches = sorted(each for each in place.iterdir() if each.is_file())
    for old in attempts[:-SET_ASIDE_KEPT]:
        shutil.rmtree(old)
    for batch in batches[:-SET_ASIDE_KEPT]:
        batch.unlink()
