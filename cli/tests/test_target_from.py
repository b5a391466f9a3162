"""`weighhouse target from`, without a platform."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner
from weighhouse_cli.whole import app


def from_file(file: Path, *more: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["target", "from", str(file), "--offline", *more])
    failed = "" if done.exception is None else str(done.exception)
    return done.exit_code, done.stdout, done.stderr + failed


def test_a_file_is_printed_as_a_target_and_the_rest_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "redis.conf"
    file.write_text("appendonly yes\nmaxclients 9\nport 7000\nrequirepass hush\n")
    code, printed, told = from_file(file)
    assert code == 0
    assert yaml.safe_load(printed) == [
        {
            "name": "redis",
            "system": "redis",
            "parameters": {"appendonly": True},
            "settings": {"maxclients": 9},
        }
    ]
    assert f"{file}:3: port is set by the agent" in told
    assert f"{file}:4: requirepass is never taken" in told
    assert "hush" not in printed + told
    assert "2 taken, 2 not" in told


def test_it_is_written_where_it_is_asked_for_and_told_as_json(tmp_path: Path) -> None:
    file, written = tmp_path / "cache.txt", tmp_path / "target.yaml"
    file.write_text("-m 96\n")
    code, printed, _ = from_file(file, "--system", "memcached", "--output", str(written))
    assert (code, printed) == (0, "")
    assert yaml.safe_load(written.read_text())[0]["parameters"] == {"memory_mebibytes": 96}
    code, printed, _ = from_file(file, "--system", "memcached", "--json")
    assert json.loads(printed)["taken"][0]["into"] == "parameters.memory_mebibytes"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("redis.conf", b"hz 10\nhz \xff\n", ":2: is no UTF-8"),
        ("redis.conf", b"hz 10\ninclude more.conf\n", ":2: takes in another file"),
        ("redis.conf", b"x" * 300_000, "are read"),
        ("shop.conf", b"hz 10\n", "say which system it is"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_line(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    code, printed, told = from_file(file)
    assert code != 0
    assert printed == ""
    assert said in told


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    code, _, told = from_file(tmp_path / "redis.conf")
    assert code != 0
    assert "No such file" in told
