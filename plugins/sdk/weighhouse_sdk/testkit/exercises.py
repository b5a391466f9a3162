"""What a test run says of the systems that it really set up."""

import datetime
from typing import Literal

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


WayIn = Literal[
    "IPv4", "IPv6", "name", "socket", "TLS by name", "own certificate", "account",
    "another database",
]  # fmt: skip
"""How a driver may come to a server that is there."""


class Arrival(Report):
    """A way that a driver really went, loaded and measured."""

    driver: str
    system: str
    way: WayIn
    stand_in: str = ""
    """What took the system's place; empty: it was the system itself."""
    test: str
    """One that goes it, as pytest names it; it fails when it no longer does."""
    taken_on: datetime.date


class Agreement(Report):
    """Operations whose count by a driver or tool was seen to be the system's own."""

    by: str
    """The driver or tool."""
    system: str
    row: str
    """As the manifest's `counts` call it: `reads`."""
    stand_in: str = ""
    """What took the system's place; empty: it was the system itself."""
    test: str
    """One that sees it, as pytest names it; it fails when it no longer does."""
    taken_on: datetime.date


class DriverWays(Report):
    """The ways that a driver has, by what it says of itself."""

    driver: str
    ways: tuple[WayIn, ...]


class ParametersHeld(Report):
    """A manifest's parameters, held against the real system."""

    plugin: str
    version: str
    parameters: int
    values: int
    """Values of them: least, default and greatest, each choice, each example."""
    starts: int
    told: int
    """Parameters that the system itself told back."""
    ordered: tuple[str, ...] = ()
    """Parameters that it does not tell, so that only its command line or file says them."""
    requirements: int = 0
    """Needs of one parameter of another, each tried where it is just met and just is not."""
    refused: int = 0
    """Of them, how many the system would have refused or done otherwise where it is not met."""
    builds: tuple[str, ...] = ()
    """Parameters that this build of it does not have."""
    faults: tuple[str, ...] = ()
    """What in the manifest is not as the system is."""
    taken_on: datetime.date
    machine: str


class Exercises(Report):
    """What one test run exercised."""

    exercised: tuple[Exercise, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    held: tuple[ParametersHeld, ...] = ()
    arrivals: tuple[Arrival, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    drivers: tuple[DriverWays, ...] = ()
