"""The identity of a side, its family over time, and the subject of a verdict. Pure.

A side is a system as it was set up: version, effective configuration, deployment, topology, limits.
Sides may differ, that is what they are compared for: what differs is the *subject*. Topology,
limits and deployment could explain any difference by themselves: they are *confounders*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

from weighhouse_judging.identity.digests import (
    NOT_KNOWN,
    Identity,
    identity_of,
    joined,
    words,
)

DATA = "data"
CACHES = "caches"
CONFOUNDING = ("deployment", "topology.", "limits.", DATA, CACHES)
"""Beginnings of the fields that count as confounders."""
OF_A_PLUGIN = frozenset({"plugin", "place"})
"""Who set an address, a port or a folder; agents of before do not tell the two apart."""
SETTING = "setting."
OPTION = "driver_option."


@dataclass(frozen=True)
class Side:
    """A target as its repeats found it."""

    target: Target
    versions: Sequence[str | None] = ()
    configurations: Sequence[Sequence[Setting]] = ()
    """The effective configuration of each repeat that told one."""
    endpoints: Sequence[str] = ()
    """Where its nodes were reached: ports are no settings."""


@dataclass(frozen=True)
class Change:
    """Something in which a side is not what the other was."""

    what: str
    """A system, a setting, a limit."""
    before: str
    after: str
    confounder: bool = field(default=False)
    """It could explain a difference by itself, and nobody declared it as what is tried."""

    def __str__(self) -> str:
        return f"{self.what} {self.before} → {self.after}"


def settings_of(side: Side) -> dict[str, Setting]:
    """The effective configuration, normalised: what repeats agree on, without places.

    Left out is what the plugin sets for each node anew: paths, and addresses and ports of nodes.
    """
    if not side.configurations:
        return {}
    first, *others = ({line.name: line for line in lines} for lines in side.configurations)
    ports = {endpoint.rsplit(":", 1)[-1] for endpoint in side.endpoints}
    return {
        name: line
        for name, line in first.items()
        if all(name in other and other[name].value == line.value for other in others)
        and not (line.source in OF_A_PLUGIN and (line.value in ports or "/" in line.value))
    }


def side_identity(side: Side) -> Identity:
    """The identity of a side."""
    fields = {**_fixed(side), **_told(side)}
    return identity_of(fields, fields)


def family(target: Target) -> Identity:
    """What stays of a side while versions and settings come and go: the key of its series."""
    fields = {"target": target.name, "system": target.system, **_confounding(target)}
    return identity_of(fields, fields)


def subject(before: Side, after: Side, system: str = "") -> list[Change]:
    """What differs between two sides: versions, settings, options; confounders last.

    Another version brings other defaults; they are told by naming the version, so that settings
    nobody set are named between sides of one version alone.

    :param system: what people call the later side's system; empty: by its identifier.
    """
    old, new = _fixed(before), _fixed(after)
    found = [
        Change(
            (system or after.target.system) if name == "version" else name,
            old.get(name, "fresh"),
            new.get(name, "fresh"),
            confounder=name.startswith(CONFOUNDING),
        )
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]
    same_version = old["version"] == new["version"] and old["system"] == new["system"]
    found += _settings_changed(before, after, all_of_them=same_version)
    return sorted(found, key=lambda change: change.confounder)


def _settings_changed(before: Side, after: Side, *, all_of_them: bool) -> list[Change]:
    old, new = settings_of(before), settings_of(after)
    if not (old and new):
        asked = _asked(_ordered(before)), _asked(_ordered(after))
        return _changes(*asked) + _changes(*_options(before, after))
    chosen = {
        name
        for lines in (old, new)
        for name, line in lines.items()
        if all_of_them or line.source == "experiment"
    }
    values = [
        {name: lines[name].value for name in lines if name in chosen & old.keys() & new.keys()}
        for lines in (old, new)
    ]
    return _changes(*values) + _changes(*_options(before, after))


def _options(before: Side, after: Side) -> tuple[dict[str, str], dict[str, str]]:
    return _asked(before.target.driver_options), _asked(after.target.driver_options)


def _ordered(side: Side) -> dict[str, object]:
    """Parameters, and settings beside them."""
    return {**side.target.parameters, **side.target.settings}


def _asked(options: Mapping[str, object]) -> dict[str, str]:
    return {name: words(value) for name, value in options.items()}


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    return [
        Change(name, old.get(name, "default"), new.get(name, "default"))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


def _fixed(side: Side) -> dict[str, str]:
    return {
        "system": side.target.system,
        "version": joined(side.versions) if side.versions else NOT_KNOWN,
        **_confounding(side.target),
    }


def _confounding(target: Target) -> dict[str, str]:
    return {
        "deployment": target.deployment,
        "topology.nodes": str(target.topology.nodes),
        "topology.replication_factor": str(target.topology.replication_factor),
        "limits.memory_mebibytes": words(target.limits.memory_mebibytes),
        "limits.cpus": words(target.limits.cpus),
        # Where it is the default, sides are what they were before it was told.
        **({} if target.data == "fresh" else {DATA: target.data}),
        **({} if target.caches in (None, "warm") else {CACHES: target.caches}),
    }


def _told(side: Side) -> dict[str, str]:
    settings = settings_of(side)
    told = {f"{SETTING}{name}": line.value for name, line in settings.items()}
    if not settings:
        told = {f"{SETTING}{name}": value for name, value in _asked(_ordered(side)).items()}
    options = {
        f"{OPTION}{name}": value for name, value in _asked(side.target.driver_options).items()
    }
    return {**told, **options}
