"""Accounts that stood in addresses of systems before they were refused: no row has them."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

ROOT = Path(__file__).resolve().parents[3]
SECRET = "s3cr3t"
ADDRESSES = [
    f"redis://me:{SECRET}@db.example:6379/3", f"me:{SECRET}@db.example:6379",
    f"mongodb://me:{SECRET}@a,b:27017/?authSource=admin", f"tls://:{SECRET}@x@[::1]:6379",
    "tcp://127.0.0.1:6379",
]  # fmt: skip
MASKED = [
    "redis://***@db.example:6379/3", "***@db.example:6379",
    "mongodb://***@a,b:27017/?authSource=admin", "tls://***@[::1]:6379", "tcp://127.0.0.1:6379",
]  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "slug": "there",
    "description": "ask mia@example.org, see https://me@wiki.example/page",
    "targets": [{"name": "r", "endpoints": ADDRESSES, "label": "mia@work"}],
}
FAILURE = f"Redis does not answer at {ADDRESSES[0]}: invalid literal for int(), ask mia@example.org"

ROWS = """
    INSERT INTO organizations (id, slug, name, created_at) VALUES (:o, 'o', 'O', now());
    INSERT INTO projects (id, organization_id, slug, name, created_at)
        VALUES (:p, :o, 'p', 'P', now());
    INSERT INTO experiments (id, project_id, slug, name, description, owner_name,
        current_revision, targets, created_at, updated_at)
        VALUES (:e, :p, 'there', 'There', :d, 'mia@example.org', 1, '[]', now(), now());
    INSERT INTO experiment_revisions (id, project_id, experiment_id, number, document,
        content_hash, author_name, created_at)
        VALUES (:r, :p, :e, 1, CAST(:doc AS jsonb), 'x', 'Mia', now())
"""


def test_no_row_keeps_an_account_of_an_address(empty_database_url: str) -> None:
    config = Config(str(ROOT / "migrations" / "alembic.ini"))
    config.attributes["database_url"] = empty_database_url
    command.upgrade(config, "0041")
    ids = {name: uuid4() for name in ("o", "p", "e", "r", "s")}
    engine = create_engine(empty_database_url)
    try:
        with engine.begin() as connection:
            for statement in ROWS.split(";"):
                connection.execute(
                    text(statement), {**ids, "doc": json.dumps(DOCUMENT), "d": FAILURE}
                )
        command.upgrade(config, "0042")
        with engine.begin() as connection:
            document = connection.scalar(text("SELECT document FROM experiment_revisions"))
            told, owner = connection.execute(
                text("SELECT description, owner_name FROM experiments")
            ).one()
    finally:
        engine.dispose()
    assert document["targets"][0] == {"name": "r", "endpoints": MASKED, "label": "mia@work"}
    assert document["description"] == DOCUMENT["description"]
    assert told == FAILURE.replace(ADDRESSES[0], MASKED[0])
    assert owner == "mia@example.org"
    assert SECRET not in f"{document}{told}"
