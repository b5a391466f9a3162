"""The life of ScyllaDB nodes under test."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import nested, overlaid, system_names
from weighhouse_sdk.families.cql import rows, told
from weighhouse_sdk.families.ring import STORAGE_PORT, RingPlugin
from weighhouse_sdk.figures import numbers
from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY
from weighhouse_sdk.machine.procfs import all_processes, working_directory
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.serving.certified import TLS
from weighhouse_sdk.wire import Address

VERSION = re.compile(r"^(\d+\.\d+\.\d+(?:[~-]rc\d+)?)-")
"""A release, its build's date and hash: `2025.1.0-0.20250325.9dca28d2b818`."""
READY_SECONDS = 120.0
TOKENS = 256
"""Of each node, as the shipped file has it."""
MACHINE = ("smp", "memory_mebibytes", "overprovisioned")
"""Parameters of the framework below the server; they stand on the command line."""
SETTINGS, FIGURES = "system.config", "system.runtime_info"
ALL_SETTINGS = "SELECT name, value FROM system.config"
ALL_FIGURES = "SELECT group, item, value FROM system.runtime_info"


class ScyllaDbPlugin(RingPlugin):
    """ScyllaDB: a ring of nodes, which may be one."""

    program = "scylla"
    users = ("scylla",)
    ready_floor_seconds = READY_SECONDS
    places: ClassVar[Mapping[str, str | None]] = {
        "workdir": "/var/lib/scylla",
        "options_file": None,
        "listen_address": None,
        "rpc_address": None,
        "api_address": None,
        "native_transport_port": "9042",
        "native_shard_aware_transport_port": "19042",
        "prometheus_port": "9180",
        "seed_provider": None,
        "cluster_name": None,
    }
    kept_files = ("scylla.yaml",)

    def version_of(self, text: str) -> str | None:
        """From the whole of what `scylla --version` prints."""
        found = VERSION.match(text)
        return found.group(1) if found else None

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Write scylla.yaml into the node's directory.

        What its yaml file sets as it is shipped and no parameter decides is set here likewise.
        """
        settings: dict[str, object] = {
            "cluster_name": "weighhouse",
            "num_tokens": TOKENS,
            "workdir": str(place.directory),
            "listen_address": self.own(place),
            "rpc_address": place.address.host,
            "api_address": self.own(place),
            "native_transport_port": place.address.port,
            # The second port, a shard each, and the metrics' would be the same for all nodes.
            "native_shard_aware_transport_port": 0,
            "prometheus_port": 0,
            "storage_port": STORAGE_PORT,
            "endpoint_snitch": "SimpleSnitch",
            "commitlog_sync": "periodic",
            "commitlog_sync_period_in_ms": 10000,
            "seed_provider": [
                {
                    "class_name": "org.apache.cassandra.locator.SimpleSeedProvider",
                    "parameters": [{"seeds": self._first(place)}],
                }
            ],
        }
        super().prepare(parameters, place)
        names = system_names(self.manifest)
        settings |= {
            names[name]: value for name, value in parameters.items() if name not in (*MACHINE, TLS)
        }
        if place.address.tls:
            settings["client_encryption_options"] = {
                "enabled": True,
                "certificate": str(place.directory / TLS / CERTIFICATE),
                "keyfile": str(place.directory / TLS / KEY),
            }
        if settings["commitlog_sync"] == "batch":
            del settings["commitlog_sync_period_in_ms"]
            settings["commitlog_sync_batch_window_in_ms"] = 2
        settings = overlaid(nested(place.settings), settings)
        # JSON is YAML.
        (place.directory / "scylla.yaml").write_text(json.dumps(settings, indent=1))

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """The yaml file, and what only the command line takes."""
        words = ["--options-file", str(place.directory / "scylla.yaml"), "--log-to-stdout", "1"]
        if cores := parameters.get("smp"):
            words += ["--smp", str(cores)]
        if memory := parameters.get("memory_mebibytes"):
            words += ["--memory", f"{memory}M"]
        if parameters.get("overprovisioned"):
            words.append("--overprovisioned")
        return words

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The process that works where the node says its directory is; None until the node has
        joined its ring.
        """
        local, place = rows(
            address,
            timeout_seconds,
            "SELECT bootstrapped FROM system.local",
            "SELECT value FROM system.config WHERE name = 'workdir'",
        )
        if [row["bootstrapped"] for row in local] != ["COMPLETED"] or not place:
            return None
        directory = Path(_plain(str(place[0]["value"])))
        for stat in all_processes():
            if stat.alive and working_directory(stat.pid) == directory:
                return stat.pid
        return None

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """All of `system.config`."""
        found = told(address, timeout_seconds, {SETTINGS: ALL_SETTINGS})[SETTINGS] or ()
        return {
            str(row["name"]): _plain(str(row["value"]))
            for row in found
            if row["value"] not in (None, "", "null")
        }

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The numbers of `system.runtime_info`: memory, memtables, caches."""
        found = (
            told(
                address,
                timeout_seconds,
                {FIGURES: ALL_FIGURES},
            )[FIGURES]
            or ()
        )
        shown = {f"{row['group']}.{row['item']}": str(row["value"]) for row in found}
        return numbers(shown, shown)

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """Memory that is not free of what the node took at its start; None: not told."""
        used = metrics.get("memory.used")
        return int(used) if used is not None else None

    def _first(self, place: Place) -> str:
        """One seed is enough: nodes join one after the other, in an order of their own."""
        return self.own(place) if place.alone else place.addresses[0].host


def _plain(value: str) -> str:
    """A value of `system.config`, which are JSON documents, without quotes around it."""
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, str) else value


PLUGIN = ScyllaDbPlugin(packaged_manifest("weighhouse_plugin_scylladb"))
