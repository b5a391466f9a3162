"""Targets, workloads and faults against manifests: what is refused, and what would be right."""

from typing import Any

import pytest
from pydantic import TypeAdapter
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.faults import fault_errors
from weighhouse_protocol.compatibility.targets import is_reserved, system_errors, target_errors
from weighhouse_protocol.compatibility.values import value_errors
from weighhouse_protocol.compatibility.workloads import (
    carrying_errors,
    load_errors,
    making_errors,
    workload_errors,
)
from weighhouse_protocol.document_errors import FieldError, within
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.load import Load, OpenLoad
from weighhouse_protocol.manifest import Manifest, ManifestTool
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

LOAD: TypeAdapter[Load] = TypeAdapter(Load)
SCHEMA = {
    "properties": {
        "mode": {"type": "string", "enum": ["fast", "safe"], "default": "safe"},
        "threads": {"type": "integer", "minimum": 1, "maximum": 8, "default": 2},
        "rule": {"type": "string", "pattern": "^[0-9]*$"},
        "size": {"type": "integer", "x-power-of-two": True, "x-unit": "bytes"},
    },
}


def manifest(**changed: Any) -> Manifest:
    return Manifest.model_validate(
        {
            "id": "store", "version": "1", "name": "Store", "vendor": "V", "licence": "L",
            "architecture": "A", "colour": "#000000", "mark": "s", "operations": ["read"],
            "deployments": ["process", "docker", "external", "in_process"],
            "image": {
                "image": "i:1", "program": "p", "port": 1, "health": "h",
                "source": "https://example.org", "checked_on": "2026-01-01",
            },
            "driver": {"id": "d", "options": {"properties": {"tls_file": {"type": "string"}}}},
            "benchmark_clause": {
                "policy": "open", "text": "", "source": "s", "checked_on": "2026-01-01",
            },
            **changed,
        }
    )  # fmt: skip


TOOL = manifest(
    id="tool", name="Tool", kind="tool", deployments=[], image=None, tool={"drivers": ["d"]},
    driver={"id": "tool"}, operations=["update"],
)  # fmt: skip
BOTH = {"store": manifest(), "tool": TOOL}


def target(**changed: Any) -> Target:
    return Target.model_validate({"name": "t", "system": "store", **changed})


@pytest.mark.parametrize(
    ("values", "path", "message", "expected"),
    [
        (
            {"mode": "furious"},
            "mode",
            "`furious` is not one of: fast, safe",
            "one of fast, safe",
        ),
        ({"threads": 9}, "threads", "9 is greater than the maximum of 8", "integer ≥ 1 ≤ 8"),
        ({"threads": True}, "threads", "True is not of type 'integer'", "integer ≥ 1 ≤ 8"),
        ({"rule": "; id"}, "rule", "'; id' does not match '^[0-9]*$'", "string like ^[0-9]*$"),
        (
            {"size": 48},
            "size",
            "48 is not a power of two: write 32",
            "integer a power of two in bytes",
        ),
        (
            {"thread": 1},
            "thread",
            "Store has no parameter 'thread'; did you mean 'threads'?",
            "one of mode, rule, size, threads",
        ),
    ],
)
def test_a_wrong_value_is_told_with_what_would_be_right(
    values: dict[str, Scalar], path: str, message: str, expected: str
) -> None:
    assert list(value_errors(SCHEMA, values, "Store")) == [FieldError(path, message, expected)]


@pytest.mark.parametrize("size", [0, 1, 2, 1 << 36, 1 << 63])
def test_powers_of_two_are_right(size: int) -> None:
    assert list(value_errors(SCHEMA, {"size": size, "mode": "fast", "rule": ""}, "Store")) == []


def test_an_empty_schema_declares_nothing() -> None:
    (error,) = value_errors({}, {"a": 1}, "Store")
    assert (error.path, error.expected) == ("a", "none")


