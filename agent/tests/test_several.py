"""The agent with servers that know nothing of each other, and with servers that speak TLS."""

import pytest
from weighhouse_protocol.target import Topology

from .conftest import MakeOrder, RunningAgent, carried_out
from .protocol_server import Server

CLIENTS = 4


SPREAD = [("memcached", {}), ("redis", {"hashing": "modulo"})]


@pytest.mark.parametrize(("system", "options"), SPREAD)
def test_records_and_memory_are_of_all_servers(
    real: RunningAgent, server: Server, order: MakeOrder, system: str, options: dict[str, str]
) -> None:
    load = {"model": "closed", "clients": CLIENTS}
    workload = {"name": "reads", "record_count": 2000, "operations": {"read": 1.0}}
    wanted = order(system=system, measure_seconds=1.0, load=load, workload=workload)
    target = wanted.target.model_copy(
        update={"topology": Topology(nodes=2), "driver_options": options}
    )
    attempt = carried_out(real, server, wanted.model_copy(update={"target": target}))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    records = {each["moment"]: each["records"] for each in attempt.of_kind("memory")}
    assert (records["before"] or 0, records["after_load"]) == (0, 2000)
    for interval in attempt.of_kind("interval"):
        reads = interval["interval"]["operations"].get("read")
        assert not (reads and reads["not_found"] and reads["not_found"]["count"])


def test_redis_over_tls_is_weighed_and_leaves_no_key(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    load = {"model": "closed", "clients": CLIENTS}
    wanted = order(system="redis", measure_seconds=1.0, load=load, tls=True)
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    found = attempt.of_kind("target")[0]["effective_configuration"]
    told = {each["name"]: each["value"] for each in found}
    assert (told["tls"], told["port"]) == ("yes", "0")
    assert "PRIVATE KEY" not in str(attempt.of_kind("target"))


def test_a_foreign_tool_over_tls_is_refused_before_anything_is_deployed(
    real: RunningAgent, server: Server, order: MakeOrder
) -> None:
    workload = {"name": "reads", "operations": {"read": 1.0}}
    wanted = order(system="redis", tool="redis-benchmark", workload=workload, tls=True)
    attempt = carried_out(real, server, wanted)
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == "invalid"
    assert "No load tool is given its certificate" in failure.message
    assert attempt.of_kind("target") == []
