"""Nodes that somebody else's servers name: an agent goes where its policy lets it."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.order import AttemptOrder
from weighhouse_sdk.families.resp import lines
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.resp_rights import free_address
from weighhouse_sdk.wire import Address
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, as_users_have_it, carried_out
from .protocol_server import Server

ELSEWHERE = "192.0.2.10"
"""Of documentation's network (RFC 5737): where the replica says that it is."""


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Address, Address]]:
    """A primary, and a replica that says that it is elsewhere."""
    primary, replica = free_address(), free_address()
    follower = ["--replicaof", primary.host, str(primary.port), "--replica-announce-ip", ELSEWHERE]
    with contextlib.ExitStack() as stack:
        for address, more in ((primary, []), (replica, follower)):
            words = ["redis-server", "--bind", address.host, "--port", str(address.port)]
            words += ["--save", "", "--dir", str(tmp_path), *more]
            stack.enter_context(child(words, stdout=subprocess.DEVNULL))
        yield primary, replica


def follows(primary: Address) -> bool:
    with contextlib.suppress(OSError):
        told = lines(primary, 2.0, "INFO", "replication").get("slave0", "")
        return f"ip={ELSEWHERE}," in told and "state=online" in told
    return False


def asked(make: MakeOrder, primary: Address, **more: Any) -> AttemptOrder:
    order = make(deployment="external", system="redis", endpoints=(primary.endpoint,))
    target = {
        "topology": {"nodes": 2, "replication_factor": 2},
        "driver_options": {"read_from": "replicas"},
        **more,
    }
    document = order.model_dump(mode="json")
    document["target"] |= target
    return AttemptOrder.model_validate(document)


@pytest.mark.parametrize("mapped", [True, False], ids=["by a map", "without one"])
def test_an_announced_node_is_reached_where_the_policy_lets_it(
    agent: RunningAgent,
    server: Server,
    order: MakeOrder,
    pair: tuple[Address, Address],
    mapped: bool,
) -> None:
    primary, replica = pair
    until("the replica follows", lambda: follows(primary))
    agent.home.policy.write_text('deployments = ["external"]\n')
    agent.environment = as_users_have_it("WEIGHHOUSE_DRIVERS")
    place = f"{ELSEWHERE}:{replica.port}"
    more = {"address_map": {place: replica.endpoint}} if mapped else {}
    attempt = carried_out(agent, server, asked(order, primary, **more))
    assert attempt.completion is not None
    if not mapped:
        failure = attempt.completion.failure
        assert failure is not None
        assert failure.kind == "policy"
        assert failure.message.startswith(f"the system's servers name a node {place}: this machine")
        assert "address_map" in failure.hint
        return
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    (found,) = [one["label"] for one in attempt.of_kind("mark") if one["mark"] == "nodes_found"]
    assert found == (
        f"2 nodes: primary {primary.host}:{primary.port}, replica {place} "
        f"(reached at {replica.host}:{replica.port})"
    )
    (described,) = attempt.of_kind("target")
    assert described["endpoints"] == [primary.endpoint, replica.endpoint]
    reads = [lines(each, 2.0, "INFO", "commandstats").get("cmdstat_hgetall") for each in pair]
    assert reads[0] is None
    assert reads[1] is not None
    told = attempt.of_kind("counted")[-1]["nodes"]
    assert [set(each["commands"]) for each in told if each["node"] == replica.endpoint] == [
        {"hgetall"}
    ]
