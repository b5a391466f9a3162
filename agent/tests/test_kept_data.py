"""Directories that wait for a campaign's next run, and when they go."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from weighhouse_agent.attempt.external_writes import check_writes
from weighhouse_agent.attempt.held_data import NotEmpty, beside, writes_beside
from weighhouse_agent.machine.home import Home
from weighhouse_agent.machine.kept_data import IDLE_SECONDS, KeptData, forget, kept_for
from weighhouse_agent.machine.policy import Policy, PolicyRefused
from weighhouse_protocol.order import AttemptOrder

MakeOrder = Callable[..., AttemptOrder]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    found.prepare()
    return found


@pytest.fixture
def shared(order: MakeOrder) -> Callable[..., AttemptOrder]:
    """Makes an order for records that the runs of a campaign share."""
    campaign = uuid4()

    def make(campaign_id: UUID = campaign, data: str = "once", **more: Any) -> AttemptOrder:
        made = order(system="rocksdb", deployment="in_process", **more)
        target = made.target.model_copy(update={"data": data})
        return made.model_copy(update={"target": target, "campaign_id": campaign_id})

    return make


def waiting(home: Home, order: AttemptOrder, tmp_path: Path) -> KeptData:
    """What a run of an order left."""
    kept = kept_for(home, order)
    assert kept is not None
    left = tmp_path / f"left-{uuid4()}"
    left.mkdir()
    (left / "CURRENT").write_text("records")
    kept.keep(left)
    assert not left.exists()
    return kept


def test_the_next_run_of_a_campaign_has_what_the_last_one_left(
    home: Home, shared: MakeOrder, tmp_path: Path
) -> None:
    waiting(home, shared(), tmp_path)
    # Other operations, another seed and attempt: the same records.
    again = kept_for(home, shared(workload={"name": "other", "operations": {"read": 1.0}}))
    assert again is not None
    data = tmp_path / "data"
    data.mkdir()
    assert again.take(data)
    assert (data / "CURRENT").read_text() == "records"
    assert not again.take(data)  # there is one of it
    assert (data / "CURRENT").exists()


@pytest.mark.parametrize(
    "more",
    [
        {"workload": {"name": "mixed", "record_count": 5}},
        {"workload": {"name": "mixed", "key_prefix": "b:"}},
        {"wal": False},
        {"slot": "other"},
    ],
)
def test_other_records_are_not_taken_for_them(
    home: Home, shared: MakeOrder, tmp_path: Path, more: dict[str, Any]
) -> None:
    waiting(home, shared(), tmp_path)
    other = kept_for(home, shared(**more))
    assert other is not None
    assert not other.take(tmp_path / "data")


def test_what_waits_goes_when_another_campaign_begins_in_the_slot(
    home: Home, shared: MakeOrder, tmp_path: Path
) -> None:
    kept, beside = waiting(home, shared(), tmp_path), waiting(home, shared(slot="b"), tmp_path)
    assert kept_for(home, shared(data="fresh")) is None
    assert kept.place.exists()
    assert kept_for(home, shared(uuid4(), data="fresh")) is None
    assert not kept.place.exists()
    assert beside.place.exists()


def test_what_waits_goes_when_nobody_comes_for_it(
    home: Home, shared: MakeOrder, tmp_path: Path
) -> None:
    forget(home)  # nothing is there yet
    kept = waiting(home, shared(), tmp_path)
    forget(home, older_than_seconds=IDLE_SECONDS)
    assert kept.place.exists()
    os.utime(kept.place, (0, 0))
    forget(home, older_than_seconds=IDLE_SECONDS)
    assert not kept.place.exists()
    assert not [*(home.kept_directory / "machine").iterdir()]


def external(order: MakeOrder, onto: str | None = None, **more: Any) -> AttemptOrder:
    made = order(system="redis", deployment="external", endpoints=("tcp://127.0.0.1:1",))
    target = made.target.model_copy(update={"onto": onto})
    return made.model_copy(update={"target": target, **more})


@pytest.mark.parametrize(
    ("onto", "records", "refused", "told"),
    [
        ("empty", 5, "holds 5 records", 0), ("empty", None, "does not say", 0),
        ("empty", 0, None, 0), ("any", 5, None, 0), (None, 5, None, 5), (None, None, None, 0),
    ],
)  # fmt: skip
def test_a_system_that_is_not_empty_asks_twice(
    order: MakeOrder, onto: str | None, records: int | None, refused: str | None, told: int
) -> None:
    wanted = external(order, onto)
    assert writes_beside(wanted)
    if refused is None:
        assert beside(wanted, records) == told
    else:
        with pytest.raises(NotEmpty, match=refused):
            beside(wanted, records)
    assert beside(external(order, onto, written_before=True), records) == 0
    assert beside(external(order, onto, phases=wanted.phases[1:]), records) == 0


@pytest.mark.parametrize(
    ("allowed", "workload", "loads", "refused"),
    [
        ("all", {}, True, None),
        ("read", {}, True, "loads records"),
        ("read", {}, False, "which writes"),
        ("read", {"operations": {"read": 0.5, "scan": 0.5}}, False, None),
        ("prefix", {}, True, "without a key_prefix"),
        ("prefix", {"key_prefix": "b:"}, True, None),
        ("prefix", {"operations": {"read": 1.0}}, False, None),
    ],
)
def test_a_policy_says_what_may_be_written_to_systems_of_others(
    order: MakeOrder, allowed: str, workload: dict[str, Any], loads: bool, refused: str | None
) -> None:  # fmt: skip
    policy = Policy.model_validate({"external": allowed})
    made = order(
        system="redis", deployment="external", endpoints=("tcp://127.0.0.1:1",),
        workload={"name": "w", **workload},
    )  # fmt: skip
    if not loads:
        made = made.model_copy(update={"phases": made.phases[1:]})
    if refused is None:
        check_writes(policy, made)
    else:
        with pytest.raises(PolicyRefused, match=refused):
            check_writes(policy, made)
    own = made.target.model_copy(update={"deployment": "process", "endpoints": ()})
    check_writes(policy, made.model_copy(update={"target": own}))
