"""Two manifests as plugins bring them, for tests that need no agent."""

from typing import Any

from weighhouse_protocol.manifest import Manifest


def manifest(system: str, **changed: Any) -> Manifest:
    """A valid manifest of a system, with what a test wants different."""
    base: dict[str, Any] = {
        "id": system,
        "version": "0.1.0",
        "name": system.capitalize(),
        "vendor": "somebody",
        "licence": "BSD-3-Clause",
        "architecture": "in-memory hash table",
        "colour": "#D55E00",
        "mark": "●",
        "operations": ["read", "update", "insert"],
        "deployments": ["process", "external"],
        "default_deployment": "process",
        "driver": {"id": "resp"},
        "benchmark_clause": {
            "policy": "open",
            "text": "No clause.",
            "source": "https://example.org/licence",
            "checked_on": "2026-11-20",
        },
    }
    return Manifest.model_validate(base | changed)


REDIS = manifest(
    "redis",
    parameters={
        "type": "object",
        "properties": {
            "appendonly": {"type": "boolean", "default": False, "x-aspect": "durability"},
            "appendfsync": {
                "enum": ["always", "everysec", "no"],
                "default": "everysec",
                "x-aspect": "durability",
            },
            "io_threads": {"type": "integer", "minimum": 1, "maximum": 128, "default": 1},
        },
    },
    driver={"id": "resp", "options": {"properties": {"layout": {"enum": ["hash", "string"]}}}},
    fairness={
        "durability": [
            {
                "when": {"appendonly": True, "appendfsync": "always"},
                "value": {"kept": "log", "reaches": "disk", "every_seconds": 0},
            },
            {"when": {"appendonly": False}, "value": {"kept": "nothing"}},
        ],
    },
)

MEMCACHED = manifest(
    "memcached",
    operations=["read", "update"],
    aspects={"durability": "none: memory only"},
    parameters={
        "type": "object",
        "properties": {"memory_mb": {"type": "integer", "x-aspect": "memory", "x-unit": "MB"}},
    },
    fairness={
        "durability": [{"value": {"kept": "nothing"}}],
        "memory": [{"value": {"bytes": {"of": "memory_mb", "times": 1_000_000}}}],
    },
)

TOOL = manifest(
    "redis-benchmark",
    kind="tool",
    deployments=[],
    operations=["read", "update"],
    driver={"id": "redis-benchmark"},
    tool={"drivers": ["resp"]},
)

MANIFESTS = {"redis": REDIS, "memcached": MEMCACHED}
