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


@dataclass(frozen=True)
class OneProgram:
    """That two sides are one program, in nothing of which they differ but by what it goes by."""

    before: str
    after: str
    versions: bool
    """Two versions, which one program cannot be; else two commits, of which one may change none."""


def one_program(before: SideBuild, after: SideBuild) -> OneProgram | None:
    """By what names one program goes that two sides are; None: they are several, or that is not
    known, or they go by one name.
    """
    if before.program is None or before.program != after.program:
        return None
    changed = {change.what for change in subject(before.side, after.side)}
    if changed - {after.side.target.system}:
        return None
    if changed:
        return OneProgram(joined(before.side.versions), joined(after.side.versions), True)
    commits = before.commit, after.commit
    if None in commits or commits[0] == commits[1]:
        return None
    return OneProgram(f"commit {commits[0]}"[:17], f"commit {commits[1]}"[:17], False)


def _same_program(builds: Sequence[SideBuild]) -> list[Finding]:
    said: dict[bool, list[str]] = {True: [], False: []}
    for before, after in combinations(builds, 2):
        one = one_program(before, after)
        if one is not None and before.program is not None:
            said[one.versions].append(
                f"{before.label} and {after.label} go by {one.before} and {one.after}, and are the "
                f"same program, {in_words(before.program)}, with the same settings."
            )
    return [
        checks.SAME_PROGRAM.found(
            "error" if versions else "caution",
            f"{' '.join(pairs)} What differs between them is noise: an A/A sample.",
            {"pairs": len(pairs)},
        )
        for versions, pairs in said.items()
        if pairs
    ]


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
