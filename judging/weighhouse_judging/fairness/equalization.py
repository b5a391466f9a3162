"""Finds the parameters that make sides equal, by trying the rules of their plugins. Pure.

The rules need no inverse: an aspect depends on few parameters, and of each only the values matter
that the rules, its schema or the wanted value name. The fewest changes are found by trying, first
one parameter, then two together, and so on.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import Literal

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.fairness.rules import UNKNOWN, Condition, Drawn, Wanted
from weighhouse_protocol.fairness.translation import MEBIBYTE, rules_of, translate, value_of
from weighhouse_protocol.fairness.vocabulary import (
    ASPECTS,
    FORMS,
    Aspect,
    Comparables,
    Memory,
    Value,
)
from weighhouse_protocol.parameters import declared, value_problems
from weighhouse_protocol.target import OWN_NODES, Limits

MOST_TOGETHER = 3
"""Parameters that are changed together for one aspect."""
MOST_TRIES = 5000
"""For one aspect of one side."""
MOST_LOOKS = 200_000
"""At conditions of rules, for all sides and aspects together: what others' rules may cost."""
MOST_PASSES = 3
"""A change for one aspect may move another."""

Group = Literal["parameters", "driver_options", "limits"]


@dataclass(frozen=True)
class Change:
    """A value of a target that becomes another one."""

    group: Group
    name: str
    before: Scalar | None
    """None: not set."""
    after: Scalar | None
    """None: taken out, so that the default holds."""


@dataclass
class Effort:
    """What may still be tried; when nothing is left, what was not found yet is not there."""

    looks: int = MOST_LOOKS

    def spend(self, side: Facts, aspect: Aspect) -> bool:
        """Whether the rules of an aspect may be evaluated once more."""
        rules = rules_of(side, aspect)
        self.looks -= 1 + sum(
            1 + sum(len(each) if isinstance(each, tuple) else 1 for each in rule.when.values())
            for rule in rules
        )
        return self.looks > 0


@dataclass(frozen=True)
class Equal:
    """How sides become equal in one aspect."""

    aspect: Aspect
    value: Value | None
    """What all have then; None: there is no way."""
    changes: tuple[tuple[Change, ...], ...] = ()
    """For each side."""
    cannot: tuple[int, ...] = ()
    """Sides that cannot be brought to the value of any other."""


@dataclass(frozen=True)
class Equalised:
    """What making the sides equal comes to."""

    aspects: tuple[Equal, ...]
    """Those that differed."""
    changes: tuple[tuple[Change, ...], ...]
    """For each side, all together."""
    remaining: tuple[Aspect, ...]
    """Those that differ all the same."""


def equalise(sides: Sequence[Facts], keep: Collection[str] = ()) -> Equalised:
    """Make sides equal wherever a parameter, a driver option or a limit can.

    :param sides: drafts, in the order of the sheet; of values that need equally many changes that
        of an earlier side is taken.
    :param keep: aspects that are left as they are.
    """
    effort = Effort()
    first = tuple(equal_in(aspect, sides, effort) for aspect in _differing(sides, keep))
    now, steps = list(sides), list(first)
    for _ in range(MOST_PASSES):
        for step in steps:
            # Found for the sides as they were; an earlier step may have done it, or moved it.
            fresh = equal_in(step.aspect, now, effort)
            if fresh.value is not None:
                now = [_with(side, each) for side, each in zip(now, fresh.changes, strict=True)]
        left = _differing(now, keep)
        found = (equal_in(aspect, now, effort) for aspect in left)
        steps = [step for step in found if step.value is not None]
        if not steps:
            break
    return Equalised(
        first,
        tuple(_difference(old, new) for old, new in zip(sides, now, strict=True)),
        tuple(_differing(now, keep)),
    )


