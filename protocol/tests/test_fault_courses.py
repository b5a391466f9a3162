"""Which courses of faults make sense for so many nodes and copies, and for which systems."""

import pytest
from pydantic import ValidationError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.faults import Fault, course_problems
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Topology


def course(*told: str) -> list[Fault]:
    """`kill 2`, one second after the other."""
    found = []
    for second, text in enumerate(told):
        verb, node = text.split()
        found.append(Fault.model_validate({"at_seconds": second, "verb": verb, "node": node}))
    return found


@pytest.mark.parametrize(
    ("nodes", "copies", "told", "problems"),
    [
        (3, 3, ["kill 2", "replace 2"], []),
        (3, 2, ["replace 2", "remove 3"], []),
        (3, 1, ["remove 2", "remove 3"], []),
        (4, 2, ["kill 2", "remove 2", "restart 3"], []),
        (3, 1, ["kill 2", "start 2", "remove 2"], []),
        (3, 1, ["replace 2"],
         ["replace node 2: there is one copy of its data, which would be lost"]),
        (3, 1, ["stop 2", "remove 2"],
         ["remove node 2: there is one copy of its data, which would be lost"]),
        (3, 3, ["remove 2"], ["remove node 2: 2 nodes cannot keep 3 copies of each record"]),
        (2, 1, ["remove 1", "remove 2"],
         ["remove node 2: 0 nodes cannot keep 1 copy of each record"]),
        (3, 2, ["remove 2", "start 2"], ["start node 2: it was removed before"]),
        (2, 2, ["kill 3"], ["node 3: there are 2"]),
    ],
)  # fmt: skip
def test_what_would_lose_data_is_refused(
    nodes: int, copies: int, told: list[str], problems: list[str]
) -> None:
    topology = Topology(nodes=nodes, replication_factor=copies)
    assert [each.message for each in course_problems(course(*told), topology)] == problems


def test_an_experiment_says_which_verb_of_which_target() -> None:
    document = {
        "version": 1,
        "slug": "gone",
        "name": "gone",
        "targets": [
            {
                "name": "ring",
                "system": "cassandra",
                "topology": {"nodes": 3, "replication_factor": 3},
            }
        ],
        "workloads": [{"name": "reads", "record_count": 1, "operations": {"read": 1}}],
        "load_levels": [{"model": "closed", "clients": 1}],
        "scenario": "fault",
        "faults": [
            {"at_seconds": 1, "verb": "kill", "node": 2},
            {"at_seconds": 2, "verb": "remove", "node": 2},
        ],
    }
    with pytest.raises(ValidationError, match=r"faults\[1\].verb: ring: remove node 2: 2 nodes"):
        Experiment.model_validate(document)


def manifest(layout: str) -> Manifest:
    return Manifest.model_validate(
        {
            "id": "a", "version": "1", "name": "A", "vendor": "v", "licence": "l",
            "architecture": "x", "colour": "#000000", "mark": "a", "operations": ["read"],
            "deployments": ["process"], "topology": {"layout": layout, "max_nodes": 9},
            "faults": ["kill", "replace", "remove"], "driver": {"id": "a"},
            "benchmark_clause": {
                "policy": "open", "text": "t", "source": "s", "checked_on": "2026-01-01",
            },
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("layout", "nodes", "copies", "told", "problem"),
    [
        ("ring", 3, 3, "replace 1", None),
        ("shards", 6, 2, "replace 1", None),
        ("shards", 3, 3, "replace 2", None),
        ("shards", 3, 3, "replace 1", "it is the only primary of A"),
        ("replicas", 3, 3, "remove 1", "it is the only primary of A"),
        ("shards", 3, 1, "remove 2", "no other node of A has its data"),
        ("ring", 3, 3, "pause 1", "`pause`: A offers: kill, replace, remove"),
    ],
)
def test_a_manifest_says_what_its_system_cannot(
    layout: str, nodes: int, copies: int, told: str, problem: str | None
) -> None:
    (fault,) = course(told)
    found = manifest(layout).fault_problem(fault, Topology(nodes=nodes, replication_factor=copies))
    assert found is None if problem is None else problem in (found or "")
