"""Wheels of what is built here, and environments that have nothing but wheels."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_testing.wheelhouse import built, declared, environment, install


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    built(folder)
    return folder


@pytest.fixture(scope="session")
def installed(wheels: Path, server_directory: Path) -> Iterator[Path]:
    """An environment of the wheels and of what they declare: the rest of ours is not in it."""
    with environment(server_directory.parent, declared(wheels)) as root:
        install(root, wheels, "weighhouse[rocksdb]")
        yield root


@pytest.fixture(scope="session")
def agent_alone(wheels: Path, server_directory: Path) -> Iterator[Path]:
    """An environment of a machine that measures: an agent from its wheel, and no plugin."""
    with environment(server_directory.parent, declared(wheels)) as root:
        install(root, wheels, "weighhouse-agent")
        yield root
