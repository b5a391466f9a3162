"""How many bytes of values an operation is about."""

from typing import Any

import pytest
from weighhouse_protocol.payloads import Payload, payload_of
from weighhouse_protocol.workload import Workload


@pytest.mark.parametrize(
    ("said", "operation", "payload"),
    [
        ({}, "read", Payload(1000, 0)),
        ({"read_all_fields": False}, "read", Payload(100, 0)),
        ({"keys_per_read": 5}, "read", Payload(5000, 0)),
        ({}, "update", Payload(0, 100)),
        ({"write_all_fields": True}, "update", Payload(0, 1000)),
        ({}, "insert", Payload(0, 1000)),
        ({}, "read_modify_write", Payload(1000, 100)),
        ({"read_all_fields": False, "write_all_fields": True}, "read_modify_write",
         Payload(100, 1000)),
        ({}, "scan", Payload(None, 0)),
        ({}, "delete", Payload(0, 0)),
        ({"field_length_distribution": "uniform", "min_field_length": 50}, "insert",
         Payload(0, 750)),
        ({"field_count": 1, "field_length": 512 * 2**20}, "read", Payload(512 * 2**20, 0)),
    ],
)  # fmt: skip
def test_they_are_those_that_the_workload_means(
    said: dict[str, Any], operation: str, payload: Payload
) -> None:
    assert payload_of(Workload.model_validate({"name": "w", **said}), operation) == payload
