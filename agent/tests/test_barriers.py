"""Arrivals go out and releases come back, whatever happens in between."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from weighhouse_agent.attempt.barriers import Arrived, BarrierFiles, Gate
from weighhouse_agent.attempt.process import own_record, stop_request
from weighhouse_agent.delivery.platform_client import PlatformClient
from weighhouse_agent.machine.clock import ClockEstimate
from weighhouse_agent.machine.home import AttemptDirectory, Home, make_passable
from weighhouse_agent.supervisor.barrier_calls import BarrierCalls
from weighhouse_agent.supervisor.process_watch import Watch
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.order import AttemptOrder, GangMember
from weighhouse_sdk.context import Cancel, Context
from weighhouse_sdk.errors import Cancelled, DeadlinePassed
from weighhouse_testing.platform import until

from .meeting import Meeting
from .protocol_server import TIMINGS, Platform, Server


@dataclass
class Member:
    """An attempt's process, its agent, and the platform as that agent sees it."""

    server: Server
    order: AttemptOrder
    directory: AttemptDirectory
    gate: Gate
    cancel: Cancel
    calls: BarrierCalls | None = None

    def start_agent(self) -> None:
        self.calls = BarrierCalls(
            self.directory,
            self.order,
            PlatformClient.connect(self.server.url, self.order.attempt_token),
            Watch(self.directory, own_record(), TIMINGS, 60.0),
            TIMINGS,
            ClockEstimate(),
        )
        self.calls.start()

    def end_agent(self) -> None:
        """As kill -9 does; what it had under way is forgotten."""
        if self.calls is not None:
            self.calls.watch.ended.set()

    def arrivals(self, name: str) -> int:
        return self.server.platform.meeting.posted.count((self.order.member, name))


@pytest.fixture
def meeting() -> Meeting:
    return Meeting(ahead_us=3_000_000_000)


@pytest.fixture
def members(
    tmp_path: Path, order: Callable[..., AttemptOrder], meeting: Meeting
) -> Iterator[list[Member]]:
    """Two members of one gang, without their agents."""
    gang = tuple(
        GangMember(index=n, agent_name=f"a{n}", roles=("driver",), address="127.0.0.1")
        for n in range(2)
    )
    common = order()
    made = []
    for index in range(2):
        own = common.model_copy(update={"gang": gang, "member": index})
        server = Server(Platform(meeting=meeting), free_port())
        server.platform.offer(own).status = "running"
        server.start()
        home = Home(tmp_path / str(index))
        home.prepare()
        directory = home.attempt(own.attempt_id)
        make_passable(directory.path)
        cancel = Cancel()
        context = Context.open(own.target, directory.system, limit_seconds=60.0, cancel=cancel)
        gate = Gate(BarrierFiles(directory), context)
        made.append(Member(server, own, directory, gate, cancel))
    yield made
    for each in made:
        each.end_agent()
        each.server.stop()
        assert each.server.platform.breaches == []


def test_all_go_on_together_and_know_of_each_other(members: list[Member], meeting: Meeting) -> None:
    for each in members:
        each.start_agent()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(members[0].gate.wait, "placed", {"nodes": {"1": {"port": 7}}})
        until("the first is there", lambda: 0 in meeting.arrivals.get("placed", {}))
        assert not waiting.done()
        second = members[1].gate.wait("placed")
        first = waiting.result(120)
    assert first is not None
    assert second is not None
    assert (
        first.state.payloads == second.state.payloads == {0: {"nodes": {"1": {"port": 7}}}, 1: {}}
    )
    assert first.begins_at_us is None


def test_a_common_beginning_is_told_by_this_machines_clock(
    members: list[Member], meeting: Meeting
) -> None:
    for each in members:
        each.start_agent()
    with ThreadPoolExecutor() as threads:
        for name in ("placed", "up", "formed", "connected"):
            found = list(threads.map(lambda each, n=name: each.gate.wait(n), members))
    for released in found:
        assert released is not None
        assert released.begins_at_us is not None
        assert released.clock is not None
        here_us = meeting.begins["connected"] - meeting.ahead_us
        assert abs(released.begins_at_us - here_us) <= released.clock.error_us


def test_an_answer_that_is_lost_is_asked_for_again(members: list[Member]) -> None:
    members[0].server.platform.lost = {"/barriers/placed": 2}
    for each in members:
        each.start_agent()
    with ThreadPoolExecutor() as threads:
        found = list(threads.map(lambda each: each.gate.wait("placed", {"me": 1}), members))
    assert all(found)
    assert members[0].arrivals("placed") >= 3


def test_an_agent_that_is_started_again_posts_what_waits(
    members: list[Member], meeting: Meeting
) -> None:
    first, second = members
    first.start_agent()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(first.gate.wait, "placed")
        until("it was posted", lambda: first.arrivals("placed") > 0)
        first.end_agent()
        first.server.stop()
        until("the second goes on alone", lambda: 0 in meeting.arrivals["placed"])
        second.start_agent()
        assert second.gate.wait("placed") is not None
        assert not waiting.done()
        first.server.start()
        first.start_agent()
        assert waiting.result(120) is not None


def test_the_attempt_that_is_begun_anew_does_not_arrive_twice(members: list[Member]) -> None:
    files = members[0].gate.files
    files.arrive("placed", Arrived(payload={"port": 1}))
    files.arrive("placed", Arrived(payload={"port": 2}))
    assert files.outstanding(("placed", "up")) == ("placed", Arrived(payload={"port": 1}))


def test_a_member_that_fails_stops_the_others(members: list[Member], meeting: Meeting) -> None:
    first, _ = members
    first.start_agent()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(first.gate.wait, "placed")
        until("it waits", lambda: first.arrivals("placed") > 0)
        meeting.is_gone(1)
        asked = until("it is to stop", lambda: stop_request(first.directory))
        assert asked.kind == "cancelled"
        assert "another member of its gang" in asked.message
        first.cancel.cancel()  # as the signal does
        with pytest.raises(Cancelled):
            waiting.result(120)


def test_a_platform_that_refuses_ends_the_attempt(members: list[Member]) -> None:
    first, _ = members
    first.server.platform.refusals = {"/barriers/placed": (409, "the attempt is superseded")}
    first.start_agent()
    first.gate.files.arrive("placed", Arrived(payload={}))
    asked = until("it is to stop", lambda: stop_request(first.directory))
    assert asked.kind == "infrastructure"
    assert "the attempt is superseded" in asked.message


def test_waiting_ends_with_the_runs_limit_and_when_it_is_abandoned(members: list[Member]) -> None:
    first, _ = members
    seen = threading.Event()

    def gone() -> bool:
        seen.set()
        return True

    assert first.gate.wait("placed", abandon=gone) is None
    assert seen.is_set()
    soon = Context.open(first.order.target, first.directory.system, limit_seconds=0.05)
    with pytest.raises(DeadlinePassed):
        Gate(first.gate.files, soon).wait("placed")
