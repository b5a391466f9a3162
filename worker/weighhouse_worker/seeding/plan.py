"""What is invented: experiments, how their sides behave, and what happens to them over time."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from weighhouse_worker.seeding.figures import RECORDS, US, Side

Fate = Literal["completed", "failed", "cancelled"]
LABEL = {"invented": "yes"}
"""Carried by the only machines that these experiments may run on."""
MACHINE = "invented"
NOTE = "Invented figures, for those who develop Weighhouse: nothing was measured."
LEVELS = (1, 4, 16, 64, 128, 256)
MEBIBYTE = 1 << 20
SECONDS_OF_LONG = 600

SIDES: Mapping[str, Side] = {
    "redis": Side(165_000, 42, memory_bytes=310 * MEBIBYTE),
    "redis, every write on disk": Side(38_000, 160, tail=1.6, memory_bytes=312 * MEBIBYTE),
    "aerospike": Side(240_000, 61, memory_bytes=420 * MEBIBYTE),
    "dragonfly": Side(390_000, 58, tail=1.2, memory_bytes=250 * MEBIBYTE),
    "garnet": Side(410_000, 55, tail=1.3, memory_bytes=340 * MEBIBYTE),
    "memcached": Side(280_000, 44, memory_bytes=230 * MEBIBYTE),
    "mongodb": Side(31_000, 310, tail=1.9, memory_bytes=900 * MEBIBYTE),
    "cassandra": Side(24_000, 620, tail=2.4, memory_bytes=1600 * MEBIBYTE, noise=0.02),
}
TARGETS: Mapping[str, dict[str, Any]] = {
    "redis": {"system": "redis"},
    "redis, every write on disk": {
        "system": "redis", "parameters": {"appendonly": True, "appendfsync": "always"},
    },
    "aerospike": {"system": "aerospike"},
    "dragonfly": {"system": "dragonfly"},
    "garnet": {"system": "garnet"},
    "memcached": {"system": "memcached"},
    "mongodb": {"system": "mongodb"},
    "cassandra": {"system": "cassandra"},
}  # fmt: skip
WORKLOADS = {
    "balanced": {"read": 0.5, "update": 0.5},
    "read-heavy": {"read": 0.95, "update": 0.05},
    "four-operations": {"read": 0.5, "update": 0.3, "insert": 0.1, "read_modify_write": 0.1},
}


@dataclass(frozen=True)
class Sown:
    """One invented experiment and its campaigns."""

    slug: str
    name: str
    sides: tuple[str, ...]
    levels: tuple[int, ...]
    workloads: tuple[str, ...] = ("balanced",)
    repetitions: int = 5
    campaigns: int = 1
    seconds: int = 6
    interval_seconds: float | None = None
    """Of an interval; None: a half, and one in long runs, as a long experiment would ask for."""
    days_between: float = 1.0
    shifts: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """Side → campaign from which on → what its throughput is multiplied by."""
    drifts: Mapping[str, float] = field(default_factory=dict)
    """Side → share that it loses from one campaign to the next."""
    fates: Mapping[tuple[str, int], Fate] = field(default_factory=dict)
    """(side, clients) → what becomes of the runs of that cell; the others complete."""
    cancelled: frozenset[int] = frozenset()
    """Campaigns that somebody ends half-way."""
    missed: frozenset[int] = frozenset()
    """Dates at which none was started."""
    versions: Mapping[int, str] = field(default_factory=dict)
    """Campaign from which on → version of every side."""
    stall_every: int = 0
    """Intervals from one stall to the next, in every run; 0: none."""
    machines: Mapping[int, str] = field(default_factory=dict)
    """Campaign from which on → the machine that measures, all of one kind; none: `MACHINE`."""
    chance: Mapping[tuple[int, bool], float] = field(default_factory=dict)
    """(campaign, of what was measured again?) → what throughput is multiplied by, by chance."""

    def shift(self, side: str, campaign: int, *, again: bool = False) -> float:
        """What a side's throughput is multiplied by in a campaign, or as it is measured again."""
        steps = self.shifts.get(side, {})
        stepped = math.prod(by for begin, by in steps.items() if campaign >= begin)
        lost = (1 - self.drifts.get(side, 0.0)) ** campaign
        return stepped * lost * self.chance.get((campaign, again), 1.0)

    @property
    def interval_us(self) -> int:
        """How long an interval is, µs."""
        usual = 1.0 if self.seconds > SECONDS_OF_LONG else 0.5
        return round((self.interval_seconds or usual) * US)

    def version(self, campaign: int) -> str:
        """The version of every side in a campaign."""
        return _since(self.versions, campaign, "1.0.0")

    def machine(self, campaign: int) -> str:
        """The machine that measures a campaign."""
        return _since(self.machines, campaign, MACHINE)

    def document(self) -> dict[str, Any]:
        """The experiment, as its file would say it."""
        return {
            "slug": self.slug,
            "name": self.name,
            "description": NOTE,
            "targets": [{"name": _slug(side), **TARGETS[side]} for side in self.sides],
            "workloads": [
                {
                    "name": name, "record_count": RECORDS, "field_count": 1, "field_length": 100,
                    "operations": WORKLOADS[name],
                }
                for name in self.workloads
            ],
            "load_levels": [{"model": "closed", "clients": clients} for clients in self.levels],
            "repetitions": self.repetitions,
            "phases": {"warmup_seconds": 2, "measure_seconds": self.seconds},
            "seed": 7,
            "placement": {"servers": {"labels": LABEL}, "drivers": {"labels": LABEL}},
        }  # fmt: skip

    def side_of(self, target: str) -> str:
        """The side behind a target's name."""
        return next(side for side in self.sides if _slug(side) == target)


