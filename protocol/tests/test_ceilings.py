"""What a system takes at most, held against workloads and loads: what is known, and what is not."""

from typing import Any

import pytest
from weighhouse_protocol.ceilings import Ceiling
from weighhouse_protocol.compatibility.ceilings import connection_errors, most_of, record_errors
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.record_sizes import long_record, longest_key
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

CEILINGS = [
    {"of": "key", "most": 250, "source": "s"},
    {
        "of": "record", "most": {"of": "item_bytes"}, "key": True, "names": True,
        "record_bytes": 50, "field_bytes": 2, "mend": "raise item_bytes", "source": "s",
    },
    {
        "of": "connections", "most": {"of": "setting:most_clients", "otherwise": 100},
        "source": "s",
    },
]  # fmt: skip


def facts(settings: dict[str, str] | None = None, ceilings: Any = CEILINGS, **target: Any) -> Facts:
    manifest = Manifest.model_validate(
        {
            "id": "store", "version": "1", "name": "Store", "vendor": "V", "licence": "L",
            "architecture": "A", "colour": "#000000", "mark": "s", "operations": ["read"],
            "deployments": ["process", "external"],
            "parameters": {"properties": {
                "item_bytes": {"type": "integer", "default": 1000, "x-setting": "item_max"},
            }},
            "driver": {"id": "d", "options": {"properties": {
                "each": {"type": "integer", "default": 30},
            }}},
            "benchmark_clause": {
                "policy": "open", "text": "", "source": "s", "checked_on": "2026-01-01",
            },
            "ceilings": ceilings,
        }
    )  # fmt: skip
    return Facts(Target(name="t", system="store", **target), manifest, settings=settings)


def workload(**said: Any) -> Workload:
    return Workload(name="w", record_count=10, insert_order="ordered", **said)


def told(errors: Any) -> list[tuple[str, str, str]]:
    return [(each.path, each.message, each.expected) for each in errors]


def test_a_record_counts_its_key_names_and_what_is_beside_them() -> None:
    # 5 of user9, 50, two fields of 2 and of 6 letters.
    fits = workload(field_count=2, field_length=(1000 - 5 - 50 - 4 - 12) // 2)
    assert told(record_errors(fits, facts())) == []
    beyond = fits.model_copy(update={"field_length": fits.field_length + 1})
    assert told(record_errors(beyond, facts())) == [
        (
            "field_length",
            (
                "t: a record of 1,001 bytes, 71 of them not of values, and Store takes 1,000 "
                "(item_bytes)"
            ),
            "values of at most 464 bytes, or raise item_bytes",
        )
    ]
    raised = facts(parameters={"item_bytes": 1001})
    assert told(record_errors(beyond, raised)) == []


def test_a_servers_own_word_counts_more_than_what_was_ordered() -> None:
    large = workload(field_count=1, field_length=900)
    assert told(record_errors(large, facts())) == []
    (error,) = record_errors(large, facts({"item_max": "500"}))
    assert "takes 500 (item_max)" in error.message
    assert told(record_errors(large, facts({"item_max": "-1"}))) == []
    # Of several nodes that differ the least counts.
    (error,) = record_errors(large, facts({"item_max": "4000, 500"}))
    assert "takes 500" in error.message


def test_of_somebody_elses_server_only_what_no_setting_decides_is_known() -> None:
    there = {"deployment": "external", "endpoints": ("tcp://h:1",)}
    huge = workload(field_count=1, field_length=100_000, key_prefix="k" * 64, zero_padding=180)
    assert [each.path for each in record_errors(huge, facts(**there))] == []
    assert list(connection_errors({"clients": 10_000}, facts(**there))) == []
    long = huge.model_copy(update={"zero_padding": 187})
    assert [each.path for each in record_errors(long, facts(**there))] == ["zero_padding"]
    asked = facts({"item_max": "1000", "most_clients": "64"}, **there)
    assert [each.path for each in record_errors(huge, asked)] == ["field_length"]
    assert [each.path for each in connection_errors({"clients": 64}, asked)] == ["clients"]
    # A server that does not tell is not taken for what its vendor ships.
    assert most_of(facts({}, **there), "connections") is None


def test_clients_need_a_connection_each_and_the_observer_one() -> None:
    assert list(connection_errors({"clients": 99}, facts())) == []
    assert told(connection_errors({"clients": 100, "load": 3}, facts())) == [
        (
            "clients",
            (
                "t: 100 clients need a connection each to every node, and the agent one: Store "
                "takes 100 (most_clients)"
            ),
            "at most 99",
        )
    ]
    shared = [{**CEILINGS[2], "shared": "option:each"}]
    assert list(connection_errors({"clients": 1000}, facts(ceilings=shared))) == []
    assert list(connection_errors({"clients": 1000}, facts(ceilings=shared), 3)) == []
    (error,) = connection_errors({"clients": 1000}, facts(ceilings=shared), 4)
    assert error.message.startswith("t: the driver needs 120 connections to every node")


def test_what_a_tool_writes_and_what_was_there_is_not_held() -> None:
    large = workload(field_count=1, field_length=5000)
    assert list(record_errors(large, facts(tool="foreign"))) == []
    kept = facts({"item_max": "10"}, deployment="external", data="keep")
    assert list(record_errors(large, kept)) == []


def test_keys_of_points_have_names_tags_and_a_moment() -> None:
    series = {
        "series_keys": 1,
        "key_length": 100,
        "tag_cardinalities": [1],
        "tag_value_length": 100,
    }
    points = workload(time_series=series, key_prefix="p" * 38)
    assert longest_key(points) == 38 + 100 + 101 + 11 == 250
    assert list(record_errors(points, facts({"item_max": "9999"}))) == []
    longer = points.model_copy(update={"key_prefix": "p" * 39})
    assert told(record_errors(longer, facts({"item_max": "9999"}))) == [
        (
            "time_series.key_length",
            "t: keys of 251 bytes, and Store takes 250",
            "keys of at most 250 bytes",
        )
    ]


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        ({"field_count": 3, "field_length": 100}, 300),
        ({"field_count": 1, "field_length": 100, "field_length_distribution": "uniform"}, 100),
        # The mean 5,050 and three deviations of 288.66, less than the next byte.
        ({"field_count": 100, "field_length": 100, "field_length_distribution": "uniform"}, 5915),
        # The first of a hundred bytes are the likely ones.
        ({"field_count": 100, "field_length": 100, "field_length_distribution": "zipfian"}, 2700),
        (
            {
                "field_count": 2, "field_length_distribution": "histogram",
                "field_length_histogram": ((10, 1.0), (90, 1.0)),
            },
            180,
        ),
    ],
)  # fmt: skip
def test_of_drawn_lengths_what_is_not_rare_counts(said: dict[str, Any], bytes_: int) -> None:
    assert long_record(workload(**said)) == bytes_


@pytest.mark.parametrize(
    "wrong",
    [
        {"of": "key", "most": 1, "source": "s", "names": True},
        {"of": "connections", "most": 1, "source": "s", "field_bytes": 1},
        {"of": "record", "most": 1, "source": "s", "shared": "option:each"},
        {"of": "connections", "most": 1, "source": "s", "shared": "each"},
    ],
)
def test_a_ceiling_counts_only_what_it_is_of(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"are of|names a driver option"):
        Ceiling.model_validate(wrong)


def test_a_ceiling_looks_at_what_its_manifest_declares() -> None:
    unknown = [{"of": "key", "most": {"of": "nothing"}, "source": "s"}]
    with pytest.raises(ValueError, match="ceilings: neither parameters nor driver options"):
        facts(ceilings=unknown)
