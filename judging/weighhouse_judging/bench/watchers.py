"""Rules that the detection bench holds against each other, looked at a series run by run. Pure.

`RULES` holds the rule that ships, that rule without each of its parts, and the one it replaced, so
that what each part is for can be seen in figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from weighhouse_judging.bench import former
from weighhouse_judging.series.change_points import find_changes, known_of
from weighhouse_judging.series.changes import RULE, Known, Point, Profile, Rule, same_change
from weighhouse_judging.series.course import MODEL, Kind
from weighhouse_judging.series.scan import Memory


@dataclass(frozen=True)
class Alert:
    """A change that a look confirmed for the first time."""

    kind: Kind
    index: int
    strict: bool


class Watcher(Protocol):
    """Something that looks at a growing series."""

    def look(self, points: Sequence[Point]) -> list[Alert]:
        """The changes that are new since the last look."""
        ...

    def steps(self) -> list[int]:
        """Where all steps are that were confirmed so far."""
        ...


class RuleWatcher:
    """Looks by a rule of `series.watching`, as the platform does after each campaign."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._known: list[Known] = []

    def look(self, points: Sequence[Point]) -> list[Alert]:
        """The changes that are new since the last look."""
        changes = find_changes(points, self._known, rule=self._rule)
        new = changes[len(self._known) :]
        self._known = known_of(changes)
        return [
            Alert(one.kind, one.index, one.profile == self._rule.strict.name)
            for one in new
            if one.status == "confirmed"
        ]

    def steps(self) -> list[int]:
        """Where all steps are that were confirmed so far."""
        return [known.index for known in self._known if known.kind == "step"]


class FormerWatcher:
    """E-divisive, a t-test, a rank test: the rule before machines, correlation and drift."""

    def __init__(self) -> None:
        self._known: list[int] = []

    def look(self, points: Sequence[Point]) -> list[Alert]:
        """The changes that are new since the last look."""
        alerts = []
        for shift in former.find_shifts([point.value for point in points]):
            seen = any(same_change(shift.index, known) for known in self._known)
            if shift.status == "confirmed" and not seen:
                self._known.append(shift.index)
                alerts.append(Alert("step", shift.index, shift.profile == "strict"))
        return alerts

    def steps(self) -> list[int]:
        """Where all steps are that were confirmed so far."""
        return self._known


def _by(rule: Rule) -> Callable[[], Watcher]:
    return lambda: RuleWatcher(rule)


SHIPPED = "shipped"

RULES: dict[str, Callable[[], Watcher]] = {
    SHIPPED: _by(RULE),
    "twice the p": _by(replace(RULE, watch=Profile("watch", RULE.watch.evident_p * 2))),
    "a tenth of the p": _by(replace(RULE, watch=Profile("watch", RULE.watch.evident_p / 10))),
    "points independent": _by(replace(RULE, model=replace(MODEL, memories=(Memory(),)))),
    "correlation fixed at 0.6": _by(replace(RULE, model=replace(MODEL, memories=(Memory(0.6),)))),
    "outliers as they are": _by(replace(RULE, model=replace(MODEL, clip=1e9))),
    "places not told apart": _by(replace(RULE, model=replace(MODEL, place_sigma=None))),
    "a step whatever a drift explains": _by(replace(RULE, margin=-1e9)),
    "E-divisive, t and rank test (former)": FormerWatcher,
}
