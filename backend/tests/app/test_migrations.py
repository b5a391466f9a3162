"""The migrations: from empty to head, nothing missing, down and up again."""

import re
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect

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


def test_versions_import_nothing_of_ours() -> None:
    versions = sorted((ROOT / "migrations" / "versions").glob("*.py"))
    assert versions
    ours = re.compile(r"^\s*(import|from) weighhouse", re.MULTILINE)
    assert not [file.name for file in versions if ours.search(file.read_text(encoding="utf-8"))]
