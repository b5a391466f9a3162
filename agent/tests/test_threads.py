"""How many threads make the load: what the order says, or what fits."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from weighhouse_agent.attempt.driver_plan import DriverPlan, fewest_connections
from weighhouse_protocol.order import AttemptOrder, GangMember
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.machine.procfs import PROC
from weighhouse_sdk.registry import load_plugin, load_tool
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, carried_out, ended
from .protocol_server import Attempt, Server

READS = {
    "name": "reads",
    "insert_order": "ordered",
    "zero_padding": 12,
    "operations": {"read": 1.0},
}
CLOSED = {"model": "closed", "clients": 4}


def names_of_threads(agent: RunningAgent, program: str) -> list[str]:
    """Of a program that works below the agent's home."""
    for pid in agent.processes():
        with suppress(OSError):  # it has ended meanwhile
            name = (PROC / str(pid) / "comm").read_text().strip()
            if name.startswith(program):
                tasks = (PROC / str(pid) / "task").iterdir()
                return [(each / "comm").read_text().strip() for each in tasks]
    return []


def seen_at_work(
    agent: RunningAgent, server: Server, wanted: AttemptOrder, seen: Callable[[], object]
) -> Attempt:
    def look(attempt: Attempt) -> None:
        until("it is seen at work", lambda: seen() or ended(attempt), every=0.02)
        assert seen() or attempt.completion is None, attempt.completion

    attempt = carried_out(agent, server, wanted, look)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    return attempt


def test_two_shards_drive_redis(real: RunningAgent, server: Server, order: MakeOrder) -> None:
    wanted = order(system="redis", load=CLOSED, threads=2, measure_seconds=2.0)
    wanted = with_clients(wanted, 4)
    most: list[int] = []

    def several() -> bool:
        most.append(len(names_of_threads(real, "weighhouse-driv")))
        return max(most) >= 3  # two shards, and who merges what they measured

    attempt = seen_at_work(real, server, wanted, several)
    assert attempt.of_kind("target")[0]["threads"] == 2
    assert sum(each["count"] for each in attempt.answered()) > 0


