"""Fixtures of the SDK's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context


@pytest.fixture
def target() -> Target:
    return Target(name="t", system="anything")


@pytest.fixture
def context(target: Target, tmp_path: Path) -> Iterator[Context]:
    context = Context.open(target, tmp_path / "attempt")
    yield context
    context.remove_leftovers()
