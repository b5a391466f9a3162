"""What plugins cannot do is refused with a path and with what would be right."""

from typing import Any

import pytest
from weighhouse_backend.experiments.manifest_checks import check
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.requirements import Requirement

from .manifests import MANIFESTS, TOOL, manifest


def experiment(target: dict[str, Any], operations: dict[str, float] | None = None) -> Experiment:
    return Experiment.model_validate(
        {
            "slug": "checks",
            "name": "Checks",
            "targets": [{"name": "a", "system": "redis"}, {"name": "b", **target}],
            "workloads": [{"name": "w", "operations": operations or {"read": 1.0}}],
            "load_levels": [{"model": "closed", "clients": 1}],
        }
    )


def test_a_possible_experiment_has_no_errors() -> None:
    target = {
        "system": "redis",
        "parameters": {"appendonly": True, "appendfsync": "always", "io_threads": 4},
        "driver_options": {"layout": "string"},
    }

    assert check(experiment(target), MANIFESTS) == []


@pytest.mark.parametrize(
    ("target", "path", "says", "expected"),
    [
        ({"system": "rediss"}, "targets[1].system", "did you mean 'redis'", "memcached, redis"),
        (
            {"system": "redis", "parameters": {"appendfsink": "no"}},
            "targets[1].parameters.appendfsink",
            "did you mean 'appendfsync'",
            "one of appendfsync, appendonly, io_threads",
        ),
        (
            {"system": "redis", "parameters": {"appendfsync": "sometimes"}},
            "targets[1].parameters.appendfsync",
            "sometimes",
            "one of always, everysec, no",
        ),
        (
            {"system": "redis", "parameters": {"io_threads": 500}},
            "targets[1].parameters.io_threads",
            "500",
            "integer ≥ 1 ≤ 128",
        ),
        (
            {"system": "redis", "parameters": {"appendonly": "yes"}},
            "targets[1].parameters.appendonly",
            "yes",
            "boolean",
        ),
        (
            {"system": "redis", "driver_options": {"layout": "json"}},
            "targets[1].driver_options.layout",
            "json",
            "one of hash, string",
        ),
        (
            {"system": "redis", "deployment": "docker"},
            "targets[1].deployment",
            "cannot be deployed",
            "one of process, external",
        ),
        (
            {"system": "redis", "deployment": "external"},
            "targets[1].endpoints",
            "needs its addresses",
            "tcp://",
        ),
        (
            {
                "system": "redis",
                "deployment": "external",
                "endpoints": ["tcp://127.0.0.1:1"],
                "parameters": {"appendonly": True},
            },
            "targets[1].parameters",
            "not the agent's to change",
            "no parameters",
        ),
        (
            {"system": "redis", "endpoints": ["tcp://127.0.0.1:1"]},
            "targets[1].endpoints",
            "chosen by the agent",
            "external",
        ),
        (
            {"system": "redis", "topology": {"nodes": 1, "replication_factor": 3}},
            "targets[1].topology",
            "3 copies need",
            "one node",
        ),
    ],
)
def test_each_impossible_wish_is_named(
    target: dict[str, Any], path: str, says: str, expected: str
) -> None:
    errors = check(experiment(target), MANIFESTS)

    assert [error.path for error in errors] == [path]
    assert says in errors[0].message
    assert expected in errors[0].expected


def test_an_operation_one_system_lacks_is_named_with_that_system() -> None:
    errors = check(experiment({"system": "memcached"}, {"read": 0.5, "insert": 0.5}), MANIFESTS)

    assert [error.path for error in errors] == ["workloads[0].operations.insert"]
    assert "Memcached" in errors[0].message
    assert "read, update" in errors[0].expected


def test_all_errors_are_told_at_once() -> None:
    target = {"system": "redis", "deployment": "docker", "parameters": {"x": 1, "io_threads": 0}}

    assert len(check(experiment(target), MANIFESTS)) == 3


def test_on_a_platform_without_plugins_it_says_what_is_missing() -> None:
    errors = check(experiment({"system": "memcached"}), {})

    assert [error.path for error in errors] == ["targets[0].system", "targets[1].system"]
    assert "enrol one in it" in errors[0].expected


def with_faults(target: dict[str, Any], *verbs: str) -> Experiment:
    course = [{"at_seconds": second, "verb": verb} for second, verb in enumerate(verbs)]
    document = experiment(target).model_dump() | {"scenario": "fault", "faults": course}
    return Experiment.model_validate(document)


BREAKABLE = {"redis": manifest("redis", faults=["kill", "start", "pause"])}


def test_faults_that_all_targets_bear_are_no_error() -> None:
    asked = with_faults({"system": "redis"}, "kill", "start")

    assert check(asked, BREAKABLE) == []


