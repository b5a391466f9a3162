"""Campaigns from before are judged again by today's rules, and keep what they said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from alembic import command
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text
from weighhouse_backend.kit.settings import Settings
from weighhouse_judging.rules import RULES_VERSION
from weighhouse_testing.stored import alembic_of, client_of, restored, settings_of
from weighhouse_worker.tasks import rejudge
from weighhouse_worker.tools import Tools

VERDICTS = "SELECT * FROM campaign_verdicts ORDER BY campaign_id, number"
FINDINGS = "SELECT run_id, check_id, body::text FROM findings ORDER BY 1, 2"
POINTS = "SELECT * FROM series_points ORDER BY series_id, campaign_id"
CAMPAIGNS = "SELECT id, verdict, accepted_by, accepted_note, release FROM campaigns ORDER BY id"


@pytest.fixture(scope="module")
def settings(
    postgres_server: str, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Of a platform whose campaigns were judged by the rules of before."""
    with restored(postgres_server) as url:
        command.upgrade(alembic_of(url), "head")
        directory: Path = tmp_path_factory.mktemp("files")
        yield settings_of(url, redis_server, directory)


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    with client_of(settings) as found:
        yield found


@pytest.fixture(scope="module")
def ended(client: TestClient) -> list[dict[str, Any]]:
    """The campaigns that have verdicts, the oldest first."""
    listed = client.get("campaigns", params={"status": "completed"}).json()["items"]
    return sorted(listed, key=lambda one: str(one["id"]))


def rows(settings: Settings, query: str) -> list[tuple[Any, ...]]:
    engine = create_engine(settings.database_url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


def judged_again(client: TestClient, settings: Settings, **wanted: Any) -> tuple[Any, list[Any]]:
    """Ask for it, and do what the worker does; how it ended, its campaigns, the oldest first."""
    made = client.post("rejudgements", json=wanted)
    assert made.status_code == 202, made.text
    assert made.json()["finished_at"] is None
    rejudge(Tools(settings), made.json()["id"])
    address = f"rejudgements/{made.json()['id']}"
    progress = client.get(address).json()
    assert progress["finished_at"]
    return progress["campaigns"], client.get(f"{address}/campaigns").json()["items"][::-1]


def test_they_are_judged_again_once_and_keep_what_they_said(
    client: TestClient, settings: Settings, ended: list[dict[str, Any]]
) -> None:
    first, second = (one["id"] for one in ended)
    accepted = client.put(f"campaigns/{second}/acceptance", json={"note": "known"})
    assert accepted.status_code == 200, accepted.text
    before = {one: client.get(f"campaigns/{one}/gate").json() for one in (first, second)}
    tables = [rows(settings, query) for query in (VERDICTS, FINDINGS, POINTS, CAMPAIGNS)]
    points = tables[2]

    progress, campaigns = judged_again(client, settings, all_campaigns=True, dry_run=True)
    foreseen = [(one["campaign_id"], one["verdict_now"], one["message"]) for one in campaigns]
    assert (progress["total"], progress["judged"]) == (2, 2), "one was cancelled: it has none"
    assert [(one["verdict_before"], one["rules_before"]) for one in campaigns] == [
        ("no_baseline", 1), ("inconclusive", 1)
    ]  # fmt: skip
    assert any(one["findings_new"] for one in campaigns)
    assert [rows(settings, query) for query in (VERDICTS, FINDINGS, POINTS, CAMPAIGNS)] == tables

    progress, campaigns = judged_again(client, settings, all_campaigns=True)
    assert (progress["total"], progress["judged"], progress["failed"]) == (2, 2, 0)
    became = [(one["campaign_id"], one["verdict_now"], one["message"]) for one in campaigns]
    assert became == foreseen
    for campaign in (first, second):
        gate = client.get(f"campaigns/{campaign}/gate").json()
        assert (gate["rules_version"], gate["details_kept"]) == (RULES_VERSION, True)
        assert (gate["verdict"], gate["message"]) == next(
            (verdict, message) for one, verdict, message in became if one == campaign
        )
        assert client.get(f"campaigns/{campaign}").json()["verdict"] == gate["verdict"]
        (superseded,) = gate["superseded"]
        assert superseded["message"] == before[campaign]["message"]
        assert superseded["verdict"] == before[campaign]["verdict"]
        assert (superseded["number"], superseded["rules_version"]) == (1, 1)
        assert superseded["superseded_at"] == gate["judged_at"]
        assert superseded["superseded_because"].startswith("judged again by version")
    assert client.get(f"campaigns/{second}/gate").json()["cells"]
    assert rows(settings, POINTS) == points
    assert client.get(f"campaigns/{second}").json()["accepted"]["note"] == "known"

    tables = [rows(settings, query) for query in (VERDICTS, FINDINGS, POINTS, CAMPAIGNS)]
    progress, campaigns = judged_again(client, settings, all_campaigns=True)
    assert (progress["unchanged"], progress["judged"]) == (2, 0)
    assert {(one["findings_new"], one["findings_gone"]) for one in campaigns} == {(0, 0)}
    assert [rows(settings, query) for query in (VERDICTS, FINDINGS, POINTS, CAMPAIGNS)] == tables


def test_findings_are_those_of_todays_checks(settings: Settings, client: TestClient) -> None:
    run = client.get("runs", params={"limit": 1}).json()["items"][0]
    kept = rows(settings, f"SELECT check_id FROM findings WHERE run_id = '{UUID(run['id'])}'")
    shown = client.get(f"runs/{run['id']}").json()["findings"]
    assert {one["id"] for one in shown} == {check for (check,) in kept}


def test_a_campaign_without_verdict_says_why(client: TestClient, settings: Settings) -> None:
    cancelled = client.get("campaigns", params={"status": "cancelled"}).json()["items"][0]
    progress, campaigns = judged_again(client, settings, campaigns=[cancelled["id"]])
    assert progress["no_verdict"] == 1
    assert (campaigns[0]["outcome"], campaigns[0]["reason"]) == ("no_verdict", "it is cancelled")


def test_verdicts_go_down_again_to_the_one_that_holds(settings: Settings) -> None:
    holding = "SELECT campaign_id, verdict, message FROM campaign_verdicts"
    now = rows(settings, f"{holding} WHERE superseded_at IS NULL ORDER BY 1")
    command.downgrade(alembic_of(settings.database_url), "0010")
    assert rows(settings, f"{holding} ORDER BY 1") == now
    command.upgrade(alembic_of(settings.database_url), "head")
