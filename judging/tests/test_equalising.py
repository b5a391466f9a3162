"""Sides become equal by the fewest changes that their plugins' rules allow."""

from typing import Any

import pytest
from weighhouse_judging.fairness.equalization import Change, Effort, equal_in, equalise
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.fairness.vocabulary import Aspect, Durability, Memory
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

ON_DISK = {"kept": "log", "reaches": "disk", "every_seconds": 0}


def manifest(name: str, **changes: Any) -> Manifest:
    return Manifest.model_validate(
        {
            "id": name, "version": "0.1.0", "name": name, "vendor": "v", "licence": "l",
            "architecture": "a", "colour": "#000000", "mark": "s", "operations": ["read"],
            "deployments": ["process", "external"], "default_deployment": "process",
            "driver": {"id": "d"},
            "benchmark_clause": {"policy": "open", "text": "t", "source": "s",
                                 "checked_on": "2026-11-20"},
            **changes,
        }
    )  # fmt: skip


LOGGED = manifest(
    "logged",
    parameters={"properties": {
        "log": {"type": "boolean", "default": False},
        "sync": {"type": "string", "enum": ["always", "never"], "default": "never"},
        "snapshots": {"type": "string", "pattern": "^[0-9 ]*$", "default": "60 1"},
        "limit_bytes": {"type": "integer", "minimum": 0, "maximum": 2**30, "default": 0},
    }},
    driver={"id": "d", "options": {"properties": {
        "layout": {"type": "string", "enum": ["fields", "whole"], "default": "fields"}}}},
    fairness={
        "durability": [
            {"when": {"log": True, "sync": "always"}, "value": ON_DISK},
            {"when": {"log": True}, "value": {**ON_DISK, "reaches": "system"}},
            {"when": {"snapshots": ""}, "value": {"kept": "nothing"}},
            {"value": {"kept": "sometimes"}},
        ],
        "memory": [{"when": {"limit_bytes": 0}, "value": {"bytes": "unlimited"}},
                   {"value": {"bytes": {"of": "limit_bytes"}}}],
        "update_writes": [{"when": {"option:layout": "fields"}, "value": "field"},
                          {"value": "record"}],
        "eviction": [{"when": {"limit_bytes": 0}, "value": "nothing"}, {"value": "anything"}],
    },
)  # fmt: skip
CACHE = manifest(
    "cache",
    parameters={"properties": {"size_mebibytes": {"type": "integer", "minimum": 1, "default": 64}}},
    fairness={
        "durability": [{"value": {"kept": "nothing"}}],
        "memory": [{"value": {"bytes": {"of": "size_mebibytes", "times": 2**20}}}],
        "update_writes": [{"value": "record"}],
        "eviction": [{"value": "anything"}],
    },
)
BATCHED = manifest(
    "batched",
    parameters={"properties": {"batch": {"type": "boolean", "default": False}}},
    fairness={"durability": [{"when": {"batch": True}, "value": ON_DISK},
                             {"value": {**ON_DISK, "every_seconds": 10}}]},
)  # fmt: skip


def side(plugin: Manifest, **target: Any) -> Facts:
    given = {"name": plugin.id, "system": plugin.id, **target}
    return Facts(Target.model_validate(given), plugin, co_located=True)


def changed(aspect: Aspect, *sides: Facts) -> list[list[tuple[str, Any, Any]]]:
    found = equal_in(aspect, sides)
    return [[(one.name, one.before, one.after) for one in each] for each in found.changes]


def test_one_change_where_one_is_enough() -> None:
    assert changed("durability", side(LOGGED), side(CACHE)) == [[("snapshots", None, "")], []]
    assert changed("update_writes", side(LOGGED), side(CACHE)) == [
        [("layout", None, "whole")],
        [],
    ]


def test_several_parameters_together_where_one_is_not_enough() -> None:
    durable = side(LOGGED, parameters={"log": True, "sync": "always"})
    assert changed("durability", durable, side(LOGGED)) == [
        [("log", True, None)],
        [],
    ]
    both = changed("durability", side(BATCHED, parameters={"batch": True}), side(LOGGED))
    assert both == [[], [("log", None, True), ("sync", None, "always")]]


