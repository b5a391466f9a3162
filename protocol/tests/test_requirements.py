"""What parameters need of each other: what is refused, in which words, and what is not."""

from typing import Any

import pytest
from pydantic import ValidationError
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

NEEDS_LOG = {"when": {"sync": True}, "needs": {"log": True}, "because": "It ends."}
HALF = {
    "needs": {"item": {"at_most": {"of": "memory", "times": 0.5}}},
    "because": "An item is half of the memory at most.",
}
TOGETHER = {
    "needs": {"warm": {"at_most": {"of": "hot", "times": -1, "plus": 80}}},
    "because": "Both are 80 at most.",
}
FITS = {
    "needs": {"memory": {"at_most": {"of": "machine:memory_bytes"}}},
    "because": "It takes all of it.",
}
TABLE = {
    "when": {"item": {"at_least": 50}},
    "needs": {"machine:memory_bytes": {"at_least": 5000}},
    "because": "The table is made at once.",
}
PAGES = {"needs": {"item": {"multiple_of": "page"}}, "because": "It has pages."}
UNUSED = {
    "when": {"sync": True},
    "needs": {"page": {"left_out": True}},
    "because": "It has no use.",
}
OWN = {
    "when": {"option:layout": {"other_than": ["hash"]}},
    "needs": {"hot": [20, 30]},
    "because": "Other layouts have two.",
}


def number(default: int, **more: object) -> dict[str, object]:
    return {"type": "integer", "minimum": 0, "maximum": 10_000, "default": default, **more}


def flag(default: bool) -> dict[str, object]:
    return {"type": "boolean", "default": default}


def manifest(*requirements: dict[str, Any]) -> Manifest:
    properties = {
        "sync": flag(False), "log": flag(False), "memory": number(64), "item": number(1),
        "hot": number(20), "warm": number(40), "page": number(1, **{"x-unset": 0}),
    }  # fmt: skip
    return Manifest.model_validate(
        {
            "id": "s", "version": "1", "name": "S", "vendor": "V", "licence": "L",
            "architecture": "A", "colour": "#000000", "mark": "s", "operations": ["read"],
            "deployments": ["process", "external"],
            "parameters": {"type": "object", "properties": properties},
            "driver": {
                "id": "d",
                "options": {"properties": {"layout": {"type": "string", "default": "hash"}}},
            },
            "benchmark_clause": {
                "policy": "open", "text": "", "source": "s", "checked_on": "2026-01-01",
            },
            "requirements": requirements,
        }
    )  # fmt: skip


IS_33 = "item is 33, to be at most 32 while memory is 64"
OF_1 = "item is 1, to be at most 0.5 while memory is 1"
IS_1001 = "memory is 1001, to be at most 1000, as this machine has 1000 bytes of memory"
TOO_SMALL = "machine:memory_bytes is 1000, to be at least 5000, as item is 50"
NO_LOG = "log is false, to be true, as sync is true"
IS_40 = "warm is 40, to be at most 39 while hot is 41"
LEFT_OUT = "page is 1, to be left out, as sync is true"
IS_7 = "item is 7, to be a multiple of page, which is 3"
STRING = "option:layout is string, to be hash, as topology:primaries is 3"
CONTAINER = "deployment is external, to be process, as option:layout is string"


@pytest.mark.parametrize(
    ("rule", "values", "said"),
    [
        (NEEDS_LOG, {}, []),
        (NEEDS_LOG, {"sync": True, "log": True}, []),
        (NEEDS_LOG, {"sync": True}, [("sync", NO_LOG)]),
        (HALF, {"item": 32}, []),
        (HALF, {"item": 33}, [("item", IS_33)]),
        (HALF, {"memory": 1}, [("memory", OF_1)]),
        (TOGETHER, {"hot": 40}, []),
        (TOGETHER, {"hot": 41, "warm": 40}, [("warm", IS_40)]),
        (FITS, {"memory": 1000}, []),
        (FITS, {"memory": 1001}, [("memory", IS_1001)]),
        (TABLE, {"item": 49}, []),
        (TABLE, {"item": 50}, [("item", TOO_SMALL)]),
        (UNUSED, {"page": 1}, []),
        (UNUSED, {"sync": True}, []),
        (UNUSED, {"sync": True, "page": 1}, [("page", LEFT_OUT)]),
        (PAGES, {"item": 6, "page": 3}, []),
        (PAGES, {"item": 7, "page": 0}, []),
        (PAGES, {"item": 7, "page": 3}, [("item", IS_7)]),
    ],
)
def test_what_is_not_met_is_told(
    rule: dict[str, Any], values: dict[str, Scalar], said: list[tuple[str, str]]
) -> None:
    target = Target(name="t", system="s", parameters=values)
    assert said_of(manifest(rule), target) == [(f"parameters.{at}", words) for at, words in said]


def test_options_are_looked_at_and_lists_are_choices() -> None:
    target = Target(name="t", system="s", parameters={"hot": 25})
    assert manifest(OWN).unmet(target) == []
    other = target.model_copy(update={"driver_options": {"layout": "string"}})
    (found,) = manifest(OWN).unmet(other)
    assert found.wanted == "20 or 30, as option:layout is string"


def test_options_and_the_deployment_are_needed_as_parameters_are() -> None:
    cluster = {
        "when": {"topology:primaries": {"at_least": 2}},
        "needs": {"option:layout": "hash"},
        "because": "Strings are one key.",
    }
    own = {
        "when": {"option:layout": "string"},
        "needs": {"deployment": "process"},
        "because": "Others have hashes.",
    }
    three = Target.model_validate(
        {"name": "t", "system": "s", "topology": {"nodes": 3}, "driver_options": {"layout": "hash"}}
    )
    assert manifest(cluster, own).unmet(three) == []
    wrong = three.model_copy(update={"driver_options": {"layout": "string"}})
    assert said_of(manifest(cluster), wrong) == [("driver_options.layout", STRING)]
    there = wrong.model_copy(update={"deployment": "external"})
    assert said_of(manifest(own), there) == [("driver_options.layout", CONTAINER)]
    assert manifest(own).unmet(wrong) == []


def said_of(manifest: Manifest, target: Target) -> list[tuple[str, str]]:
    return [
        (each.place_in(target), f"{each.parameter} is {each.shown}, to be {each.wanted}")
        for each in manifest.unmet(target, {"machine:memory_bytes": 1000})
    ]


def test_what_is_not_known_and_what_is_not_ours_is_not_held() -> None:
    target = Target(name="t", system="s", parameters={"memory": 5000, "sync": True})
    assert manifest(FITS).unmet(target) == [], "nobody knows the machine yet"
    external = target.model_copy(update={"deployment": "external"})
    assert manifest(NEEDS_LOG).unmet(external) == []
    assert manifest(FITS).unmet(external, {"machine:memory_bytes": 1}) == []


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({**NEEDS_LOG, "needs": {"lock": True}}, r"requirements\[0\]: no parameters: lock"),
        ({**NEEDS_LOG, "when": {"machine:memory_bytes": 1}}, "when"),
        ({**NEEDS_LOG, "when": {"option:colour": 1}}, "no parameters: option:colour"),
        ({**NEEDS_LOG, "needs": {"log": {}}}, "a need says at_least, at_most or multiple_of; or"),
        ({**NEEDS_LOG, "because": ""}, "because"),
    ],
)
def test_a_rule_about_nothing_is_refused(rule: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        manifest(rule)
