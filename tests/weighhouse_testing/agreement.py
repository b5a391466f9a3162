"""Holds what a client counted against what its server did, and writes down that they agree."""

from collections.abc import Collection

from weighhouse_judging.findings.counted import Reconciled
from weighhouse_judging.findings.reconciliation import CAUTION, LEAST
from weighhouse_sdk.testkit import agreements

LOADED = 10
"""Operations that each row has to be of, at least."""


def held(told: Reconciled, system: str, by: str, apart: Collection[str] = ()) -> None:
    """Both columns of each row are the same, and nobody else asked.

    :param by: the driver or tool that made the load.
    :param apart: rows that cannot be compared.
    """
    assert told.why_not == "", told
    assert {row.name for row in told.rows if row.why_not} == set(apart), told
    compared = [row for row in told.rows if not row.why_not]
    assert compared
    for row in compared:
        assert row.client.asked > LOADED, row
        answered = row.client.answered + row.client.failed
        assert abs(row.served - answered) <= max(LEAST, CAUTION * row.client.asked), row
    assert told.strangers == {}
    for row in compared:
        agreements.note(by, system, row.name)
