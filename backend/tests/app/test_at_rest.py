"""What an application holds that nobody has asked anything of yet."""

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from fastapi import FastAPI
from fastapi.testclient import TestClient
from weighhouse_backend.app.described import install_description
from weighhouse_backend.app.revisions import revisions_of

from backend.tests.described import described

MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"
LATE = {"alembic", "apprise", "arro3", "fido2", "mako", "minio", "requests", "zxcvbn"}
"""What few requests need: some 45 MB, and a second of every start."""
LOADED = """
import sys
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.kit.settings import Settings
create_app(Settings(
    database_url="postgresql+psycopg://nobody@127.0.0.1:1/none", redis_url="redis://127.0.0.1:1/0"
))
print(*{name.partition(".")[0] for name in sys.modules}, sep="\\n", file=sys.stderr)
"""


def test_what_few_requests_need_is_not_loaded():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "fastapi" in loaded
    assert not loaded & LATE


def test_the_document_that_is_served_is_the_applications():
    app = FastAPI(openapi_url=None)
    served = install_description(app)
    with TestClient(app) as client:
        answer = client.get("/api/v1/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == described()
    assert served.document() is served.document(), "it is made once"


def test_revisions_are_those_that_alembic_reads():
    script = ScriptDirectory(str(MIGRATIONS))
    told = revisions_of(MIGRATIONS)
    assert told.head == script.get_current_head()
    assert told.known == {one.revision for one in script.walk_revisions()}


def test_two_states_that_nothing_joins_are_refused(tmp_path):
    (tmp_path / "versions").mkdir()
    for name, after in (("1", "None"), ("2", '"1"'), ("3", '"1"')):
        written = f'revision = "{name}"\ndown_revision = {after}\n'
        (tmp_path / "versions" / f"{name}.py").write_text(written)
    with pytest.raises(ValueError, match="'2', '3'"):
        revisions_of(tmp_path)
