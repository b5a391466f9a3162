"""The fairness sheet: what differs between sides besides what is compared. Pure.

A difference between two sides can be explained by everything that differs between them. Each
aspect is one row: a value for each side, whether they agree, and whether it is a *confounder*, that
is, an aspect that could itself explain a difference of the figures.

System and version are what people compare, so they are no confounders. When all sides are the same
system and version and exactly one other aspect differs, that aspect is what is being compared; as
soon as two differ, their effects cannot be told apart and both are confounders, except for those
that the sides' experiments declare as factors: what they were made to differ in.

What systems promise and are given is compared in one vocabulary (`weighhouse_protocol.fairness`),
whatever their parameters are called. A parameter or driver option that decided an aspect which
differs stands below it, and makes no row of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from weighhouse_protocol.fairness.facts import Seen
from weighhouse_protocol.fairness.translation import Translated
from weighhouse_protocol.fairness.vocabulary import ASPECTS, Aspect, Comparables

from weighhouse_judging.fairness.roles import avoidable, favoured
from weighhouse_judging.fairness.words import SHOWN, in_words

Role = Literal["same", "harmless", "compared", "may_explain", "cannot_be_avoided"]
"""What a row is to a comparison; `harmless` differs and shifts no figure."""

NOT_KNOWN = "not known"
LOADED = "loaded for each run"
WARM = "as the load left them"

NOTHING_KNOWN = Translated(Comparables(), {})


@dataclass(frozen=True)
class SideFacts:
    """What is known of one side. None means not known."""

    key: str
    label: str
    system: str
    version: str | None = None
    deployment: str | None = None
    nodes: int | None = None
    replication_factor: int | None = None
    data: str | None = None
    """Whose records are measured, where the target says."""
    caches: str | None = None
    """What was done to caches between load and measurement."""
    translated: Translated = NOTHING_KNOWN
    """What it promises and is given, in the vocabulary."""
    aspects: Mapping[str, str] = field(default_factory=dict)
    """What the vocabulary has no word for (`threads`, …) → in words."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters set by the experiment, by name."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings beside parameters, by the system's own names."""
    configured: Mapping[str, str] = field(default_factory=dict)
    """The values that all parameters have, as far as they are known."""
    driver: str | None = None
    driver_options: Mapping[str, str] = field(default_factory=dict)
    """Options of the driver set by the experiment, by name."""
    option_defaults: Mapping[str, str] = field(default_factory=dict)
    machine: str | None = None
    """CPU, cores, memory and kernel in words; sides with equal words ran on equal machines."""
    machines: str | None = None
    """Which machines, where they are not the same one for all sides."""
    co_located: bool | None = None
    tuning: str | None = None
    repeats: int | None = None
    factors: frozenset[str] = frozenset()
    """Aspects that its experiment declares as what is compared."""


@dataclass(frozen=True)
class AspectRow:
    """One aspect of all sides, in their order."""

    aspect: str
    label: str
    values: tuple[str, ...]
    same: bool
    confounder: bool
    explanation: str
    raw: tuple[tuple[Seen, ...], ...] = ()
    """Of each side: the settings that its value was concluded from."""
    role: Role = "same"
    favours: tuple[int, ...] = ()
    """Places of the sides that the difference likely makes look better; empty: not said."""


@dataclass(frozen=True)
class _Aspect:
    name: str
    label: str
    explanation: str
    confounds: bool
    value: Callable[[SideFacts], object]
    usual: object = None
    """A value that says nothing where all sides have it."""


_SUBJECT = ("system", "version")
_HARMLESS = frozenset({"repeats"})

_FIXED: tuple[_Aspect, ...] = (
    _Aspect("system", "System", "What is compared.", False, lambda side: side.system),
    _Aspect("version", "Version", "The version that really ran.", False, lambda side: side.version),
    _Aspect(
        "deployment",
        "Deployment",
        "A container, a process and a library inside the driver have different costs.",
        True,
        lambda side: side.deployment,
    ),
    _Aspect("nodes", "Nodes", "More nodes bring more cores.", True, lambda side: side.nodes),
    _Aspect(
        "replication",
        "Replication factor",
        "Each copy of a record costs a write.",
        True,
        lambda side: side.replication_factor,
    ),
    _Aspect(
        "data",
        "Records",
        "Records that each run loads, that repeats share, or that were there before are laid out "
        "and cached differently.",
        True,
        lambda side: side.data,
        usual=LOADED,
    ),
    _Aspect(
        "caches",
        "Caches",
        "What the load left in caches is read from memory; after a restart, or from files of which "
        "nothing is cached, reads ask the disk.",
        True,
        lambda side: side.caches,
        usual=WARM,
    ),
)

