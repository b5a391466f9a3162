"""No operation takes a number without a bound: what it is compared with, stored in or multiplied by
has one."""

from collections.abc import Iterator
from typing import Any

import pytest
from weighhouse_testing.bounds import unbounded

from backend.tests import described as descriptions

# Words of RFC 7644, which the directory's own parser brings within what there is.
OF_DIRECTORIES = ("query count", "query startIndex")


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return descriptions.described()


def referred(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield str(part["$ref"]).rsplit("/", 1)[-1]
        for each in part.values():
            yield from referred(each)
    elif isinstance(part, list):
        for each in part:
            yield from referred(each)


def taken(described: dict[str, Any]) -> dict[str, Any]:
    """All schemas of parameters and bodies, by where they are."""
    schemas = described["components"]["schemas"]
    operations = [
        operation
        for path in described["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict)
    ]
    found = {
        f"{one['in']} {one['name']}": one.get("schema", {})
        for operation in operations
        for one in operation.get("parameters", [])
    }
    waiting = [
        name
        for operation in operations
        for content in operation.get("requestBody", {}).get("content", {}).values()
        for name in referred(content)
    ]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = schemas[name]
            waiting.extend(referred(schemas[name]))
    return found


def test_no_operation_takes_a_number_without_a_bound(described: dict[str, Any]) -> None:
    schemas = taken(described)
    assert len(schemas) > 100
    loose = [
        said
        for place, schema in schemas.items()
        for said in unbounded(schema, place)
        if ": a number" in said and place not in OF_DIRECTORIES
    ]
    assert loose == []
