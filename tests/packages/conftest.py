"""Wheels of what is built here, and environments that have nothing but wheels."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_testing.wheels import build, empty_environment, install


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    build(folder)
    return folder


@pytest.fixture(scope="session")
def installed(wheels: Path, server_directory: Path) -> Iterator[Path]:
    """An environment of the wheels and of what they declare: the rest of ours is not in it."""
    root = Path(tempfile.mkdtemp(prefix="weighhouse-installed-", dir=server_directory.parent))
    empty_environment(wheels, root)
    install(root, "--find-links", wheels, "weighhouse[rocksdb]")
    yield root
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def agent_alone(wheels: Path, server_directory: Path) -> Iterator[Path]:
    """An environment of a machine that measures: an agent from its wheel, and no plugin."""
    root = Path(tempfile.mkdtemp(prefix="weighhouse-agent-", dir=server_directory.parent))
    empty_environment(wheels, root)
    install(root, "--find-links", wheels, "weighhouse-agent")
    yield root
    shutil.rmtree(root, ignore_errors=True)
