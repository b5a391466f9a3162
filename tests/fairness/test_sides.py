"""Which targets are equal, over all plugins: what they promise, not what their settings are called.

Each side is what a server said of itself (`weighhouse_testing.configurations`): recorded from real
servers, or as the vendor documents it where none runs here.
"""

from dataclasses import replace
from typing import Any

import pytest
from weighhouse_judging.fairness.sheet import AspectRow, fairness_sheet
from weighhouse_judging.fairness.sides import side_of
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.fairness.translation import translate
from weighhouse_protocol.fairness.vocabulary import ASPECTS
from weighhouse_sdk.registry import discover
from weighhouse_testing.configurations import (
    DOCUMENTED,
    OUTSIDE,
    aerospike,
    documented,
    draft,
    manifest,
    printed,
    recorded,
    side,
)

INSTALLED, _ = discover()
SYSTEMS = sorted(name for name, one in INSTALLED.items() if one.manifest.kind == "system")
TOOLS = sorted(name for name, one in INSTALLED.items() if one.manifest.kind == "tool")
RING = {"topology": {"nodes": 3, "replication_factor": 3}}
ONE_CPU = {"limits": {"cpus": 1}}


def mongo(write_concern: str, journal: str, **target: Any) -> Facts:
    options = {"write_concern": write_concern, "journal": journal}
    return documented("mongodb", driver_options=options, **target)


def rows(*sides: Facts) -> dict[str, AspectRow]:
    named = [side_of(str(index), str(index), one) for index, one in enumerate(sides)]
    return {row.aspect: row for row in fairness_sheet(named)}


REDIS, NOTHING = recorded("redis"), recorded("redis", "nothing")
LOGGED = recorded("redis", "always")

EQUAL: list[tuple[str, Facts, Facts, str]] = [
    ("durability", NOTHING, recorded("memcached"), "nothing is kept"),
    ("durability", NOTHING, recorded("valkey", "nothing"), "nothing is kept"),
    ("durability", NOTHING, documented("garnet"), "nothing is kept"),
    ("durability", NOTHING, documented("dragonfly"), "nothing is kept"),
    ("durability", NOTHING, aerospike("memory"), "nothing is kept"),
    ("durability", NOTHING, draft("redis", parameters={"save": ""}), "nothing is kept"),
    ("durability", LOGGED, recorded("valkey", "always"), "log on disk before the answer"),
    ("durability", LOGGED, recorded("rocksdb", "synchronous"), "log on disk before the answer"),
    ("durability", LOGGED, recorded("cassandra", "batch"), "log on disk before the answer"),
    ("durability", LOGGED, recorded("ferretdb"), "log on disk before the answer"),
    ("durability", LOGGED, mongo("1", "true"), "log on disk before the answer"),
    ("durability", REDIS, documented("keydb"), "on disk from time to time, no log"),
    ("durability", REDIS, recorded("rocksdb", "unlogged"), "on disk from time to time, no log"),
    ("durability", recorded("cassandra"), documented("scylladb"), "log on disk every 10 s"),
    ("durability", recorded("rocksdb"), recorded("ferretdb", "off"),
     "log handed to the system before the answer"),
    ("acknowledgement", recorded("cassandra", **RING), mongo("majority", "true", **RING),
     "2 copies"),
    ("acknowledgement", REDIS, recorded("cassandra"), "1 copy"),
    ("reads", REDIS, recorded("cassandra"), "the only copy"),
    ("reads", recorded("redis", **RING), mongo("1", "true", **RING), "the primary copy"),
    ("memory", recorded("redis", "cache"), recorded("memcached"), "64 MiB"),
    ("memory", recorded("redis", limits={"memory_mebibytes": 64}), recorded("memcached"), "64 MiB"),
    ("processors", recorded("redis", **ONE_CPU), recorded("memcached", **ONE_CPU), "1"),
    ("processors", REDIS, recorded("rocksdb"), "all of the machine's"),
    ("compression", recorded("rocksdb"), recorded("cassandra"), "lz4"),
    ("transport", REDIS, recorded("cassandra"), "the loopback interface"),
    ("encryption", REDIS, recorded("rocksdb"), "none"),
    ("eviction", recorded("redis", "cache"), recorded("memcached"), "any record"),
    ("eviction", REDIS, recorded("memcached", "refusing"), "nothing"),
    ("update_writes", REDIS, recorded("cassandra"), "the field"),
    ("update_writes", recorded("memcached"), draft("redis", driver_options={"layout": "string"}),
     "the whole record"),
    ("missing_update", aerospike("memory"), mongo("1", "false"), "is not found"),
]  # fmt: skip

