"""The life of a Garnet server under test.

Sources: the vendor's settings, https://microsoft.github.io/garnet/docs/getting-started/configuration,
and what INFO and CONFIG GET tell, in libs/server/Metrics/Info/GarnetInfoMetrics.cs and
libs/server/Config/RuntimeServerConfig.cs of its repository (commit e508a41 of 2026-08-21), and its
options in libs/host/Configuration/Options.cs there; read on 2026-11-21 and 2026-11-24.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target
from weighhouse_sdk.configuration import system_value
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.machine.procfs import listening_process
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.wire import Address

THREADS = ("min_threads", "max_threads")


class GarnetPlugin(RespServer):
    """Garnet as one process."""

    program = "garnet-server"
    version_line = re.compile(r"(?i)^garnet-?server (\d+(?:\.\d+)+)")
    version_fields = ("garnet_version",)
    orderly_exit_codes = frozenset({0, 143})
    """What .NET ends with after SIGTERM is 128 + 15."""
    places: ClassVar[Mapping[str, str | None]] = {"port": "6379", "bind": "", "dir": None}
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
        "connected_clients",
        "total_commands_processed",
    )

    def check_target(self, target: Target) -> None:
        """Also hold that the pool's bounds are in order.

        :raises TargetInvalid: with every problem and its path.
        """
        super().check_target(target)
        fewest, most = (target.parameters.get(name, 0) for name in THREADS)
        if isinstance(fewest, int) and isinstance(most, int) and fewest > most > 0:
            message = f"min_threads ({fewest}) may not be more than max_threads ({most})"
            raise TargetInvalid([("parameters.min_threads", message)])

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """One `--name value` for each parameter; a flag stands alone, and only when it is on, and
        what 0 leaves to Garnet is not passed.
        Files go to the working directory, which is the data directory.
        """
        schemas = declared(self.manifest.parameters)
        words = ["--bind", place.address.host, "--port", str(place.address.port)]
        for name, value in sorted(parameters.items()):
            flag = f"--{schemas[name]['x-flag']}"
            if value == 0 and schemas[name].get("x-zero-is-unset"):
                continue
            if value is True:
                words.append(flag)
            elif value is not False:
                words += [flag, system_value(schemas[name], value)]
        return words

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """Who listens on the port of a server that answers, for INFO has no process id."""
        self.version_served(address, timeout_seconds)
        return listening_process(address.port)

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The lines of INFO named in `sampled`. Keys are not among them: Garnet would look through
        all its data to count them.
        """
        found = super().metrics(address, timeout_seconds)
        del found["keys"]
        return found

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """INFO's `total_main_store_size`: index and log as they are in memory."""
        used = metrics.get("total_main_store_size")
        return None if used is None else int(used)


PLUGIN = GarnetPlugin(packaged_manifest("weighhouse_plugin_garnet"))
