"""Looks for what a JSON Schema takes without a bound."""

from collections.abc import Iterator
from typing import Any

ANYTHING = {"title", "description", "default", "examples"}
"""What a schema without a type may say: then it takes whatever comes."""
FORMATS = {"uuid", "date", "date-time"}
"""Of texts that are read into something of a fixed size."""
SCHEMAS = {"Manifest.parameters", "ManifestDriver.options"}
"""Schemas of parameters, which have a vocabulary and limits of their own."""


def unbounded(schema: Any, path: str) -> Iterator[str]:
    """Where a JSON Schema takes numbers, texts, lists or objects of any size."""
    if schema is True or (isinstance(schema, dict) and not schema.keys() - ANYTHING):
        yield f"{path}: anything"
    if not isinstance(schema, dict) or path in SCHEMAS or schema.keys() & {"enum", "const"}:
        return
    lacks = {
        "integer": _numbers, "number": _numbers, "string": _texts, "array": _lists,
        "object": _objects,
    }  # fmt: skip
    yield from (f"{path}: {what}" for what in lacks.get(schema.get("type", ""), _nothing)(schema))
    for name in ("properties", "$defs"):
        for key, each in schema.get(name, {}).items():
            yield from unbounded(each, key if name == "$defs" else f"{path}.{key}")
    for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for each in schema.get(name, []):
            yield from unbounded(each, path)
    for name in ("items", "additionalProperties"):
        if name in schema:
            yield from unbounded(schema[name], f"{path}[]")


def _nothing(_: dict[str, Any]) -> Iterator[str]:
    yield from ()


def _numbers(schema: dict[str, Any]) -> Iterator[str]:
    if not schema.keys() & {"minimum", "exclusiveMinimum"}:
        yield "a number without a least"
    if not schema.keys() & {"maximum", "exclusiveMaximum"}:
        yield "a number without a most"


def _texts(schema: dict[str, Any]) -> Iterator[str]:
    if "maxLength" not in schema and schema.get("format") not in FORMATS:
        yield "a text of any length"


def _lists(schema: dict[str, Any]) -> Iterator[str]:
    if "maxItems" not in schema:
        yield "a list of any length"


def _objects(schema: dict[str, Any]) -> Iterator[str]:
    if schema.get("additionalProperties") in (None, False):
        return
    if "maxProperties" not in schema:
        yield "an object of any size"
    if not schema.get("propertyNames", {}).keys() & {"maxLength", "enum", "$ref"}:
        yield "keys of any length"
