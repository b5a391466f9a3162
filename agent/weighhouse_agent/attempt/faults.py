"""Does to the system what the order asks to be done on purpose, while it is measured.

Each verb has three marks at most: `fault` when it begins, then `fault_done` with what became of
it, or `fault_failed` with why it could not be done. Nothing is left out without a mark:

| what goes wrong | mark | the run |
| --- | --- | --- |
| the node does not come back, or does not answer | `fault_failed` | goes on: a result |
| the phase ends while the verb is under way | `fault_failed` | goes on: a result |
| the machine or the plugin cannot do it | `fault_failed` | is ended, and fails with those words |
| the phase ends before the verb was begun | `fault_failed` | fails: not the course ordered |
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from weighhouse_protocol.faults import Fault
from weighhouse_protocol.report import TimelineMark
from weighhouse_sdk.context import Cancel, Context
from weighhouse_sdk.errors import (
    Cancelled,
    DeadlinePassed,
    NotReady,
    PluginError,
    SystemFailed,
)
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.machine.network.network_faults import described

from weighhouse_agent.delivery.spool import SpoolWriter

JOIN_SECONDS = 30.0
"""How long a verb may take to end after the phase has."""
BEHAVIOUR = (NotReady, SystemFailed)
"""How a system shows that it did not bear what was done to it."""


class FaultsUndone(PluginError):
    """The run had not the course that was ordered."""

    kind = "invalid"


class FaultsOverdue(PluginError):
    """The system took so long over one verb that there was no time for the next."""

    kind = "database"


class FaultStuck(PluginError):
    """A verb did not end when the phase did."""


def asked(fault: Fault) -> str:
    """A verb in words, for the timeline: `kill node 2`, `network node 1: delay 20 ms`."""
    words = f"{fault.verb} node {fault.node}"
    return words if fault.network is None else f"{words}: {described(fault.network)}"


@dataclass
class Faulting:
    """A thread that does one verb after the other, each at its time of the measured phase.

    :param faults: in order of time.
    :param on_failure: called when a verb failed so that the run has lost its sense.
    """

    plugin: Plugin
    context: Context
    deployed: Deployed
    spool: SpoolWriter
    faults: Sequence[Fault]
    on_failure: Callable[[], None]
    failure: PluginError | None = None
    """Why the run fails, though system and driver did what they could."""
    _over: Cancel = field(default_factory=Cancel)
    _thread: threading.Thread | None = None

    def begin(self, in_seconds: float = 0.0) -> None:
        """The measured phase has begun, or will so soon: time counts from there. Once; later calls
        do nothing.
        """
        if self.faults and self._thread is None:
            begun_at = self.context.clock.monotonic() + in_seconds
            self._thread = threading.Thread(
                target=self._do_all, args=(begun_at,), name="faults", daemon=True
            )
            self._thread.start()

    def finish(self) -> None:
        """The phase is over: a verb under way is given up, none is begun. Idempotent; returns when
        nothing more is done to the system.
        """
        self._over.cancel("the measured phase ended before it was done")
        if self._thread is not None:
            self._thread.join(JOIN_SECONDS)
            if self._thread.is_alive():
                self.failure = self.failure or FaultStuck(
                    f"a verb did not end within {JOIN_SECONDS:g} s of the measured phase",
                    "the timeline tells which; look at the disk or the network it waits for",
                )

    def _do_all(self, begun_at: float) -> None:
        for index, fault in enumerate(self.faults):
            due_at = begun_at + fault.at_seconds
            while (left := due_at - self.context.clock.monotonic()) > 0:
                if self._over.wait(left):
                    break
            if self._over.cancelled:
                seconds = self.context.clock.monotonic() - begun_at
                self._left_undone(self.faults[index:], seconds)
                return
            if not self._do(fault):
                self.on_failure()
                return

    def _do(self, fault: Fault) -> bool:
        """Carry one verb out; false when the run has to end for it."""
        self._mark("fault", asked(fault))
        try:
            done = self.plugin.fault(replace(self.context, cancel=self._over), self.deployed, fault)
        except (*BEHAVIOUR, Cancelled, DeadlinePassed) as error:
            self._mark("fault_failed", f"{asked(fault)}: {error.message}")
            return True
        except PluginError as error:
            self.failure = error
        except Exception as error:  # noqa: BLE001 - a plugin's mistake is told like all else
            self.failure = PluginError(
                f"{asked(fault)}: a mistake in the plugin: {error!r}", "please report it"
            )
        else:
            way = f" ({done.way})" if done.way else ""
            self._mark("fault_done", f"{done.label}{way}")
            return True
        self._mark("fault_failed", f"{asked(fault)}: {self.failure.message}")
        return False

    def _left_undone(self, faults: Sequence[Fault], seconds: float) -> None:
        for fault in faults:
            self._mark("fault_failed", f"{asked(fault)}: the measured phase had ended")
        first = faults[0]
        if first.at_seconds > seconds:
            self.failure = FaultsUndone(
                f"the measured phase ended after {seconds:.1f} s; "
                f"{asked(first)} was to be done after {first.at_seconds:g} s",
                "give the phase seconds, and no number of operations",
            )
        else:
            self.failure = FaultsOverdue(
                f"{asked(first)} was due after {first.at_seconds:g} s, "
                f"but the verb before it took until the phase ended",
                "leave the system more time between the verbs",
            )

    def _mark(self, mark: str, label: str) -> None:
        self.spool.append(lambda n, at: TimelineMark(sequence=n, at_us=at, mark=mark, label=label))
