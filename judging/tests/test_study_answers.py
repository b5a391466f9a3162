"""A study's answer: what it claims, and how many of how many claims hold here."""

import pytest
from weighhouse_judging.studies.answers import answer_of
from weighhouse_judging.studies.claims import ClaimResult
from weighhouse_judging.studies.documents import Study
from weighhouse_judging.studies.language import Claim

CELL = {"side": "redis", "workload": "balanced", "load": "1 client"}
SOURCE = dict.fromkeys(
    ("title", "authors", "published_in", "sponsor", "licence", "quoted", "machines", "tool",
     "raw_data", "disclaimer"), "x",
)  # fmt: skip


def study(source=SOURCE):
    side = {"name": "redis", "label": "Redis", "small": True}
    return Study.model_validate(
        {"name": "a", "title": "A", "order": 1, "asks": "Who?", "answers": "Redis is ahead.",
         "source": source, "sides": [side]}
    )  # fmt: skip


def results(*verdicts):
    return [
        ClaimResult(
            Claim.model_validate(
                {"id": f"c{at}", "says": f"Thing {at} is so.", "place": "page 1",
                 "tests": [{"kind": "range", "of": CELL, "at_least": 1}]}
            ), verdict, (), (), "Why.", "",
        )
        for at, verdict in enumerate(verdicts)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "counted"),
    [
        (["holds_here"], "Of its claim 1 holds here. What holds here: Thing 0 is so."),
        (["not_measured"] * 3, "Of its 3 claims none was measured here."),
        (
            ["cannot_be_true_as_printed", "not_measured", "not_measured"],
            "Of its 3 claims none was measured here; 1 cannot be true as printed.",
        ),
        (
            ["cannot_be_true_as_printed", "does_not_hold_here", "not_measured"],
            (
                "Of its 3 claims none holds here, 1 does not hold here, 1 cannot be true as "
                "printed and 1 was not measured."
            ),
        ),
        (
            ["holds_here", "does_not_hold_here", "does_not_hold_here", "cannot_tell", "holds_here"],
            (
                "Of its 5 claims 2 hold here, 2 do not hold here and 1 cannot be told. "
                "What holds here: Thing 0 is so; Thing 4 is so."
            ),
        ),
        (
            ["holds_here"] * 5,
            (
                "Of its 5 claims 5 hold here. "
                "What holds here: Thing 0 is so; Thing 1 is so; Thing 2 is so; and 2 more."
            ),
        ),
    ],
)
def test_all_claims_are_counted_and_those_that_hold_are_named(verdicts, counted):
    said = answer_of(study(), results(*verdicts))
    assert said == f"The study claims: Redis is ahead. {counted}"


def test_of_a_study_of_our_own_it_is_what_we_expect():
    said = answer_of(study(None), results("holds_here", "not_measured"))
    assert said.startswith(
        "We expect: Redis is ahead. Of its 2 expectations 1 holds here and 1 was"
    )
