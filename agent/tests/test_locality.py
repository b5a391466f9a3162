"""Whether driver and system share the machine, on real servers, however they are reached."""

import ipaddress
import subprocess
from collections.abc import Iterator

import pytest
from weighhouse_agent.attempt.gangs import shares_a_machine
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.load import Share
from weighhouse_protocol.order import AttemptOrder, GangMember
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.wire import Address, Connection
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, as_users_have_it, carried_out
from .protocol_server import Attempt, Server


def own_addresses() -> list[str]:
    """Of this machine's interfaces but loopback, by the program `ip`; link-local ones left out."""
    told = subprocess.run(["ip", "-o", "addr"], capture_output=True, text=True, check=True).stdout
    found = [line.split()[3].partition("/")[0] for line in told.splitlines()]
    return [each for each in found if not ipaddress.ip_address(each).is_loopback
            and not ipaddress.ip_address(each).is_link_local]  # fmt: skip


OWN = own_addresses()
ELSEWHERE = "of interfaces that are not loopback"


@pytest.fixture(autouse=True)
def _as_users_have_it(agent: RunningAgent) -> None:
    agent.environment = as_users_have_it()


@pytest.fixture
def redis_port() -> Iterator[int]:
    """Of a server that somebody else set up, listening at every address of the machine."""
    port = free_port()
    words = ["redis-server", "--port", str(port), "--bind", "*", "-::*", "--save", "",
             "--protected-mode", "no"]  # fmt: skip
    with child(words, stdout=subprocess.DEVNULL, cwd="/tmp"):
        until("it listens", lambda: listens(port))
        yield port


def listens(port: int) -> bool:
    try:
        with Connection(Address("127.0.0.1", port), 1.0):
            return True
    except OSError:
        return False


def completed(agent: RunningAgent, server: Server, order: AttemptOrder) -> Attempt:
    attempt = carried_out(agent, server, order)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    return attempt


def of_redis(order: MakeOrder, **target: object) -> AttemptOrder:
    return order(system="redis", measure_seconds=0.2, load={"model": "closed", "clients": 1},
                 **target)  # fmt: skip


@pytest.mark.parametrize("host", [each for each in OWN if ":" not in each] or [ELSEWHERE])
def test_a_server_that_the_agent_started_shares_its_machine(
    host: str, agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    assert OWN, "a machine without any other address than loopback cannot show this"
    agent.home.policy.write_text(
        f'networks = ["127.0.0.0/8", "{host}"]\n[machine]\nhost = "{host}"\n'
    )
    attempt = completed(agent, server, of_redis(order))
    told = attempt.of_kind("target")[0]
    assert host in told["endpoints"][0]
    assert told["co_located"] is True


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.2", "::1", "localhost", "::ffff:127.0.0.1", *OWN]
)
def test_an_external_system_at_an_address_of_this_machine_shares_it(
    host: str, redis_port: int, agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    named = [f'"{each}"' for each in OWN]
    networks = ", ".join(['"127.0.0.0/8"', '"::1"', *named])
    agent.home.policy.write_text(f'deployments = ["external"]\nnetworks = [{networks}]\n')
    shown = f"[{host}]" if ":" in host else host
    wanted = of_redis(order, deployment="external", endpoints=(f"tcp://{shown}:{redis_port}",))
    told = completed(agent, server, wanted).of_kind("target")[0]
    assert told["co_located"] is True
    settings = told["effective_configuration"]
    assert {"bind", "port", "dir"} <= {each["name"] for each in settings}
    assert {(each["source"], each["default"]) for each in settings} == {("operator", None)}


def member(index: int, address: str, *, serves: bool = False, drives: bool = False) -> GangMember:
    return GangMember(
        index=index,
        agent_name=f"m{index}",
        roles=("server",) if serves else ("driver",),
        address=address,
        nodes=(index + 1,) if serves else (),
        share=Share() if drives else None,
    )


def test_one_of_several_drivers_on_a_servers_machine_is_enough() -> None:
    server = member(0, "10.0.0.1", serves=True)
    far, near = member(1, "10.0.0.2", drives=True), member(2, "172.17.0.3", drives=True)
    gang = (server, far, near)
    assert shares_a_machine(gang, {0: "a", 1: "b", 2: "a"}) is True  # a container beside it
    assert shares_a_machine(gang, {0: "a", 1: "b", 2: "c"}) is False
    assert shares_a_machine((server, far), {0: "a", 1: "b"}) is False
    assert shares_a_machine((member(0, "10.0.0.1", serves=True, drives=True),), {0: "a"}) is True


def test_machines_that_say_no_boot_are_told_apart_by_their_addresses() -> None:
    server = member(0, "10.0.0.1", serves=True)
    assert shares_a_machine((server, member(1, "10.0.0.1", drives=True)), {}) is True
    assert shares_a_machine((server, member(1, "10.0.0.2", drives=True)), {0: "a", 1: ""}) is False
    # Two networks may use one address.
    assert shares_a_machine((server, member(1, "10.0.0.1", drives=True)), {0: "a", 1: "b"}) is False
