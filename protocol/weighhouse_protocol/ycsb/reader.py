"""Properties that are read one by one, and what is told of them."""

import difflib
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from weighhouse_protocol.ycsb import java
from weighhouse_protocol.ycsb.bindings import drivers_of, other_binding
from weighhouse_protocol.ycsb.java import Entry
from weighhouse_protocol.ycsb.notes import Note, Problem, Severity
from weighhouse_protocol.ycsb.properties import (
    CORE_KNOWN,
    DEFAULT_SHARES,
    OPERATIONS,
    PREFIXES_WITHOUT_EFFECT,
    REFUSED,
    WITHOUT_EFFECT,
)

SHARE_TOLERANCE = 1e-9
MOST_LENGTHS = 10_000
SHOWN = 60
"""Characters of a value in a message."""
Beside = Callable[[str], str | None]
"""The text of a file that a property names; None: it is not there."""


def _told(text: str) -> str:
    return repr(text[:SHOWN])


@dataclass
class Reader:
    """Properties, and what is found out about them while they are read."""

    entries: dict[str, Entry]
    beside: Beside = lambda _: None
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def properties(self) -> Mapping[str, str]:
        """Name → value."""
        return {name: entry.value for name, entry in self.entries.items()}

    def get(self, name: str, default: str = "") -> str:
        """A value, as `getProperty` gives it."""
        entry = self.entries.get(name)
        return default if entry is None else entry.value

    def note(self, name: str, message: str, severity: Severity = "note") -> None:
        """Keep something that somebody should know of a property."""
        entry = self.entries.get(name, Entry(""))
        self.notes.append(Note(name, severity, message, entry.file, entry.line))

    def refuse(self, name: str, message: str) -> None:
        """Keep why a property cannot be carried out."""
        entry = self.entries.get(name, Entry(""))
        self.problems.append(Problem(name, message, entry.file, entry.line))

    def leave_out(self, patterns: tuple[str, ...]) -> None:
        """Take out what somebody asked to leave out, and say so."""
        for name in list(self.entries):
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                self.note(name, "is left out, as was asked")
                del self.entries[name]

    def number(self, name: str, default: int) -> int:
        """A whole number, by Java's rules; the default, and a problem, where it is none."""
        if name not in self.entries:
            return default
        try:
            return java.whole_number(self.entries[name].value)
        except ValueError:
            text = self.entries[name].value
            blanks = " (Java keeps blanks at the end of a line)" if text != text.strip() else ""
            self.refuse(name, f"{_told(text)} is no whole number{blanks}")
            return default

    def share(self, name: str, default: float) -> float:
        """A number, by Java's rules; the default, and a problem, where it is none."""
        if name not in self.entries:
            return default
        try:
            return java.decimal_number(self.entries[name].value)
        except ValueError:
            self.refuse(name, f"{_told(self.entries[name].value)} is no number")
            return default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """By Boolean.parseBoolean: anything but "true" is false."""
        return java.flag(self.entries[name].value) if name in self.entries else default

    def word(self, name: str, default: str, known: AbstractSet[str]) -> str:
        """One of some words; the default, and a problem, where it is none."""
        text = self.get(name, default)
        if text not in known:
            self.refuse(name, f"{_told(text)} is not one of {', '.join(sorted(known))}")
            return default
        return text

    def without_meaning(self, more: AbstractSet[str]) -> None:
        """Notes on properties that change nothing, and on those that nobody knows.

        :param more: known beside the core workload's.
        """
        known = CORE_KNOWN | more
        for name, entry in self.entries.items():
            prefix = next((each for each in PREFIXES_WITHOUT_EFFECT if name.startswith(each)), None)
            if name in WITHOUT_EFFECT:
                self.note(name, f"has no effect: {WITHOUT_EFFECT[name]}")
            elif prefix is not None:
                self.note(name, f"has no effect: {PREFIXES_WITHOUT_EFFECT[prefix]}")
            elif name in REFUSED:
                message, harmless = REFUSED[name]
                if entry.value.strip().lower() in harmless:
                    self.note(name, "says what is so here anyway")
                else:
                    self.refuse(name, message)
            elif name not in known and not drivers_of(name) and other_binding(name) is None:
                close = difflib.get_close_matches(name[:SHOWN], known, 1)
                hint = f"; did you mean {close[0]}?" if close else ""
                self.note(name, f"is ignored, as by YCSB, which does not know it{hint}", "caution")

    def operations(self) -> dict[str, float]:
        """The share of each operation that occurs; they add up to 1."""
        shares = {
            ours: self.share(theirs, DEFAULT_SHARES.get(ours, 0.0))
            for ours, theirs in OPERATIONS.items()
        }
        if any(share < 0 for share in shares.values()) or not sum(shares.values()):
            self.refuse("readproportion", "the proportions must be ≥ 0, and one above 0")
            return dict(DEFAULT_SHARES)
        given = {ours for ours, theirs in OPERATIONS.items() if theirs in self.entries}
        for ours in sorted(set(DEFAULT_SHARES) - given):
            if given:
                message = (
                    f"is not given and stays at YCSB's default {DEFAULT_SHARES[ours]:g}, as with "
                    "YCSB; set it to 0 to leave it out"
                )
                self.note(OPERATIONS[ours], message, "caution")
        total = sum(shares.values())
        if abs(total - 1.0) > SHARE_TOLERANCE:
            self.note("readproportion", f"the proportions add up to {total:g} and are normalised")
        return {name: share / total for name, share in shares.items() if share > 0}

    def lengths(self) -> dict[str, Any]:
        """What of a workload's document is about the lengths of values."""
        known = {"constant", "uniform", "zipfian", "histogram"}
        kind = self.word("fieldlengthdistribution", "constant", known)
        found: dict[str, Any] = {"field_length_distribution": kind}
        if kind == "histogram":
            name = self.get("fieldlengthhistogram", "hist.txt")
            text = self.beside(name)
            if text is None:
                self.refuse("fieldlengthhistogram", f"the file {_told(name)} is not there")
            else:
                found["field_length_histogram"] = self._histogram(text)
        elif "fieldlengthhistogram" in self.entries:
            message = f"has no effect: fieldlengthdistribution is {kind}, as with YCSB"
            self.note("fieldlengthhistogram", message)
        return found

    def _histogram(self, text: str) -> list[tuple[int, float]]:
        """`BlockSize<tab>N`, then lines `bucket<tab>count`: lengths from bucket × N on."""
        lines = [line.split() for line in text.splitlines()[: MOST_LENGTHS + 1] if line.strip()]
        try:
            size = int(lines[0][1])
            pairs = [(int(bucket), float(count)) for bucket, count in lines[1:]]
        except (ValueError, IndexError):
            message = "not `BlockSize<tab>N` and then lines `bucket<tab>count`"
            self.refuse("fieldlengthhistogram", message)
            return [(1, 1.0)]
        if pairs and pairs[-1][1] > 0:
            message = (
                "values of the last bucket have its own length; YCSB gives them that of the one "
                "before"
            )
            self.note("fieldlengthhistogram", message, "caution")
        return [((bucket + 1) * size, count) for bucket, count in pairs if count > 0]
