"""redis.conf as a target, and settings beside parameters."""

from pathlib import Path

import pytest
from weighhouse_plugin_redis import PLUGIN
from weighhouse_sdk.configuration import system_names
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_never,
    check_not_taken,
    check_read_back,
    check_said_no,
    check_words,
    left_of,
    refused,
    running,
    translated,
)

DANGEROUS = """
loadmodule module-load include dir dbfilename appendfilename appenddirname logfile unixsocket
unixsocketperm bind bind-source-addr port cluster-port cluster-config-file cluster-enabled
pidfile aclfile user requirepass masterauth masteruser replicaof slaveof rename-command tls-port
tls-cert-file tls-key-file tls-key-file-pass tls-client-cert-file tls-client-key-file
tls-client-key-file-pass tls-ca-cert-file tls-ca-cert-dir tls-dh-params-file tls-auth-clients
enable-debug-command enable-module-command enable-protected-configs protected-mode
syslog-enabled syslog-ident syslog-facility socket-mark-id cluster-announce-ip
cluster-announce-port cluster-announce-hostname replica-announce-ip replica-announce-port
daemonize supervised server_cpulist bio_cpulist aof_rewrite_cpulist bgsave_cpulist oom-score-adj
oom-score-adj-values proc-title-template rdb-del-sync-files ignore-warnings sentinel test-memory
check-system
"""
OURS = """\
# The cache of our shop, as it has been since spring.
port 7000
bind 10.0.0.7 -::1
daemonize yes
dir /srv/shop/redis

maxmemory 96mb
maxmemory-policy allkeys-lfu
appendonly yes
appendfsync no
save 900 1
save "300 10"
hash-max-ziplist-value 128
repl-backlog-size 2m
maxclients 333
timeout 77
lazyfree-lazy-user-flush yes
requirepass "correct horse # battery"
client-output-buffer-limit normal 0 0 0
client-output-buffer-limit pubsub 32mb 8mb 60
hz fast
shop-mode on
"""


def test_a_file_is_carried_out_and_every_line_is_told_of(tmp_path: Path) -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "maxmemory_bytes": 96 * 2**20,
        "maxmemory_policy": "allkeys-lfu",
        "appendonly": True,
        "appendfsync": "no",
        "save": "900 1 300 10",
        "hash_max_listpack_value": 128,
        "repl_backlog_bytes": 2_000_000,
    }
    assert found.settings == {
        "maxclients": 333,
        "timeout": 77,
        "lazyfree-lazy-user-flush": "yes",
        "client-output-buffer-limit": "normal 0 0 0 pubsub 32mb 8mb 60",
    }
    assert left_of(found) == {
        (2, "port"): "agent",
        (3, "bind"): "agent",
        (4, "daemonize"): "agent",
        (5, "dir"): "agent",
        (18, "requirepass"): "never",
        (21, "hz"): "value",
        (22, "shop-mode"): "unknown",
    }
    assert "battery" not in found.model_dump_json()
    with running(PLUGIN, tmp_path / "attempt", found.document()) as told:
        names = system_names(PLUGIN.manifest)
        assert {each: told[names[each]].value for each in found.parameters} == {
            "maxmemory_bytes": str(96 * 2**20),
            "maxmemory_policy": "allkeys-lfu",
            "appendonly": "yes",
            "appendfsync": "no",
            "save": "900 1 300 10",
            "hash_max_listpack_value": "128",
            "repl_backlog_bytes": "2000000",
        }
        assert (told["maxclients"].value, told["timeout"].value) == ("333", "77")
        limits = "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"
        assert told["client-output-buffer-limit"].value == limits
        assert told["client-output-buffer-limit"].source == "experiment"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("hz 10\ninclude /etc/more.conf\n", 2, "takes in another file"),
        ("hz 10\nhz 20\n", 2, "stands on line 1 already"),
        ("hz 10\nHZ 10\n", 2, "stands on line 1 already"),
        ('appendonly "yes\n', 1, "quote"),
        ("\nappendonly\n", 2, "has no value"),
        ("hz 10\nlist-max-ziplist-size 3\nlist-max-listpack-size 3\n", 3, "line 2 already"),
        ("hz 10\0", 1, "NUL"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_a_port_for_tls_is_the_parameter() -> None:
    assert translated(PLUGIN, "tls-port 6390\n").parameters == {"tls": True}
    assert translated(PLUGIN, "tls-port 0\n").parameters == {"tls": False}
    files = translated(PLUGIN, "tls-port 6390\ntls-cert-file /etc/redis/tls.pem\n")
    assert [(one.name, one.reason) for one in files.left] == [("tls-cert-file", "never")]


def test_settings_beside_parameters_are_read_back(tmp_path: Path) -> None:
    wanted = {"maxclients": 444, "rdbcompression": False, "maxmemory-clients": "5%"}
    told = {"maxclients": "444", "rdbcompression": "no", "maxmemory-clients": "5%"}
    check_read_back(PLUGIN, tmp_path / "attempt", wanted, told)


def test_words_that_do_not_belong_together_are_refused() -> None:
    limit = "client-output-buffer-limit"
    assert refused(PLUGIN, limit, "normal 0 0 0 pubsub 32mb 8mb 60") == ""
    assert "4 or a multiple" in refused(PLUGIN, limit, "normal 0 0")
    for value in ("normal 0 0 --port", "normal 0 0  0", "normal\n0 0 0", 'normal 0 0 "0"', 7):
        assert refused(PLUGIN, limit, value), value
    assert "40 words" in refused(PLUGIN, limit, " ".join(["normal 0 0 0"] * 11))
    assert "single word" in refused(PLUGIN, "timeout", "1 2")


def test_what_the_server_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    check_said_no(PLUGIN, tmp_path / "a", {"maxclients": "many"}, "'maxclients \"many\"': argument")


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_what_has_a_parameter_is_no_setting() -> None:
    assert "is the parameter `maxmemory_bytes`" in refused(PLUGIN, "maxmemory")
    assert "is the parameter `hash_max_listpack_value`" in refused(PLUGIN, "hash-max-ziplist-value")
    assert refused(PLUGIN, "maxclients", 20_000) == ""


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)
