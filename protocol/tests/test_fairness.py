"""Rules into the vocabulary: what holds, what may hold, and what is not known."""

from typing import Any

import pytest
from weighhouse_protocol.fairness.facts import Facts, read_back
from weighhouse_protocol.fairness.rules import Translation
from weighhouse_protocol.fairness.translation import translate, value_of
from weighhouse_protocol.fairness.vocabulary import (
    Acknowledgement,
    Durability,
    Memory,
    Reads,
)
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

RULES = {
    "durability": [
        {"when": {"log": True, "sync": "always"},
         "value": {"kept": "log", "reaches": "disk", "every_seconds": 0}},
        {"when": {"log": True},
         "value": {"kept": "log", "reaches": "disk",
                   "every_seconds": {"of": "setting:period", "times": 0.001, "otherwise": 5000}}},
        {"when": {"log": False}, "value": {"kept": "memory", "nodes": "all"}},
    ],
    "acknowledgement": [
        {"when": {"option:level": "all"}, "value": {"copies": "all"}},
        {"when": {"option:level": "most"}, "value": {"copies": "majority"}},
        {"value": {"copies": {"of": "option:level"}}},
    ],
    "reads": [{"when": {"option:level": "most"}, "value": {"asks": "quorum"}},
              {"value": {"asks": "any"}}],
    "memory": [
        {"when": {"cache_mebibytes": {"at_least": 1}},
         "value": {"bytes": {"of": "cache_mebibytes", "times": 2**20}, "page_cache": True}},
    ],
    "compression": [{"value": {"of": "method", "words": {"LZ": "lz4"}}}],
    "eviction": [{"when": {"sync": {"other_than": ["always"]}}, "value": "anything"},
                 {"value": "unknown"}],
}  # fmt: skip


def manifest(**changes: Any) -> Manifest:
    return Manifest.model_validate(
        {
            "id": "store", "version": "0.1.0", "name": "Store", "vendor": "v", "licence": "l",
            "architecture": "a", "colour": "#000000", "mark": "s", "operations": ["read"],
            "deployments": ["process", "external", "in_process"], "default_deployment": "process",
            "parameters": {"properties": {
                "log": {"type": "boolean", "default": False, "x-setting": "Log",
                        "x-true": "on", "x-false": "off"},
                "sync": {"type": "string", "enum": ["always", "later"], "default": "later"},
                "cache_mebibytes": {"type": "integer", "default": 0, "x-setting": "cache",
                                    "x-scale": 2**20},
                "method": {"type": "string", "default": "LZ"},
            }},
            "driver": {"id": "d", "options": {"properties": {"level": {"default": "most"}}}},
            "fairness": RULES,
            "benchmark_clause": {"policy": "open", "text": "t", "source": "s",
                                 "checked_on": "2026-11-20"},
            **changes,
        }
    )  # fmt: skip


STORE = manifest()


def facts(settings: dict[str, str] | None = None, **target: Any) -> Facts:
    given = {"name": "t", "system": "store", **target}
    return Facts(Target.model_validate(given), STORE, settings=settings)


def copies(count: int) -> dict[str, Any]:
    return {"topology": {"nodes": count, "replication_factor": count}}


def test_a_draft_has_its_defaults() -> None:
    assert value_of(facts(), "durability") == Durability(kept="nothing")
    assert value_of(facts(), "compression") == "lz4"
    assert value_of(facts(), "memory") is None, "no rule holds"
    assert value_of(facts(parameters={"method": "Zstd"}), "compression") == "zstd"


def test_what_a_server_says_is_read_back_and_goes_before_what_was_ordered() -> None:
    said = {"Log": "on", "sync": "later", "cache": "33554432", "period": "250ms"}
    side = facts(said, parameters={"log": False})
    assert value_of(side, "durability") == Durability(
        kept="log", reaches="disk", every_seconds=0.25
    )
    assert value_of(side, "memory") == Memory(bytes=33_554_432, page_cache=True)
    assert [(one.origin, one.name, one.value) for one in translate(side).seen["memory"]] == [
        ("setting", "cache", "33554432")
    ]


def test_a_quantity_without_unit_is_multiplied_and_one_with_a_unit_is_not() -> None:
    for period, seconds in (("250ms", 0.25), ("250", 0.25), ("2s", 2), ("1m", 60)):
        found = value_of(facts({"Log": "on", "sync": "later", "period": period}), "durability")
        assert found == Durability(kept="log", reaches="disk", every_seconds=seconds)
    drafted = value_of(facts(parameters={"log": True}), "durability")
    assert drafted == Durability(kept="log", reaches="disk", every_seconds=5)


