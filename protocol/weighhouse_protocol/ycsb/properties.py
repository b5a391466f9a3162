"""YCSB's property files as text: their syntax, and values that are read one by one."""

import difflib
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Literal

OPERATIONS = {
    "read": "readproportion",
    "update": "updateproportion",
    "insert": "insertproportion",
    "scan": "scanproportion",
    "read_modify_write": "readmodifywriteproportion",
    "delete": "deleteproportion",
}
DEFAULT_SHARES = {"read": 0.95, "update": 0.05}
SCALED = {
    "fieldcount": "field_count",
    "fieldlength": "field_length",
    "minfieldlength": "min_field_length",
    "insertstart": "insert_start",
    "insertcount": "insert_count",
    "zeropadding": "zero_padding",
    "minscanlength": "min_scan_length",
    "maxscanlength": "max_scan_length",
    "core_workload_insertion_retry_limit": "insert_retry_limit",
}
"""Whole numbers that are taken over as they are → their name here."""
SHARES = {
    "hotspotdatafraction": "hotspot_data_fraction",
    "hotspotopnfraction": "hotspot_operation_fraction",
    "exponential.percentile": "exponential_percentile",
    "exponential.frac": "exponential_fraction",
}
FLAGS = {
    "readallfields": "read_all_fields",
    "readallfieldsbyname": "read_fields_by_name",
    "writeallfields": "write_all_fields",
}
WITHOUT_EFFECT = {
    "db": "the system is a target of the experiment",
    "dotransactions": "every run loads, then measures",
    "table": "each driver has an option or a place of its own",
    "status": "progress is always shown",
    "status.interval": "phases.interval_seconds is the length of an interval",
    "label": "runs have names of their own",
    "exporter": "results are stored; weighhouse-events writes YCSB's text",
    "exportfile": "results are stored; weighhouse-events writes YCSB's text",
    "spin.sleep": "pacing always spends the last stretch without sleeping",
    "reportlatencyforeacherror": "errors are always told apart by kind",
    "latencytrackederrors": "errors are always told apart by kind",
    "core_workload_insertion_retry_interval": "a failed insert is tried again at once",
    "core_workload_insertion_keep_going_on_error": "a record that cannot be inserted is left out",
}
"""Properties that change nothing here → why."""
KNOWN = {
    *OPERATIONS.values(), *SCALED, *SHARES, *FLAGS, *WITHOUT_EFFECT, "workload", "recordcount",
    "operationcount", "threadcount", "target", "maxexecutiontime", "requestdistribution",
    "fieldnameprefix", "fieldlengthdistribution", "fieldlengthhistogram", "dataintegrity",
    "scanlengthdistribution", "insertorder",
}  # fmt: skip
PREFIXES = ("htrace.", "redis.", "cassandra.", "memcached.", "mongodb.", "rocksdb.", "as.")
MEASURING = ("measurement", "hdrhistogram.", "histogram.", "timeseries.")
SHARE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Note:
    """What somebody should know of one property."""

    property: str
    value: str
    severity: Literal["note", "caution"]
    message: str


class YcsbError(ValueError):
    """Properties that cannot be carried out.

    :param problems: (property, what is wrong and what would be right).
    """

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{name}: {message}" for name, message in problems))


def read_properties(text: str) -> dict[str, str]:
    """Read Java's property syntax: comments, `=`, `:` or blanks between, lines that go on.

    Source: java.util.Properties, method load.
    """
    found = {}
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", text)
    for line in (whole.strip(" \t\f") for whole in joined.splitlines()):
        if not line or line[0] in "#!":
            continue
        match = re.match(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)\Z", line)
        if match:
            found[_unescaped(match.group(1))] = _unescaped(match.group(2)).strip()
    return found


def _unescaped(text: str) -> str:
    letters = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

    def one(match: re.Match[str]) -> str:
        escape = match.group(1)
        return chr(int(escape[1:], 16)) if len(escape) > 1 else letters.get(escape, escape)

    return re.sub(r"\\(u[0-9A-Fa-f]{4}|.)", one, text)


