"""Whose counts were seen to agree with a system's own in a test run.

A test says so by `note`, once it has held both columns against each other. A test that the record
names must say so again whenever it runs.
"""

# ruff: noqa: S101 - pytest explains assertions

import datetime
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from weighhouse_sdk.testkit.arrivals import RECORD, STAND_IN
from weighhouse_sdk.testkit.exercises import Agreement, Exercises


class Agreed(NamedTuple):
    """Operations of a driver or tool that a system counted as it did."""

    by: str
    system: str
    row: str


_UNDER_WAY: set[Agreed] = set()


def note(by: str, system: str, row: str) -> None:
    """The test under way has seen it."""
    _UNDER_WAY.add(Agreed(by, system, row))


class Agreements:
    """Listens to a test run."""

    def __init__(self, root: Path) -> None:
        self._passed: dict[tuple[Agreed, str], str] = {}
        self._named: dict[str, set[Agreed]] = defaultdict(set)
        kept = root / RECORD
        if kept.is_file():
            record = Exercises.model_validate_json(kept.read_text(encoding="utf-8"))
            for one in record.agreements:
                self._named[one.test].add(Agreed(one.by, one.system, one.row))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:  # noqa: ARG002 - pytest's
        """Begin anew with each test."""
        _UNDER_WAY.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Hold a test to what the record says of it."""
        yield
        lost = self._named.get(item.nodeid, set()) - _UNDER_WAY
        assert not lost, f"docs/systems.json says that this test sees {sorted(lost)} agree"
        marker = item.get_closest_marker(STAND_IN)
        instead = str(marker.args[0]) if marker else ""
        for one in _UNDER_WAY:
            key = (one, instead)
            self._passed[key] = min(item.nodeid, self._passed.get(key, item.nodeid))

    def found(self, today: datetime.date) -> tuple[Agreement, ...]:
        """Each once, with the first test that saw it."""
        return tuple(
            Agreement(**one._asdict(), stand_in=instead, test=test, taken_on=today)
            for (one, instead), test in sorted(self._passed.items())
        )