def test_a_word_that_the_manifest_does_not_know_leaves_the_aspect_unknown() -> None:
    assert value_of(facts({"Log": "perhaps"}), "durability") is None


def test_of_a_server_of_somebody_elses_only_what_it_says_is_known() -> None:
    outside = {"deployment": "external", "endpoints": ["tcp://10.0.0.9:1"]}
    assert value_of(facts(**outside), "durability") is None
    assert value_of(facts({"cache": "1048576"}, **outside), "memory") == Memory(
        bytes=2**20, page_cache=True
    )
    assert value_of(facts({"cache": "1048576"}, **outside), "durability") is None
    assert value_of(facts(**outside), "processors") is None


def test_rules_that_may_hold_agree_or_nothing_is_known() -> None:
    rules = [
        {"when": {"setting:mode": "a"}, "value": "nothing"},
        {"when": {"setting:mode": "b"}, "value": "nothing"},
        {"value": "nothing"},
    ]
    agreeing = manifest(fairness={"eviction": rules})
    differing = manifest(fairness={"eviction": [*rules[:2], {"value": "anything"}]})
    target = Target(name="t", system="store")
    assert value_of(Facts(target, agreeing), "eviction") == "nothing"
    assert value_of(Facts(target, differing), "eviction") is None
    assert value_of(Facts(target, differing, settings={"mode": "c"}), "eviction") == "anything"
    assert value_of(Facts(target, differing, settings={}), "eviction") is None


def test_what_a_server_does_not_have_can_be_asked_for() -> None:
    rules = [{"when": {"setting:file": {"absent": True}}, "value": "nothing"},
             {"value": "anything"}]  # fmt: skip
    plugin, target = manifest(fairness={"eviction": rules}), Target(name="t", system="store")
    assert value_of(Facts(target, plugin, settings={"a": "b"}), "eviction") == "nothing"
    assert value_of(Facts(target, plugin, settings={"file": "b"}), "eviction") == "anything"
    assert value_of(Facts(target, plugin), "eviction") is None


def test_unknown_can_be_said() -> None:
    assert value_of(facts(parameters={"sync": "always"}), "eviction") is None
    assert value_of(facts(), "eviction") == "anything"


@pytest.mark.parametrize(
    ("total", "level", "acknowledged", "reads"),
    [
        (1, "most", 1, Reads(asks="only")),
        (3, "most", 2, Reads(asks="quorum", copies=2)),
        (2, "most", 2, Reads(asks="all", copies=2)),
        (3, "all", 3, Reads(asks="any", copies=None)),
        (3, "2", 2, Reads(asks="any", copies=None)),
    ],
)
def test_copies_are_counted(total: int, level: str, acknowledged: int, reads: Reads) -> None:
    side = facts(driver_options={"level": level}, **copies(total))
    assert value_of(side, "acknowledgement") == Acknowledgement(copies=acknowledged)
    assert value_of(side, "reads") == reads


def test_copies_of_somebody_elses_servers_are_words_until_they_are_stated() -> None:
    outside = {"deployment": "external", "endpoints": ["tcp://h:1"]}
    assert value_of(facts(**outside), "acknowledgement") == Acknowledgement(copies="majority")
    stated = facts(**outside, **copies(3))
    assert value_of(stated, "acknowledgement") == Acknowledgement(copies=2)


def test_the_memory_of_several_nodes_is_more_than_nothing() -> None:
    assert value_of(facts(**copies(2)), "durability") == Durability(kept="memory", nodes=2)


def test_limits_cap_what_the_rules_say() -> None:
    limited = {"limits": {"memory_mebibytes": 64, "cpus": 1}}
    assert value_of(facts(**limited), "processors") == 1
    assert value_of(facts(), "processors") == "all"
    assert value_of(facts(**limited), "memory") == Memory(bytes=64 * 2**20)
    large = {"parameters": {"cache_mebibytes": 512}}
    assert value_of(facts(**limited, **large), "memory") == Memory(bytes=64 * 2**20)


