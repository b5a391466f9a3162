"""The life of a Dragonfly server under test.

Sources: the vendor's flags, https://www.dragonflydb.io/docs/managing-dragonfly/flags, and what INFO
and CONFIG GET tell, in src/server/server_family.cc and src/server/main_service.cc of its repository
(commit f8eca6d of 2026-08-22); read on 2026-11-21.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import system_names, system_value
from weighhouse_sdk.families.resp import lines
from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.nodes import Place
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.wire import Address

SAVING = ("saving", "rdb_bgsave_in_progress")
"""Lines of INFO's section PERSISTENCE, which is told only when it is asked for."""


class DragonflyPlugin(RespServer):
    """Dragonfly as one process."""

    program = "dragonfly"
    users = ("dfly", "nobody")
    version_line = re.compile(r"^dragonfly (?:\x1b\[[\d;]*m)?v([\d.]+)")
    """The version is coloured even where nobody sees it."""
    version_fields = ("dragonfly_version",)
    always = ("--logtostderr", "--version_check=false")
    """Else its words go to files of its own, and it asks its vendor for newer versions."""
    told_by_info: ClassVar[Mapping[str, str]] = {"proactor_threads": "thread_count"}
    places: ClassVar[Mapping[str, str | None]] = {"port": "6379", "bind": "", "dir": ""}
    sampled = (
        "used_memory",
        "used_memory_rss",
        "used_memory_peak",
        "object_used_memory",
        "table_used_memory",
        "connected_clients",
        "total_commands_processed",
        "total_pipelined_commands",
        "keyspace_hits",
        "keyspace_misses",
        "evicted_keys",
        "hard_evictions",
        "expired_keys",
        "oom_rejections",
        "pipeline_queue_length",
    )
    gauges_marked: ClassVar[Mapping[str, str]] = {"saving": "snapshot"}
    counters_marked: ClassVar[Mapping[str, str]] = {"evicted_keys": "eviction"}

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """One `--name=value` for each parameter; snapshots go to the working directory, which is
        the data directory, when none is named.
        """
        schemas = declared(self.manifest.parameters)
        names = system_names(self.manifest)
        words = [f"--bind={place.address.host}", f"--port={place.address.port}", *self.always]
        for name, value in sorted(parameters.items()):
            words.append(f"--{names[name]}={system_value(schemas[name], value)}")
        return words

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """INFO's `dragonfly_version`, as `--version` has it: without `df-v`."""
        return super().version_served(address, timeout_seconds).removeprefix("df-v")

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """As Redis', and whether a snapshot is being written."""
        found = super().metrics(address, timeout_seconds)
        told = lines(address, timeout_seconds, "INFO", "PERSISTENCE")
        return found | {name: float(told[name]) for name in SAVING if name in told}


PLUGIN = DragonflyPlugin(packaged_manifest("weighhouse_plugin_dragonfly"))
