"""Points that were parted by a kernel's patch level are one segment, with all that they had."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import Connection, Engine, create_engine, text
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.machine_kinds import kind_of
from weighhouse_testing.stored import alembic_of, client_of, restored, settings_of

BEFORE = "0044"
KEPT = ("series_points", "change_points", "alerts", "annotations", "campaign_verdicts", "cells")
MACHINES: list[dict[str, Any]] = [
    {"kernel": "6.1.90", "memory_bytes": 16 << 30, "cgroup_cpu_limit": 2.5},
    {"kernel": "6.1.92-rt7", "memory_bytes": (16 << 30) - 8192, "cgroup_cpu_limit": 2.5},
    {"kernel": "6.1.92", "memory_bytes": (16 << 30) - 8192, "cgroup_cpu_limit": 2.5},
    {"kernel": "6.1.95", "memory_bytes": 15 << 30, "cgroup_cpu_limit": 2.5},
    {"kernel": "6.1.95", "memory_bytes": int(15.8 * 2**30), "cgroup_cpu_limit": 2.5},
    {"kernel": "6.1.90", "memory_bytes": 16 << 30, "cgroup_cpu_limit": 2.5},
]
"""Of further campaigns, in their order; the third and the two last are of the first's kind."""


def further(connection: Connection, source: Any, number: int, facts: dict[str, Any]) -> UUID:
    """Another campaign of an experiment, as its last one but on another machine."""
    new = {name: str(uuid4()) for name in ("campaign", "cell", "run", "attempt")}
    was = {"campaign": source.campaign_id, "run": source.run_id, "cell": source.cell_id}

    def copied(table: str, key: str, value: Any, **changes: Any) -> None:
        connection.execute(
            text(
                f"INSERT INTO {table} SELECT (jsonb_populate_record(t, CAST(:changed AS jsonb))).*"
                f" FROM {table} t WHERE {key} = :value LIMIT 1"
            ),
            {"changed": json.dumps(changes), "value": value},
        )

    digest = f"{number:016x}"
    copied(
        "campaigns", "id", was["campaign"], id=new["campaign"], number=900 + number,
        stands_at=f"2027-01-{number:02}T00:00:00Z",
    )  # fmt: skip
    copied("cells", "id", was["cell"], id=new["cell"], campaign_id=new["campaign"])
    copied(
        "runs", "id", was["run"], id=new["run"], campaign_id=new["campaign"], cell_id=new["cell"],
        result_attempt_id=new["attempt"],
    )  # fmt: skip
    copied("attempts", "id", source.attempt_id, id=new["attempt"], run_id=new["run"])
    copied(
        "attempt_members", "attempt_id", source.attempt_id, attempt_id=new["attempt"],
        fingerprint=digest, claim_id=None,
    )  # fmt: skip
    copied(
        "run_records", "attempt_id", source.attempt_id, attempt_id=new["attempt"],
        fingerprint=digest, facts={**source.facts, **facts},
    )  # fmt: skip
    connection.execute(
        text(
            "INSERT INTO series_points SELECT (jsonb_populate_record(p, jsonb_build_object("
            " 'campaign_id', CAST(:campaign AS text), 'fingerprint', CAST(:digest AS text),"
            " 'at', now() + make_interval(days => :number)))).*"
            " FROM series_points p WHERE campaign_id = :source AND series_id = :series"
        ),
        {
            "campaign": new["campaign"], "digest": f"of-a-point-{number}", "number": number,
            "source": was["campaign"], "series": source.series_id,
        },
    )  # fmt: skip
    return UUID(new["campaign"])


@pytest.fixture(scope="module")
def stored(postgres_server: str) -> Iterator[tuple[str, Engine, Any, list[UUID]]]:
    """A stored platform whose machine was patched again and again; a series of it."""
    with restored(postgres_server) as url:
        command.upgrade(alembic_of(url), BEFORE)
        engine = create_engine(url)
        with engine.begin() as connection:
            source = connection.execute(
                text(
                    "SELECT s.id AS series_id, p.campaign_id, r.id AS run_id, r.cell_id,"
                    " k.attempt_id, k.facts FROM series s"
                    " JOIN series_points p ON p.series_id = s.id"
                    " JOIN cells c ON c.campaign_id = p.campaign_id AND c.target = s.target"
                    " AND c.workload = s.workload AND c.load_label = s.load_label"
                    " JOIN runs r ON r.cell_id = c.id"
                    " JOIN run_records k ON k.attempt_id = r.result_attempt_id"
                    " WHERE s.metric = 'throughput' ORDER BY s.id, p.at LIMIT 1"
                )
            ).one()
            connection.execute(
                text(
                    "UPDATE series SET cell_identity = 'cell', side_family = 'side' WHERE id = :id"
                ),
                {"id": source.series_id},
            )
            connection.execute(
                text("DELETE FROM series_points WHERE series_id = :id AND campaign_id <> :first"),
                {"id": source.series_id, "first": source.campaign_id},
            )
            connection.execute(
                text("UPDATE series_points SET place = 'machine' WHERE series_id = :id"),
                {"id": source.series_id},
            )
            ids = [
                further(connection, source, number, facts)
                for number, facts in enumerate(MACHINES, 1)
            ]
            # Nobody knows any more what measured the last but its digest, which the first shares.
            share = (
                "UPDATE series_points SET fingerprint = 'of-a-point-1' WHERE campaign_id = :last"
            )
            lose = (
                "DELETE FROM run_records USING runs"
                " WHERE campaign_id = :last AND attempt_id = result_attempt_id"
            )
            for statement in (share, lose):
                connection.execute(text(statement), {"last": ids[-1]})
            connection.execute(
                text(
                    "INSERT INTO change_points (id, project_id, series_id, campaign_id, at, before,"
                    " after, relative, p_value, autocorrelation, kind, status, found_at,"
                    " confirmed_at) SELECT gen_random_uuid(), project_id, id, :campaign, now(), 1,"
                    " 2, 1, 0, 0, 'step', 'confirmed', now(), now() FROM series WHERE id = :id"
                ),
                {"campaign": ids[2], "id": source.series_id},
            )
            connection.execute(
                text(
                    "INSERT INTO campaign_commits (campaign_id, project_id, commit, pull_request,"
                    " dirty) SELECT id, project_id, 'abcdef1', 7, false FROM campaigns"
                    " WHERE id = :id"
                ),
                {"id": ids[2]},
            )
        yield url, engine, source, ids
        engine.dispose()


