"""A campaign paused while its experiment still called it running is called paused afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine, text
from weighhouse_testing.stored import alembic_of, client_of, restored, settings_of

BEFORE = "0040"
LAST = "(SELECT last_campaign_id FROM experiments)"
STANDING = (
    ("queued", True, "paused"),
    ("running", True, "paused"),
    ("running", False, "running"),
    ("settling", True, "settling"),
    ("completed", True, "completed"),
    ("cancelled", True, "cancelled"),
)
"""Status of a campaign, whether its flag is set, what its experiment has to call it."""


@pytest.fixture(scope="module")
def url(postgres_server: str) -> Iterator[str]:
    """A stored platform; its address."""
    with restored(postgres_server) as found:
        command.upgrade(alembic_of(found), BEFORE)
        yield found


def stood(url: str, status: str, *, paused: bool) -> None:
    """Its experiment's last campaign, as the release before kept it."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            text(f"UPDATE campaigns SET status = :status, paused = :paused WHERE id = {LAST}"),
            {"status": status, "paused": paused},
        )
        connection.execute(
            text("UPDATE experiments SET last_campaign_status = :status"), {"status": status}
        )
    engine.dispose()


def called(url: str) -> str | None:
    """What the experiment calls it."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.scalar(text("SELECT last_campaign_status FROM experiments"))
    engine.dispose()
    return found


@pytest.mark.parametrize(("status", "paused", "expected"), STANDING)
def test_it_is_called_as_it_stands_and_on_the_way_down_as_before(
    url: str, status: str, *, paused: bool, expected: str
) -> None:
    command.downgrade(alembic_of(url), BEFORE)
    stood(url, status, paused=paused)
    command.upgrade(alembic_of(url), "head")
    assert called(url) == expected
    command.downgrade(alembic_of(url), BEFORE)
    assert called(url) == status


def test_experiment_and_campaign_say_the_same(url: str, redis_server: str, tmp_path: Path) -> None:
    command.downgrade(alembic_of(url), BEFORE)
    stood(url, "running", paused=True)
    command.upgrade(alembic_of(url), "head")
    with client_of(settings_of(url, redis_server, tmp_path)) as client:
        (experiment,) = client.get("experiments").json()["items"]
        last = experiment["last_campaign"]
        campaign = client.get(f"campaigns/{last['id']}").json()
    assert last["state"] == campaign["state"] == "paused"
    assert last["status"] == campaign["status"] == "running"
