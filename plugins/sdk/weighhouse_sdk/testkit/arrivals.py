"""By which ways drivers came to servers in a test run.

A way is read from what a driver was ordered and from how its run ended; no test says it of itself.
A test that the record names for a way must go that way whenever it runs.
"""

# ruff: noqa: S101 - pytest explains assertions

import datetime
import ipaddress
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, get_args

import pytest
from weighhouse_protocol.driver import (
    DriverDescription,
    DriverEvent,
    DriverOrder,
    Finished,
    PhaseFinished,
)

from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.testkit.exercises import Arrival, Exercises, WayIn

WAYS: tuple[WayIn, ...] = get_args(WayIn)
BY_VERSION: Mapping[int, WayIn] = {4: "IPv4", 6: "IPv6"}
UNUSUAL: Mapping[WayIn, tuple[str, ...]] = {
    "another database": ("database", "keyspace", "namespace"),
    "replicas": ("read_from", "read_preference"),
}
"""Ways that options say, where they are not as usual."""
RECORD = Path("docs", "systems.json")
"""Below the root of the repository."""
STAND_IN = "stand_in"
Shown = Mapping[str, object]


class Gone(NamedTuple):
    """A way that a driver went."""

    driver: str
    system: str
    way: WayIn


def ways_of(order: DriverOrder, usual: Shown) -> set[WayIn]:
    """Those that an order tells a driver to go.

    :param usual: the driver's options → their defaults.
    """
    options = order.target.options
    found: set[WayIn] = set()
    for endpoint in order.target.endpoints:
        kind, _, place = endpoint.partition("://")
        if kind == "unix":
            found.add("socket")
        if kind not in ("tcp", "tls"):
            continue
        host = place.rpartition(":")[0].strip("[]")
        address = _address(host)
        named = address is None or bool(options.get("tls_server_name"))
        if kind == "tcp":
            found.add("name" if address is None else BY_VERSION[address.version])
        elif named:
            found.add("TLS by name")
        if kind == "tls" and options.get("tls_certificate_file"):
            found.add("own certificate")
    if options.get("username") or options.get("password_file"):
        found.add("account")
    for way, names in UNUSUAL.items():
        if any(name in options and options[name] != usual.get(name) for name in names):
            found.add(way)
    return found | ({"address map"} if order.target.address_map else set())


def ways_had(described: DriverDescription) -> tuple[WayIn, ...]:
    """Ways that a driver can be told to go, by what it says of itself."""
    kinds, options = described.endpoint_kinds, declared(described.options)
    known: dict[WayIn, bool] = {
        "IPv4": "tcp" in kinds,
        "IPv6": "tcp" in kinds,
        "name": "tcp" in kinds,
        "socket": "unix" in kinds,
        "TLS by name": "tls" in kinds,
        "own certificate": "tls" in kinds and "tls_certificate_file" in options,
        "account": "password_file" in options,
        "address map": "address_map" in described.target_fields,
        **{way: any(name in options for name in names) for way, names in UNUSUAL.items()},
    }
    return tuple(way for way in WAYS if known[way])


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


class Arrivals:
    """Listens to a test run."""

    def __init__(self, root: Path) -> None:
        self._under_way: set[Gone] = set()
        self._passed: dict[tuple[Gone, str], str] = {}
        self._named: dict[str, set[Gone]] = defaultdict(set)
        kept = root / RECORD
        if kept.is_file():
            record = Exercises.model_validate_json(kept.read_text(encoding="utf-8"))
            for one in record.arrivals:
                self._named[one.test].add(Gone(one.driver, one.system, one.way))

    def listen(self) -> None:
        """Hear of every driver's run from now on."""
        arrivals, events = self, DriverRun.events

        def heard(self: DriverRun) -> Iterator[DriverEvent]:
            measured = False
            for event in events(self):
                yield event
                if isinstance(event, PhaseFinished):
                    totals = event.operations.values()
                    measured = bool(totals) and all(each.ok and not each.errors for each in totals)
                if isinstance(event, Finished) and measured:
                    arrivals.seen(self)

        DriverRun.events = heard  # type: ignore[method-assign] # - to be told of every run

    def seen(self, run: DriverRun) -> None:
        """A driver has loaded and measured to its end."""
        options = declared(describe_driver(run.driver_id).options)
        usual = {name: each.get("default") for name, each in options.items()}
        for way in ways_of(run.order, usual):
            self._under_way.add(Gone(run.driver_id, run.system, way))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:  # noqa: ARG002 - pytest's
        """Begin anew with each test."""
        self._under_way.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Hold a test to what the record says of it."""
        yield
        lost = self._named.get(item.nodeid, set()) - self._under_way
        assert not lost, f"docs/systems.json says that this test goes {sorted(lost)}"
        marker = item.get_closest_marker(STAND_IN)
        instead = str(marker.args[0]) if marker else ""
        for gone in self._under_way:
            key = (gone, instead)
            self._passed[key] = min(item.nodeid, self._passed.get(key, item.nodeid))

    def found(self, today: datetime.date) -> tuple[Arrival, ...]:
        """Each way once, with the first test that went it."""
        return tuple(
            Arrival(**gone._asdict(), stand_in=instead, test=test, taken_on=today)
            for (gone, instead), test in sorted(self._passed.items())
        )
