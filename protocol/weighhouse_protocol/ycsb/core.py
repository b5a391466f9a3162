"""What YCSB's property files mean: the same properties mean the same workload here.

Meaning and defaults are those of YCSB's CoreWorkload and Client
(core/src/main/java/site/ycsb), and of benchANT's additions; docs/ycsb.md has the table. Where YCSB
has a defect the meaning is kept and the defect is not, and a note says so.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from weighhouse_protocol.load import ClosedLoad, Load, OpenLoad
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import ZIPFIAN_THETA, Workload
from weighhouse_protocol.yaml_document import field_errors
from weighhouse_protocol.ycsb import series
from weighhouse_protocol.ycsb.java import Entry, read_entries
from weighhouse_protocol.ycsb.notes import Note, Problem, YcsbError
from weighhouse_protocol.ycsb.properties import FLAGS, SCALED, SHARES
from weighhouse_protocol.ycsb.reader import Beside, Reader
from weighhouse_protocol.ycsb.targets import expiry_of, target_of, tell_strange

CORE = {
    "site.ycsb.workloads.CoreWorkload", "com.yahoo.ycsb.workloads.CoreWorkload", "core",
}  # fmt: skip
DISTRIBUTIONS = {
    "uniform", "zipfian", "latest", "hotspot", "exponential", "sequential", "uniform-growing",
}  # fmt: skip
DEFAULT_SECONDS = 3600.0
"""A measured phase that a number of operations limits may take so long."""
MOST_THREADS = 10_000
GIVEN = "-p"
"""Where overrides stand."""


@dataclass(frozen=True)
class Translated:
    """What some property files mean."""

    workload: Workload
    load: Load
    threads: int
    measure_operations: int | None
    measure_seconds: float
    targets: tuple[Target, ...]
    """One for each system that was asked for."""
    notes: tuple[Note, ...]


def translate(
    texts: Sequence[tuple[str, str]],
    overrides: Mapping[str, str] | None = None,
    beside: Beside = lambda _: None,
    *,
    systems: Sequence[Manifest] = (),
    credentials: str | None = None,
    leave_out: Sequence[str] = (),
) -> Translated:
    """Say what property files mean together; a later file wins, and overrides win over all.

    :param texts: (file name, content as `java.text_of` reads it) of each.
    :param overrides: as by YCSB's `-p`; `-threads` is threadcount, `-target` is target.
    :param beside: gives further files by name: what `fieldlengthhistogram` or
        `rocksdb.optionsfile` names.
    :param systems: manifests of what is weighed, to which bindings' options are applied; none:
        those are not taken, and notes say so.
    :param credentials: name of what agents have in place of a user and a password.
    :param leave_out: names of properties that do not count, or patterns such as `redis.*`.
    :raises YcsbError: naming each property that cannot be carried out, with all notes.
    """
    reader = _read(texts, overrides or {}, beside)
    reader.leave_out(tuple(leave_out))
    kind = reader.get("workload", "site.ycsb.workloads.CoreWorkload")
    reader.without_meaning(series.KNOWN if kind in series.TIME_SERIES else set())
    if kind not in CORE | series.TIME_SERIES:
        message = f"{kind[:100]} is not carried out; CoreWorkload and TimeSeriesWorkload are"
        reader.refuse("workload", message)
    drivers = [manifest.driver.id for manifest in systems]
    tell_strange(reader, drivers)
    targets = [
        target_of(reader, manifest, name=manifest.id, credentials=credentials)
        for manifest in systems
    ]
    document = {**_records(reader, texts), **expiry_of(reader, drivers), **_choices(reader)}
    if kind in series.TIME_SERIES:
        document = series.as_points(document, reader)
    threads = _threads(reader)
    load = _load(reader, threads)
    operations = reader.number("operationcount", 0)
    seconds = reader.number("maxexecutiontime", 0)
    ends = {"operationcount", "maxexecutiontime"} & {one.property for one in reader.problems}
    if operations <= 0 and seconds <= 0 and not ends:
        reader.refuse("operationcount", "must be given, or maxexecutiontime: a run has to end")
    workload = _workload(document, reader)
    notes = tuple(dict.fromkeys(reader.notes))
    if reader.problems or workload is None:
        raise YcsbError(tuple(dict.fromkeys(reader.problems)), notes)
    return Translated(
        workload=workload,
        load=load,
        threads=threads,
        measure_operations=operations if operations > 0 else None,
        measure_seconds=float(seconds) if seconds > 0 else DEFAULT_SECONDS,
        targets=tuple(target for target in targets if target is not None),
        notes=notes,
    )


def _read(texts: Sequence[tuple[str, str]], overrides: Mapping[str, str], beside: Beside) -> Reader:
    """:raises YcsbError: with what is wrong with the writing of all files."""
    entries: dict[str, Entry] = {}
    notes: list[Note] = []
    problems: list[Problem] = []
    for file, text in texts:
        try:
            found, told = read_entries(text, file)
        except YcsbError as error:
            problems += error.problems
            notes += error.notes
            continue
        entries |= found
        notes += told
    if problems:
        raise YcsbError(problems, notes)
    entries |= {name: Entry(value, GIVEN) for name, value in overrides.items()}
    return Reader(entries, beside, notes)


def _records(reader: Reader, texts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What of a workload's document is about records, and how they are written and read."""
    given = reader.entries
    document: dict[str, Any] = {
        "name": _name([name for name, _ in texts]),
        "operations": reader.operations(),
        "record_count": reader.number("recordcount", 0),
        **{ours: reader.number(name, 0) for name, ours in SCALED.items() if name in given},
        **{ours: reader.share(name, 0.0) for name, ours in SHARES.items() if name in given},
        **{ours: reader.flag(name) for name, ours in FLAGS.items() if name in given},
        **reader.lengths(),
    }
    if "core_workload_insertion_retry_limit" not in given:
        document["insert_retry_limit"] = 0
    refused = {one.property for one in reader.problems}
    if document["record_count"] <= 0 and "recordcount" not in refused:
        message = "must be given; YCSB takes 0 for 2147483647 records, which nobody means"
        reader.refuse("recordcount", message)
    hashed = reader.get("insertorder", "hashed") == "hashed"
    document["insert_order"] = "hashed" if hashed else "ordered"
    if "fieldnameprefix" in given:
        document["field_name_prefix"] = reader.get("fieldnameprefix")
    if "keyprefix" in given:
        document["key_prefix"] = reader.get("keyprefix")
        message = "is key_prefix, as in go-ycsb; YCSB itself ignores it: its keys begin with user"
        reader.note("keyprefix", message, "caution")
    if reader.flag("dataintegrity"):
        document["verify_fraction"] = 1.0
        if document["field_length_distribution"] != "constant":
            message = "YCSB refuses it where lengths are drawn: fieldlengthdistribution=constant"
            reader.refuse("dataintegrity", message)
        # YCSB then names all fields.
        document["read_fields_by_name"] = document.get("read_all_fields", True)
        reader.note("dataintegrity", "every read is verified; the bytes of a value are not YCSB's")
    return document