@pytest.mark.parametrize(
    ("target", "reached", "co_located", "transport", "encryption"),
    [
        ({"deployment": "in_process"}, ["file:///data"], True, "call", "none"),
        ({}, ["tcp://127.0.0.1:1"], True, "loopback", "none"),
        ({}, ["tcp://10.0.0.5:1"], True, "loopback", "none"),
        ({}, ["tcp://10.0.0.5:1"], False, "network", "none"),
        ({}, ["tcp://10.0.0.5:1", "tcp://10.0.0.6:1"], True, "network", "none"),
        ({}, ["tcp://10.0.0.5:1"], None, None, "none"),
        ({}, [], None, None, "none"),
        ({}, ["unix:///run/s"], True, "unix_socket", "none"),
        ({"deployment": "external"}, ["tls://10.0.0.9:1"], True, "loopback", "tls"),
        ({"deployment": "external"}, ["tls://db.example:1"], False, "network", "tls"),
        ({"deployment": "external"}, ["tls://db.example:1"], None, None, "tls"),
        ({"deployment": "external"}, ["tcp://10.0.0.5:1", "tcp://10.0.0.6:1"], True, None, "none"),
        ({"deployment": "external"}, ["tcp://localhost:1"], None, "loopback", "none"),
        ({"deployment": "external"}, ["tls://127.0.0.1:1"], False, "network", "tls"),
        ({"deployment": "external"}, ["tls://h:1", "tcp://h:2"], None, None, None),
    ],
)
def test_endpoints_tell_transport_and_encryption(
    target: dict[str, Any],
    reached: list[str],
    co_located: bool | None,
    transport: str | None,
    encryption: str | None,
) -> None:
    side = Facts(
        Target.model_validate({"name": "t", "system": "store", **target}),
        STORE,
        endpoints=reached,
        co_located=co_located,
    )
    assert value_of(side, "transport") == transport
    assert value_of(side, "encryption") == encryption


def test_a_tools_rules_go_before_the_systems() -> None:
    tool = manifest(
        id="tool", kind="tool", deployments=[], tool={"drivers": ["d"]}, parameters={},
        fairness={"compression": [{"value": "none"}]},
    )  # fmt: skip
    side = Facts(Target(name="t", system="store", tool="tool"), STORE, tool)
    assert value_of(side, "compression") == "none"
    assert value_of(side, "durability") == Durability(kept="nothing")


def test_manifests_from_before_are_read_and_say_nothing() -> None:
    old = manifest()
    bare = Manifest.model_validate(old.model_dump(mode="json", exclude={"fairness"}))
    found = translate(Facts(Target(name="t", system="store"), bare)).values
    assert found.durability is None
    assert found.processors == "all"
    assert Manifest.model_validate_json(old.model_dump_json()) == old


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"durability": [{"value": {"kept": "log"}}]}, "which needs both"),
        ({"durability": [{"value": {"kept": "nothing", "nodes": 2}}]}, "`nodes` belongs"),
        ({"durability": [{"value": {"kept": "some"}}]}, r"fairness\.durability\[0\]\.value"),
        ({"eviction": [{"value": "sometimes"}]}, r"fairness\.eviction\[0\]\.value"),
        ({"reads": [{"value": {"whom": "any"}}]}, "whom"),
        ({"eviction": [{"when": {"topology:racks": 1}, "value": "nothing"}]}, "topology:racks"),
        ({"eviction": [{"when": {"log": {}}, "value": "nothing"}]}, "a condition says"),
        ({"weight": []}, "weight"),
    ],
)
def test_rules_that_say_nothing_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Translation.model_validate(rules)


def test_rules_look_at_what_the_manifest_declares() -> None:
    with pytest.raises(ValueError, match="neither parameters nor driver options: option:x, size"):
        manifest(fairness={"eviction": [{"when": {"size": 1, "option:x": 2}, "value": "nothing"}]})


@pytest.mark.parametrize(
    ("suffix", "text", "value"),
    [
        ("ms", "2000ms", 2000),
        ("ms", "10s", 10_000),
        ("ms", "250", 250),
        ("MiB", "33MiB", 33),
        ("MiB", "1GiB", 1024),
        ("MiB/s", "64MiB/s", 64),
        ("", "1.5", 1.5),
    ],
)
def test_a_quantity_is_read_back_in_the_unit_of_its_parameter(
    suffix: str, text: str, value: float
) -> None:
    schema = {"type": "number", "x-suffix": suffix} if suffix else {"type": "number"}
    assert read_back(schema, text) == (value,)
