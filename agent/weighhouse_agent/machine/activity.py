"""What the machine as a whole did between two looks: processor, steal, throttling, swap."""

import resource
from dataclasses import dataclass
from pathlib import Path

from weighhouse_sdk.machine.cgroups import groups_above

_IDLE, _WAIT, _STEAL = 3, 4, 7
COUNTED = 8
"""Columns of /proc/stat that add up to all time; guest time is in user time already."""
PAGE_BYTES = resource.getpagesize()
_PER_US = {"throttled_usec": 1, "throttled_time": 1000}
"""How long a group was held back, by version 2 and version 1 of control groups → how many of its
units make a µs."""


@dataclass(frozen=True)
class MachineLook:
    """Counters since boot."""

    total: int
    idle: int
    steal: int
    throttled_us: int | None
    """Time that the control group's limit held processes back."""
    hot: int | None
    """How often a core was slowed because it was hot."""
    swapped_pages: int | None
    """Pages that went to swap or came from it."""


@dataclass(frozen=True)
class MachineUse:
    """Between two looks; shares of the whole machine's time, percent."""

    cpu_percent: float | None
    steal_percent: float | None
    metrics: dict[str, float]


class MachineWatch:
    """Looks at the machine again and again, at a fixed small cost."""

    def __init__(self) -> None:
        groups = [place / "cpu.stat" for place in groups_above("self", "cpu")]
        self._groups = [place for place in groups if place.exists()][:1]
        places = Path("/sys/devices/system/cpu").glob(
            "cpu[0-9]*/thermal_throttle/core_throttle_count"
        )
        self._hot = sorted(places)
        self._last = self._look()

    def _look(self) -> MachineLook:
        columns = [int(each) for each in _first_line("/proc/stat").split()[1 : COUNTED + 1]]
        throttled = [
            int(count) // _PER_US[name]
            for place in self._groups
            for name, count in map(str.split, place.read_text(encoding="ascii").splitlines())
            if name in _PER_US
        ]
        return MachineLook(
            total=sum(columns),
            idle=columns[_IDLE] + columns[_WAIT],
            steal=columns[_STEAL],
            throttled_us=sum(throttled) if throttled else None,
            hot=sum(int(_first_line(str(place))) for place in self._hot) if self._hot else None,
            swapped_pages=_swapped_pages(),
        )

    def since_last(self) -> MachineUse:
        """What happened since the last look, or since this object was made."""
        before, now = self._last, self._look()
        self._last = now
        elapsed = now.total - before.total
        metrics = {}
        if now.throttled_us is not None and before.throttled_us is not None:
            metrics["machine_throttled_us"] = float(now.throttled_us - before.throttled_us)
        if now.hot is not None and before.hot is not None:
            metrics["machine_thermal_throttles"] = float(now.hot - before.hot)
        if now.swapped_pages is not None and before.swapped_pages is not None:
            pages = now.swapped_pages - before.swapped_pages
            metrics["machine_swapped_bytes"] = float(pages * PAGE_BYTES)
        if elapsed <= 0:
            return MachineUse(None, None, metrics)
        idle, steal = now.idle - before.idle, now.steal - before.steal
        busy = max(0, elapsed - idle - steal)
        return MachineUse(100.0 * busy / elapsed, 100.0 * steal / elapsed, metrics)


def _swapped_pages() -> int | None:
    """`pswpin` and `pswpout` of /proc/vmstat; None where the kernel has no swap to count."""
    counts = [
        int(line.split()[1])
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
        if line.startswith(("pswpin ", "pswpout "))
    ]
    return sum(counts) if counts else None


def _first_line(path: str) -> str:
    with Path(path).open(encoding="ascii") as file:
        return file.readline()
