"""The life of a KeyDB server under test: one, or one with replicas."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.families.resp_server import COUNTERS, GAUGES, SAMPLED, RespServer
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest


class KeydbPlugin(RespServer):
    """KeyDB; what it has of Redis 6, and its threads."""

    program = "keydb-server"
    users = ("keydb", "nobody")
    version_line = re.compile(r"^KeyDB server v=(\S+)")
    version_fields = ("redis_version", "mvcc_depth")
    """INFO calls KeyDB's own version so; its section `KeyDB` tells it from Redis."""
    old_names = re.compile(r"slave")
    always = ("--enable-motd", "no")
    """Else it asks its vendor for a message of the day when it starts."""
    told_by_info: ClassVar[Mapping[str, str]] = {"server-threads": "server_threads"}
    places: ClassVar[Mapping[str, str | None]] = {
        "port": "6379",
        "bind": "",
        "dir": None,
        "replicaof": "",
        "protected-mode": "yes",
    }
    chosen: ClassVar[Mapping[str, str | None]] = {"enable-motd": "yes"}
    sampled = (*SAMPLED, "long_lock_waits", "mvcc_depth")
    gauges_marked = GAUGES
    counters_marked = COUNTERS

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """As for Redis, but `--save` once for each rule: several in one are not refused, but
        ignored.
        """
        others = {name: value for name, value in parameters.items() if name != "save"}
        words = list(super().arguments(others, place))
        if "save" in parameters:
            numbers = str(parameters["save"]).split()
            for seconds, changes in zip(numbers[::2], numbers[1::2], strict=True):
                words += ["--save", seconds, changes]
            if not numbers:
                words += ["--save", ""]
        return words


PLUGIN = KeydbPlugin(packaged_manifest("weighhouse_plugin_keydb"))