def test_a_verb_that_one_system_lacks_is_named_with_that_system() -> None:
    asked = with_faults({"system": "memcached"}, "kill", "start", "kill")
    errors = check(asked, BREAKABLE | {"memcached": manifest("memcached", faults=["start"])})

    assert [error.path for error in errors] == ["faults[0].verb", "faults[2].verb"]
    assert "Memcached" in errors[0].message
    assert errors[0].expected == "one of start"


@pytest.mark.parametrize("deployment", ["external", "in_process"])
def test_nothing_is_done_to_what_the_agent_did_not_start(deployment: str) -> None:
    manifests = {
        "redis": manifest(
            "redis", faults=["kill"], deployments=["process", "external", "in_process"]
        )
    }
    endpoints = ["tcp://127.0.0.1:1"] if deployment == "external" else []
    target = {"system": "redis", "deployment": deployment, "endpoints": endpoints}
    errors = check(with_faults(target, "kill"), manifests)

    assert [error.path for error in errors] == ["targets[1].deployment"]
    assert "not the agent's" in errors[0].message


def test_what_a_layout_cannot_do_is_refused_before_the_run() -> None:
    sharded = {"layout": "shards", "max_nodes": 6, "min_primaries": 3, "shards_lack": ["scan"]}
    several = manifest("redis", operations=["read", "scan"], topology=sharded)
    mixed = {"read": 0.5, "scan": 0.5}

    def errors(nodes: int, copies: int, operations: dict[str, float]) -> list[str]:
        topology = {"nodes": nodes, "replication_factor": copies}
        wanted = experiment({"system": "redis", "topology": topology}, operations)
        return [f"{each.path}: {each.message}" for each in check(wanted, {"redis": several})]

    assert errors(6, 2, mixed) == [
        "workloads[0].operations.scan: b: several primaries cannot do 'scan'"
    ]
    assert errors(6, 2, {"read": 1.0}) == []
    assert errors(3, 3, mixed) == []


def test_keys_are_spread_by_the_client_over_two_nodes_with_one_copy() -> None:
    layout = {
        "layout": "shards",
        "max_nodes": 6,
        "min_primaries": 3,
        "shards_lack": ["scan"],
        "keys_by_client": "hashing",
    }
    schema = {"properties": {"hashing": {"enum": ["none", "ketama"], "default": "none"}}}
    several = manifest("redis", topology=layout, driver={"id": "resp", "options": schema})

    def errors(nodes: int, copies: int, hashing: str) -> list[str]:
        topology = {"nodes": nodes, "replication_factor": copies}
        target = {"system": "redis", "topology": topology, "driver_options": {"hashing": hashing}}
        return [
            f"{each.path}: {each.message}" for each in check(experiment(target), {"redis": several})
        ]

    assert errors(2, 1, "ketama") == []
    (too_few,) = errors(2, 1, "none")
    assert "targets[1].topology" in too_few
    assert "2 primaries are too few" in too_few
    (copied,) = errors(4, 2, "ketama")
    assert "the replication factor is 1, not 2" in copied


WITH_TOOL = {**MANIFESTS, TOOL.id: TOOL}


def test_a_fitting_tool_has_no_errors() -> None:
    target = {"system": "redis", "tool": "redis-benchmark"}
    assert check(experiment(target), WITH_TOOL) == []


def test_a_tool_nobody_has_is_named() -> None:
    (error,) = check(experiment({"system": "redis", "tool": "redis-bench"}), WITH_TOOL)
    assert error.path == "targets[1].tool"
    assert "did you mean 'redis-benchmark'" in error.message
    (error,) = check(experiment({"system": "redis", "tool": "redis"}), WITH_TOOL)
    assert "no agent has brought a load tool 'redis'" in error.message


def test_a_tool_for_another_driver_is_refused_with_those_that_fit() -> None:
    other = manifest("etcd", driver={"id": "etcd"})
    manifests = {**WITH_TOOL, "etcd": other}
    (error,) = check(experiment({"system": "etcd", "tool": "redis-benchmark"}), manifests)
    assert error.path == "targets[1].tool"
    assert "stands in for the drivers resp" in error.message
    assert error.expected == "no tool: the plugin's own driver"


def test_an_operation_or_feature_that_the_tool_lacks_is_refused() -> None:
    target = {"system": "redis", "tool": "redis-benchmark"}
    (error,) = check(experiment(target, {"read": 0.5, "insert": 0.5}), WITH_TOOL)
    assert (error.path, error.message) == (
        "workloads[0].operations.insert",
        "Redis-benchmark cannot do 'insert'",
    )


def test_a_tool_is_no_system() -> None:
    (error,) = check(experiment({"system": "redis-benchmark"}), WITH_TOOL)
    assert error.path == "targets[1].system"
    assert error.expected == "one of memcached, redis"


def chained(target: dict[str, Any], **changes: Any) -> Experiment:
    """Two workloads that follow each other on the same system."""
    document = experiment(target).model_dump(mode="json") | {
        "workloads": [{"name": name, "operations": {"read": 1.0}} for name in ("first", "second")],
        "phases": {"chain": [{"measure": "first"}, {"measure": "second"}]},
    }
    return Experiment.model_validate(document | changes)


