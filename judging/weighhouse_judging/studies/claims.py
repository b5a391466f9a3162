"""Whether claims hold: in the figures that a text prints, and in ours. Pure.

A claim is a set of tests, all of which have to hold. Whatever a text prints stands for every value
that would have been rounded to it (`printed`): the figures, and the numbers of the claim. Each test
is asked twice. **Over the printed figures**: one that fails for every value that they and the claim
could have been rounded from makes the claim one that *cannot be true as printed*, and the
arithmetic is given. **Over our repeats**, with the claim's numbers just as wide: a test
holds, or does not, only where the interval of what it asks lies wholly on one side of its bounds
and rests on five repeats or more; else it *cannot be told*. One test that does not hold settles a
claim; one that was not measured leaves it *not measured*.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from pydantic import TypeAdapter
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.arithmetic.digits import number
from weighhouse_judging.studies import terms
from weighhouse_judging.studies.documents import (
    Cell,
    Claim,
    ClosedLoop,
    Each,
    Equals,
    Maximum,
    NearLinear,
    Order,
    Range,
    Scale,
    Term,
    Test,
)
from weighhouse_judging.studies.printed import Printed, PrintedRange
from weighhouse_judging.studies.terms import Figures, Key, Missing, Value
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM

Truth = Literal["holds", "fails", "cannot_tell", "too_few", "missing"]
ClaimVerdict = Literal[
    "holds_here", "does_not_hold_here", "cannot_be_true_as_printed", "cannot_tell", "not_measured"
]
VERDICT_WORDS: Mapping[ClaimVerdict, str] = {
    "holds_here": "holds here",
    "does_not_hold_here": "does not hold here",
    "cannot_be_true_as_printed": "cannot be true as printed",
    "cannot_tell": "cannot tell",
    "not_measured": "not measured",
}
OF_A_LAW = 0.005
"""By how much of themselves printed figures may pass Little's law: a mean latency and a throughput
are not taken over quite the same time."""
_TEST: TypeAdapter[Test] = TypeAdapter(Test)
_CLIENTS = re.compile(r"(\d+) clients?(?:, pipeline (\d+))?")


@dataclass(frozen=True)
class Outcome:
    """What came out of one test over one combination."""

    truth: Truth
    where: str
    """The combination: `redis, balanced`; empty where there is one."""
    words: str
    """The figures, and where they stand to what is claimed."""


@dataclass(frozen=True)
class ClaimResult:
    """What may be said of a claim."""

    claim: Claim
    verdict: ClaimVerdict
    printed: tuple[Outcome, ...]
    """Over the figures of the text; empty where it prints none that the claim speaks of."""
    here: tuple[Outcome, ...]
    sentence: str
    """Why, complete with its full stop."""
    measured: str
    """Of a claim that cannot be true as printed: what was measured here all the same, if it was;
    else empty, for then the sentence says it."""


def judge_claims(
    claims: Sequence[Claim],
    published: Mapping[Key, Printed],
    repeats: Mapping[Key, Repeats],
    scale: Scale,
    names: terms.Names = terms.NAMELESS,
) -> list[ClaimResult]:
    """Every claim, over the printed figures and over ours.

    :param published: what the text prints.
    :param repeats: of our runs, by cell and figure; the setting is empty.
    :param scale: that our runs have.
    :param names: of sides, for people; default: as claims call them.
    """
    theirs, ours = terms.of_print(published, names), terms.of_repeats(repeats, names)
    return [_judged(claim, theirs, ours, scale, names) for claim in claims]


def cells_of(claim: Claim) -> list[Cell]:
    """The cells that a claim speaks of, with what its combinations fill in."""
    found: list[Cell] = []

    def gather(part: Any) -> None:
        if isinstance(part, dict) and "figure" in part:
            found.append(Cell.model_validate(part))
        elif isinstance(part, dict):
            for one in part.values():
                gather(one)
        elif isinstance(part, list | tuple):
            for one in part:
                gather(one)

    for _, test in _combinations(claim):
        gather(test.model_dump())
    return list(dict.fromkeys(found))


def _share_beyond(figure: str) -> float:
    """The share of operations that take at least as long; of a mean, all of them."""
    quantile = CATALOGUE[figure].quantile
    return 1.0 if quantile is None else round(1 - quantile, 9)


def _judged(
    claim: Claim, theirs: Figures, ours: Figures, scale: Scale, names: terms.Names
) -> ClaimResult:
    asked = list(_combinations(claim, names))
    printed = tuple(
        one
        for where, test in asked
        if (one := _outcome(test, theirs, where, of_print=True)).truth != "missing"
    )
    wrong = [one for one in printed if one.truth == "fails"]
    if scale not in claim.scales:
        away = Outcome("missing", "", "it is asked at the study's own scale alone")
        here: tuple[Outcome, ...] = (away,)
    else:
        here = tuple(_outcome(test, ours, where) for where, test in asked)
    found = _verdict(here)
    of_ours = _of_ours(found, here)
    if not wrong:
        return ClaimResult(claim, found, printed, here, of_ours, "")
    return ClaimResult(
        claim,
        "cannot_be_true_as_printed",
        printed,
        here,
        _sentence(wrong, len(asked)),
        "" if found == "not_measured" else f"{VERDICT_WORDS[found]}: {of_ours}",
    )


def _verdict(here: Sequence[Outcome]) -> ClaimVerdict:
    truths = {one.truth for one in here}
    if "fails" in truths:
        return "does_not_hold_here"
    if "missing" in truths:
        return "not_measured"
    return "cannot_tell" if truths & {"cannot_tell", "too_few"} else "holds_here"


def _of_ours(verdict: ClaimVerdict, here: Sequence[Outcome]) -> str:
    deciding: Mapping[ClaimVerdict, set[Truth]] = {
        "does_not_hold_here": {"fails"},
        "not_measured": {"missing"},
        "cannot_tell": {"cannot_tell", "too_few"},
        "holds_here": {"holds"},
        "cannot_be_true_as_printed": {"fails"},
    }
    return _sentence([one for one in here if one.truth in deciding[verdict]], len(here))


def _sentence(outcomes: Sequence[Outcome], asked: int) -> str:
    missing = outcomes[0].truth == "missing"
    said = [f"{one.where}: {one.words}" if one.where and not missing else one.words
            for one in outcomes]  # fmt: skip
    several = list(dict.fromkeys(said))
    shown = several[: 1 if missing else 3]
    more = len(several) - len(shown)
    many = f" (and {more} more of {asked})" if more else ""
    return f"{'; '.join(shown)}{many}."


def _combinations(claim: Claim, names: terms.Names = terms.NAMELESS) -> Iterator[tuple[str, Test]]:
    each: Each = claim.each
    axes = [each.side or (None,), each.workload or (None,), each.load or (None,)]
    for side, workload, load in product(*axes):
        where = terms.place_words(side, workload, load, names)
        for test in claim.tests:
            missing = {"side": side, "workload": workload, "load": load}
            yield where, _TEST.validate_python(_filled(test.model_dump(), missing))


def _filled(part: Any, missing: Mapping[str, str | None]) -> Any:
    """A dumped test whose cells have what a combination gives for what they leave out."""
    if isinstance(part, dict):
        if "figure" in part:
            return {key: value or missing.get(key) or value for key, value in part.items()}
        return {key: _filled(value, missing) for key, value in part.items()}
    return [_filled(one, missing) for one in part] if isinstance(part, list | tuple) else part


def _outcome(test: Test, figures: Figures, where: str, *, of_print: bool = False) -> Outcome:
    match test:
        case Range():
            return _within(figures.value(test.of), test.bounds, test.words, where)
        case NearLinear():
            least = PrintedRange(low=test.times * (1 - test.within))
            words = f"at least {number(least.low)} (linear: {number(test.times)})"
            return _within(figures.ratio(test.of, test.to), least, words, where)
        case Order():
            return _in_order(list(zip(test.of[:-1], test.of[1:], strict=True)), figures, where)
        case Maximum():
            return _in_order([(test.of, other) for other in test.among], figures, where)
        case Equals():
            return _equal(test, figures, where)
        case ClosedLoop():
            return _in_a_closed_loop(test, figures, where, of_print=of_print)


def _missing(found: Missing, where: str) -> Outcome:
    return Outcome("missing", where, _no_figure(found))


def _no_figure(found: Missing) -> str:
    return f"no figure of {found.what}"


def _within(found: Value | Missing, asked: PrintedRange, words: str, where: str) -> Outcome:
    """:param words: what is asked, as it is printed."""
    if isinstance(found, Missing):
        return _missing(found, where)
    if found.high < asked.low:
        said = f"{found.words}, below {number(asked.low)}; asked is {words}"
        return _decided(found, "fails", where, said)
    if found.low > asked.high:
        said = f"{found.words}, above {number(asked.high)}; asked is {words}"
        return _decided(found, "fails", where, said)
    if asked.low <= found.low and found.high <= asked.high:
        return _decided(found, "holds", where, f"{found.words}; asked is {words}")
    if found.repeats is None:  # printed: one value that it may have been rounded from is enough
        return Outcome("holds", where, f"{found.words}; asked is {words}, within rounding")
    return _decided(found, "cannot_tell", where, f"{found.words}; asked is {words}")


def _decided(found: Value, truth: Truth, where: str, words: str) -> Outcome:
    if found.too_few:
        few = f"{words}; {found.repeats} repeats, a claim takes {REPEATS_FOR_A_CLAIM}"
        return Outcome("too_few", where, few)
    return Outcome(truth, where, words)


def _in_order(pairs: Sequence[tuple[Term, Term]], figures: Figures, where: str) -> Outcome:
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
        if found == "more":
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
    share = _share_beyond(test.latency.figure)
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


def _outstanding(label: str) -> float:
    found = _CLIENTS.fullmatch(label)
    if found is None:
        raise ValueError(f"outstanding: {label!r} does not say how many clients; give it")
    return float(found[1]) * float(found[2] or 1)


def _fewest(*values: Value) -> int | None:
    return min((one.repeats for one in values if one.repeats is not None), default=None)
