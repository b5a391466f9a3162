"""aerospike.conf as a target, and what of it is never taken."""

from pathlib import Path

import pytest
from weighhouse_plugin_aerospike import PLUGIN
from weighhouse_sdk.configuration import setting_word
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
service.pidfile service.user service.group service.feature-key-file service.work-directory
service.cluster-name service.node-id logging.file logging.console mod-lua.user-path
network.service.port network.service.address network.service.tls-port network.heartbeat.mode
network.heartbeat.port network.heartbeat.multicast-group network.tls.cert-file
network.fabric.port network.info.port network.admin.port security.enable-ldap security.log
xdr.dc namespace.storage-engine.file namespace.storage-engine.device
namespace.storage-engine.encryption-key-file namespace.index-type namespace.sindex-type.mount
service.secrets-address-port service.vault-url
"""
OURS = """\
service {
    proto-fd-max 20000
    pidfile /run/as.pid
}
network {
    heartbeat {
        interval 250
        mode mesh
    }
}
namespace shop {
    replication-factor 2
    storage-engine device {
        file /srv/as/data.dat
        filesize 2G
        flush-size 128K
        direct-files true
    }
    nsup-period 60
    conflict-resolution-policy generation
}
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "proto_fd_max": 20000,
        "heartbeat_interval_ms": 250,
        "storage": "files",
        "data_size_mebibytes": 2048,
        "flush_size_bytes": 131072,
        "direct_files": True,
        "nsup_period_seconds": 60,
    }
    assert found.settings == {"namespace.conflict-resolution-policy": "generation"}
    assert left_of(found) == {
        (3, "service.pidfile"): "never",
        (8, "network.heartbeat.mode"): "agent",
        (11, "namespace"): "unknown",
        (12, "namespace.replication-factor"): "agent",
        (14, "namespace.storage-engine.file"): "never",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("service {\n", 1, "not closed"),
        ("}\n", 1, "not open"),
        ("service { a 1 }\n", 1, "brace"),
        ("namespace a {\n}\nnamespace b {\n}\n", 3, "stands on line 1"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)


def test_settings_stand_in_their_sections(tmp_path: Path) -> None:
    settings = {
        "service.info-threads": 7,
        "network.fabric.send-threads": 3,
        "network.service.reuse": 1,
        "namespace.default-ttl": "5d",
        "namespace.storage-engine.cold-start-empty": True,
        "namespace.geo2dsphere-within.strict": False,
        "nowhere.at-all": 1,
    }
    _, files = orders(PLUGIN, tmp_path / "a", settings)
    (text,) = files.values()
    found, above = {}, []
    for line in text.splitlines():
        words = line.split()
        if words[-1] == "{":
            above.append(words[0])
        elif words == ["}"]:
            above.pop()
        else:
            found[".".join((*above, words[0]))] = words[-1]
    told = {name: setting_word(value, "true", "false") for name, value in settings.items()}
    assert {name: found[name] for name in settings} == told


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)
