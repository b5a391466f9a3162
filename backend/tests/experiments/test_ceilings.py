"""What systems take at most, held when an experiment is saved: each error where it is mended."""

from typing import Any

import pytest
from weighhouse_backend.experiments.manifest_checks import check
from weighhouse_protocol.experiment import Experiment
from weighhouse_sdk.registry import load_plugin

MANIFESTS = {name: load_plugin(name).manifest for name in ("memcached", "redis")}


def told(**changes: Any) -> list[tuple[str, str]]:
    """Path and message of what is said of an experiment on Memcached and Redis."""
    document: dict[str, Any] = {
        "slug": "ceilings",
        "name": "Ceilings",
        "targets": [{"name": "m", "system": "memcached"}, {"name": "r", "system": "redis"}],
        "workloads": [{"name": "w", "operations": {"read": 1.0}}],
        "load_levels": [{"model": "closed", "clients": 4}],
    }
    experiment = Experiment.model_validate(document | changes)
    return [(each.path, each.message) for each in check(experiment, MANIFESTS)]


def test_an_experiment_within_all_ceilings_has_no_errors() -> None:
    assert told() == []


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        (
            {"workloads": [{"name": "w", "operations": {"read": 1.0}, "field_length": 120_000}]},
            "workloads[0].field_length",
            ("m: a record of 1,200,082 bytes, 82 of them not of values, and Memcached takes "
            "1,048,576 (max_item_bytes)"),
        ),
        (
            {"load_levels": [
                {"model": "closed", "clients": 4},
                {"model": "open", "rate_per_second": 100, "connections": 1024},
            ]},
            "load_levels[1].connections",
            ("m: 1,024 clients need a connection each to every node, and the agent one: Memcached "
            "takes 1,024 (max_connections)"),
        ),
        (
            {"phases": {"load_clients": 1024}},
            "phases.load_clients",
            ("m: 1,024 clients need a connection each to every node, and the agent one: Memcached "
            "takes 1,024 (max_connections)"),
        ),
    ],
)  # fmt: skip
def test_what_is_beyond_is_told_with_its_place(
    changes: dict[str, Any], path: str, says: str
) -> None:
    assert told(**changes) == [(path, says)]


def test_somebody_elses_server_is_left_to_say_it_itself() -> None:
    there = {
        "name": "m", "system": "memcached", "deployment": "external",
        "endpoints": ["tcp://10.0.0.5:11211"],
    }  # fmt: skip
    large = [{"name": "w", "operations": {"read": 1.0}, "field_length": 120_000}]
    assert told(targets=[there], workloads=large, phases={"load_clients": 1024}) == []
