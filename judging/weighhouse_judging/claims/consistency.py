"""Figures of a cell beside each other: what no set of latencies or intervals can be. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.figures import ALL

from weighhouse_judging.claims.remarks import Remark, RemarkKind
from weighhouse_judging.claims.text import PLAIN, Stated, Text
from weighhouse_judging.studies.outcomes import share_beyond

REPEATS_OTHERS = re.compile(r"MODIFY|COMB|TOTAL|ALL|FAILED|NOT_FOUND", re.IGNORECASE)
"""Rows of tools that count operations of other rows again."""
FEWEST_PARTS = 2
TRUNCATED = "Its digits are cut off and not rounded"


def percentile_order(text: Text) -> Iterator[Remark]:
    """Percentiles rise with their share, none is longer than the longest, and each leaves the mean
    at least the share of the operations beyond it times itself.
    """
    for several in _together(text, by_place=True):
        latencies = [
            one
            for one in several
            if one.figure.statistic in PLAIN
            and (known := CATALOGUE.find(one.figure.figure)) is not None
            and known.is_latency
        ]
        ordered = sorted(latencies, key=_quantile)
        ranked = [one for one in ordered if one.figure.figure != "mean_us"]
        for lower, higher in pairwise(ranked):
            wrong = lower.read.low > higher.read.high
            words = f"{_short(lower)} {lower.said}, {_short(higher)} {higher.said}"
            reason = f"{words}: the lower percentile is the longer" if wrong else words
            yield _found(text, higher, "percentile-order", reason, wrong=wrong)
        for mean in (one for one in latencies if one.figure.figure == "mean_us"):
            yield from (_beside_the_mean(text, mean, one) for one in ranked)


def _beside_the_mean(text: Text, mean: Stated, other: Stated) -> Remark:
    if other.figure.figure == "max_us":
        wrong = mean.read.low > other.read.high
        words = f"mean {mean.said}, longest {other.said}"
        reason = f"{words}: no mean is longer than the longest" if wrong else words
        return _found(text, mean, "percentile-order", reason, wrong=wrong)
    share = share_beyond(other.figure.figure)
    least = share * other.read.low
    wrong = least > mean.read.high * (1 + 1e-9)
    words = f"mean {mean.said}, {_short(other)} {other.said}"
    beyond = (
        f"{words}: {share:.10g} of the operations take at least that long, which alone makes the "
        f"mean {number(least)} µs or more"
    )
    return _found(text, other, "percentile-order", beyond if wrong else words, wrong=wrong)


def interval_order(text: Text) -> Iterator[Remark]:
    """A mean of intervals lies between the lowest and the highest of them, and from peak to trough
    is the one less the other.
    """
    for several in _together(text, by_place=True):
        by_statistic: dict[tuple[str, str], Stated] = {
            (one.figure.figure, one.figure.statistic): one for one in several
        }
        for figure in {name: None for name, _ in by_statistic}:
            found = {
                statistic: one for (name, statistic), one in by_statistic.items() if name == figure
            }
            yield from _ends(text, found)


def _ends(text: Text, found: dict[str, Stated]) -> Iterator[Remark]:
    low, high = found.get("lowest_of_intervals"), found.get("highest_of_intervals")
    if low is None or high is None:
        return
    for one in filter(None, (found.get("averaged"), found.get("unknown"))):
        wrong = one.read.high < low.read.low or one.read.low > high.read.high
        words = f"lowest {low.said}, mean {one.said}, highest {high.said}"
        reason = f"{words}: a mean lies between them" if wrong else words
        yield _found(text, one, "interval-order", reason, wrong=wrong)
    span = found.get("range_of_intervals")
    if span is not None:
        least, most = high.read.low - low.read.high, high.read.high - low.read.low
        wrong = span.read.high < least or span.read.low > most
        difference = number(high.read.value - low.read.value, 4)
        words = f"{high.said} - {low.said} = {difference}, printed {span.said}"
        yield _found(text, span, "interval-order", words, wrong=wrong)


def sums(text: Text) -> Iterator[Remark]:
    """The throughput of all operations is no less than that of its kinds together."""
    for several in _together(text, by_place=True, by_operation=False):
        rates = [
            one
            for one in several
            if one.figure.figure == "throughput" and one.figure.statistic in PLAIN
        ]
        parts = [one for one in rates if one.figure.operation != ALL]
        whole = next((one for one in rates if one.figure.operation == ALL), None)
        repeated = any(REPEATS_OTHERS.search(one.figure.operation) for one in parts)
        if whole is None or len(parts) < FEWEST_PARTS or repeated:
            continue
        total = sum(one.read.value for one in parts)
        wrong = sum(one.read.low for one in parts) > whole.read.high
        mean = total / len(parts)
        words = f"{' + '.join(one.said for one in parts)} = {number(total)}, printed {whole.said}"
        if wrong and whole.read.low <= mean <= whole.read.high:
            words += ", which is the mean of them and not the sum"
        yield _found(text, whole, "sum", words, wrong=wrong)


def printed_twice(text: Text) -> Iterator[Remark]:
    """A figure that stands in several places is the same in each, as far as it is rounded."""
    several: dict[tuple[object, ...], list[Stated]] = defaultdict(list)
    for one in text.stated:
        several[(one.key, one.cell.run, one.figure.statistic)].append(one)
    for found in several.values():
        finest = min(found, key=lambda one: one.step)
        for one in found:
            if one is not finest and one.place != finest.place:
                yield _again(text, finest, one)


def _again(text: Text, fine: Stated, coarse: Stated) -> Remark:
    words = f"{coarse.said} here, {fine.said} in {fine.place or 'another place'}"
    apart = coarse.read.high < fine.read.low or coarse.read.low > fine.read.high
    kind: RemarkKind = "contradiction" if apart else "sound"
    if apart and 0 <= fine.read.value - coarse.read.value < coarse.step:
        kind = "doubt"
        words = f"{words}. {TRUNCATED}"
    where = coarse.words(text.names)
    return Remark("printed-twice", kind, where, coarse.place, f"{words.rstrip('.')}.")


def _together(text: Text, *, by_place: bool, by_operation: bool = True) -> Iterator[list[Stated]]:
    """Figures of one cell, setting, operation and place."""
    found: dict[tuple[object, ...], list[Stated]] = defaultdict(list)
    for one in text.stated:
        operation = one.figure.operation if by_operation else ""
        place = one.place if by_place else ""
        found[(id(one.cell), one.figure.setting, operation, place)].append(one)
    yield from found.values()


def _quantile(one: Stated) -> float:
    known = CATALOGUE.find(one.figure.figure)
    quantile = None if known is None else known.quantile
    return 2.0 if quantile is None else quantile


def _short(one: Stated) -> str:
    known = CATALOGUE.find(one.figure.figure)
    return one.figure.figure if known is None else known.short


def _found(text: Text, one: Stated, rule: str, reason: str, *, wrong: bool) -> Remark:
    kind: RemarkKind = "contradiction" if wrong else "sound"
    return Remark(rule, kind, one.words(text.names), one.place, f"{reason}.")  # type: ignore[arg-type]
