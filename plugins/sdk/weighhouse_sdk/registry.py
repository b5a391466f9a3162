"""Finds the plugins that are installed: `pip install weighhouse-plugin-x` is all it takes."""

import tomllib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from pydantic import ValidationError
from weighhouse_protocol.apis import ManifestApi, api_problems
from weighhouse_protocol.manifest import Manifest, load_manifest
from weighhouse_protocol.offered import refusal

from weighhouse_sdk.errors import PluginBroken, PluginError, PluginMissing
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.toolrun.tool import Tool

GROUP = "weighhouse.plugins"
"""Entry-point group: name = the plugin's identifier, value = its instance."""
Admit = Callable[[EntryPoint], None]
"""Raises `PluginError` where a plugin may not be used; asked before any of it is imported."""


def everybody(_entry: EntryPoint) -> None:
    """Whatever is installed may be used: for whoever only looks, and for tests."""


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
    return tuple(sorted({entry.name for entry in entry_points(group=GROUP)}))


def load_plugin(plugin_id: str, admit: Admit = everybody) -> Plugin:
    """The plugin of one system.

    :param admit: what has to let it pass.
    :raises PluginMissing: when it is not installed.
    :raises PluginBroken: when it cannot be imported, or is not what it says; a load tool is not a
        system.
    """
    found = _find(plugin_id, admit)
    if not isinstance(found, Plugin):
        raise PluginBroken(
            f"`{plugin_id}` is a load tool, not a system", "name it as the target's `tool`"
        )
    return found


def load_tool(tool_id: str, admit: Admit = everybody) -> Tool:
    """One foreign load tool.

    :param admit: what has to let it pass.
    :raises PluginMissing: when it is not installed.
    :raises PluginBroken: when it cannot be imported, or is not what it says; a system is not a
        load tool.
    """
    found = _find(tool_id, admit)
    if not isinstance(found, Tool):
        raise PluginBroken(
            f"`{tool_id}` is a system, not a load tool", "name it as the target's `system`"
        )
    return found


def discover(
    admit: Admit = everybody,
) -> tuple[dict[str, Plugin | Tool], dict[str, PluginError]]:
    """Every installed plugin, by identifier; and what is wrong with those that cannot be used.

    A broken plugin takes no other with it.

    :param admit: what has to let each pass.
    """
    plugins: dict[str, Plugin | Tool] = {}
    broken: dict[str, PluginError] = {}
    for plugin_id in installed_ids():
        try:
            plugins[plugin_id] = _find(plugin_id, admit)
        except PluginError as error:
            broken[plugin_id] = error
    return plugins, broken


def entry_of(plugin_id: str) -> EntryPoint:
    """Where a plugin is installed; imports nothing of it.

    :raises PluginMissing: when it is not.
    :raises PluginBroken: when several packages bring one of this identifier.
    """
    found = [entry for entry in entry_points(group=GROUP) if entry.name == plugin_id]
    if not found:
        raise PluginMissing(plugin_id, installed_ids())
    if len(found) > 1:
        names = sorted({each.dist.name for each in found if each.dist is not None})
        raise PluginBroken(
            f"plugin `{plugin_id}` is brought by several packages: {', '.join(names)}",
            "uninstall those that are not meant",
        )
    return found[0]


def package_of(entry: EntryPoint) -> Path | None:
    """The folder of a plugin's package; imports nothing of it. None: it has none."""
    spec = find_spec(entry.module.partition(".")[0])
    places = (spec.submodule_search_locations if spec else None) or ()
    return next((Path(place) for place in places), None)


def _find(plugin_id: str, admit: Admit) -> Plugin | Tool:
    entry = entry_of(plugin_id)
    admit(entry)
    _check_api(entry)
    return _load(entry)


def _check_api(entry: EntryPoint) -> None:
    """Before anything is imported, which would fail in words of Python, and before the manifest is
    read, which may say what only a newer release knows.
    """
    folder = package_of(entry)
    try:
        text = (folder / "plugin.toml").read_text(encoding="utf-8") if folder else ""
        wanted = tomllib.loads(text).get("api")
        if wanted is None:
            return
        problems = api_problems(ManifestApi.model_validate(wanted))
    except ValidationError as error:
        raise PluginBroken(f"plugin `{entry.name}`: [api]: {refusal(error)}") from error
    except (OSError, ValueError):
        return  # whoever reads the whole manifest says so
    if problems:
        raise PluginBroken(
            f"plugin `{entry.name}`: {'; '.join(problems)}",
            "install a release of the plugin that fits, or a release of Weighhouse that has it",
        )


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
