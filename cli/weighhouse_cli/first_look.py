"""Chooses what `weighhouse demo` weighs: of the experiment's systems, those that are here."""

from collections.abc import Collection
from typing import Any

import yaml
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.registry import discover

from weighhouse_cli.embedded.errors import PlatformError

TO_DISK: dict[str, Any] = {"appendonly": True, "appendfsync": "always"}
SECOND_SIDES = {"redis": TO_DISK, "valkey": TO_DISK}
"""Of a system that is alone on its machine: the parameters of what it is weighed against."""


def systems_here(search_path: str) -> frozenset[str]:
    """The systems that can be measured here: plugin, driver and the system itself are there.

    :param search_path: where executables are looked for, as in PATH.
    """
    plugins, _ = discover()
    options = HostOptions(search_path=search_path)
    return frozenset(
        name
        for name, plugin in plugins.items()
        if isinstance(plugin, Plugin) and _is_here(plugin, options)
    )


def _is_here(plugin: Plugin, options: HostOptions) -> bool:
    try:
        plugin.find_versions(options)
        describe_driver(plugin.manifest.driver.id)
    except PluginError:
        return False
    return True


def fitted(text: str, systems: Collection[str]) -> str:
    """An experiment without the targets whose systems are not at hand.

    A single one that is left stands beside itself with every write on the disk: two sides are the
    least that can be compared.

    :param text: the experiment, as YAML; one that has them all comes back as it is.
    :raises PlatformError: when no two sides are left, naming what the experiment measures.
    """
    document = yaml.safe_load(text)
    wanted = [target["system"] for target in document["targets"]]
    if all(system in systems for system in wanted):
        return text
    targets = [target for target in document["targets"] if target["system"] in systems]
    if len(targets) == 1 and (parameters := SECOND_SIDES.get(targets[0]["system"])):
        first = targets[0]
        second = {"name": f"{first['name']}-to-disk", "parameters": parameters}
        targets.append({**first, **second, "label": f"{first['label']}, each write on disk"})
    if len(targets) < 2:  # noqa: PLR2004 - what is compared has two sides
        raise PlatformError(
            f"there is too little here to weigh: of {', '.join(dict.fromkeys(wanted))} this "
            f"machine has {', '.join(target['system'] for target in targets) or 'none'}. Install "
            "the servers (apt-get install redis-server memcached), or bring some along: "
            "pip install 'weighhouse[embedded,rocksdb]'"
        )
    left = {target["system"] for target in targets}
    disclosed = document.get("disclosure", {})
    if "systems" in disclosed:
        disclosed["systems"] = [one for one in disclosed["systems"] if one["system"] in left]
    return yaml.safe_dump({**document, "targets": targets}, sort_keys=False, allow_unicode=True)
