"""What is done on purpose to a real Redis while it is measured."""

from typing import Any

import pytest
from weighhouse_agent.attempt.compatibility import check_compatible
from weighhouse_agent.attempt.faults import asked
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.target import Target
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.registry import load_plugin
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, carried_out
from .protocol_server import Attempt, Server

CLIENTS = 4
CLOSED = {"model": "closed", "clients": CLIENTS}


def faults(*given: tuple[float, str]) -> tuple[Fault, ...]:
    return tuple(Fault.model_validate({"at_seconds": at, "verb": verb}) for at, verb in given)


def marks(attempt: Attempt) -> list[tuple[str, str]]:
    return [(e["mark"], e["label"]) for e in attempt.of_kind("mark") if "fault" in e["mark"]]


def answered(attempt: Attempt, begin_us: int, end_us: int) -> list[int]:
    """Answers in each interval that lies wholly between two instants."""
    found = []
    for event in attempt.of_kind("interval"):
        each = event["interval"]
        whole = begin_us <= each["start_us"] and each["start_us"] + each["duration_us"] <= end_us
        if whole and each["phase"] == "measure":
            operations = each["operations"].values()
            found.append(sum((each.get("ok") or {"count": 0})["count"] for each in operations))
    return found


def test_what_was_done_is_on_the_timeline_and_in_the_intervals(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    # A busy machine takes its time to start a node, which has to serve again within the phase.
    wanted = order(system="redis", measure_seconds=12.0, load=CLOSED)
    course = faults((0.5, "pause"), (1.5, "resume"), (2.0, "kill"), (2.5, "start"))
    attempt = carried_out(real, server, wanted.model_copy(update={"faults": course}))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    told = marks(attempt)
    assert told[:-1] == [
        ("fault", "pause node 1"),
        ("fault_done", "node 1: paused"),
        ("fault", "resume node 1"),
        ("fault_done", "node 1: goes on"),
        ("fault", "kill node 1"),
        ("fault_done", "node 1: killed"),
        ("fault", "start node 1"),
    ]
    assert told[-1][0] == "fault_done"
    assert told[-1][1].startswith("node 1: serves again after")
    at = [e["at_us"] for e in attempt.of_kind("mark") if "fault" in e["mark"]]
    frozen, down = answered(attempt, at[1], at[2]), answered(attempt, at[5], at[6])
    # Each client waits for one answer; those on their way may be read a moment later.
    assert frozen
    assert sum(frozen) <= CLIENTS
    assert down
    assert sum(down) <= CLIENTS
    assert sum(answered(attempt, at[3], at[4])) > 0
    assert sum(answered(attempt, at[7], at[7] + 60_000_000)) > 0
    finished = attempt.of_kind("phase_ended")[-1]
    assert finished["phase"] == "measure"
    assert not finished["interrupted"]
    assert sum(each["errors"] for each in finished["operations"].values()) > 0


def test_a_paused_system_is_torn_down(real: RunningAgent, server: Server, order: MakeOrder) -> None:
    wanted = order(system="redis", measure_seconds=1.0, load=CLOSED)
    course = faults((0.5, "pause"))
    attempt = carried_out(real, server, wanted.model_copy(update={"faults": course}))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    assert attempt.of_kind("mark")[-1]["mark"] == "stopped"


def test_a_system_that_does_not_come_back_is_a_result(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(system="redis", measure_seconds=4.0, load=CLOSED)

    def spoil_its_snapshot(attempt: Attempt) -> None:
        until("it is measured", lambda: "measure" in attempt.phases(), every=0.01)
        data = real.attempt(wanted.attempt_id).system / "data"
        (data / "dump.rdb").write_bytes(b"this is no snapshot")

    course = faults((2.5, "kill"), (2.6, "start"))
    attempt = carried_out(
        real, server, wanted.model_copy(update={"faults": course}), spoil_its_snapshot
    )
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    mark, label = marks(attempt)[-1]
    assert mark == "fault_failed"
    assert label.startswith("start node 1: Redis has ended with 1 before it was ready")
    assert "system_ended" not in [e["mark"] for e in attempt.of_kind("mark")]
    assert not attempt.of_kind("phase_ended")[-1]["interrupted"]


def test_a_verb_that_cannot_be_done_ends_the_run(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(system="redis", measure_seconds=60.0, load=CLOSED)
    course = faults((0.2, "kill"), (0.4, "resume"))
    attempt = carried_out(real, server, wanted.model_copy(update={"faults": course}))
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == "deploy"
    assert "cannot resume" in failure.message
    assert failure.hint == "start it before"
    assert marks(attempt)[-1] == ("fault_failed", f"resume node 1: {failure.message}")
    assert attempt.of_kind("phase_ended")[-1]["interrupted"]


def test_a_verb_that_never_fell_due_fails_the_run(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(system="redis", measure_seconds=60.0, load=CLOSED)
    short = wanted.phases[-1].model_copy(update={"operation_count": 500})
    course = faults((50.0, "pause"), (55.0, "resume"))
    attempt = carried_out(
        real,
        server,
        wanted.model_copy(update={"faults": course, "phases": (*wanted.phases[:-1], short)}),
    )
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == "invalid"
    assert "pause node 1 was to be done after 50 s" in failure.message
    assert [mark for mark, _ in marks(attempt)] == ["fault_failed", "fault_failed"]


def test_a_verb_that_the_plugin_lacks_is_refused_before_anything_is_deployed(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    lacking = Fault.model_validate(
        {"at_seconds": 0.1, "verb": "network", "network": {"delay_ms": 20}}
    )
    wanted = order(load=CLOSED).model_copy(update={"faults": (lacking,)})
    attempt = carried_out(agent, server, wanted)
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == "invalid"
    assert "faults[0].verb: Scale has no verb 'network'" in failure.message
    assert failure.hint == "faults[0].verb: one of kill"
    assert attempt.of_kind("mark") == []


@pytest.mark.parametrize(
    ("target", "fault", "told"),
    [
        (
            {"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]},
            {"verb": "kill"},
            "deployment: nothing can be done on purpose to a deployment 'external'",
        ),
        ({}, {"verb": "kill", "node": 2}, "faults[0].node: node 2: there are 1"),
    ],
)
def test_what_is_not_there_cannot_be_broken(
    target: dict[str, Any], fault: dict[str, Any], told: str, order: MakeOrder
) -> None:
    wanted = Target.model_validate({"name": "a", "system": "redis", **target})
    verb = Fault.model_validate({"at_seconds": 0, **fault})
    asked_for = order(system="redis").model_copy(update={"target": wanted, "faults": (verb,)})
    with pytest.raises(TargetInvalid) as refused:
        check_compatible(asked_for, wanted, load_plugin("redis").manifest)
    assert told in refused.value.message


def test_network_conditions_are_told_in_words() -> None:
    network = {"delay_ms": 20, "jitter_ms": 5, "loss_percent": 1.5, "bandwidth_mbit": 10}
    verb = {"at_seconds": 1, "verb": "network", "node": 2, "network": network}
    assert asked(Fault.model_validate(verb)) == (
        "network node 2: delay 20 ms ± 5 ms, loss 1.5\u2009%, 10 Mbit/s"
    )
    verb["network"] = {"partition": True}
    assert asked(Fault.model_validate(verb)) == "network node 2: cut off from the other nodes"
