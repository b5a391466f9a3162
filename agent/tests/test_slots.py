"""Several slots on one machine: exclusive, each with its own loop."""

import json
import os
import signal
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from weighhouse_agent.machine.policy import PolicyFile, PolicyRefused, check_order
from weighhouse_protocol.target import Limits
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.cgroups import Hierarchies
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Attempt, Server

MEBIBYTE = 1 << 20


def free_range(count: int) -> tuple[int, int]:
    """Ports in a row that nobody listens on."""
    for first in range(21_000, 60_000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first, first + count - 1
    raise AssertionError("no ports are free")


def halves(home: Path, *, memory: str = "") -> tuple[int, int]:
    """Divide the machine into two slots; the first port of each."""
    first, last = free_range(8)
    processors = sorted(os.sched_getaffinity(0))
    (home / "policy.toml").write_text(
        f"""
        [[slots]]
        name = "left"
        processors = [{processors[0]}]
        ports = [{first}, {first + 3}]
        {memory}
        [[slots]]
        name = "right"
        processors = [{processors[1]}]
        ports = [{first + 4}, {last}]
        """
    )
    return first, first + 4


@pytest.fixture
def two(request: pytest.FixtureRequest, agent: RunningAgent) -> RunningAgent:
    """An agent on a machine that can be divided."""
    if len(os.sched_getaffinity(0)) < 2:
        at_hand.not_run(request, "one processor cannot be divided")
    return agent


def measures(attempt: Attempt) -> bool:
    return "measure" in attempt.phases()


def ports_of(attempt: Attempt) -> set[int]:
    endpoints = attempt.of_kind("target")[0]["endpoints"]
    return {urlsplit(each).port or 0 for each in endpoints}


def test_two_slots_work_side_by_side(two: RunningAgent, server: Server, order: MakeOrder) -> None:
    left, right = halves(two.home.path)
    wanted = {name: order(measure_seconds=60.0, slot=name) for name in ("left", "right")}
    attempts = {name: server.platform.offer(each) for name, each in wanted.items()}
    two.start()
    until("both measure", lambda: all(measures(each) for each in attempts.values()))
    assert [each.name for each in server.platform.sessions[-1].policy.slots] == ["left", "right"]
    assert len(server.platform.sessions) == 1
    assert ports_of(attempts["left"]) <= set(range(left, left + 4))
    assert ports_of(attempts["right"]) <= set(range(right, right + 4))
    pinned = sorted(tuple(os.sched_getaffinity(pid)) for pid in two.processes())
    one, other = sorted(os.sched_getaffinity(0))[:2]
    assert pinned == [(one,), (one,), (other,), (other,)]
    assert os.sched_getaffinity(two.attempt_pid(wanted["left"].attempt_id)) == {one}
    attempts["left"].cancel = "graceful"
    until("one ends", lambda: ended(attempts["left"]))
    assert not ended(attempts["right"])
    after = server.platform.offer(order(measure_seconds=0.1, slot="left"))
    until("its slot takes the next", lambda: ended(after))
    assert after.completion is not None
    assert after.completion.outcome == "completed", after.completion.failure
    assert two.signal(signal.SIGTERM) == 0
    assert attempts["right"].completion is not None
    assert attempts["right"].completion.failure is not None
    assert attempts["right"].completion.failure.kind == "infrastructure"
    assert two.processes() == []


def test_a_killed_agent_finds_the_attempt_of_each_slot(
    two: RunningAgent, server: Server, order: MakeOrder
) -> None:
    halves(two.home.path)
    wanted = [order(measure_seconds=5.0, slot=name) for name in ("left", "right")]
    attempts = [server.platform.offer(each) for each in wanted]
    two.start()
    until("both measure", lambda: all(measures(each) for each in attempts))
    pids = [two.attempt_pid(each.attempt_id) for each in wanted]
    two.signal(signal.SIGKILL)
    two.start()
    assert [two.attempt_pid(each.attempt_id) for each in wanted] == pids
    after = [server.platform.offer(order(measure_seconds=0.1, slot=n)) for n in ("left", "right")]
    until("all end", lambda: all(ended(each) for each in (*attempts, *after)))
    told = [each.completion.outcome for each in (*attempts, *after) if each.completion]
    assert told == ["completed"] * 4


def test_a_slot_that_is_gone_is_finished_and_claims_nothing(
    two: RunningAgent, server: Server, order: MakeOrder
) -> None:
    halves(two.home.path)
    wanted = order(measure_seconds=3.0, slot="right")
    attempt = server.platform.offer(wanted)
    two.start()
    until("it measures", lambda: measures(attempt))
    two.signal(signal.SIGKILL)
    two.home.policy.unlink()
    two.start()
    whole = server.platform.offer(order(measure_seconds=0.1))
    never = server.platform.offer(order(slot="right"))
    until("both end", lambda: ended(attempt) and ended(whole))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"
    assert never.status == "offered"


def test_a_slots_memory_is_kept_where_the_kernel_lets(
    two: RunningAgent, server: Server, order: MakeOrder, request: pytest.FixtureRequest
) -> None:
    problem = Hierarchies.found().problem(Limits(memory_mebibytes=512))
    if problem is not None:
        at_hand.not_run(request, problem)
    halves(two.home.path, memory="memory_mebibytes = 512")
    wanted = order(measure_seconds=60.0, slot="left")
    attempt = server.platform.offer(wanted)
    two.start()
    until("it measures", lambda: measures(attempt))
    [record] = two.home.path.glob("groups/*.json")
    own = Path(json.loads(record.read_text())["places"]["memory"])
    limits = [own / "memory.limit_in_bytes", own / "memory.max"]
    [limit] = [each.read_text().strip() for each in limits if each.exists()]
    assert int(limit) == 512 * MEBIBYTE
    within = {int(pid) for pid in (own / "cgroup.procs").read_text().split()}
    assert set(two.processes()) <= within
    assert len(two.processes()) == 2
    assert two.signal(signal.SIGTERM) == 0
    assert not own.exists()


def test_what_cannot_be_kept_is_said(two: RunningAgent, server: Server, order: MakeOrder) -> None:
    """The record's place is taken by a file, so that the group cannot be made."""
    halves(two.home.path, memory="memory_mebibytes = 512")
    (two.home.path / "groups").write_text("in the way")
    attempt = server.platform.offer(order(slot="left"))
    two.start()
    until("it ends", lambda: ended(attempt))
    marks = {each["mark"]: each["label"] for each in attempt.of_kind("mark")}
    assert "memory of slot `left`" in marks["slot_unkept"]
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"


SHARED_PROCESSORS = """
[[slots]]
name = "a"
processors = [0, 1]
[[slots]]
name = "b"
processors = [1]
"""
SHARED_PORTS = """
[[slots]]
name = "a"
processors = [0]
ports = [2000, 3000]
[[slots]]
name = "b"
processors = [1]
ports = [3000, 4000]
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("slots = []", "leave the key out"),
        ('[[slots]]\nname = "a"\n[[slots]]\nname = "b"\nprocessors = [1]', "of its own"),
        ("[[slots]]\nprocessors = [0]\n[[slots]]\nprocessors = [1]", "there twice"),
        (
            '[[slots]]\nname = "a"\nprocessors = [0, 1]\n[[slots]]\nname = "b"\nprocessors = [1]',
            "share processor 1",
        ),
        (SHARED_PORTS, "share ports"),
        ("[[slots]]\nports = [3000, 2000]", "first and the last"),
        ("[[slots]]\nports = [80, 90]", "1024"),
        ("[[slots]]\nprocessors = [-1]", "from 0"),
        ("[[slots]]\ncores = [1]", "cores"),
    ],
)
def test_slots_that_cannot_be_are_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(PolicyRefused, match=told):
        PolicyFile(tmp_path / "policy.toml").read()


def test_an_order_has_to_fit_its_slot(tmp_path: Path, order: MakeOrder) -> None:
    (tmp_path / "policy.toml").write_text("[[slots]]\nmemory_mebibytes = 512")
    policy = PolicyFile(tmp_path / "policy.toml").read()
    with pytest.raises(PolicyRefused, match="slot `left`; slots: machine"):
        check_order(policy, order(slot="left"))
    plain = order()
    for limit, fits in ((512, True), (513, False)):
        target = plain.target.model_copy(update={"limits": Limits(memory_mebibytes=limit)})
        wanted = plain.model_copy(update={"target": target})
        if fits:
            check_order(policy, wanted)
            continue
        with pytest.raises(PolicyRefused, match="513 MiB in slot `machine`"):
            check_order(policy, wanted)


def test_processors_of_server_and_driver_are_the_slots(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(
        "[machine]\nagent_cpus = [0]\ndriver_cpus = [2, 5]\n"
        '[[slots]]\nname = "a"\nprocessors = [0, 1, 2]\n'
        '[[slots]]\nname = "b"\nprocessors = [3, 4]\n'
    )
    policy = PolicyFile(tmp_path / "policy.toml").read()
    assert policy.host_options("a").server_cpus == {1, 2}
    assert policy.host_options("a").driver_cpus == {2}
    assert policy.host_options("b").server_cpus == {3, 4}
    assert policy.host_options("b").driver_cpus == {3, 4}


def test_ports_come_out_of_the_slots_range_and_never_twice() -> None:
    first, last = free_range(4)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        ports = HeldPorts(range(first, last + 1))
        one = ports.hold(1, "127.0.0.1", peer=True)
        assert one == (first + 1, first + 2)
        assert ports.hold(1, "127.0.0.1", peer=True) == one
        reservation = ports.take(1, "127.0.0.1", first + 1)
        assert ports.hold(2, "127.0.0.1") == (last, None)
        with pytest.raises(DeployFailed, match=f"from {first} to {last}"):
            ports.hold(3, "127.0.0.1")
        ports.release()
        assert reservation is not None
        reservation.release()
