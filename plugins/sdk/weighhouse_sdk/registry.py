"""Finds the plugins that are installed: `pip install weighhouse-plugin-x` is all it takes."""

import tomllib
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError
from weighhouse_protocol.manifest import Manifest, load_manifest

from weighhouse_sdk.errors import PluginBroken, PluginMissing
from weighhouse_sdk.lifecycle import Plugin

GROUP = "weighhouse.plugins"
"""Entry-point group: name = the plugin's identifier, value = its instance."""


def packaged_manifest(package: str) -> Manifest:
    """Read `plugin.toml` out of a plugin's package, with README.md as its documentation.

    The page lies beside `plugin.toml` in a wheel, and above the package in a working copy.

    :raises PluginBroken: when the manifest is missing or not valid.
    """
    folder = Path(str(files(package)))
    pages = [path / "README.md" for path in (folder, folder.parent)]
    page = next((path for path in pages if path.exists()), None)
    text = page.read_text(encoding="utf-8") if page else ""
    try:
        return load_manifest(folder / "plugin.toml", text)
    except (OSError, ValidationError, tomllib.TOMLDecodeError) as error:
        raise PluginBroken(
            f"{package}: plugin.toml cannot be used: {error}", "install the plugin again"
        ) from error


def installed_ids() -> tuple[str, ...]:
    """Identifiers of the plugins that are installed, sorted; imports none of them."""
    return tuple(sorted(entry.name for entry in entry_points(group=GROUP)))


def load_plugin(plugin_id: str) -> Plugin:
    """One plugin.

    :raises PluginMissing: when it is not installed.
    :raises PluginBroken: when it cannot be imported, or is not what it says.
    """
    found = [entry for entry in entry_points(group=GROUP) if entry.name == plugin_id]
    if not found:
        raise PluginMissing(plugin_id, installed_ids())
    return _load(found[0])


def discover() -> tuple[dict[str, Plugin], dict[str, PluginBroken]]:
    """Every installed plugin, by identifier; and what is wrong with those that cannot be used.

    A broken plugin takes no other with it.
    """
    plugins: dict[str, Plugin] = {}
    broken: dict[str, PluginBroken] = {}
    for plugin_id in installed_ids():
        try:
            plugins[plugin_id] = load_plugin(plugin_id)
        except PluginBroken as error:
            broken[plugin_id] = error
    return plugins, broken


def _load(entry: EntryPoint) -> Plugin:
    try:
        plugin = entry.load()
    except PluginBroken:
        raise
    except Exception as error:
        raise PluginBroken(
            f"plugin `{entry.name}` cannot be imported: {error!r}", "install it again"
        ) from error
    if not isinstance(plugin, Plugin):
        raise PluginBroken(f"plugin `{entry.name}`: {entry.value} is not a Plugin")
    if plugin.manifest.id != entry.name:
        raise PluginBroken(f"plugin `{entry.name}`: its manifest says `{plugin.manifest.id}`")
    return plugin
