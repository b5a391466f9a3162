"""The embedded platform's secret key: drawn anew, and forgotten."""

import pytest
from typer.testing import CliRunner
from weighhouse_cli.embedded.directory import FORMER_KEYS, KEY, PlatformDirectory
from weighhouse_cli.embedded.errors import DirectoryInUse, PlatformError
from weighhouse_cli.whole import app


def called(*words):
    return CliRunner().invoke(app, ["secrets", *map(str, words)])


def test_a_new_key_is_drawn_and_the_former_ones_are_kept_until_they_are_forgotten(tmp_path):
    with PlatformDirectory(tmp_path) as directory:
        first = directory.secret(KEY)
    rotated = called("rotate", "--data-dir", tmp_path)
    assert rotated.exit_code == 0, rotated.output
    second = directory.secret(KEY)
    assert called("rotate", "--data-dir", tmp_path).exit_code == 0
    kept = tmp_path / "secrets" / FORMER_KEYS
    assert len({first, second, directory.secret(KEY)}) == 3
    assert kept.read_text(encoding="utf-8").split() == [second, first]
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not {first, second, directory.secret(KEY)} & set(rotated.output.split())

    assert called("forget", "--data-dir", tmp_path).exit_code != 0, "it asks first"
    assert kept.exists()
    assert called("forget", "--data-dir", tmp_path, "--yes").exit_code == 0
    assert not kept.exists()


def test_of_a_platform_that_runs_or_is_not_there_nothing_is_changed(tmp_path):
    with pytest.raises(PlatformError, match="no embedded platform"):
        raise called("rotate", "--data-dir", tmp_path / "none").exception
    with PlatformDirectory(tmp_path / "busy") as directory:
        key = directory.secret(KEY)
        with pytest.raises(DirectoryInUse):
            raise called("rotate", "--data-dir", tmp_path / "busy").exception
        assert directory.secret(KEY) == key