def _since(told: Mapping[int, str], campaign: int, usual: str) -> str:
    begun = [begin for begin in told if begin <= campaign]
    return told[max(begun)] if begun else usual


def _slug(side: str) -> str:
    return side.replace(", ", "-").replace(" ", "-")


def full() -> tuple[Sown, ...]:
    """Everything: some minutes."""
    return (
        Sown(
            "invented-eight-sides", "Invented: eight sides, six levels", tuple(SIDES), LEVELS,
            workloads=("balanced", "read-heavy"),
        ),
        *_histories(sixty=60, two_hundred=200),
        _trouble(),
        *doubtful(),
        _long("invented-hour", "Invented: runs of an hour", 3600, repetitions=2),
        _long("invented-half-a-day", "Invented: runs of twelve hours", 43_200, repetitions=1),
    )  # fmt: skip


def long() -> tuple[Sown, ...]:
    """One run of twelve hours alone, of four operations."""
    half_a_day = _long("invented-one-run", "Invented: a run of twelve hours", 43_200, 1)
    return (replace(half_a_day, sides=("redis",), workloads=("four-operations",)),)


def small() -> tuple[Sown, ...]:
    """One of each kind: what tests look at."""
    return (
        Sown(
            "invented-eight-sides", "Invented: eight sides, six levels", tuple(SIDES), LEVELS[:2],
            repetitions=4,
        ),
        *_histories(sixty=9, two_hundred=12),
        _trouble(),
        _long("invented-hour", "Invented: runs of an hour", 3600, repetitions=1),
    )  # fmt: skip


def sides() -> tuple[Sown, ...]:
    """One comparison of the quickstart's size: what the tests of its page look at."""
    return (
        Sown(
            "invented-three-sides", "Invented: three sides at a glance",
            ("redis", "memcached", "dragonfly"), LEVELS[:3], workloads=("balanced", "read-heavy"),
            repetitions=5,
        ),
    )  # fmt: skip


def _histories(sixty: int, two_hundred: int) -> tuple[Sown, Sown]:
    return (
        Sown(
            "invented-sixty", "Invented: sixty nights, one of them slower", ("redis", "memcached"),
            (4, 64), campaigns=sixty,
            shifts={"redis": {sixty * 2 // 3: 0.92}},
            versions={0: "7.0.15", sixty * 2 // 3: "7.2.1"},
            missed=frozenset({sixty // 3}), cancelled=frozenset({sixty // 2}),
        ),
        Sown(
            "invented-two-hundred", "Invented: two hundred nights that drift",
            ("memcached",), (16,), campaigns=two_hundred,
            drifts={"memcached": 0.0008},
            shifts={"memcached": {two_hundred // 2: 1.05}},
        ),
    )  # fmt: skip


def doubtful() -> tuple[Sown, ...]:
    """What figures alone do not tell: a slow night, a machine replaced, noise that grew, stalls."""
    restless = {(night, False): 1 + 0.05 * math.sin(11 * night) for night in range(30, 60)}
    return (
        Sown(
            "invented-slow-night", "Invented: a slow night, and a slow build", ("redis",), (4, 64),
            campaigns=12, chance={(10, False): 0.85}, shifts={"redis": {11: 0.8}},
        ),
        Sown(
            "invented-first-nights", "Invented: the first nights", ("redis",), (4,), campaigns=3,
        ),
        Sown(
            "invented-replaced", "Invented: a machine replaced", ("redis",), (4,), campaigns=16,
            shifts={"redis": {10: 0.9}}, machines={0: "old", 10: "new"},
        ),
        Sown(
            "invented-restless", "Invented: noise that grew", ("redis",), (4,), campaigns=60,
            repetitions=1, seconds=2, chance=restless,
        ),
        Sown(
            "invented-stalls", "Invented: stalls", ("redis", "memcached"), (16,), repetitions=4,
            seconds=120, stall_every=20,
        ),
    )  # fmt: skip


def _trouble() -> Sown:
    return Sown(
        "invented-trouble", "Invented: what fails and has no partner",
        ("redis", "redis, every write on disk", "mongodb"), (1, 16), campaigns=2,
        fates={("mongodb", 16): "failed", ("redis, every write on disk", 1): "failed"},
        cancelled=frozenset({1}),
    )  # fmt: skip


def _long(slug: str, name: str, seconds: int, repetitions: int) -> Sown:
    return Sown(slug, name, ("redis", "memcached"), (16,), repetitions=repetitions, seconds=seconds)


SCALES = {"full": full, "small": small, "sides": sides, "long": long, "doubtful": doubtful}
