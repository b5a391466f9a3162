"""What rules look at: a target as it was asked for, or as a server said it was. Pure."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.configuration.tables import folded
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.target import Target

UNITS: Mapping[str, float] = {
    "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0,
    "B": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
"""Unit behind a number → seconds or bytes."""
_QUANTITY = re.compile(r"(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)")

Origin = Literal["parameter", "option", "setting", "limit", "topology", "deployment", "endpoint"]


@dataclass(frozen=True)
class Seen:
    """Something that a value was concluded from, as it reads."""

    origin: Origin
    name: str
    """As the system calls it, where it is a setting."""
    value: str | None
    """None: not known."""
    parameter: str | None = None
    """The parameter that decides it."""


@dataclass(frozen=True)
class Facts:
    """All that rules may ask of one target."""

    target: Target
    manifest: Manifest
    """Of its system."""
    tool: Manifest | None = None
    """Of the load tool that takes the driver's place."""
    settings: Mapping[str, str] | None = None
    """The effective configuration; None: no server was asked yet, it is what was ordered that
    counts, and defaults."""
    endpoints: Sequence[str] = ()
    """Where the driver reached it; for a draft, those of the target."""
    co_located: bool | None = None
    """Whether driver and system share their machine; None: not known."""
    _schemas: Mapping[str, Mapping[str, object]] = field(init=False)
    _options: Mapping[str, Mapping[str, object]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_schemas", declared(self.manifest.parameters))
        object.__setattr__(self, "_options", declared(self.manifest.driver.options))

    @property
    def copies(self) -> int | None:
        """How many copies of a record there are; None: not known.

        Of servers that somebody else set up, one copy is only what the document says when it says
        nothing.
        """
        stated = self.target.topology.replication_factor
        return None if self.target.deployment == "external" and stated == 1 else stated

    def value(self, name: str) -> Scalar | None:
        """A fact by its name; None: not known.

        :param name: as `rules.FactName` has it.
        """
        origin, colon, rest = name.partition(":")
        if name == "deployment":
            return self.target.deployment
        if not colon:
            return self._parameter(name)
        if origin == "option":
            return self._option(rest)
        if origin == "setting":
            return self._setting(rest)
        if self.target.deployment == "external" and getattr(self.target.topology, rest) == 1:
            return None
        return cast("int", getattr(self.target.topology, rest))

    def seen(self, name: str) -> Seen:
        """The same, as it reads: a parameter by the name and in the words of the system."""
        origin, colon, rest = name.partition(":")
        if not colon and name != "deployment":
            schema = self._schemas.get(name, {})
            setting = setting_name(name, schema)
            if self.settings is not None and setting in self.settings:
                return Seen("setting", setting, self.settings[setting], name)
            value = self._parameter(name)
            return Seen("parameter", name, None if value is None else plain(value), name)
        found = self.value(name)
        value_text = None if found is None else plain(found)
        return Seen(cast("Origin", origin), rest or "deployment", value_text)

    def _parameter(self, name: str) -> Scalar | None:
        """Out of the effective configuration; else as it was ordered, where it was ours to order.

        A setting in words that no value of the parameter has stays as it is.
        """
        schema = self._schemas.get(name, {})
        text = None if self.settings is None else self.settings.get(setting_name(name, schema))
        ours = self.target.deployment != "external"
        ordered = self.target.parameters.get(name, cast("Scalar | None", schema.get("default")))
        if text is None:
            return ordered if ours else None
        meant = read_back(schema, text)
        if len(meant) > 1:
            return ordered if ours and ordered in meant else None
        return meant[0] if meant else text

    def _setting(self, name: str) -> Scalar | None:
        """As the system tells it; before it was asked, as it was ordered beside parameters."""
        if self.settings is not None:
            return self.settings.get(name)
        own = {folded(each): value for each, value in self.target.settings.items()}
        return own.get(folded(name))

    def _option(self, name: str) -> Scalar | None:
        default = self._options.get(name, {}).get("default")
        return self.target.driver_options.get(name, cast("Scalar | None", default))


def setting_name(parameter: str, schema: Mapping[str, object]) -> str:
    """The system's own name of the setting that a parameter stands for."""
    return str(schema.get("x-setting", parameter))


def read_back(schema: Mapping[str, object], text: str) -> tuple[Scalar, ...]:
    """The values of a parameter that the system prints so: none, one, or several.

    The way back of what the SDK does with `x-words`, `x-true`, `x-false`, `x-scale`, `x-suffix`.
    """
    words = schema.get("x-words")
    if isinstance(words, Mapping):
        return tuple(str(value) for value, word in words.items() if str(word) == text)
    kind = schema.get("type")
    if kind == "boolean":
        said = {str(schema.get("x-true", "yes")): True, str(schema.get("x-false", "no")): False}
        return (said[text],) if text in said else ()
    if kind in {"integer", "number"}:
        scale, found = schema.get("x-scale", 1), _in_own_unit(text, str(schema.get("x-suffix", "")))
        if found is None or not isinstance(scale, int):
            return ()
        value = found / scale
        return (int(value) if value.is_integer() else value,)
    return (text,)


def _in_own_unit(text: str, suffix: str) -> float | None:
    """A quantity in the unit that its parameter counts in, whichever it is told in."""
    found = number(text.removesuffix(suffix))
    if found is None or suffix not in UNITS or text.endswith(suffix):
        return found
    told_with_unit = number(text, 0.0) == found
    return round(found / UNITS[suffix], 9) if told_with_unit else found


def number(value: Scalar, times: float = 1.0) -> float | None:
    """A quantity in seconds or bytes; None when it is none, or larger than any.

    :param times: what one without a unit of its own is multiplied by.
    """
    found = None if isinstance(value, bool) else _quantity(value, times)
    return found if found is not None and math.isfinite(found) else None


def _quantity(value: float | str, times: float) -> float | None:
    if not isinstance(value, str):
        return value * times
    found = _QUANTITY.fullmatch(value.strip())
    if found is None:
        return None
    unit = found.group(2)
    factor = UNITS.get(unit, UNITS.get(unit.lower())) if unit else times
    return None if factor is None else float(found.group(1)) * factor


def plain(value: Scalar) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
