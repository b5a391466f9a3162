"""The table of dangers is that of the manifests, and no dangerous name of a system is beside it.

The names are those that a system itself knows: what real servers told of themselves
(`effective.json`), the other names of Garnet's options, which are all that it exports, and of
systems that do not run here the names in their sources (`names.txt`: Dragonfly, ScyllaDB and
Aerospike, read on 2026-11-27).
"""

import json
import re
from pathlib import Path

import pytest
from weighhouse_protocol.configuration.tables import folded
from weighhouse_protocol.configuration.translation import counterparts
from weighhouse_protocol.manifest import Manifest, load_manifest
from weighhouse_testing.dangers_page import PAGE, page

PLUGINS = Path(__file__).parents[2] / "plugins"
WORDS = (
    "files? dirs? directory directories paths? folder prefix mounts? devices? socket unixsocket "
    "ports? addr addresses address hosts? hostname bind listen interface announce[a-z]* users? "
    "username pass passwd password auth[a-z]* acl[a-z]* roles? tls ssl cert[a-z]* encryption "
    "secrets? keystore truststore kms kmip vault ldap saslauthd module[a-z]* lua scripts? udfs? "
    "functions? plugins? class provider extension[a-z]* command exec https? url uri endpoints? "
    "s3 azure gcs syslog logfile pid pidfile daemon[a-z]* debug test[a-z]* inject[a-z]* "
    "dangerous unsafe insecure factory env archive[a-z]* "
)
DANGER = re.compile(rf"(?:^|[._-])(?:{'|'.join(WORDS.split())})(?:[._-]|$)")
"""Words of names that load code, open files, sockets or networks, or name users."""
HARMLESS = {
    "redis": ("lazyfree-lazy-user-flush lua-time-limit "),
    "valkey": (
        "lazyfree-lazy-user-flush lazyfree-lazy-user-del lua-time-limit hide-user-data-from-log "
        "max-new-tls-connections-per-cycle "
    ),
    "garnet": (
        "DeviceIoBackend DeviceCompletionThreads DeviceThrottleLimit "
        "DeviceIoContexts DeviceQueueDepth DeviceUringSqPoll DeviceUringSqPollIdleMs "
        "DeviceAioMaxDevices "
    ),
    "dragonfly": ("background_debug_jobs epoll_file_threads multi_exec_squash tcp_user_timeout "),
    "scylladb": (
        "cql_duplicate_bind_variable_names_refer_to_same_variable enable_file_stream "
        "cql_in_bind_variable_name_uses_uppercase_operator file_cache_size_in_mb "
        "shutdown_announce_in_ms speculative_retry_user_table_default "
        "sstable_compression_user_table_options streaming_socket_timeout_in_ms "
        "user_task_ttl_in_seconds "
    ),
    "aerospike": (
        "namespace.enable-benchmarks-udf namespace.enable-benchmarks-udf-sub "
        "namespace.storage-engine.sindex-startup-device-scan service.debug-allocations "
        "service.disable-udf-execution "
    ),
    "cassandra": (
        "auto_repair.history_clear_delete_hosts_buffer_interval file_cache_enabled "
        "file_cache_round_up file_cache_size file_cache_size_in_mb max_hints_file_size "
        "max_hints_file_size_in_mb max_hints_size_per_host repair_command_pool_size "
        "user_timestamps_enabled streaming_connections_per_host "
        "internode_socket_receive_buffer_size internode_socket_receive_buffer_size_in_bytes "
        "internode_socket_send_buffer_size internode_socket_send_buffer_size_in_bytes "
        "internode_tcp_user_timeout internode_tcp_user_timeout_in_ms "
        "internode_streaming_tcp_user_timeout internode_streaming_tcp_user_timeout_in_ms "
        "internode_application_receive_queue_reserve_endpoint_capacity "
        "internode_application_receive_queue_reserve_endpoint_capacity_in_bytes "
        "internode_application_send_queue_reserve_endpoint_capacity "
        "internode_application_send_queue_reserve_endpoint_capacity_in_bytes "
    ),
}
"""Looked at one by one: sizes, times and switches of what is there anyway."""


def manifest(plugin: str) -> Manifest:
    return load_manifest(next(PLUGINS.glob(f"{plugin}/*/plugin.toml")))


def names(plugin: str) -> list[str]:
    """What a system's settings are called."""
    recorded = PLUGINS / plugin / "tests" / "recorded"
    if (listed := recorded / "names.txt").exists():
        return listed.read_text(encoding="ascii").split()
    if (told := recorded / "effective.json").exists():
        return list(json.loads(told.read_text(encoding="utf-8"))["settings"])
    table = manifest(plugin).settings
    return [] if table is None else list(table.aliases)


def words(name: str) -> str:
    """A name in parts: `AclFile` as `acl-file`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def test_the_page_is_what_the_manifests_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make gen`"


@pytest.mark.parametrize("plugin", sorted(HARMLESS))
def test_what_a_name_says_that_it_does_is_never_taken(plugin: str) -> None:
    whole = manifest(plugin)
    table, parameters = whole.settings, counterparts(whole)
    assert table is not None
    known = names(plugin)
    dangerous = [name for name in known if DANGER.search(words(name))]
    assert len(dangerous) > len(HARMLESS[plugin].split())
    through = [
        name
        for name in dangerous
        if not (table.why_never(name) or table.why_agent(name))
        and folded(table.named(name)) not in parameters
    ]
    assert sorted(through) == sorted(HARMLESS[plugin].split())
