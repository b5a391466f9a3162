"""What sides are called: a person's label, else the system and what parts it from others."""

from typing import Any

import pytest
from weighhouse_judging.identity.names import (
    LONGEST_VALUE,
    Origin,
    bearer,
    names,
    shortened,
    target_names,
    twins,
)
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target


def manifest(system: str) -> Manifest:
    return Manifest.model_validate(
        {
            "id": system, "version": "0.1.0", "name": system.capitalize(), "vendor": "somebody",
            "licence": "BSD-3-Clause", "architecture": "in memory", "colour": "#D55E00",
            "mark": "●", "operations": ["read"], "deployments": ["process"],
            "default_deployment": "process",
            "driver": {
                "id": "resp",
                "options": {"type": "object", "properties": {
                    "layout": {"type": "string", "default": "hash"}}},
            },
            "aspects": {},
            "parameters": {"type": "object", "properties": {
                "appendonly": {"type": "boolean", "default": False},
                "appendfsync": {"type": "string", "default": "everysec"},
                "io_threads": {"type": "integer", "default": 1, "x-setting": "io-threads"},
                "maxmemory_bytes": {
                    "type": "integer", "default": 0, "x-setting": "maxmemory", "x-unit": "bytes"},
                "save": {"type": "string", "default": "3600 1"},
            }},
            "benchmark_clause": {"policy": "open", "text": "none", "source": "licence",
                                 "checked_on": "2026-11-20"},
        }
    )  # fmt: skip


MANIFESTS = {system: manifest(system) for system in ("redis", "memcached")}


def target(name: str = "redis", system: str = "redis", **changes: Any) -> Target:
    return Target.model_validate({"name": name, "system": system, **changes})


def called(*targets: dict[str, Any]) -> list[str]:
    """The names of targets of one document."""
    made = [target(f"redis-{place}", **one) for place, one in enumerate(targets)]
    return list(target_names(made, MANIFESTS).values())


def with_settings(**parameters: Any) -> dict[str, Any]:
    return {"parameters": parameters}


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([{}, {"system": "memcached"}], ["Redis", "Memcached"]),
        ([{"version": "7.0.15"}, {"version": "7.2.4"}], ["Redis 7.0.15", "Redis 7.2.4"]),
        ([with_settings(appendfsync="always"), with_settings(appendfsync="everysec")],
         ["Redis, appendfsync always", "Redis, appendfsync everysec"]),
        # What one of them leaves out is the default, which the manifest says.
        ([with_settings(appendfsync="always"), {}],
         ["Redis, appendfsync always", "Redis, appendfsync everysec"]),
        ([with_settings(appendonly=True), {}], ["Redis, appendonly yes", "Redis, appendonly no"]),
        ([with_settings(save=""), {}], ["Redis, save not set", "Redis, save 3600 1"]),
        ([with_settings(maxmemory_bytes=2**30), {}],
         ["Redis, maxmemory 1024 MiB", "Redis, maxmemory 0"]),
        ([{"deployment": "docker"}, {}], ["Redis, in a container", "Redis, as a process"]),
        ([{"deployment": "external", "data": "keep"}, {"deployment": "external", "data": "once"}],
         ["Redis, records there before", "Redis, loaded once"]),
        ([{"topology": {"nodes": 3}}, {}], ["Redis, 3 nodes", "Redis, 1 node"]),
        ([{"topology": {"nodes": 3, "replication_factor": 3}}, {"topology": {"nodes": 3}}],
         ["Redis, 3 copies", "Redis, 1 copy"]),
        ([{"limits": {"memory_mebibytes": 512}}, {}],
         ["Redis, 512 MiB of memory", "Redis, all memory"]),
        ([{"limits": {"cpus": 1}}, {"limits": {"cpus": 2.5}}], ["Redis, 1 CPU", "Redis, 2.5 CPUs"]),
        ([{"tool": "redis-benchmark"}, {}],
         ["Redis, loaded by redis-benchmark", "Redis, loaded by its own driver"]),
        ([{"driver_options": {"layout": "string"}}, {}],
         ["Redis, driver's layout string", "Redis, driver's layout hash"]),
        ([{"system": "unheard-of", **with_settings(depth=3)}, {"system": "unheard-of"}],
         ["unheard-of, depth 3", "unheard-of, depth default"]),
    ],
)  # fmt: skip
def test_what_parts_two_sides_names_them(targets, expected):
    assert called(*targets) == expected


def test_fewest_words_part_several():
    """Two of three agree in one setting: the third needs it alone."""
    three = called(
        with_settings(appendfsync="always"),
        with_settings(appendfsync="everysec"),
        with_settings(appendfsync="everysec", io_threads=4),
    )
    assert three == [
        "Redis, appendfsync always",
        "Redis, appendfsync everysec, io-threads 1",
        "Redis, appendfsync everysec, io-threads 4",
    ]
    # One setting that parts all of them goes before two that part some.
    assert called(
        with_settings(appendfsync="always", io_threads=1),
        with_settings(appendfsync="everysec", io_threads=2),
        with_settings(appendfsync="everysec", io_threads=4),
    ) == ["Redis, io-threads 1", "Redis, io-threads 2", "Redis, io-threads 4"]