def test_a_size_is_solved_for_and_kept_inside_what_the_parameter_allows() -> None:
    assert changed("memory", side(CACHE), side(LOGGED)) == [
        [],
        [("limit_bytes", None, 64 * 2**20)],
    ]
    large = side(CACHE, parameters={"size_mebibytes": 2048})
    found = equal_in("memory", [large, side(LOGGED)])
    assert found.value == Memory(bytes=2 * 2**30)
    assert found.changes == ((), (Change("limits", "memory_mebibytes", None, 2048),))


def test_a_value_that_neither_side_has_but_both_can() -> None:
    batched, logged = side(BATCHED), side(LOGGED, parameters={"log": True})
    assert equal_in("durability", [batched, logged]).value == Durability(**ON_DISK)
    assert changed("durability", batched, logged) == [
        [("batch", None, True)],
        [("sync", None, "always")],
    ]


def test_limits_are_set_and_taken_away() -> None:
    limited = side(LOGGED, limits={"cpus": 1})
    assert changed("processors", limited, side(CACHE)) == [[], [("cpus", None, 1)]]
    assert changed("processors", side(CACHE), limited) == [[], [("cpus", 1, None)]]
    outside = side(CACHE, deployment="external", endpoints=["tcp://127.0.0.1:1"])
    assert equal_in("processors", [limited, outside]).value is None


def test_servers_of_somebody_elses_have_nothing_to_set() -> None:
    ends = ["tcp://127.0.0.1:1"]
    outside = side(LOGGED, deployment="external", endpoints=ends)
    found = equal_in("durability", [side(CACHE), outside])
    assert found.value is None
    assert set(found.cannot) == {0, 1}


def test_what_a_tool_makes_of_an_option_is_not_ours_to_set() -> None:
    tool = manifest(
        "tool", kind="tool", deployments=[], tool={"drivers": ["d"]}, parameters={},
        fairness={"update_writes": [{"value": "field"}]},
    )  # fmt: skip
    loaded = Facts(Target(name="t", system="logged", tool="tool"), LOGGED, tool, co_located=True)
    assert equal_in("update_writes", [loaded, side(CACHE)]).value is None


def test_all_aspects_at_once_and_what_remains() -> None:
    found = equalise([side(LOGGED), side(CACHE)])
    assert {each.aspect for each in found.aspects} == {
        "durability",
        "memory",
        "eviction",
        "update_writes",
    }
    assert [[(one.name, one.after) for one in each] for each in found.changes] == [
        [("limit_bytes", 64 * 2**20), ("snapshots", ""), ("layout", "whole")],
        [],
    ]
    assert found.remaining == ()


def test_equal_sides_need_nothing() -> None:
    found = equalise([side(CACHE), side(CACHE)])
    assert found.aspects == ()
    assert found.changes == ((), ())


@pytest.mark.parametrize("count", [2, 3])
def test_more_sides_are_brought_to_one_value(count: int) -> None:
    sides = [side(CACHE), *[side(LOGGED) for _ in range(count)]]
    assert changed("durability", *sides) == [[], *[[("snapshots", None, "")]] * count]


@pytest.mark.parametrize(
    ("times", "size"), [(1e-300, 64), (1e24, 64), (0.0, 64), (-1.0, 64), (2.0**20, 1e300)]
)
def test_figures_that_others_rules_make_too_large_are_not_known(times: float, size: float) -> None:
    """Such rules are taken: what comes of them is nobody's value, and nothing raises."""
    rules = {"memory": [{"value": {"bytes": {"of": "size_mebibytes", "times": times}}}]}
    odd = manifest("odd", parameters=CACHE.parameters, fairness=rules)
    made = equalise([side(odd, parameters={"size_mebibytes": size}), side(LOGGED), side(CACHE)])
    assert len(made.changes) == 3


class Counting(Effort):
    """An effort that counts how often the rules were evaluated."""

    asked = 0

    def spend(self, side: Facts, aspect: Aspect) -> bool:
        self.asked += 1
        return super().spend(side, aspect)


def test_others_rules_are_evaluated_so_often_and_no_more() -> None:
    names = [f"p{number}" for number in range(30)]
    choices = list(range(10))
    wide = manifest(
        "wide",
        parameters={"properties": {name: {"enum": choices, "default": 0} for name in names}},
        fairness={"memory": [{"when": {name: choices}, "value": "unknown"} for name in names]},
    )
    effort = Counting(2000)
    assert equal_in("memory", [side(wide), side(CACHE), side(LOGGED)], effort).value is None
    assert 0 < effort.asked < 100
