"""The driver's documents: the same fixtures that the Rust engine is tested against."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from weighhouse_protocol.driver import DRIVER_EVENT, DriverOrder, Interval
from weighhouse_protocol.load import Share

FIXTURES = Path(__file__).parent.parent / "fixtures" / "driver"


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("order-*.json")), ids=lambda p: p.stem)
def test_orders_are_read_and_written_without_loss(path: Path) -> None:
    order = DriverOrder.model_validate_json(path.read_text(encoding="utf-8"))
    assert DriverOrder.model_validate_json(order.model_dump_json()) == order


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("bad-order-*.json")), ids=lambda p: p.stem)
def test_bad_orders_are_refused(path: Path) -> None:
    with pytest.raises(ValidationError):
        DriverOrder.model_validate_json(path.read_text(encoding="utf-8"))


def test_recorded_driver_output_parses_line_by_line() -> None:
    files = sorted(FIXTURES.glob("events-*.jsonl"))
    assert files, "record a driver's real output into fixtures/driver/events-*.jsonl"
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        events = [DRIVER_EVENT.validate_json(line) for line in lines]
        assert events[0].event == "ready"
        assert events[-1].event in {"finished", "failed"}
        intervals = [event for event in events if isinstance(event, Interval)]
        assert any(interval.operations for interval in intervals)
        for line in lines:
            known = set(json.loads(line))
            assert known <= set(DRIVER_EVENT.validate_json(line).model_dump()), line


def test_a_driver_that_works_alone_is_told_nothing_of_gangs() -> None:
    path = min(FIXTURES.glob("order-*.json"))
    alone = DriverOrder.model_validate_json(path.read_text(encoding="utf-8"))
    assert not {"share", "hold"} & set(json.loads(alone.model_dump_json()))
    held = alone.model_copy(update={"hold": True, "share": Share(index=1, of=2)})
    assert json.loads(held.model_dump_json())["share"] == {"index": 1, "of": 2}
    assert DriverOrder.model_validate_json(held.model_dump_json()) == held
