"""The vocabulary's values in short words, as sheets print them. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from weighhouse_protocol.fairness.vocabulary import (
    Acknowledgement,
    Aspect,
    Durability,
    Memory,
    Reads,
    Value,
)

UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


@dataclass(frozen=True)
class Shown:
    """How an aspect is shown."""

    label: str
    explanation: str
    """Why a difference of it can be one of the figures."""


SHOWN: Mapping[Aspect, Shown] = {
    "durability": Shown(
        "Durability",
        "Writing to disk before answering costs time, and loses less in a crash.",
    ),
    "acknowledgement": Shown("Acknowledged by", "Each copy that is waited for costs a round trip."),
    "reads": Shown("Reads ask", "More copies cost round trips; one alone may be behind."),
    "memory": Shown(
        "Memory for data and caches", "More memory for data and caches means fewer misses."
    ),
    "processors": Shown("Processors", "More processors do more at once."),
    "compression": Shown("Compression", "Compressing trades processor time for space."),
    "encryption": Shown("Encryption on the wire", "Encrypting costs processor time on both sides."),
    "transport": Shown(
        "Transport", "A call within a process, a socket and a network cost differently."
    ),
    "eviction": Shown(
        "May be evicted", "A cache that may evict does less than a store that must keep."
    ),
    "update_writes": Shown(
        "An update writes", "Writing one field takes less than writing the whole record."
    ),
    "missing_update": Shown(
        "An update of a missing record",
        "Making a record is other work than saying that there is none.",
    ),
}


def in_words(aspect: Aspect, value: Value) -> str:
    """A value, in words short enough for a cell of a table."""
    if isinstance(value, Durability):
        return _durability(value)
    if isinstance(value, Acknowledgement):
        return _copies(value.copies)
    if isinstance(value, Reads):
        return _reads(value)
    if isinstance(value, Memory):
        return _memory(value)
    if isinstance(value, float | int):
        return f"{value:g}"
    return _WORDS.get((aspect, value), value)


_WORDS: Mapping[tuple[Aspect, str], str] = {
    ("processors", "all"): "all of the machine's",
    ("encryption", "tls"): "TLS",
    ("transport", "call"): "a call within the process",
    ("transport", "unix_socket"): "a Unix socket",
    ("transport", "loopback"): "the loopback interface",
    ("transport", "network"): "a network",
    ("eviction", "expiring"): "records with an expiry",
    ("eviction", "anything"): "any record",
    ("update_writes", "field"): "the field",
    ("update_writes", "record"): "the whole record",
    ("missing_update", "creates"): "makes one",
    ("missing_update", "not_found"): "is not found",
}


def _durability(value: Durability) -> str:
    if value.kept == "log":
        when = (
            "before the answer" if not value.every_seconds else f"every {value.every_seconds:g} s"
        )
        where = "on disk" if value.reaches == "disk" else "handed to the system"
        return f"log {where} {when}"
    if value.kept == "memory":
        many = {"majority": "most", "all": "all"}.get(str(value.nodes), str(value.nodes))
        return f"in the memory of {many} nodes"
    return "nothing is kept" if value.kept == "nothing" else "on disk from time to time, no log"


def _copies(copies: int | str) -> str:
    named: Mapping[int | str, str] = {1: "1 copy", "majority": "most copies", "all": "all copies"}
    return named.get(copies, f"{copies} copies")


def _reads(value: Reads) -> str:
    known = f" ({value.copies})" if value.copies else ""
    said: Mapping[str, Callable[[], str]] = {
        "only": lambda: "the only copy",
        "primary": lambda: "the primary copy",
        "any": lambda: "any one copy",
        "several": lambda: f"{value.copies} of the copies" if value.copies else "several copies",
        "quorum": lambda: f"a quorum of the copies{known}",
        "all": lambda: f"all copies{known}",
    }
    return said[value.asks]()


def _memory(value: Memory) -> str:
    size = "no limit" if value.bytes == "unlimited" else _size(value.bytes)
    return f"{size} and the page cache" if value.page_cache else size


def _size(count: int) -> str:
    for factor, unit in UNITS:
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} bytes"
