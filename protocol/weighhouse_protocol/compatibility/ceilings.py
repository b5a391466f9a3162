"""Whether what is asked of a system is within what it takes at most. Pure.

One rule for all systems, over the `ceilings` of their manifests: as far as they are known before a
run, and again by the effective configuration of a server that was asked. Of what is not known
nothing is said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from weighhouse_protocol.ceilings import Ceiling, Held
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.fairness.facts import Facts, number
from weighhouse_protocol.fairness.rules import Drawn
from weighhouse_protocol.fairness.translation import meets
from weighhouse_protocol.load import Load
from weighhouse_protocol.record_sizes import (
    YCSB_PREFIX,
    long_record,
    longest_field,
    longest_key,
    names_bytes,
)
from weighhouse_protocol.workload import Workload

OBSERVER = 1
"""Connections of the agent that looks at the system."""


@dataclass(frozen=True)
class Most:
    """A ceiling of a target, as it is known."""

    ceiling: Ceiling
    value: int
    """Bytes or connections."""
    name: str
    """The parameter or setting that decides it; empty: nothing does."""

    @property
    def words(self) -> str:
        """It and its name, as people read them."""
        return f"{self.value:,}" + (f" ({self.name})" if self.name else "")


def most_of(facts: Facts, held: Held) -> Most | None:
    """The most of something that a target takes; None: any, or it is not known.

    :param facts: of the draft; or with the effective configuration, once a server was asked.
    """
    known = [most for each in facts.manifest.ceilings
             if each.of == held and (most := _known(facts, each)) is not None]  # fmt: skip
    return min(known, key=lambda most: most.value, default=None)


def record_errors(workload: Workload, facts: Facts) -> Iterator[FieldError]:
    """Keys and records of a workload that are beyond what a target takes; paths are in the
    workload. What a foreign load tool writes is its own; records that are there before are.
    """
    if facts.target.tool is not None:
        return
    name, keys = facts.target.name, most_of(facts, "key")
    if keys is not None and longest_key(workload) > keys.value:
        yield FieldError(
            path=_key_path(workload),
            message=f"{name}: keys of {longest_key(workload):,} bytes, and "
            f"{facts.manifest.name} takes {keys.words}",
            expected=_or_mend(f"keys of at most {keys.value:,} bytes", keys),
        )
    if facts.target.data == "keep":
        return
    for what, most in (("record", most_of(facts, "record")), ("field", most_of(facts, "field"))):
        needs = 0 if most is None else _needs(workload, most.ceiling)
        if most is None or needs <= most.value:
            continue
        fields = workload.field_count if what == "record" else 1
        beside = needs - _values(workload, most.ceiling)
        room = max(0, (most.value - beside) // fields)
        counted = f", {beside:,} of them not of values" if beside else ""
        yield FieldError(
            path=_length_path(workload),
            message=f"{name}: a {what} of {needs:,} bytes{counted}, and {facts.manifest.name} "
            f"takes {most.words}",
            expected=_or_mend(f"values of at most {room:,} bytes", most),
        )


def connection_errors(
    clients: Mapping[str, int], facts: Facts, threads: int = 1
) -> Iterator[FieldError]:
    """Clients that need more connections than a target takes.

    :param clients: path → how many are at work at once, those of a load phase too.
    :param threads: of the driver, at least.
    """
    most = most_of(facts, "connections")
    if most is None:
        return
    each = number(facts.value(most.ceiling.shared) or 0) if most.ceiling.shared else None
    for path, many in clients.items():
        opened = many if each is None else min(many, int(each) * threads)
        if opened + OBSERVER <= most.value:
            continue
        need = (f"{many:,} clients need a connection each" if each is None
                else f"the driver needs {opened:,} connections")  # fmt: skip
        yield FieldError(
            path=path,
            message=f"{facts.target.name}: {need} to every node, and the agent one: "
            f"{facts.manifest.name} takes {most.words}",
            expected=_or_mend(f"at most {max(0, most.value - OBSERVER):,}", most),
        )


def clients_of(load: Load) -> tuple[str, int]:
    """The field of a load that says how many clients there are, and how many."""
    return (
        ("clients", load.clients) if load.model == "closed" else ("connections", load.connections)
    )


def _known(facts: Facts, ceiling: Ceiling) -> Most | None:
    if not all(meets(facts.value(name), wanted) for name, wanted in ceiling.when.items()):
        return None
    drawn = ceiling.most
    if not isinstance(drawn, Drawn):
        return Most(ceiling, int(drawn), "")
    found = facts.value(drawn.of)
    if found is None and facts.target.deployment != "external":
        found = drawn.otherwise
    if found is None:
        return None
    # Of several nodes that differ each one's stands there.
    told = found.split(", ") if isinstance(found, str) else [found]
    figures = [number(each, drawn.times) for each in told]
    values = [int(each) for each in figures if each is not None and each >= 1]
    return Most(ceiling, min(values), facts.seen(drawn.of).name) if values else None


def _values(workload: Workload, ceiling: Ceiling) -> int:
    return long_record(workload) if ceiling.of == "record" else longest_field(workload)


def _needs(workload: Workload, ceiling: Ceiling) -> int:
    """Bytes of a long record, or of the longest field, by what counts of it."""
    if ceiling.of == "field":
        return longest_field(workload) + ceiling.field_bytes
    beside = ceiling.record_bytes + workload.field_count * ceiling.field_bytes
    beside += names_bytes(workload) if ceiling.names else 0
    beside += longest_key(workload) if ceiling.key else 0
    return long_record(workload) + beside


def _key_path(workload: Workload) -> str:
    """The field whose change does most."""
    series, prefix = workload.time_series, len(workload.key_prefix or YCSB_PREFIX)
    if series is None:
        return "zero_padding" if workload.zero_padding > prefix else "key_prefix"
    parts = {
        "time_series.key_length": series.key_length,
        "time_series.tag_value_length": series.tag_value_length * len(series.tag_cardinalities),
        "key_prefix": len(workload.key_prefix or ""),
    }
    return max(parts, key=lambda name: parts[name])


def _length_path(workload: Workload) -> str:
    if workload.field_length_distribution == "histogram":
        return "field_length_histogram"
    return "field_length"


def _or_mend(fits: str, most: Most) -> str:
    return f"{fits}, or {most.ceiling.mend}" if most.ceiling.mend else fits
