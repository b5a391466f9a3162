"""Values against the schemas that a manifest declares for them. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.document_errors import FieldError, did_you_mean, listed, one_of
from weighhouse_protocol.parameters import declared, value_problems

SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def value_errors(
    schema: Mapping[str, object],
    values: Mapping[str, Scalar],
    system: str,
    what: str = "parameter",
) -> Iterator[FieldError]:
    """What is wrong with some values.

    One that is not declared is wrong whether or not the schema says so: nothing reaches a system
    that its plugin does not know.

    :param schema: of an object, as `parameters.Parameters` reads it; an empty one declares nothing.
    :param system: the name of the system, and `what` that of such a value, for the messages.
    :returns: errors whose path is the value's name.
    """
    known = declared(schema)
    for name, value in values.items():
        if name not in known:
            yield FieldError(
                path=name,
                message=f"{system} has no {what} {name!r}" + did_you_mean(name, known),
                expected=one_of(sorted(known)),
            )
            continue
        for problem in value_problems(known[name], value):
            yield FieldError(path=name, message=problem, expected=_expected(known[name]))


def _expected(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + listed(map(str, schema["enum"]))
    words = [str(schema.get("type", ""))]
    words += [f"{sign} {schema[key]}" for key, sign in SIGNS.items() if key in schema]
    if "multipleOf" in schema:
        words.append(f"in steps of {schema['multipleOf']}")
    if schema.get("x-power-of-two"):
        words.append("a power of two")
    if "pattern" in schema:
        words.append(f"like {schema['pattern']}")
    if "x-unit" in schema:
        words.append(f"in {schema['x-unit']}")
    return " ".join(word for word in words if word)
