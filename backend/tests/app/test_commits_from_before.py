"""Campaigns from before their commits' times were known stand where they stood."""

from pathlib import Path
from uuid import uuid4

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

ROOT = Path(__file__).resolve().parents[3]
ROWS = """
    INSERT INTO organizations (id, slug, name, created_at) VALUES (:o, 'o', 'O', now());
    INSERT INTO projects (id, organization_id, slug, name, created_at)
        VALUES (:p, :o, 'p', 'P', now());
    INSERT INTO experiments (id, project_id, slug, name, description, owner_name,
        current_revision, targets, created_at, updated_at)
        VALUES (:e, :p, 'there', 'There', '', 'Mia', 1, '[]', now(), now());
    INSERT INTO experiment_revisions (id, project_id, experiment_id, number, document,
        content_hash, author_name, created_at)
        VALUES (:r, :p, :e, 1, '{}', 'x', 'Mia', now());
    INSERT INTO campaigns (id, project_id, number, experiment_id, revision_id, revision_number,
        status, paused, trigger, priority, seed, repetitions, noise, chosen_levels, labels, base,
        beside, created_at, changed_at)
        SELECT gen_random_uuid(), :p, n, :e, :r, 1, 'completed', false, 'api', 0, 1, 3, false,
            '[]', '{}', 'pooled', '[]', timestamptz '2026-03-01' + n * interval '1 day', now()
        FROM generate_series(1, 3) n;
    INSERT INTO campaign_commits (campaign_id, project_id, commit, branch, dirty)
        SELECT id, :p, lpad(number::text, 40, '0'), 'main', false FROM campaigns WHERE number = 2
"""


def test_they_stand_where_they_were_asked_for(empty_database_url: str) -> None:
    config = Config(str(ROOT / "migrations" / "alembic.ini"))
    config.attributes["database_url"] = empty_database_url
    command.upgrade(config, "0042")
    ids = {name: uuid4() for name in ("o", "p", "e", "r")}
    engine = create_engine(empty_database_url)
    try:
        with engine.begin() as connection:
            for statement in ROWS.split(";"):
                connection.execute(text(statement), ids)
        command.upgrade(config, "0043")
        with engine.begin() as connection:
            stand = connection.execute(
                text("SELECT number, created_at = stands_at FROM campaigns ORDER BY stands_at")
            ).all()
            known = connection.scalar(text("SELECT count(*) FROM known_commits"))
            kept = connection.execute(text("SELECT commit, committed_at FROM campaign_commits"))
            assert [tuple(row) for row in kept] == [("2".rjust(40, "0"), None)]
        assert [tuple(row) for row in stand] == [(1, True), (2, True), (3, True)]
        assert known == 0, "nobody told of them"
        command.downgrade(config, "0042")
        with engine.begin() as connection:
            assert connection.scalar(text("SELECT count(*) FROM campaigns")) == 3
    finally:
        engine.dispose()
