"""`weighhouse agent doctor`: a table, a document, and when it ends with more than 0."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weighhouse_agent.machine.doctor.examination import CHECKS
from weighhouse_cli.whole import app


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_the_table_has_every_fact_and_the_document_the_same(home: Path) -> None:
    table = CliRunner().invoke(app, ["agent", "doctor", "--home", str(home)])
    document = CliRunner().invoke(app, ["agent", "doctor", "--json", "--home", str(home)])
    assert (table.exit_code, document.exit_code) == (0, 0)
    found = json.loads(document.stdout)
    assert len(found) == len(CHECKS)
    assert {"name", "found", "state", "why", "change"} == set(found[0])
    for each in found:
        assert f"  {each['name']}  " in table.stdout
    assert not home.exists()


def test_only_strict_ends_with_more_than_zero_and_only_for_a_warning(home: Path) -> None:
    done = CliRunner().invoke(app, ["agent", "doctor", "--json", "--strict", "--home", str(home)])
    states = {each["state"] for each in json.loads(done.stdout)}
    assert done.exit_code == (3 if "warning" in states else 0)
