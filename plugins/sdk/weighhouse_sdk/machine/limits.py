"""What a control group is kept within, whichever version of the kernel's interface tells it.

Sources: Linux, Documentation/admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst and
scheduler/sched-bwc.rst. Version 2 writes `max` for no limit, version 1 -1 for processors and for
memory the greatest number of whole pages, which depends on the size of a page.
"""

import enum
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeVar

MEBIBYTE = 1_048_576
NO_LIMIT_FROM = 1 << 60
"""Whatever version 1 writes for no limit is above this, and no machine has so much."""


class Unlimited(enum.Enum):
    """That there is no limit, which is no figure."""

    UNLIMITED = "unlimited"


UNLIMITED: Final = Unlimited.UNLIMITED
Number = TypeVar("Number", int, float)


def kept(text: str) -> int | Unlimited | None:
    """One word of the kernel's: a figure, or that there is no limit; None: it tells nothing."""
    if text == "max":
        return UNLIMITED
    try:
        number = int(text)
    except ValueError:
        return None
    return number if 0 <= number < NO_LIMIT_FROM else UNLIMITED


def memory_limit(place: Path) -> int | Unlimited | None:
    """Of a group, in bytes; None: it has no memory controller, or may not be read."""
    return kept(_text(place / "memory.max") or _text(place / "memory.limit_in_bytes"))


def cpu_limit(place: Path) -> float | Unlimited | None:
    """Of a group, in processors; None as above."""
    quota, _, period = _text(place / "cpu.max").partition(" ")
    quota = quota or _text(place / "cpu.cfs_quota_us")
    time_us, of_us = kept(quota), kept(period or _text(place / "cpu.cfs_period_us"))
    if time_us is None or isinstance(time_us, Unlimited):
        return time_us
    return time_us / of_us if isinstance(of_us, int) and of_us else None


def processors_kept(place: Path) -> frozenset[int]:
    """Numbers of the processors that a group may run on, those above it considered; none: it has no
    such controller, or may not be read.
    """
    for name in ("cpuset.cpus.effective", "cpuset.effective_cpus"):
        if text := _text(place / name):
            return frozenset(_numbers(text))
    return frozenset()


def _numbers(text: str) -> Iterable[int]:
    """Those of the kernel's lists, as `0-3,8`."""
    for each in text.split(","):
        first, _, last = each.partition("-")
        yield from range(int(first), int(last or first) + 1)


def tightest(
    places: Iterable[Path], limit: Callable[[Path], Number | Unlimited | None]
) -> Number | Unlimited | None:
    """The least of some groups, one above the other: each keeps all that is below it."""
    told = [each for each in map(limit, places) if each is not None]
    figures = [each for each in told if not isinstance(each, Unlimited)]
    if figures:
        return min(figures)
    return UNLIMITED if told else None


def memory_text(limit: int | Unlimited) -> str:
    """A limit of memory as it stands in an effective configuration."""
    return limit.value if isinstance(limit, Unlimited) else f"{limit / MEBIBYTE:g} MiB"


def cpu_text(limit: float | Unlimited) -> str:
    """A limit of processors, the same."""
    return limit.value if isinstance(limit, Unlimited) else f"{limit:g}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
