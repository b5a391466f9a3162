"""The checks of a comparison. Pure: sides, cells and the fairness sheet in, findings out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.fairness.sheet import AspectRow, confounders
from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.identity.digests import joined
from weighhouse_judging.identity.programs import ProgramKey, in_words
from weighhouse_judging.identity.sides import Side, subject
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM

GRAVE_ASPECTS = frozenset({"durability", "replication", "consistency"})
"""Aspects whose difference changes what is promised, not only what it costs."""


@dataclass(frozen=True)
class CellRepeats:
    """How many repeats one cell of one side has."""

    side: str
    workload: str
    load_label: str
    load_model: Literal["closed", "open"]
    repeats: int


@dataclass(frozen=True)
class SideBuild:
    """Which build a side is said to be, and what it really was."""

    label: str
    side: Side
    commit: str | None
    program: ProgramKey | None
    """None: not told."""


def check_comparison(
    rows: Sequence[AspectRow],
    cells: Sequence[CellRepeats],
    builds: Sequence[SideBuild] = (),
) -> list[Finding]:
    """All findings of a comparison, the gravest first."""
    found = [
        *_comparability(rows), *_same_program(builds), *_repeats(cells), *_closed_loop(cells),
    ]  # fmt: skip
    gravity = {"error": 0, "caution": 1, "info": 2}
    return sorted(found, key=lambda finding: gravity[finding.severity])


def versions_of_one(before: SideBuild, after: SideBuild) -> tuple[str, str] | None:
    """By what names one program goes that two sides are, in nothing else of which they differ;
    None: they are several, or that is not known, or they go by one name.
    """
    if before.program is None or before.program != after.program:
        return None
    changed = {change.what for change in subject(before.side, after.side)}
    commits = before.commit, after.commit
    if changed - {after.side.target.system}:
        return None
    if before.commit and after.commit and before.commit != after.commit:
        return f"commit {commits[0]}"[:17], f"commit {commits[1]}"[:17]
    if not changed:
        return None
    return joined(before.side.versions), joined(after.side.versions)


def _same_program(builds: Sequence[SideBuild]) -> list[Finding]:
    said = []
    for before, after in combinations(builds, 2):
        names = versions_of_one(before, after)
        if names is not None and before.program is not None:
            said.append(
                f"{before.label} and {after.label} go by {names[0]} and {names[1]}, and are the "
                f"same program, {in_words(before.program)}, with the same settings."
            )
    if not said:
        return []
    message = f"{' '.join(said)} What differs between them is noise: an A/A sample."
    return [checks.SAME_PROGRAM.found("error", message, {"pairs": len(said)})]


def _comparability(rows: Sequence[AspectRow]) -> list[Finding]:
    found = confounders(rows)
    if not found:
        return []
    grave = [row for row in found if row.aspect in GRAVE_ASPECTS]
    differences = "; ".join(f"{row.label}: {' / '.join(row.values)}" for row in found)
    message = (
        f"{len(found)} {'aspect' if len(found) == 1 else 'aspects'} could explain a difference "
        f"besides the system: {differences}."
    )
    numbers: dict[str, Number] = {
        "confounders": len(found),
        "aspects": ", ".join(row.aspect for row in found),
        "grave": ", ".join(row.aspect for row in grave),
    }
    return [checks.COMPARABILITY.found("caution", message, numbers)]


def _repeats(cells: Sequence[CellRepeats]) -> list[Finding]:
    """Counted as the answer counts: a cell is a workload at a load, whatever sides it has."""
    fewest_of: dict[tuple[str, str], int] = {}
    for cell in cells:
        name = (cell.workload, cell.load_label)
        fewest_of[name] = min(cell.repeats, fewest_of.get(name, cell.repeats))
    short = [fewest for fewest in fewest_of.values() if fewest < REPEATS_FOR_A_CLAIM]
    if not short:
        return []
    fewest = min(short)
    message = (
        f"In {len(short)} of {len(fewest_of)} cells a side has fewer than {REPEATS_FOR_A_CLAIM} "
        f"repeats (the fewest: {fewest}), so no difference to it is claimed there."
    )
    if fewest > 0:
        floor = statistics.smallest_rank_p(fewest, fewest)
        message += f" {fewest} against {fewest} repeats can never give a p below {floor:.2g}."
    numbers: dict[str, Number] = {
        "cells": len(fewest_of),
        "cells_short": len(short),
        "fewest_repeats": fewest,
        "repeats_needed": REPEATS_FOR_A_CLAIM,
        "smallest_p": statistics.smallest_rank_p(fewest, fewest) if fewest else None,
    }
    return [checks.REPEATS.found("caution", message, numbers)]


def _closed_loop(cells: Sequence[CellRepeats]) -> list[Finding]:
    if not any(cell.load_model == "closed" for cell in cells):
        return []
    message = (
        "In a closed loop the faster side is asked more often, so latencies are compared at "
        "different throughputs. For response times at the same load use an open loop."
    )
    return [checks.CLOSED_LOOP_LATENCY.found("info", message, {})]