def test_servers_can_be_measured_in_chains() -> None:
    assert check(chained({"system": "redis"}), MANIFESTS) == []


@pytest.mark.parametrize(
    ("target", "changes", "path", "says"),
    [
        (
            {"system": "redis", "tool": TOOL.id},
            {},
            "targets[1].tool",
            f"{TOOL.name} makes its load in one piece",
        ),
        (
            {"system": "inside", "deployment": "in_process"},
            {},
            "targets[1].deployment",
            "Inside lives inside its driver",
        ),
        (
            {"system": "redis"},
            {"placement": {"drivers": {"machines": 2}}},
            "placement",
            "a chain of phases is measured from one machine",
        ),
        (
            {"system": "redis"},
            {"placement": {"apart": "preferred"}},
            "placement",
            "a chain of phases is measured from one machine",
        ),
    ],
)
def test_what_cannot_measure_a_chain_is_refused_by_name(
    target: dict[str, Any], changes: dict[str, Any], path: str, says: str
) -> None:
    inside = manifest(
        "inside", name="Inside", deployments=["in_process"], default_deployment="in_process"
    )
    known = {**MANIFESTS, TOOL.id: TOOL, "inside": inside}
    found = {error.path: error for error in check(chained(target, **changes), known)}
    assert says in found[path].message
    assert "no phases.chain" in found[path].expected


def test_what_a_parameter_needs_of_another_is_told_where_it_was_set() -> None:
    needs_log = {
        "when": {"appendfsync": "always"},
        "needs": {"appendonly": True},
        "because": "There is no log to force to the disk.",
    }
    few = {"needs": {"io_threads": {"at_most": {"of": "machine:processors"}}}, "because": "Slow."}
    rules = tuple(Requirement.model_validate(each) for each in (needs_log, few))
    known = MANIFESTS | {"redis": MANIFESTS["redis"].model_copy(update={"requirements": rules})}

    def errors(**parameters: object) -> list[Any]:
        return check(experiment({"system": "redis", "parameters": parameters}), known)

    (error,) = errors(appendfsync="always")
    assert error.path == "targets[1].parameters.appendfsync"
    assert error.message == "appendonly is false: There is no log to force to the disk."
    assert error.expected == "appendonly true, as appendfsync is always"
    (error,) = errors(appendfsync="always", appendonly=False)
    assert error.path == "targets[1].parameters.appendonly"
    assert errors(appendfsync="always", appendonly=True) == []
    assert errors(io_threads=128) == [], "the agent knows its machine"
    (error,) = errors(appendfsync="always", appendonly="no")
    assert "not of type" in error.message, "one fault is told, not what follows from it"


def test_what_another_edition_or_a_workload_needs_is_told_where_it_stands():
    edition = {
        "licence": "MIT", "policy": "open", "text": ".", "source": "https://example.org",
        "checked_on": "2026-11-20",
    }  # fmt: skip
    flag = {"type": "boolean", "default": False}
    store = manifest(
        "store",
        features=["ttl"],
        editions=[edition | {"id": one, "name": one} for one in ("community", "enterprise")],
        parameters={"type": "object", "properties": {
            "strict": flag, "period": {"type": "integer", "default": 0},
        }},
        driver={"id": "store", "options": {"properties": {"durable": flag}}},
        requirements=[
            {"when": {"strict": True}, "needs": {"edition": "enterprise"}, "because": "Refused."},
            {"when": {"option:durable": True}, "needs": {"edition": "enterprise"},
             "because": "No."},
            {"when": {"workload:expires": True}, "needs": {"period": {"at_least": 1}},
             "because": "Nobody looks."},
        ],
    )  # fmt: skip

    def told(ttl=None, **target):
        document = Experiment.model_validate({
            "version": 1, "slug": "s", "name": "n",
            "targets": [{"name": "t", "system": "store"} | target],
            "workloads": [{"name": "w", "ttl_seconds": ttl}, {"name": "without"}],
            "load_levels": [{"model": "closed", "clients": 1}],
        })  # fmt: skip
        return [(one.path, one.message, one.expected) for one in check(document, {"store": store})]

    assert told(parameters={"strict": True}) == [
        ("targets[0].parameters.strict", "edition is community: Refused.",
         "edition enterprise, as strict is true"),
    ]  # fmt: skip
    assert told(parameters={"strict": True}, edition="enterprise") == []
    ((path, *_),) = told(driver_options={"durable": True})
    assert path == "targets[0].driver_options.durable"
    ((path, message, expected),) = told(ttl=60)
    assert (path, message) == ("targets[0].parameters", "period is 0: Nobody looks.")
    assert expected == "period at least 1, as workload:expires is true"
    assert told(ttl=60, parameters={"period": 5}) == []
