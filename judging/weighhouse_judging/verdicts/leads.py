"""Who leads among sides, over all cells of one figure: counted, and in one sentence. Pure.

A side leads a cell when the judge calls it *better than every other side* that has a figure there:
beyond doubt, and by more than the practical threshold. Medians alone never make a lead. There is no
score over cells: a lead is counted in cells, and where it changes with the load or the workload,
the sentence says where. What is not decided, not repeated often enough or not measured is counted
beside it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.verdicts import lead_words as words
from weighhouse_judging.verdicts.lead_cells import JudgedCell, LeadCell
from weighhouse_judging.verdicts.lead_words import LeadKind, Place
from weighhouse_judging.verdicts.readings import Word
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM

SPLIT_FROM = 0.25
"""Share of the cells from which on others' cells are no exception but a part of the answer."""
MOST_PARTS = 3
"""Ranges of loads that a reader can hold; with more of them nobody leads by load."""


@dataclass(frozen=True)
class Standing:
    """Where one side stands among the others, over all cells."""

    side: str
    first: int
    """Cells that it leads."""
    best_rank: int | None
    worst_rank: int | None
    """What its rank can be at best and at worst, over its cells; 1 is the best. None without a
    figure."""
    cells: int
    """That it has a figure in."""
    words: str
    """`1st in 8 of 12 cells`, `2nd to 4th`."""


@dataclass(frozen=True)
class Lead:
    """Who leads, where, and how sure that is."""

    metric: str
    kind: LeadKind
    leaders: tuple[str, ...]
    """Who the sentence says leads anywhere, most cells first; empty when nobody does."""
    cells: int
    decided: int
    """Cells that one side leads."""
    level: int
    """Cells whose foremost sides differ by less than matters."""
    undecided: int
    too_few: int
    missing: int
    """Cells with a figure of one side or none."""
    fewest_repeats: int
    most_repeats: int
    """A side, over the cells that are compared."""
    sentence: str
    """Complete, with its full stop."""
    sure: str
    """How sure that is: repeats, cells decided and not, by how much."""
    barred_by: tuple[str, ...]
    """Titles of what bars the figures from use."""
    standings: tuple[Standing, ...]
    """Of every side: those that lead first, then those that are ahead of more of the others."""


def lead(
    metric: str,
    labels: Mapping[str, str],
    cells: Sequence[LeadCell],
    barred_by: Sequence[str] = (),
) -> Lead:
    """Who leads.

    :param metric: the name of a figure that sides are judged by.
    :param labels: of all sides shown, by key, in their order.
    :param cells: all of one kind of load; a side that is not among `labels` has no part in them.
    :param barred_by: titles of what bars these figures from use.
    """
    higher = CATALOGUE[metric].higher_is_better
    seen = [JudgedCell(_shown(cell, labels), higher) for cell in cells]
    compared = [one for one in seen if one.state != "missing"]
    repeats = [many for one in compared for many in one.cell.repeats.values()]
    count = Counter(one.state for one in seen)
    found = Lead(
        metric=metric,
        kind="nothing",
        leaders=(),
        cells=len(seen),
        decided=count["led"],
        level=count["level"],
        undecided=count["undecided"],
        too_few=count["too_few"],
        missing=count["missing"],
        fewest_repeats=min(repeats, default=0),
        most_repeats=max(repeats, default=0),
        sentence="",
        sure="",
        barred_by=tuple(barred_by),
        standings=_standings(labels, seen),
    )
    return _said(found, labels, seen)


