"""Changes from before alerts were rows of their own become alerts, with the state they had."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import Engine, create_engine, text
from weighhouse_testing.stored import alembic_of, restored

CHANGE = """
INSERT INTO change_points (id, project_id, series_id, campaign_id, at, before, after, relative,
    p_value, autocorrelation, kind, status, state, downstream_of_id, found_at)
SELECT :id, project_id, series_id, campaign_id, at, 1, 2, 1, 0.001, 0, :kind, :status, :state,
    :lead, '2026-11-21T10:00:00Z'
FROM series_points ORDER BY series_id, campaign_id OFFSET :place LIMIT 1
"""


@pytest.fixture(scope="module")
def changes(postgres_server: str) -> Iterator[tuple[Engine, str, dict[str, UUID]]]:
    """A stored platform with a lead, what is downstream of it, one of a state, a candidate."""
    ids = {name: uuid4() for name in ("lead", "follower", "noise", "candidate")}
    rows: list[dict[str, Any]] = [
        {"name": "lead", "kind": "step"},
        {"name": "follower", "kind": "step", "lead": ids["lead"]},
        {"name": "noise", "kind": "drift", "state": "noise"},
        {"name": "candidate", "kind": "step", "status": "candidate"},
    ]
    with restored(postgres_server) as url:
        command.upgrade(alembic_of(url), "0012")
        engine = create_engine(url)
        with engine.begin() as connection:
            for place, row in enumerate(rows):
                values = {"status": "confirmed", "state": "untriaged", "lead": None, **row}
                connection.execute(
                    text(CHANGE), {"id": ids[values.pop("name")], "place": place, **values}
                )
        command.upgrade(alembic_of(url), "0013")
        yield engine, url, ids
        engine.dispose()


def read(engine: Engine, query: str) -> list[tuple[Any, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_a_change_that_led_is_the_alert_of_its_id(
    changes: tuple[Engine, str, dict[str, UUID]],
) -> None:
    engine, _, ids = changes
    alerts = read(engine, "SELECT id, kind, state, version, raised_at = state_at FROM alerts")
    assert sorted(alerts) == sorted(
        [
            (ids["lead"], "change", "untriaged", 1, True),
            (ids["noise"], "change", "noise", 1, True),
        ]
    )
    told = dict(read(engine, "SELECT id, alert_id FROM change_points"))
    assert told == {
        ids["lead"]: ids["lead"],
        ids["follower"]: ids["lead"],
        ids["noise"]: ids["noise"],
        ids["candidate"]: None,
    }
    dated = "SELECT id FROM change_points WHERE confirmed_at IS NULL"
    assert read(engine, dated) == [(ids["candidate"],)]
    experiments = "SELECT count(*) FROM alerts a JOIN experiments e ON e.id = a.experiment_id"
    assert read(engine, experiments) == [(2,)]
    events = dict(read(engine, "SELECT alert_id, changes FROM alert_events WHERE kind = 'raised'"))
    assert events == {ids["lead"]: {}, ids["noise"]: {"state": ["untriaged", "noise"]}}


def test_states_go_down_again_with_their_changes(
    changes: tuple[Engine, str, dict[str, UUID]],
) -> None:
    engine, url, ids = changes
    with engine.begin() as connection:
        connection.execute(
            text("UPDATE alerts SET state = 'expected' WHERE id = :id"), {"id": ids["lead"]}
        )
    command.downgrade(alembic_of(url), "0012")
    states = dict(read(engine, "SELECT id, state FROM change_points"))
    assert states == {
        ids["lead"]: "expected",
        ids["follower"]: "expected",
        ids["noise"]: "noise",
        ids["candidate"]: "untriaged",
    }
    command.upgrade(alembic_of(url), "0013")
    assert len(read(engine, "SELECT id FROM alerts")) == 2
