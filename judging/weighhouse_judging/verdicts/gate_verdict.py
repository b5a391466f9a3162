"""May the build pass? One verdict, one exit code, one message, out of the gate's cells. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.percent import percent, signed_percent

from weighhouse_judging.identity.sides import Change
from weighhouse_judging.verdicts.gate_cells import (
    ANCHOR_THRESHOLD,
    GATE_THRESHOLD,
    CellVerdict,
    judge_cells,
)
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_measures import LATEST, Against
from weighhouse_judging.verdicts.lead_words import MOST_NAMED, share
from weighhouse_judging.verdicts.noise import FEWEST_CAMPAIGNS
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM

GateVerdict = Literal[
    "passed",
    "equivalent",
    "regression",
    "inconclusive",
    "infrastructure",
    "refused",
    "no_baseline",
    "not_comparable",
]

EXIT_CODES: dict[GateVerdict, int] = {
    "passed": 0,
    "equivalent": 0,
    "regression": 1,
    "inconclusive": 2,
    "no_baseline": 2,
    "infrastructure": 3,
    "refused": 4,
    "not_comparable": 4,
}
"""Exit code of a build. `no_baseline` compared nothing, so it does not pass for something."""

NOT_KNOWN = "it is not known how much whole campaigns differ here"


@dataclass(frozen=True)
class GateResult:
    """The gate's verdict, its exit code, why, and its cells in the order given.

    The message's first line names the subject: what differs between the sides.
    """

    verdict: GateVerdict
    exit_code: int
    message: str
    subject: tuple[Change, ...]
    cells: tuple[CellVerdict, ...]


def no_baseline(reason: str | None = None) -> GateResult:
    """The verdict of a campaign that nothing can be compared with."""
    why = reason or "no earlier campaign of this experiment has passed or been accepted"
    return _result("no_baseline", [f"Nothing to compare with: {why}."], (), ())


def refused(label: str) -> GateResult:
    """The verdict of a campaign whose every repeat the system refused, whatever its base.

    :param label: of a cell.
    """
    return _result("refused", [f"The system refused what was asked: {label}."], (), ())


def not_judged(reason: str) -> GateResult:
    """The verdict of a campaign over which the platform itself failed."""
    return _result("infrastructure", [f"It could not be judged: {reason}."], (), ())


def decide(
    cells: Sequence[CellEvidence],
    *,
    subject: Sequence[Change] = (),
    threshold: float = GATE_THRESHOLD,
    anchor_threshold: float = ANCHOR_THRESHOLD,
    looked_at: bool = False,
    told: Sequence[str] = (),
) -> GateResult:
    """The verdict over all cells that the campaign and its base planned.

    Thresholds are for throughput, relative (0.05 = 5 %). Order of precedence: regression,
    not_comparable, infrastructure, inconclusive, then equivalent (every cell inside ± the
    threshold) or passed (no cell worse). `told`: sentences that stand at the message's end.
    """
    if not cells:
        return no_baseline()
    verdicts = judge_cells(
        cells, threshold=threshold, anchor_threshold=anchor_threshold, looked_at=looked_at
    )
    verdict, sentence = _headline(verdicts, threshold)
    changes = tuple(subject)
    lines = [f"{_subject(changes)}: {sentence}", *_notes(verdicts, changes, sentence), *told]
    return _result(verdict, lines, changes, verdicts)


def _result(
    verdict: GateVerdict,
    lines: Sequence[str],
    subject: tuple[Change, ...],
    cells: tuple[CellVerdict, ...],
) -> GateResult:
    return GateResult(verdict, EXIT_CODES[verdict], "\n".join(lines), subject, cells)


def _headline(cells: tuple[CellVerdict, ...], threshold: float) -> tuple[GateVerdict, str]:
    of = len(cells)
    regressed = _with(cells, "worse", "failed")
    if regressed:
        told = _named(regressed, _loss)
        return "regression", f"{_counted(regressed, of)} regressed: {told}."
    strange = _with(cells, "not_comparable")
    if strange:
        return "not_comparable", _strange(strange, of)
    missing = _with(cells, "missing")
    if missing:
        kinds = {kind for cell in missing for kind in cell.evidence.attempts[1].failures}
        return "refused" if "refused" in kinds else "infrastructure", _missing(missing, of)
    unclear = _with(cells, "unclear")
    if unclear:
        return "inconclusive", _unclear(unclear, of)
    if all(cell.outcome == "equivalent" for cell in cells):
        widest = max(
            [cell.base.threshold for cell in cells if cell.base is not None], default=threshold
        )
        return "equivalent", f"{_all(cells)} equivalent within ±{percent(widest)}."
    better = len(_with(cells, "better"))
    improved = f"; {better} improved" if better else ""
    return "passed", f"no cell of {len(cells)} is worse{improved}."


def _with(cells: Sequence[CellVerdict], *outcomes: str) -> list[CellVerdict]:
    return [cell for cell in cells if cell.outcome in outcomes]


def _subject(changes: Sequence[Change]) -> str:
    tried = [str(change) for change in changes if not change.confounder]
    return ", ".join(tried) if tried else "Nothing that is known differs"


def _loss(cell: CellVerdict) -> str:
    evidence = cell.evidence
    if cell.stopped_by == "failures":
        base, now = evidence.attempts
        if now.completed == 0:
            return f"{evidence.label}: the system failed every repeat under load"
        return (
            f"{evidence.label}: failed more often ({now.repeats.failed} of {now.repeats.total} "
            f"repeats, {base.repeats.failed} of {base.repeats.total} before; "
            f"{_share(now.failed_operations.share)} of operations, "
            f"{_share(base.failed_operations.share)} before)"
        )
    against = cell.anchor if cell.stopped_by == "anchor" else cell.base
    figure = "" if against is None else f" {_figure(against)}"
    since = " since the anchor: small steps add up" if cell.stopped_by == "anchor" else ""
    again = "" if cell.again is None else f", measured again {_figure(cell.again)}"
    return f"{evidence.label}: {evidence.metric.label.lower()}{figure}{since}{again}"


def _share(value: float | None) -> str:
    return "none" if value is None else percent(value, 2)


def _figure(against: Against) -> str:
    low, high = signed_percent(against.low), signed_percent(against.high)
    return f"{signed_percent(against.relative)} [{low}, {high}]"


def _strange(cells: Sequence[CellVerdict], of: int) -> str:
    fields = dict.fromkeys(str(item) for cell in cells for item in cell.evidence.mismatches)
    named = "" if len(cells) == of else f": {_named(cells, _label)}"
    return (
        f"{_counted(cells, of)} cannot be compared with the base{named}. Differs: "
        f"{', '.join(fields)}."
    )


def _missing(cells: Sequence[CellVerdict], of: int) -> str:
    kinds = sorted({kind for cell in cells for kind in cell.evidence.attempts[1].failures})
    why = f" ({', '.join(kinds)})" if kinds else ""
    return f"{_counted(cells, of)} could not be measured{why}: {_named(cells, _label)}."


def _unclear(every: Sequence[CellVerdict], of: int) -> str:
    back = [cell for cell in every if cell.taken_back]
    doubt = [cell for cell in every if cell.as_slow]
    said = []
    if back:
        said.append(f"{_counted(back, of)} seemed worse, and not when measured again")
    if doubt:
        said.append(f"{_counted(doubt, of)} seemed worse twice, as others did by chance lately")
    cells = [cell for cell in every if not (cell.taken_back or cell.as_slow)]
    if not cells:
        return f"{'; '.join(said)}."
    reason = f"{_counted(cells, of)} can be called neither worse nor safe"
    few = [cell for cell in cells if cell.base is None]
    if few:
        reason += f", {_part(few, cells)}for want of {REPEATS_FOR_A_CLAIM} repeats a side"
    judged = [cell.base for cell in cells if cell.base is not None]
    elsewhere = [base for base in judged if base.elsewhere]
    unknown = [base for base in judged if not base.between_known and not base.elsewhere]
    vain = [base for base in judged if base.between_known and base.hopeless]
    if unknown:
        part = _part(unknown, cells)
        reason += f", {part}because {NOT_KNOWN}"
    if elsewhere:
        reason += f", {_part(elsewhere, cells)}because the base was measured on another machine"
    if vain:
        where = _where(vain, cells)
        reason += f"; more repeats will not help{where}: whole campaigns differ by as much"
    elif len(few) + len(unknown) + len(elsewhere) < len(cells):
        reason += "; more repeats would tell"
    return f"{'; '.join([reason, *said])}."


def _part(some: Sequence[object], of: Sequence[object]) -> str:
    """How many they are, before what is said of them; nothing where it is all."""
    return "" if len(some) == len(of) else f"{len(some)} "


def _where(some: Sequence[object], of: Sequence[object]) -> str:
    """How many they are, behind what is said of them; nothing where it is all."""
    return "" if len(some) == len(of) else f" in {len(some)}"


def _notes(cells: Sequence[CellVerdict], changes: Sequence[Change], said: str) -> list[str]:
    notes = []
    confounders = [str(change) for change in changes if change.confounder]
    if confounders:
        notes.append(f"Differs too, undeclared: {', '.join(confounders)}.")
    notes += [_taken_back(cell) for cell in cells if cell.taken_back]
    notes += [_as_slow(cell) for cell in cells if cell.as_slow]
    notes += [_alone(cell, one) for cell in cells if (one := cell.anchor) is not None and one.alone]
    judged = [(cell, cell.base) for cell in cells if cell.base is not None]
    drowned = [(cell, against) for cell in cells if (against := _in_noise(cell)) is not None]
    if drowned:
        notes.append(_drowned(drowned))
    blunt = [
        (cell, base)
        for cell, base in judged
        if base.floor is not None and base.floor > base.asked_threshold and not _in_noise(cell)
    ]
    if blunt:
        cell, base = max(blunt, key=lambda pair: pair[1].floor or 0.0)
        notes.append(
            f"Of {cell.evidence.label} this machine cannot tell less than "
            f"{percent(base.floor or 0.0)}; "
            f"asked were {percent(base.asked_threshold)}."
        )
    if any(base.elsewhere for _, base in judged):
        notes.append(
            "By how much this machine differs from the base's is not known: campaigns on both "
            "tell, while the level stays. Until then a base that is measured beside the build "
            "tells (base: beside)."
        )
    if any(not base.between_known and not base.elsewhere for _, base in judged):
        remedy = (
            f"{FEWEST_CAMPAIGNS} campaigns that did not regress tell, or as many of noise (A/A). "
            "Until then a base that is measured beside the build tells (base: beside)."
        )
        notes.append(remedy if NOT_KNOWN in said else f"I{NOT_KNOWN[1:]}: {remedy}")
    return notes


def _taken_back(cell: CellVerdict) -> str:
    first = 0.0 if cell.first is None else cell.first.relative
    again = 0.0 if cell.again is None else cell.again.relative
    figure = cell.evidence.metric.label.lower()
    return (
        f"{cell.evidence.label}: {figure} seemed worse by {signed_percent(first)}, measured again "
        f"{signed_percent(again)}: taken back."
    )


def _as_slow(cell: CellVerdict) -> str:
    again = 0.0 if cell.again is None else cell.again.relative
    first = 0.0 if cell.first is None else cell.first.relative
    figure = cell.evidence.metric.label.lower()
    were = "was" if cell.as_slow == 1 else "were"
    return (
        f"{cell.evidence.label}: {figure} {signed_percent(first)}, measured again "
        f"{signed_percent(again)}; but {cell.as_slow} of the latest {LATEST} campaigns {were} as "
        "bad by chance, and so this one may be."
    )


def _alone(cell: CellVerdict, anchor: Against) -> str:
    return (
        f"{cell.evidence.label}: the anchor's {cell.evidence.metric.label.lower()} was better than "
        "that of the campaigns next to it by more than they differ, so it is "
        f"corrected by {signed_percent(anchor.alone)}."
    )


def _in_noise(cell: CellVerdict) -> Against | None:
    """The larger difference to base or anchor that is more than was asked, and less than noise."""
    inside = [
        against
        for against in (cell.base, cell.anchor)
        if against is not None
        and against.floor is not None
        and against.asked_threshold < abs(against.relative) <= against.floor
    ]
    return max(inside, key=lambda against: abs(against.relative), default=None)


def _drowned(cells: Sequence[tuple[CellVerdict, Against]]) -> str:
    cell, against = max(cells, key=lambda pair: abs(pair[1].relative))
    since = " since the anchor" if against is cell.anchor else ""
    figure = f"{cell.evidence.metric.label.lower()} {signed_percent(against.relative)}{since}"
    others = [other for other, _ in cells if other is not cell]
    many = f"{len(others)} cell{'' if len(others) == 1 else 's'} more"
    more = f", and so it is in {many}" if others else ""
    return (
        f"{cell.evidence.label}: {figure} is smaller than this machine can tell, "
        f"{percent(against.floor or 0.0)} (asked were {percent(against.asked_threshold)}){more}."
    )


def _all(cells: Sequence[CellVerdict]) -> str:
    return f"{_counted(cells, len(cells))} {'is' if len(cells) == 1 else 'are'}"


def _counted(cells: Sequence[CellVerdict], of: int) -> str:
    """How many of all: the one place that says it, for every message of a gate."""
    return share(len(cells), of)


def _named(cells: Sequence[CellVerdict], say: Callable[[CellVerdict], str]) -> str:
    """Which they are; of many the first, and how many more."""
    more = len(cells) - MOST_NAMED
    named = [say(cell) for cell in (cells if more <= 1 else cells[:MOST_NAMED])]
    return "; ".join([*named, *([f"{more} more"] if more > 1 else [])])


def _label(cell: CellVerdict) -> str:
    return cell.evidence.label
