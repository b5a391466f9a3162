"""What client and servers counted of a run, side by side. Pure but for the rows it is given.

A record keeps the servers' counters by moment: `before`, `after_load`, and for each measured phase
of a chain `measure` and `after`, with its number from the second on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from weighhouse_judging.findings.counted import (
    NOT_TOLD,
    Asked,
    Reconciled,
    Row,
    Served,
    between,
    in_stretch,
    reconciled,
    together,
)
from weighhouse_judging.findings.reconciliation import differences
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.report import ServerCounted
from weighhouse_protocol.workload import Workload

from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.count_schemas import CountedRow, ReconciliationRead
from weighhouse_backend.results.failures import phases_told
from weighhouse_backend.results.schemas import PhaseRecord
from weighhouse_backend.results.sources import HIT_RATIO, SERVER_BYTES, SERVER_CALL
from weighhouse_backend.runs.models import Cell

BEFORE, MEASURE, AFTER = "before", "measure", "after"
BEFORE_RESTART, AFTER_RESTART = "before_restart", "after_restart"
OF_THE_FIRST = frozenset({BEFORE, "after_load", BEFORE_RESTART, AFTER_RESTART})
"""Moments of a chain's first link: what follows neither loads nor restarts."""
UNANSWERED = frozenset({"timeout", "connection"})
"""Kinds of errors without an answer."""
OTHERS = frozenset({"held"})
"""What stands among operations of phases and is none."""


def noted(
    counts: Mapping[str, Any], event: ServerCounted, measured: int
) -> dict[str, list[dict[str, Any]]]:
    """A record's counts with one more event.

    :param measured: measured phases that have ended before.
    """
    number = measured + 1 if event.moment == MEASURE else measured
    nodes = [node.model_dump(mode="json", exclude_none=True) for node in event.nodes]
    return {**counts, _named(event.moment, number): nodes}


def counts_of_link(counts: Mapping[str, Any], link: int) -> dict[str, Any]:
    """Those of one link of a chain, from 0, as of a run by itself."""
    found = {name: nodes for name, nodes in counts.items() if name in OF_THE_FIRST}
    if link:
        found = {BEFORE: counts.get(_named(AFTER, link), [])}
    own = {name: counts.get(_named(name, link + 1)) for name in (MEASURE, AFTER)}
    return {**found, **{name: nodes for name, nodes in own.items() if nodes}}


def reconciliation_of(
    record: AttemptRecord, manifest: Manifest | None, workload: Workload
) -> Reconciled | None:
    """Both columns; None: the system counts nothing that its plugin knows of.

    :param manifest: of the system's plugin.
    """
    if manifest is None or manifest.counts is None:
        return None
    phases = phases_told(record)
    served = served_in(record, phases) if phases else NOT_TOLD
    return reconciled(manifest.counts, asked_of(phases), served, workload.keys_per_read)


def served_in(record: AttemptRecord, phases: Sequence[PhaseRecord]) -> Served | str:
    """What the system counted in all phases: inside the driver in each of them, else between the
    looks at its nodes, of which a restart takes two more.
    """
    if any(phase.counted for phase in phases):
        return in_driver(phases)
    looks = [(BEFORE, AFTER)]
    if nodes_at(record, BEFORE_RESTART):
        looks = [(BEFORE, BEFORE_RESTART), (AFTER_RESTART, AFTER)]
    return together(between(nodes_at(record, one), nodes_at(record, two)) for one, two in looks)


def in_driver(phases: Sequence[PhaseRecord]) -> Served | str:
    """What a system inside the driver counted in these phases."""
    told = [in_stretch(phase.counted) for phase in phases if phase.counted]
    return together(told) if len(told) == len(phases) else NOT_TOLD


def nodes_at(record: AttemptRecord, moment: str) -> list[NodeCounts]:
    """The counters of all nodes at a moment."""
    return [
        NodeCounts.model_validate(node)
        for part in record.members
        for node in part.counts.get(moment, [])
    ]


def asked_of(phases: Sequence[PhaseRecord]) -> dict[str, Asked]:
    """What drivers counted by operation, over all phases."""
    found: dict[str, Asked] = {}
    for phase in phases:
        for name, outcomes in phase.operations.items():
            if name in OTHERS:
                continue
            lost = sum(
                one.count
                for one in phase.failed
                if one.operation == name and one.kind in UNANSWERED
            )
            found[name] = found.get(name, Asked()) + Asked(
                found=outcomes.get("ok", 0) + outcomes.get("verify_failed", 0),
                not_found=outcomes.get("not_found", 0),
                failed=outcomes.get("errors", 0) - lost,
                unanswered=lost,
            )
    return found


def figures_counted(record: AttemptRecord, manifest: Manifest | None) -> dict[str, float]:
    """Figures of what servers counted in the measured phase: time and bytes a call, µs and bytes,
    and hits, percent; empty where they did not tell.
    """
    measured = [phase for phase in phases_told(record) if phase.phase == MEASURE]
    served = between(nodes_at(record, MEASURE), nodes_at(record, AFTER))
    if any(phase.counted for phase in measured):
        served = in_driver(measured)
    if manifest is None or manifest.counts is None or isinstance(served, str):
        return {}
    asked = {command for row in manifest.counts.rows for command in row.commands}
    counts = [count for name, count in served.commands.items() if name in asked]
    spent = [count.us for count in counts if count.us is not None]
    calls = sum(count.calls for count in counts)
    found = {}
    if sum(spent) and len(spent) == len(counts):
        found[SERVER_CALL] = sum(spent) / calls
    if calls and served.received_bytes and served.sent_bytes and not served.lacking:
        found[SERVER_BYTES] = (served.received_bytes + served.sent_bytes) / calls
    if served.hits and served.misses is not None:
        found[HIT_RATIO] = 100 * served.hits / (served.hits + served.misses)
    return found


def read_of_run(
    record: AttemptRecord | None,
    document: Experiment,
    cell: Cell,
    manifests: Mapping[str, Manifest],
) -> ReconciliationRead | None:
    """As the API shows it."""
    if record is None:
        return None
    system = document.targets[cell.target_index].system
    workload = document.workloads[cell.workload_index]
    told = reconciliation_of(record, manifests.get(system), workload)
    if told is None:
        return None
    return ReconciliationRead(
        source=told.source,
        rows=[counted_row(row) for row in told.rows],
        hits=told.hits,
        misses=told.misses,
        received_bytes=told.received_bytes,
        sent_bytes=told.sent_bytes,
        of_others=dict(told.strangers or {}),
        why_not=told.why_not,
    )


def counted_row(row: Row) -> CountedRow:
    """One row as the API shows it."""
    answered = row.client.answered + row.client.failed
    return CountedRow(
        name=row.name,
        operations=list(row.operations),
        commands=list(row.commands),
        asked=row.client.asked,
        answered=answered,
        served=row.served if row.counts else None,
        difference=(row.served - answered) / max(row.client.asked, row.served, 1)
        if row.counts
        else None,
        server_us=row.us / row.served if row.us is not None and row.served else None,
        says=" ".join(one.words for one in differences(row)),
        why_not=row.why_not,
    )


def _named(moment: str, number: int) -> str:
    return f"{moment} {number}" if moment in (MEASURE, AFTER) and number > 1 else moment
