"""The life of a Dragonfly server under test.

Sources: the vendor's flags, https://www.dragonflydb.io/docs/managing-dragonfly/flags, and what INFO
and CONFIG GET tell, in src/server/server_family.cc and src/server/main_service.cc of its repository
(commit f8eca6d of 2026-08-22); read on 2026-11-21. Its replicas and its values on disk: the same,
and src/server/tiered_storage.cc, engine_shard_set.cc; read on 2026-11-24.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import own_name, setting_word, system_names, system_value
from weighhouse_sdk.context import Context
from weighhouse_sdk.families.resp import lines
from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.lifecycle import Deployed, Description
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.replies import unless_refused
from weighhouse_sdk.serving.certified import TLS
from weighhouse_sdk.wire import Address

FLAG = ("true", "false")
SAVING = ("saving", "rdb_bgsave_in_progress")
"""Lines of INFO's section PERSISTENCE, which is told only when it is asked for."""


class DragonflyPlugin(RespServer):
    """Dragonfly as one process, or as a primary with replicas."""

    program = "dragonfly"
    clients_show = True
    """It starts with TLS only where it knows its clients, by a password or a certificate."""
    users = ()
    """It finds its snapshots by absolute paths, which another user may not be able to walk."""
    version_line = re.compile(r"^dragonfly (?:\x1b\[[\d;]*m)?v([\d.]+)")
    """The version is coloured even where nobody sees it."""
    version_fields = ("dragonfly_version",)
    always = ("--logtostderr", "--version_check=false")
    """Else its words go to files of its own, and it asks its vendor for newer versions."""
    told_by_info: ClassVar[Mapping[str, str]] = {
        "proactor_threads": "thread_count",
        "cache_mode": "cache_mode",
    }
    places: ClassVar[Mapping[str, str | None]] = {
        "port": "6379",
        "bind": "",
        "dir": "",
        "replicaof": "",
    }
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
        if place.number > 1:
            host, port, *_ = place.addresses[0]
            words.append(f"--replicaof={host}:{port}")
        if place.address.tls:
            words += [
                "--tls",
                f"--tls_cert_file={TLS}/{CERTIFICATE}",
                f"--tls_key_file={TLS}/{KEY}",
            ]
            words.append(f"--tls_ca_cert_file={TLS}/{AUTHORITY}")
            words += [] if place.alone else ["--tls_replication"]
        for name, value in sorted(parameters.items()):
            if name == TLS:
                continue  # The address says so.
            words.append(f"--{names[name]}={system_value(schemas[name], value)}")
        for name, value in sorted(place.settings.items()):
            words.append(f"--{own_name(self.manifest, name)}={setting_word(value, *FLAG)}")
        return words

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """As Redis', once no snapshot is being loaded: it answers INFO all the while, and whether
        it loads is told when it is asked for alone.
        """
        told = lines(address, timeout_seconds, "INFO", "PERSISTENCE")
        if told.get("loading", "0") != "0":
            return None
        return super().serving_process(address, timeout_seconds)

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """INFO's `dragonfly_version`, as `--version` has it: without `df-v`."""
        return super().version_served(address, timeout_seconds).removeprefix("df-v")

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """As Redis', with `cache_mode` in the words of its flag: INFO says `cache` or `store`."""
        found = super().settings(address, timeout_seconds)
        found.pop(TLS, None)  # It has no port of its own for it.
        if "cache_mode" in found:
            found["cache_mode"] = str(found["cache_mode"] == "cache").lower()
        return found

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """As Redis', but for `maxmemory`, which has no fixed default: it is 80 % of what is
        available at each start.
        """
        vendor = {**(deployed.vendor_settings or {})}
        vendor.pop("maxmemory", None)
        return super().describe(context, replace(deployed, vendor_settings=vendor))

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """As Redis', and whether a snapshot is being written."""
        found = super().metrics(address, timeout_seconds)
        told = (
            unless_refused(
                address, "INFO", lambda: lines(address, timeout_seconds, "INFO", "PERSISTENCE")
            )
            or {}
        )
        return found | {name: float(told[name]) for name in SAVING if name in told}


PLUGIN = DragonflyPlugin(packaged_manifest("weighhouse_plugin_dragonfly"))
