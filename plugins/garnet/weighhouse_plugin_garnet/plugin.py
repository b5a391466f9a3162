"""The life of a Garnet server under test.

Sources: the vendor's settings, https://microsoft.github.io/garnet/docs/getting-started/configuration,
and what INFO and CONFIG GET tell, in libs/server/Metrics/Info/GarnetInfoMetrics.cs and
libs/server/Config/RuntimeServerConfig.cs of its repository (commit e508a41 of 2026-08-21), and its
options in libs/host/Configuration/Options.cs there; read on 2026-11-21 and 2026-11-24, and tried on
Garnet 2.2.8 on 2026-11-26.
"""

import re
import shlex
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target
from weighhouse_sdk.configuration import system_value
from weighhouse_sdk.context import Context
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.lifecycle import Deployed, Description, MemoryUse
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.machine.procfs import listening_process
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.replies import unless_refused
from weighhouse_sdk.serving.hosts import DOCKER
from weighhouse_sdk.serving.startup import UNREADABLE, asked_addresses
from weighhouse_sdk.wire import Address

from weighhouse_plugin_garnet.device import native_device_lacks

HERE = "/proc/self/cwd"
"""The working directory, by a way that its account need not be able to walk. Garnet makes paths
absolute, and would be refused by a folder above its own that is closed."""
DEVICE, CHOSEN, WORKS_ANYWHERE = "device_type", "Default", "RandomAccess"
ON_DISK = ("aof", "storage_tier")
"""What needs a device."""
COUNTERS = ("connected_clients", "total_commands_processed")
"""Lines of INFO that stay 0 unless its monitor is on."""
DROPPED = "Log.BeginAddress"
"""Where the log begins. Without a storage tier, all before it was thrown away."""
FIRST_ADDRESS = 64
COUNT_SECONDS = 60.0
"""How long it may take to count what is left: Garnet looks through all of it, 1 µs a record."""
SWITCHES = {"enabled": "yes", "disabled": "no"}
SIZE = re.compile(r"(\d+)([kmgt])")
POWERS_OF_1024 = {"k": 1, "m": 2, "g": 3, "t": 4}