@dataclass
class Reader:
    """Reads values of properties, and gathers what is to be said of them.

    :param properties: name → text.
    :param files: further files by name.
    """

    properties: Mapping[str, str]
    files: Mapping[str, str]
    notes: list[Note] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)

    def note(self, name: str, message: str, severity: Literal["note", "caution"] = "note") -> None:
        """Keep something that somebody should know of a property."""
        self.notes.append(Note(name, self.properties.get(name, ""), severity, message))

    def number(self, name: str, default: int) -> int:
        """A whole number; the default, and a problem, where it is none."""
        text = self.properties.get(name, str(default))
        try:
            return int(text)
        except ValueError:
            self.problems.append((name, f"{text!r} is no whole number"))
            return default

    def share(self, name: str, default: float) -> float:
        """A number; the default, and a problem, where it is none."""
        text = self.properties.get(name, str(default))
        try:
            return float(text)
        except ValueError:
            self.problems.append((name, f"{text!r} is no number"))
            return default

    def flag(self, name: str) -> bool:
        """A property that is there, by Boolean.parseBoolean: anything but "true" is false."""
        return self.properties[name].strip().lower() == "true"

    def word(self, name: str, default: str, known: set[str]) -> str:
        """One of some words; the default, and a problem, where it is none."""
        text = self.properties.get(name, default)
        if text not in known:
            self.problems.append((name, f"{text!r} is not one of {', '.join(sorted(known))}"))
            return default
        return text

    def unknown(self, more: AbstractSet[str]) -> None:
        """Notes on properties without an effect; `more` are known beside the core workload's."""
        known = KNOWN | more
        for name in self.properties:
            if name in WITHOUT_EFFECT:
                self.note(name, f"has no effect: {WITHOUT_EFFECT[name]}")
            elif name.startswith(MEASURING):
                message = "has no effect: histograms of every operation are stored whole"
                self.note(name, f"{message}; weighhouse-events writes other tools' forms")
            elif name.startswith(PREFIXES):
                self.note(name, "has no effect: options of a target go by the driver's own names")
            elif name not in known:
                close = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {close[0]}?" if close else ""
                self.note(name, f"is not known to YCSB's workload and ignored{hint}", "caution")

    def operations(self) -> dict[str, float]:
        """The share of each operation that occurs; they add up to 1."""
        shares = {
            ours: self.share(theirs, DEFAULT_SHARES.get(ours, 0.0))
            for ours, theirs in OPERATIONS.items()
        }
        if any(share < 0 for share in shares.values()) or not sum(shares.values()):
            self.problems.append(("readproportion", "the proportions must be ≥ 0, and one above 0"))
            return dict(DEFAULT_SHARES)
        given = {ours for ours, theirs in OPERATIONS.items() if theirs in self.properties}
        for ours in set(DEFAULT_SHARES) - given:
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
            name = self.properties.get("fieldlengthhistogram", "hist.txt")
            text = self.files.get(name) or self.files.get(PurePosixPath(name).name)
            if text is None:
                self.problems.append(("fieldlengthhistogram", f"the file {name} is not there"))
            else:
                found["field_length_histogram"] = self._histogram(text)
        return found

    def _histogram(self, text: str) -> list[tuple[int, float]]:
        """`BlockSize<tab>N`, then lines `bucket<tab>count`: lengths from bucket × N on."""
        lines = [line.split() for line in text.splitlines() if line.strip()]
        try:
            size = int(lines[0][1])
            pairs = [(int(bucket), float(count)) for bucket, count in lines[1:]]
        except (ValueError, IndexError):
            message = "not `BlockSize<tab>N` and then lines `bucket<tab>count`"
            self.problems.append(("fieldlengthhistogram", message))
            return [(1, 1.0)]
        return [((bucket + 1) * size, count) for bucket, count in pairs if count > 0]
