"""The fairness sheet: what differs between sides besides what is compared. Pure.

A difference between two sides can be explained by everything that differs between them. Each
aspect is one row: a value for each side, whether they agree, and whether it is a *confounder*, that
is, an aspect that could itself explain a difference of the figures.

System and version are what people compare, so they are no confounders. When all sides are the same
system and version and exactly one other aspect differs, that aspect is what is being compared; as
soon as two differ, their effects cannot be told apart and both are confounders.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

NOT_KNOWN = "not known"


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
    aspects: Mapping[str, str] = field(default_factory=dict)
    """Aspect (`durability`, `consistency`, `memory`, `threads`, …) → in words."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters set by the experiment, by name."""
    driver: str | None = None
    driver_options: Mapping[str, str] = field(default_factory=dict)
    machine: str | None = None
    """CPU, cores, memory and kernel in words; sides with equal words ran on equal machines."""
    machines: str | None = None
    """Which machines, where they are not the same one for all sides."""
    co_located: bool | None = None
    tuning: str | None = None
    repeats: int | None = None


@dataclass(frozen=True)
class AspectRow:
    """One aspect of all sides, in their order."""

    aspect: str
    label: str
    values: tuple[str, ...]
    same: bool
    confounder: bool
    explanation: str


@dataclass(frozen=True)
class _Aspect:
    name: str
    label: str
    explanation: str
    confounds: bool
    value: Callable[[SideFacts], object]


_SUBJECT = ("system", "version")

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
)

_NAMED: dict[str, tuple[str, str]] = {
    "durability": (
        "Durability",
        "Writing to disk before answering costs time, and loses less in a crash.",
    ),
    "consistency": ("Consistency", "Stronger guarantees cost round trips."),
    "memory": ("Memory limit", "More memory for data and caches means fewer misses."),
    "threads": ("Server threads", "More threads use more cores."),
    "network": ("Network", "A call within a process, a socket and a network cost differently."),
    "compression": ("Compression", "Compressing trades CPU for space."),
    "eviction": ("Eviction", "A cache that may evict does less than a store that must keep."),
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
        "driver_options",
        "Driver options",
        "How records are laid out and asked for.",
        True,
        lambda side: _listed(side.driver_options),
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
    aspects = [*_FIXED, *_named_aspects(sides), *_parameter_aspects(sides), *_CIRCUMSTANCES]
    rows = [row for aspect in aspects if (row := _row(aspect, sides)) is not None]
    return _with_subject(rows)


def confounders(rows: Sequence[AspectRow]) -> list[AspectRow]:
    """The rows that could explain a difference of the figures by themselves."""
    return [row for row in rows if row.confounder]


def _named_aspects(sides: Sequence[SideFacts]) -> list[_Aspect]:
    names = {name for side in sides for name in side.aspects}
    ordered = [name for name in _NAMED if name in names] + sorted(names - _NAMED.keys())
    found = []
    for name in ordered:
        label, explanation = _NAMED.get(
            name, (name.replace("_", " ").capitalize(), "Declared by the plugins.")
        )
        if name != "replication":
            found.append(_Aspect(name, label, explanation, True, _aspect_value(name)))
    return found


def _aspect_value(name: str) -> Callable[[SideFacts], object]:
    return lambda side: side.aspects.get(name)


def _parameter_aspects(sides: Sequence[SideFacts]) -> list[_Aspect]:
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
    ]


def _parameter_value(name: str) -> Callable[[SideFacts], object]:
    return lambda side: side.parameters.get(name, "default")


def _row(aspect: _Aspect, sides: Sequence[SideFacts]) -> AspectRow | None:
    raw = [aspect.value(side) for side in sides]
    if all(value is None for value in raw):
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
    )


def _with_subject(rows: list[AspectRow]) -> list[AspectRow]:
    """Clear the only confounder when nothing else is compared: it is then the subject."""
    by_name = {row.aspect: row for row in rows}
    subject_differs = any(name in by_name and not by_name[name].same for name in _SUBJECT)
    found = [row for row in rows if row.confounder]
    if subject_differs or len(found) != 1:
        return rows
    only = found[0]
    cleared = AspectRow(
        only.aspect,
        only.label,
        only.values,
        same=False,
        confounder=False,
        explanation=f"The only difference, so what is compared. {only.explanation}",
    )
    return [cleared if row is only else row for row in rows]


def _listed(options: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(options.items())) or "none"
