"""What a test run says of the systems that it really set up."""

import datetime

from weighhouse_protocol.base import Report


class Exercise(Report):
    """A way of setting a system up that was really gone."""

    plugin: str
    deployment: str
    nodes: int = 1
    replication_factor: int = 1
    version: str
    stand_in: str = ""
    """What took the system's place; empty: it was the system itself."""
    tests: int = 0
    """Tests that passed on it."""
    taken_on: datetime.date
    machine: str


class NotRun(Report):
    """Tests of a plugin that this machine could not run."""

    plugin: str
    reason: str
    tests: int
    taken_on: datetime.date
    machine: str


class Exercises(Report):
    """What one test run exercised."""

    exercised: tuple[Exercise, ...] = ()
    not_run: tuple[NotRun, ...] = ()