def test_redis_benchmark_has_two_threads(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(
        system="redis", tool="redis-benchmark", workload=READS, load=CLOSED, threads=2,
        measure_seconds=3.0,
    )  # fmt: skip
    wanted = with_clients(wanted, 4)
    lines: list[str] = []

    def told() -> bool:
        lines.extend(command_lines(real, "redis-benchmark"))
        return any("--threads 2" in each for each in lines)

    attempt = seen_at_work(real, server, wanted, told)
    assert attempt.of_kind("target")[0]["threads"] == 2
    assert sum(each["count"] for each in attempt.answered()) > 0


def test_memtier_has_two_threads(
    real: RunningAgent, server: Server, order: MakeOrder, request: pytest.FixtureRequest
) -> None:
    at_hand.server(request, "memtier_benchmark", "WEIGHHOUSE_MEMTIER")
    real.environment["PATH"] = os.environ["PATH"]
    workload = {
        "name": "mix", "insert_order": "ordered", "insert_start": 1, "write_all_fields": True,
        "operations": {"read": 0.9, "update": 0.1},
    }  # fmt: skip
    wanted = order(
        system="redis", tool="memtier-benchmark", workload=workload, load=CLOSED, threads=2,
        measure_seconds=2.0, warmup_seconds=1.0,
    )  # fmt: skip
    lines: list[str] = []

    def told() -> bool:
        lines.extend(command_lines(real, "memtier"))
        return any("--threads 2" in each for each in lines)

    attempt = seen_at_work(real, server, with_clients(wanted, 4), told)
    assert attempt.of_kind("target")[0]["threads"] == 2


def test_more_threads_than_a_tool_can_have_are_refused(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(
        system="rocksdb", deployment="in_process", tool="db-bench", threads=2,
        workload={**READS, "zero_padding": 1}, load={"model": "closed", "clients": 2},
    )  # fmt: skip
    attempt = server.platform.offer(wanted)
    real.start()
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "invalid"
    assert "how many threads" in attempt.completion.failure.message


def with_clients(order: AttemptOrder, clients: int) -> AttemptOrder:
    """The load phase with as many clients: the engine has no more threads than those."""
    phases = [
        phase.model_copy(update={"clients": clients}) if phase.clients else phase
        for phase in order.phases
    ]
    return order.model_copy(update={"phases": tuple(phases)})


def command_lines(agent: RunningAgent, program: str) -> list[str]:
    found = []
    for pid in agent.processes():
        with suppress(OSError):
            words = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
            if words[0].decode().rpartition("/")[2].startswith(program):
                found.append(b" ".join(words).decode())
    return found


def threads(
    tmp_path: Path, order: AttemptOrder, options: HostOptions, tool: str | None = None
) -> int:
    context = Context.open(order.target, tmp_path / "context", options=options)
    plugin = load_plugin(order.target.system)
    chosen = load_tool(tool) if tool is not None else None
    return DriverPlan(order, order.target, plugin, context, chosen).threads()


SIXTEEN = frozenset(range(16))
ALL = HostOptions(server_cpus=SIXTEEN, driver_cpus=SIXTEEN)
APART = HostOptions(server_cpus=frozenset(range(8, 16)), driver_cpus=frozenset(range(8)))


@pytest.mark.parametrize(
    ("options", "clients", "found"), [(ALL, 64, 15), (APART, 64, 8), (APART, 6, 6), (ALL, 1, 1)]
)
def test_as_many_as_clients_and_processors_can_use(
    tmp_path: Path, order: MakeOrder, options: HostOptions, clients: int, found: int
) -> None:
    wanted = with_clients(
        order(system="redis", load={"model": "closed", "clients": clients}), clients
    )
    assert fewest_connections(wanted) == clients
    assert threads(tmp_path, wanted, options) == found
    said = wanted.model_copy(update={"threads": 3})
    assert threads(tmp_path, said, options) == 3


def test_the_phase_with_the_fewest_clients_counts(order: MakeOrder) -> None:
    wanted = order(load={"model": "closed", "clients": 64})
    assert fewest_connections(wanted) == 1
    opened = {"model": "open", "rate_per_second": 10, "connections": 5}
    assert fewest_connections(with_clients(order(load=opened), 9)) == 5


def test_one_processor_is_enough(tmp_path: Path, order: MakeOrder) -> None:
    options = HostOptions(server_cpus=frozenset({0}), driver_cpus=frozenset({0}))
    wanted = with_clients(order(system="redis", load={"model": "closed", "clients": 8}), 8)
    assert threads(tmp_path, wanted, options) == 1


def test_a_driver_alone_on_its_machine_has_all_processors(tmp_path: Path, order: MakeOrder) -> None:
    wanted = with_clients(order(system="redis", load={"model": "closed", "clients": 64}), 64)
    servers = GangMember(
        index=0, agent_name="a", roles=("server",), address="127.0.1.1", nodes=(1,)
    )
    driver = GangMember(index=1, agent_name="b", roles=("driver",), address="127.0.1.2")
    gang = wanted.model_copy(update={"gang": (servers, driver), "member": 1})
    assert threads(tmp_path, gang, ALL) == 16
    beside = gang.model_copy(
        update={"gang": (servers, driver.model_copy(update={"address": "127.0.1.1"}))}
    )
    assert threads(tmp_path, beside, ALL) == 15
    slots = (
        servers.model_copy(update={"slot": "left"}),
        driver.model_copy(update={"address": "127.0.1.1", "slot": "right"}),
    )
    assert threads(tmp_path, gang.model_copy(update={"gang": slots}), ALL) == 16


@pytest.mark.parametrize(("clients", "found"), [(64, 8), (6, 6), (7, 7), (22, 2), (13, 1)])
def test_a_tool_has_as_many_as_its_clients_divide_by(
    tmp_path: Path, order: MakeOrder, clients: int, found: int
) -> None:
    workload = {**READS, "insert_start": 1, "record_count": 1001}
    wanted = order(
        system="redis", tool="memtier-benchmark", workload={**workload, "zero_padding": 1},
        load={"model": "closed", "clients": clients}, warmup_seconds=1.0, measure_seconds=1.0,
    )  # fmt: skip
    wanted = with_clients(wanted, clients)
    assert threads(tmp_path, wanted, APART, "memtier-benchmark") == found


def test_a_tool_that_cannot_be_told_has_one(tmp_path: Path, order: MakeOrder) -> None:
    wanted = order(system="redis", tool="ycsb", load={"model": "closed", "clients": 8})
    assert threads(tmp_path, with_clients(wanted, 8), APART, "ycsb") == 1
