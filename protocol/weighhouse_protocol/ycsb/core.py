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

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import ClosedLoad, Load, OpenLoad
from weighhouse_protocol.phases import Phases
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_protocol.yaml_document import DocumentError, field_errors
from weighhouse_protocol.ycsb import series
from weighhouse_protocol.ycsb.properties import (
    FLAGS,
    SCALED,
    SHARES,
    Note,
    Reader,
    YcsbError,
    read_properties,
)

CORE = {"site.ycsb.workloads.CoreWorkload", "com.yahoo.ycsb.workloads.CoreWorkload"}
DISTRIBUTIONS = {
    "uniform", "zipfian", "latest", "hotspot", "exponential", "sequential", "uniform-growing",
}  # fmt: skip
DEFAULT_SECONDS = 3600.0
"""A measured phase that a number of operations limits may take so long."""


@dataclass(frozen=True)
class Translated:
    """What some property files mean."""

    workload: Workload
    load: Load
    threads: int
    measure_operations: int | None
    measure_seconds: float
    notes: tuple[Note, ...]


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
    reader = Reader(properties, extra_files or {})
    kind = properties.get("workload", "site.ycsb.workloads.CoreWorkload")
    reader.unknown(series.KNOWN if kind in series.TIME_SERIES else set())
    if kind not in CORE | series.TIME_SERIES:
        message = f"{kind} is not carried out; CoreWorkload and TimeSeriesWorkload are"
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
    if kind in series.TIME_SERIES:
        document = series.as_points(document, reader)
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


def _load(reader: Reader, threads: int) -> Load:
    rate = reader.share("target", 0.0)
    if rate <= 0:
        return ClosedLoad(clients=min(threads, 10_000))
    message = (
        "operations are due at their times, in an open loop: where YCSB's threads fall behind they "
        "leave out what was due, and here nothing is left out"
    )
    reader.note("target", message)
    return OpenLoad(model="open", rate_per_second=rate, connections=min(threads, 10_000))


def _workload(document: Mapping[str, Any], reader: Reader) -> Workload | None:
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
