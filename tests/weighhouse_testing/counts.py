"""What a driver says it did while it measured, beside what is kept of it interval by interval."""

from collections import Counter

import psycopg

from weighhouse_testing.fixtures import plain
from weighhouse_testing.platform import RunningPlatform

TOLD = """
    SELECT record.phases FROM run_records record
    JOIN runs r ON r.result_attempt_id = record.attempt_id WHERE r.id = %s"""
KEPT = """
    SELECT i.operations FROM intervals i JOIN runs r ON r.result_attempt_id = i.attempt_id
    WHERE r.id = %s AND i.phase = 'measure' AND i.span = 1"""


def measured(platform: RunningPlatform, run_id: str) -> tuple[Counter[str], Counter[str]]:
    """Operations of a run that were answered well, by kind: as its driver told them in the end, and
    as its intervals add up. They are equal when each interval is there, and is there once.
    """
    with psycopg.connect(plain(platform.inner.database_url)) as connection:
        row = connection.execute(TOLD, [run_id]).fetchone()
        intervals = connection.execute(KEPT, [run_id]).fetchall()
    assert row is not None
    [whole] = [one for one in row[0] if one["phase"] == "measure"]
    told = Counter({kind: outcomes["ok"] for kind, outcomes in whole["operations"].items()})
    kept: Counter[str] = Counter()
    for (operations,) in intervals:
        for kind, outcomes in operations.items():
            kept[kind] += outcomes.get("ok", {}).get("count", 0)
    return told, kept
