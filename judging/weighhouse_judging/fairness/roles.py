"""What a row of the fairness sheet is to a comparison, and whom it likely favours. Pure.

A row that differs is *what is compared*, *may explain* a difference of the figures, or *cannot be
avoided*: it comes with the systems themselves, and no setting ends it. Its likely direction is said
only where the way it works is beyond dispute (doing less work, having more of the machine), where
every side's value is known, and where it does not favour all alike.
"""

from collections.abc import Callable, Mapping, Sequence

from weighhouse_protocol.fairness.vocabulary import Acknowledgement, Durability, Memory, Reads

UNLIMITED = float("inf")
_COPIES: Mapping[object, float] = {1: 1.0, "majority": 2.5, "all": UNLIMITED}
_ASKS: Mapping[str, float] = {
    "only": 0, "primary": 0, "any": 0, "several": 1, "quorum": 1, "all": 2,
}  # fmt: skip
_UNLOGGED: Mapping[str, float] = {"nothing": 0, "sometimes": -1}
_LOGGED_BY_THE_SYSTEM, _LOGGED_NOW_AND_THEN, _LOGGED_BEFORE_THE_ANSWER = -2.0, -3.0, -4.0
_RANKED: Mapping[str, Mapping[object, float]] = {
    "transport": {"call": 3, "unix_socket": 2, "loopback": 1, "network": 0},
    "encryption": {"none": 1, "tls": 0},
    "eviction": {"anything": 2, "expiring": 1, "nothing": 0},
    "update_writes": {"field": 1, "record": 0},
    "deployment": {"in_process": 2, "process": 1, "docker": 0},
    "co_located": {"no": 1, "yes": 0},
    "tuning": {"vendor_tuned": 1, "neutral_default": 0, "community": 0},
}
"""Value → how much it favours its side, of aspects whose values are words."""

OF_THE_SYSTEMS = frozenset({"driver", "driver_options", "update_writes", "missing_update"})
"""Aspects that come with the systems: each is asked by its own driver, in its own way."""
OF_A_LIBRARY = frozenset({"deployment", "transport", "co_located"})
"""Aspects in which a library inside the driver differs from every server."""


def favoured(aspect: str, values: Sequence[object]) -> tuple[int, ...]:
    """Places of the sides that a difference likely makes look better; empty: not said.

    :param values: of the sides; of the vocabulary's aspects its own types, of others words. None:
        not known.
    """
    advantage = _advantage(aspect)
    if advantage is None or any(value is None for value in values):
        return ()
    scores = [advantage(value) for value in values]
    known = [score for score in scores if score is not None]
    if len(known) < len(values) or min(known) == max(known):
        return ()
    return tuple(place for place, score in enumerate(known) if score == max(known))


def avoidable(aspect: str, *, one_system: bool, in_process: Sequence[bool]) -> bool:
    """Could the sides have been made equal in an aspect in which they differ?

    :param one_system: are all sides the same system?
    :param in_process: of each side: is it a library inside the driver?
    """
    if aspect in OF_A_LIBRARY and any(in_process) and not all(in_process):
        return False
    return one_system or aspect not in OF_THE_SYSTEMS


def _advantage(aspect: str) -> Callable[[object], float | None] | None:
    if aspect in _RANKED:
        return _RANKED[aspect].get
    return _MEASURED.get(aspect)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _fewer(value: object) -> float | None:
    number = _number(value)
    return None if number is None else -number


def _durability(value: object) -> float | None:
    """What is promised less costs less; copies in memory and logs on disk do not compare."""
    if not isinstance(value, Durability):
        return None
    if value.kept != "log":
        return _UNLOGGED.get(value.kept)
    if value.reaches == "system":
        return _LOGGED_BY_THE_SYSTEM
    return _LOGGED_NOW_AND_THEN if value.every_seconds else _LOGGED_BEFORE_THE_ANSWER


def _acknowledgement(value: object) -> float | None:
    if not isinstance(value, Acknowledgement):
        return None
    copies = value.copies
    return -(_COPIES[copies] if copies in _COPIES else float(copies))


def _reads(value: object) -> float | None:
    return -_ASKS[value.asks] if isinstance(value, Reads) else None


def _memory(value: object) -> float | None:
    """A page cache serves as much as the machine has left: not known how much."""
    if not isinstance(value, Memory) or value.page_cache:
        return None
    return UNLIMITED if value.bytes == "unlimited" else float(value.bytes)


def _processors(value: object) -> float | None:
    return UNLIMITED if value == "all" else _number(value)


_MEASURED: Mapping[str, Callable[[object], float | None]] = {
    "nodes": _number,
    "replication": _fewer,
    "durability": _durability,
    "acknowledgement": _acknowledgement,
    "reads": _reads,
    "memory": _memory,
    "processors": _processors,
}