def _choices(reader: Reader) -> dict[str, Any]:
    """What of a workload's document is about which keys, and how many at once."""
    chosen = reader.word("requestdistribution", "uniform", DISTRIBUTIONS)
    found: dict[str, Any] = {"request_distribution": chosen.replace("-", "_")}
    if "zipfianconstant" in reader.entries:
        found |= _exponent(reader, chosen)
    known = {"uniform", "zipfian", "constant"}
    lengths = reader.word("scanlengthdistribution", "uniform", known)
    if lengths == "constant":
        message = "makes every scan ask for maxscanlength records; YCSB itself refuses this word"
        reader.note("scanlengthdistribution", message, "caution")
        found["min_scan_length"] = reader.number("maxscanlength", 1000)
        lengths = "uniform"
    return found | {"scan_length_distribution": lengths}


def _exponent(reader: Reader, chosen: str) -> dict[str, Any]:
    name = "zipfianconstant"
    exponent = reader.share(name, ZIPFIAN_THETA)
    if exponent == ZIPFIAN_THETA:
        reader.note(name, "says what is so here anyway")
        return {}
    if chosen != "zipfian":
        message = f"has no effect: requestdistribution is {chosen}"
        if chosen == "latest":
            reader.refuse(name, "`latest` is YCSB's, of the constant 0.99: leave it out")
        else:
            reader.note(name, message)
        return {}
    if not 0 < exponent < 1:
        message = (
            "YCSB's way of drawing has constants above 0 and below 1; a true Zipf of any exponent "
            "is requestdistribution `zipf` with `zipf_theta` in the experiment"
        )
        reader.refuse(name, message)
        return {}
    message = "is what YCSB's generator draws with that constant; YCSB itself ignores the property"
    reader.note(name, message, "caution")
    return {"zipfian_constant": exponent}


def _threads(reader: Reader) -> int:
    threads = reader.number("threadcount", 1)
    if not 1 <= threads <= MOST_THREADS:
        reader.refuse("threadcount", f"{threads} is not within 1 and {MOST_THREADS}")
        return 1
    return threads


def _load(reader: Reader, threads: int) -> Load:
    rate = reader.share("target", 0.0)
    if rate <= 0:
        return ClosedLoad(clients=threads)
    message = (
        "operations are due at their times, in an open loop: where YCSB's threads fall behind they "
        "leave out what was due, and here nothing is left out"
    )
    reader.note("target", message)
    try:
        return OpenLoad(model="open", rate_per_second=rate, connections=threads)
    except ValidationError as error:
        reader.refuse("target", field_errors(error, OpenLoad)[0].message)
        return ClosedLoad(clients=threads)


def _workload(document: Mapping[str, Any], reader: Reader) -> Workload | None:
    try:
        return Workload.model_validate(document)
    except ValidationError as error:
        theirs = {ours: name for name, ours in {**SCALED, **SHARES, **FLAGS}.items()}
        theirs |= {
            "record_count": "recordcount",
            "field_name_prefix": "fieldnameprefix",
            "key_prefix": "keyprefix",
        }
        known = {one.property for one in reader.problems}
        for one in field_errors(error, Workload):
            name = theirs.get(one.path, one.path or "insertcount")
            if name not in known:
                reader.refuse(name, one.message)
        return None


def _name(files: Sequence[str]) -> str:
    stem = PurePosixPath(files[-1]).name.removesuffix(".properties") if files else "ycsb"
    name = re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-._")
    return name[:63].rstrip("-._") or "ycsb"
