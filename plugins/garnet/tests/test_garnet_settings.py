"""garnet.conf as a target, and what of it is never taken."""

from pathlib import Path

import pytest
from weighhouse_plugin_garnet import PLUGIN
from weighhouse_sdk.testkit.at_hand import server
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_never,
    check_not_taken,
    check_read_back,
    check_said_no,
    check_words,
    left_of,
    refused,
    translated,
)

HINT = "`dotnet tool install --tool-path … garnet-server` brings it"


@pytest.fixture
def garnet(request: pytest.FixtureRequest) -> Path:
    """The real server."""
    return server(request, "garnet-server", "WEIGHHOUSE_GARNET", HINT)


DANGEROUS = """
Port Address CheckpointDir LogDir EnableCluster AuthenticationMode Password AclFile AadAuthority
EnableTLS CertFileName CertPassword EnableLua LoadModuleCS ExtensionBinPaths
ExtensionAllowUnsignedAssemblies FileLogger UnixSocketPath UnixSocketPermission UseAzureStorage
AzureStorageConnectionString ClusterUsername ClusterPassword ClusterAnnounceIp
EnableDebugCommand EnableModuleCommand ConfigImportPath ProtectedMode
"""
OURS = """\
/* the shop's "cache" */
{
\t/*****************************
\t * "Port" : 1234, // as it was
\t *****************************/
  "Port": 6380, // no /* comment within one
  "MemorySize": "2g",
  "EnableAOF": true,
  "AofMemorySize": "64m",
  "Password": "hush",
  "CommitFrequencyMs": 5, "AadAuthority": "https://login.example//a/*b*/",
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
    assert found.settings == {"page": "32m"}
    assert left_of(found) == {
        (6, "Port"): "agent",
        (10, "Password"): "never",
        (11, "aad-authority"): "never",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"Port": 1,\n"Port": 2}\n', 2, "stands on line 1"),
        ("{", 2, "is no YAML"),
        ('{"Port": 1, /* "Recover": true}', 2, "is no YAML"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)
    assert "is the parameter `aof`" in refused(PLUGIN, "EnableAOF", value=True)
    assert "is the parameter `memory_bytes`" in refused(PLUGIN, "MemorySize")


@pytest.mark.usefixtures("garnet")
def test_settings_beside_parameters_are_read_back(tmp_path: Path) -> None:
    wanted = {"NetworkConnectionLimit": 1999, "sg-get": False, "compaction-type": "shift"}
    told = {"NetworkConnectionLimit": "1999", "sg-get": "no", "compaction-type": "Shift"}
    check_read_back(PLUGIN, tmp_path / "a", wanted, told)


@pytest.mark.usefixtures("garnet")
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"page": "many"}, "The field PageSize is invalid"),
        ({"latency-monitor": True}, "LatencyMonitor requires MetricsSamplingFrequency"),
    ],
)
def test_what_the_server_refuses_is_told_in_its_own_words(
    settings: dict[str, bool | str], words: str, tmp_path: Path
) -> None:
    check_said_no(PLUGIN, tmp_path / "a", settings, words)


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS, "/* was: */")
