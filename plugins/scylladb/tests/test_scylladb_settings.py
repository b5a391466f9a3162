"""scylla.yaml as a target, and what of it is never taken."""

import json
from pathlib import Path

import pytest
from weighhouse_plugin_scylladb import PLUGIN
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_never,
    check_not_taken,
    check_words,
    left_of,
    orders,
    translated,
)

DANGEROUS = """
workdir data_file_directories commitlog_directory hints_directory api_port api_address
api_ui_dir prometheus_port prometheus_address listen_address rpc_address seed_provider
authenticator authorizer server_encryption_options client_encryption_options
system_key_directory kmip_hosts kms_hosts native_transport_port_ssl
native_shard_aware_transport_port alternator_port alternator_address saslauthd_socket_path
ldap_url_template experimental_features enable_user_defined_functions maintenance_socket
object_storage_endpoints audit auth_superuser_name
"""
OURS = """\
developer_mode: true
commitlog_sync: batch
api_port: 10000
workdir: /srv/scylla
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {"developer_mode": True, "commitlog_sync": "batch"}
    assert left_of(found) == {(3, "api_port"): "never", (4, "workdir"): "agent"}
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\na: 2\n", 2, "stands on line 1"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_settings_and_tls_stand_in_its_file(tmp_path: Path) -> None:
    _, files = orders(PLUGIN, tmp_path / "a", {"sstable_format": "me"}, tls=True)
    told = json.loads(files["scylla.yaml"])
    assert told["sstable_format"] == "me"
    assert told["client_encryption_options"] == {
        "enabled": True,
        "certificate": str(tmp_path / "a/tls/certificate.pem"),
        "keyfile": str(tmp_path / "a/tls/key.pem"),
    }


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)
