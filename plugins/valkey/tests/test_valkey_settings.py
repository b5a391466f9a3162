"""valkey.conf as a target, and settings beside parameters."""

from pathlib import Path

from weighhouse_plugin_valkey import PLUGIN
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_never,
    check_read_back,
    check_said_no,
    check_words,
    refused,
    translated,
)

DANGEROUS = """
loadmodule include dir dbfilename appendfilename appenddirname logfile unixsocket unixsocketgroup
bind bind-source-addr port cluster-port cluster-config-file pidfile aclfile user requirepass
primaryauth primaryuser masterauth replicaof slaveof rename-command tls-port tls-cert-file
tls-key-file tls-client-key-file-pass tls-ca-cert-dir enable-debug-command enable-module-command
protected-mode syslog-enabled socket-mark-id rdma-bind rdma-port mptcp cluster-announce-ip
replica-announce-ip daemonize supervised server-cpulist bio-cpulist oom-score-adj rdb-del-sync-files
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(
        PLUGIN, "maxmemory 1gb\nio-threads 4\nport 7000\nrequirepass hush\ntimeout 9\n"
    )
    assert found.parameters == {"maxmemory_bytes": 2**30, "io_threads": 4}
    assert found.settings == {"timeout": 9}
    assert [(one.line, one.reason) for one in found.left] == [(3, "agent"), (4, "never")]
    assert "hush" not in found.model_dump_json()


def test_settings_beside_parameters_are_read_back(tmp_path: Path) -> None:
    wanted = {"maxclients": 444, "rdbcompression": False}
    check_read_back(PLUGIN, tmp_path / "a", wanted, {"maxclients": "444", "rdbcompression": "no"})


def test_what_the_server_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    check_said_no(PLUGIN, tmp_path / "a", {"maxclients": "many"}, "'maxclients \"many\"': argument")


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)
    assert "is the parameter" in refused(PLUGIN, "maxmemory")


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, "maxmemory 1gb\nio-threads 4\ntimeout 9\n")