LIMITED = {"limits": {"memory_mebibytes": 64}}
THERE = {"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]}


@pytest.mark.parametrize(
    ("changed", "path", "says", "expected"),
    [
        (
            {**THERE, **LIMITED},
            "limits",
            "cannot be kept for the deployment external",
            "no limits, or deployment: process or docker",
        ),
        (
            {"deployment": "in_process", "limits": {"cpus": 1}},
            "limits",
            "cannot be kept for the deployment in_process",
            "no limits, or deployment: process or docker",
        ),
        (
            {"deployment": "external", "endpoints": ["tcp://a:1", "127.0.0.1"]},
            "endpoints[1]",
            "`127.0.0.1`: it names no port",
            "tcp://127.0.0.1:6379",
        ),
        (
            {"deployment": "external", "endpoints": ["redis://:hush@127.0.0.1:1"]},
            "endpoints[0]",
            "it holds a user or a password",
            "tcp://127.0.0.1:6379",
        ),
        ({"image": "i:2"}, "image", "says nothing to the deployment process", "no image"),
        ({"credentials": "staging"}, "credentials", "needs no credentials", "no credentials"),
        (
            {"driver_options": {"tls_file": "/etc/shadow"}},
            "driver_options.tls_file",
            "accounts and files are the agent's",
            "the name of `credentials`",
        ),
        (
            {**THERE, "credentials": "staging", "tool": "tool"},
            "credentials",
            "Tool is not given any",
            "no credentials, or no tool",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(
    changed: dict[str, Any], path: str, says: str, expected: str
) -> None:
    (error,) = target_errors(target(**changed), BOTH)
    assert error.path == path
    assert says in error.message
    assert expected in error.expected


@pytest.mark.parametrize(
    "changed",
    [
        {},
        LIMITED,
        {"deployment": "docker", "image": "i:2", **LIMITED},
        {**THERE, "credentials": "staging"},
        {**THERE, "tool": "tool"},
        {"deployment": "in_process"},
    ],
)
def test_what_goes_together_is_taken(changed: dict[str, Any]) -> None:
    assert list(target_errors(target(**changed), BOTH)) == []


def test_accounts_and_files_are_reserved() -> None:
    reserved = ("username", "password", "password_file", "ca_path")
    assert [name for name in (*reserved, "layout", "profile") if is_reserved(name)] == [*reserved]


def test_who_makes_the_load_does_not_matter_to_the_system() -> None:
    assert list(system_errors(target(tool="unheard-of"), manifest())) == []
    (error,) = target_errors(target(tool="toul"), BOTH)
    assert (error.path, "did you mean 'tool'" in error.message) == ("tool", True)


def test_what_expires_needs_what_looks_for_it() -> None:
    period = {"type": "integer", "minimum": 0, "default": 0}
    rule = {
        "when": {"workload:expires": True},
        "needs": {"period": {"at_least": 1}},
        "because": "Nobody looks.",
    }
    store = manifest(parameters={"properties": {"period": period}}, requirements=[rule])
    lasting, passing = Workload(name="a"), Workload(name="b", ttl_seconds=60)
    assert list(system_errors(target(), store)) == []
    assert list(system_errors(target(), store, [lasting])) == []
    (error,) = system_errors(target(), store, [lasting, passing])
    assert (error.path, error.message) == ("parameters", "period is 0: Nobody looks.")


def test_operations_are_held_against_system_and_tool() -> None:
    reads = Workload(name="r", operations={"read": 1.0}, ttl_seconds=5)
    assert [
        (error.path, error.message) for error in workload_errors(reads, [target(tool="tool")], BOTH)
    ] == [
        ("ttl_seconds", "Store cannot let records expire"),
        ("operations.read", "Tool cannot do 'read'"),
        ("ttl_seconds", "Tool cannot let records expire"),
    ]
    cache = Workload(name="c", operations={"read": 1.0}, fill_on_miss=True, reconnect_every=10)
    able = {"store": manifest(features=["fill_on_miss", "reconnect"])}
    assert list(workload_errors(cache, [target()], able)) == []
    assert [error.message for error in workload_errors(cache, [target()], BOTH)] == [
        "Store cannot write what a read missed",
        "Store cannot open its connections anew after so many operations",
    ]
    load = OpenLoad(
        model="open", rate_per_second=3, connections=1, operation_rates={"read": 1, "scan": 2}
    )
    (error,) = within("load_levels[0]", load_errors(load, [target(), target(name="u")], BOTH))
    assert error.path == "load_levels[0].operation_rates.scan"


def test_several_primaries_lack_what_the_layout_lacks() -> None:
    shards = {"layout": "shards", "max_nodes": 6, "shards_lack": ["scan"]}
    store = {"store": manifest(topology=shards, operations=["read", "scan"])}
    scans = Workload(name="s", operations={"scan": 1.0})
    one, many = target(), target(topology={"nodes": 6, "replication_factor": 2})
    assert list(workload_errors(scans, [one], store)) == []
    (error,) = workload_errors(scans, [one, many], store)
    assert error.message == "t: several primaries cannot do 'scan'"


def test_faults_are_done_to_nodes_that_the_agent_started() -> None:
    kill = Fault(at_seconds=1, verb="kill")
    breakable = {"store": manifest(faults=["kill"])}
    assert list(fault_errors([kill], {"": target()}, breakable)) == []
    (error,) = fault_errors([kill], {"": target(**THERE)}, breakable)
    assert error.path == "deployment"
    (error,) = fault_errors([kill], {"targets[0]": target(deployment="in_process")}, breakable)
    assert error.path == "targets[0].deployment"
    cut = Fault.model_validate({"at_seconds": 1, "verb": "network", "network": {"partition": True}})
    apart = {"store": manifest(faults=["network"], topology={"layout": "ring", "max_nodes": 3})}
    assert list(fault_errors([cut], {"": target(topology={"nodes": 2})}, apart)) == []
    (error,) = fault_errors([cut], {"": target()}, apart)
    assert error.path == "faults[0].network.partition"
    (error,) = fault_errors([kill], {"": target()}, BOTH)
    assert (error.path, error.message) == ("faults[0].verb", "Store has no verb 'kill'")


REACH = {
    "workload": ["zero_padding"], "options": ["layout"], "distributions": ["uniform", "latest"],
    "schemes": ["tcp"],
}  # fmt: skip
TELLING = TOOL.model_copy(
    update={
        "tool": ManifestTool.model_validate({"drivers": ["d"], "reach": REACH}),
        "operations": ("read", "update"),
    }
)
OPTIONS = {"properties": {name: {"type": "string"} for name in ("layout", "compress")}}


@pytest.mark.parametrize(
    ("changed", "path", "says"),
    [
        (
            {"driver_options": {"layout": "a", "compress": "b"}},
            "driver_options.compress",
            "Tool has nothing for it",
        ),
        (
            {"deployment": "in_process", "parameters": {"compress": "b"}},
            "parameters.compress",
            "Tool has nothing for it",
        ),
        ({"topology": {"nodes": 2}}, "topology", "makes load on one endpoint, there are 2"),
        (
            {"deployment": "external", "endpoints": ["tcp://a:1", "tcp://b:1"]},
            "endpoints",
            "makes load on one endpoint, there are 2",
        ),
        (
            {"deployment": "external", "endpoints": ["tls://a:1"]},
            "endpoints",
            "Tool is not set up for tls",
        ),
    ],
)
def test_what_a_tool_cannot_be_told_of_a_target_is_refused(
    changed: dict[str, Any], path: str, says: str
) -> None:
    store = manifest(
        topology={"layout": "ring", "max_nodes": 3},
        driver={"id": "d", "options": OPTIONS},
        parameters=OPTIONS,
    )
    (error,) = target_errors(target(tool="tool", **changed), {"store": store, "tool": TELLING})
    assert error.path == path
    assert says in error.message
    assert list(target_errors(target(tool="tool", **changed), {"store": store, "tool": TOOL})) == []


def test_copies_are_endpoints_where_clients_are_told_of_all_nodes() -> None:
    three = target(tool="tool", topology={"nodes": 3, "replication_factor": 3})
    for endpoints, wrong in (("primaries", []), ("all", ["topology"])):
        topology = {"layout": "replicas", "max_nodes": 3, "endpoints": endpoints}
        known = {"store": manifest(topology=topology), "tool": TELLING}
        assert [error.path for error in target_errors(three, known)] == wrong


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"zero_padding": 4, "request_distribution": "latest"}, None),
        ({"operations": {"read": 0.5, "update": 0.5}}, "operations"),
        ({"request_distribution": "zipfian"}, "request_distribution"),
        ({"field_count": 3}, "field_count"),
        ({"keys_per_read": 3}, "keys_per_read"),
    ],
)
def test_so_is_what_it_cannot_be_told_of_a_workload(
    changed: dict[str, Any], path: str | None
) -> None:
    workload = Workload.model_validate({"name": "w", "operations": {"read": 1.0}, **changed})
    found = [error.path for error in carrying_errors(workload, TELLING)]
    assert found == ([] if path is None else [path])


@pytest.mark.parametrize(
    ("load", "path"),
    [
        ({"model": "closed", "clients": 2}, None),
        ({"model": "closed", "clients": 2, "think_time_us": 5}, "think_time_us"),
        ({"model": "closed", "clients": 2, "pipeline": 2}, "pipeline"),
        ({"model": "open", "rate_per_second": 5, "connections": 1}, "model"),
    ],
)
def test_so_is_a_load_that_it_cannot_make(load: dict[str, Any], path: str | None) -> None:
    found = [error.path for error in making_errors(LOAD.validate_python(load), TELLING)]
    assert found == ([] if path is None else [path])
    assert list(making_errors(LOAD.validate_python(load), TOOL)) == []
