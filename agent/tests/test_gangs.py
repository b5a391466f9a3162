"""Several agents carry one attempt out together: real processes, HTTP, systems and drivers."""

import os
import signal
from pathlib import Path

import pytest
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.order import AttemptOrder, barriers
from weighhouse_testing.platform import until

from .conftest import MakeOrder
from .gangs import Gang, Parts, counted, gang_of, intervals
from .protocol_server import Attempt

TWO_AND_TWO: Parts = [((1,), False), ((2,), False), ((), True), ((), True)]
PHASES = ["deploy", "load", "warmup", "measure", "collect"]
FOREVER = 250.0


def of_two_nodes(order: AttemptOrder) -> AttemptOrder:
    topology = order.target.topology.model_copy(update={"nodes": 2})
    target = order.target.model_copy(update={"topology": topology})
    return order.model_copy(update={"target": target, "limit_seconds": 280.0})


def marks(attempt: Attempt) -> list[str]:
    return [each["mark"] for each in attempt.of_kind("mark")]


def failures(gang: Gang) -> list[str]:
    """What members say why they failed, and nothing of those that were merely stopped."""
    return [
        f"{each.completion.failure.kind}: {each.completion.failure.message}"
        for each in gang.attempts
        if each.completion is not None
        and each.completion.failure is not None
        and each.completion.failure.kind != "cancelled"
    ]


def test_members_go_through_a_run_together(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, TWO_AND_TWO, ahead_us=-2_000_000) as gang:
        gang.offer(of_two_nodes(order(warmup_seconds=3.0, measure_seconds=3.0)))
        gang.until_ended()
        assert gang.outcomes == ["completed"] * 4, failures(gang)
        assert [each.phases() for each in gang.attempts] == [PHASES] * 4
        assert list(gang.meeting.arrivals) == list(barriers(3))
        for attempt in gang.attempts[:2]:  # with a node each
            assert marks(attempt)[0] == "deployed"
            assert marks(attempt)[-1] == "stopped"
            assert [e["moment"] for e in attempt.of_kind("memory")] == [
                "before", "after_load", "after",
            ]  # fmt: skip
            assert all(e["metrics"]["weights"] == 12.0 for e in attempt.of_kind("sample"))
            assert not intervals(attempt)
        assert "ready" in marks(gang.attempts[0])  # the lead's word for the whole
        for index, attempt in enumerate(gang.attempts[2:]):  # which make load
            assert marks(attempt) == []
            assert counted(attempt) > 0
            seen = intervals(attempt)
            assert counted(attempt) == sum(e["count"] for e in attempt.answered())
            begin_us = gang.meeting.begins["phase-2"] - gang.meeting.ahead_us
            error_us = attempt.heartbeats[-1].clock.error_us
            assert seen[0]["start_us"] >= begin_us - error_us, index
            assert any(e["driver_cpu_percent"] is not None for e in attempt.of_kind("sample"))
        told = [attempt.of_kind("target") for attempt in gang.attempts]
        assert [len(each) for each in told] == [1] * 4
        assert len({tuple(each[0]["endpoints"]) for each in told}) == 1
        assert [each[0]["version"] for each in told] == ["1.0"] * 4
        assert [each[0]["stream_hash"] for each in told] == [None, None, "5ca1e", "5ca1e"]
        # Four agents, four addresses, one machine.
        assert all(each[0]["co_located"] for each in told)
        for attempt in gang.attempts:
            clock = attempt.heartbeats[-1].clock
            assert clock is not None
            assert clock.samples >= 8
            assert abs(clock.offset_us + 2_000_000) <= clock.error_us + 1000


def test_members_may_have_both_parts(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, [((1,), True), ((2,), True)]) as gang:
        gang.offer(of_two_nodes(order()))
        gang.until_ended()
        assert gang.outcomes == ["completed"] * 2, failures(gang)
        for attempt in gang.attempts:
            assert attempt.phases() == PHASES
            assert counted(attempt) > 0
            assert attempt.of_kind("target")[0]["co_located"]
            assert len(attempt.of_kind("memory")) == 3


def test_a_gang_of_one_has_no_barriers(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, [((1,), True)]) as gang:
        gang.offer(order())
        gang.until_ended()
        assert gang.outcomes == ["completed"], failures(gang)
        assert gang.meeting.posted == []


def test_a_restart_of_an_agent_costs_nothing(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, TWO_AND_TWO) as gang:
        gang.offer(of_two_nodes(order(measure_seconds=5.0)))
        until("both wait for the load", lambda: (0, "phase-1") in gang.meeting.posted)
        for agent in (gang.agents[0], gang.agents[3]):
            agent.signal(signal.SIGKILL)
            agent.start()
        gang.until_ended()
        assert gang.outcomes == ["completed"] * 4, failures(gang)
        assert [each.phases() for each in gang.attempts] == [PHASES] * 4


