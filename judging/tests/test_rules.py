"""The rules have a number, and say under it what they said when it was given."""

import json
from typing import Any

from weighhouse_judging.rules import RULES_VERSION

from .concluding import RECORDED, conclusions

MEND = """
{differ} conclusions are not what the rules of version {version} came to, for example
  {case}: {before} became {now}
If that is meant: raise RULES_VERSION in weighhouse_judging/rules.py, say in its table what changed,
and record anew: python judging/tests/concluding.py
"""


def flat(document: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{kind}, {case}": said
        for kind in ("gates", "findings")
        for case, said in document[kind].items()
    }


def test_what_these_rules_say_is_what_they_said_under_their_number() -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert recorded["rules_version"] == RULES_VERSION, (
        "record anew: python judging/tests/concluding.py"
    )
    before, now = flat(recorded), flat(conclusions())
    differ = [case for case in before.keys() | now.keys() if before.get(case) != now.get(case)]
    example = min(differ, default="")
    assert not differ, MEND.format(
        differ=len(differ), version=RULES_VERSION, case=example,
        before=before.get(example), now=now.get(example),
    )  # fmt: skip


def test_the_record_has_every_verdict_and_knows_both_ends_of_the_checks() -> None:
    """A rule that changes is seen: each verdict occurs, and most checks speak somewhere."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    verdicts = {said[0] for said in recorded["gates"].values()}
    assert verdicts == {
        "passed", "equivalent", "regression", "inconclusive", "infrastructure", "not_comparable"
    }  # fmt: skip
    checks = {finding.split(":")[0] for found in recorded["findings"].values() for finding in found}
    assert len(checks) >= 8, checks
    assert recorded["findings"]["sound"] == []
