"""Memcached's arguments as a target, and settings beside parameters."""

from pathlib import Path

import pytest
from weighhouse_plugin_memcached import PLUGIN
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
port udp-port unix-socket unix-mask enable-shutdown listen daemon enable-coredumps user
lock-memory pidfile enable-sasl disable-flush-all disable-dumping disable-watch auth-file
memory-file enable-ssl ext_path ssl_chain_cert ssl_key ssl_ca_cert ssl_keyformat ssl_verify_mode
ssl_ciphers protocol proxy_config proxy_arg sock_cookie_id drop_privileges extended verbose
inetd relaxed_privileges no_ext_path no_lru_crawler no_drop_privileges
"""
ONE_A_LINE = """\
# One of the eight in the shop's rack.
-d
logfile /var/log/memcached.log
-m 96
-u memcache
-l 10.0.0.7
-c 333
-I 2m
-M
-o hashpower=18,idle_timeout=77,no_lru_crawler,ext_path=/srv/ext:1g
-b 99
"""
AT_ONCE = (
    "/usr/bin/memcached -vv -m 96 -c333 --max-item-size=2m --disable-evictions "
    "--extended hashpower=18 -b 99 -t 6\n"
)


def test_arguments_are_carried_out_and_each_is_told_of(tmp_path: Path) -> None:
    found = translated(PLUGIN, ONE_A_LINE)
    assert found.parameters == {
        "memory_mebibytes": 96,
        "max_connections": 333,
        "max_item_bytes": 2 * 2**20,
        "evictions": False,
        "hash_power": 18,
    }
    assert found.settings == {"idle_timeout": 77, "lru_crawler": False, "listen-backlog": 99}
    assert left_of(found) == {
        (2, "daemon"): "agent",
        (3, "logfile"): "never",
        (5, "user"): "never",
        (6, "listen"): "agent",
        (10, "ext_path"): "never",
    }
    with running(PLUGIN, tmp_path / "attempt", found.document()) as told:
        assert told["maxbytes"].value == str(96 * 2**20)
        assert told["maxconns"].value == "333"
        assert told["item_size_max"].value == str(2 * 2**20)
        assert told["evictions"].value == "off"
        assert told["hashpower_init"].value == "18"
        assert told["idle_timeout"].value == "77"


def test_a_command_line_is_read_as_the_same() -> None:
    found = translated(PLUGIN, AT_ONCE)
    assert found.parameters == {
        "memory_mebibytes": 96,
        "max_connections": 333,
        "max_item_bytes": 2 * 2**20,
        "evictions": False,
        "hash_power": 18,
        "threads": 6,
    }
    assert found.settings == {"listen-backlog": 99}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("-d\n\nlog /var/log/memcached.log\n", 3, "no argument"),
        ("-m 64\n-m 96\n", 2, "stands on line 1 already"),
        ("-m 64\n--memory-limit=96\n", 2, "stands on line 1 already"),
        ("-m 64 -c\n", 1, "has no value"),
        ("-o a=1,,b=2\n", 1, "empty place"),
        ("-m '64\n", 1, "quote"),
    ],
)
def test_of_bad_arguments_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_the_server_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    check_said_no(PLUGIN, tmp_path / "a", {"hash_algorithm": "none"}, "nknown hash_algorithm")


def test_settings_beside_parameters_are_read_back(tmp_path: Path) -> None:
    wanted = {"listen-backlog": 99, "idle_timeout": 77, "lru_crawler": False, "slab-min-size": 64}
    told = {
        "listen-backlog": "99",
        "idle_timeout": "77",
        "lru_crawler": "no",
        "slab-min-size": "64",
    }
    check_read_back(PLUGIN, tmp_path / "attempt", wanted, told)


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_what_has_a_parameter_is_no_setting() -> None:
    assert "is the parameter `memory_mebibytes`" in refused(PLUGIN, "memory-limit")
    assert "is the parameter `hash_power`" in refused(PLUGIN, "hashpower")


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, "-m 96\n-l 10.0.0.7\n-o idle_timeout=77\n")
