"""People who are locked out of an embedded platform."""

import pytest
from typer.testing import CliRunner
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.whole import app


def test_without_a_platform_nobody_is_looked_for(tmp_path):
    called = ["people", "reset-factor", "a@example.test", "--data-dir", str(tmp_path)]
    with pytest.raises(PlatformError, match="no embedded platform"):
        raise CliRunner().invoke(app, called).exception
    assert not list(tmp_path.iterdir())
