"""What judging again came to, in a sentence."""

import pytest
from weighhouse_cli.commands.rejudge import in_words

NOTHING = {"judged": 0, "changed": 0, "unchanged": 0, "no_verdict": 0, "failed": 0}


@pytest.mark.parametrize(
    ("counts", "dry_run", "words"),
    [
        ({"total": 0}, False, "no campaign has ended yet: there is nothing to judge"),
        (
            {"total": 3, "unchanged": 2, "no_verdict": 1},
            False,
            "nothing changed: 2 say the same by the same rules, 1 have no verdict",
        ),
        (
            {"total": 2, "unchanged": 2},
            True,
            "nothing would change: 2 say the same by the same rules",
        ),
        (
            {"total": 4, "judged": 3, "changed": 1, "failed": 1},
            False,
            (
                "3 of 4 campaigns got a verdict by version 2 of the rules, 1 of them another one; "
                "1 could not be judged"
            ),
        ),
        (
            {"total": 1, "judged": 1},
            True,
            "1 of 1 campaigns would get a verdict by version 2 of the rules, 0 of them another one",
        ),
    ],
)
def test_the_sum_of_it(counts, dry_run, words):
    ended = {"campaigns": {**NOTHING, **counts}, "rules_version": 2, "dry_run": dry_run}
    assert in_words(ended) == words
