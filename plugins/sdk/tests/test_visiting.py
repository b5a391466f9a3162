"""Which values a manifest's parameters are tried with."""

from typing import Any

import pytest
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.requirements import Requirement
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.parameter_cover import NotVisitable, Visiting

GIBIBYTE = 2**30
MACHINE = {
    "machine:memory_bytes": 8 * GIBIBYTE,
    "machine:processors": 2,
    "machine:open_files": 2000,
}


def visiting(properties: dict[str, Any], *requirements: dict[str, Any]) -> Visiting:
    base = load_plugin("redis").manifest
    schema = {"type": "object", "properties": properties}
    rules = tuple(Requirement.model_validate(each) for each in requirements)
    changed: dict[str, Any] = {"parameters": schema, "requirements": rules}
    return Visiting(base.model_copy(update=changed), MACHINE)


def number(least: int, most: int, default: int, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most, "default": default, **more}


FLAG = {"type": "boolean", "default": False}


def values(of: Visiting, name: str) -> list[Any]:
    return [visit.value for visit in of.visits() if visit.parameter == name]


def test_ends_defaults_flags_choices_and_examples_are_visited() -> None:
    found = visiting(
        {
            "threads": number(1, 64, 4),
            "left": number(0, 9, 0, **{"x-unset": 0}),
            "pages": number(64, 640, 128, multipleOf=64),
            "ratio": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
            "sync": FLAG,
            "mode": {"type": "string", "enum": ["a", "b"], "default": "b"},
            "rule": {"type": "string", "default": "1 2", "examples": ["", "300 400"]},
        }
    )
    assert values(found, "threads") == [1, 4, 64]
    assert values(found, "left") == [1, 0, 9], "what is left to the system, and the least beside"
    assert values(found, "pages") == [64, 128, 640]
    assert values(found, "ratio") == [0, 0.5, 1]
    assert values(found, "sync") == [False, True]
    assert values(found, "mode") == ["a", "b"]
    assert values(found, "rule") == ["", "1 2", "300 400"]
    assert [visit.value for visit in found.all_at("least")] == [1, 1, 64, 0, False, "a", ""]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 0, "default": 0},
        {"type": "number", "maximum": 1, "default": 0},
        {"type": "string", "pattern": "^a*$", "default": "a"},
    ],
)
def test_what_says_nothing_to_visit_is_told(schema: dict[str, Any]) -> None:
    with pytest.raises(NotVisitable, match=r"parameters\.it: .* needs"):
        visiting({"it": schema}).visits()


def test_of_powers_of_two_only_those_are_visited() -> None:
    index = number(64, 2**40, 2**20, **{"x-power-of-two": True})
    rule = {"needs": {"index": {"at_most": {"of": "machine:memory_bytes", "plus": -1}}},
            "because": "It is full."}  # fmt: skip
    found = visiting({"index": index}, rule)
    assert values(found, "index") == [64, 2**20, GIBIBYTE // 2]
    (pair,) = found.pairs()
    assert (pair.met, pair.broken) == ({"index": GIBIBYTE // 2}, {"index": 8 * GIBIBYTE})


def test_an_end_is_what_the_machine_and_other_parameters_leave() -> None:
    properties = {"memory": number(1, 10**6, 64), "item": number(1, 1000, 1), "huge": FLAG}
    found = visiting(
        properties,
        {
            "needs": {"memory": {"at_most": {"of": "machine:memory_bytes", "times": 2**-20}}},
            "because": "It takes all of it.",
        },
        {
            "needs": {"item": {"at_most": {"of": "memory", "times": 0.5}}},
            "because": "Half of it.",
        },
        {"when": {"huge": True}, "needs": {"memory": {"at_least": 100}}, "because": "Pages."},
    )
    assert values(found, "memory") == [2, 64, 1024], "an eighth of the machine, and an item in it"
    assert found.completed({"item": 400}) == {"item": 400, "memory": 800}
    assert found.completed({"item": 600}) is None
    assert found.completed({"huge": True}) == {"huge": True, "memory": 100}
    assert found.completed({"memory": 50, "huge": True}) is None
    together, left = found.together(found.all_at("least"))
    assert together == {"memory": 2, "item": 1, "huge": False}
    assert not left
    pairs = [(pair.met, pair.broken) for pair in found.pairs()]
    assert ({"huge": True, "memory": 100}, {"huge": True, "memory": 99}) in pairs
    assert ({"item": 32}, {"item": 33}) in pairs
    assert ({"memory": 1024}, {"memory": 8193}) in pairs, "what it has, not what a test takes"


def test_visits_that_exclude_each_other_are_in_several_starts() -> None:
    found = visiting(
        {"hot": number(1, 79, 20), "warm": number(1, 79, 40)},
        {
            "needs": {"warm": {"at_most": {"of": "hot", "times": -1, "plus": 80}}},
            "because": "80 together.",
        },
    )
    first, left = found.together(found.all_at("greatest"))
    assert first == {"hot": 79, "warm": 1}
    assert [visit.parameter for visit in left] == ["warm"]
    assert found.together(left) == ({"warm": 79, "hot": 1}, ())


def test_what_only_some_builds_have_is_not_among_all_at_an_end() -> None:
    found = visiting({"defrag": {**FLAG, "x-build": True}})
    assert [visit.value for visit in found.all_at("greatest")] == [False]
    assert values(found, "defrag") == [False, True]


def test_every_systems_manifest_can_be_visited() -> None:
    """Also of systems that are not on this machine."""
    for name in ("dragonfly", "keydb", "mongodb", "scylladb", "aerospike"):
        manifest: Manifest = load_plugin(name).manifest
        found = Visiting(manifest, MACHINE)
        names = {visit.parameter for visit in found.visits()}
        assert names == set(manifest.parameters["properties"]), name  # type: ignore[call-overload]
        list(found.pairs())
