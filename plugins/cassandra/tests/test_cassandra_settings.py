"""cassandra.yaml as a target, and what of it is never taken."""

from pathlib import Path

import pytest
from weighhouse_plugin_cassandra import PLUGIN
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_listed,
    check_never,
    check_not_taken,
    check_read_back,
    check_said_no,
    check_words,
    left_of,
    translated,
)

DANGEROUS = """
data_file_directories commitlog_directory hints_directory saved_caches_directory
cdc_raw_directory listen_address rpc_address broadcast_address listen_interface
native_transport_port storage_port ssl_storage_port seed_provider cluster_name endpoint_snitch
authenticator authorizer role_manager network_authorizer cidr_authorizer internode_authenticator
server_encryption_options.keystore client_encryption_options.keystore_password
transparent_data_encryption_options audit_logging_options.logger
full_query_logging_options.archive_command heap_dump_path crypto_provider
user_defined_functions_enabled scripted_user_defined_functions_enabled partitioner initial_token
auth_read_consistency_level jmx_server_options
"""
OURS = """\
cluster_name: shop
concurrent_reads: 64
compaction_throughput: 128MiB/s
commitlog_sync_period: 5s
commitlog_segment_size_in_mb: 16
memtable_heap_space: 1GiB
memtable: {configurations: {default: {inherits: trie}}}
seed_provider:
  - class_name: org.shop.Seeds
    parameters: [{seeds: "10.0.0.1"}]
authenticator: PasswordAuthenticator
server_encryption_options: {keystore: /srv/keys, keystore_password: hush}
default_compaction: {class_name: UnifiedCompactionStrategy, parameters: {scaling_parameters: L4}}
key_cache_size:
hinted_handoff_enabled: true
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "concurrent_reads": 64,
        "compaction_throughput_mebibytes_per_second": 128,
        "commitlog_sync_period_ms": 5000,
        "commitlog_segment_mebibytes": 16,
        "memtable_heap_mebibytes": 1024,
        "memtable": "trie",
        "default_compaction": "UnifiedCompactionStrategy",
        "ucs_scaling_parameters": "L4",
    }
    assert found.settings == {"hinted_handoff_enabled": True}
    assert left_of(found) == {
        (1, "cluster_name"): "agent",
        (8, "seed_provider"): "agent",
        (11, "authenticator"): "never",
        (12, "server_encryption_options.keystore"): "never",
        (12, "server_encryption_options.keystore_password"): "never",
        (14, "key_cache_size"): "value",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\na: 2\n", 2, "stands on line 1"),
        ("a: &x 1\nb: *x\n", 2, "write it out"),
        ("a: [1\n", 2, "is no YAML"),
        ("- a\n", 1, "no mapping"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_listed(PLUGIN, DANGEROUS.split())
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_what_the_server_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    check_said_no(PLUGIN, tmp_path / "b", {"max_value_size": "much"}, "much")


def test_settings_beside_parameters_are_read_back(tmp_path: Path) -> None:
    wanted = {
        "hinted_handoff_enabled": False,
        "read_request_timeout": "7s",
        "native_transport_max_threads": 33,
        "write_request_timeout_in_ms": 4000,
    }
    told = {
        "hinted_handoff_enabled": "false",
        "read_request_timeout": "7s",
        "native_transport_max_threads": "33",
        "write_request_timeout_in_ms": "4000ms",
    }
    check_read_back(PLUGIN, tmp_path / "a", wanted, told)


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)
