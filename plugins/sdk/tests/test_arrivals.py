"""By which way a driver came is read from its order, and a test is held to it."""

import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.arrivals import RECORD, Arrivals, Gone, ways_had, ways_of
from weighhouse_sdk.testkit.exercises import Arrival, Exercises
from weighhouse_sdk.testkit.orders import order_for

REPOSITORY = Path(__file__).parents[3]
USUAL = {"database": 0}
TEST = "plugins/x/tests/test_y.py::test_z"


@pytest.mark.parametrize(
    ("endpoint", "options", "ways"),
    [
        ("tcp://10.0.0.1:1", {}, {"IPv4"}),
        ("tcp://[::1]:1", {"database": 0}, {"IPv6"}),
        ("tcp://h.example:1", {"database": 3}, {"name", "another database"}),
        ("unix:///run/s.sock", {"username": "u"}, {"socket", "account"}),
        ("tls://h.example:1", {"password_file": "/p"}, {"TLS by name", "account"}),
        ("tls://10.0.0.1:1", {}, set()),
        ("tls://10.0.0.1:1", {"tls_server_name": "h.example"}, {"TLS by name"}),
        ("tls://[::1]:1", {"tls_certificate_file": "/c"}, {"own certificate"}),
        ("tcp://10.0.0.1:1", {"tls_certificate_file": "/c"}, {"IPv4"}),
        ("file:///data", {}, set()),
    ],
)
def test_a_way_is_what_the_order_says(
    endpoint: str, options: dict[str, Scalar], ways: set[str]
) -> None:
    assert ways_of(order_for((endpoint,), options), USUAL) == ways


def item() -> pytest.Item:
    return cast("pytest.Item", SimpleNamespace(nodeid=TEST, get_closest_marker=lambda _: None))


def ended(arrivals: Arrivals, *gone: Gone) -> None:
    """A test ends in which drivers went some ways."""
    call = arrivals.pytest_runtest_call(item())
    next(call)
    arrivals._under_way.update(gone)
    with pytest.raises(StopIteration):
        next(call)


def test_a_test_that_no_longer_goes_its_way_fails(tmp_path: Path) -> None:
    today = datetime.date(2026, 11, 27)
    gone, other = Gone("resp", "redis", "IPv6"), Gone("resp", "redis", "IPv4")
    kept = Exercises(arrivals=(Arrival(**gone._asdict(), test=TEST, taken_on=today),))
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / RECORD).write_text(kept.model_dump_json(), encoding="utf-8")
    arrivals = Arrivals(tmp_path)
    with pytest.raises(AssertionError, match="IPv6"):
        ended(arrivals, other)
    assert arrivals.found(today) == ()
    ended(arrivals, gone, other)
    assert {each.way for each in arrivals.found(today)} == {"IPv4", "IPv6"}


def test_the_record_says_of_every_driver_what_it_says_itself() -> None:
    """A cell without a way in docs/reaching.md is what the driver does not have."""
    record: dict[str, Any] = Exercises.model_validate_json(
        (REPOSITORY / RECORD).read_text(encoding="utf-8")
    ).model_dump()
    told = {each["driver"]: each["ways"] for each in record["drivers"]}
    systems = [each.manifest for each in discover()[0].values() if each.manifest.kind == "system"]
    drivers = {each.driver.id for each in systems}
    # The engine knows maps whatever the library does: the manifest says whether that is asked.
    mapping = {each.driver.id for each in systems if each.addresses and each.addresses.address_map}
    assert told.keys() >= drivers
    for driver in sorted(drivers):
        ways = ways_had(describe_driver(driver))
        expected = tuple(way for way in ways if way != "address map" or driver in mapping)
        assert told[driver] == expected, "run `make systems`"
