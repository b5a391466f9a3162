"""The words of leads: who leads where, how sure that is. Pure; `leads` decides what is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.verdicts.readings import ratio_in_words

LeadKind = Literal["leads", "by_load", "by_workload", "nobody", "too_few", "by_target", "nothing"]
"""`by_target`: each target is set against itself, so that nobody can lead."""

MOST_NAMED = 3
"""Names that are given before the rest is counted."""
NARROW = 1.1
"""A lead that is below this ratio everywhere is called narrow."""
MOST_PLACES = 2
"""Groups of cells that are told one by one before the rest is counted."""


@dataclass(frozen=True)
class Place:
    """Which cell."""

    workload: str
    load: str
    level: float


def most(metric: str) -> str:
    """`most throughput`, `shortest p99 latency`, `least memory after the run`."""
    known = CATALOGUE[metric]
    figure = _named(metric)
    if known.higher_is_better:
        return f"most {figure}"
    return f"{'shortest' if known.unit == 'µs' else 'least'} {figure}"


def subject(name: str) -> str:
    """A side's name before its verb: `Redis, appendonly no,` with a second comma, or what it is set
    to would be read as a part of what is said: *no leads*.
    """
    return f"{name}," if "," in name else name


def alone(measured: Sequence[str], sides: int) -> str:
    """Of sides that no cell sets against another.

    :param measured: those with a figure.
    :param sides: all of them.
    """
    if not measured:
        return "Nothing was measured"
    if len(measured) > 1:
        return "Nothing can be compared: no cell has figures of two sides"
    if sides == 1:
        return f"{measured[0]} alone: there is no other side to compare it with"
    return f"Only {subject(measured[0])} has figures: there is nothing to compare them with"


def _named(metric: str) -> str:
    label = CATALOGUE[metric].label
    return label if label[1:2].isdigit() else label[:1].lower() + label[1:]


def levels(places: Sequence[Place]) -> list[tuple[float, str]]:
    """The loads of cells, each once, the lightest first."""
    return sorted({(place.level, place.load) for place in places})


def leads(
    metric: str,
    leader: str,
    won: int,
    cells: int,
    behind: Sequence[tuple[str, Sequence[Place]]],
    places: Sequence[Place],
) -> str:
    """`Dragonfly leads: most throughput in 16 of 18 cells, behind Redis at 1 client`.

    :param behind: who is ahead of it, and where.
    :param places: all cells.
    """
    said = f"{subject(leader)} leads: {most(metric)} in {share(won, cells)}"
    told = [f"behind {who} {where(cells, places)}" for who, cells in behind[:MOST_PLACES]]
    rest = sum(len(cells) for _, cells in behind[MOST_PLACES:])
    if rest:
        told.append(f"behind others in {rest} more")
    return said + (f", {', '.join(told)}" if told else "")


def by_load(
    metric: str,
    parts: Sequence[tuple[str | None, Sequence[int]]],
    loads: Sequence[str],
    foremost: str,
    won: int,
    cells: int,
) -> str:
    """`Garnet leads from 16 clients on: most throughput in 8 of 12 cells; up to 4 clients Redis
    leads`.

    :param parts: (who leads there, places among `loads`), the lightest load first.
    :param foremost: who leads the most cells, and is named first.
    """
    mine = [at for who, places in parts if who == foremost for at in places]
    where_it_leads = _loads(mine, loads)
    said = f"{subject(foremost)} leads {where_it_leads}: {most(metric)} in {share(won, cells)}"
    others = [
        f"{_loads(places, loads)} {'nobody' if who is None else subject(who)} leads"
        for who, places in parts
        if who != foremost
    ]
    return "; ".join([said, *others])


def by_workload(parts: Sequence[tuple[str, str, int, int]]) -> str:
    """`The lead is split by workload: Redis leads balanced (6 of its 6 cells), Garnet scans (5 of
    its 6)`: counts are of a workload's cells, and say so.

    :param parts: (workload, who leads it, cells led, cells).
    """
    told = [
        f"{subject(who)}{' leads' if at == 0 else ''} {workload} "
        f"({led} of its {cells}{_cells(cells) if at == 0 else ''})"
        for at, (workload, who, led, cells) in enumerate(parts)
    ]
    return f"The lead is split by workload: {_in_a_row(told, [who for _, who, *_ in parts])}"


def scattered(metric: str, counted: Sequence[tuple[str, int]], cells: int) -> str:
    """`Nobody leads overall: Redis has most throughput in 5 of 18 cells, Garnet in 4`.

    :param counted: (who, cells led), most first.
    """
    (first, many), *others = counted[:MOST_NAMED]
    told = [
        f"{subject(first)} has {most(metric)} in {share(many, cells)}",
        *(f"{subject(who)} in {led}" for who, led in others),
    ]
    rest = sum(led for _, led in counted[MOST_NAMED:])
    if rest:
        told.append(f"others in {rest}")
    names = [who for who, _ in counted]
    return f"Nobody leads overall: {_in_a_row(told, names)}"


def nobody(
    metric: str, labels: Sequence[str], never_behind: Sequence[str], cells: int, level: int
) -> str:
    """Of sides none of which leads any cell.

    :param never_behind: those that nobody is beyond doubt better than, anywhere.
    :param level: cells whose foremost sides differ by less than matters.
    """
    everybody = _either(labels) if len(labels) <= MOST_NAMED else f"all {len(labels)} sides"
    if level == cells and len(never_behind) == len(labels):
        return (
            f"Nobody leads: {everybody} differ by less than matters in {_named(metric)}, "
            f"in {share(cells, cells)}"
        )
    if len(labels) == 2:  # noqa: PLR2004 - of two, one word says it
        return f"Nobody leads: {everybody} cannot be told apart by {_named(metric)}" + (
            f" in {share(cells - level, cells)}, and differ by less than matters in {level}"
            if level
            else f", in {share(cells, cells)}"
        )
    where_none = "the only cell" if cells == 1 else f"any of {cells} cells"
    said = f"Nobody leads: no side has beyond doubt the {most(metric)} in {where_none}"
    if len(never_behind) < len(labels) and 0 < len(never_behind) <= MOST_NAMED:
        verb = "is" if len(never_behind) == 1 else "are"
        said += f"; {_either(never_behind)} {verb} never behind"
    return said


def too_few(repeats: int, wanted: int) -> str:
    """Of sides that were repeated too rarely for any claim."""
    counted = "1 repeat a side is" if repeats == 1 else f"{repeats} repeats a side are"
    return f"Nobody can be said to lead: {counted} too few to tell; {wanted} would do"


def barred(titles: Sequence[str], sentence: str) -> str:
    """What is said of figures that a finding bars from use."""
    rest = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
    return (
        f"Not to be relied on ({titles[0].rstrip('.')}{rest}). By these figures alone: {sentence}"
    )


def by_target(
    metric: str, more: Sequence[str], less: Sequence[str], same: Sequence[str], targets: int
) -> str:
    """`Of 4 targets, 1 has less throughput than in the base (Redis № 7), 2 as much (…); 1 cannot be
    told`.

    :param more: those with more of the figure somewhere and less nowhere; `less`: likewise; `same`:
        those that differ by less than matters everywhere.
    """
    latency = CATALOGUE[metric].unit == "µs"
    figure = _named(metric)
    told = [
        (more, f"a longer {figure} than" if latency else f"more {figure} than"),
        (less, f"a shorter {figure} than" if latency else f"less {figure} than"),
        (same, f"as long a {figure} as" if latency else f"as much {figure} as"),
    ]
    parts = [
        f"{len(found)} {'has' if len(found) == 1 else 'have'} {words} in the base "
        f"({_listed(found)})"
        for found, words in told
        if found
    ]
    rest = targets - len(more) - len(less) - len(same)
    if rest:
        parts.append(f"{rest} cannot be told from before")
    return f"Of {targets} targets, {_either(parts)}"


def sure(
    *,
    decided: int,
    level: int,
    open_cells: Sequence[tuple[Place, Sequence[str]]],
    too_few: int,
    missing: int,
    grid: tuple[int, int],
    sides: int,
    repeats: tuple[int, int],
    margins: Sequence[float],
) -> str:
    """`beyond doubt in 11 of 12 cells (2 workloads × 6 loads; 1 not compared), from 5 repeats a
    side; by ×1.1 to ×1.3 over the next`.

    :param grid: workloads and loads; told where they make up the cells.
    :param margins: of the leaders over the sides nearest to them, cell by cell.
    :param open_cells: those without a verdict, with the sides that may lead them.
    """
    cells = decided + level + len(open_cells) + too_few + missing
    if cells == missing:
        return ""
    workloads, loads = grid
    rest = []
    if cells > 1 and workloads * loads == cells:
        rest.append(f"{_many(workloads, 'workload')} × {_many(loads, 'load')}")
    if level:
        rest.append(f"in {level} the foremost differ by less than matters")
    if len(open_cells) == 1:
        ((place, front),) = open_cells
        rest.append(f"{_either(front, 'or')} at {place.workload}, {place.load} is open")
    elif open_cells:
        rest.append(f"{len(open_cells)} are open")
    if too_few:
        rest.append(f"{too_few} with too few repeats")
    if missing:
        rest.append(f"{missing} not compared")
    beyond = f"beyond doubt in {share(decided, cells)}" if decided else "nothing beyond doubt"
    told = beyond + (f" ({'; '.join(rest)})" if rest else "") + f", from {_repeats(repeats)}"
    if not margins:
        return told
    next_one = "the other" if sides == 2 else "the next"  # noqa: PLR2004 - of two
    narrow = max(max(one, 1 / one) for one in margins) < NARROW
    return f"{told}; {'narrowly, by' if narrow else 'by'} {_between(margins)} over {next_one}"


def sure_of_pairs(decided: int, differences: int, repeats: tuple[int, int]) -> str:
    """`20 of 24 differences decided; 5 repeats a side`."""
    return f"{decided} of {differences} differences decided; {_repeats(repeats)}"


def standing(first: int, best: int | None, worst: int | None, cells: int) -> str:
    """`1st in 8 of 12 cells`, `2nd to 4th`, `no figure`."""
    if best is None or worst is None:
        return "no figure"
    if first:
        return f"1st in {share(first, cells)}"
    return ordinal(best) if best == worst else f"{ordinal(best)} to {ordinal(worst)}"


def ordinal(rank: int) -> str:
    """`1st`, `2nd`, `11th`."""
    teens = rank % 100 in {11, 12, 13}
    return f"{rank}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th')}"


def where(cells: Sequence[Place], places: Sequence[Place]) -> str:
    """Which of all cells, in short: `at 1 client`, `in balanced`, `in 3 cells`."""
    mine, loads = set(cells), levels(places)
    levelled = levels(cells)
    if mine == {place for place in places if (place.level, place.load) in levelled}:
        names = [label for _, label in loads]
        return _loads([loads.index(one) for one in levelled], names)
    workloads = {place.workload for place in cells}
    if len(workloads) == 1 and mine == {one for one in places if one.workload in workloads}:
        return f"in {cells[0].workload}"
    if len(cells) == 1:
        return f"at {cells[0].workload}, {cells[0].load}"
    return f"in {len(cells)} cells"


def _loads(at: Sequence[int], labels: Sequence[str]) -> str:
    """Places among loads: `up to 4 clients`, `from 16 clients on`."""
    first, last = at[0], at[-1]
    if len(at) == len(labels):
        return "at every load"
    if len(at) == 1:
        return f"at {labels[first]}"
    if list(at) != list(range(first, last + 1)):
        return f"at {_either([labels[one] for one in at])}"
    if first == 0:
        return f"up to {labels[last]}"
    if last == len(labels) - 1:
        return f"from {labels[first]} on"
    return f"from {labels[first]} to {labels[last]}"


def _repeats(repeats: tuple[int, int]) -> str:
    fewest, largest = repeats
    many = f"{fewest}" if fewest == largest else f"{fewest} to {largest}"
    return f"{many} {'repeat' if largest == 1 else 'repeats'} a side"


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def share(many: int, cells: int) -> str:
    """`16 of 18 cells`, `both cells`, `all 18 cells`, `the only cell`."""
    if cells == 1:
        return "the only cell"
    if many == cells == 2:  # noqa: PLR2004 - two are both
        return "both cells"
    return f"all {cells} cells" if many == cells else f"{many} of {cells} cells"


def _cells(many: int) -> str:
    return " cell" if many == 1 else " cells"


def _between(margins: Sequence[float]) -> str:
    ends = sorted(margins, key=lambda ratio: max(ratio, 1 / ratio))
    near, far = ratio_in_words(ends[0]), ratio_in_words(ends[-1])
    return near if near == far else f"{near} to {far}"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return _in_a_row(names[:MOST_NAMED], names) + (f" and {rest} more" if rest > 0 else "")


def _either(names: Sequence[str], word: str = "and") -> str:
    if len(names) < 2:  # noqa: PLR2004 - one needs no word between
        return "".join(names)
    return f"{_in_a_row(names[:-1], names)} {word} {names[-1]}"


def _in_a_row(told: Sequence[str], names: Sequence[str]) -> str:
    """What is told of sides, one after the other; their names may have commas of their own."""
    return ("; " if any("," in name for name in names) else ", ").join(told)
