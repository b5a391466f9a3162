"""The migrations: from empty to head, nothing missing, down and up again."""

import datetime
import re
from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def config(empty_database_url: str) -> Config:
    found = Config(str(ROOT / "migrations" / "alembic.ini"))
    found.attributes["database_url"] = empty_database_url
    return found


def tables(url: str) -> set[str]:
    engine = create_engine(url)
    try:
        return set(inspect(engine).get_table_names()) - {"alembic_version"}
    finally:
        engine.dispose()


def test_from_empty_to_head_and_back_and_again(config: Config, empty_database_url: str) -> None:
    command.upgrade(config, "head")
    made = tables(empty_database_url)
    assert {"campaigns", "runs", "attempts", "intervals", "series"} <= made
    command.check(config)
    command.downgrade(config, "base")
    assert tables(empty_database_url) == set()
    command.upgrade(config, "head")
    assert tables(empty_database_url) == made


def test_schedules_from_before_keep_what_they_did(config: Config, empty_database_url: str) -> None:
    before = ScriptDirectory.from_config(config).get_revision("0005").down_revision
    command.downgrade(config, "base")
    command.upgrade(config, before)
    project, experiment, revision, campaign, by_hand = (uuid4() for _ in range(5))
    one = {"p": project, "e": experiment, "r": revision, "c": campaign, "h": by_hand, "o": uuid4()}
    rows = """
        INSERT INTO organizations (id, slug, name, created_at) VALUES (:o, 'o', 'O', now());
        INSERT INTO projects (id, organization_id, slug, name, created_at)
            VALUES (:p, :o, 'p', 'P', now());
        INSERT INTO experiments (id, project_id, slug, name, description, owner_name,
            current_revision, targets, created_at, updated_at)
            VALUES (:e, :p, 'nightly', 'Nightly', '', 'Mia', 1, '[]', now(), now());
        INSERT INTO experiment_revisions (id, project_id, experiment_id, number, document,
            content_hash, author_name, created_at) VALUES (:r, :p, :e, 1, '{}', 'x', 'Mia', now());
        INSERT INTO schedules (experiment_id, project_id, cron, time_zone, enabled, next_at,
            created_by, updated_at) VALUES (:e, :p, '30 2 * * *', 'Europe/Vienna', true,
            '2026-11-22T01:30:00Z', 'Mia', now());
        INSERT INTO campaigns (id, project_id, number, experiment_id, revision_id, revision_number,
            status, paused, trigger, priority, seed, repetitions, labels, scheduled_for, created_at,
            changed_at) VALUES (:c, :p, 1, :e, :r, 1, 'completed', false, 'schedule', 0, 1, 1, '{}',
            '2026-11-21T01:30:00Z', now(), now());
        INSERT INTO campaigns (id, project_id, number, experiment_id, revision_id, revision_number,
            status, paused, trigger, priority, seed, repetitions, labels, created_at, changed_at)
            VALUES (:h, :p, 2, :e, :r, 1, 'completed', false, 'person', 0, 1, 1, '{}', now(), now())
    """
    engine = create_engine(empty_database_url)
    try:
        with engine.begin() as connection:
            for statement in rows.split(";"):
                connection.execute(text(statement), one)
        command.upgrade(config, "head")
        with engine.begin() as connection:
            kept = connection.execute(
                text("SELECT cron, enabled, next_at, overlap, missed, problem FROM schedules")
            ).one()
            levels = connection.execute(text("SELECT chosen_levels FROM campaigns")).scalars()
            assert list(levels) == [[], []], "campaigns from before have the loads of their files"
            became = connection.execute(
                text("SELECT scheduled_for, outcome, campaign_id, campaign_number"
                     " FROM schedule_occurrences")
            ).one()  # fmt: skip
            campaigns = connection.scalar(text("SELECT count(*) FROM campaigns"))
    finally:
        engine.dispose()
    night = datetime.datetime(2026, 11, 21, 1, 30, tzinfo=datetime.UTC)
    next_night = night + datetime.timedelta(days=1)
    assert tuple(kept) == ("30 2 * * *", True, next_night, "skip", "run_late", None)
    assert tuple(became) == (night, "started", campaign, 1)
    assert campaigns == 2


def test_audit_entries_from_before_stay_as_they_are(
    config: Config, empty_database_url: str
) -> None:
    command.downgrade(config, "base")
    command.upgrade(config, "0026")
    engine = create_engine(empty_database_url)
    note = text(
        "SELECT weighhouse_note(CAST(:i AS uuid), NULL, 'Mia', 'prices.saved', 'prices',"
        " '{}', now())"
    )
    entry = text("SELECT actor, action, address, person_id, token_id FROM audit_entries")
    try:
        with engine.begin() as connection:
            connection.execute(note, {"i": uuid4()})
        command.upgrade(config, "0027")
        with engine.begin() as connection:
            kept = connection.execute(entry).one()
        command.downgrade(config, "0026")
        with engine.begin() as connection:
            connection.execute(note, {"i": uuid4()})
            left = connection.scalar(text("SELECT count(*) FROM audit_entries"))
        command.upgrade(config, "head")
    finally:
        engine.dispose()
    assert tuple(kept) == ("Mia", "prices.saved", None, None, None)
    assert left == 2


def test_versions_import_nothing_of_ours() -> None:
    versions = sorted((ROOT / "migrations" / "versions").glob("*.py"))
    assert versions
    ours = re.compile(r"^\s*(import|from) weighhouse", re.MULTILINE)
    assert not [file.name for file in versions if ours.search(file.read_text(encoding="utf-8"))]
