"""Effective configurations of all systems: recorded from real servers where one runs here, else as
the vendors' documentation and sources have them.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_sdk.configuration import system_value
from weighhouse_sdk.registry import discover

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
OUTSIDE: dict[str, Any] = {"deployment": "external", "endpoints": ["tcp://10.0.0.9:1"]}


@cache
def manifest(plugin: str) -> Manifest:
    """As the plugin's folder has it."""
    return discover()[0][plugin].manifest


@cache
def _recorded(system: str) -> dict[str, Any]:
    text = (PLUGINS / system / "tests" / "recorded" / "effective.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def recorded(system: str, case: str = "default", **target: Any) -> Facts:
    """What a real server said of itself, asked by the plugin."""
    found = _recorded(system)
    one = found["cases"][case]
    settings = {
        name: value for name, value in found["settings"].items() if name not in one.get("gone", ())
    }
    return side(system, settings | one["settings"], parameters=one["parameters"], **target)


def aerospike(case: str, **target: Any) -> Facts:
    """What `asd` answered to `get-config`, from the recordings of its plugin's tests."""
    path = PLUGINS / "aerospike" / "tests" / "recorded" / "community.json"
    answers = json.loads(path.read_text(encoding="utf-8"))[case]
    settings: dict[str, str] = {}
    for asked, answer in answers.items():
        if not asked.startswith("get-config"):
            continue
        for line in answer[16:].splitlines():
            fields = line.partition("\t")[2]
            settings |= dict(pair.split("=", 1) for pair in fields.split(";") if "=" in pair)
    return side("aerospike", settings, **target)


DOCUMENTED: Mapping[str, Mapping[str, str]] = {
    # CONFIG GET and INFO of Dragonfly 1.39 and KeyDB 6.3.4, as their plugins' pages have them.
    "dragonfly": {
        "dbfilename": "dump-{timestamp}", "snapshot_cron": "", "maxmemory": "6871947674",
        "cache_mode": "false", "proactor_threads": "2",
    },
    "keydb": {
        "appendonly": "no", "appendfsync": "everysec", "save": "3600 1 300 100 60 10000",
        "maxmemory": "0", "maxmemory-policy": "noeviction", "server-threads": "1",
    },
    # RuntimeServerConfig.cs of Garnet tells no more (commit e508a41).
    "garnet": {"timeout": "0", "save": "", "appendonly": "no", "slave-read-only": "no"},
    # https://opensource.docs.scylladb.com/stable/reference/configuration-parameters.html
    "scylladb": {
        "commitlog_sync": "periodic", "commitlog_sync_period_in_ms": "10000",
        "developer_mode": "false",
    },
    # `getParameter` and `getCmdLineOpts` of MongoDB 8.0, and what the plugin adds to them.
    "mongodb": {
        "storage.journal.commitIntervalMs": "100",
        "storage.wiredTiger.engineConfig.cacheSizeGB": "0",
        "storage.wiredTiger.collectionConfig.blockCompressor": "snappy",
        "writePeriodicNoops": "true", "replication.replSet": "weighhouse",
    },
}  # fmt: skip


def documented(system: str, changed: Mapping[str, str] | None = None, **target: Any) -> Facts:
    """What a server would say by its vendor's documentation."""
    return side(system, {**DOCUMENTED[system], **(changed or {})}, **target)


def draft(system: str, tool: str | None = None, **target: Any) -> Facts:
    """A target that nobody has run."""
    given = {"name": "t", "system": system, "deployment": manifest(system).default_deployment}
    asked = Target.model_validate({**given, "tool": tool, **target})
    return Facts(asked, manifest(system), manifest(tool) if tool else None, co_located=True)


def side(system: str, settings: Mapping[str, str], **target: Any) -> Facts:
    """A target that ran on one machine, and said so much of itself."""
    asked = draft(system, **target).target
    ends = asked.endpoints or (
        ("file:///data",) if asked.deployment == "in_process" else ("tcp://127.0.0.1:40000",)
    )
    return Facts(asked, manifest(system), settings=settings, endpoints=ends, co_located=True)


def printed(system: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as the system prints them back."""
    schemas: Any = manifest(system).parameters["properties"]
    return {
        schemas[name].get("x-setting", name): system_value(schemas[name], value)
        for name, value in parameters.items()
    }
