"""Kinds of machines: what makes figures of two of them comparable. The one list of it.

What differs between machines of one kind (a kernel's patch level, a few KiB of memory) makes
another *place* on the same kind. A kind is told as text: a digest of what has to agree, and the
sizes that may differ by a little, so that each is held against another with no register between.

Nearly as large is no equivalence: 16.0 and 15.7 GiB are, 15.7 and 15.4 are, 16.0 and 15.4 are not.
So kinds are never chained. What is kept under a kind (a series' segment, a campaign) keeps the text
of the first machine, and later ones are held against that.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from weighhouse_protocol.facts import MachineFacts

SIZE_TOLERANCE = 0.02
"""How far sizes of one kind are apart at most, of the larger. The same memory is told differently
by each kernel and firmware, by less than a percent; the next size that is sold is farther away.
"""
DIGEST_LENGTH = 16
BETWEEN = "\x1f"
_KERNEL = re.compile(r"^(\d+\.\d+)")
_FLAVOUR = re.compile(r"(?:^|[^a-z])(realtime|rt|lowlatency|debug)(?:[^a-z]|\Z)")


@dataclass(frozen=True)
class Material:
    """Something that makes another kind of machine."""

    fact: str
    """Field of `MachineFacts`."""
    words: str
    """What people call it."""
    agrees: str
    """When two machines agree in it, in words."""
    reading: Callable[[MachineFacts], str]
    """What has to agree, as text; empty: not told, which agrees only with what is not told."""
    size: Callable[[MachineFacts], int | None] | None = None
    """Of what may differ by `SIZE_TOLERANCE`: its bytes."""


def kernel_release(kernel: str) -> str:
    """A kernel's major release with the flavour that schedules otherwise, e.g. `6.1` of
    `6.1.0-18-amd64`, `6.1 rt` of `6.1.0-18-rt-amd64`; of what has none, all of it.
    """
    told = kernel.lower()
    found = _KERNEL.match(told)
    flavour = _FLAVOUR.search(told)
    release = told if found is None else found[1]
    return release if flavour is None or found is None else f"{release} {flavour[1]}"


def _exact(fact: str) -> Callable[[MachineFacts], str]:
    def reading(facts: MachineFacts) -> str:
        value = getattr(facts, fact)
        if value is None:
            return ""
        return str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())

    return reading


def _processors(facts: MachineFacts) -> str:
    limit = facts.cgroup_cpu_limit
    return "" if limit is None else str(int(limit * 1000 + 0.5))


def _told(fact: str) -> Callable[[MachineFacts], str]:
    return lambda facts: "" if getattr(facts, fact) is None else "told"


def _size(fact: str) -> Callable[[MachineFacts], int | None]:
    def size(facts: MachineFacts) -> int | None:
        value = getattr(facts, fact)
        return None if value is None else int(value)

    return size


SAME = "the same"
MATERIAL: tuple[Material, ...] = (
    Material("architecture", "architecture", SAME, _exact("architecture")),
    Material("cpu_model", "processor", "the same model", _exact("cpu_model")),
    Material("cores", "cores", "the same number", _exact("cores")),
    Material(
        "simultaneous_multithreading",
        "simultaneous multithreading",
        "both on or both off",
        _exact("simultaneous_multithreading"),
    ),
    Material("memory_bytes", "memory", "within 2 %", _told("memory_bytes"), _size("memory_bytes")),
    Material(
        "kernel",
        "kernel",
        "the same major release (6.1), and flavour (real time, low latency, debug)",
        lambda facts: kernel_release(facts.kernel),
    ),
    Material("cpu_governor", "frequency governor", SAME, _exact("cpu_governor")),
    Material("virtualisation", "virtualisation", SAME, _exact("virtualisation")),
    Material("cgroup_cpu_limit", "limit of processors", "the same", _processors),
    Material(
        "cgroup_memory_limit_bytes",
        "limit of memory",
        "none on both, or within 2 %",
        _told("cgroup_memory_limit_bytes"),
        _size("cgroup_memory_limit_bytes"),
    ),
)
"""What makes another kind; everything else that is known of a machine does not. The order is that
of the digests that are stored."""


def kind_of(facts: MachineFacts) -> str:
    """A machine's kind as text: `digest:bytes of memory:bytes of its limit, or -`."""
    readings = BETWEEN.join(one.reading(facts) for one in MATERIAL)
    digest = hashlib.sha256(readings.encode()).hexdigest()[:DIGEST_LENGTH]
    sizes = [one.size(facts) for one in MATERIAL if one.size is not None]
    return ":".join([digest, *("-" if size is None else str(size) for size in sizes)])


def kind_of_gang(kinds: Iterable[str]) -> str:
    """The kind of machines that work together, in any order; empty: none told."""
    return "+".join(sorted(kinds))


def kind_of_gangs(gangs: Iterable[str]) -> str:
    """The kinds of several gangs, each once; empty: none told."""
    kept: list[str] = []
    for gang in sorted({one for one in gangs if one}):
        if not any(alike(gang, other) for other in kept):
            kept.append(gang)
    return ",".join(kept)


def alike(kind: str, other: str) -> bool:
    """Are two kinds one? Of gangs: has each machine one of its kind in the other?

    Reflexive and symmetric, not transitive: hold against the first, not against the last.
    Text that no machine's facts made is alike to itself alone.
    """
    if kind == other:
        return True
    ours, theirs = kind.split(","), other.split(",")
    return all(any(_gangs_alike(one, two) for two in theirs) for one in ours) and all(
        any(_gangs_alike(one, two) for two in ours) for one in theirs
    )


def first_alike(kind: str, known: Iterable[str]) -> str | None:
    """The first of known kinds that a kind is; None: it is another one."""
    return next((one for one in known if alike(kind, one)), None)


def differing(facts: MachineFacts, other: MachineFacts) -> list[Material]:
    """In what two machines are not of one kind; none: they are."""
    return [
        one
        for one in MATERIAL
        if one.reading(facts) != one.reading(other)
        or (one.size is not None and not sizes_agree(one.size(facts), one.size(other)))
    ]


def _gangs_alike(gang: str, other: str) -> bool:
    ours, theirs = ([_parsed(one) for one in text.split("+")] for text in (gang, other))
    # In order, the sizes of machines that agree in all else are paired as well as they can be.
    return len(ours) == len(theirs) and all(
        one[0] == two[0]
        and len(one[1]) == len(two[1])
        and all(sizes_agree(a, b) for a, b in zip(one[1], two[1], strict=True))
        for one, two in zip(sorted(ours), sorted(theirs), strict=True)
    )


def _parsed(kind: str) -> tuple[str, Sequence[int]]:
    digest, *sizes = kind.split(":")
    if any(not (size.isdecimal() or size == "-") for size in sizes):
        return kind, ()
    return digest, [int(size) if size != "-" else 0 for size in sizes]


def sizes_agree(size: int | None, other: int | None) -> bool:
    """Are two sizes near enough to be one kind's? What is not told agrees with what is not told."""
    if size is None or other is None:
        return size == other
    return abs(size - other) <= SIZE_TOLERANCE * max(size, other)
