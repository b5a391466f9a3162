"""Targets that differ in more than their system are warned about beforehand."""

from typing import Any

from weighhouse_backend.experiments.comparability import ComparabilityWarning, warnings
from weighhouse_protocol.experiment import Experiment

from .manifests import MANIFESTS


def found(*targets: dict[str, Any]) -> dict[str, ComparabilityWarning]:
    experiment = Experiment.model_validate(
        {
            "slug": "comparability",
            "name": "Comparability",
            "targets": [{"name": f"t{i}", **target} for i, target in enumerate(targets)],
            "workloads": [{"name": "w"}],
            "load_levels": [{"model": "closed", "clients": 1}],
        }
    )
    return {warning.aspect: warning for warning in warnings(experiment, MANIFESTS)}


def test_one_target_and_equal_targets_have_nothing_to_warn_of() -> None:
    assert found({"system": "redis"}) == {}
    assert found({"system": "redis"}, {"system": "redis", "parameters": {"io_threads": 2}}) == {}


def test_a_default_and_the_same_value_spelled_out_are_the_same() -> None:
    explicit = {"system": "redis", "parameters": {"appendonly": False}}

    assert found({"system": "redis"}, explicit) == {}


def test_durability_is_compared_across_systems_in_words() -> None:
    durable = {"system": "redis", "parameters": {"appendonly": True, "appendfsync": "always"}}

    warning = found(durable, {"system": "memcached"})["durability"]

    assert warning.targets == ("t0", "t1")
    assert "appendonly = yes, appendfsync = always" in warning.message
    assert "none: memory only" in warning.message


def test_what_one_side_does_not_state_is_said_to_be_unstated() -> None:
    assert "t0: not stated" in found({"system": "redis"}, {"system": "memcached"})["memory"].message


def test_versions_count_within_one_system_only() -> None:
    old, new = {"system": "redis", "version": "7.0.15"}, {"system": "redis", "version": "8.0.0"}

    assert found(old, new)["version"].targets == ("t0", "t1")
    assert "version" not in found(old, {"system": "memcached", "version": "1.6"})


def test_topology_and_deployment_are_named() -> None:
    cluster = {"system": "redis", "topology": {"nodes": 3, "replication_factor": 3}}
    outside = {"system": "redis", "deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]}

    assert set(found({"system": "redis"}, cluster)) == {"nodes", "replication"}
    assert set(found({"system": "redis"}, outside)) == {"deployment"}