class GarnetPlugin(RespServer):
    """Garnet as one process."""

    program = "garnet-server"
    version_line = re.compile(r"(?i)^garnet-?server (\d+(?:\.\d+)+)")
    version_fields = ("garnet_version",)
    orderly_exit_codes = frozenset({0, -signal.SIGTERM, 128 + signal.SIGTERM})
    """.NET ends by the signal that asked it to; a shell before it makes 143 of that."""
    places: ClassVar[Mapping[str, str | None]] = {
        "port": "6379",
        "bind": "",
        "dir": None,
        "logdir": "",
    }
    counters_marked: ClassVar[Mapping[str, str]] = {DROPPED: "eviction"}
    sampled = (
        "proc_physical_memory_size",
        "gc_heap_bytes",
        "gc_committed_bytes",
        "native_allocator_bytes",
        "store_index_size",
        "store_mainlog_memory_size",
        "store_readcache_memory_size",
        "total_main_store_size",
        "aof_memory_size",
        DROPPED,
        *COUNTERS,
    )

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """One `--name value` for each parameter; a flag stands alone, and only when it is on, and
        what is left to Garnet is not passed. Files go to the working directory, which is the data
        directory.
        """
        schemas = declared(self.manifest.parameters)
        words = ["--bind", place.address.host, "--port", str(place.address.port)]
        for name, value in sorted(parameters.items()):
            flag = f"--{schemas[name]['x-flag']}"
            if "x-unset" in schemas[name] and value == schemas[name]["x-unset"]:
                continue
            if value is True:
                words.append(flag)
            elif value is not False:
                words += [flag, system_value(schemas[name], value)]
        if parameters.get("storage_tier"):
            words += ["--logdir", HERE]
        if parameters.get("aof"):
            words += ["--checkpointdir", HERE]
        return words

    def _host(
        self,
        context: Context,
        executable: Path,
        place: Place,
        parameters: Mapping[str, Scalar],
    ) -> Body:
        """Where Garnet's own device cannot be loaded, it gets one that works anywhere: it would
        come up, and abort at its first write.
        """
        left = parameters.get(DEVICE, CHOSEN) == CHOSEN
        on_disk = any(parameters.get(name) for name in ON_DISK)
        here = context.target.deployment != DOCKER
        if left and on_disk and here and native_device_lacks(executable):
            parameters = {**parameters, DEVICE: WORKS_ANYWHERE}
        return super()._host(context, executable, place, parameters)

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """Who listens on the port of a server that answers, for INFO has no process id."""
        self.version_served(address, timeout_seconds)
        return listening_process(address.port)

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """CONFIG GET with sizes in bytes, and what INFO alone has: sizes of log and index, whether
        there are a storage tier and a cache before it, and which counters are kept.
        """
        found = super().settings(address, timeout_seconds)
        told = self._info(address, timeout_seconds)
        tier, cache = told.get("LogDir"), told.get("ReadCache.MaxMemorySizeBytes")
        more = {
            "memory": told.get("store_heap_memory_target_size"),
            "index": told.get("IndexMemorySizeBytes"),
            "metrics-sampling-freq": told.get("monitor_freq"),
            "commandstats-monitor": SWITCHES.get(told.get("commandstats_monitor", "")),
            "storage-tier": None if tier is None else "yes" if tier else "no",
            "readcache": None if cache is None else "yes" if cache.isdigit() else "no",
        }
        found = {name: _in_bytes(value) for name, value in found.items()}
        return found | {name: value for name, value in more.items() if value is not None}

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """Also, of servers that were started here, what their command line alone tells."""
        found = super().describe(context, deployed)
        if not deployed.nodes:
            return found
        told = {setting.name for setting in found.settings}
        ordered = self._ordered(context.target, deployed.nodes[0].body.line)
        more = tuple(each for each in ordered if each.name not in told)
        return replace(found, settings=(*found.settings, *more))

    def _ordered(self, target: Target, line: str) -> Iterator[Setting]:
        words = shlex.split(line)
        for name, schema in declared(self.manifest.parameters).items():
            flag, default = f"--{schema['x-flag']}", schema["default"]
            value = default
            if flag in words:
                value = True if default is False else words[words.index(flag) + 1]
            shown = system_value(schema, value)
            asked = target.parameters.get(name)
            yield Setting(
                name=str(schema["x-setting"]),
                value=shown,
                default=system_value(schema, default),
                source="experiment"
                if asked is not None and shown == system_value(schema, asked)
                else "default"
                if value == default
                else "plugin",
            )

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The lines of INFO named in `sampled`, counters only where Garnet counts. Keys are not
        among them: Garnet would look through all its data to count them.
        """
        found = super().metrics(address, timeout_seconds)
        found.pop("keys", None)
        if self._info(address, timeout_seconds).get("monitor_task") != "enabled":
            found = {name: value for name, value in found.items() if name not in COUNTERS}
        return found

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """INFO's `total_main_store_size`: index and log as they are in memory."""
        used = metrics.get("total_main_store_size")
        return None if used is None else int(used)

    def memory(
        self, context: Context, deployed: Deployed, driver_pid: int | None = None
    ) -> MemoryUse:
        """Also how many records are left where some were thrown away, which alone is worth that
        Garnet looks through them.
        """
        found = super().memory(context, deployed, driver_pid)
        (address, *_) = asked_addresses(context, deployed)
        try:
            told = self._info(address, self.ask_seconds)
            if told.get("LogDir") or int(told.get(DROPPED, FIRST_ADDRESS)) <= FIRST_ADDRESS:
                return found
            held = unless_refused(address, "DBSIZE", lambda: ask(address, COUNT_SECONDS, "DBSIZE"))
        except UNREADABLE:
            return found
        return replace(found, records=held) if isinstance(held, int) else found


def _in_bytes(value: str) -> str:
    """A size as Garnet prints it, `128m`, in bytes; anything else as it is."""
    size = SIZE.fullmatch(value)
    return str(int(size[1]) * 1024 ** POWERS_OF_1024[size[2]]) if size else value


PLUGIN = GarnetPlugin(packaged_manifest("weighhouse_plugin_garnet"))
