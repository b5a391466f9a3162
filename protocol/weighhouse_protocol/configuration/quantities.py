"""A word of a configuration file as a parameter's value. Pure."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.configuration.tables import Counterpart, Settings

UNITS: Mapping[str, Decimal] = {
    "bytes": Decimal(1),
    "KiB": Decimal(2**10),
    "MiB": Decimal(2**20),
    "GiB": Decimal(2**30),
    "bytes/s": Decimal(1),
    "MiB/s": Decimal(2**20),
    "s": Decimal(1),
    "ms": Decimal("0.001"),
    "µs": Decimal("0.000001"),
}
"""Unit of a parameter → bytes or seconds."""
YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
_QUANTITY = re.compile(r"(-?\d{1,24}(?:\.\d{1,12})?)\s*([A-Za-zµ/%]{0,12})")


class NoValue(ValueError):
    """What a file says is no value of the parameter."""


def value_of(
    text: str | None, schema: Mapping[str, Any], counterpart: Counterpart, settings: Settings
) -> Scalar:
    """What a parameter has where a file says so.

    :param text: as it stands in the file; None: the line has no value of its own.
    :param schema: of the parameter, as the manifest has it.
    :raises NoValue: in words, without the file's own, which may be secret.
    """
    if counterpart.value is not None:
        return counterpart.value
    if text is None:
        raise NoValue("has no value of its own")
    said = counterpart.words.get(text, counterpart.otherwise)
    return _typed(text, schema, counterpart, settings) if said is None else said


def _typed(
    text: str, schema: Mapping[str, Any], counterpart: Counterpart, settings: Settings
) -> Scalar:
    kind, words = schema.get("type"), schema.get("x-words", {})
    if kind == "boolean":
        return _flag(text, schema)
    if kind in ("integer", "number"):
        return _number(text, schema, counterpart, settings)
    choices = {str(words.get(one, one)).lower(): str(one) for one in schema.get("enum", ())}
    return choices.get(text.lower(), text)


def _flag(text: str, schema: Mapping[str, Any]) -> bool:
    said = text.lower()
    if said in (*YES, str(schema.get("x-true", "yes")).lower()):
        return True
    if said in (*NO, str(schema.get("x-false", "no")).lower()):
        return False
    raise NoValue("is neither yes nor no")


def _number(
    text: str, schema: Mapping[str, Any], counterpart: Counterpart, settings: Settings
) -> Scalar:
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        raise NoValue("is no number")
    number, unit = Decimal(found.group(1)), found.group(2)
    own = str(schema.get("x-unit", ""))
    unit = unit or counterpart.unit
    if unit and unit != own:
        factor = _factor(unit, settings)
        if factor is None or own not in UNITS:
            raise NoValue(f"has a unit that is not known: {unit}")
        number = number * factor / UNITS[own]
    elif not unit:
        number /= Decimal(int(schema.get("x-scale", 1)))
    if number == number.to_integral_value():
        return int(number)
    if schema.get("type") == "integer":
        raise NoValue(f"is no whole number of {own}" if own else "is no whole number")
    return float(number)


def _factor(unit: str, settings: Settings) -> Decimal | None:
    units = {name: Decimal(str(each)) for name, each in settings.units.items()}
    return units.get(unit, units.get(unit.lower(), UNITS.get(unit)))