DIFFERENT: list[tuple[str, Facts, Facts, tuple[str, str]]] = [
    ("durability", LOGGED, NOTHING, ("log on disk before the answer", "nothing is kept")),
    ("durability", LOGGED, recorded("redis", "everysec"),
     ("log on disk before the answer", "log on disk every 1 s")),
    ("durability", REDIS, NOTHING, ("on disk from time to time, no log", "nothing is kept")),
    ("durability", recorded("rocksdb"), recorded("rocksdb", "synchronous"),
     ("log handed to the system before the answer", "log on disk before the answer")),
    ("durability", mongo("1", "false", **RING), mongo("majority", "true", **RING),
     ("log on disk every 0.1 s", "log on disk before the answer")),
    ("durability", mongo("1", "false"), mongo("majority", "true"),
     ("log on disk every 0.1 s", "log on disk before the answer")),
    ("durability", aerospike("memory", topology={"nodes": 2, "replication_factor": 2}),
     aerospike("memory"), ("in the memory of 2 nodes", "nothing is kept")),
    ("durability", aerospike("files", parameters={"storage": "files"}), NOTHING,
     ("log handed to the system every 1 s", "nothing is kept")),
    ("acknowledgement", mongo("1", "false", **RING), mongo("majority", "true", **RING),
     ("1 copy", "2 copies")),
    ("acknowledgement", recorded("cassandra", driver_options={"write_consistency": "one"}, **RING),
     recorded("cassandra", driver_options={"write_consistency": "quorum"}, **RING),
     ("1 copy", "2 copies")),
    ("reads", recorded("cassandra", driver_options={"read_consistency": "one"}, **RING),
     recorded("cassandra", driver_options={"read_consistency": "quorum"}, **RING),
     ("any one copy", "a quorum of the copies (2)")),
    ("reads", documented("scylladb", driver_options={"read_consistency": "one"}, **OUTSIDE),
     documented("scylladb", driver_options={"read_consistency": "quorum"}, **OUTSIDE),
     ("any one copy", "a quorum of the copies")),
    ("reads", recorded("redis", **RING),
     recorded("redis", driver_options={"read_from": "replicas"}, **RING),
     ("the primary copy", "any one copy")),
    ("memory", REDIS, recorded("memcached"), ("no limit", "64 MiB")),
    ("memory", REDIS, recorded("rocksdb"), ("no limit", "32 MiB and the page cache")),
    ("memory", REDIS, recorded("cassandra"), ("no limit", "not known")),
    ("processors", recorded("redis", **ONE_CPU), REDIS, ("1", "all of the machine's")),
    ("processors", recorded("redis", **ONE_CPU), recorded("memcached"),
     ("1", "all of the machine's")),
    ("processors", documented("scylladb", parameters={"smp": 2}), REDIS,
     ("2", "all of the machine's")),
    ("compression", recorded("rocksdb"), recorded("rocksdb", "synchronous"), ("lz4", "none")),
    ("transport", REDIS, recorded("rocksdb"),
     ("the loopback interface", "a call within the process")),
    ("eviction", REDIS, recorded("memcached"), ("nothing", "any record")),
    ("update_writes", REDIS, recorded("memcached"), ("the field", "the whole record")),
    ("update_writes", draft("redis"), draft("redis", tool="memtier-benchmark"),
     ("the field", "the whole record")),
    ("missing_update", REDIS, mongo("1", "false"), ("makes one", "is not found")),
]  # fmt: skip


def named(case: tuple[str, Facts, Facts, object]) -> str:
    return f"{case[0]}: {case[1].target.system}, {case[2].target.system}: {case[3]}"


