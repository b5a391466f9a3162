"""What was measured before runs became the work of gangs says the same afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from alembic import command
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session
from weighhouse_backend.kit.db import make_session_factory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.series.history import HistoryService
from weighhouse_testing.services import transaction_of
from weighhouse_testing.stored import alembic_of, client_of, restored, said, settings_of

from backend.tests.results.laboratory import Ledger

CONCLUSIONS = frozenset(
    {
        "comparisons", "confidence", "differences", "disclaimers", "disclosure", "fairness",
        "findings", "message", "p_worse",
    }
)  # fmt: skip
"""What the judge concludes anew from stored figures whenever it is asked, by today's rules."""
TABLES = ("intervals", "resource_samples", "timeline_marks", "run_logs", "run_records")


@pytest.fixture(scope="module")
def said_before() -> dict[str, Any]:
    """Address in the API → what it answered before."""
    return said()


@pytest.fixture(scope="module")
def stored_before(postgres_server: str) -> Iterator[str]:
    """A database as it was before; its address."""
    with restored(postgres_server) as url:
        yield url


def counts(url: str) -> dict[str, int]:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            found = {
                table: connection.scalar(text(f"SELECT count(*) FROM {table}"))
                for table in (*TABLES, "attempts", "runs")
            }
    finally:
        engine.dispose()
    return {table: int(count or 0) for table, count in found.items()}


