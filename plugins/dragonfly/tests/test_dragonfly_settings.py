"""a file of flags as a target, and what of it is never taken."""

from pathlib import Path

import pytest
from weighhouse_plugin_dragonfly import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
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
port bind dir unixsocket unixsocketperm admin_port admin_bind memcached_port requirepass
masterauth aclfile tls tls_cert_file tls_key_file tls_ca_cert_file pidfile log_dir flagfile
fromenv cluster_mode replicaof s3_endpoint http_admin_console primary_port_http_enabled
restricted_commands rename_command command_alias default_lua_flags
"""
OURS = """\
# flags of the shop's cache
--maxmemory=4gb
--cache_mode
--proactor_threads=3
--requirepass=hush
--port=6380
--dbnum=3
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "maxmemory_bytes": 4294967296,
        "cache_mode": True,
        "proactor_threads": 3,
    }
    assert found.settings == {"dbnum": 3}
    assert left_of(found) == {
        (5, "requirepass"): "never",
        (6, "port"): "agent",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("--maxmemory=1gb\n--MaxMemory=2gb\n", 2, "stands on line 1"),
        ("--maxmemory\n", 1, "has no value"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_settings_are_flags_by_the_names_of_their_library(tmp_path: Path) -> None:
    words, _ = orders(PLUGIN, tmp_path / "a", {"DbNum": 3, "tcp-nodelay": False})
    assert words[-2:] == ("--dbnum=3", "--tcp_nodelay=false")


def test_it_is_told_to_speak_tls_with_clients_that_show_a_certificate(tmp_path: Path) -> None:
    words, _ = orders(PLUGIN, tmp_path / "a", {}, tls=True)
    assert words[-4:] == (
        "--tls",
        "--tls_cert_file=tls/certificate.pem",
        "--tls_key_file=tls/key.pem",
        "--tls_ca_cert_file=tls/authority.pem",
    )
    target = Target(name="d", system="dragonfly", parameters={"tls": True})
    files = PLUGIN.driver_files(Context.open(target, tmp_path / "b"))
    assert sorted(files) == ["tls_ca_file", "tls_certificate_file", "tls_key_file"]


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)
