"""What the demo weighs: of the experiment's systems, those that the machine has."""

import shutil
from pathlib import Path

import pytest
import yaml
from weighhouse_cli.embedded.binaries import search_path
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.first_look import fitted, systems_here
from weighhouse_cli.resources import resource
from weighhouse_protocol.experiment import Experiment

LOOK = (resource("experiments") / "first-look.yaml").read_text(encoding="utf-8")


def _targets(text: str) -> list[str]:
    return [target["name"] for target in yaml.safe_load(text)["targets"]]


def test_an_experiment_whose_systems_are_all_here_is_left_as_it_is() -> None:
    assert fitted(LOOK, {"redis", "valkey", "memcached", "rocksdb", "garnet"}) is LOOK


def test_what_is_not_here_is_left_out_with_what_is_disclosed_of_it() -> None:
    text = fitted(LOOK, {"memcached", "rocksdb"})
    assert _targets(text) == ["memcached", "rocksdb"]
    disclosed = yaml.safe_load(text)["disclosure"]["systems"]
    assert [one["system"] for one in disclosed] == ["memcached", "rocksdb"]
    Experiment.model_validate(yaml.safe_load(text))


def test_one_that_is_alone_stands_against_itself_with_every_write_on_the_disk() -> None:
    document = Experiment.model_validate(yaml.safe_load(fitted(LOOK, {"valkey"})))
    assert [target.name for target in document.targets] == ["valkey", "valkey-to-disk"]
    assert document.targets[1].parameters == {"appendonly": True, "appendfsync": "always"}
    assert document.targets[1].label == "Valkey, each write on disk"


@pytest.mark.parametrize("here", [set(), {"memcached"}])
def test_where_too_little_is_here_it_is_said_what_would_be_enough(here: set[str]) -> None:
    with pytest.raises(PlatformError, match=r"this machine has (none|memcached)\. Install"):
        fitted(LOOK, here)


def test_a_system_is_here_with_its_program_alone(tmp_path: Path) -> None:
    program = shutil.which("redis-server", path=search_path())
    assert program is not None
    (tmp_path / "redis-server").symlink_to(program)
    assert systems_here(str(tmp_path)) >= {"redis", "rocksdb"}
    assert "memcached" not in systems_here(str(tmp_path))


def test_a_system_without_its_driver_is_not_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weighhouse_sdk.machine.programs.driver_directories", lambda: (tmp_path,))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not systems_here(search_path()) & {"redis", "memcached", "rocksdb"}