def test_a_member_that_is_lost_ends_the_others(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, TWO_AND_TWO) as gang:
        gang.offer(of_two_nodes(order(measure_seconds=FOREVER)))
        gang.until_measuring()
        lost = gang.agents[2]
        pid = lost.attempt_pid(gang.attempts[2].order.attempt_id)
        lost.signal(signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
        gang.meeting.is_gone(2)  # its lease has run out
        for index in (0, 1, 3):
            until("another ends", lambda n=index: gang.outcomes[n])
        assert failures(gang) == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"behaviour": "stays_apart"}, "not_ready: the scales do not agree"),
        ({"behaviour": "dies_at_start"}, "not_ready: scale ended"),
        ({"behaviour": "missing"}, "missing_binary: scale-server"),
        ({"driver": "dies"}, "driver: the driver ended with 5"),
        ({"driver": "gives_up"}, "database: the driver gave up"),
    ],
)
def test_the_member_that_fails_tells_why(
    tmp_path: Path,
    environment: dict[str, str],
    order: MakeOrder,
    wrong: dict[str, str],
    told: str,
) -> None:
    with gang_of(tmp_path, environment, [((1, 2), False), ((), True)]) as gang:
        gang.offer(of_two_nodes(order(measure_seconds=FOREVER, **wrong)))
        gang.until_ended()
        assert len(failures(gang)) == 1
        assert told in failures(gang)[0]
        assert sorted(map(str, gang.outcomes)) == ["cancelled", "failed"]


def test_a_node_that_ends_under_load_fails_the_run(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, TWO_AND_TWO) as gang:
        gang.offer(of_two_nodes(order(measure_seconds=FOREVER, behaviour="dies_under_load")))
        gang.until_ended()
        assert "completed" not in gang.outcomes
        assert failures(gang)
        assert [each for each in failures(gang) if not each.startswith("database: ")] == []


def test_a_fault_is_carried_out_where_the_node_is(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    kill = Fault(at_seconds=0.5, verb="kill", node=2)
    with gang_of(tmp_path, environment, [((1,), False), ((2,), False), ((), True)]) as gang:
        gang.offer(of_two_nodes(order(measure_seconds=4.0)).model_copy(update={"faults": (kill,)}))
        gang.until_ended()
        assert gang.outcomes == ["completed"] * 3, failures(gang)
        assert "fault_done" not in marks(gang.attempts[0])
        assert marks(gang.attempts[1]).count("fault_done") == 1
        fault = next(e for e in gang.attempts[1].of_kind("mark") if e["mark"] == "fault")
        begin_us = gang.meeting.begins["phase-2"] - gang.meeting.ahead_us
        assert fault["at_us"] >= begin_us + 400_000


def test_a_policy_that_forbids_the_peers_network_refuses(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    narrow = 'networks = ["127.0.0.1/32", "127.0.1.2/32"]\n[machine]\nhost = "127.0.1.2"\n'
    with gang_of(
        tmp_path, environment, [((1, 2), False), ((), True)], policies={1: narrow}
    ) as gang:
        gang.offer(of_two_nodes(order()))
        gang.until_ended()
        assert gang.outcomes == ["cancelled", "failed"]
        assert failures(gang)[0].startswith("policy: member 0 of the gang, agent `machine-0`: ")
        assert "127.0.1.1" in failures(gang)[0]
        assert "networks: 127.0.0.1/32, 127.0.1.2/32" in failures(gang)[0]
        assert gang.attempts[1].events == []


def test_nodes_of_one_system_are_of_one_version(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(tmp_path, environment, [((1,), True), ((2,), False)]) as gang:
        gang.agents[1].environment["SCALE_VERSION"] = "2.0"
        gang.offer(of_two_nodes(order()))
        gang.until_ended()
        assert gang.outcomes == ["cancelled", "failed"]
        assert failures(gang) == [
            "missing_binary: this machine has Scale 2.0, the gang's lead Scale 1.0"
        ]


def test_a_clock_that_is_off_by_more_than_a_phase_refuses_to_start(
    tmp_path: Path, environment: dict[str, str], order: MakeOrder
) -> None:
    with gang_of(
        tmp_path, environment, [((1, 2), False), ((), True)], ahead_us=3_600_000_000
    ) as gang:
        gang.offer(of_two_nodes(order(measure_seconds=5.0)))
        gang.until_ended()
        assert "completed" not in gang.outcomes
        assert "this machine's clock is 3600.0 s behind the platform's" in failures(gang)[0]
        assert failures(gang)[0].startswith("infrastructure: ")
        assert "deployed" not in marks(gang.attempts[0])
