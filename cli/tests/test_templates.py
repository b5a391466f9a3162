"""First experiment files: each is valid as it is, and asks what it says."""

from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner
from weighhouse_cli.templates import Scenario
from weighhouse_cli.whole import app
from weighhouse_protocol.yaml_document import experiment_from_yaml


@pytest.mark.parametrize("scenario", get_args(Scenario))
def test_each_scenario_begins_with_a_valid_commented_file(scenario: str, tmp_path: Path) -> None:
    file = tmp_path / "first one.yaml"
    done = CliRunner().invoke(app, ["experiment", "init", str(file), "--scenario", scenario])
    assert done.exit_code == 0, done.output
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# ")
    found = experiment_from_yaml(text)
    assert (found.slug, found.scenario) == ("first-one", scenario)


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(app, ["experiment", "init", str(file)])
    assert done.exit_code != 0
    assert file.read_text(encoding="utf-8") == "mine"
