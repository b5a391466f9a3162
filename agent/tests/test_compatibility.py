"""An order is held against the plugins here by the judge that the platform asked."""

from typing import Any

import pytest
from weighhouse_agent.attempt.compatibility import check_compatible
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Target
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.registry import load_plugin, load_tool

from .conftest import MakeOrder

REDIS, AEROSPIKE = (load_plugin(name).manifest for name in ("redis", "aerospike"))
THERE = {"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]}


def changed(order: AttemptOrder, **target: Any) -> AttemptOrder:
    document = {"name": "t", "system": order.target.system, **target}
    return order.model_copy(update={"target": Target.model_validate(document)})


@pytest.mark.parametrize(
    ("target", "told", "hint"),
    [
        (
            {**THERE, "limits": {"cpus": 1}},
            "limits: cannot be kept for the deployment external",
            "limits: no limits, or deployment: process or docker",
        ),
        ({"edition": "gold"}, "edition: Redis has no edition 'gold'", "edition: one of"),
        ({"deployment": "external"}, "endpoints: an external target needs its addresses", ""),
        (
            {"topology": {"nodes": 3}, "driver_options": {"scan_index": "lex"}},
            "driver_options.scan_index: is lex: Several primaries have no index for scans",
            "driver_options.scan_index: scan_index auto or none",
        ),
        (
            {"deployment": "docker", "parameters": {"tls": True}},
            "parameters.tls: deployment is docker: Its certificate",
            "parameters.tls: deployment process, as tls is true",
        ),
    ],
)
def test_what_the_platform_refuses_is_refused_with_what_would_be_right(
    order: MakeOrder, target: dict[str, Any], told: str, hint: str
) -> None:
    wanted = changed(order(system="redis"), **target)
    with pytest.raises(TargetInvalid) as refused:
        check_compatible(wanted, wanted.target, REDIS)
    assert told in refused.value.message
    assert hint in refused.value.hint


def test_each_link_of_a_chain_is_looked_at(order: MakeOrder) -> None:
    reads = {"name": "reads", "operations": {"read": 1.0}}
    passing = {**reads, "ttl_seconds": 60}
    phases = [{"kind": "measure", "duration_seconds": 1}]
    first = order(system="aerospike", workload=reads)
    check_compatible(first, first.target, AEROSPIKE)
    link = {"workload": passing, "load": {"model": "closed", "clients": 1}, "phases": phases}
    chain = AttemptOrder.model_validate({**first.model_dump(), "chain": [link]})
    with pytest.raises(TargetInvalid, match="nsup_period_seconds is 0: Aerospike refuses"):
        check_compatible(chain, chain.target, AEROSPIKE)
    scans = AttemptOrder.model_validate(
        {
            **first.model_dump(),
            "chain": [{**link, "workload": {**reads, "operations": {"scan": 1}}}],
        }
    )
    with pytest.raises(TargetInvalid, match=r"workload\.operations\.scan: Aerospike cannot do"):
        check_compatible(scans, scans.target, AEROSPIKE)


def test_a_tool_is_judged_where_it_makes_the_load(order: MakeOrder) -> None:
    tool = load_tool("redis-benchmark").manifest
    reads = {"name": "reads", "operations": {"scan": 1.0}}
    wanted = order(system="redis", tool="redis-benchmark", workload=reads)
    check_compatible(wanted, wanted.target, REDIS)
    with pytest.raises(TargetInvalid, match="cannot do 'scan'"):
        check_compatible(wanted, wanted.target, REDIS, tool)
    shown = changed(wanted, **THERE, tool="redis-benchmark", credentials="staging")
    with pytest.raises(TargetInvalid, match="credentials: redis-benchmark is not given any"):
        check_compatible(shown, shown.target, REDIS, tool)


def test_only_the_agent_knows_the_machine(order: MakeOrder) -> None:
    wanted = order(system="aerospike")
    check_compatible(wanted, wanted.target, AEROSPIKE)
    with pytest.raises(TargetInvalid, match="as many open files"):
        check_compatible(wanted, wanted.target, AEROSPIKE, machine={"machine:open_files": 10})
