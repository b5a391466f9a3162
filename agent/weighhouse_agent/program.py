"""The agent's program: session, claims, one attempt at a time, until it is told to end.

At SIGTERM or SIGINT an attempt under way is torn down in good order and reported as a failure of
the infrastructure, which the platform tries again; what cannot be delivered in time is delivered
at the next start. kill -9 ends nothing but the agent: the attempt goes on, and the next start
finds it.
"""

import contextlib
import logging
import os
import select
import signal
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TextIO, cast

import structlog
from pydantic import ValidationError
from weighhouse_protocol.order import AttemptOrder

from weighhouse_agent import VERSION
from weighhouse_agent.carrying import Carrier, set_aside
from weighhouse_agent.claims import Claims
from weighhouse_agent.clients import GaveUp, PlatformAway, PlatformClient, Refused, again
from weighhouse_agent.enrolment import (
    URL_VARIABLE,
    EnrolmentError,
    Identity,
    default_home,
    load_identity,
)
from weighhouse_agent.home import AttemptDirectory, Home, HomeInUse
from weighhouse_agent.policy import PolicyFile, PolicyRefused
from weighhouse_agent.sessions import Sessions
from weighhouse_agent.starter import NurseryBroken, Starter

LOG = structlog.get_logger("weighhouse_agent")
ENDED = 0
BROKEN = 1
NOT_ENROLLED = 2
NOT_WANTED = 3
"""Exit status: the platform has revoked this agent, or another home uses its identity."""
IN_USE = 4
SPARE_SECONDS = 15.0
"""After the last signal: until what is left is removed."""
DELIVERY_SECONDS = 5.0
"""After a stop: how long the last attempt's delivery may take."""
FINAL_CLAIM = frozenset({401, 403})
REFUSED_PAUSE_SECONDS = 5.0
"""Before a refused claim is tried again."""


@dataclass
class Program:
    """One agent at work.

    :param client: with the agent's token.
    """

    home: Home
    client: PlatformClient
    starter: Starter
    _status: int = ENDED
    _end: int = field(default_factory=lambda: os.eventfd(0, os.EFD_CLOEXEC))
    _stop: threading.Event = field(default_factory=threading.Event)
    _give_up: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _carrier: Carrier | None = None

    def __post_init__(self) -> None:
        policy = PolicyFile(self.home.policy)
        self._sessions = Sessions(
            self.home, self.client, self.starter.inventory, policy.statement, self._stop
        )
        self._claims = Claims(self.home, self.client)

    def end(self) -> None:
        """Ask the program to end; may be called from a signal handler. Idempotent."""
        os.eventfd_write(self._end, 1)

    def run(self) -> int:
        """Work until `end` is called, or the platform does not want this agent.

        :returns: exit status.
        """
        worker = threading.Thread(target=self._work, name="work", daemon=True)
        worker.start()
        waiter = select.poll()
        waiter.register(self._end, select.POLLIN)
        waiter.poll()  # unlike eventfd_read, it goes on after a signal
        self._stop.set()
        with self._lock:
            carrier = self._carrier
        if carrier is not None:
            LOG.info("ending the attempt under way")
            carrier.stop("the agent was stopped while the run was under way", "start it again")
            timings = self._sessions.timings
            carrier.settled.wait(timings.teardown_seconds + timings.term_seconds + SPARE_SECONDS)
            worker.join(DELIVERY_SECONDS)
            self._give_up.set()
            worker.join(DELIVERY_SECONDS)
        return self._status

    def _work(self) -> None:
        try:
            self._go_on()
            self._serve()
        except GaveUp:
            LOG.info("ending")
        except Refused as error:
            LOG.warning("the platform does not want this agent; enrol it again", reason=str(error))
            self._status = NOT_WANTED
        except Exception:
            LOG.exception("a fault of the agent")
            self._status = BROKEN
        self.end()

    def _go_on(self) -> None:
        """Take up what an earlier agent left: attempts that run, or are not delivered."""
        left = self.home.attempts()
        if not left:
            return
        try:
            self._sessions.try_once()
        except (PlatformAway, Refused) as error:
            LOG.info("no session yet", reason=str(error))
        for directory in left:
            try:
                text = directory.order.read_text(encoding="utf-8")
                order = AttemptOrder.model_validate_json(text)
            except ValidationError as error:
                LOG.warning("an order cannot be read", path=str(directory.path), reason=str(error))
                set_aside(directory)
                continue
            self._carry(directory, order, fresh=False)

    def _serve(self) -> None:
        """Claim and carry out, one attempt after the other."""
        self._sessions.open()
        while not self._stop.is_set():
            try:
                order = again(self._claim, what="claim", stop=self._stop)
            except Refused as error:
                if error.status in FINAL_CLAIM:
                    raise
                LOG.warning("claim refused; opening the session again", reason=str(error))
                self._stop.wait(REFUSED_PAUSE_SECONDS)
                self._sessions.open()
                continue
            if order is not None:
                self._carry(self.home.attempt(order.attempt_id), order, fresh=True)

    def _claim(self) -> AttemptOrder | None:
        wait = self._sessions.timings.long_poll_seconds
        return self._claims.claim(self._sessions.process_id, wait)

    def _carry(self, directory: AttemptDirectory, order: AttemptOrder, *, fresh: bool) -> None:
        carrier = Carrier(
            directory=directory,
            order=order,
            client=self.client.with_token(order.attempt_token),
            starter=self.starter,
            timings=self._sessions.timings,
            give_up=self._give_up,
            fresh=fresh,
        )
        with self._lock:
            if self._stop.is_set():
                return
            self._carrier = carrier
        try:
            carrier.carry()
        finally:
            with self._lock:
                self._carrier = None


