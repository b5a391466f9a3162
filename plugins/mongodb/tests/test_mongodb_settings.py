"""mongod.conf as a target, and what of it is never taken."""

import json
from pathlib import Path

import pytest
from weighhouse_plugin_mongodb import PLUGIN
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
storage.dbPath net.port net.bindIp net.bindIpAll net.unixDomainSocket.pathPrefix net.tls.mode
net.tls.certificateKeyFile net.ssl.PEMKeyFile security.authorization security.keyFile
security.javascriptEnabled security.kmip.serverName security.ldap.servers systemLog.path
auditLog.path processManagement.fork processManagement.pidFilePath replication.replSetName
sharding.clusterRole setParameter.authenticationMechanisms setParameter.enableTestCommands
setParameter.saslauthdPath setParameter.ldapQueryUser
setParameter.diagnosticDataCollectionDirectoryPath setParameter.tlsCATrusts
storage.wiredTiger.engineConfig.configString storage.wiredTiger.collectionConfig.configString
setParameter.wiredTigerEngineRuntimeConfig
"""
OURS = """\
storage:
  dbPath: /srv/db
  syncPeriodSecs: 30
  wiredTiger:
    engineConfig: {cacheSizeGB: 1.5, journalCompressor: zstd}
net: {port: 27017, tls: {mode: requireTLS}}
security: {keyFile: /srv/key}
setParameter: {enableFlowControl: false}
operationProfiling: {mode: slowOp}
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "sync_delay_seconds": 30,
        "cache_size_gibibytes": 1.5,
        "journal_compressor": "zstd",
        "flow_control": False,
        "tls": True,
    }
    assert found.settings == {"operationProfiling.mode": "slowOp"}
    assert left_of(found) == {
        (2, "storage.dbPath"): "agent",
        (6, "net.port"): "agent",
        (7, "security.keyFile"): "never",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("net:\n  port: 1\n  port: 2\n", 3, "stands on line 2"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_settings_are_a_file_below_the_command_line(tmp_path: Path) -> None:
    settings = {"operationProfiling.mode": "slowOp", "setParameter.ttlMonitorSleepSecs": 7}
    words, files = orders(PLUGIN, tmp_path / "a", settings)
    assert words[-2:] == ("--config", "mongod.conf")
    assert json.loads(files["mongod.conf"]) == {
        "operationProfiling": {"mode": "slowOp"},
        "setParameter": {"ttlMonitorSleepSecs": 7},
    }
    assert "--config" not in orders(PLUGIN, tmp_path / "b", {})[0]


def test_it_is_told_to_speak_tls_alone(tmp_path: Path) -> None:
    words, _ = orders(PLUGIN, tmp_path / "a", {}, tls=True)
    assert words[words.index("--tlsMode") :] == (
        "--tlsMode", "requireTLS", "--tlsCertificateKeyFile", "tls/both.pem", "--tlsCAFile",
        "tls/authority.pem", "--tlsAllowConnectionsWithoutCertificates",
    )  # fmt: skip
    assert (tmp_path / "a/tls/both.pem").read_text().count("BEGIN") == len(("key", "certificate"))


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)
