"""What comes out of one test of a claim, over a text's figures or over ours. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.studies.language import (
    ClosedLoop,
    Equals,
    Maximum,
    Monotone,
    NearLinear,
    Order,
    Range,
    RawData,
    Term,
    Test,
)
from weighhouse_judging.studies.printed import PrintedRange
from weighhouse_judging.studies.terms import Figures, Missing, Value, cell_words
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM

Truth = Literal["holds", "fails", "cannot_tell", "too_few", "missing"]
OF_A_LAW = 0.005
"""By how much of themselves printed figures may pass Little's law: a mean latency and a throughput
are not taken over quite the same time."""
FINER_DIGITS = 6
FEWEST_LOADS = 2
"""Of something that rises or falls with them."""
_CLIENTS = re.compile(r"(\d+) clients?(?:, pipeline (\d+))?")


@dataclass(frozen=True)
class Outcome:
    """What came out of one test over one combination."""

    truth: Truth
    where: str
    """The combination: `redis, balanced`; empty where there is one."""
    words: str
    """The figures, and where they stand to what is claimed."""


def outcome_of(test: Test, figures: Figures, where: str, *, of_print: bool = False) -> Outcome:
    """What comes out of a test whose cells leave nothing out.

    :param where: the combination, in words.
    :param of_print: are the figures a text's? They may miss a law by what rounding of times leaves.
    """
    match test:
        case Equals():
            return _equal(test, figures, where)
        case ClosedLoop():
            return _in_a_closed_loop(test, figures, where, of_print=of_print)
        case RawData():
            return _raw_data(test, figures, where)
        case Range() | NearLinear():
            return _bounded(test, figures, where)
        case _:
            return _ordered(test, figures, where)


def _bounded(test: Range | NearLinear, figures: Figures, where: str) -> Outcome:
    if isinstance(test, Range):
        return _within(figures.value(test.of), test.bounds, test.words, where)
    least = PrintedRange(low=test.times * (1 - test.within))
    words = f"at least {number(least.low)} (linear: {number(test.times)})"
    return _within(figures.ratio(test.of, test.to), least, words, where)


def _ordered(test: Order | Maximum | Monotone, figures: Figures, where: str) -> Outcome:
    match test:
        case Order():
            return _in_order(list(zip(test.of[:-1], test.of[1:], strict=True)), figures, where)
        case Maximum():
            return _in_order([(test.of, other) for other in test.among], figures, where)
        case Monotone():
            return _monotone(test, figures, where)


def _missing(found: Missing, where: str) -> Outcome:
    return Outcome("missing", where, _no_figure(found))


def _no_figure(found: Missing) -> str:
    return f"no figure of {found.what}"


def _within(found: Value | Missing, asked: PrintedRange, words: str, where: str) -> Outcome:
    """:param words: what is asked, as it is printed."""
    if isinstance(found, Missing):
        return _missing(found, where)
    if found.high < asked.low:
        said = f"{found.words}, {_apart(found.high, 'below', asked.low)}; asked is {words}"
        return _decided(found, "fails", where, said)
    if found.low > asked.high:
        said = f"{found.words}, {_apart(found.low, 'above', asked.high)}; asked is {words}"
        return _decided(found, "fails", where, said)
    if asked.low <= found.low and found.high <= asked.high:
        return _decided(found, "holds", where, f"{found.words}; asked is {words}")
    if found.repeats is None:  # printed: one value that it may have been rounded from is enough
        return Outcome("holds", where, f"{found.words}; asked is {words}, within rounding")
    return _decided(found, "cannot_tell", where, f"{found.words}; asked is {words}")


def _apart(value: float, where: str, mark: float) -> str:
    """`below 10`; with both numbers where few digits would not tell them apart."""
    if number(value) != number(mark):
        return f"{where} {number(mark)}"
    return f"{number(value, FINER_DIGITS)} {where} {number(mark, FINER_DIGITS)}"


def _decided(found: Value, truth: Truth, where: str, words: str) -> Outcome:
    if found.too_few:
        few = f"{words}; {found.repeats} repeats, a claim takes {REPEATS_FOR_A_CLAIM}"
        return Outcome("too_few", where, few)
    return Outcome(truth, where, words)


def _in_order(
    pairs: Sequence[tuple[Term, Term]], figures: Figures, where: str, *, or_equal: bool = False
) -> Outcome:
    truths: list[Truth] = []
    said = []
    for first, second in pairs:
        found = figures.order(first, second)
        if isinstance(found, Missing):
            truths.append("missing")
            said.append(_no_figure(found))
            continue
        one, other = figures.value(first), figures.value(second)
        if isinstance(one, Missing) or isinstance(other, Missing):
            raise TypeError("an order of terms that have no value")
        sign = {"more": ">", "less": "<", "as_much": "="}.get(found, "not told from")
        said.append(f"{one.words} {sign} {other.words}")
        truth: Truth = "cannot_tell"
        if found == "more" or (or_equal and found == "as_much"):
            truth = "holds"
        elif found in {"less", "as_much"}:
            truth = "fails"
        elif found == "too_few":
            truth = "too_few"
        elif one.repeats is None and other.repeats is None:
            truth = "holds"  # printed: rounding leaves it open
        truths.append(truth)
    for worst in ("fails", "missing", "too_few", "cannot_tell"):
        if worst in truths:
            return Outcome(worst, where, "; ".join(dict.fromkeys(_of(truths, said, worst))))
    return Outcome("holds", where, "; ".join(said))


def _of(truths: Sequence[Truth], said: Sequence[str], wanted: Truth) -> list[str]:
    return [words for truth, words in zip(truths, said, strict=True) if truth == wanted]


def _equal(test: Equals, figures: Figures, where: str) -> Outcome:
    one, other = figures.value(test.of), figures.value(test.to)
    if isinstance(one, Missing):
        return _missing(one, where)
    if isinstance(other, Missing):
        return _missing(other, where)
    low, high = other.low * (1 - test.within), other.high * (1 + test.within)
    words = f"{one.words} against {other.words}"
    both = Value(one.low, one.middle, one.high, words, _fewest(one, other))
    if one.high < low or one.low > high:
        return _decided(both, "fails", where, words)
    if both.repeats is None or (low <= one.low and one.high <= high):
        return _decided(both, "holds", where, words)
    return _decided(both, "cannot_tell", where, words)


def _in_a_closed_loop(test: ClosedLoop, figures: Figures, where: str, *, of_print: bool) -> Outcome:
    """Little's law: throughput × mean latency is the requests under way, never above all there are.

    Of a percentile: the share of operations beyond it took at least so long, so that the mean is at
    least that share of it. Source: Little (1961), Operations Research 9; Markov's inequality.
    """
    rate, latency = figures.value(test.throughput), figures.value(test.latency)
    if isinstance(rate, Missing):
        return _missing(rate, where)
    if isinstance(latency, Missing):
        return _missing(latency, where)
    there = test.outstanding or _outstanding(test.throughput.load or "")
    share = share_beyond(test.latency.figure)
    needed = rate.middle * latency.middle * share / 1e6
    least = rate.low * latency.low * share / 1e6
    part = "" if share == 1.0 else f"{share:g} × "
    words = (
        f"{part}{latency.words} × {rate.words} = {number(needed)} requests under way, "
        f"of {number(there)} there are"
    )
    both = Value(least, needed, needed, words, _fewest(rate, latency))
    most = there * (1 + OF_A_LAW) if of_print else there
    return _decided(both, "fails" if least > most else "holds", where, words)


def share_beyond(figure: str) -> float:
    """The share of operations that take at least as long; of a mean, all of them."""
    quantile = CATALOGUE[figure].quantile
    return 1.0 if quantile is None else round(1 - quantile, 9)


def _outstanding(label: str) -> float:
    found = _CLIENTS.fullmatch(label)
    if found is None:
        raise ValueError(f"outstanding: {label!r} does not say how many clients; give it")
    return float(found[1]) * float(found[2] or 1)


def _fewest(*values: Value) -> int | None:
    return min((one.repeats for one in values if one.repeats is not None), default=None)


def _monotone(test: Monotone, figures: Figures, where: str) -> Outcome:
    loads = list(test.loads) or figures.loads(test.of)
    if len(loads) < FEWEST_LOADS:
        return Outcome("missing", where, f"{len(loads)} loads of {cell_words(test.of)}")
    cells = [test.of.model_copy(update={"load": load}) for load in loads]
    if test.direction == "falls":
        cells.reverse()
    pairs = list(zip(cells[1:], cells[:-1], strict=True))
    return _in_order(list(pairs), figures, where, or_equal=True)


def _raw_data(test: RawData, figures: Figures, where: str) -> Outcome:
    found = figures.has_raw(test.of)
    if isinstance(found, Missing):
        return _missing(found, where)
    what = cell_words(test.of)
    if found:
        return Outcome("holds", where, f"the raw data of {what} is there")
    return Outcome(
        "fails", where, f"raw data of {what} is promised, and is not among what is there"
    )
