"""Which records a workload means, and what a target may ask of them."""

from typing import Any

import pytest
from pydantic import ValidationError
from weighhouse_protocol.compatibility.data import data_errors
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.records import MADE_BY_LOADING, same_records, sample_of, writes
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

DONE_WITH_THEM = {
    "name", "description", "read_all_fields", "read_fields_by_name", "write_all_fields",
    "operations", "request_distribution", "zipf_theta", "hotspot_data_fraction",
    "hotspot_operation_fraction", "exponential_percentile",
    "exponential_fraction", "gaussian_median",
    "gaussian_stddev",
    "min_scan_length", "max_scan_length", "scan_length_distribution", "verify_fraction",
    "keys_per_read", "read_miss_fraction", "insert_retry_limit",
}  # fmt: skip


def target(**more: Any) -> Target:
    found = {"name": "t", "system": "redis", "deployment": "external", "endpoints": ["tcp://h:1"]}
    return Target.model_validate(found | more)


def test_each_field_is_of_the_records_or_of_what_is_done_with_them() -> None:
    assert {*MADE_BY_LOADING} | DONE_WITH_THEM == set(Workload.model_fields)
    assert not DONE_WITH_THEM.intersection(MADE_BY_LOADING)


def test_records_are_the_same_whatever_is_done_with_them() -> None:
    plain = Workload(name="a")
    assert same_records(plain, Workload(name="b", zipf_theta=0.5, max_scan_length=5))
    assert not same_records(plain, Workload(name="a", key_prefix="b:"))


def test_a_sample_reads_each_record_of_a_few_and_a_thousand_of_many() -> None:
    few, count = sample_of(Workload(name="few", record_count=80, keys_per_read=4))
    assert (few.request_distribution, count) == ("sequential", 80)
    assert (few.verify_fraction, few.keys_per_read, few.operations.read) == (1.0, 1, 1.0)
    many, count = sample_of(Workload(name="many", record_count=10**9))
    assert (many.request_distribution, count) == ("uniform", 1000)
    sliced = Workload(name="slice", record_count=10**6, insert_start=5, insert_count=3)
    assert sample_of(sliced)[1] == 3


def test_rates_of_operations_decide_what_is_written() -> None:
    reads = Workload(name="r", operations={"read": 1})
    closed = ClosedLoad(clients=1)
    assert not writes(reads, closed)
    assert writes(Workload(name="w"), closed)
    rates = {"read": 5.0, "delete": 5.0}
    assert writes(reads, OpenLoad(model="open", rate_per_second=10, operation_rates=rates))
    only = OpenLoad(model="open", rate_per_second=10, operation_rates={"scan": 10.0})
    assert not writes(Workload(name="w"), only)


@pytest.mark.parametrize(
    ("prefix", "kept"),
    [("bench:user%s", "bench:user"), ("{b}:user", "{b}:user"), ("x" * 64, "x" * 64)],
)
def test_a_template_of_keys_is_what_stands_before_the_number(prefix: str, kept: str) -> None:
    assert Workload(name="a", key_prefix=prefix).key_prefix == kept


@pytest.mark.parametrize(
    "prefix", ["", "%s", "two words", "a\tb", "ä", "x" * 65, "a%sb", "a\r\nset x", "\x7f"]
)
def test_what_no_system_takes_in_a_key_is_refused(prefix: str) -> None:
    with pytest.raises(ValidationError, match="key_prefix"):
        Workload(name="a", key_prefix=prefix)


def test_where_nothing_is_asked_for_nothing_is_written() -> None:
    """Agents and drivers of before know neither field."""
    assert "key_prefix" not in Workload(name="a").model_dump()
    assert not {"data", "onto"} & set(target().model_dump())
    assert target(data="keep").model_dump()["data"] == "keep"


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"data": "keep", "deployment": "in_process"}, "data"),
        ({"data": "keep", "deployment": "docker"}, "data"),
        ({"data": "once", "deployment": "process"}, "data"),
        ({"data": "once", "deployment": "in_process", "tool": "db-bench"}, "data"),
        ({"data": "keep", "onto": "any"}, "onto"),
        ({"onto": "empty", "deployment": "process"}, "onto"),
        ({"data": "once", "deployment": "in_process"}, None),
        ({"data": "keep"}, None),
        ({"onto": "empty"}, None),
    ],
)
def test_a_target_has_the_records_that_it_can_have(more: dict[str, Any], path: str | None) -> None:
    assert {each.path for each in data_errors(target(**more))} == ({path} if path else set())


@pytest.mark.parametrize("data", ["once", "keep"])
def test_values_of_another_run_are_not_verified(data: str) -> None:
    verified = [Workload(name="v", verify_fraction=0.1)]
    assert [each.path for each in data_errors(target(data=data), verified)] == ["data"]
    expiring = list(data_errors(target(data=data), [Workload(name="e", ttl_seconds=5)]))
    assert len(expiring) == (data == "once")
