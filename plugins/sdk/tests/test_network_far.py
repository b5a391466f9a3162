"""What is matched between a node and those of other machines; no rule is made."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_sdk.context import Context
from weighhouse_sdk.machine.network.network_faults import Ends, apart_from
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.process import Command
from weighhouse_sdk.places import Place
from weighhouse_sdk.wire import Address

CONNECTS = """
import socket, sys
made = socket.create_connection(("127.0.1.2", int(sys.argv[1])), source_address=("127.0.1.1", 0))
print(made.getsockname()[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.1.2", 0)) as made:
        yield made


@pytest.fixture
def node(context: Context, listener: socket.socket, tmp_path: Path) -> Iterator[Node]:
    arguments = ("/usr/bin/python3", "-c", CONNECTS, str(listener.getsockname()[1]))
    process = context.processes.start(
        Command(name="node", arguments=arguments, directory=tmp_path / "d", users=()),
        stdin=True,
        stdout=True,
    )
    here = Address("127.0.1.1", 7001)
    yield Node(Place(1, "node", here, tmp_path, (here, Address("127.0.1.2", 1))), process)
    process.stop(0)


def test_all_between_a_node_and_another_machines_is_matched(
    node: Node, listener: socket.socket
) -> None:
    assert node.body.stdout is not None
    port = int(node.body.stdout.readline())
    far = Address("127.0.1.2", listener.getsockname()[1])
    own = Ends.of(node, [Address("127.0.1.1", 17001)])
    told = apart_from(own, [far], {})
    for end in (7001, 17001):
        assert f"-s 127.0.1.1 -p tcp --sport {end} -d 127.0.1.2" in told
        assert f"-d 127.0.1.1 -p tcp --dport {end} -s 127.0.1.2" in told
    out = f"-s 127.0.1.1 -d 127.0.1.2 -p tcp --sport {port} --dport {far.port}"
    back = f"-s 127.0.1.2 -d 127.0.1.1 -p tcp --sport {far.port} --dport {port}"
    assert {out, back} <= set(told), "what it has opened already"
    to_come = f"-d 127.0.1.2 -p tcp --dport {far.port} -s 127.0.1.1"
    assert to_come in told
    grouped = apart_from(own, [far], {"1": "weighhouse-net-x-1"})
    assert to_come not in grouped, "its group tells what it opens from what others here do"
    assert f"-d 127.0.1.2 -p tcp --dport {far.port} -m cgroup --path weighhouse-net-x-1" in grouped
