"""What may be said of each side in one sentence, out of its differences. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from weighhouse_judging.caveats.caveat_list import Undecided
from weighhouse_judging.verdicts.readings import CellReading, read
from weighhouse_protocol.figures import CATALOGUE, LOAD_KINDS

from weighhouse_backend.comparisons.answer_schemas import ReadingRead
from weighhouse_backend.comparisons.estimates import SideCells
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.results.repeats import CellKey


def readings(
    pairs: Sequence[tuple[SideCells, SideCells]],
    labels: Mapping[str, str],
    differences: Sequence[DifferenceRead],
    figure: str | None = None,
    cell: CellKey | None = None,
) -> list[ReadingRead]:
    """Each side against its baseline: a reading a kind of loop, over all cells of the comparison,
    as leads count them; one that neither of the two was to have is one without a figure.

    :param pairs: (baseline, other).
    :param labels: of sides, by key.
    :param differences: of all the pairs, corrected together.
    :param figure: the name of one that sides are judged by; each loop's primary figure when None.
    :param cell: the one that it is read of; all for None.
    """
    judged = {
        (one.baseline_side, one.side, one.workload, one.load_level.label, one.metric): one
        for one in differences
    }
    kinds = {
        name: runs[0].load_kind
        for pair in pairs
        for side in pair
        for name, runs in side.cells.items()
        if cell in {None, name}
    }
    found = []
    for baseline, other in pairs:
        for kind in LOAD_KINDS:
            metric = figure or CATALOGUE.primary(kind).name
            cells = [
                _cell(name, judged.get((baseline.key, other.key, *name, metric)))
                for name, each in kinds.items()
                if each == kind
            ]
            if not cells:
                continue
            reading = read(metric, labels[baseline.key], cells)
            found.append(
                ReadingRead.model_validate(
                    {
                        **asdict(reading),
                        "side": other.key,
                        "baseline_side": baseline.key,
                        "load_kind": kind,
                    }
                )
            )
    return found


def undecided(differences: Sequence[DifferenceRead]) -> list[Undecided]:
    """Differences of the primary figures that more repeats could settle."""
    return [
        Undecided(
            one.side,
            f"{one.workload}, {one.load_level.label}",
            one.p_holm,
            one.repeats_needed,
        )
        for one in primary(differences)
        if one.word == "cannot_tell" and one.p_holm is not None and one.repeats_needed is not None
    ]


def primary(differences: Sequence[DifferenceRead]) -> list[DifferenceRead]:
    """Those of the figure that their loop is read by."""
    of_loop = {kind: CATALOGUE.primary(kind).name for kind in LOAD_KINDS}
    return [one for one in differences if one.metric == of_loop[one.load_level.kind]]


def _cell(cell: CellKey, difference: DifferenceRead | None) -> CellReading:
    if difference is None:
        return CellReading(cell[0], None)
    return CellReading(
        cell[0],
        difference.word,
        1 + difference.relative,
        min(difference.baseline_repeats, difference.repeats),
    )
