"""Names of sides: what a person called them, else the system; and of those of one name what parts
them, in the fewest words. Pure.

A target's own name is an identifier (`redis-2`): it parts two sides for a program, and tells a
reader nothing.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weighhouse_protocol.fairness.facts import Facts, plain, setting_name
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.target import Caches, Data, Target
from weighhouse_protocol.text import numbered

LONGEST_VALUE = 32
"""Letters of a value in a name; of a longer one the part that differs is shown."""
BEFORE_IT = 6
"""Letters that are shown before the first that differs."""
MEBIBYTE = 2**20
RECORDS: Mapping[Data, str] = {
    "fresh": "loaded for each run",
    "once": "loaded once",
    "keep": "records there before",
}
CACHED: Mapping[Caches, str] = {
    "warm": "caches warm from the load",
    "restarted": "restarted after the load",
    "dropped": "caches dropped after the load",
}
DEPLOYED: Mapping[str, str] = {
    "process": "as a process",
    "docker": "in a container",
    "external": "set up by others",
    "in_process": "inside the driver",
}
OF_A_TARGET = ("parameter:", "setting:", "option:")
"""Beginnings of the traits that one target of a system has, and another may leave out."""


@dataclass(frozen=True)
class Trait:
    """Something that may part a side from others."""

    what: str
    """What is meant: `appendfsync`; empty where the value says it."""
    value: str
    is_name: bool = False
    """Does it stand right behind the system's name, as a version does?"""


@dataclass(frozen=True)
class Origin:
    """Which campaign a side comes from."""

    number: int
    day: str
    """On which it was asked for, ISO."""
    experiment: str


@dataclass(frozen=True)
class Bearer:
    """A side to be named."""

    label: str
    """What a person called it; empty: nothing."""
    system: str
    traits: Mapping[str, Trait]
    """What is known of it, what people look for first before the rest."""


def bearer(
    target: Target,
    manifest: Manifest | None,
    tool: Manifest | None = None,
    *,
    ran: str | None = None,
    origin: Origin | None = None,
) -> Bearer:
    """A target as it may be named.

    What was ordered goes before what ran, so that names stay as they are while a campaign is
    measured.

    :param manifest: of its system; None: nobody brought the plugin.
    :param tool: of the load tool in the driver's place.
    :param ran: the version that ran.
    """
    system = target.system if manifest is None else manifest.name
    traits = dict(_ordered(target, manifest, tool, system))
    if ran is not None:
        traits["ran"] = Trait("version", ran, is_name=True)
    if origin is not None:
        traits["campaign"] = Trait("", numbered(origin.number), is_name=True)
        traits["day"] = Trait("of", origin.day)
        traits["experiment"] = Trait("of", origin.experiment)
    return Bearer(" ".join(target.label.split()), system, traits)


def names(bearers: Sequence[Bearer]) -> list[str]:
    """The names of sides that are shown together, in their order; no two are alike.

    A label stands alone where no other side has it, and so does the system. Sides that share one
    are told by the trait that parts most of them, those that still share it by the next: `Redis,
    appendfsync always`, `Redis, appendfsync everysec`. Of sides that nothing parts, it is said how
    many are alike.
    """
    groups: dict[str, list[int]] = {}
    for place, one in enumerate(bearers):
        groups.setdefault(one.label or one.system, []).append(place)
    found = [""] * len(bearers)
    for base, places in groups.items():
        for place, parts in _parted(bearers, places).items():
            own = base == bearers[place].system
            found[place] = _written(base, parts, is_system=own)
    return _counted(found)