def test_a_label_wins_where_it_parts_them():
    durable = {"label": "durable", **with_settings(appendfsync="always")}
    assert called(durable, {}) == ["durable", "Redis"]
    assert called(durable, {"label": "durable"}, {"system": "memcached"}) == [
        "durable, appendfsync always",
        "durable, appendfsync everysec",
        "Memcached",
    ]
    assert called({"label": "fast"}, {"label": "fast", "system": "memcached"}) == [
        "fast, Redis",
        "fast, Memcached",
    ]
    assert called({"label": "fast", "version": "7.0"}, {"label": "fast", "version": "7.2"}) == [
        "fast, version 7.0",
        "fast, version 7.2",
    ]
    # A label that says what another's system is called parts nothing.
    assert called({"label": "Redis", "system": "memcached"}, {}) == [
        "Redis, Memcached",
        "Redis, Redis",
    ]


def test_sides_that_nothing_parts_are_counted_and_no_identifier_is_shown():
    assert called({}, {}) == ["Redis, 1 of 2 alike", "Redis, 2 of 2 alike"]


def test_campaigns_part_equal_targets_by_number_then_by_date_and_experiment():
    def of(number: int, day: str = "2026-11-20", experiment: str = "Nightly", **changes: Any):
        origin = Origin(number, day, experiment)
        ran = changes.pop("ran", "7.0.15")
        return bearer(target(**changes), MANIFESTS["redis"], ran=ran, origin=origin)

    assert names([of(40), of(41)]) == ["Redis № 40", "Redis № 41"]
    assert names([of(3, "2026-11-20"), of(3, "2026-11-24")]) == [
        "Redis, of 2026-11-20",
        "Redis, of 2026-11-24",
    ]
    assert names([of(3), of(3, experiment="Weekly")]) == ["Redis, of Nightly", "Redis, of Weekly"]
    # What was measured says more than when.
    assert names([of(40), of(41, ran="7.2.4")]) == ["Redis 7.0.15", "Redis 7.2.4"]
    assert names([of(40, label="durable"), of(41, label="durable")]) == [
        "durable № 40",
        "durable № 41",
    ]
    always, everysec = with_settings(appendfsync="always"), with_settings(appendfsync="everysec")
    assert names([of(40, **always), of(41, **always), of(40, **everysec), of(41, **everysec)]) == [
        "Redis, appendfsync always, № 40",
        "Redis, appendfsync always, № 41",
        "Redis, appendfsync everysec, № 40",
        "Redis, appendfsync everysec, № 41",
    ]


def test_a_version_that_only_one_side_has_told_names_nobody():
    """While a campaign is measured, one side has run before the other."""
    told = bearer(target("redis"), MANIFESTS["redis"], ran="7.0.15")
    to_come = bearer(target("redis-2"), MANIFESTS["redis"])
    assert names([told, to_come]) == ["Redis, 1 of 2 alike", "Redis, 2 of 2 alike"]


def test_long_values_are_shortened_to_what_differs():
    image = "registry.example.org/databases/in-memory/redis:"
    first, second = called(
        {"deployment": "docker", "image": f"{image}7.2.4-bookworm"},
        {"deployment": "docker", "image": f"{image}7.2.6-bookworm"},
    )
    assert (first, second) == ("Redis, image …s:7.2.4-bookworm", "Redis, image …s:7.2.6-bookworm")
    digests = [f"{image}{letter * 64}" for letter in "ab"]
    short = list(shortened(digests).values())
    assert [len(one) for one in short] == [LONGEST_VALUE + 2] * 2
    assert len(set(short)) == 2


def test_values_that_look_alike_when_short_stay_different():
    values = ["a" + "x" * 60 + "1", "a" + "x" * 60 + "2", "b" + "x" * 60 + "2"]
    assert len(set(shortened(values).values())) == 3


def test_names_are_all_different():
    """Whatever people call their targets: also what would be made for another."""
    found = called(
        {"label": "Redis, appendfsync always"},
        with_settings(appendfsync="always"),
        with_settings(appendfsync="everysec"),
    )
    assert len(set(found)) == len(found), found


def test_settings_beside_parameters_part_targets() -> None:
    found = called({"settings": {"maxclients": 20_000}}, {})
    assert found == ["Redis, maxclients 20000", "Redis, maxclients default"]


def test_targets_that_differ_in_name_and_label_alone_are_twins() -> None:
    said = [
        target("redis"),
        target("redis-2", label="Ours", parameters={"appendfsync": "everysec"}),
        target("redis-3", parameters={"appendfsync": "always"}),
        target("memcached", system="memcached"),
        target("redis-4", version="7.2"),
    ]
    assert twins(said, MANIFESTS) == {"redis-2": "redis"}, "a default counts as what is set to it"
    assert twins([*said, target("last", parameters={"appendfsync": "always"})], MANIFESTS) == {
        "redis-2": "redis",
        "last": "redis-3",
    }
