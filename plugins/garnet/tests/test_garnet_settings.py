"""garnet.conf as a target, and what of it is never taken."""

import pytest
from weighhouse_plugin_garnet import PLUGIN
from weighhouse_sdk.testkit.settings_testing import (
    check_listed,
    check_not_taken,
    left_of,
    translated,
)

DANGEROUS = """
Port Address CheckpointDir LogDir EnableCluster AuthenticationMode Password AclFile AadAuthority
EnableTLS CertFileName CertPassword EnableLua LoadModuleCS ExtensionBinPaths
ExtensionAllowUnsignedAssemblies FileLogger UnixSocketPath UnixSocketPermission UseAzureStorage
AzureStorageConnectionString ClusterUsername ClusterPassword ClusterAnnounceIp
EnableDebugCommand EnableModuleCommand ConfigImportPath ProtectedMode
"""
OURS = """\
{
  "Port": 6380,
  "MemorySize": "2g",
  "EnableAOF": true,
  "AofMemorySize": "64m",
  "Password": "hush",
  "CommitFrequencyMs": 5,
  "PageSize": "32m"
}
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "memory_bytes": 2147483648,
        "aof": True,
        "aof_memory_bytes": 67108864,
        "aof_commit_freq_ms": 5,
    }
    assert left_of(found) == {
        (2, "Port"): "agent",
        (6, "Password"): "never",
        (8, "PageSize"): "unknown",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"Port": 1,\n"Port": 2}\n', 2, "stands on line 1"),
        ("{", 2, "is no YAML"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_listed(PLUGIN, DANGEROUS.split())
