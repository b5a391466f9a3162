"""Several real memcacheds that know nothing of each other, and keys that the client spreads."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_memcached import PLUGIN
from weighhouse_plugin_memcached.stats import stats
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverEvent, PhaseFinished, Ready
from weighhouse_protocol.faults import Fault, FaultVerb
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.gateway import gateway
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.resp_rights import free_address, served
from weighhouse_sdk.testkit.spread import host_of, spread
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.testkit.ways_in import check_reached
from weighhouse_sdk.wire import Address

ASK_SECONDS = 5.0
RECORDS = 3000
CLIENTS = 2
"""Of the order that the kit makes."""


def several(nodes: int, **options: Scalar) -> Target:
    return Target(
        name="m",
        system="memcached",
        topology=Topology(nodes=nodes),
        parameters={"memory_mebibytes": 16},
        driver_options=options,
    )


def load(context: Context, deployed: Deployed, seconds: float | None = None) -> list[DriverEvent]:
    """Load records, and hold that every operation went well."""
    order = order_for(
        PLUGIN.endpoints(deployed),
        PLUGIN.driver_options(context.target),
        measure_seconds=seconds,
        records=RECORDS,
    )
    with DriverRun("memcached", order, context) as run:
        events = list(run.events())
    ends = [event for event in events if isinstance(event, PhaseFinished)]
    assert ends
    for end in ends:
        assert not any(each.errors or each.not_found for each in end.operations.values())
    return events


def items(address: Address) -> int:
    return int(stats(address, ASK_SECONDS)["curr_items"])


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    where = tmp_path / "attempt"
    yield where
    PLUGIN.clean_up(Context.open(several(1), where))
    assert not processes_below(where)


def up(target: Target, directory: Path) -> tuple[Context, Deployed]:
    context = Context.open(target, directory)
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    return context, deployed


@pytest.mark.parametrize("hashing", ["ketama", "modulo"])
def test_each_server_has_its_share_and_figures_are_of_all(hashing: str, directory: Path) -> None:
    context, deployed = up(several(3, hashing=hashing), directory)
    assert len(PLUGIN.endpoints(deployed)) == 3
    before = PLUGIN.memory(context, deployed)
    assert before.records == 0
    events = load(context, deployed, seconds=1.0)
    ready = next(event for event in events if isinstance(event, Ready))
    assert ready.connections == 3 * CLIENTS, "each client has one to each server"
    addresses = [node.place.address for node in deployed.nodes]
    held = [items(address) for address in addresses]
    assert sum(held) == RECORDS
    assert min(held) > RECORDS / 3 * 0.8
    memory = PLUGIN.memory(context, deployed)
    assert memory.records == RECORDS
    used = sum(int(stats(address, ASK_SECONDS)["bytes"]) for address in addresses)
    assert memory.used_bytes == used
    assert (memory.resident_bytes or 0) > (before.resident_bytes or 0)
    sample = PLUGIN.sample(context, deployed)
    for number, count in enumerate(held, 1):
        assert sample.metrics[f"node {number} curr_items"] == count
        assert sample.metrics[f"node {number} limit_maxbytes"] == 16 * 1_048_576, "of each server"
        assert sample.metrics[f"node {number} get_misses"] == 0
    settings = {each.name: each for each in PLUGIN.describe(context, deployed).settings}
    assert settings["maxbytes"].value == str(16 * 1_048_576), "alike on all"
    assert settings["tcpport"].value.count(",") == 2, "told of each"
    PLUGIN.stop(context, deployed)


def test_a_server_that_was_killed_comes_back_empty_and_alone(directory: Path) -> None:
    context, deployed = up(several(2), directory)
    load(context, deployed)
    first, second = (node.place.address for node in deployed.nodes)
    kept = items(first)

    def do(verb: FaultVerb) -> str:
        return PLUGIN.fault(context, deployed, Fault(at_seconds=0, verb=verb, node=2)).label

    assert do("kill") == "node 2: killed"
    assert PLUGIN.memory(context, deployed).records == kept, "of those that are up"
    assert "serves again" in do("start")
    assert (items(first), items(second)) == (kept, 0)
    load(context, deployed, seconds=0.5)
    PLUGIN.stop(context, deployed)


def test_servers_may_be_on_several_machines(tmp_path: Path) -> None:
    with spread(PLUGIN, several(4), 2, tmp_path) as system:
        assert [each.numbers for each in system.machines] == [[1, 3], [2, 4]]
        lead = system.lead
        assert len(PLUGIN.endpoints(lead.deployed)) == 4
        load(lead.context, lead.deployed)
        here = [PLUGIN.memory(each.context, each.deployed).records for each in system.machines]
        assert None not in here
        assert sum(each or 0 for each in here) == RECORDS
        hosts = {place.address.host for place in lead.deployed.places}
        assert hosts == {host_of(1), host_of(2)}


def test_servers_of_somebody_else_are_used_as_they_are(directory: Path, tmp_path: Path) -> None:
    context, deployed = up(several(2), directory)
    target = Target(
        name="there", system="memcached", deployment="external", endpoints=deployed.endpoints
    )
    there, found = up(target, tmp_path / "there")
    assert PLUGIN.driver_options(target) == {"hashing": "ketama"}
    load(there, found, seconds=0.5)
    assert PLUGIN.memory(there, found).records == RECORDS
    described = PLUGIN.describe(there, found)
    assert described.version == deployed.version
    assert {each.name: each.value for each in described.settings}["maxbytes"] == str(16 * 1_048_576)
    sample = PLUGIN.sample(there, found)
    assert sample.metrics["node 2 curr_items"] == items(deployed.nodes[1].place.address)
    PLUGIN.stop(there, found)
    assert sum(items(node.place.address) for node in deployed.nodes) == RECORDS, "still there"
    PLUGIN.stop(context, deployed)


def test_what_cannot_be_laid_out_is_refused_by_name() -> None:
    def problems(target: Target) -> list[tuple[str, str]]:
        with pytest.raises(TargetInvalid) as caught:
            PLUGIN.check_target(target)
        return list(caught.value.problems)

    copies = several(2).model_copy(update={"topology": Topology(nodes=2, replication_factor=2)})
    ((path, message),) = problems(copies)
    assert path == "topology"
    assert "the replication factor is 1, not 2" in message
    ((path, message),) = problems(several(65))
    assert (path, "up to 64" in message) == ("topology", True)
    ((path, message),) = problems(several(2, hashing="jump"))
    assert (path, message) == ("driver_options.hashing", "`jump` is not one of: ketama, modulo")
    assert PLUGIN.manifest.topology.lacks(several(2)) == ("multi_get",)


def test_with_one_server_there_is_nothing_to_spread() -> None:
    PLUGIN.check_target(several(1, hashing="modulo"))
    assert PLUGIN.driver_options(several(1, hashing="modulo", commands="meta")) == {
        "commands": "meta"
    }
    assert PLUGIN.driver_options(several(2)) == {"hashing": "ketama"}
    said = [each.id for each in PLUGIN.manifest.concerning(several(2))]
    assert "memcached-keys-by-client" in said
    assert "memcached-keys-by-client" not in [
        each.id for each in PLUGIN.manifest.concerning(several(1))
    ]


CONFIGURATION = "a gateway that answers `config get cluster` as ElastiCache documents it"


def configured(nodes: list[Address]) -> Callable[[bytes], bytes | None]:
    """What a managed service's configuration endpoint answers."""
    listed = " ".join(f"{each.host}||{each.port}" for each in nodes)
    text = f"7\n{listed}\n".encode()
    answer = b"CONFIG cluster 0 %d\r\n%s\r\nEND\r\n" % (len(text), text)
    return lambda data: answer if data == b"config get cluster\r\n" else None


