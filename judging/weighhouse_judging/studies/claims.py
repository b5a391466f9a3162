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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from pydantic import TypeAdapter

from weighhouse_judging.studies import terms
from weighhouse_judging.studies.language import Cell, Claim, Each, Scale, Test
from weighhouse_judging.studies.outcomes import Outcome, Truth, outcome_of
from weighhouse_judging.studies.printed import Printed
from weighhouse_judging.studies.terms import Figures, Key
from weighhouse_judging.verdicts.figures import Repeats

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
_TEST: TypeAdapter[Test] = TypeAdapter(Test)


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


def over_print(
    claim: Claim, printed: Figures, names: terms.Names = terms.NAMELESS
) -> list[Outcome]:
    """A claim over the figures of a text: an outcome for each test and combination, also of those
    that lack a figure.
    """
    return [
        outcome_of(test, printed, where, of_print=True)
        for where, test in _combinations(claim, names)
    ]


def cells_of(claim: Claim) -> list[Cell]:
    """The cells that a claim speaks of, with what its combinations fill in."""
    found: list[Cell] = []

    def gather(part: Any) -> None:
        if isinstance(part, dict) and "quoted" in part:
            found.append(Cell.model_validate({k: v for k, v in part.items() if k != "quoted"}))
        elif isinstance(part, dict) and "figure" in part:
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


def _judged(
    claim: Claim, theirs: Figures, ours: Figures, scale: Scale, names: terms.Names
) -> ClaimResult:
    asked = list(_combinations(claim, names))
    printed = tuple(one for one in over_print(claim, theirs, names) if one.truth != "missing")
    wrong = [one for one in printed if one.truth == "fails"]
    if scale not in claim.scales:
        away = Outcome("missing", "", "it is asked at the study's own scale alone")
        here: tuple[Outcome, ...] = (away,)
    else:
        here = tuple(outcome_of(test, ours, where) for where, test in asked)
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
        if "figure" in part or "quoted" in part:
            return {key: value or missing.get(key) or value for key, value in part.items()}
        return {key: _filled(value, missing) for key, value in part.items()}
    return [_filled(one, missing) for one in part] if isinstance(part, list | tuple) else part
