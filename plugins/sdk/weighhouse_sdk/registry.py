"""Finds the plugins that are installed: `pip install weighhouse-plugin-x` is all it takes."""

from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path

from weighhouse_protocol.manifest import Manifest, load_manifest
from weighhouse_protocol.offered import refusal

from weighhouse_sdk.errors import PluginBroken, PluginMissing
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.toolrun.tool import Tool

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
    except OSError as error:
        raise PluginBroken(
            f"{package}: plugin.toml cannot be used: {error}", "install the plugin again"
        ) from error
    except ValueError as error:
        raise PluginBroken(
            f"{package}: plugin.toml cannot be used: {refusal(error)}",
            "whoever wrote the plugin mends it; docs/plugins/manifest.md says what it may hold",
        ) from error


def installed_ids() -> tuple[str, ...]:
    """Identifiers of the plugins that are installed, sorted; imports none of them."""
    return tuple(sorted(entry.name for entry in entry_points(group=GROUP)))


def load_plugin(plugin_id: str) -> Plugin:
    """The plugin of one system.

    :raises PluginMissing: when it is not installed.
    :raises PluginBroken: when it cannot be imported, or is not what it says; a load tool is not a
        system.
    """
    found = _find(plugin_id)
    if not isinstance(found, Plugin):
        raise PluginBroken(
            f"`{plugin_id}` is a load tool, not a system", "name it as the target's `tool`"
        )
    return found


def load_tool(tool_id: str) -> Tool:
    """One foreign load tool.

    :raises PluginMissing: when it is not installed.
    :raises PluginBroken: when it cannot be imported, or is not what it says; a system is not a
        load tool.
    """
    found = _find(tool_id)
    if not isinstance(found, Tool):
        raise PluginBroken(
            f"`{tool_id}` is a system, not a load tool", "name it as the target's `system`"
        )
    return found


def discover() -> tuple[dict[str, Plugin | Tool], dict[str, PluginBroken]]:
    """Every installed plugin, by identifier; and what is wrong with those that cannot be used.

    A broken plugin takes no other with it.
    """
    plugins: dict[str, Plugin | Tool] = {}
    broken: dict[str, PluginBroken] = {}
    for plugin_id in installed_ids():
        try:
            plugins[plugin_id] = _find(plugin_id)
        except PluginBroken as error:
            broken[plugin_id] = error
    return plugins, broken


def _find(plugin_id: str) -> Plugin | Tool:
    found = [entry for entry in entry_points(group=GROUP) if entry.name == plugin_id]
    if not found:
        raise PluginMissing(plugin_id, installed_ids())
    return _load(found[0])


def _load(entry: EntryPoint) -> Plugin | Tool:
    try:
        plugin = entry.load()
    except PluginBroken:
        raise
    except Exception as error:
        raise PluginBroken(
            f"plugin `{entry.name}` cannot be imported: {error!r}", "install it again"
        ) from error
    if not isinstance(plugin, Plugin | Tool):
        raise PluginBroken(f"plugin `{entry.name}`: {entry.value} is not a Plugin, nor a Tool")
    if (plugin.manifest.kind == "tool") != isinstance(plugin, Tool):
        raise PluginBroken(
            f"plugin `{entry.name}`: its manifest says kind `{plugin.manifest.kind}`"
        )
    if plugin.manifest.id != entry.name:
        raise PluginBroken(f"plugin `{entry.name}`: its manifest says `{plugin.manifest.id}`")
    return plugin
