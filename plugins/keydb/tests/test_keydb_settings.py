"""keydb.conf as a target, and settings beside parameters."""

from pathlib import Path

from weighhouse_plugin_keydb import PLUGIN
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_never,
    check_words,
    orders,
    refused,
    translated,
)

DANGEROUS = """
loadmodule include dir dbfilename appendfilename logfile unixsocket bind port cluster-config-file
pidfile aclfile user requirepass masterauth masteruser replicaof slaveof rename-command tls-port
tls-cert-file tls-key-file tls-allowlist protected-mode syslog-enabled active-replica multi-master
multi-master-no-forward db-s3-object scratch-file-path storage-provider server-thread-affinity
replica-announce-ip cluster-announce-ip daemonize supervised
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    text = "server-threads 4\nhash-max-listpack-value 99\nactive-replica yes\nmaxclients 9\n"
    found = translated(PLUGIN, text)
    assert found.parameters == {"server_threads": 4, "hash_max_ziplist_value": 99}
    assert found.settings == {"maxclients": 9}
    assert [(one.line, one.name, one.reason) for one in found.left] == [
        (3, "active-replica", "never")
    ]


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)
    assert "is the parameter" in refused(PLUGIN, "maxmemory")


def test_it_is_told_to_speak_tls_alone(tmp_path: Path) -> None:
    words, _ = orders(PLUGIN, tmp_path / "a", {}, tls=True)
    assert words[2:6] == ("--port", "0", "--tls-port", "7999")
    assert translated(PLUGIN, "tls-port 6390\n").parameters == {"tls": True}


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, "server-threads 4\nmaxclients 9\n")
