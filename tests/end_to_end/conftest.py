"""The platform of these tests, on whose machine nodes of Cassandra wait more briefly."""

import os
from collections.abc import Iterator

import pytest
from weighhouse_testing.platform import RunningPlatform, running_platform

RING_DELAY_MS = 10_000
"""For so long a node that comes later listens to its ring, twice; the vendor's is 30 s."""


@pytest.fixture(scope="session")
def platform() -> Iterator[RunningPlatform]:
    """The whole embedded platform with short timings: url, credentials, its parts."""
    options = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Dcassandra.ring_delay_ms={RING_DELAY_MS}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", options.strip())
        with running_platform() as found:
            yield found