def there(nodes: int, *ends: str, **mapped: str) -> Target:
    return Target(
        name="there", system="memcached", deployment="external", endpoints=ends,
        topology=Topology(nodes=nodes), address_map=mapped,
    )  # fmt: skip


@pytest.mark.stand_in(CONFIGURATION)
def test_servers_are_found_by_a_configuration_endpoint(tmp_path: Path) -> None:
    nodes = [free_address() for _ in range(3)]
    announced = [nodes[0], nodes[1], Address("node-3.invalid", nodes[2].port)]
    mapped = {f"node-3.invalid:{nodes[2].port}": nodes[2].endpoint}
    with contextlib.ExitStack() as stack:
        for each in nodes:
            words = ["-l", each.host, "-p", str(each.port), "-U", "0", "-u", "root"]
            stack.enter_context(served("memcached", words, each))
        server = stack.enter_context(gateway(nodes[0], configured(announced)))
        context = Context.open(there(3, server.address.endpoint, **mapped), tmp_path / "there")
        check_reached(PLUGIN, context, RECORDS)
        assert all(items(each) > RECORDS // 10 for each in nodes)
        assert sum(map(items, nodes)) == RECORDS
        fewer = Context.open(there(2, server.address.endpoint), tmp_path / "fewer")
        with pytest.raises(DeployFailed, match=r"there are 3 servers, .* says 2 nodes"):
            PLUGIN.find_nodes(fewer, PLUGIN.deploy(fewer))
        plain = Context.open(there(3, nodes[0].endpoint), tmp_path / "plain")
        with pytest.raises(DeployFailed, match="1 are named; the server does not tell the others"):
            PLUGIN.find_nodes(plain, PLUGIN.deploy(plain))
