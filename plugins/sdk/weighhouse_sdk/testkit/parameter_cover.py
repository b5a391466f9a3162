"""Which values a system is started with to hold its manifest against it. Pure.

Each parameter is visited at its least, default and greatest value, a flag on and off, each choice,
each example of a text; each requirement where it is just met, and where it just is not. All of it
is read from the manifest: a new parameter is visited by itself.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.values import value_errors
from weighhouse_protocol.fairness.rules import Condition, Wanted
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.requirements import MACHINE, Linear, Need, Requirement, Unmet, bound_by
from weighhouse_protocol.target import Target

from weighhouse_sdk.parameters import declared

Kind = Literal["least", "default", "greatest", "choice", "example"]
Values = dict[str, Scalar]
"""Parameters by name, driver options as `option:NAME`; `edition` where it is not the default."""
STEPS = 40
FINEST = 0.01
"""Between two numbers that are not whole: what systems tell of them."""
OPTION = "option:"
EDITION = "edition"
SHARE = 8
"""A test takes at most this part of the machine's memory, for others are run beside it."""


class NotVisitable(Exception):
    """A manifest from which no value to visit can be read; says what it lacks."""


@dataclass(frozen=True)
class Visit:
    """One value of one parameter."""

    parameter: str
    value: Scalar
    kind: Kind


@dataclass(frozen=True)
class Pair:
    """A requirement, where it is just met and where it just is not."""

    requirement: Requirement
    met: Values
    broken: Values | None
    """None: no value that the schema allows breaks it."""

    @property
    def of_the_machine(self) -> bool:
        """Whether it is one that another machine would not have: it is not for a server to try."""
        return bool(self.requirement.names() & MACHINE.keys())


