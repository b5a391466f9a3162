"""Says that an attempt is alive, hears whether it is to stop, and compares clocks on the way."""

import secrets
import threading
from dataclasses import dataclass
from typing import Literal, cast

import structlog
from weighhouse_protocol.chain_links import links_of, numbered
from weighhouse_protocol.order import AttemptOrder, Timings
from weighhouse_protocol.report import Heartbeat, HeartbeatAnswer, RunPhase

from weighhouse_agent.attempt.gangs import is_gang
from weighhouse_agent.delivery.delivery import Delivery
from weighhouse_agent.delivery.platform_client import GaveUp, PlatformClient, Refused, again
from weighhouse_agent.machine.clock import ClockEstimate, steady_us
from weighhouse_agent.supervisor.process_watch import Watch
from weighhouse_agent.supervisor.threads import go_on

LOG = structlog.get_logger("weighhouse_agent")
JITTER = (0.8, 1.0)
NEARLY = 0.99
BURST = 8
"""Heartbeats at the beginning of a gang's attempt that follow each other quickly: its members begin
together by clocks that were compared often enough.
"""
BURST_SECONDS = 0.1
US = 1_000_000

Cancel = Literal["none", "graceful", "kill"]


@dataclass
class Heartbeats:
    """A thread that calls until the attempt's process has ended."""

    order: AttemptOrder
    client: PlatformClient
    delivery: Delivery
    watch: Watch
    timings: Timings
    clock: ClockEstimate
    _calls: int = 0

    def start(self) -> threading.Thread:
        """Begin; the thread ends with the attempt's process."""
        return go_on("heartbeats", self._run, self.watch.ended)

    def _run(self) -> None:
        while not self.watch.ended.wait(self._pause()):
            try:
                answer = again(self._call, what="heartbeat", stop=self.watch.ended)
            except GaveUp:
                return
            except Refused as error:
                # Results are delivered nevertheless; the server decides what they count for.
                LOG.warning("heartbeat refused", reason=str(error))
                continue
            obey(self.order, self.watch, answer.cancel)

    def _pause(self) -> float:
        self._calls += 1
        if is_gang(self.order) and self._calls <= BURST:
            return BURST_SECONDS
        return self.timings.heartbeat_seconds * secrets.SystemRandom().uniform(*JITTER)

    def _call(self) -> HeartbeatAnswer:
        path = f"/agent/v1/attempts/{self.order.attempt_id}/heartbeat"
        beat = self._beat()
        sent_us = steady_us()
        answer = self.client.ask("POST", path, beat, HeartbeatAnswer)
        self.clock.heard(sent_us, answer.received_at_us, answer.answered_at_us)
        return answer

    def _beat(self) -> Heartbeat:
        spool = self.delivery.spool
        spool.refresh()
        return Heartbeat(
            fence=self.order.fence,
            phase=cast("RunPhase", spool.phase or "deploy"),
            progress=progress(self.order, spool.phases, self.clock.clock.now_us()),
            next_sequence=spool.count,
            spool_bytes=spool.bytes_from(self.delivery.next_sequence),
            sent_at_us=self.clock.clock.now_us(),
            clock=self.clock.offset(),
        )


def obey(order: AttemptOrder, watch: Watch, cancel: Cancel) -> None:
    """Do what the server says of stopping. A gang's member is told so when another one failed, too;
    the failure is that one's alone.
    """
    if cancel == "none":
        return
    why, hint = "the run was cancelled", "start it again"
    if is_gang(order):
        why = "the run was cancelled, or another member of its gang ended"
        hint = "the member that failed tells why"
    watch.ask_to_stop("cancelled", why, hint, kill=cancel == "kill")


def progress(order: AttemptOrder, entered_us: dict[str, int], now_us: float) -> float:
    """Share of the planned time that is over, 0 to 1; phases without a planned time count none.

    :param entered_us: phase, as `numbered`, → when it was entered, unix time µs.
    """
    if "collect" in entered_us:
        return NEARLY
    phases = [phase for link in links_of(order) for phase in link.phases]
    names = numbered([phase.kind for phase in phases])
    planned = [
        (name, phase.duration_seconds)
        for name, phase in zip(names, phases, strict=True)
        if phase.duration_seconds
    ]
    total = sum(seconds for _, seconds in planned)
    over = 0.0
    for kind, seconds in planned:
        if kind in entered_us:
            over += min(seconds, max(0.0, (now_us - entered_us[kind]) / US))
    return min(NEARLY, over / total) if total else 0.0