_NAMED: dict[str, tuple[str, str]] = {
    "threads": ("Server threads", "More threads use more cores."),
}

_CIRCUMSTANCES: tuple[_Aspect, ...] = (
    _Aspect(
        "machine", "Machine", "Another machine is another scale.", True, lambda side: side.machine
    ),
    _Aspect(
        "machines",
        "Which machines",
        "Two machines of one kind still differ; measure the sides of a block on the same ones.",
        True,
        lambda side: side.machines,
    ),
    _Aspect(
        "co_located",
        "Driver on the same machine",
        "Sharing a machine takes cores from the system.",
        True,
        lambda side: None if side.co_located is None else ("yes" if side.co_located else "no"),
    ),
    _Aspect(
        "driver",
        "Load driver",
        "Different drivers have different costs of their own.",
        True,
        lambda side: side.driver,
    ),
    _Aspect(
        "tuning",
        "Configured by",
        "A side tuned by its vendor has an advantage over one left at its defaults.",
        True,
        lambda side: side.tuning,
    ),
    _Aspect(
        "repeats",
        "Repeats",
        "Fewer repeats make a wider interval; they do not shift the figure.",
        False,
        lambda side: side.repeats,
    ),
)


def fairness_sheet(sides: Sequence[SideFacts]) -> list[AspectRow]:
    """One row an aspect, in reading order; aspects that no side knows are left out.

    A value that is not known on some side makes a row differ: not knowing is not agreeing.
    """
    if not sides:
        return []
    typed = [row for aspect in ASPECTS if (row := _typed(aspect, sides)) is not None]
    told = {
        (seen.origin == "option", seen.parameter or seen.name)
        for row in typed
        if not row.same
        for side in row.raw
        for seen in side
    }
    aspects = [
        *_named_aspects(sides),
        *_parameter_aspects(sides, told),
        *_setting_aspects(sides),
        *_option_aspects(sides, told),
        *_CIRCUMSTANCES,
    ]
    rows = [row for aspect in _FIXED if (row := _row(aspect, sides)) is not None]
    rows += typed
    rows += [row for aspect in aspects if (row := _row(aspect, sides)) is not None]
    factors = frozenset.intersection(*(side.factors for side in sides))
    return [_with_role(row, sides) for row in _with_subject(rows, factors)]


def confounders(rows: Sequence[AspectRow]) -> list[AspectRow]:
    """The rows that could explain a difference of the figures by themselves."""
    return [row for row in rows if row.confounder]


def _typed(aspect: Aspect, sides: Sequence[SideFacts]) -> AspectRow | None:
    """A row of the vocabulary: alike are equal values, whatever they were concluded from."""
    values = [side.translated.value(aspect) for side in sides]
    if all(value is None for value in values):
        return None
    first = values[0]
    same = first is not None and all(value == first for value in values)
    return AspectRow(
        aspect,
        SHOWN[aspect].label,
        tuple(NOT_KNOWN if value is None else in_words(aspect, value) for value in values),
        same,
        confounder=not same,
        explanation=SHOWN[aspect].explanation,
        raw=tuple(side.translated.seen.get(aspect, ()) for side in sides),
        favours=favoured(aspect, values),
    )


def _named_aspects(sides: Sequence[SideFacts]) -> list[_Aspect]:
    found = []
    for name in dict.fromkeys(
        [*_NAMED, *sorted({name for side in sides for name in side.aspects})]
    ):
        label, explanation = _NAMED.get(
            name, (name.replace("_", " ").capitalize(), "Declared by the plugins.")
        )
        found.append(_Aspect(name, label, explanation, True, _aspect_value(name)))
    return found


def _aspect_value(name: str) -> Callable[[SideFacts], object]:
    return lambda side: side.aspects.get(name)


def _parameter_aspects(sides: Sequence[SideFacts], told: set[tuple[bool, str]]) -> list[_Aspect]:
    """Parameters are comparable only between sides of one system."""
    if len({side.system for side in sides}) != 1:
        return []
    names = sorted({name for side in sides for name in side.parameters})
    return [
        _Aspect(
            f"parameter:{name}",
            f"Parameter {name}",
            "Set by the experiment.",
            True,
            _parameter_value(name),
        )
        for name in names
        if (False, name) not in told
    ]


