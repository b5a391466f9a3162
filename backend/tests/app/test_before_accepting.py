"""What spoke in a project before manifests were accepted goes on speaking there."""

import json
from pathlib import Path
from uuid import UUID, uuid4

from alembic import command
from sqlalchemy import Connection, create_engine, text
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_session_factory
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_testing.stored import alembic_of, restored, settings_of

NEWER, ELSEWHERE, GONE = "a" * 64, "b" * 64, "c" * 64


def manifest(connection: Connection, digest: str, plugin: str, version: str, day: int) -> None:
    """Another text of a plugin's manifest, or of a plugin that nobody has any more."""
    connection.execute(
        text(
            "INSERT INTO manifests SELECT DISTINCT ON (organization_id) organization_id, :digest,"
            " :plugin, :version, manifest || CAST(:changed AS jsonb),"
            " make_timestamptz(2026, 11, :day, 0, 0, 0), make_timestamptz(2026, 11, :day, 0, 0, 0)"
            " FROM manifests"
        ),
        {
            "digest": digest, "plugin": plugin, "version": version, "day": day,
            "changed": json.dumps({"id": plugin, "version": version}),
        },
    )  # fmt: skip


def offer(connection: Connection, digest: str, plugin: str, projects: list[UUID] | None) -> UUID:
    """Another agent of the organization that has it, lent to projects or to all."""
    agent_id = uuid4()
    connection.execute(
        text(
            "INSERT INTO agents SELECT (jsonb_populate_record(a, CAST(:changed AS jsonb))).*"
            " FROM agents a LIMIT 1"
        ),
        {
            "changed": json.dumps({
                "id": str(agent_id), "instance_id": str(uuid4()), "token_hash": str(agent_id),
                "lent_to": None if projects is None else [str(one) for one in projects],
                "revoked_at": None,
            }),
        },
    )  # fmt: skip
    connection.execute(
        text(
            "INSERT INTO manifest_offers SELECT :agent, :plugin, organization_id, :digest,"
            " CAST(:projects AS uuid[]), now() FROM manifests WHERE digest = :digest"
        ),
        {"agent": agent_id, "plugin": plugin, "digest": digest, "projects": projects},
    )
    return agent_id


def test_what_was_in_force_stays_and_machines_stay_lent(
    postgres_server: str, redis_server: str, tmp_path: Path
) -> None:
    with restored(postgres_server) as url:
        command.upgrade(alembic_of(url), "0034")
        engine = create_engine(url)
        other = uuid4()
        with engine.begin() as connection:
            home = connection.scalar(text("SELECT id FROM projects"))
            connection.execute(
                text(
                    "INSERT INTO projects SELECT (jsonb_populate_record(p, jsonb_build_object("
                    "'id', CAST(:id AS text), 'slug', 'other'))).* FROM projects p"
                ),
                {"id": str(other)},
            )
            before = connection.scalar(text("SELECT count(*) FROM manifests"))
            manifest(connection, NEWER, "redis", "7.0.0", 26)
            manifest(connection, ELSEWHERE, "redis", "9.0.0", 27)
            manifest(connection, GONE, "gone", "1.0.0", 1)
            for_all = offer(connection, NEWER, "redis", None)
            for_other = offer(connection, ELSEWHERE, "redis", [other])
            own = connection.scalar(
                text("SELECT agent_id FROM manifest_offers ORDER BY offered_at, agent_id LIMIT 1")
            )
            connection.execute(
                text(
                    "UPDATE registration_tokens SET created_by = 'installation', used_by ="
                    " (SELECT instance_id FROM agents WHERE id = :own), project_id ="
                    " (SELECT project_id FROM agents WHERE id = :own)"
                ),
                {"own": own},
            )
        assert before > 1

        command.upgrade(alembic_of(url), "head")

        settings = settings_of(url, redis_server, tmp_path)
        with unit_of_work(make_session_factory(engine)) as session:
            catalog = CatalogService(session, SystemClock())
            spoken = {one: catalog.of([one]).entries for one in (home, other)}
            assert spoken[home]["redis"].manifest.version == "7.0.0", "of a machine lent to all"
            assert spoken[other]["redis"].manifest.version == "9.0.0", "of its own machine"
            assert spoken[home].keys() == spoken[other].keys(), "all that was known stays known"
            assert "gone" in spoken[home]
            fleet = FleetService(session, SystemClock(), settings, catalog)
            assert "redis" in fleet.plugins_in_force(home)[for_all]
            assert for_other not in fleet.plugins_in_force(home)
            assert "redis" in fleet.plugins_in_force(other)[for_other]
            assert session.get_one(Agent, for_all).lent_to is None
            assert session.get_one(Agent, for_other).lent_to == [other]
        with engine.connect() as connection:
            trusted = connection.scalars(text("SELECT id FROM agents WHERE trusted")).all()
            waits = connection.execute(
                text(
                    "SELECT * FROM manifest_offers o WHERE NOT EXISTS (SELECT FROM"
                    " manifest_decisions d WHERE d.digest = o.digest AND d.accepted)"
                )
            ).all()
        assert waits == []
        assert trusted == [own]
        command.downgrade(alembic_of(url), "0034")
        command.upgrade(alembic_of(url), "head")
        engine.dispose()
