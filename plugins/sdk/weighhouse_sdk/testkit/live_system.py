"""Starts a real system with some parameters, and holds what it then is against what was ordered."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

from weighhouse_sdk.configuration import same_value, system_names, system_value
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import PluginError, TargetInvalid
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.serving.server import ServerPlugin

LAST_LINES = 3


@dataclass
class Start:
    """One start of a system."""

    target: Target
    version: str = ""
    refused: str = ""
    """Why it did not come up, with the last of its own words; empty: it did."""
    differs: list[str] = field(default_factory=list)
    """Parameters that are not as they were ordered, each with both values."""
    told: set[str] = field(default_factory=set)
    """Parameters that the system itself told back."""
    ordered: set[str] = field(default_factory=set)
    """Parameters that only its command line or configuration file tells."""

    @property
    def words(self) -> str:
        """What is wrong with it; empty: nothing."""
        return self.refused or "; ".join(self.differs)


def start(
    plugin: Plugin,
    target: Target,
    folder: Path,
    options: HostOptions | None = None,
    also: Callable[[Target, tuple[Setting, ...], tuple[str, ...]], object] | None = None,
) -> Start:
    """Set a system up, ask it what took effect, and remove it again.

    :param folder: the attempt's own; made, and empty afterwards but for logs.
    :param also: called with the target, the effective configuration and the endpoints.
    """
    context = Context.open(target, folder, options=options)
    done = Start(target)
    deployed = None
    try:
        deployed = plugin.deploy(context)
        done.version = deployed.version
        plugin.wait_ready(context, deployed)
        settings = plugin.describe(context, deployed).settings
        as_ordered = plugin.as_ordered(context, deployed)
        _compare(plugin, done, settings, as_ordered)
        if isinstance(plugin, ServerPlugin):
            _hold_orders(plugin, done, deployed, as_ordered, folder / "orders")
        if also is not None:
            also(target, settings, plugin.endpoints(deployed))
    except PluginError as error:
        done.refused = " | ".join([error.message, *error.log_lines[-LAST_LINES:]])
    finally:
        if deployed is not None:
            plugin.stop(context, deployed)
        plugin.clean_up(context)
    return done


def refusal(plugin: Plugin, target: Target) -> str:
    """What a plugin says to a target before it starts anything; empty: it takes it."""
    try:
        plugin.check_target(target)
    except TargetInvalid as error:
        return str(error)
    return ""


def _compare(
    plugin: Plugin, done: Start, settings: tuple[Setting, ...], as_ordered: frozenset[str]
) -> None:
    found = {setting.name: setting for setting in settings}
    names, schemas = system_names(plugin.manifest), declared(plugin.manifest.parameters)
    for name, value in done.target.parameters.items():
        setting, schema = found.get(names[name]), schemas[name]
        if _left_to_the_system(schema, value):
            done.ordered.add(name)
            continue
        if setting is None:
            done.differs.append(f"{name}: nothing is told of `{names[name]}`")
            continue
        wanted = system_value(schema, value)
        if not same_value(setting.value, wanted):
            done.differs.append(f"{name}: ordered {wanted!r}, told {setting.value!r}")
        elif setting.source != "experiment":
            done.differs.append(f"{name}: is said to be set by the {setting.source}")
        (done.ordered if names[name] in as_ordered else done.told).add(name)


def _hold_orders(
    plugin: ServerPlugin,
    done: Start,
    deployed: Deployed,
    as_ordered: frozenset[str],
    folder: Path,
) -> None:
    """Hold that what the system does not tell stands on its command line, or in its files."""
    names, schemas = system_names(plugin.manifest), declared(plugin.manifest.parameters)
    given = done.target.parameters
    whole = _orders(plugin, deployed, given, folder)
    for name, value in given.items():
        plain = value == schemas[name]["default"] or _left_to_the_system(schemas[name], value)
        if names[name] not in as_ordered or plain:
            continue
        others = {each: given[each] for each in given if each != name}
        if _orders(plugin, deployed, others, folder) == whole:
            done.differs.append(f"{name}: neither told nor on the command line or in a file")


def _orders(
    plugin: ServerPlugin, deployed: Deployed, parameters: Mapping[str, Scalar], folder: Path
) -> tuple[object, ...]:
    """All that a node is started with: its arguments, and the files that it reads."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    place = replace(deployed.nodes[0].place, directory=folder)
    plugin.prepare(parameters, place)
    files = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    return tuple(plugin.arguments(parameters, place)), files


def _left_to_the_system(schema: dict[str, object], value: Scalar) -> bool:
    return "x-unset" in schema and value == schema["x-unset"]
