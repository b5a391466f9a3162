"""What the platform has to know of sides for their disclosure. Pure but for the rows it gets."""

from collections.abc import Iterable, Sequence
from typing import Any

from weighhouse_judging.fairness.sides import CACHED
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import ClosedLoad
from weighhouse_protocol.text import numbered

from weighhouse_backend.comparisons.sides import Side, side_labels
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.disclosure.service import Disclosed
from weighhouse_backend.disclosure.sheet import Fact
from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.states import RunStatus

GIBIBYTE = 2**30
NAMED = 12
"""Signs of a digest that are shown."""


def leaving(sides: Sequence[Side]) -> list[Leaving]:
    """The sides by campaign, as the publication policy is asked of them."""
    return [
        Leaving(
            several[0].campaign.project_id,
            several[0].document,
            several[0].campaign.id,
            [side.target.name for side in several],
        )
        for several in _by_campaign(sides)
    ]


def disclosed(sides: Sequence[Side]) -> list[Disclosed]:
    """The sides by campaign, with what their runs told; nothing before a run has told anything."""
    return [
        Disclosed(one, _facts(several), f" ({numbered(several[0].campaign.number)})")
        for one, several in zip(leaving(sides), _by_campaign(sides), strict=True)
    ]


def _by_campaign(sides: Sequence[Side]) -> list[list[Side]]:
    found: dict[object, list[Side]] = {}
    for side in sides:
        found.setdefault(side.campaign.id, []).append(side)
    return list(found.values())


def _facts(sides: Sequence[Side]) -> list[Fact]:
    if not any(run.record is not None for side in sides for run in side.runs):
        return []
    labels = side_labels(sides)
    facts = [fact for side in sides for fact in _of_target(side, labels[side.key])]
    records = [run.record for side in sides for run in side.runs if run.record is not None]
    facts += _of_machines(records)
    facts += _of_method(sides, records)
    return list(dict.fromkeys(facts))


def _of_target(side: Side, name: str) -> Iterable[Fact]:
    target = side.target
    records = [run.record for run in side.runs if run.record is not None]
    manifest = side.manifest
    edition = None if manifest is None else manifest.edition_of(target)
    settings = max((len(one.effective_configuration) for one in records), default=0)
    nodes, copies = target.topology.nodes, target.topology.replication_factor
    limits = target.limits.model_dump(exclude_none=True)
    asked = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in limits.items())
    yield Fact("what", f"{name}, version", _several(one.version for one in records))
    yield Fact(
        "what",
        f"{name}, edition and licence",
        None if edition is None else f"{edition.name}; {edition.licence}",
    )
    # The machines' own, at the time: the one that speaks for the plugin now may be newer.
    took = [version for one in records for version in one.plugin_versions(target.system)]
    yield Fact("what", f"{name}, plugin", _several(f"{target.system} {one}" for one in took))
    driver = target.tool or (None if manifest is None else manifest.driver.id)
    told = [version for one in records for version in one.driver_versions(driver)]
    yield Fact("what", f"{name}, driver", _several(f"{driver} {version}" for version in told))
    yield Fact(
        "configuration",
        f"{name}, effective configuration",
        f"{settings} settings, as the system told them" if settings else None,
    )
    yield Fact(
        "configuration",
        f"{name}, layout and limits",
        f"nodes: {nodes}, copies: {copies}, {target.deployment}; {asked or 'no limits'}",
    )
    if target.caches is not None:
        cached = CACHED[target.caches]
        yield Fact("configuration", f"{name}, caches before the measurement", cached)


def _of_machines(records: Sequence[AttemptRecord]) -> Iterable[Fact]:
    machines = [part.facts for record in records for part in record.members]
    yield Fact("where", "processors", _several(_processors(one) for one in machines))
    yield Fact("where", "memory", _several(_memory(one) for one in machines))
    yield Fact("where", "kernel", _several(_text(one, "kernel") for one in machines))
    yield Fact(
        "where", "operating system", _several(_text(one, "operating_system") for one in machines)
    )
    yield Fact(
        "where", "frequency governor", _several(_text(one, "cpu_governor") for one in machines)
    )
    yield Fact("where", "disk", _several(_disk(one) for one in machines))
    located = {record.co_located for record in records}
    words = {
        True: "driver and system on one machine",
        False: "driver and system on machines of their own",
        None: None,
    }
    yield Fact("where", "driver and system", _several(words[one] for one in located))


