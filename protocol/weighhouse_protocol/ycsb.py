"""Reads YCSB's property files: the same properties mean the same workload here.

Meaning and defaults are those of YCSB's CoreWorkload and Client
(core/src/main/java/site/ycsb), and of benchANT's additions; docs/ycsb.md has the table. Where YCSB
has a defect the meaning is kept and the defect is not, and a note says so.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import ValidationError

from weighhouse_protocol.experiment import Experiment, Phases
from weighhouse_protocol.load import ClosedLoad, Load, OpenLoad
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_protocol.yaml_document import DocumentError, field_errors

CORE = {"site.ycsb.workloads.CoreWorkload", "com.yahoo.ycsb.workloads.CoreWorkload"}
OPERATIONS = {
    "read": "readproportion",
    "update": "updateproportion",
    "insert": "insertproportion",
    "scan": "scanproportion",
    "read_modify_write": "readmodifywriteproportion",
    "delete": "deleteproportion",
}
DEFAULT_SHARES = {"read": 0.95, "update": 0.05}
DISTRIBUTIONS = {
    "uniform", "zipfian", "latest", "hotspot", "exponential", "sequential", "uniform-growing",
}  # fmt: skip
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
DEFAULT_SECONDS = 3600.0
"""A measured phase that a number of operations limits may take so long."""


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


@dataclass(frozen=True)
class Translated:
    """What some property files mean."""

    workload: Workload
    load: Load
    threads: int
    measure_operations: int | None
    measure_seconds: float
    notes: tuple[Note, ...]


def read_properties(text: str) -> dict[str, str]:
    """Read Java's property syntax: comments, `=`, `:` or blanks between, lines that go on.

    Source: java.util.Properties, method load.
    """
    found = {}
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", text)
    for line in (whole.strip(" \t\f") for whole in joined.splitlines()):
        if not line or line[0] in "#!":
            continue
        match = re.match(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)$", line)
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
class _Reader:
    properties: Mapping[str, str]
    files: Mapping[str, str]
    notes: list[Note] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)

    def note(self, name: str, message: str, severity: Literal["note", "caution"] = "note") -> None:
        self.notes.append(Note(name, self.properties.get(name, ""), severity, message))

    def number(self, name: str, default: int) -> int:
        text = self.properties.get(name, str(default))
        try:
            return int(text)
        except ValueError:
            self.problems.append((name, f"{text!r} is no whole number"))
            return default

    def share(self, name: str, default: float) -> float:
        text = self.properties.get(name, str(default))
        try:
            return float(text)
        except ValueError:
            self.problems.append((name, f"{text!r} is no number"))
            return default

    def flag(self, name: str) -> bool:
        # Boolean.parseBoolean: anything but "true" is false.
        return self.properties[name].strip().lower() == "true"

    def word(self, name: str, default: str, known: set[str]) -> str:
        text = self.properties.get(name, default)
        if text not in known:
            self.problems.append((name, f"{text!r} is not one of {', '.join(sorted(known))}"))
            return default
        return text

    def unknown(self) -> None:
        for name in self.properties:
            if name in WITHOUT_EFFECT:
                self.note(name, f"has no effect: {WITHOUT_EFFECT[name]}")
            elif name.startswith(MEASURING):
                message = "has no effect: histograms of every operation are stored whole"
                self.note(name, f"{message}; weighhouse-events writes other tools' forms")
            elif name.startswith(PREFIXES):
                self.note(name, "has no effect: options of a target go by the driver's own names")
            elif name not in KNOWN:
                close = difflib.get_close_matches(name, KNOWN, 1)
                hint = f"; did you mean {close[0]}?" if close else ""
                self.note(
                    name, f"is not known to YCSB's core workload and ignored{hint}", "caution"
                )

    def operations(self) -> dict[str, float]:
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


def translate(
    texts: Sequence[tuple[str, str]],
    overrides: Mapping[str, str] | None = None,
    extra_files: Mapping[str, str] | None = None,
) -> Translated:
    """Say what property files mean together; a later file wins, and overrides win over all.

    :param texts: (file name, content) of each.
    :param overrides: as by YCSB's `-p`; `-threads` is threadcount, `-target` is target.
    :param extra_files: further files by name: what `fieldlengthhistogram` names.
    :raises YcsbError: naming each property that cannot be carried out.
    """
    properties: dict[str, str] = {}
    for _, text in texts:
        properties |= read_properties(text)
    properties |= overrides or {}
    reader = _Reader(properties, extra_files or {})
    reader.unknown()
    kind = properties.get("workload", "site.ycsb.workloads.CoreWorkload")
    if kind not in CORE:
        message = f"{kind} is not carried out; site.ycsb.workloads.CoreWorkload is"
        reader.problems.append(("workload", message))
    document: dict[str, Any] = {
        "name": _name([name for name, _ in texts]),
        "operations": reader.operations(),
        "record_count": reader.number("recordcount", 0),
        **{ours: reader.number(name, 0) for name, ours in SCALED.items() if name in properties},
        **{ours: reader.share(name, 0.0) for name, ours in SHARES.items() if name in properties},
        **{ours: reader.flag(name) for name, ours in FLAGS.items() if name in properties},
        **reader.lengths(),
    }
    if "core_workload_insertion_retry_limit" not in properties:
        document["insert_retry_limit"] = 0
    if document["record_count"] <= 0:
        message = "must be given; YCSB takes 0 for 2147483647 records, which nobody means"
        reader.problems.append(("recordcount", message))
    chosen = reader.word("requestdistribution", "uniform", DISTRIBUTIONS)
    document["request_distribution"] = chosen.replace("-", "_")
    known = {"uniform", "zipfian"}
    document["scan_length_distribution"] = reader.word("scanlengthdistribution", "uniform", known)
    hashed = properties.get("insertorder", "hashed") == "hashed"
    document["insert_order"] = "hashed" if hashed else "ordered"
    if "fieldnameprefix" in properties:
        document["field_name_prefix"] = properties["fieldnameprefix"]
    if properties.get("dataintegrity", "false").lower() == "true":
        document["verify_fraction"] = 1.0
        reader.note("dataintegrity", "every read is verified; the bytes of a value are not YCSB's")
    threads = max(1, reader.number("threadcount", 1))
    load = _load(reader, threads)
    operations = reader.number("operationcount", 0)
    seconds = reader.number("maxexecutiontime", 0)
    if operations <= 0 and seconds <= 0:
        message = "must be given, or maxexecutiontime: a run has to end"
        reader.problems.append(("operationcount", message))
    workload = _workload(document, reader)
    if reader.problems or workload is None:
        raise YcsbError(reader.problems)
    return Translated(
        workload=workload,
        load=load,
        threads=threads,
        measure_operations=operations if operations > 0 else None,
        measure_seconds=float(seconds) if seconds > 0 else DEFAULT_SECONDS,
        notes=tuple(reader.notes),
    )


def _load(reader: _Reader, threads: int) -> Load:
    rate = reader.share("target", 0.0)
    if rate <= 0:
        return ClosedLoad(clients=min(threads, 10_000))
    message = (
        "operations are due at their times, in an open loop: where YCSB's threads fall behind they "
        "leave out what was due, and here nothing is left out"
    )
    reader.note("target", message)
    return OpenLoad(model="open", rate_per_second=rate, connections=min(threads, 10_000))


def _workload(document: Mapping[str, Any], reader: _Reader) -> Workload | None:
    try:
        return Workload.model_validate(document)
    except ValidationError as error:
        theirs = {ours: name for name, ours in {**SCALED, **SHARES, **FLAGS}.items()}
        theirs["record_count"] = "recordcount"
        known = {name for name, _ in reader.problems}
        for one in field_errors(error, Workload):
            name = theirs.get(one.path, one.path or "insertcount")
            if name not in known:
                reader.problems.append((name, one.message))
        return None


def _name(files: Sequence[str]) -> str:
    stem = PurePosixPath(files[-1]).name.removesuffix(".properties") if files else "ycsb"
    name = re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-._")
    return name[:63] or "ycsb"


def experiment_of(
    all_translated: Sequence[Translated],
    systems: Sequence[str],
    *,
    slug: str,
    repetitions: int = 5,
    deployments: Mapping[str, str] | None = None,
) -> Experiment:
    """An experiment of some workloads on some systems, each by its plugin's defaults.

    :param systems: plugins, for example `redis`.
    :param deployments: system → deployment, where it is not `process`.
    :raises YcsbError: when the files ask for unlike loads or lengths, which one experiment cannot
        have.
    """
    first = all_translated[0]
    for name, values in (
        ("threadcount", {one.threads for one in all_translated}),
        ("target", {one.load.label for one in all_translated}),
        ("operationcount", {one.measure_operations for one in all_translated}),
        ("maxexecutiontime", {one.measure_seconds for one in all_translated}),
    ):
        if len(values) > 1:
            message = "differs among the files; give one for all, or make several experiments"
            raise YcsbError([(name, message)])
    targets = [
        Target.model_validate(
            {
                "name": system,
                "system": system,
                "deployment": (deployments or {}).get(system, "process"),
            }
        )
        for system in systems
    ]
    try:
        return Experiment(
            slug=slug,
            name="YCSB: " + ", ".join(one.workload.name for one in all_translated),
            targets=tuple(targets),
            workloads=tuple(one.workload for one in all_translated),
            load_levels=(first.load,),
            repetitions=repetitions,
            phases=Phases(
                load_clients=first.threads,
                warmup_seconds=0,
                measure_seconds=first.measure_seconds,
                measure_operations=first.measure_operations,
            ),
        )
    except ValidationError as error:
        raise DocumentError(field_errors(error, Experiment)) from error
