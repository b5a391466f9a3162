"""The agent's program: session, claims, one attempt at a time in each slot, until told to end.

At SIGTERM or SIGINT an attempt under way is torn down in good order and reported as a failure of
the infrastructure, which the platform tries again; what cannot be delivered in time is delivered
at the next start. kill -9 ends nothing but the agent: the attempt goes on, and the next start
finds it.
"""

import contextlib
import logging
import math
import os
import select
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TextIO, cast

import structlog
from weighhouse_protocol.report import ClockOffset, SignTaken
from weighhouse_sdk.errors import PluginError

from weighhouse_agent import VERSION
from weighhouse_agent.delivery.platform_client import GaveUp, PlatformAway, PlatformClient, Refused
from weighhouse_agent.machine.disk_space import ROOM_SECONDS, Room
from weighhouse_agent.machine.home import Home, HomeInUse
from weighhouse_agent.machine.installation import end_with_starter
from weighhouse_agent.machine.kept_data import IDLE_SECONDS, forget
from weighhouse_agent.machine.policy import PolicyFile, PolicyRefused
from weighhouse_agent.machine.slots import WHOLE_MACHINE, remove_memory_groups
from weighhouse_agent.supervisor.enrolment import (
    URL_VARIABLE,
    EnrolmentError,
    Identity,
    default_home,
    load_identity,
)
from weighhouse_agent.supervisor.metrics import tell_if_asked
from weighhouse_agent.supervisor.process_starter import ForkServerBroken, Starter
from weighhouse_agent.supervisor.sessions import Sessions
from weighhouse_agent.supervisor.slot_loop import SlotLoop, left_by_slot
from weighhouse_agent.supervisor.threads import go_on
from weighhouse_agent.supervisor.updates import Updates, statement

LOG = structlog.get_logger("weighhouse_agent")
ENDED = 0
BROKEN = 1
NOT_ENROLLED = 2
NOT_WANTED = 3
"""Exit status: the platform has revoked this agent, or another home uses its identity."""
IN_USE = 4
REPLACED = 5
"""The agent's program was replaced: whoever started it starts it again."""
SPARE_SECONDS = 15.0
"""After the last signal: until what is left is removed."""
SIGN_SECONDS = 1.0
"""How long the platform may take to hear a sign."""
SELDOM_SECONDS = 15.0
"""Between two signs of an agent at rest."""
NOT_ASKED_SECONDS = 1.0
"""How often it is looked whether the platform asks for signs."""
DELIVERY_SECONDS = 5.0
"""After a stop: how long the last attempt's delivery may take."""


