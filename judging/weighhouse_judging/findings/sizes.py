"""What records take in a system, and whether they fit: one rule before a run and after it. Pure.

Before it the facts are what is ordered, after it what was in effect; the manifest's `holding` says
what a record takes, its parameter with `x-holds` how much a node is given for records.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.capacity import Footprint
from weighhouse_protocol.fairness.facts import UNITS, Facts, number, read_back, setting_name
from weighhouse_protocol.fairness.rules import Wanted
from weighhouse_protocol.fairness.translation import meets, value_of
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.workload import Workload

Beyond = Literal["refused", "evicted", "disk"]
"""What becomes of records beyond what a node is given."""
PERCENT = 100.0
MEBIBYTE = 2**20


@dataclass(frozen=True)
class Bound:
    """How much of records a node can have by its own settings."""

    parameter: str
    given_bytes: float
    """As the parameter says."""
    usable_bytes: float
    """What of it records may take."""
    beyond: Beyond | None
    """None: not known."""
    in_memory: bool = True
    """False: it is a size on disk."""


@dataclass(frozen=True)
class Excess:
    """Records that do not fit, of one node."""

    at: str
    """The parameter that says how much it holds, or `limits.memory_mebibytes`."""
    needs_bytes: float
    holds_bytes: float
    given_bytes: float
    """What the parameter says, of which `holds_bytes` is what records may take."""
    beyond: Literal["refused", "evicted", "ended"]
    """`ended`: the operating system ends the node."""


def held(what: Literal["data", "cache"], facts: Facts) -> tuple[str, float] | None:
    """Parameter and bytes that each node gives to data, or to a cache before its files.

    As the system said of itself where it tells, else as it was ordered. None where no parameter of
    the manifest says (`x-holds`), or the system knows no bound (0).
    """
    schemas = declared(facts.manifest.parameters)
    for name, schema in schemas.items():
        if schema.get("x-holds") == what:
            value = _figure(facts, name, schema)
            many = schema.get("x-holds-times")
            times = _figure(facts, str(many), schemas[str(many)]) if many else 1
            unit = UNITS.get(str(schema.get("x-unit")), 1)
            return (name, value * unit * (times or 1)) if value else None
    return None


def bound_of(facts: Facts, workload: Workload) -> Bound | None:
    """What a node can have of a workload's records; None: no bound that is known."""
    found = held("data", facts)
    if found is None:
        return None
    name, given = found
    holding = facts.manifest.holding
    return Bound(
        name,
        given,
        given * _usable(facts, name),
        _beyond(facts, workload),
        in_memory=holding is None or not _any(facts, workload, holding.on_disk),
    )


def footprint_of(facts: Facts, workload: Workload) -> Footprint | None:
    """What a record of a workload takes; None where the manifest does not say."""
    holding = facts.manifest.holding
    for each in () if holding is None else holding.footprints:
        if _all(facts, workload, each.when):
            return each
    return None


def excess(facts: Facts, workload: Workload, records: float) -> Iterator[Excess]:
    """Where so many records do not fit; nothing where the system's manifest knows no footprint.

    :param records: in the whole system, each counted once.
    """
    holding, footprint = facts.manifest.holding, footprint_of(facts, workload)
    if holding is None or footprint is None:
        return
    topology = facts.target.topology
    of_node = records * topology.replication_factor / topology.nodes
    needs, bound = of_node * footprint.bytes_of(workload), bound_of(facts, workload)
    if bound is not None and needs > bound.usable_bytes and bound.beyond in ("refused", "evicted"):
        # Where what expires is evicted alone, there may be too little of it.
        lasting = needs * workload.lasting_share
        short = value_of(facts, "eviction") == "expiring" and lasting > bound.usable_bytes
        beyond: Literal["refused", "evicted"] = "refused" if short else bound.beyond
        yield Excess(bound.parameter, needs, bound.usable_bytes, bound.given_bytes, beyond)
    limit = facts.target.limits.memory_mebibytes
    if limit is None or (bound is not None and not bound.in_memory):
        return
    if bound is not None and bound.beyond in ("evicted", "disk"):
        needs = min(needs, bound.given_bytes)
    needs += holding.node_bytes + of_node * footprint.beside_bytes
    if needs > limit * MEBIBYTE:
        given = float(limit * MEBIBYTE)
        yield Excess("limits.memory_mebibytes", needs, given, given, "ended")


def _beyond(facts: Facts, workload: Workload) -> Beyond | None:
    holding = facts.manifest.holding
    if holding is not None and _any(facts, workload, holding.disk_beyond):
        return "disk"
    evicts = value_of(facts, "eviction")
    if evicts == "expiring":
        return "refused" if workload.longest_ttl is None else "evicted"
    return {"nothing": "refused", "anything": "evicted"}.get(str(evicts))  # type: ignore[return-value]


def _usable(facts: Facts, name: str) -> float:
    """Share of what a parameter gives that records may take."""
    schemas = declared(facts.manifest.parameters)
    said = schemas[name].get("x-holds-percentage", PERCENT)
    if isinstance(said, str):
        # 0 switches the refusal off: all of it may be taken.
        said = _figure(facts, said, schemas[said]) or PERCENT
    return float(str(said)) / PERCENT


def _figure(facts: Facts, name: str, schema: Mapping[str, Any]) -> float | None:
    """A number in the parameter's own unit, as it is in effect; where the system's words for it
    are none, as it was ordered.
    """
    text = None if facts.settings is None else facts.settings.get(setting_name(name, schema))
    told = () if text is None else read_back(schema, text)
    value = told[0] if told else facts.target.parameters.get(name, schema.get("default"))
    return None if value is None else number(value)


def _any(facts: Facts, workload: Workload, rules: tuple[dict[str, Wanted], ...]) -> bool:
    return any(_all(facts, workload, rule) for rule in rules)


def _all(facts: Facts, workload: Workload, rule: Mapping[str, Wanted]) -> bool:
    of_workload: dict[str, Scalar] = {
        "workload:field_count": workload.field_count,
        "workload:field_length": _longest(workload),
        "workload:scans": workload.operations.scan > 0,
    }
    return all(
        meets(of_workload[name] if name in of_workload else facts.value(name), wanted)
        for name, wanted in rule.items()
    )


def _longest(workload: Workload) -> int:
    lengths = [length for length, _ in workload.field_length_histogram]
    return max(lengths, default=workload.field_length)