def equal_in(aspect: Aspect, sides: Sequence[Facts], effort: Effort | None = None) -> Equal:
    """The value with the fewest changes that all sides can have.

    One that some side has already; else one that the plugins' rules name, for two systems may have
    a third way in common.
    """
    effort = effort or Effort()
    values = [value_of(side, aspect) for side in sides]
    reached = [False] * len(sides)
    for wanted in (_distinct(values), _named(aspect, sides)):
        best: Equal | None = None
        for value in wanted:
            found = [
                () if own == value else changes_for(side, aspect, value, effort)
                for side, own in zip(sides, values, strict=True)
            ]
            for index, (each, own) in enumerate(zip(found, values, strict=True)):
                reached[index] |= each is not None and own != value
            complete = tuple(each for each in found if each is not None)
            fewer = best is None or _size(complete) < _size(best.changes)
            if len(complete) == len(sides) and fewer:
                best = Equal(aspect, value, complete)
        if best is not None:
            return best
    return Equal(aspect, None, cannot=tuple(i for i, each in enumerate(reached) if not each))


def _distinct(values: Sequence[Value | None]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if value is not None and value not in found:
            found.append(value)
    return found


def _named(aspect: Aspect, sides: Sequence[Facts]) -> list[Value]:
    """Values that rules give without drawing anything."""
    named: list[Value | None] = []
    for side in sides:
        for rule in rules_of(side, aspect):
            parts = rule.parts()
            if rule.value != UNKNOWN and not any(isinstance(p, Drawn) for p in parts.values()):
                named.append(FORMS[aspect].validate_python(parts.get("", parts)))
    return _distinct(named)


def changes_for(
    side: Facts, aspect: Aspect, wanted: Value, effort: Effort
) -> tuple[Change, ...] | None:
    """The fewest changes of a draft that give an aspect a value; None: there are none.

    Of equally many those are taken that move fewest other aspects. Limits are the last resort: a
    system that does not know of its limit is killed at it.
    """
    if not effort.spend(side, aspect):
        return None
    knobs = list(_knobs(side, aspect, wanted))
    limits = list(_limits(side, aspect, wanted))
    return _search(side, aspect, wanted, knobs, effort) or _search(
        side, aspect, wanted, [*limits, *knobs], effort
    )


def _search(
    side: Facts,
    aspect: Aspect,
    wanted: Value,
    knobs: Sequence[Sequence[Change]],
    effort: Effort,
) -> tuple[Change, ...] | None:
    before: Comparables | None = None
    for together in range(1, min(MOST_TOGETHER, len(knobs)) + 1):
        tries = (
            changes for chosen in combinations(knobs, together) for changes in product(*chosen)
        )
        found: tuple[int, tuple[Change, ...]] | None = None
        for changes in islice(tries, MOST_TRIES):
            if not effort.spend(side, aspect):
                break
            tried = _with(side, changes)
            if value_of(tried, aspect) == wanted:
                before = before or translate(side).values
                after = translate(tried).values
                moved = sum(getattr(before, one) != getattr(after, one) for one in ASPECTS)
                if found is None or moved < found[0]:
                    found = (moved, changes)
        if found is not None:
            return found[1]
    return None


def _differing(sides: Sequence[Facts], keep: Collection[str]) -> list[Aspect]:
    found: list[Aspect] = []
    for aspect in (one for one in ASPECTS if one not in keep):
        values = [value_of(side, aspect) for side in sides]
        known = [value for value in values if value is not None]
        if known and any(value != known[0] for value in values):
            found.append(aspect)
    return found


def _size(changes: Sequence[Sequence[Change]]) -> int:
    return sum(map(len, changes))


# what can be turned, and to what


def _knobs(side: Facts, aspect: Aspect, wanted: Value) -> Iterator[list[Change]]:
    """Each parameter or option that the aspect depends on, with the changes to try."""
    target, rules = side.target, rules_of(side, aspect)
    ours = target.deployment != "external"
    for name in dict.fromkeys(name for rule in rules for name in rule.facts()):
        is_option = name.startswith("option:")
        if name.startswith(("setting:", "topology:")) or name == "deployment":
            continue
        # What a tool makes of an option is its own affair; parameters of others are not ours.
        if (is_option and side.tool is not None) or not (is_option or ours):
            continue
        group: Group = "driver_options" if is_option else "parameters"
        plain = name.removeprefix("option:")
        schemas = side.manifest.driver.options if is_option else side.manifest.parameters
        schema = declared(schemas).get(plain, {})
        now = getattr(target, group).get(plain)
        default = schema.get("default")
        tries = [
            Change(group, plain, now, None if value == default else value)
            for value in _values(side, aspect, name, schema, wanted)
            if value != (default if now is None else now)
        ]
        if tries:
            yield list(dict.fromkeys(tries))


def _values(
    side: Facts, aspect: Aspect, name: str, schema: Mapping[str, object], wanted: Value
) -> Iterator[Scalar]:
    """What the schema names, what the rules ask for, and what the wanted value is drawn from."""
    candidates: list[Scalar] = []
    choices = schema.get("enum")
    if isinstance(choices, list):
        candidates += choices
    if schema.get("type") == "boolean":
        candidates += [True, False]
    for rule in rules_of(side, aspect):
        candidates += _asked(rule.when.get(name))
        for part, drawn in rule.parts().items():
            if isinstance(drawn, Drawn) and drawn.of == name:
                candidates += _solved(wanted, part, drawn)
    default = schema.get("default")
    if isinstance(default, bool | int | float | str):
        candidates.append(default)
    for value in candidates:
        fitting = int(value) if isinstance(value, float) and value.is_integer() else value
        if not value_problems(schema, fitting):
            yield fitting


def _asked(condition: Wanted | None) -> list[Scalar]:
    if isinstance(condition, Condition):
        return [bound for bound in (condition.at_least, condition.at_most) if bound is not None]
    if condition is None:
        return []
    return list(condition) if isinstance(condition, tuple) else [condition]


def _solved(wanted: Value, part: str, drawn: Drawn) -> list[Scalar]:
    """What a fact has to be for the value that is drawn from it."""
    aim = getattr(wanted, part, None) if part else wanted
    if isinstance(aim, str):
        return [*(word for word, meant in drawn.words.items() if meant == aim), aim]
    if isinstance(aim, int | float) and drawn.times:
        solved = aim / drawn.times
        if not math.isfinite(solved):
            return []
        return [round(solved) if abs(solved - round(solved)) < 1e-9 else solved, f"{solved:g}"]  # noqa: PLR2004 - what floating point leaves
    return []


def _limits(side: Facts, aspect: Aspect, wanted: Value) -> Iterator[list[Change]]:
    limits = side.target.limits
    if side.target.deployment not in OWN_NODES:
        return
    if aspect == "processors":
        after = float(wanted) if isinstance(wanted, float | int) else None
        if after != limits.cpus:
            yield [Change("limits", "cpus", limits.cpus, after)]
    elif aspect == "memory" and isinstance(wanted, Memory):
        now = limits.memory_mebibytes
        tries: list[int | None] = [None]
        if isinstance(wanted.bytes, int) and wanted.bytes and wanted.bytes % MEBIBYTE == 0:
            tries.insert(0, wanted.bytes // MEBIBYTE)
        found = [Change("limits", "memory_mebibytes", now, each) for each in tries if each != now]
        if found:
            yield found


# carrying it out


def _with(side: Facts, changes: Sequence[Change]) -> Facts:
    target = side.target
    for change in changes:
        if change.group == "limits":
            limits = target.limits.model_copy(update={change.name: change.after})
            target = target.model_copy(
                update={"limits": Limits.model_validate(limits.model_dump())}
            )
            continue
        values = dict(getattr(target, change.group))
        values.pop(change.name, None)
        if change.after is not None:
            values[change.name] = change.after
        target = target.model_copy(update={change.group: values})
    return replace(side, target=target)


def _difference(old: Facts, new: Facts) -> tuple[Change, ...]:
    found: list[Change] = []
    groups: tuple[Group, ...] = ("parameters", "driver_options")
    for group in groups:
        before, after = getattr(old.target, group), getattr(new.target, group)
        found += [
            Change(group, name, before.get(name), after.get(name))
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name)
        ]
    before, after = old.target.limits.model_dump(), new.target.limits.model_dump()
    found += [
        Change("limits", name, before[name], after[name])
        for name in before
        if before[name] != after[name]
    ]
    return tuple(found)
