"""Defaults of parameters, and effective configurations explained."""

import pytest
from weighhouse_protocol.report import Setting
from weighhouse_sdk.configuration import as_found, explained, system_value
from weighhouse_sdk.parameters import defaults

SCHEMA = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["fast", "safe"], "default": "safe"},
        "threads": {"type": "integer", "minimum": 1, "maximum": 8, "default": 2},
    },
}


def test_defaults_are_read() -> None:
    assert defaults(SCHEMA) == {"mode": "safe", "threads": 2}


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({}, True, "yes"),
        ({}, False, "no"),
        ({"x-true": "on", "x-false": "off"}, False, "off"),
        ({"x-scale": 1024}, 3, "3072"),
        ({"x-words": {"lz4": "kLZ4"}}, "lz4", "kLZ4"),
        ({}, 1.25, "1.25"),
    ],
)
def test_values_in_the_systems_words(schema: dict[str, object], value: object, told: str) -> None:
    assert system_value(schema, value) == told


def test_sources_are_told() -> None:
    effective = {
        "port": "7", "mode": "fast", "same": "1", "new": "x", "motd": "no", "size": "2", "hz": "10",
    }  # fmt: skip
    vendor = {"port": "6379", "mode": "safe", "same": "1", "motd": "yes", "size": "1", "hz": "10"}
    assert explained(effective, vendor, {"mode", "same"}, {"motd", "hz"}, places={"port"}) == (
        Setting(name="hz", value="10", default="10", source="default"),
        Setting(name="mode", value="fast", default="safe", source="experiment"),
        Setting(name="motd", value="no", default="yes", source="plugin"),
        Setting(name="new", value="x", default=None, source="system"),
        Setting(name="port", value="7", default="6379", source="place"),
        Setting(name="same", value="1", default="1", source="experiment"),
        Setting(name="size", value="2", default="1", source="system"),
    )


def test_who_set_what_of_a_system_whose_vendor_was_not_asked_is_not_known() -> None:
    (line,) = explained({"hz": "10"}, {})
    assert line == Setting(name="hz", value="10", default=None, source="unknown")


def test_of_a_system_that_was_there_nothing_is_said_to_be_set_by_us() -> None:
    assert as_found({"port": "6379", "bind": "*"}) == (
        Setting(name="bind", value="*", default=None, source="operator"),
        Setting(name="port", value="6379", default=None, source="operator"),
    )
