"""Nothing in a document is without a bound; what was stored before there were bounds is read."""

import importlib
import json
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
import weighhouse_protocol
from pydantic import BaseModel, TypeAdapter, ValidationError
from weighhouse_protocol.base import LATEST_US, MOST_COUNT, Count, Few, SmallJson
from weighhouse_protocol.driver import DRIVER_EVENT, Interval
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.report import ATTEMPT_EVENT, EventBatch, Failure
from weighhouse_protocol.workload import Workload
from weighhouse_testing.bounds import unbounded


def models() -> list[type[BaseModel]]:
    """Every document that any module of the protocol defines."""
    for module in pkgutil.walk_packages(weighhouse_protocol.__path__, "weighhouse_protocol."):
        importlib.import_module(module.name)

    def below(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    found = {one for one in below(BaseModel) if one.__module__.startswith("weighhouse_protocol.")}
    return sorted(found, key=lambda one: (one.__module__, one.__qualname__))


@pytest.mark.parametrize("model", models(), ids=lambda one: one.__qualname__)
def test_nothing_in_a_document_is_without_a_bound(model: type[BaseModel]) -> None:
    assert list(unbounded(model.model_json_schema(), model.__qualname__)) == []


def test_what_has_no_bound_is_seen() -> None:
    class Loose(BaseModel):
        number: float
        text: str | None
        found: list[int]
        told: dict[str, bool]
        whatever: Any

    assert sorted(unbounded(Loose.model_json_schema(), "L")) == [
        "L.found: a list of any length",
        "L.found[]: a number without a least",
        "L.found[]: a number without a most",
        "L.number: a number without a least",
        "L.number: a number without a most",
        "L.text: a text of any length",
        "L.told: an object of any size",
        "L.told: keys of any length",
        "L.whatever: anything",
    ]


INTERVAL: dict[str, Any] = {
    "event": "interval", "at_us": 1, "elapsed_us": 1, "phase": "measure", "index": 0,
    "sequence": 0, "start_us": 1, "duration_us": 1, "operations": {"read": {"ok": {"count": 1}}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at_us", 2**62), ("at_us", -1), ("start_us", 10**300), ("duration_us", 0),
        ("duration_us", -1), ("duration_us", 2**63), ("sequence", 2**31),
        ("driver", {"steal_percent": float("nan")}), ("driver", {"cpu_us": 10**300}),
        ("driver", {"loop_delay_p99_us": float("inf")}),
        ("operations", {"read": {"ok": {"count": 2**63}}}),
        ("operations", {"read": {"ok": {"count": -1}}}),
        ("operations", {str(n): {} for n in range(201)}),
        ("operations", {"x" * 301: {}}),
        ("operations", {"read": {"ok": {"count": 1, "response": "A" * 1_000_001}}}),
    ],
)  # fmt: skip
def test_figures_that_cannot_be_are_refused_by_name(field: str, value: Any) -> None:
    Interval.model_validate(INTERVAL)
    with pytest.raises(ValidationError) as raised:
        DRIVER_EVENT.validate_python({**INTERVAL, field: value})
    (error,) = raised.value.errors()
    assert field in error["loc"]
    event = {"kind": "interval", "sequence": 0, "at_us": 1, "interval": {**INTERVAL, field: value}}
    with pytest.raises(ValidationError):
        ATTEMPT_EVENT.validate_json(json.dumps(event))


def test_json_of_others_is_small_too() -> None:
    adapter = TypeAdapter(SmallJson)
    deep: Any = 1
    for _ in range(30):
        deep = [deep]
    for value in ({"a": deep}, {"a": [0] * 20_000}, {"a": 2**65}, {"x" * 301: 1}):
        with pytest.raises(ValidationError):
            adapter.validate_python(value)
    assert adapter.validate_python({"ports": {"1": [7000, None]}}) == {"ports": {"1": [7000, None]}}


def test_what_was_stored_before_there_were_bounds_is_read() -> None:
    failure = {"kind": "driver", "message": "x" * 100_000, "log_lines": ["y" * 70_000] * 200}
    read = Failure.as_kept(failure)
    assert (len(read.message), len(read.log_lines), len(read.log_lines[0])) == (65_536, 100, 65_536)
    assert len(failure["message"]) == 100_000, "what is stored stays as it is"
    assert Failure.model_validate(failure) == read, "an outcome is not lost for what it says"
    with pytest.raises(ValidationError, match="kind"):
        Failure.as_kept({**failure, "kind": "none of them"})
    event = ATTEMPT_EVENT.validate_python(
        {"kind": "interval", "sequence": 0, "at_us": 1, "interval": INTERVAL}
    )
    stored = event.model_dump(mode="json")
    stored["at_us"], stored["interval"]["operations"]["read"]["ok"]["count"] = 2**62, -5
    again = type(event).as_kept(stored)
    assert again.at_us == LATEST_US
    stored["interval"]["duration_us"] = 10**300
    assert type(event).as_kept(stored).model_dump()["interval"]["duration_us"] > 0


def test_what_was_stored_is_read_however_much_of_it_is_beyond() -> None:
    facts = {
        "hostname": "h", "machine_id": "m", "cpu_model": "c", "cores": 1, "memory_bytes": 1,
        "kernel": "k", "operating_system": "o", "architecture": "a",
        "versions": {f"{n}" + "x" * 400: "y" * 5000 for n in range(20)},
    }  # fmt: skip
    read = MachineFacts.as_kept(facts)
    assert len(read.versions) == 20
    assert {(len(name), len(value)) for name, value in read.versions.items()} == {(300, 4096)}


def test_a_matrix_that_was_stored_is_read_however_large() -> None:
    large = {
        "slug": "large", "name": "Large",
        "targets": [{"name": f"t{n}", "system": "redis"} for n in range(50)],
        "workloads": [{"name": f"w{n}"} for n in range(50)],
        "load_levels": [{"model": "closed", "clients": n + 1} for n in range(5)],
    }  # fmt: skip
    with pytest.raises(ValidationError, match="12,500 cells"):
        Experiment.model_validate(large)
    assert Experiment.as_kept(large).cells_count == 12_500


def test_of_what_programs_send_the_first_fault_is_told() -> None:
    well = {"kind": "sample", "sequence": 0, "at_us": 1}
    ill = {**well, "metrics": {str(n): "" for n in range(9)}}
    with pytest.raises(ValidationError) as raised:
        EventBatch.model_validate({"events": [well, ill, ill, {"kind": "none"}]})
    (error,) = raised.value.errors()
    assert error["loc"] == ("events", 1, "sample", "metrics", "0")


def test_a_bound_of_a_type_and_one_of_a_field_both_hold() -> None:
    assert TypeAdapter(Few[Count]).json_schema()["maxItems"] == 100
    with pytest.raises(ValidationError):
        Workload(name="w", field_length_histogram=((1, float("inf")),))
    assert MOST_COUNT == 2**53
    with pytest.raises(ValidationError):
        MachineFacts.model_validate({"hostname": "x" * 301})