def target_names(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> dict[str, str]:
    """What the targets of one document are called, by their own names.

    :param manifests: by identifier of the plugin.
    """
    called = names(_bearers(targets, manifests))
    return {target.name: name for target, name in zip(targets, called, strict=True)}


def twins(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> dict[str, str]:
    """Targets that are the same as an earlier one in all but name and label: its name, by theirs.

    A default counts as what is set to it.

    :param manifests: by identifier of the plugin.
    """
    found: dict[str, str] = {}
    seen: list[tuple[Mapping[str, Trait], str]] = []
    for target, one in zip(targets, _bearers(targets, manifests), strict=True):
        first = next((name for traits, name in seen if traits == one.traits), None)
        if first is None:
            seen.append((one.traits, target.name))
        else:
            found[target.name] = first
    return found


def _bearers(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> list[Bearer]:
    return [
        bearer(one, manifests.get(one.system), manifests.get(one.tool or "")) for one in targets
    ]


def _ordered(
    target: Target, manifest: Manifest | None, tool: Manifest | None, system: str
) -> Iterator[tuple[str, Trait]]:
    """Traits that stand in the document."""
    yield "system", Trait("", system)
    if target.version != "any":
        yield "version", Trait("version", target.version, is_name=True)
    yield "deployment", Trait("", DEPLOYED.get(target.deployment, target.deployment))
    yield "data", Trait("", RECORDS[target.data])
    yield "caches", Trait("", CACHED[target.caches or "warm"])
    topology, limits = target.topology, target.limits
    yield "nodes", Trait("", _many(topology.nodes, "node", "nodes"))
    yield "copies", Trait("", _many(topology.replication_factor, "copy", "copies"))
    memory, cpus = limits.memory_mebibytes, limits.cpus
    yield "memory", Trait("", "all memory" if memory is None else f"{memory} MiB of memory")
    yield "cpus", Trait("", "all CPUs" if cpus is None else _many(cpus, "CPU", "CPUs"))
    yield from _parameters(target, manifest, tool)
    driver = "its own driver" if target.tool is None else tool.name if tool else target.tool
    yield "tool", Trait("", f"loaded by {driver}")
    yield from _options(target, manifest, tool)
    if target.edition is not None:
        yield "edition", Trait("edition", target.edition)
    if target.deployment == "docker":
        yield "image", Trait("image", target.image or "of the plugin")
    if target.plugin_version != "any":
        yield "plugin", Trait("plugin", target.plugin_version)
    if target.endpoints:
        yield "endpoints", Trait("at", ", ".join(target.endpoints))


def _parameters(
    target: Target, manifest: Manifest | None, tool: Manifest | None
) -> Iterator[tuple[str, Trait]]:
    """Settings by the system's own names, with defaults where a manifest says them."""
    facts = None if manifest is None else Facts(target, manifest, tool)
    schemas = {} if manifest is None else declared(manifest.parameters)
    for name in dict.fromkeys([*schemas, *target.parameters]):
        schema = schemas.get(name, {})
        value: object = target.parameters.get(name)
        if value is None and facts is not None:
            value = facts.value(name)
        if value is not None:
            told = _told(value, str(schema.get("x-unit", "")))
            yield f"parameter:{name}", Trait(setting_name(name, schema), told)
    for name, value in sorted(target.settings.items()):
        yield f"setting:{name}", Trait(name, _told(value, ""))


def _options(
    target: Target, manifest: Manifest | None, tool: Manifest | None
) -> Iterator[tuple[str, Trait]]:
    """Options of the driver, or of the tool in its place."""
    facts = None if manifest is None else Facts(target, manifest, tool)
    schemas = {} if manifest is None else declared(manifest.driver.options)
    for name in dict.fromkeys([*schemas, *target.driver_options]):
        value: object = target.driver_options.get(name)
        if value is None and facts is not None:
            value = facts.value(f"option:{name}")
        if value is not None:
            told = _told(value, str(schemas.get(name, {}).get("x-unit", "")))
            yield f"option:{name}", Trait(f"driver's {name}", told)


def _parted(bearers: Sequence[Bearer], places: Sequence[int]) -> dict[int, list[Trait]]:
    """What parts some sides from each other, side by side."""
    if len(places) == 1:
        return {places[0]: []}
    one_system = len({bearers[place].system for place in places}) == 1
    keys = dict.fromkeys(key for place in places for key in bearers[place].traits)
    best: list[Trait] = []
    for key in keys:
        told = _told_by(key, [bearers[place] for place in places], one_system=one_system)
        if told is not None and len(set(told)) > max(1, len(set(best))):
            best = told
    if not best:
        return {
            place: [Trait("", f"{at} of {len(places)} alike")] for at, place in enumerate(places, 1)
        }
    short = shortened([trait.value for trait in best])
    groups: dict[Trait, list[int]] = {}
    for place, trait in zip(places, best, strict=True):
        groups.setdefault(trait, []).append(place)
    found = {}
    for trait, mine in groups.items():
        shown = Trait(trait.what, short[trait.value], trait.is_name)
        for place, more in _parted(bearers, mine).items():
            found[place] = [shown, *more]
    return found


def _told_by(key: str, group: Sequence[Bearer], *, one_system: bool) -> list[Trait] | None:
    """One trait of some sides; None where it is not known of one of them."""
    known = [one.traits.get(key) for one in group]
    what = next(trait.what for trait in known if trait is not None)
    default = one_system and key.startswith(OF_A_TARGET)
    found = []
    for trait in known:
        if trait is None and not default:
            return None
        found.append(Trait(what, "default") if trait is None else trait)
    return found


def shortened(values: Sequence[str]) -> dict[str, str]:
    """Values as they stand in names: of those that are long, the part that differs.

    Values that differ stay different.
    """
    if all(len(value) <= LONGEST_VALUE for value in values):
        return {value: value for value in values}
    alike = 0
    while all(len(value) > alike and value[alike] == values[0][alike] for value in values):
        alike += 1
    begin = max(0, alike - BEFORE_IT) if len(set(values)) > 1 else 0
    found = {value: _window(value, begin) for value in values}
    if len(set(found.values())) == len(found):
        return found
    return {value: f"{short} ({_digest(value)})" for value, short in found.items()}


def _window(value: str, begin: int) -> str:
    if len(value) <= LONGEST_VALUE:
        return value
    end = begin + LONGEST_VALUE
    before, after = "…" if begin else "", "…" if end < len(value) else ""
    return f"{before}{value[begin:end]}{after}"


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:4]


def _written(base: str, parts: Sequence[Trait], *, is_system: bool) -> str:
    """For example `Redis 7.2, appendfsync always`; `durable, version 7.2`."""
    name = base
    for at, trait in enumerate(parts):
        if at == 0 and trait.is_name and (is_system or not trait.what):
            name += f" {trait.value}"
        else:
            name += f", {trait.what} {trait.value}" if trait.what else f", {trait.value}"
    return name


def _counted(found: Sequence[str]) -> list[str]:
    """Names that a label and a part make alike by chance are numbered."""
    return [
        f"{name} ({found[: place + 1].count(name)})" if found.count(name) > 1 else name
        for place, name in enumerate(found)
    ]


def _told(value: object, unit: str) -> str:
    if unit == "bytes" and isinstance(value, int) and value and value % MEBIBYTE == 0:
        return f"{value // MEBIBYTE} MiB"
    words = plain(value) if isinstance(value, bool | int | float | str) else str(value)
    return " ".join(words.split()) or "not set"


def _many(count: float, one: str, several: str) -> str:
    return f"{count:g} {one if count == 1 else several}"
