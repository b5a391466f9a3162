"""The wire-compatible stand-in for these tests, which is not MongoDB."""

import os
import subprocess
from collections.abc import Iterator

import pytest
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.children import child

STAND_IN = "WEIGHHOUSE_MONGO_STAND_IN"


@pytest.fixture(scope="module")
def stand_in(request: pytest.FixtureRequest) -> Iterator[str]:
    """The endpoint of a wire-compatible stand-in, not MongoDB."""
    folder = os.environ.get(STAND_IN)
    if not folder:
        at_hand.not_run(
            request, f"{STAND_IN} names no stand-in; source infra/build/maven.sh mongo-stand-in"
        )
    classes = f"{folder}/classes:{folder}/lib/*"
    command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-cp", classes, "MongoStandIn", "0"]
    with child(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield f"tcp://127.0.0.1:{int(process.stdout.readline())}"
