"""A study's answer in sentences: what it claims, and how much of that holds here. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from weighhouse_judging.studies.claims import VERDICT_WORDS, ClaimResult, ClaimVerdict
from weighhouse_judging.studies.documents import Study

MEASURED: frozenset[ClaimVerdict] = frozenset({"holds_here", "does_not_hold_here", "cannot_tell"})
MOST_NAMED = 3
"""Claims that are named one by one; the page has all of them below."""


def answer_of(study: Study, results: Sequence[ClaimResult]) -> str:
    """`The study claims: … Of its 14 claims 3 hold here, 11 were not measured. What holds here: …`.

    :param results: one for each of its claims.
    :returns: whole sentences. What they count adds up to the number of claims.
    """
    ours = study.source is None
    kind = "expectation" if ours else "claim"
    said = f"{'We expect' if ours else 'The study claims'}: {study.answers.strip()}"
    return " ".join([said, _counted(results, kind), *_named(results)])


def _counted(results: Sequence[ClaimResult], kind: str) -> str:
    claims, count = len(results), Counter(one.verdict for one in results)
    of = f"Of its {claims} {kind}s" if claims > 1 else f"Of its {kind}"
    verdicts: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)
    if not any(one.measured or one.verdict in MEASURED for one in results):
        wrong = count["cannot_be_true_as_printed"]
        verb = _verb("cannot_be_true_as_printed", wrong)
        return f"{of} none was measured here{f'; {wrong} {verb}' if wrong else ''}."
    each = [f"{count[one]} {_verb(one, count[one])}" for one in verdicts if count[one]]
    if not count["holds_here"]:
        each.insert(0, "none holds here")
    return f"{of} {_joined(each)}."


def _verb(verdict: ClaimVerdict, count: int) -> str:
    if count == 1:
        single = {"cannot_tell": "cannot be told", "not_measured": "was not measured"}
        return single.get(verdict, VERDICT_WORDS[verdict])
    return {
        "holds_here": "hold here",
        "does_not_hold_here": "do not hold here",
        "cannot_tell": "cannot be told",
        "not_measured": "were not measured",
    }.get(verdict, VERDICT_WORDS[verdict])


def _named(results: Sequence[ClaimResult]) -> list[str]:
    held = [one.claim.says.rstrip(".") for one in results if one.verdict == "holds_here"]
    if not held:
        return []
    more = len(held) - MOST_NAMED
    rest = f"; and {more} more" if more > 0 else ""
    return [f"What holds here: {'; '.join(held[:MOST_NAMED])}{rest}."]


def _joined(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