def lead_of_targets(
    metric: str,
    labels: Mapping[str, str],
    cells: Sequence[LeadCell],
    opposed: Sequence[tuple[str, str]],
    barred_by: Sequence[str] = (),
) -> Lead:
    """What is said where each target is set against itself in another campaign: nobody can lead,
    but some do more than before.

    :param opposed: pairs of (in the base, now).
    """
    found = lead(metric, labels, cells, barred_by)
    if found.kind == "nothing":
        return found
    said = {
        now: {
            pair.word if pair.second == now else _TURNED[pair.word]
            for cell in cells
            for pair in cell.pairs
            if {pair.first, pair.second} == {base, now}
        }
        for base, now in opposed
    }
    more = [labels[now] for now, each in said.items() if "more" in each and "less" not in each]
    less = [labels[now] for now, each in said.items() if "less" in each and "more" not in each]
    same = [labels[now] for now, each in said.items() if each == {"as_much"}]
    sentence = words.by_target(metric, more, less, same, len(opposed))
    if barred_by:
        sentence = words.barred(barred_by, sentence)
    told = [pair.word for cell in cells for pair in cell.pairs if pair.second in said]
    return replace(
        found,
        kind="by_target",
        leaders=(),
        sentence=f"{sentence}.",
        sure=words.sure_of_pairs(
            sum(word in {"more", "less", "as_much"} for word in told),
            len(told),
            (found.fewest_repeats, found.most_repeats),
        ),
        standings=(),
    )


_TURNED: Mapping[Word, Word] = {
    "more": "less",
    "less": "more",
    "as_much": "as_much",
    "cannot_tell": "cannot_tell",
    "too_few": "too_few",
}


def _shown(cell: LeadCell, labels: Mapping[str, str]) -> LeadCell:
    return replace(
        cell,
        repeats={side: many for side, many in cell.repeats.items() if side in labels and many},
        pairs=[pair for pair in cell.pairs if pair.first in labels and pair.second in labels],
    )


def _standings(labels: Mapping[str, str], seen: Sequence[JudgedCell]) -> tuple[Standing, ...]:
    compared = [one for one in seen if one.state != "missing"]
    found, score = [], {}
    for side in labels:
        mine = [one for one in compared if side in one.cell.repeats]
        ranks = [one.rank(side) for one in mine]
        first = sum(one.first == side for one in mine)
        best = min((each for each, _ in ranks), default=None)
        worst = max((each for _, each in ranks), default=None)
        said = words.standing(first, best, worst, len(seen))
        found.append(Standing(side, first, best, worst, len(mine), said))
        score[side] = sum(each[0] == side for one in mine for each in one.better) - sum(
            each[1] == side for one in mine for each in one.better
        )
    return tuple(
        sorted(found, key=lambda one: (one.best_rank is None, -one.first, -score[one.side]))
    )


def _said(found: Lead, labels: Mapping[str, str], seen: Sequence[JudgedCell]) -> Lead:
    kind, leaders, sentence = _answer(found, labels, seen)
    lacking = sum(one.state != "missing" and len(one.cell.repeats) < len(labels) for one in seen)
    if lacking and kind != "nothing":
        sentence += f"; in {words.share(lacking, len(seen))} a side has no figure"
    if found.barred_by and kind != "nothing":
        sentence = words.barred(found.barred_by, sentence)
    open_cells = [(one.cell, one.front) for one in seen if one.state == "undecided"]
    sure = words.sure(
        decided=found.decided,
        level=found.level,
        open_cells=[(_place(cell), tuple(labels[each] for each in front))
                    for cell, front in open_cells],
        too_few=found.too_few,
        missing=found.missing,
        grid=(
            len({one.cell.workload for one in seen}),
            len(words.levels([_place(one.cell) for one in seen])),
        ),
        sides=len(labels),
        repeats=(found.fewest_repeats, found.most_repeats),
        margins=[one.margin for one in seen if one.margin is not None],
    )  # fmt: skip
    return replace(found, kind=kind, leaders=leaders, sentence=f"{sentence}.", sure=sure)


def _answer(
    found: Lead, labels: Mapping[str, str], seen: Sequence[JudgedCell]
) -> tuple[LeadKind, tuple[str, ...], str]:
    compared = [one for one in seen if one.state != "missing"]
    if not compared:
        measured = [
            label for side, label in labels.items() if any(side in one.cell.repeats for one in seen)
        ]
        return "nothing", (), words.alone(measured, len(labels))
    if found.too_few == len(compared):
        return "too_few", (), words.too_few(found.fewest_repeats, REPEATS_FOR_A_CLAIM)
    wins = Counter(one.first for one in seen if one.first is not None)
    if not wins:
        never_behind = [
            label for side, label in labels.items() if all(
                side in one.front for one in compared if side in one.cell.repeats
            ) and any(side in one.cell.repeats for one in compared)
        ]  # fmt: skip
        return (
            "nobody",
            (),
            words.nobody(found.metric, list(labels.values()), never_behind, len(seen), found.level),
        )
    places = [_place(one.cell) for one in seen]
    ordered = [side for side, _ in wins.most_common()]
    foremost = ordered[0]
    majority = wins[foremost] > len(compared) / 2
    elsewhere = (sum(wins.values()) - wins[foremost]) / len(compared)
    if not majority or elsewhere >= SPLIT_FROM:
        split = _by_load(found, labels, seen, wins) or _by_workload(labels, seen, wins)
        if split is not None:
            return split
    if majority:
        behind = _behind(foremost, labels, seen)
        said = words.leads(
            found.metric, labels[foremost], wins[foremost], len(seen), behind, places
        )
        return "leads", (foremost,), said
    counted = [(labels[side], wins[side]) for side in ordered]
    return "nobody", (), words.scattered(found.metric, counted, len(seen))


