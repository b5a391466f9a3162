"""Caches that cannot be as a target asks, refused when it is saved."""

from typing import Any

import pytest
from weighhouse_protocol.compatibility.caches import caches_errors
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

STORAGE = {
    "over_restart": [{"log": True}, {"files": True}],
    "read_from_disk": [{"files": True}],
}


def manifest(storage: Any = STORAGE) -> Manifest:
    flag = {"type": "boolean", "default": False}
    return Manifest.model_validate(
        {
            "id": "store", "version": "1", "name": "Store", "vendor": "V", "licence": "L",
            "architecture": "A", "colour": "#000000", "mark": "s", "operations": ["read"],
            "deployments": ["process", "external"],
            "parameters": {"properties": {"log": flag, "files": flag}},
            "driver": {"id": "d", "options": {}}, "storage": storage,
            "benchmark_clause": {
                "policy": "open", "text": "", "source": "s", "checked_on": "2026-01-01",
            },
        }
    )  # fmt: skip


def target(**said: Any) -> Target:
    return Target.model_validate({"name": "t", "system": "store", **said})


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"caches": "warm"},
        {"caches": "warm", "deployment": "external"},
        {"caches": "restarted", "parameters": {"log": True}},
        {"caches": "restarted", "parameters": {"files": True}},
        {"caches": "dropped", "parameters": {"files": True}},
    ],
)
def test_what_can_be_is_let_through(said: dict[str, Any]) -> None:
    assert list(caches_errors(target(**said), manifest(), {"placement:together": True})) == []


FILES = {"parameters": {"files": True}}


@pytest.mark.parametrize(
    ("said", "together", "message", "expected"),
    [
        ({"caches": "restarted", "deployment": "external"}, True, "not the agent's to stop", ""),
        (
            {"caches": "restarted"}, True,
            "restarted: Store so configured is not known to keep its records over a restart",
            "warm, or log: true, or files: true",
        ),
        (
            {"caches": "dropped", "parameters": {"log": True}}, True,
            "dropped: Store so configured answers from memory alone", "warm, or files: true",
        ),
        ({"caches": "restarted", "tool": "ycsb", **FILES}, True, "ycsb loads and", "no tool"),
        ({"caches": "restarted", **FILES}, False, "several machines", "one machine"),
        ({"caches": "dropped", "deployment": "docker", **FILES}, True, "in a container", "process"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_what_would_be_right(
    said: dict[str, Any], together: bool, message: str, expected: str
) -> None:
    known = {"placement:together": together}
    (error,) = caches_errors(target(**said), manifest(), known)
    assert error.path == "caches"
    assert message in error.message
    assert expected in error.expected


def test_of_a_plugin_that_says_nothing_nothing_is_taken_for_granted() -> None:
    (error,) = caches_errors(target(caches="restarted"), manifest({}))
    assert error.expected == "warm, or to leave it out"
