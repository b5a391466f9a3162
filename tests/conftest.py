"""The whole platform, for the tests that cross parts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_testing.foreign_pages import ForeignPages, foreign_pages
from weighhouse_testing.platform import RunningPlatform, running_platform


@pytest.fixture(scope="session")
def packages_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder from which the platform serves packages: none, unless a test fills it."""
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[ForeignPages]:
    """Pages of somebody else, of which the platform allows one origin to embed what is public."""
    with foreign_pages() as found:
        yield found


@pytest.fixture(scope="session")
def platform(elsewhere: ForeignPages, packages_folder: Path) -> Iterator[RunningPlatform]:
    """The whole embedded platform with short timings: url, credentials, its parts."""
    with running_platform(
        embed_origins=elsewhere.allowed, public_page="true", packages_dir=str(packages_folder)
    ) as found:
        yield found