def _behind(
    side: str, labels: Mapping[str, str], seen: Sequence[JudgedCell]
) -> list[tuple[str, list[Place]]]:
    """Cells where others are beyond doubt better than a side, by who leads them."""
    found: dict[str, list[Place]] = {}
    for one in seen:
        ahead = [other for other, worse in one.better if worse == side]
        if ahead:
            known = one.first if one.first is not None else ahead[0] if len(ahead) == 1 else None
            found.setdefault("others" if known is None else labels[known], []).append(
                _place(one.cell)
            )
    return list(found.items())


def _by_load(
    found: Lead, labels: Mapping[str, str], seen: Sequence[JudgedCell], wins: Mapping[str, int]
) -> tuple[LeadKind, tuple[str, ...], str] | None:
    """The lead by ranges of the load; None where it does not follow the load."""
    levels = words.levels([_place(one.cell) for one in seen])
    owners = [
        _owner([one for one in seen if (one.cell.level, one.cell.load) == level])
        for level in levels
    ]
    parts: list[tuple[str | None, list[int]]] = []
    for at, owner in enumerate(owners):
        if parts and parts[-1][0] == owner:
            parts[-1][1].append(at)
        else:
            parts.append((owner, [at]))
    leading = list(dict.fromkeys(owner for owner in owners if owner is not None))
    if len(leading) < 2 or len(parts) > MOST_PARTS or set(leading) != set(wins):  # noqa: PLR2004
        return None
    order = sorted(leading, key=lambda side: -wins[side])
    said = words.by_load(
        found.metric,
        [(None if owner is None else labels[owner], at) for owner, at in parts],
        [label for _, label in levels],
        labels[order[0]],
        wins[order[0]],
        len(seen),
    )
    return "by_load", tuple(order), said


def _by_workload(
    labels: Mapping[str, str], seen: Sequence[JudgedCell], wins: Mapping[str, int]
) -> tuple[LeadKind, tuple[str, ...], str] | None:
    """The lead workload by workload; None where a workload has no leader, or all the same one."""
    by_workload: dict[str, list[JudgedCell]] = {}
    for one in seen:
        by_workload.setdefault(one.cell.workload, []).append(one)
    owners = {name: _owner(mine) for name, mine in by_workload.items()}
    leading = list(dict.fromkeys(owner for owner in owners.values() if owner is not None))
    if None in owners.values() or len(leading) < 2 or set(leading) != set(wins):  # noqa: PLR2004
        return None
    order = sorted(leading, key=lambda side: -wins[side])
    parts = [
        (name, labels[owner], sum(one.first == owner for one in by_workload[name]),
         len(by_workload[name]))
        for name, owner in owners.items() if owner is not None
    ]  # fmt: skip
    return "by_workload", tuple(order), words.by_workload(parts)


def _owner(cells: Sequence[JudgedCell]) -> str | None:
    """The only side that leads any of these cells, when it leads half of them or more and nobody is
    ahead of it in the others.
    """
    wins = Counter(one.first for one in cells if one.first is not None)
    if len(wins) != 1:
        return None
    side, many = next(iter(wins.items()))
    behind = any(worse == side for one in cells for _, worse in one.better)
    return side if many >= len(cells) / 2 and not behind else None


def _place(cell: LeadCell) -> Place:
    return Place(cell.workload, cell.load, cell.level)
