"""Whether the records of an experiment fit into its stores. Pure.

How many there will be is known but for inserts of closed loops: these come as fast as the system
answers. They are counted at the rates below, which were seen; a run that inserts no more is ended
by `measure_operations`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from weighhouse_judging.findings.sizes import Excess, excess, footprint_of
from weighhouse_judging.findings.words import bytes_in_words
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.fairness.facts import UNITS, Facts
from weighhouse_protocol.load import ClosedLoad, Load, OpenLoad, StepProfile
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.percent import percent
from weighhouse_protocol.workload import Workload

from weighhouse_backend.experiments.estimates import loaded_records

CLIENT_PER_SECOND, STORE_PER_SECOND = 20_000.0, 80_000.0
"""Operations that a client of a closed loop does on the loopback interface with one request under
way, and that a store in memory does for all of them on two processors: Redis and Aerospike, 1 KB
records."""
US_PER_SECOND = 1e6
EVICTED = "records beyond that are evicted, as it is set up, and are not found when they are read."


@dataclass(frozen=True)
class Records:
    """How many there will be at the most."""

    loaded: int
    inserted: float = 0.0
    assumed_per_second: float | None = None
    """Operations a second that `inserted` is counted at; None: it is known."""

    @property
    def count(self) -> float:
        """Both."""
        return self.loaded + self.inserted


@dataclass(frozen=True)
class Unfit:
    """Records that do not fit into a target."""

    target: int
    workload: str
    load: str
    records: Records
    each_bytes: int
    """What a record takes there."""
    excess: Excess


def unfit(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Iterator[Unfit]:
    """Of each target and place, the cell whose records lack most room.

    Servers that are there already are not asked before a run.
    """
    matrix = experiment.matrix
    for index, target in enumerate(experiment.targets):
        manifest = manifests.get(target.system)
        if manifest is None or manifest.holding is None or target.deployment == "external":
            continue
        facts = Facts(target, manifest, manifests.get(target.tool or ""))
        worst: dict[str, Unfit] = {}
        for place, workload in enumerate(experiment.workloads):
            footprint = footprint_of(facts, workload)
            for level in matrix.levels_of(index, place):
                records = records_of(experiment, index, place, level)
                for found in excess(facts, workload, records.count):
                    before = worst.get(found.at)
                    if before is None or found.needs_bytes > before.excess.needs_bytes:
                        label = experiment.load_levels[level].label
                        each = 0 if footprint is None else footprint.bytes_of(workload)
                        worst[found.at] = Unfit(index, workload.name, label, records, each, found)
        yield from worst.values()


def size_errors(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Iterator[FieldError]:
    """What a store would refuse or die of, with how much the records take and how much it holds."""
    for one in unfit(experiment, manifests):
        if one.excess.beyond == "evicted":
            continue
        target = experiment.targets[one.target]
        name = manifests[target.system].name
        ends = (
            "the operating system then ends the node"
            if one.excess.beyond == "ended"
            else "it refuses writes beyond that"
        )
        enough = _enough(one, manifests[target.system])
        mend = "or measure_operations, " if one.records.assumed_per_second else ""
        yield FieldError(
            path=f"targets[{one.target}].{_place(one)}",
            message=f"{_needs(one, name)}, and {_holds(one, name)}: {ends}",
            expected=f"{enough} or more, {mend}or fewer or smaller records",
        )


def eviction_warnings(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[tuple[str, str]]:
    """Target, and what to know of it: records are thrown away on purpose, as it is set up."""
    for one in unfit(experiment, manifests):
        if one.excess.beyond == "evicted":
            target = experiment.targets[one.target]
            name = manifests[target.system].name
            yield (
                target.name,
                f"{_needs(one, name)}, and {_holds(one, name)}: {EVICTED}",
            )


def records_of(experiment: Experiment, target: int, workload: int, level: int) -> Records:
    """How many records a cell's system will have at the most. Of a chain only the last phase may
    insert, so that each has its own alone.
    """
    measured = experiment.workloads[workload]
    load, loaded = _most_load(experiment, target, workload, level), loaded_records(measured)
    if load is None:
        return Records(loaded)
    inserted, assumed = _inserted(experiment, measured, load)
    fill = experiment.sustained.until.records if experiment.sustained else None
    if fill is not None and loaded + inserted >= fill:
        return Records(loaded, max(0, fill - loaded))
    return Records(loaded, inserted, assumed)


def _most_load(experiment: Experiment, target: int, workload: int, level: int) -> Load | None:
    """The highest load of a cell; of a search, the highest it may try."""
    try:
        if experiment.searches:
            return experiment.varied_load(level, experiment.most_load(level))
        return experiment.load_of(target, workload, level)
    except (LookupError, ValueError):
        return None


def _inserted(experiment: Experiment, workload: Workload, load: Load) -> tuple[float, float | None]:
    """Records that a workload adds, and the rate that was assumed for it, if one was."""
    course = experiment.phases.under(workload.name)
    share = workload.operations.insert
    if isinstance(load, OpenLoad) and load.operation_rates:
        share = load.operation_rates.get("insert", 0.0) / load.rate_per_second
    if share == 0.0 or (experiment.sustained and experiment.sustained.until.records is None):
        return 0.0, None  # none, or as many as the fill asks for
    rate, assumed = _rate(load, searched=experiment.searches)
    measured = rate * course.measure_seconds
    if course.measure_operations is not None and course.measure_operations <= measured:
        measured = course.measure_operations
        assumed = assumed and course.warmup_seconds > 0
    count = (rate * course.warmup_seconds + measured) * share
    if workload.longest_ttl is not None:
        there = min(count, rate * share * workload.longest_ttl)
        count = there + (count - there) * workload.lasting_share
    return count, rate if assumed else None


def _rate(load: Load, *, searched: bool) -> tuple[float, bool]:
    """Operations a second, and whether they are assumed."""
    if isinstance(load, ClosedLoad):
        of_client = CLIENT_PER_SECOND * load.pipeline
        if load.think_time_us:
            of_client = min(of_client, load.pipeline * US_PER_SECOND / load.think_time_us)
        return min(load.clients * of_client, STORE_PER_SECOND), True
    rate = load.rate_per_second
    if isinstance(load.profile, StepProfile):
        rate *= sum(load.profile.factors) / len(load.profile.factors)
    # A search goes as high as the system bears, whatever the end that it was given.
    return (min(rate, STORE_PER_SECOND), True) if searched else (rate, False)


def _place(one: Unfit) -> str:
    at = one.excess.at
    return at if at.startswith("limits.") else f"parameters.{at}"


def _needs(one: Unfit, name: str) -> str:
    records = one.records
    counted = f"{records.loaded:,} records"
    if records.inserted:
        rate = records.assumed_per_second
        up_to = "" if rate is None else f"up to {rate:,.0f} operations a second: "
        counted += f" and {up_to}{records.inserted:,.0f} inserts"
    return (
        f"under {one.workload}, {one.load}, {counted} will take "
        f"{bytes_in_words(one.excess.needs_bytes)} on each node "
        f"({one.each_bytes:,} bytes a record in {name})"
    )


def _holds(one: Unfit, name: str) -> str:
    found = one.excess
    if found.beyond == "ended":
        return f"it may use {bytes_in_words(found.holds_bytes)}"
    part = ""
    if found.holds_bytes < found.given_bytes:
        share = found.holds_bytes / found.given_bytes
        part = f", {percent(share, 0)} of {bytes_in_words(found.given_bytes)}"
    return f"{name} holds {bytes_in_words(found.holds_bytes)}{part}"


def _enough(one: Unfit, manifest: Manifest) -> str:
    """How much would do, in the unit of the parameter."""
    found = one.excess
    enough = found.needs_bytes * found.given_bytes / found.holds_bytes
    if found.beyond == "ended":
        return f"memory_mebibytes: {math.ceil(enough / UNITS['MiB']):,}"
    unit = str(declared(manifest.parameters)[found.at].get("x-unit"))
    return f"{found.at}: {math.ceil(enough / UNITS.get(unit, 1)):,}"