RENAMED = {"memory_bytes": "memory_after_load_bytes"}
"""Figures that were called otherwise, and never were what the page said of them."""


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Where an answer says something else than before; what is new beside it does not count, nor
    what is concluded anew.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() - CONCLUSIONS:
            now = key if key in after else RENAMED.get(key, key)
            if now not in after:
                yield f"{path}.{key}: is gone"
            elif key == "yaml":  # of a reproduction, which names the version that ran since
                yield from differences(targets_of(before[key]), targets_of(after[key]), path)
            elif key == "metric":
                name = RENAMED.get(before[key], before[key])
                yield from differences(name, after[key], f"{path}.{key}")
            else:
                yield from differences(before[key], after[now], f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{path}: {len(before)} elements were {len(after)}"
        for index, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{path}[{index}]")
    elif before != after:
        yield f"{path}: {before!r} became {after!r}"


def targets_of(document: str) -> Any:
    """An experiment whose targets are of any version."""
    read = yaml.safe_load(document)
    for target in read["targets"]:
        target.pop("version", None)
    return read


def test_figures_verdicts_and_series_stay_as_they_were(
    stored_before: str, said_before: dict[str, Any], redis_server: str, tmp_path: Path
) -> None:
    rows = counts(stored_before)
    assert rows["attempts"] > 24
    assert rows["intervals"] > 300
    command.upgrade(alembic_of(stored_before), "head")
    assert counts(stored_before) == rows

    engine = create_engine(stored_before)
    with engine.connect() as connection:
        shares = connection.execute(
            text(
                "SELECT index, share->>'of', roles, nodes, machine_id IS NOT NULL, count(*)"
                " FROM attempt_members WHERE status = 'completed' GROUP BY 1, 2, 3, 4, 5"
            )
        ).all()
        blocks = connection.execute(
            text("SELECT block, count(*) FROM runs GROUP BY campaign_id, block")
        ).all()
    engine.dispose()
    assert [(row[0], row[1], row[2], row[3], row[4]) for row in shares] == [
        (0, "1", ["driver", "server"], [1], True)
    ]
    assert {count for _, count in blocks} == {2}  # Redis and Memcached, measured together

    answers = read(stored_before, redis_server, tmp_path, list(said_before))
    told = [
        f"{address}: {difference}"
        for address, before in said_before.items()
        for difference in differences(before, answers[address])
        if not (address.endswith("/gate") and difference.startswith(".cells"))
    ]
    assert told == [], "\n".join(told)
    for address, before in said_before.items():
        if address.endswith("/gate"):
            now = answers[address]
            assert now["message"] == before["message"], "the verdict is the one that was made"
            kept = (now["rules_version"], now["details_kept"], now["cells"], now["superseded"])
            assert kept == (1, False, [], [])
    verdicts = {one["verdict"] for one in said_before["/campaigns?limit=100"]["items"]}
    assert verdicts == {None, "no_baseline", "inconclusive"}


def test_series_are_keyed_by_what_was_measured_and_keep_their_figures(
    stored_before: str, redis_server: str
) -> None:
    command.upgrade(alembic_of(stored_before), "head")
    points = "SELECT campaign_id, value, low, high, repeats::text, version"
    points += " FROM series_points ORDER BY campaign_id, value, low, high"
    unkeyed = "SELECT count(*) FROM series WHERE cell_identity IS NULL"
    engine = create_engine(stored_before)
    sessions = make_session_factory(engine)
    ledger = Ledger()
    with engine.connect() as connection:
        before = connection.execute(text(points)).all()
        assert connection.scalar(text(unkeyed))
    settings = Settings(database_url=stored_before, redis_url=redis_server)
    with transaction_of(sessions, settings, jobs=ledger, events=ledger) as services:
        for experiment_id in services.get(Session).scalars(
            text("SELECT DISTINCT experiment_id FROM series")
        ):
            services.get(HistoryService).carrying.carry(experiment_id)
    with engine.connect() as connection:
        assert connection.execute(text(points)).all() == before
        assert connection.scalar(text(unkeyed)) == 0
        assert not connection.scalar(text("SELECT count(*) FROM series_points WHERE place IS NULL"))
        machines = connection.execute(
            text("SELECT DISTINCT p.fingerprint, p.kernel, k.fingerprint AS kind,"
                 " k.facts->>'kernel' AS told FROM series_points p, run_records k")
        ).all()  # fmt: skip
        assert {(row.fingerprint, row.kernel) for row in machines} == {
            (row.kind, row.told) for row in machines if row.kind
        }
    engine.dispose()


def test_memory_after_the_load_is_called_so_and_found_by_its_name_of_before(
    stored_before: str, said_before: dict[str, Any], redis_server: str, tmp_path: Path
) -> None:
    command.upgrade(alembic_of(stored_before), "head")
    old, new = "/series?metric=memory_bytes", "/series?metric=memory_after_load_bytes"
    answers = read(stored_before, redis_server, tmp_path, [old, new])
    assert answers[old] == answers[new]
    assert {one["metric"] for one in answers[new]["items"]} == {"memory_after_load_bytes"}
    series = next(
        answer
        for address, answer in said_before.items()
        if address.startswith("/series/") and answer["metric"] == "memory_bytes"
    )
    assert series["id"] in {one["id"] for one in answers[new]["items"]}
    campaign = series["points"][0]["campaign_id"]
    address = f"/comparisons?campaign={campaign}"
    cells = read(stored_before, redis_server, tmp_path, [address])[address]["cells"]
    figures = [
        [cell[f"memory_{moment}_bytes"]["median"] for moment in ("before", "after_load", "after")]
        for cell in cells
    ]
    assert all(before < loaded for before, loaded, _ in figures), figures
    assert any(loaded != after for _, loaded, after in figures), "they are not one figure"


def test_runs_whose_figures_were_wrong_say_which(
    postgres_server: str, redis_server: str, tmp_path: Path
) -> None:
    with restored(postgres_server) as url:
        look_at_wrong_figures(url, redis_server, tmp_path)


def look_at_wrong_figures(url: str, redis_server: str, tmp_path: Path) -> None:
    """One run's slowest answers are beyond the range, and others were maybe never sent."""
    command.upgrade(alembic_of(url), "0033")
    concerned = """
        UPDATE run_summaries s SET overflow = 660562, service_histogram = histogram,
            errors_by_kind = '{"timeout": 936499, "connection": 2}'
        FROM (SELECT id, result_attempt_id FROM runs WHERE status = 'completed' LIMIT 1) r
        WHERE s.attempt_id = r.result_attempt_id AND s.phase = 'measure' AND s.operation = 'all'
        RETURNING r.id
    """
    engine = create_engine(url)
    with engine.begin() as connection:
        run_id = connection.scalar(text(concerned))
        of_run = "attempt_id = (SELECT result_attempt_id FROM runs WHERE id = :run)"
        connection.execute(
            text(
                "UPDATE run_records SET co_located = false, effective_configuration = '["
                '{"name": "maxmemory", "value": "0", "default": "0", "source": "default"},'
                '{"name": "limits.memory", "value": "8.79609e+12 MiB", "default": null,'
                ' "source": "experiment"}'
                f"]' WHERE {of_run}"
            ),
            {"run": run_id},
        )
        connection.execute(
            text("DELETE FROM findings WHERE run_id = :run AND check_id = 'co-located'"),
            {"run": run_id},
        )
    command.upgrade(alembic_of(url), "head")
    with engine.connect() as connection:
        new = "SELECT run_id FROM findings WHERE check_id IN ('beyond-range', 'never-sent-untold')"
        assert {row.run_id for row in connection.execute(text(new))} == {run_id}
    engine.dispose()
    address = f"/runs/{run_id}"
    run = read(url, redis_server, tmp_path, [address])[address]
    told = {each["id"]: each["message"] for each in run["findings"]}
    assert "660,562 answers took longer than the histograms reach" in told["beyond-range"]
    assert "936,499 timeouts" in told["never-sent-untold"]
    assert "on the same machine" in told["co-located"]
    settings = [each["name"] for each in run["target"]["effective_configuration"]]
    assert settings == ["maxmemory"], "no limit is no figure"
    every = run["summary"]["operations"]["all"]
    assert every["never_sent"] is every["answered_late"] is None


def test_down_again_is_as_before_while_agents_worked_alone(
    stored_before: str, said_before: dict[str, Any]
) -> None:
    del said_before
    command.upgrade(alembic_of(stored_before), "head")
    rows = counts(stored_before)
    engine = create_engine(stored_before)
    statement = text("SELECT agent_name, status, events_stored FROM {} ORDER BY 1, 2, 3")
    with engine.connect() as connection:
        members = connection.execute(text(str(statement).format("attempt_members"))).all()
    command.downgrade(alembic_of(stored_before), "0002")
    with engine.connect() as connection:
        attempts = connection.execute(text(str(statement).format("attempts"))).all()
    engine.dispose()
    assert attempts == members
    assert counts(stored_before) == rows
    command.upgrade(alembic_of(stored_before), "head")


def test_down_again_is_refused_where_gangs_were(stored_before: str) -> None:
    command.upgrade(alembic_of(stored_before), "head")
    engine = create_engine(stored_before)
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO attempt_members SELECT (jsonb_populate_record(m, jsonb_build_object("
                "'index', 1, 'claim_id', NULL))).* FROM attempt_members m LIMIT 1"
            )
        )
    engine.dispose()
    with pytest.raises(RuntimeError, match="1 members of gangs"):
        command.downgrade(alembic_of(stored_before), "0002")


def read(url: str, redis_server: str, tmp_path: Path, addresses: list[str]) -> dict[str, Any]:
    """What the API says now."""
    found: dict[str, Any] = {}
    with client_of(settings_of(url, redis_server, tmp_path)) as client:
        for address in addresses:
            answer = client.get(address.removeprefix("/"))
            assert answer.status_code == 200, f"{address}: {answer.text}"
            found[address] = answer.json()
    return found
