"""The whole platform, for the tests that cross parts."""

from collections.abc import Iterator

import pytest
from weighhouse_testing.platform import RunningPlatform, running_platform


@pytest.fixture(scope="session")
def platform() -> Iterator[RunningPlatform]:
    """The whole embedded platform with short timings: url, credentials, its parts."""
    with running_platform(embed_origins="http://blog.example", public_page="true") as found:
        yield found
