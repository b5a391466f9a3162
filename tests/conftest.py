"""The whole platform, for the tests that cross parts."""

from collections.abc import Iterator

import pytest
from weighhouse_testing.foreign_pages import ForeignPages, foreign_pages
from weighhouse_testing.platform import RunningPlatform, running_platform


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[ForeignPages]:
    """Pages of somebody else, of which the platform allows one origin to embed what is public."""
    with foreign_pages() as found:
        yield found


@pytest.fixture(scope="session")
def platform(elsewhere: ForeignPages) -> Iterator[RunningPlatform]:
    """The whole embedded platform with short timings: url, credentials, its parts."""
    with running_platform(embed_origins=elsewhere.allowed, public_page="true") as found:
        yield found