def _of_method(sides: Sequence[Side], records: Sequence[AttemptRecord]) -> Iterable[Fact]:
    document, campaign = sides[0].document, sides[0].campaign
    loops = {
        "closed loop: no claim on response time"
        if isinstance(load, ClosedLoad)
        else "open loop, timed from when each operation was due"
        for _, load in document.loads
    }
    phases = document.phases
    runs = [run for side in sides for run in side.runs]
    threads = _several(str(one.threads) if one.threads else None for one in records)
    yield Fact("how", "load model", "; ".join(sorted(loops)))
    yield Fact(
        "how",
        "phases",
        f"{phases.warmup_seconds:g} s warm-up cut by rule, {_measured(document)}",
    )
    if phases.chain:
        yield Fact("how", "chain", _chain(document))
    yield Fact("how", "repeats", _repeats(runs))
    yield Fact("how", "order", f"shuffled within each block, seed {campaign.seed}")
    yield Fact("how", "driver threads", threads)
    streams = (one.stream_hash[:NAMED] if one.stream_hash else None for one in records)
    yield Fact("how", "digest of the operations", _several(streams, most=3))


def _chain(document: Experiment) -> str:
    """What was measured after what, and how long each."""
    own = {link.measure: document.phases.under(link.measure) for link in document.phases.chain}
    lengths = (
        f"{name} {phases.warmup_seconds:g} s and {phases.measure_seconds:g} s"
        for name, phases in own.items()
    )
    return (
        f"loaded once, then measured one after the other on the same data: {', '.join(own)}; each "
        "phase found what those before it left (warm-up and measured: "
        f"{', '.join(lengths)})"
    )


def _measured(document: Experiment) -> str:
    """How long, where something else may end it before."""
    phases, ends = document.phases, ""
    if document.sustained is not None:
        ends = document.sustained.until.words
    elif phases.measure_operations is not None:
        ends = f"{phases.measure_operations:,} operations"
    seconds = f"{phases.measure_seconds:g} s"
    return f"measured until {ends}, at most {seconds}" if ends else f"{seconds} measured"


def _repeats(runs: Sequence[RunFigures]) -> str:
    done = [run for run in runs if run.status == RunStatus.COMPLETED]
    counts: dict[tuple[str, str, str], int] = {}
    for run in done:
        key = (run.target, run.workload, run.load_label)
        counts[key] = counts.get(key, 0) + 1
    fewest, most = min(counts.values(), default=0), max(counts.values(), default=0)
    each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    kinds: dict[str, int] = {}
    for run in runs:
        if run.status == RunStatus.FAILED:
            kinds[run.failure_kind or "unknown"] = kinds.get(run.failure_kind or "unknown", 0) + 1
    failed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return f"{each} of each cell; failed: {failed or 'none'}"


def _processors(facts: dict[str, Any]) -> str | None:
    model = _text(facts, "cpu_model")
    return None if model is None else f"{facts.get('cores', '?')} × {model}"


def _memory(facts: dict[str, Any]) -> str | None:
    size = facts.get("memory_bytes")
    return None if not size else f"{size / GIBIBYTE:.1f} GiB"


def _disk(facts: dict[str, Any]) -> str | None:
    told = facts.get("storage") or {}
    said = [told.get("device"), told.get("driver"), told.get("file_system")]
    return ", ".join(str(one) for one in said if one) or None


def _text(facts: dict[str, Any], name: str) -> str | None:
    value = facts.get(name)
    return str(value) if value else None


def _several(values: Iterable[str | None], most: int = 6) -> str | None:
    found = list(dict.fromkeys(value for value in values if value))
    if len(found) > most:
        return f"{', '.join(found[:most])} and {len(found) - most} more"
    return ", ".join(found) or None
