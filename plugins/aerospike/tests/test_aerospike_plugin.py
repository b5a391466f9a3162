"""The Aerospike plugin against a real server, where there is one."""

from typing import ClassVar

from weighhouse_plugin_aerospike import PLUGIN
from weighhouse_sdk.testing import PluginConformance


class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "storage": "files",
        "files": 5,
        "data_size_mebibytes": 1280,
        "flush_max_ms": 500,
        "flush_size_bytes": 131_072,
        "direct_files": True,
        "read_page_cache": True,
        "post_write_cache_mebibytes": 64,
        "max_write_cache_mebibytes": 128,
        "stop_writes_used_percentage": 80,
        "evict_used_percentage": 60,
        "defrag_lwm_percentage": 40,
        "stop_writes_sys_memory_percentage": 95,
        "nsup_period_seconds": 60,
        "write_commit_level_override": "master",
        "migrate_sleep_us": 0,
        "migrate_threads": 4,
        "service_threads": 8,
        "transaction_max_ms": 2000,
        "heartbeat_interval_ms": 100,
        "heartbeat_timeout_intervals": 20,
    }
    impossible: ClassVar = {"commit_to_device": True}
    refusal = "'commit-to-device' is enterprise-only"
