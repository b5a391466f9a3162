"""Ends the measured phase when what was to be filled is full, and before a disk is.

The amount is looked at with every sample, and of records after every interval too. What was seen
is recorded with the samples (`fill_amount`, `fill_target`, `fill_disk_free`, `fill_disk_size`), so
that whoever reads the run decides again by the same rule, `scenarios.fill_ended` of the protocol.
"""

import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from weighhouse_protocol.driver import Interval
from weighhouse_protocol.scenarios import FillUntil, fill_ended
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Sample

MEBIBYTE = 2**20
UNTOLD_LOOKS = 5
"""Looks in a row that do not tell the amount, after which the run is given up."""


class FillUntold(PluginError):
    """Nobody tells how full it is."""

    kind = "invalid"


class FullBefore(PluginError):
    """It was full before anything was measured."""

    kind = "invalid"


@dataclass
class Filling:
    """How full it is, and whether the measured phase is to end for it.

    Samples come from one thread, intervals from another.

    :param system: its name, for words.
    :param on_end: called once, when the drivers are to stop.
    :param mark: puts what ended it on the timeline: a kind and words.
    """

    until: FillUntil
    system: str
    context: Context
    on_end: Callable[[], None]
    mark: Callable[[str, str], None]
    ended: str | None = None
    """Why the phase was ended: `filled`, `disk_nearly_full`; None: it was not."""
    failure: PluginError | None = None
    """Why the run has no sense."""
    _records: int = 0
    _seen: tuple[float | None, float] = (None, 0.0)
    """The latest sample's amount, and what is wanted."""
    _disk: tuple[float, float] = (1.0, 1.0)
    """Free bytes and size, as the latest sample has them."""
    _begun: bool = False
    _untold: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """The measured phase begins: from now on being full ends it."""
        with self._lock:
            self._begun = True
            amount, target = self._seen
            if self._kind == "records":
                amount, target = float(self._records), self.until.said[1]
        if fill_ended(amount, target, None, None) is not None:
            self._fail(self._too_early())

    def inserted(self, interval: Interval) -> None:
        """Count what an interval wrote: everything while it is loaded, inserts from then on."""
        loads = interval.phase == "load"
        done = sum(
            each.ok.count
            for name, each in interval.operations.items()
            if each.ok is not None and (loads or name == "insert")
        )
        with self._lock:
            self._records += done
            amount = float(self._records)
        if self._kind == "records":
            self._decide(amount, self.until.said[1], None, None)

    def looked(self, seen: Sample) -> Mapping[str, float]:
        """Take a sample of the system; returns what is recorded with it."""
        disk = shutil.disk_usage(self.context.data_directory)
        amount, target = self._seen = self._amount(seen, disk.total - disk.free, disk.total)
        told = {
            "fill_target": target,
            "fill_disk_free": float(disk.free),
            "fill_disk_size": float(disk.total),
        }
        if amount is not None:
            told["fill_amount"] = amount
        self._disk = (float(disk.free), float(disk.total))
        return told

    def recorded(self) -> None:
        """What was seen is on record: decide, so that the record is never later than the end."""
        if not self._begun or self.ended is not None or self.failure is not None:
            return
        amount, target = self._seen
        self._untold = 0 if amount is not None else self._untold + 1
        if self._untold >= UNTOLD_LOOKS:
            self._fail(
                FillUntold(
                    f"{self.system} does not show how much of {self.until.words} is there",
                    "fill by records, or by what its samples show",
                )
            )
            return
        self._decide(amount, target, *self._disk)

    @property
    def _kind(self) -> str:
        return self.until.said[0]

    def _amount(self, seen: Sample, used: int, size: int) -> tuple[float | None, float]:
        """How much is there, and how much is wanted."""
        kind, value = self.until.said
        match kind:
            case "records":
                return float(self._records), value
            case "memory_bytes":
                return _number(seen.resident_bytes), value
            case "memory_share":
                target = self.context.target
                limit = (target.limits.memory_mebibytes or 0) * MEBIBYTE * target.topology.nodes
                return _number(seen.resident_bytes), value * limit
            case "disk_bytes":
                return _number(seen.disk_bytes), value
            case "disk_share":
                return float(used), value * size

    def _decide(
        self, amount: float | None, target: float, free: float | None, size: float | None
    ) -> None:
        ended = fill_ended(amount, target, free, size)
        with self._lock:
            if ended is None or not self._begun or self.ended is not None:
                return
            self.ended = ended
        words = (
            f"full: {self.until.words}"
            if ended == "filled"
            else "less than 5 % of the disk is free"
        )
        self.mark(ended, words)
        self.on_end()

    def _too_early(self) -> FullBefore:
        return FullBefore(
            f"{self.system} held {self.until.words} before anything was measured",
            "load or warm up less, or fill up to more",
        )

    def _fail(self, failure: PluginError) -> None:
        self.failure = failure
        self.on_end()


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)
