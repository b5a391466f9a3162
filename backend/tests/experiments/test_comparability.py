"""Targets that differ in more than their system are warned about beforehand."""

from typing import Any

import pytest
from pydantic import ValidationError
from weighhouse_backend.experiments.comparability import (
    ComparabilityWarning,
    draft_fairness,
    warnings,
)
from weighhouse_backend.experiments.fairness_schemas import DraftFairnessRead
from weighhouse_protocol.experiment import Experiment

from .manifests import MANIFESTS


def found(
    *targets: dict[str, Any], factors: tuple[str, ...] = ()
) -> dict[str, ComparabilityWarning]:
    experiment = made(*targets, factors=factors)
    return {warning.aspect: warning for warning in warnings(experiment, MANIFESTS)}


def made(*targets: dict[str, Any], factors: tuple[str, ...] = ()) -> Experiment:
    return Experiment.model_validate(
        {
            "slug": "comparability",
            "factors": factors,
            "name": "Comparability",
            "targets": [{"name": f"t{i}", **target} for i, target in enumerate(targets)],
            "workloads": [{"name": "w"}],
            "load_levels": [{"model": "closed", "clients": 1}],
        }
    )


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
    assert "Redis: log on disk before the answer; Memcached: nothing is kept" in warning.message
    assert "durability" not in found({"system": "redis"}, {"system": "memcached"})


def test_factors_are_no_confounders_and_nothing_is_done_to_make_them_equal() -> None:
    kept: dict[str, Any] = {"appendonly": True, "appendfsync": "always", "io_threads": 4}
    targets = ({"system": "redis"}, {"system": "redis", "parameters": kept})
    assert {"durability", "parameter:io_threads"} <= found(*targets).keys()
    both = ("durability", "parameter:io_threads")
    assert found(*targets, factors=both) == {}
    assert found(*targets, factors=("durability",)).keys() == {"parameter:io_threads"}
    assert [one.aspect for one in draft_fairness(made(*targets), MANIFESTS).equal] == ["durability"]
    assert draft_fairness(made(*targets, factors=both), MANIFESTS).changes == []
    # Between systems they explain a difference, and can be made equal.
    other = ({"system": "memcached"}, targets[1])
    assert "durability" in found(*other, factors=both)
    assert draft_fairness(made(*other, factors=both), MANIFESTS).changes != []


def test_a_factor_in_which_nothing_differs_is_told() -> None:
    alike = ({"system": "redis"}, {"system": "redis"})
    for name in ("durability", "durabilty", "parameter:maxmemory"):
        message = f"factors: the targets do not differ in {name!r}"
        assert found(*alike, factors=(name,))[name].message == message


@pytest.mark.parametrize("factors", [("Durability",), ("parameter:",), ("a b",), ("x", "x")])
def test_what_is_no_aspect_is_refused_as_a_factor(factors: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError, match="factors"):
        made({"system": "redis"}, factors=factors)


def test_what_is_not_known_of_one_side_is_no_agreement() -> None:
    limited = {"system": "memcached", "parameters": {"memory_mb": 64}}
    assert (
        "Redis: not known; Memcached: 61.04 MiB"
        in found({"system": "redis"}, limited)["memory"].message
    )


def test_versions_count_within_one_system_only() -> None:
    old, new = {"system": "redis", "version": "7.0.15"}, {"system": "redis", "version": "8.0.0"}

    assert found(old, new)["version"].targets == ("t0", "t1")
    assert "version" not in found(old, {"system": "memcached", "version": "1.6"})


def test_topology_limits_and_deployment_are_named() -> None:
    cluster = {"system": "redis", "topology": {"nodes": 3, "replication_factor": 3}}
    outside = {"system": "redis", "deployment": "external", "endpoints": ["tls://10.0.0.9:1"]}
    small = {"system": "redis", "limits": {"cpus": 1, "memory_mebibytes": 64}}

    assert set(found({"system": "redis"}, cluster)) == {"nodes", "replication"}
    assert set(found({"system": "redis"}, small)) == {"processors", "memory"}
    assert set(found({"system": "redis"}, outside)) == {
        "deployment", "nodes", "replication", "durability", "processors", "encryption",
        "transport",
    }  # fmt: skip


def draft(*targets: dict[str, Any]) -> DraftFairnessRead:
    experiment = Experiment.model_validate(
        {
            "slug": "e",
            "name": "E",
            "targets": [{"name": f"t{index}", **target} for index, target in enumerate(targets)],
            "workloads": [{"name": "w"}],
            "load_levels": [{"model": "closed", "clients": 1}],
        }
    )
    return draft_fairness(experiment, MANIFESTS)


def test_a_draft_has_the_changes_that_make_its_sides_equal() -> None:
    durable = {"system": "redis", "parameters": {"appendonly": True, "appendfsync": "always"}}

    read = draft(durable, {"system": "memcached"})

    (durability,) = [each for each in read.equal if each.aspect == "durability"]
    assert durability.value == "nothing is kept"
    assert [change.model_dump() for change in durability.changes] == [
        {"target": 0, "path": ["parameters", "appendonly"], "before": True, "after": None}
    ]
    assert [change.path for change in read.changes] == [["parameters", "appendonly"]]
    assert read.remaining == []
    assert [side.label for side in read.sides] == ["Redis", "Memcached"]


def test_what_nothing_makes_equal_is_named_with_who_cannot() -> None:
    outside = {"system": "redis", "deployment": "external", "endpoints": ["tcp://10.0.0.9:1"]}

    read = draft({"system": "redis"}, outside)

    (transport,) = [each for each in read.equal if each.aspect == "transport"]
    assert transport.value is None
    assert transport.cannot == ["Redis, as a process", "Redis, set up by others"]
    assert "transport" in read.remaining


def test_a_target_whose_plugin_nobody_brought_is_shown_with_what_is_written() -> None:
    read = draft({"system": "redis"}, {"system": "etcd"})

    assert [side.label for side in read.sides] == ["Redis", "etcd"]
    assert "durability" in {row.aspect for row in read.rows if not row.same}
    assert read.changes == []
