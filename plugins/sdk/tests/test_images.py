"""Names of images, and an engine that is not there. Real containers: `make test-docker`."""

from pathlib import Path

import pytest
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.images import Engine, full_name

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("image", "full"),
    [
        ("redis", "docker.io/library/redis:latest"),
        ("redis:8.2", "docker.io/library/redis:8.2"),
        ("docker.io/redis:8.2", "docker.io/library/redis:8.2"),
        ("valkey/valkey:8", "docker.io/valkey/valkey:8"),
        ("docker.io/valkey/valkey:8", "docker.io/valkey/valkey:8"),
        ("ghcr.io/x/y", "ghcr.io/x/y:latest"),
        ("localhost/y", "localhost/y:latest"),
        ("ours:5000/y", "ours:5000/y:latest"),
        (f"redis@{DIGEST}", f"docker.io/library/redis@{DIGEST}"),
        ("0123456789ab", "docker.io/library/0123456789ab:latest"),
    ],
)
def test_names_are_completed_as_the_engine_does(image: str, full: str) -> None:
    assert full_name(image) == full
    assert full_name(full) == full


def test_an_engine_that_is_not_there_is_told_with_its_address(tmp_path: Path) -> None:
    engine = Engine(f"unix://{tmp_path}/none.sock")
    with pytest.raises(DeployFailed, match=r"no answer from Docker at unix:///.*none\.sock"):
        engine.image("redis")


def test_without_a_record_no_engine_is_asked(context: Context) -> None:
    assert context.leftovers() == ()
    assert context.remove_leftovers() == ()
