"""The FerretDB plugin against the real program: `ferretdb` on PATH, or the file that
WEIGHHOUSE_FERRETDB names; `infra/build/ferretdb.sh` builds one where Go is.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_ferretdb import PLUGIN
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.families.mongo import ask
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.startup import addresses_of
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.testkit.tls_testing import check_tls
from weighhouse_sdk.wire import Address, ReplyError


@pytest.fixture(scope="module")
def ferretdb(request: pytest.FixtureRequest) -> Path:
    return at_hand.server(
        request, "ferretdb", "WEIGHHOUSE_FERRETDB", "infra/build/ferretdb.sh builds it with Go"
    )


@pytest.mark.usefixtures("ferretdb")
class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "journal_mode": "truncate",
        "synchronous": "normal",
        "busy_timeout_ms": 5000,
        "cache_size_kibibytes": 8192,
        "log_level": "warn",
    }
    impossible: ClassVar = {"log_level": "loud"}
    refusal = "loud"
    records = 200


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    target = Target(name="f", system="ferretdb", parameters={"synchronous": "normal"})
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


@pytest.fixture
def deployed(ferretdb: Path, context: Context) -> Iterator[Deployed]:
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    yield deployed
    PLUGIN.stop(context, deployed)


def test_settings_of_sqlite_stand_in_its_uri(tmp_path: Path) -> None:
    address = Address("127.0.0.1", 27017)
    place = Place(1, "ferretdb", address, tmp_path, (address,))
    words = PLUGIN.arguments({"cache_size_kibibytes": 64, "journal_mode": "wal"}, place)
    uri = "file:data/?_pragma=cache_size(-64)&_pragma=journal_mode(wal)"
    assert f"--sqlite-url={uri}" in words
    assert "--telemetry=disable" in words
    assert "--sqlite-url=file:data/" in PLUGIN.arguments({}, place)
    assert "--log-level=warn" in PLUGIN.arguments({"log_level": "warn"}, place)


def test_its_own_version_is_told_and_mongodbs_is_not_taken_for_it() -> None:
    told = "version: v1.24.2\npackage: embedded\n"
    assert PLUGIN.version_of(told) == "1.24.2"
    assert PLUGIN.version_of("db version v8.0.26") is None
    assert PLUGIN.version_in({"version": "7.0.42", "ferretdbVersion": "v1.24.2"}) == "1.24.2"
    assert PLUGIN.version_in({"version": "7.0.77", "ferretdb.version": "v2.7.0"}) == "2.7.0"
    with pytest.raises(ReplyError, match=r"no FerretDB answers.*8\.0\.26"):
        PLUGIN.version_in({"version": "8.0.26"})


def test_errors_are_errors_and_silence_is_silence(context: Context, deployed: Deployed) -> None:
    (address,) = addresses_of(context, deployed)
    with pytest.raises(ReplyError, match="no such command"):
        ask(address, 5.0, {"nonsense": 1})
    assert PLUGIN.settings(address, 5.0)["featureCompatibilityVersion.version"] == "7.0"
    PLUGIN.stop(context, deployed)
    with pytest.raises(OSError, match="refused"):
        ask(address, 5.0, {"hello": 1})


def test_data_outlasts_a_kill_and_each_verb_is_carried_out(
    context: Context, deployed: Deployed
) -> None:
    (address,) = addresses_of(context, deployed)
    document = {"insert": "c", "documents": [{"_id": "a", "n": 1}]}
    ask(address, 5.0, document)
    for verb, label in (
        ("pause", "paused"),
        ("resume", "goes on"),
        ("kill", "killed"),
        ("start", "serves again"),
        ("restart", "serves again"),
        ("stop", "ended with 0"),
        ("start", "serves again"),
    ):
        done = PLUGIN.fault(context, deployed, Fault(at_seconds=0, verb=verb))
        assert label in done.label
    (found,) = ask(address, 5.0, {"find": "c", "filter": {"_id": "a"}})
    assert found["cursor"]["firstBatch"] == [{"_id": "a", "n": 1}]
    assert list((context.data_directory / "data").glob("*.sqlite"))
    metrics = PLUGIN.sample(context, deployed).metrics
    assert metrics["metrics.commands.find.total"] == 1


def test_a_running_server_is_weighed_as_an_external_deployment(
    context: Context, deployed: Deployed
) -> None:
    target = Target(
        name="e", system="ferretdb", deployment="external", endpoints=deployed.endpoints
    )
    other = Context.open(target, context.directory / "external")
    there = PLUGIN.deploy(other)
    PLUGIN.wait_ready(other, there)
    described = PLUGIN.describe(other, there)
    assert described.settings
    assert PLUGIN.sample(other, there).metrics["metrics.commands.serverStatus.total"] > 0
    assert PLUGIN.stop(other, there).exit_codes == ()
    PLUGIN.clean_up(other)
    assert deployed.processes[0].exit_code is None


def test_it_speaks_tls_and_the_driver_verifies_it(tmp_path: Path) -> None:
    check_tls(PLUGIN, tmp_path)
