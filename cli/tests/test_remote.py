"""The command that asks a platform elsewhere needs little, and says where the rest is."""

import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from typer.testing import CliRunner
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.remote import app
from weighhouse_cli.whole import app as whole

LOADED = """
import sys
import weighhouse_cli.main, weighhouse_cli.remote
found = {name.partition(".")[0] for name in sys.modules}
print(*sorted(found - set(sys.stdlib_module_names)))
"""
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_it_loads_no_more_of_ours_than_it_declares():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    declared = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    needs = {Requirement(one).name for one in declared["dependencies"]}
    extra = {Requirement(one).name for one in declared["optional-dependencies"]["platform"]}
    brings = packages_distributions()
    of = {name for module in loaded for name in brings.get(module, ())}
    of |= {name.replace("_", "-") for name in loaded if name.startswith("weighhouse_")}
    assert needs <= of | {"pyyaml", "PyYAML"}
    assert {name for name in of if name.startswith("weighhouse")} <= needs | {"weighhouse-cli"}
    assert not of & (extra | {"numpy", "scipy", "sqlalchemy", "SQLAlchemy"})


def test_what_is_not_here_is_told_with_what_brings_it():
    told = CliRunner().invoke(app, ["up"])
    assert isinstance(told.exception, CommandFailed)
    assert told.exception.code is Exit.INVALID
    assert "there is no up here: the package weighhouse brings" in str(told.exception)
    assert CliRunner().invoke(app, ["--help"]).exit_code == 0


@pytest.mark.parametrize("words", [["run"], ["campaign", "watch"], ["comment"], ["login"]])
def test_both_have_what_a_pipeline_needs(words):
    for one in (app, whole):
        assert CliRunner().invoke(one, [*words, "--help"]).exit_code == 0