def run(home: Path | None = None, url: str | None = None) -> int:
    """Run the agent until it is told to end, by SIGTERM or SIGINT.

    :param home: the agent's directory; default: `$WEIGHHOUSE_AGENT_HOME`, or the user's own.
    :param url: address of the platform; default: `$WEIGHHOUSE_URL`, or where it was enrolled.
    :returns: exit status: 0 ended, 1 fault, 2 not enrolled, 3 not wanted, 4 home in use.
    """
    set_up_log()
    place = Home(home or default_home())
    try:
        identity = load_identity(place)
        with place.locked():
            return _run(place, identity, url or os.environ.get(URL_VARIABLE) or identity.url)
    except EnrolmentError as error:
        LOG.warning(error.message, hint=error.hint)
        return NOT_ENROLLED
    except HomeInUse as error:
        LOG.warning(str(error))
        return IN_USE


def _run(home: Home, identity: Identity, url: str) -> int:
    LOG.info("agent", version=VERSION, name=identity.name, url=url, home=str(home.path))
    _leave_processors(home)
    starter = Starter()
    client = PlatformClient.connect(url, identity.agent_token)
    program = Program(home, client, starter)

    def end(_number: int, _frame: FrameType | None) -> None:
        program.end()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        inventory = starter.inventory()
        LOG.info("plugins", found=[each.id for each in inventory.manifests])
        for name, reason in inventory.broken.items():
            LOG.warning("a plugin cannot be used", plugin=name, reason=reason)
        for name, reason in inventory.absent.items():
            LOG.info("not installed", driver=name, reason=reason)
        return program.run()
    except NurseryBroken as error:
        LOG.warning("attempts cannot be started on this machine", reason=str(error))
        return BROKEN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        starter.close()


def _leave_processors(home: Home) -> None:
    """Keep this program off the processors that are for what is measured."""
    try:
        cpus = PolicyFile(home.policy).read().machine.agent_cpus & os.sched_getaffinity(0)
    except PolicyRefused as error:
        LOG.warning(error.message, hint=error.hint)
        return
    if cpus:
        os.sched_setaffinity(0, cpus)


class LogStream:
    """Standard error; a full disk or a closed pipe there costs lines, never a run."""

    def write(self, text: str) -> None:
        """Write, if that can be done."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Flush, if that can be done."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()


def set_up_log() -> None:
    """One JSON document a line, on standard error."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", LogStream())),
        cache_logger_on_first_use=False,
    )