def _parameter_value(name: str) -> Callable[[SideFacts], object]:
    return lambda side: side.configured.get(name, side.parameters.get(name, "default"))


def _setting_aspects(sides: Sequence[SideFacts]) -> list[_Aspect]:
    """Between sides of one system each by itself; of several, all together, where there are any."""
    explanation = "Set by the experiment beside parameters, as the system itself calls it."
    names = sorted({name for side in sides for name in side.settings})
    if len({side.system for side in sides}) == 1:
        return [
            _Aspect(f"setting:{name}", f"Setting {name}", explanation, True, _own_setting(name))
            for name in names
        ]
    every = _Aspect("settings", "Settings beside parameters", explanation, True, _own_settings)
    return [every] if names else []


def _own_setting(name: str) -> Callable[[SideFacts], object]:
    return lambda side: side.settings.get(name, "default")


def _own_settings(side: SideFacts) -> object:
    return ", ".join(f"{name} {value}" for name, value in sorted(side.settings.items())) or "none"


def _option_aspects(sides: Sequence[SideFacts], told: set[tuple[bool, str]]) -> list[_Aspect]:
    """Of one driver each option by itself; of several, all that no aspect has told, together."""
    explanation = "How records are laid out and asked for."
    names = sorted({name for side in sides for name in side.driver_options})
    left = [name for name in names if (True, name) not in told]
    if len({side.driver for side in sides}) == 1:
        return [
            _Aspect(f"option:{name}", f"Driver option {name}", explanation, True, _option(name))
            for name in left
        ]
    return [_Aspect("driver_options", "Driver options", explanation, True, _options(left))]


def _option(name: str) -> Callable[[SideFacts], object]:
    return lambda side: side.driver_options.get(name, side.option_defaults.get(name, "default"))


def _options(names: Sequence[str]) -> Callable[[SideFacts], object]:
    return lambda side: _listed(
        {name: value for name, value in side.driver_options.items() if name in names}
    )


def _row(aspect: _Aspect, sides: Sequence[SideFacts]) -> AspectRow | None:
    raw = [aspect.value(side) for side in sides]
    if all(value in (None, aspect.usual) for value in raw):
        return None
    values = tuple(NOT_KNOWN if value is None else str(value) for value in raw)
    same = len(set(values)) == 1
    return AspectRow(
        aspect.name,
        aspect.label,
        values,
        same,
        confounder=aspect.confounds and not same,
        explanation=aspect.explanation,
        favours=favoured(aspect.name, raw),
    )


def _with_subject(rows: list[AspectRow], factors: frozenset[str]) -> list[AspectRow]:
    """Clear what is compared where system and version are not: the factors that all sides declare,
    without any the only confounder. Between systems a factor stays a confounder, and says why.
    """
    found = [row for row in rows if row.confounder]
    declared = [row.aspect for row in found if row.aspect in factors]
    if any(row.aspect in _SUBJECT and not row.same for row in rows):
        return [_said(row, OF_ONE_SYSTEM) if row.aspect in declared else row for row in rows]
    if declared:
        labels = {row.aspect: row.label for row in found}
        return [
            _cleared(row, _declared([labels[one] for one in declared if one != row.aspect]))
            if row.aspect in declared
            else row
            for row in rows
        ]
    if len(found) == 1:
        return [_cleared(row, ONLY) if row is found[0] else row for row in rows]
    return rows


ONLY = "The only difference, so what is compared."
OF_ONE_SYSTEM = "Declared as a factor, which it can be between sides of one system and version."


def _declared(others: Sequence[str]) -> str:
    together = f", together with {', '.join(others)}: not told apart" if others else ""
    return f"Declared as what is compared{together}."


def _said(row: AspectRow, why: str) -> AspectRow:
    return replace(row, explanation=f"{why} {row.explanation}")


def _cleared(row: AspectRow, why: str) -> AspectRow:
    return replace(_said(row, why), confounder=False)


def _with_role(row: AspectRow, sides: Sequence[SideFacts]) -> AspectRow:
    """Say what a row is to the comparison; what is compared, or alike, favours nobody."""
    role: Role = "may_explain"
    if row.same:
        role = "same"
    elif not row.confounder:
        role = "harmless" if row.aspect in _HARMLESS else "compared"
    elif not avoidable(
        row.aspect,
        one_system=len({side.system for side in sides}) == 1,
        in_process=[side.deployment == "in_process" for side in sides],
    ):
        role = "cannot_be_avoided"
    return replace(row, role=role, favours=row.favours if row.confounder else ())


def _listed(options: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(options.items())) or "none"