def counted(engine: Engine) -> dict[str, int]:
    """How many rows there are."""
    with engine.connect() as connection:
        return {
            table: connection.scalar(text(f"SELECT count(*) FROM {table}")) or 0 for table in KEPT
        }


def segments(engine: Engine, series: UUID) -> list[tuple[Any, ...]]:
    """Campaign, kind, kernel, memory and line of a series' points, in their order."""
    with engine.connect() as connection:
        rows = connection.execute(
            text(
                "SELECT campaign_id, fingerprint, kernel, memory_bytes, off_main_line"
                " FROM series_points WHERE series_id = :id ORDER BY at"
            ),
            {"id": series},
        )
        return [tuple(row) for row in rows]


def test_points_of_one_kind_are_one_segment_and_nothing_is_lost(
    stored: tuple[str, Engine, Any, list[UUID]], redis_server: str, tmp_path: Path
) -> None:
    url, engine, source, ids = stored
    before = counted(engine)
    command.upgrade(alembic_of(url), "head")
    assert counted(engine) == before

    seen = segments(engine, source.series_id)
    assert [row[0] for row in seen] == [source.campaign_id, *ids]
    own, first, real_time, patched, smaller, less, unknown = (row[1] for row in seen)
    assert first == kind_of(MachineFacts.as_kept({**source.facts, **MACHINES[0]}))
    assert first == patched == less == unknown
    assert len({own, first, real_time, smaller}) == 4
    assert [row[2] for row in seen[1:]] == [one["kernel"] for one in MACHINES[:-1]] + [None]
    assert seen[-2][3] == int(15.8 * 2**30)
    assert [row[4] for row in seen] == [False, False, False, True, False, False, False]
    with engine.connect() as connection:
        for facts, kind, of_member in connection.execute(
            text(
                "SELECT k.facts, k.fingerprint, m.fingerprint FROM run_records k"
                " JOIN attempt_members m ON m.attempt_id = k.attempt_id AND m.index = k.member"
                " WHERE k.facts ? 'machine_id'"
            )
        ):
            assert kind == kind_of(MachineFacts.as_kept(facts)) == of_member
        for facts, kind in connection.execute(text("SELECT facts, fingerprint FROM agents")):
            assert kind == kind_of(MachineFacts.as_kept(facts))

    with client_of(settings_of(url, redis_server, tmp_path)) as client:
        shown = client.get(f"series/{source.series_id}").json()
    assert [one["segment"] for one in shown["points"]] == [0, 1, 2, 1, 3, 1, 1]
    assert shown["change_points"][0]["campaign_id"] == str(ids[2])
    assert shown["points"][-2]["place_changes"] == [
        "kernel 6.1.90 → 6.1.95", "memory 16.0 GiB → 15.8 GiB",
    ]  # fmt: skip

    command.downgrade(alembic_of(url), BEFORE)
    command.upgrade(alembic_of(url), "head")
    assert segments(engine, source.series_id) == seen, "once more changes nothing"


def test_many_series_are_put_together_by_and_by(
    stored: tuple[str, Engine, Any, list[UUID]],
) -> None:
    url, engine, source, ids = stored
    command.downgrade(alembic_of(url), BEFORE)
    with engine.begin() as connection:
        connection.execute(
            text(
                "WITH made AS (INSERT INTO series SELECT (jsonb_populate_record(s,"
                " jsonb_build_object('id', gen_random_uuid(), 'cell_identity', 'cell ' || n))).*"
                " FROM series s, generate_series(1, 1500) AS n WHERE s.id = :id RETURNING id)"
                " INSERT INTO series_points SELECT (jsonb_populate_record(p,"
                " jsonb_build_object('series_id', made.id,"
                " 'fingerprint', 'of-' || p.fingerprint))).*"
                " FROM made, series_points p WHERE p.series_id = :id"
            ),
            {"id": source.series_id},
        )
    command.upgrade(alembic_of(url), "head")
    with engine.connect() as connection:
        counts = connection.scalars(
            text(
                "SELECT DISTINCT count(DISTINCT fingerprint) FROM series_points"
                " JOIN series s ON s.id = series_id WHERE cell_identity LIKE 'cell%'"
                " GROUP BY series_id"
            )
        ).all()
    assert counts == [4]
    assert len(ids) == len(MACHINES)