class Visiting:
    """The visits of one manifest.

    :param machine: what the machine has, as `weighhouse_sdk.capacity` tells it.
    """

    def __init__(self, manifest: Manifest, machine: Mapping[str, int]) -> None:
        self.manifest = manifest
        self.whole = machine
        memory = {"machine:memory_bytes": machine["machine:memory_bytes"] // SHARE}
        self.machine = {**machine, **memory}
        self._schemas = declared(manifest.parameters)
        self._options = declared(manifest.driver.options)

    def target(self, values: Values) -> Target:
        """The target that has some values."""
        options = {n.removeprefix(OPTION): v for n, v in values.items() if n.startswith(OPTION)}
        return Target(
            name="parameters",
            system=self.manifest.id,
            deployment=self.manifest.default_deployment,
            parameters={n: v for n, v in values.items() if n in self._schemas},
            driver_options=options,
            edition=None if EDITION not in values else str(values[EDITION]),
        )

    def visits(self) -> tuple[Visit, ...]:
        """All of them, in the order of the manifest.

        :raises NotVisitable: when a parameter does not say what there is to visit.
        """
        return tuple(visit for name in self._schemas for visit in self._of(name))

    def all_at(self, end: Literal["least", "greatest"]) -> tuple[Visit, ...]:
        """Of every parameter the one visit that is nearest to an end: the least or greatest value,
        off or on, the first or last choice, the shortest or longest example; of what only some
        builds have the default.
        """
        which = 0 if end == "least" else -1
        return tuple(
            Visit(name, schema["default"], "default")
            if schema.get("x-build")
            else list(self._of(name))[which]
            for name, schema in self._schemas.items()
        )

    def completed(self, wanted: Values) -> Values | None:
        """The same values, and as few further ones as the requirements need; None: they cannot
        be.
        """
        values = dict(wanted)
        for _ in range(STEPS):
            found = self.manifest.unmet(self.target(values), self.machine)
            if not found:
                return values
            if not any(self._mend(values, each, wanted.keys()) for each in found):
                return None
        return None

    def together(self, visits: Iterable[Visit]) -> tuple[Values, tuple[Visit, ...]]:
        """As many visits as can be in one start, the first ones first, and what they need.

        :returns: the values of the start, and the visits that are not in it.
        """
        values: Values = {}
        wanted: Values = {}
        left = []
        for visit in visits:
            more = None
            if visit.parameter not in wanted:
                more = self.completed({**wanted, visit.parameter: visit.value})
            # Of another edition than the default one is no server here.
            if more is None or EDITION in more:
                left.append(visit)
            else:
                wanted[visit.parameter], values = visit.value, more
        return values, tuple(left)

    def pairs(self) -> Iterator[Pair]:
        """One for each need of one parameter of another, or of a driver option."""
        for requirement in self.manifest.requirements:
            if all(self._own(fact) for fact in requirement.when):
                yield from (
                    self._pair(requirement, name)
                    for name in requirement.needs
                    if name in self._schemas
                )

    def refused(self) -> Iterator[Visit]:
        """Values just outside of what the manifest allows."""
        for name, schema in self._schemas.items():
            kind = schema["type"]
            step = self._step(name) if kind in ("integer", "number") else 0
            for key, sign in (("minimum", -1), ("maximum", 1)):
                if key in schema:
                    yield Visit(name, schema[key] + sign * step, "example")
            if "enum" in schema:
                yield Visit(name, "no-such-choice", "choice")

    # inside

    def _of(self, name: str) -> Iterator[Visit]:
        schema = self._schemas[name]
        kind, default = schema["type"], schema["default"]
        if kind == "boolean":
            yield from (Visit(name, value, "choice") for value in (False, True))
        elif "enum" in schema:
            yield from (Visit(name, value, "choice") for value in schema["enum"])
        elif kind == "string":
            if not schema.get("examples"):
                raise NotVisitable(
                    f"parameters.{name}: a text without `enum` needs `examples`, values that the "
                    "system is started with"
                )
            texts = {default, *schema["examples"]}
            yield from (Visit(name, text, "example") for text in sorted(texts, key=len))
        else:
            least, greatest = self._ends(name)
            if "x-unset" in schema and schema["x-unset"] not in (least, default):
                yield Visit(name, schema["x-unset"], "choice")
            yield Visit(name, least, "least")
            if default not in (least, greatest):
                yield Visit(name, default, "default")
            yield Visit(name, greatest, "greatest")

    def _ends(self, name: str) -> tuple[Scalar, Scalar]:
        """The least and the greatest number that the schema allows and that some start can have,
        on this machine, whatever else has to be set for it.
        """
        schema = self._schemas[name]
        least, greatest = schema.get("minimum"), schema.get("maximum")
        if least is None or greatest is None:
            raise NotVisitable(f"parameters.{name}: a number needs `minimum` and `maximum`")
        step = self._step(name)
        if schema.get("x-unset") == least:
            least += step
        count = math.floor((greatest - least) / step + 1e-9)
        default = schema["default"]
        known = 0 if schema.get("x-unset") == default else round((default - least) / step)

        def fits(place: int) -> bool:
            return self.completed({name: self._value(least, place, step)}) is not None

        if not fits(known):
            # Left to the system by default: the first power of two that fits is a beginning.
            known = next((2**n for n in range(60) if 2**n <= count and fits(2**n)), known)
        low = _furthest(known, 0, fits)
        high = _furthest(known, count, fits)
        ends = self._value(least, low, step), self._value(least, high, step)
        return self._power(name, ends[0], "at_least"), self._power(name, ends[1], "at_most")

    def _step(self, name: str) -> float:
        schema = self._schemas[name]
        step: float = schema.get("multipleOf", 1 if schema["type"] == "integer" else FINEST)
        return step

    @staticmethod
    def _value(least: float, place: int, step: float) -> float:
        return least + place * step if isinstance(step, int) else round(least + place * step, 6)

    def _rounded(self, name: str, limit: float | None, key: str) -> float | None:
        """A limit as a value that the schema's steps have."""
        step = self._step(name) if name in self._schemas else 1
        if limit is None or not isinstance(step, int):
            return limit
        steps = math.ceil(limit / step) if key == "at_least" else math.floor(limit / step)
        return self._power(name, steps * step, key)

    def _power(self, name: str, value: float, key: str) -> float:
        """The nearest power of two within a bound, of what has to be one; else the value."""
        if value < 1 or not self._schemas.get(name, {}).get("x-power-of-two"):
            return value
        return 1 << (int(value) - 1).bit_length() if key == "at_least" else _below(value)

    def _facts(self, values: Values) -> dict[str, Scalar | None]:
        return self.manifest.requirement_facts(self.target(values), self.machine)

    def _own(self, fact: str) -> bool:
        """Whether it is a parameter or a driver option: what a start can have as it likes."""
        return fact in self._schemas or fact.removeprefix(OPTION) in self._options

    def _allowed(self, name: str, value: Scalar) -> bool:
        if name == EDITION:
            return True
        if name.startswith(OPTION):
            option = name.removeprefix(OPTION)
            return not any(value_errors(self.manifest.driver.options, {option: value}, ""))
        return not any(value_errors(self.manifest.parameters, {name: value}, ""))

    def _mend(self, values: Values, unmet: Unmet, locked: Iterable[str]) -> bool:
        """Change one value that is free, so that a requirement is met."""
        requirement, name = unmet.requirement, unmet.parameter
        need = requirement.needs[name]
        if isinstance(need, Need) and need.left_out and name not in locked:
            values.pop(name, None)
            return True
        changes = [
            *((name, value) for value in self._meeting(name, need, values)),
            *self._other_way(name, need, values),
        ]
        for other, value in changes:
            if other not in (*locked, *MACHINE) and self._allowed(other, value):
                values[other] = value
                return True
        for fact in requirement.when:
            for value in self._choices(fact) if self._own(fact) and fact not in locked else ():
                changed = {**values, fact: value}
                if unmet not in self.manifest.unmet(self.target(changed), self.machine):
                    values[fact] = value
                    return True
        return False

    def _choices(self, name: str) -> Iterator[Scalar]:
        if name.startswith(OPTION):
            schema = self._options[name.removeprefix(OPTION)]
            yield from cast("Iterable[Scalar]", schema.get("enum", (False, True)))
            return
        yield self._schemas[name]["default"]
        yield from (visit.value for visit in self._of(name))

    def _meeting(
        self, name: str, need: Scalar | tuple[Scalar, ...] | Need, values: Values
    ) -> Iterator[Scalar]:
        """Values that meet a need as it stands, the nearest to its edge first."""
        if isinstance(need, tuple):
            yield from need
        elif not isinstance(need, Need):
            yield need
        else:
            facts = self._facts(values)
            for key, bound in need.bounds():
                limit = self._rounded(name, bound_by(bound, facts.get), key)
                if limit is not None:
                    yield limit
            other = facts.get(need.multiple_of or "")
            own = facts.get(name)
            if isinstance(other, int) and isinstance(own, int | float):
                yield max(1, round(own / other)) * other

    def _other_way(
        self, name: str, need: Scalar | tuple[Scalar, ...] | Need, values: Values
    ) -> Iterator[tuple[str, Scalar]]:
        """The other side of a bound, so that the value as it is is within."""
        own = self._facts(values).get(name)
        if not isinstance(need, Need) or not isinstance(own, int | float):
            return
        for key, bound in need.bounds():
            if isinstance(bound, Linear) and bound.of not in MACHINE:
                edge = (own - bound.plus) / bound.times
                above = (key == "at_most") == (bound.times > 0)
                rounded = self._rounded(bound.of, edge, "at_least" if above else "at_most")
                yield bound.of, cast("float", rounded)
        if need.multiple_of:
            yield need.multiple_of, own

    def _pair(self, requirement: Requirement, name: str) -> Pair:
        at: Values = {}
        for fact in requirement.when:
            for value in (*_edges(requirement.when[fact]), *self._choices(fact)):
                facts = {**self._facts({}), fact: value}
                if self._allowed(fact, value) and _holds(requirement, fact, facts):
                    at[fact] = value
                    break
        need = requirement.needs[name]
        for _, bound in need.bounds() if isinstance(need, Need) else ():
            # What is left to the system bounds nothing.
            other = bound.of if isinstance(bound, Linear) else ""
            if other in self._schemas and self._facts(at)[other] is None:
                at[other] = self._ends(other)[0]
        met = self.completed(at)
        if met is None:
            raise NotVisitable(f"requirements: {requirement.because} No values meet it.")
        for value in self._meeting(name, need, met):
            edge = self.completed({**at, name: value}) if self._allowed(name, value) else None
            met = met if edge is None else edge
        return Pair(requirement, met, self._broken(requirement, name, at, met))

    def _broken(
        self, requirement: Requirement, name: str, at: Values, met: Values
    ) -> Values | None:
        for value in self._breaking(name, requirement.needs[name], met):
            if not self._allowed(name, value):
                continue
            wrong: Values = {**met, **at, name: value}
            found = self.manifest.unmet(self.target(wrong), self.whole)
            if found and all(each.requirement == requirement for each in found):
                return wrong
        return None

    def _breaking(
        self, name: str, need: Scalar | tuple[Scalar, ...] | Need, met: Values
    ) -> Iterator[Scalar]:
        step = self._step(name)
        if isinstance(need, Need):
            for key, bound in need.bounds():
                facts = {**self._facts(met), **self.whole}
                limit = self._rounded(name, bound_by(bound, facts.get), key)
                if limit is not None and self._schemas.get(name, {}).get("x-power-of-two"):
                    yield limit * 2 if key == "at_most" else limit // 2
                elif limit is not None:
                    yield limit + (step if key == "at_most" else -step)
            if need.multiple_of:
                yield cast("int", self._facts(met)[need.multiple_of]) + 1
        yield from self._choices(name)


def _edges(wanted: Wanted) -> Iterator[Scalar]:
    """Values with which a condition only just holds."""
    if isinstance(wanted, Condition):
        for edge, rounded in ((wanted.at_least, math.ceil), (wanted.at_most, math.floor)):
            if edge is not None:
                yield int(edge) if edge.is_integer() else round(rounded(edge / FINEST) * FINEST, 6)


def _below(value: float) -> int:
    return 1 << int(value).bit_length() - 1


def _furthest(known: int, end: int, fits: Callable[[int], bool]) -> int:
    """The place nearest to an end that fits, where all between it and a known one do."""
    if fits(end):
        return end
    while abs(end - known) > 1:
        middle = (known + end) // 2
        known, end = (middle, end) if fits(middle) else (known, middle)
    return known


def _holds(requirement: Requirement, fact: str, facts: Mapping[str, Scalar | None]) -> bool:
    alone = requirement.model_copy(update={"when": {fact: requirement.when[fact]}})
    return alone.holds(facts.get)