@pytest.mark.parametrize("case", EQUAL, ids=named)
def test_what_is_alike_is_equal_whatever_it_is_called(
    case: tuple[str, Facts, Facts, str],
) -> None:
    aspect, one, other, words = case
    row = rows(one, other)[aspect]
    assert row.values == (words, words)
    assert row.same
    assert not row.confounder


@pytest.mark.parametrize("case", DIFFERENT, ids=named)
def test_what_differs_is_not_equal(case: tuple[str, Facts, Facts, tuple[str, str]]) -> None:
    aspect, one, other, words = case
    row = rows(one, other)[aspect]
    assert row.values == words
    assert not row.same
    if aspect != "missing_update":  # of which nothing is set
        assert row.raw[0] or row.raw[1], "what that was concluded from stands below"


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_tls_endpoint_on_another_host_is_a_network_with_tls(system: str) -> None:
    """Also of systems that are not offered as servers of somebody else's, should they become so."""
    ends = {"deployment": "external", "endpoints": ["tls://10.0.0.9:6380"]}
    far = replace(side(system, {"anything": "x"}, **ends), co_located=False)
    found = rows(far, REDIS)
    assert found["transport"].values == ("a network", "the loopback interface")
    assert found["encryption"].values == ("TLS", "none")
    assert found["transport"].confounder


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_translates_its_defaults(system: str) -> None:
    """By the names of the vendor's settings, in its words; sizes of 0 depend on the machine."""
    schemas: Any = manifest(system).parameters["properties"]
    defaults = {name: schema["default"] for name, schema in schemas.items()}
    server, written = side(system, printed(system, defaults)), draft(system)
    of_server, of_draft = translate(server), translate(written)
    open_ends = {"memory": {"cassandra", "scylladb", "mongodb", "dragonfly"},
                 "compression": {"scylladb"}}  # fmt: skip
    for aspect in ASPECTS:
        if system in open_ends.get(aspect, ()):
            assert of_draft.value(aspect) is None, aspect
        else:
            assert of_draft.value(aspect) is not None, aspect
            assert of_server.value(aspect) == of_draft.value(aspect), aspect


@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - {"memcached"}))
def test_each_word_of_an_enumeration_is_translated(system: str) -> None:
    """No choice that a plugin offers ends in `not known`, except where it says so itself."""
    schemas: Any = manifest(system).parameters["properties"]
    options: Any = manifest(system).driver.options.get("properties", {})
    for group, found in (("parameters", schemas), ("driver_options", options)):
        for name, schema in found.items():
            for choice in schema.get("enum", ()):
                values = translate(draft(system, **{group: {name: choice}}))
                for aspect in ("durability", "acknowledgement", "reads", "eviction"):
                    assert values.value(aspect) is not None, (name, choice, aspect)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_says_what_it_does_itself(tool: str) -> None:
    drivers = manifest(tool).tool
    assert drivers is not None
    for system in SYSTEMS:
        if manifest(system).driver.id in drivers.drivers:
            by_tool, own = translate(draft(system, tool=tool)), translate(draft(system))
            assert by_tool.seen["update_writes"] == ()
            assert by_tool.values.update_writes is not None
            assert by_tool.values.durability == own.values.durability


def test_options_of_one_copy_are_told_by_the_option_alone() -> None:
    """One of one and a quorum of one are the same work; that they were asked for otherwise is
    shown.
    """
    one = recorded("cassandra", driver_options={"read_consistency": "one"})
    found = rows(one, recorded("cassandra"))
    assert found["reads"].same
    assert found["option:read_consistency"].values == ("one", "quorum")


def test_the_durability_of_acknowledged_writes_is_never_cleared_by_the_copies() -> None:
    """Two things differ, and neither is held for what is compared."""
    found = rows(mongo("1", "false"), mongo("majority", "true"))
    assert found["durability"].confounder
    assert found["option:write_concern"].confounder


def test_every_documented_configuration_is_of_a_system() -> None:
    assert set(DOCUMENTED) <= set(SYSTEMS)
