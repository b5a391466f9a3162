"""The agent's side of barriers: carries arrivals to the platform, and releases back."""

import threading
from dataclasses import dataclass

import structlog
from weighhouse_protocol.order import Arrival, AttemptOrder, BarrierState, Timings, barriers
from weighhouse_protocol.report import AttemptState

from weighhouse_agent.attempt.barriers import LOOK_SECONDS, Arrived, BarrierFiles, Released
from weighhouse_agent.delivery.platform_client import (
    READ_SECONDS,
    GaveUp,
    PlatformClient,
    Refused,
    again,
)
from weighhouse_agent.machine.clock import ClockEstimate, steady_us
from weighhouse_agent.machine.home import AttemptDirectory
from weighhouse_agent.supervisor.heartbeats import obey
from weighhouse_agent.supervisor.process_watch import Watch
from weighhouse_agent.supervisor.threads import go_on

LOG = structlog.get_logger("weighhouse_agent")
AGAIN_SECONDS = 0.2
"""Before a platform is asked again that answered at once, though nothing was released."""

ASK_SECONDS = 1.0
"""Between two questions whether the gang has ended."""


@dataclass
class BarrierCalls:
    """A thread that does so for one attempt.

    :param client: with the attempt's token.
    """

    directory: AttemptDirectory
    order: AttemptOrder
    client: PlatformClient
    watch: Watch
    timings: Timings
    clock: ClockEstimate

    def start(self) -> threading.Thread:
        """Begin; the thread ends with the attempt's process, or after the last barrier."""
        return go_on("barriers", self._run, self.watch.ended)

    def _run(self) -> None:
        files = BarrierFiles(self.directory)
        names = barriers(len(self.order.phases))
        while not self.watch.ended.wait(LOOK_SECONDS) and files.released(names[-1]) is None:
            found = files.outstanding(names)
            try:
                if files.doubted:
                    self._ask()
                elif found is not None:
                    self._carry(files, *found)
            except GaveUp:
                return
            except Refused as error:
                where = found[0] if found is not None else "the state of the attempt"
                LOG.warning("barrier refused", barrier=where, reason=str(error))
                self.watch.ask_to_stop(
                    "infrastructure",
                    f"the platform does not let this member of the gang go on at {where}: "
                    f"{error.detail}",
                    "the run's other machines tell more",
                )
                return

    def _carry(self, files: BarrierFiles, name: str, arrived: Arrived) -> None:
        """Post one arrival until it is released.

        :raises Refused: when the platform does not take it.
        :raises GaveUp: when the attempt's process has ended meanwhile.
        """
        while True:
            state = again(
                lambda: self._post(name, arrived), what=f"barrier {name}", stop=self.watch.ended
            )
            obey(self.order, self.watch, state.cancel)
            if state.released:
                files.release(name, Released(state=state, clock=self.clock.offset()))
                return
            if self.watch.ended.wait(AGAIN_SECONDS):
                raise GaveUp(name)

    def _ask(self) -> None:
        """Ask whether the gang has ended, at once and then each second.

        :raises Refused: when the platform does not know the attempt.
        :raises GaveUp: when the attempt's process has ended meanwhile.
        """
        path = f"/agent/v1/attempts/{self.order.attempt_id}"
        state = again(
            lambda: self.client.ask("GET", path, None, AttemptState),
            what="state",
            stop=self.watch.ended,
        )
        obey(self.order, self.watch, state.cancel)
        if self.watch.ended.wait(ASK_SECONDS):
            raise GaveUp("state")

    def _post(self, name: str, arrived: Arrived) -> BarrierState:
        wait = min(60.0, self.timings.long_poll_seconds)
        sent_us = steady_us()
        state = self.client.ask(
            "POST",
            f"/agent/v1/attempts/{self.order.attempt_id}/barriers/{name}",
            Arrival(
                fence=self.order.fence,
                payload=arrived.payload,
                sent_at_us=self.clock.clock.now_us(),
                wait_seconds=wait,
            ),
            BarrierState,
            read_seconds=wait + READ_SECONDS,
        )
        self.clock.heard(sent_us, state.received_at_us, state.answered_at_us)
        return state