@dataclass
class Program:
    """One agent at work: a thread for each slot of its policy.

    :param client: with the agent's token.
    """

    home: Home
    client: PlatformClient
    starter: Starter
    _status: int = ENDED
    _end: int = field(default_factory=lambda: os.eventfd(0, os.EFD_CLOEXEC))
    _stop: threading.Event = field(default_factory=threading.Event)
    _give_up: threading.Event = field(default_factory=threading.Event)
    _slots: list[SlotLoop] = field(default_factory=list)

    def __post_init__(self) -> None:
        policy = PolicyFile(self.home.policy)
        self._updates = Updates(self.home, self.client, self._stop, self._at_work, self._begin_anew)
        self._sessions = Sessions(
            self.home, self.client, self.starter.inventory, lambda: statement(policy), self._stop,
            self._updates.session_opened,
        )  # fmt: skip

    def end(self) -> None:
        """Ask the program to end; may be called from a signal handler. Idempotent."""
        os.eventfd_write(self._end, 1)

    def run(self) -> int:
        """Work until `end` is called, or the platform does not want this agent.

        :returns: exit status.
        """
        forget(self.home)
        loops = self._slots = self._loops()
        tell_if_asked(self.home, self.client, lambda: _clocks(loops))
        workers = [
            threading.Thread(target=self._work, args=(each,), name=each.slot, daemon=True)
            for each in loops
        ]
        for worker in workers:
            worker.start()
        go_on("room", self._look_at_room, self._stop)
        go_on("signs", lambda: self._give_signs(loops), self._give_up)
        waiter = select.poll()
        waiter.register(self._end, select.POLLIN)
        waiter.poll()  # unlike eventfd_read, it goes on after a signal
        self._stop.set()
        self._finish(loops, workers)
        return self._status

    def _at_work(self) -> str | None:
        """What this agent is at, in words; None: it is idle."""
        at_work = [each.slot for each in self._slots if each.carrier is not None]
        return f"a run is under way in slot {', '.join(at_work)}" if at_work else None

    def _begin_anew(self) -> None:
        self._status = REPLACED
        self.end()

    def _look_at_room(self) -> None:
        """Tell that there is no room, also while work is under way or waited for."""
        while not self._stop.wait(ROOM_SECONDS):
            with contextlib.suppress(Refused):  # whoever claims is told so, too
                trouble = Room(self.home).trouble()
                forget(self.home, older_than_seconds=0.0 if trouble else IDLE_SECONDS)
                self._sessions.rest(trouble)

    def _give_signs(self, loops: list[SlotLoop]) -> None:
        """Tell that this agent is there, as often as the platform asks it to, while it carries
        something out; one that is lost is made up for by the next. At rest it does so seldom: that
        the platform knows of it as one that gives signs.
        """
        due, given_at = time.monotonic(), -math.inf
        while not self._give_up.wait(max(0.0, due - time.monotonic())):
            every = self._sessions.timings.sign_seconds
            now = time.monotonic()
            due = now + (every or NOT_ASKED_SECONDS)
            at_work = any(each.carrier for each in loops)
            if every and (at_work or now - given_at >= SELDOM_SECONDS):
                given_at = now
                with contextlib.suppress(PlatformAway, Refused):
                    taken = self.client.ask(
                        "POST", "/agent/v1/signs", None, SignTaken, read_seconds=SIGN_SECONDS
                    )
                    due = now + max(every, min(SELDOM_SECONDS, taken.pause_seconds or 0.0))

    def _loops(self) -> list[SlotLoop]:
        """One for each slot of the policy, and for each that has something left from before."""
        left = left_by_slot(self.home)
        slots = slots_of(self.home)
        gone = [name for name in left if name not in slots]
        for name in gone:
            LOG.info("the policy has this slot no more; what it left is finished", slot=name)
        return [
            SlotLoop(
                slot=name,
                home=self.home,
                client=self.client,
                starter=self.starter,
                sessions=self._sessions,
                left=left.get(name, []),
                serves=name in slots,
                stop=self._stop,
                give_up=self._give_up,
                on_update=self._updates.take,
            )
            for name in (*slots, *gone)
        ]

    def _finish(self, loops: list[SlotLoop], workers: list[threading.Thread]) -> None:
        """End what is under way, all at once, and wait a while for its delivery."""
        carriers = [carrier for each in loops if (carrier := each.end()) is not None]
        if not carriers:
            return
        timings = self._sessions.timings
        end_at = time.monotonic() + timings.teardown_seconds + timings.term_seconds + SPARE_SECONDS
        for carrier in carriers:
            carrier.settled.wait(max(0.0, end_at - time.monotonic()))
        join_all(workers, DELIVERY_SECONDS)
        self._give_up.set()
        join_all(workers, DELIVERY_SECONDS)

    def _work(self, loop: SlotLoop) -> None:
        try:
            loop.work()
            if not loop.serves:
                return
        except GaveUp:
            LOG.info("ending", slot=loop.slot)
        except Refused as error:
            LOG.warning("the platform does not want this agent; enrol it again", reason=str(error))
            self._status = NOT_WANTED
        except Exception:
            LOG.exception("a fault of the agent")
            self._status = BROKEN
        self.end()


def _clocks(loops: list[SlotLoop]) -> list[ClockOffset]:
    carriers = [carrier for each in loops if (carrier := each.carrier) is not None]
    return [offset for each in carriers if (offset := each.clock_offset) is not None]


def slots_of(home: Home) -> tuple[str, ...]:
    """Names of the policy's slots; of a policy that is not valid, the whole machine's: what is
    claimed for it is refused with the reason.
    """
    try:
        return tuple(each.name for each in PolicyFile(home.policy).read().slots)
    except PolicyRefused:
        return (WHOLE_MACHINE,)


def join_all(threads: list[threading.Thread], seconds: float) -> None:
    """Wait for all to end, together at most so long."""
    end_at = time.monotonic() + seconds
    for each in threads:
        each.join(max(0.0, end_at - time.monotonic()))


def run(home: Path | None = None, url: str | None = None) -> int:
    """Run the agent until it is told to end, by SIGTERM or SIGINT.

    :param home: the agent's directory; default: `$WEIGHHOUSE_AGENT_HOME`, or the user's own.
    :param url: address of the platform; default: `$WEIGHHOUSE_URL`, or where it was enrolled.
    :returns: exit status: 0 ended, 1 fault, 2 not enrolled, 3 not wanted, 4 home in use,
        5 replaced by another version.
    """
    set_up_log()
    if not end_with_starter():
        LOG.warning("whoever started this agent has ended")
        return BROKEN
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
    starter = Starter(home.policy)
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
    except ForkServerBroken as error:
        LOG.warning("attempts cannot be started on this machine", reason=str(error))
        return BROKEN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        starter.close()
        _remove_groups(home)


def _remove_groups(home: Home) -> None:
    """Of slots whose memory was limited; not while an attempt goes on in one."""
    if home.attempts():
        return
    try:
        remove_memory_groups(home.path)
    except PluginError as error:
        LOG.warning("control groups of slots are left", reason=error.message)


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
