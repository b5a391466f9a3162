"""Counts what campaigns came to, out of the database itself: nothing lost, nothing twice."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import psycopg
from psycopg.rows import dict_row

FINAL = ("completed", "failed", "cancelled")
OUTCOMES = ("ok", "not_found", "errors", "verify_failed")


@dataclass
class Account:
    """What was found."""

    runs: int = 0
    completed: int = 0
    failed: int = 0
    lost: int = 0
    """Operations or intervals that a driver reported and nobody has; completed runs without a
    result."""
    doubled: int = 0
    """What is there more than once: operations, results of one run, sides of one attempt."""
    stuck: int = 0
    """Runs and campaigns without an end."""
    notes: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.doubled or self.stuck)

    def note(self, what: str, count: int, text: str) -> None:
        """Count something wrong, and keep the words."""
        setattr(self, what, getattr(self, what) + count)
        self.notes.append(f"{what}: {text}")

    def add(self, other: "Account") -> None:
        """Count another's in."""
        for name, value in other.figures().items():
            setattr(self, name, getattr(self, name) + value)
        self.notes += other.notes

    def figures(self) -> dict[str, Any]:
        """For the last line of a bench."""
        return {name: value for name, value in asdict(self).items() if name != "notes"}


def settle(database_url: str, campaign_ids: Sequence[str]) -> Account:
    """Look at every run of some campaigns.

    :param database_url: SQLAlchemy's, of the whole database.
    """
    account = Account()
    url = database_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url, row_factory=dict_row) as connection:
        for row in _all(connection, CAMPAIGNS, campaign_ids):
            if row["status"] not in FINAL:
                waits = row["waiting_for"] or row["set_aside"]
                account.note("stuck", 1, f"campaign {row['id']} is {row['status']}: {waits}")
        results = Counter(
            row["run_id"] for row in _all(connection, COMPLETED_ATTEMPTS, campaign_ids)
        )
        for run in _all(connection, RUNS, campaign_ids):
            account.runs += 1
            _look_at_run(account, run, results[run["id"]])
        reported = _all(connection, REPORTED, campaign_ids)
        stored = _all(connection, STORED, campaign_ids)
        _compare(account, reported, stored)
        for row in _all(connection, SUMMED, campaign_ids):
            _look_at_sum(account, row)
    return account


CAMPAIGNS = "SELECT id, status, waiting_for, set_aside FROM campaigns WHERE id = ANY(%s)"
RUNS = "SELECT id, status, result_attempt_id, failure FROM runs WHERE campaign_id = ANY(%s)"
COMPLETED_ATTEMPTS = """
    SELECT a.run_id FROM attempts a JOIN runs r ON r.id = a.run_id
    WHERE r.campaign_id = ANY(%s) AND a.status = 'completed'
"""
WINNERS = """
    FROM runs r JOIN {table} t ON t.attempt_id = r.result_attempt_id
    WHERE r.campaign_id = ANY(%s) AND r.status = 'completed'
"""
REPORTED = f"""
    SELECT r.id AS run_id, t.member, t.phases {WINNERS.format(table="run_records")}
"""
STORED = f"""
    SELECT r.id AS run_id, t.member, t.phase, t.operations, t.started_at, t.duration_us
    {WINNERS.format(table="intervals")} AND t.span = 1
    ORDER BY r.id, t.member, t.sequence
"""
SUMMED = """
    SELECT r.id AS run_id, s.ok AS summed, s.duration_seconds,
        (SELECT count(*) FROM run_summaries x WHERE x.attempt_id = s.attempt_id
            AND x.phase = 'measure' AND x.operation = 'all') AS rows
    FROM runs r LEFT JOIN run_summaries s
        ON s.attempt_id = r.result_attempt_id AND s.phase = 'measure' AND s.operation = 'all'
    WHERE r.campaign_id = ANY(%s) AND r.status = 'completed'
"""


def _all(connection: Any, query: str, campaign_ids: Sequence[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = connection.execute(query, (list(campaign_ids),)).fetchall()
    return found


def _look_at_run(account: Account, run: Mapping[str, Any], results: int) -> None:
    if run["status"] not in FINAL:
        account.note("stuck", 1, f"run {run['id']} is {run['status']}")
    elif run["status"] == "completed":
        account.completed += 1
        if run["result_attempt_id"] is None or results == 0:
            account.note("lost", 1, f"run {run['id']} is completed without a result")
        elif results > 1:
            account.note("doubled", results - 1, f"run {run['id']} has {results} results")
    elif run["status"] == "failed":
        account.failed += 1
        account.notes.append(f"failed: run {run['id']}: {json.dumps(run['failure'])[:300]}")


Key = tuple[Any, int, str]


def _compare(
    account: Account, reported: Iterable[Mapping[str, Any]], stored: Iterable[Mapping[str, Any]]
) -> None:
    """Hold the intervals of each driver against what it said when its phases ended."""
    intervals: dict[Key, Counter[str]] = {}
    ends: dict[tuple[Any, int], int] = {}
    for row in stored:
        key = (row["run_id"], row["member"], row["phase"])
        intervals.setdefault(key, Counter()).update(counted(row["operations"]))
        begun = int(row["started_at"].timestamp() * 1e6)
        before = ends.get((row["run_id"], row["member"]), 0)
        if begun < before:
            account.note("doubled", 1, f"intervals of {key} overlap at {row['started_at']}")
        ends[row["run_id"], row["member"]] = begun + row["duration_us"] - TOLERATED_US
    for record in reported:
        for phase in record["phases"]:
            key = (record["run_id"], record["member"], phase["phase"])
            said: Counter[str] = Counter()
            for outcomes in phase["operations"].values():
                said.update({name: outcomes.get(name, 0) for name in OUTCOMES})
            found = intervals.pop(key, Counter())
            for name in OUTCOMES:
                missing = said[name] - found[name]
                if missing:
                    account.note(
                        "lost" if missing > 0 else "doubled",
                        abs(missing),
                        f"{key}: {said[name]} {name} by the driver, {found[name]} by intervals",
                    )
    for key in intervals:
        account.note("lost", 1, f"{key}: intervals, and no word of the phase's end")


TOLERATED_US = 2_000
"""Instants are rounded, and a driver's clock is read twice."""


def counted(operations: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Counter[str]:
    """Outcomes of an interval over all operations, as phases count them."""
    found: Counter[str] = Counter()
    for outcomes in operations.values():
        for name, outcome in outcomes.items():
            found["errors" if name.startswith("error:") else name] += outcome["count"]
    return found


def _look_at_sum(account: Account, row: Mapping[str, Any]) -> None:
    if row["summed"] is None:
        account.note("lost", 1, f"run {row['run_id']} is completed without figures")
    elif row["rows"] != 1:
        account.note("doubled", row["rows"] - 1, f"run {row['run_id']} has its figures twice")
