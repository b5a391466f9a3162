"""Whether a run loads the records of an external system, or goes on with those of another."""

from typing import Any

import pytest
from weighhouse_backend.execution.shared_data import Earlier, loads, on_the_same_system
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

RECORDS = Workload(name="a", record_count=10)


def target(**more: Any) -> Target:
    found = {
        "name": "t", "system": "redis", "deployment": "external", "endpoints": ["tcp://h:1"],
        "data": "once",
    }  # fmt: skip
    return Target.model_validate(found | more)


@pytest.mark.parametrize(
    ("wanted", "earlier", "loaded"),
    [
        (target(), None, True),
        (target(), Earlier(target(), RECORDS, completed=True), False),
        (target(), Earlier(target(name="other", label="Other"), RECORDS, completed=True), False),
        (target(), Earlier(target(), RECORDS, completed=False), True),
        (target(), Earlier(target(driver_options={"layout": "string"}), RECORDS, True), True),
        (target(), Earlier(target(), Workload(name="a", record_count=11), completed=True), True),
        (target(), Earlier(target(), Workload(name="b", record_count=10,
                                              request_distribution="zipfian"), True), False),
        (target(data="fresh"), Earlier(target(data="fresh"), RECORDS, completed=True), True),
        (target(data="keep"), None, False),
        (target(deployment="in_process", endpoints=[]), None, True),
    ],
)  # fmt: skip
def test_a_run_loads_unless_its_records_are_there(
    wanted: Target, earlier: Earlier | None, *, loaded: bool
) -> None:
    assert loads(wanted, RECORDS, earlier) is loaded


def test_targets_with_an_address_in_common_write_to_one_system() -> None:
    targets = [
        target(), target(endpoints=["tcp://h:2"]), target(endpoints=["tcp://h:2", "tcp://h:1"]),
    ]  # fmt: skip
    assert on_the_same_system(targets, 0) == {0, 2}
    assert on_the_same_system(targets, 1) == {1, 2}
