"""A published source held against itself, its claims, its commands and its raw data. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_judging.claims.closed_loops import closed_loops
from weighhouse_judging.claims.consistency import (
    interval_order,
    percentile_order,
    printed_twice,
    sums,
)
from weighhouse_judging.claims.recomputed import recomputed
from weighhouse_judging.claims.remarks import Remark, by_weight
from weighhouse_judging.claims.tables import tables
from weighhouse_judging.claims.text import Text, label_of
from weighhouse_judging.claims.texts_and_commands import commands
from weighhouse_judging.studies.claims import over_print
from weighhouse_judging.studies.language import Claim, Range, RawFile
from weighhouse_judging.studies.outcomes import Outcome
from weighhouse_judging.studies.terms import place_words

MOST_FAILURES = 4
"""That are told of one claim."""
NOT_OF_A_RUN: Mapping[str, str] = {
    "averaged": "the mean of the percentiles of intervals or connections",
    "one_connection": "the percentile of one connection's operations",
}


def check(
    results: PublishedResults,
    claims: Sequence[Claim] = (),
    raw: Sequence[PublishedResults] = (),
    files: Sequence[RawFile] = (),
) -> list[Remark]:
    """All that can be said of a source, what is wrong first.

    :param results: its figures, as it prints them.
    :param claims: what it says of them.
    :param raw: what was read of files of its raw data.
    :param files: which of its cells those files are of.
    """
    names = {side.name: side.label for side in results.sides if side.label}
    text = Text(results, [named(one, files) for one in raw], names)
    rules = (closed_loops, percentile_order, interval_order, sums, printed_twice, recomputed,
             commands, tables, _statistics)  # fmt: skip
    found = [remark for rule in rules for remark in rule(text)]
    return by_weight([*(_claim(text, one) for one in claims), *found])


def named(raw: PublishedResults, files: Sequence[RawFile]) -> PublishedResults:
    """Raw data with its cells named as the text names them, where `files` says how."""
    cells, sides = [], {side.name: side for side in raw.sides}
    for cell in raw.cells:
        found = next((one for one in files if _is_of(cell, one)), None)
        if found is None:
            cells.append(cell)
            continue
        side = sides[cell.side].model_copy(update={"name": found.side})
        sides.setdefault(found.side, side)
        load = cell.load.model_copy(update={"label": found.load}) if found.load else cell.load
        cells.append(
            cell.model_copy(
                update={
                    "side": found.side,
                    "workload": found.workload or cell.workload,
                    "load": load,
                }
            )
        )
    return raw.model_copy(update={"cells": tuple(cells), "sides": tuple(sides.values())})


def _is_of(cell: PublishedCell, file: RawFile) -> bool:
    wanted = f"/{file.file.lstrip('/')}"
    return any(f"/{one.name.lstrip('/')}".endswith(wanted) for one in cell.files)


def _claim(text: Text, claim: Claim) -> Remark:
    # Stricter than a study's page: a range that is a step wide is not widened to three.
    tests = tuple(one.finer if isinstance(one, Range) else one for one in claim.tests)
    asked = claim.model_copy(update={"tests": tests})
    outcomes = over_print(asked, text.figures, text.names)
    wrong = [one for one in outcomes if one.truth == "fails"]
    held = [one for one in outcomes if one.truth not in {"fails", "missing"}]
    if wrong:
        shown = [_words(one) for one in wrong[:MOST_FAILURES]]
        more = f"; and {len(wrong) - len(shown)} more" if len(wrong) > len(shown) else ""
        of = f" ({len(wrong)} of {len(outcomes)})" if len(outcomes) > 1 else ""
        reason = f"{'; '.join(shown)}{more}{of}."
        return Remark("claim", "contradiction", claim.says, claim.place, reason, claim.id)
    if not held:
        reason = f"{_words(outcomes[0])}."
        return Remark("claim", "not_checked", claim.says, claim.place, reason, claim.id)
    lacking = len(outcomes) - len(held)
    also = f"; {lacking} of {len(outcomes)} cannot be checked" if lacking else ""
    reason = f"{'; '.join(_words(one) for one in held[:MOST_FAILURES])}{also}."
    return Remark("claim", "sound", claim.says, claim.place, reason, claim.id)


def _words(outcome: Outcome) -> str:
    return f"{outcome.where}: {outcome.words}" if outcome.where else outcome.words


def _statistics(text: Text) -> Iterator[Remark]:
    """Percentiles that are none of the run; one remark for each cell and statistic."""
    told = set()
    for one in text.stated:
        known = CATALOGUE.find(one.figure.figure)
        how = NOT_OF_A_RUN.get(one.figure.statistic)
        key = (id(one.cell), one.figure.statistic)
        if known is None or known.quantile is None or how is None or key in told:
            continue
        told.add(key)
        cell = one.cell
        where = place_words(cell.side, cell.workload, label_of(cell.load), text.names)
        reason = (
            f"What is called {known.short} is {how}. It may lie far from the percentile of all "
            "operations, in either direction."
        )
        yield Remark("statistic", "doubt", where, one.place, reason)
