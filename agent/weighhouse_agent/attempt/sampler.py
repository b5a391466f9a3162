"""Samples system, driver and machine at fixed times, and notices when the system is gone."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from weighhouse_protocol.report import ResourceSample, TimelineMark
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.event_marks import Marking
from weighhouse_sdk.lifecycle import Deployed, Plugin, Sample
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.machine.procfs import open_files
from weighhouse_sdk.machine.resource_usage import cpu_percent, process_usage, tree_usage
from weighhouse_sdk.rebalance import Redistributing

from weighhouse_agent.delivery.spool import SpoolWriter
from weighhouse_agent.machine.activity import MachineWatch
from weighhouse_agent.machine.traffic import Traffic

MOST_METRIC = 1e24
"""As of `weighhouse_protocol.base.Measure`."""

JOIN_SECONDS = 10.0
US = 1_000_000
STEP_US = 10_000
"""A step of the time of day is told from here on, µs: two readings of it may differ by less."""


@dataclass
class _Earlier:
    """The processor times of the look before."""

    at: float
    system_cpu: float | None = None
    driver_cpu: float | None = None


class Looker(Protocol):
    """Looks at the system with the sampler."""

    def looked(self, seen: Sample) -> Mapping[str, float]:
        """Take a look at the system; returns what is recorded with it."""

    def recorded(self) -> None:
        """The look is on record."""


@dataclass
class Sampler:
    """A thread that looks every so many seconds; a look that comes late is not caught up on.

    :param on_death: called once, with the process of the system that ended by itself.
    :param looker: looks along.
    """

    plugin: Plugin
    context: Context
    deployed: Deployed | None
    """None: the system is on other machines alone."""
    spool: SpoolWriter
    every_seconds: float
    on_death: Callable[[Body], None]
    driver_pid: int | None = None
    looker: Looker | None = None
    last: Sample | None = None
    """The plugin's last sample."""
    _failing: bool = False
    _stepped_us: int = 0
    _traffic: Traffic = field(default_factory=Traffic)
    _marking: Marking = field(init=False)
    _redistributing: Redistributing = field(default_factory=Redistributing)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __post_init__(self) -> None:
        self._marking = Marking(self.plugin.gauges_marked, self.plugin.counters_marked)

    def start(self) -> None:
        """Begin to look."""
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more. Idempotent; returns when a look under way is over."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(JOIN_SECONDS)

    def _run(self) -> None:
        clock = self.context.clock
        self._stepped_us = clock.stepped_us()
        machine = MachineWatch()
        earlier = _Earlier(clock.monotonic())
        self._look(machine, earlier, first=True)
        next_at = earlier.at + self.every_seconds
        while not self._stop.wait(max(0.0, next_at - clock.monotonic())):
            now = clock.monotonic()
            next_at += self.every_seconds * (1 + max(0, int((now - next_at) / self.every_seconds)))
            gone = self.deployed.ended_by_itself() if self.deployed is not None else None
            if gone is not None:
                self.on_death(gone)
                return
            self._look(machine, earlier)

    def _look(self, machine: MachineWatch, earlier: _Earlier, *, first: bool = False) -> None:
        """Look once; the first time only to have what later looks are held against."""
        self._look_at_clock()
        try:
            seen = self._system()
        except Exception as error:  # noqa: BLE001 - a plugin's fault must not end the looking
            text = error.message if isinstance(error, PluginError) else repr(error)
            if not self._failing:
                self._mark("sample_failed", text)
            self._failing = True
            return
        self._failing = False
        self.last = seen if self.deployed is not None else None
        told = {} if self.looker is None else self.looker.looked(seen)
        for mark, label in self._marking.events(seen.metrics):
            self._mark(mark, label)
        if first:
            self._redistributing.first(seen.transfers)
        for told_of in self._redistributing.marks(seen.transfers, settled=seen.settled):
            self._mark(told_of.mark, told_of.label, told_of.at_us)
        now = self.context.clock.monotonic()
        elapsed = now - earlier.at
        # A load tool is a process below its driver's.
        usage = process_usage if self.context.target.tool is None else tree_usage
        driver = usage(self.driver_pid) if self.driver_pid is not None else None
        driver_cpu = driver.cpu_seconds if driver else None
        use = machine.since_last()
        traffic = self._traffic.look(self._pids())
        if not first:
            sample = ResourceSample(
                sequence=0,
                at_us=0,
                cpu_percent=_rate(earlier.system_cpu, seen.cpu_seconds, elapsed),
                resident_bytes=seen.resident_bytes,
                disk_bytes=seen.disk_bytes,
                driver_cpu_percent=_rate(earlier.driver_cpu, driver_cpu, elapsed),
                driver_resident_bytes=driver.resident_bytes if driver else None,
                machine_cpu_percent=use.cpu_percent,
                steal_percent=use.steal_percent,
                metrics=_numbers(
                    {**seen.metrics, **use.metrics, **self._open_files(), **traffic, **told}
                ),
            )
            self.spool.append(lambda n, at: sample.model_copy(update={"sequence": n, "at_us": at}))
            if self.looker is not None:
                self.looker.recorded()
        earlier.at, earlier.system_cpu, earlier.driver_cpu = now, seen.cpu_seconds, driver_cpu

    def _look_at_clock(self) -> None:
        stepped_us = self.context.clock.stepped_us()
        by_us = stepped_us - self._stepped_us
        if abs(by_us) >= STEP_US:
            self._stepped_us = stepped_us
            self._mark(
                "clock_stepped", f"clock stepped by {by_us / US:+.2f} s".replace("-", "\u2212")
            )

    def _system(self) -> Sample:
        if self.deployed is None:
            return Sample(self.context.clock.now_us())
        return self.plugin.sample(self.context, self.deployed, self.driver_pid)

    def _pids(self) -> list[int]:
        """The system's processes on this machine; of one that lives in the driver, the driver."""
        if self.context.target.deployment == "in_process":
            return [] if self.driver_pid is None else [self.driver_pid]
        nodes = () if self.deployed is None else self.deployed.nodes
        return [node.body.pid for node in nodes if not node.down]

    def _open_files(self) -> dict[str, float]:
        """Files that the system's processes hold open, connections among them; nothing where the
        system lives in the driver or elsewhere, or its processes do not let themselves be seen.
        """
        nodes = () if self.deployed is None else self.deployed.nodes
        counts = [open_files(node.body.pid) for node in nodes if not node.down]
        known = [count for count in counts if count is not None]
        if not known or len(known) < len(counts):
            return {}
        return {"system_open_files": float(sum(known))}

    def _mark(self, mark: str, label: str, at_us: int | None = None) -> None:
        """:param at_us: when it was; None: now."""
        self.spool.append(
            lambda n, now: TimelineMark(
                sequence=n, at_us=now if at_us is None else at_us, mark=mark, label=label
            )
        )


def _numbers(metrics: Mapping[str, float]) -> dict[str, float]:
    """What can be added and drawn; a system may tell of what is none."""
    return {name: value for name, value in metrics.items() if abs(value) <= MOST_METRIC}


def _rate(earlier: float | None, later: float | None, elapsed: float) -> float | None:
    if earlier is None or later is None:
        return None
    return cpu_percent(earlier, later, elapsed)
