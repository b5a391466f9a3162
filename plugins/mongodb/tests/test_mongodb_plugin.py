"""The MongoDB plugin: on a real `mongod` where there is one (on PATH, or named by
WEIGHHOUSE_MONGOD); and, for what that can carry, on mongo-java-server, a wire-compatible stand-in,
not MongoDB.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_mongodb import PLUGIN, engine, replica_set
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import NotReady, TargetInvalid
from weighhouse_sdk.families.mongo import UnknownCommand, ask, figures, flat, words
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.startup import addresses_of
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address, ReplyError


@pytest.fixture(scope="module")
def mongod(request: pytest.FixtureRequest) -> Path:
    return at_hand.server(request, "mongod", "WEIGHHOUSE_MONGOD")


@pytest.mark.usefixtures("mongod")
class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "cache_size_gibibytes": 0.5,
        "journal_commit_interval_ms": 50,
        "sync_delay_seconds": 30,
        "journal_compressor": "zstd",
        "block_compressor": "none",
        "zstd_level": 3,
        "index_prefix_compression": False,
        "flow_control": False,
        "eviction_target_percentage": 70,
        "eviction_trigger_percentage": 90,
        "eviction_dirty_target_percentage": 3,
        "eviction_dirty_trigger_percentage": 10,
        "eviction_threads": 2,
    }
    impossible: ClassVar = {"cache_size_gibibytes": 0.01}
    refusal = "cacheSizeGB"


@pytest.mark.usefixtures("mongod")
def test_a_replica_set_loses_its_primary_and_gets_it_back(tmp_path: Path) -> None:
    target = Target(name="m", system="mongodb", topology=Topology(nodes=3, replication_factor=3))
    context = Context.open(target, tmp_path / "attempt")
    try:
        deployed = PLUGIN.deploy(context)
        PLUGIN.wait_ready(context, deployed)
        hellos = [ask(each, 5.0, {"hello": 1})[0] for each in addresses_of(context, deployed)]
        primary = next(n for n, each in enumerate(hellos, 1) if each["isWritablePrimary"])
        for verb in ("kill", "start"):
            PLUGIN.fault(context, deployed, Fault(at_seconds=0, verb=verb, node=primary))
        assert PLUGIN.missing([node.place for node in deployed.nodes], 5.0) is None
        PLUGIN.stop(context, deployed)
    finally:
        PLUGIN.clean_up(context)


# without any server


def place(directory: Path, number: int, nodes: int) -> Place:
    addresses = tuple(Address("127.0.0.1", 27_100 + each) for each in range(nodes))
    return Place(number, f"mongodb-{number}", addresses[number - 1], directory, addresses, nodes)


def test_only_what_an_experiment_sets_is_an_option(tmp_path: Path) -> None:
    plain = ["--bind_ip", "127.0.0.1", "--port", "27100", "--dbpath", ".", "--nounixsocket"]
    assert PLUGIN.arguments({}, place(tmp_path, 1, 1)) == plain
    more = PLUGIN.arguments(
        {"cache_size_gibibytes": 0.5, "flow_control": False, "journal_compressor": "none"},
        place(tmp_path, 1, 1),
    )
    assert more == [
        *plain,
        *("--wiredTigerCacheSizeGB", "0.5"),
        *("--setParameter", "enableFlowControl=false"),
        *("--wiredTigerJournalCompressor", "none"),
    ]
    assert PLUGIN.arguments({"cache_size_gibibytes": 0}, place(tmp_path, 1, 1)) == plain


def test_what_the_engine_is_told_is_one_text(tmp_path: Path) -> None:
    words = PLUGIN.arguments(
        {"eviction_threads": 8, "eviction_dirty_target_percentage": 3, "sync_delay_seconds": 30},
        place(tmp_path, 1, 1),
    )
    assert words[-4:] == [
        *("--syncdelay", "30"),
        "--wiredTigerEngineConfigString",
        "eviction_dirty_target=3,eviction=(threads_min=8,threads_max=8)",
    ]
    assert engine.told(words[-1]) == {"eviction_dirty_target": "3", "eviction.threads": "8"}
    assert engine.told("") == {}


@pytest.mark.parametrize(
    ("parameters", "at", "because"),
    [
        ({"eviction_target_percentage": 95}, "eviction_target_percentage", "at most 94"),
        ({"eviction_trigger_percentage": 70}, "eviction_trigger_percentage", "at most 69"),
        (
            {"eviction_dirty_target_percentage": 30, "eviction_dirty_trigger_percentage": 20},
            "eviction_dirty_target_percentage",
            "requests have to help",
        ),
    ],
)
def test_eviction_begins_before_requests_have_to_help(
    parameters: dict[str, int], at: str, because: str
) -> None:
    with pytest.raises(TargetInvalid) as caught:
        PLUGIN.check_target(Target(name="m", system="mongodb", parameters=parameters))
    assert because in f"{caught.value} | {caught.value.hint}"
    assert [path for path, _ in caught.value.problems] == [f"parameters.{at}"]
    PLUGIN.check_target(
        Target(name="m", system="mongodb", parameters={"eviction_dirty_target_percentage": 19})
    )


def test_several_servers_are_members_of_one_replica_set(tmp_path: Path) -> None:
    three = place(tmp_path, 2, 3)
    assert PLUGIN.arguments({}, three)[-2:] == ["--replSet", "weighhouse"]
    assert replica_set.initiation(three.addresses) == {
        "replSetInitiate": {
            "_id": "weighhouse",
            "members": [
                {"_id": 0, "host": "127.0.0.1:27100"},
                {"_id": 1, "host": "127.0.0.1:27101"},
                {"_id": 2, "host": "127.0.0.1:27102"},
            ],
        }
    }


def test_copies_are_as_many_as_nodes() -> None:
    target = Target(name="m", system="mongodb", topology=Topology(nodes=3, replication_factor=2))
    with pytest.raises(TargetInvalid) as caught:
        PLUGIN.check_target(target)
    assert list(caught.value.problems) == [
        ("topology", "MongoDB: every node has a copy of all: the replication factor is 3, not 2")
    ]


def test_a_replica_set_is_there_with_one_primary_and_secondaries() -> None:
    """Answers to `hello` as the vendor documents them; no server gave these."""
    member = {"setName": "weighhouse", "hosts": ["a:1", "b:1", "c:1"]}
    primary = {**member, "isWritablePrimary": True, "secondary": False}
    secondary = {**member, "isWritablePrimary": False, "secondary": True}
    syncing = {**member, "isWritablePrimary": False, "secondary": False}
    assert replica_set.missing([primary, secondary, secondary], 3) is None
    assert replica_set.missing([secondary, primary], 3) is None, "one may be down on purpose"
    for hellos, what in (
        ([primary, secondary, syncing], "server 3 of those that are up is neither"),
        ([secondary, secondary, secondary], "there are 0 primaries"),
        ([primary, primary, secondary], "there are 2 primaries"),
        ([{"isreplicaset": True}, secondary, secondary], "is in no replica set"),
        ([{**primary, "hosts": ["a:1"]}, secondary, secondary], "knows 1 members"),
    ):
        assert what in str(replica_set.missing(hellos, 3))


def test_a_write_has_to_be_on_all_members() -> None:
    """Answers as the vendor documents them; no replica set gave these."""
    late = {"code": 64, "codeName": "WriteConcernFailed", "errmsg": "waiting for replication timed"}
    told = replica_set.refused([{"ok": 1.0, "n": 1}, {"ok": 1.0, "writeConcernError": late}], 3)
    assert told is not None
    assert "not all of 3 members acknowledge" in told
    assert "waiting for replication timed" in told
    there = [{"index": 0, "code": 11000, "errmsg": "E11000 duplicate key"}]
    assert "E11000" in str(replica_set.refused([{"ok": 1.0, "n": 0, "writeErrors": there}], 3))
    assert replica_set.refused([{"ok": 1.0, "n": 1}, {"ok": 1.0}], 3) is None


def test_versions_are_mongodbs_own() -> None:
    assert PLUGIN.version_of("db version v8.0.26\nBuild Info: {}\n") == "8.0.26"
    assert PLUGIN.version_of("version: v1.24.2\n") is None
    with pytest.raises(ReplyError, match="FerretDB answers"):
        PLUGIN.version_in({"version": "7.0.42", "ferretdbVersion": "v1.24.2"})


def test_documents_become_settings_and_figures() -> None:
    document = {"a": {"b": True, "c": 1.5}, "d": ["x", 2], "e": "text"}
    assert flat(document) == {"a.b": True, "a.c": 1.5, "d": ["x", 2], "e": "text"}
    assert words(document) == {"a.b": "true", "a.c": "1.5", "d": "x, 2", "e": "text"}
    assert figures(document) == {"a.b": 1.0, "a.c": 1.5}


# on the stand-in, which is not MongoDB


@pytest.fixture
def external(stand_in: str, tmp_path: Path) -> Iterator[Context]:
    target = Target(name="m", system="mongodb", deployment="external", endpoints=(stand_in,))
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


@pytest.mark.stand_in("of mongo-java-server, a wire-compatible stand-in, not MongoDB")
def test_a_running_server_is_asked_and_driven(external: Context) -> None:
    deployed = PLUGIN.deploy(external)
    PLUGIN.wait_ready(external, deployed)
    order = order_for(PLUGIN.endpoints(deployed), {"write_concern": "majority"}, 0.5)
    with DriverRun(PLUGIN.manifest.driver.id, order, external) as run:
        for event in run.events():
            if event.event == "phase_finished":
                assert not any(totals.errors for totals in event.operations.values())
                assert sum(totals.ok for totals in event.operations.values()) > 0
    assert event.event == "finished"
    assert PLUGIN.describe(external, deployed).version == "5.0.0", "as the stand-in says of itself"
    assert PLUGIN.sample(external, deployed).metrics["connections.current"] >= 1
    assert PLUGIN.memory(external, deployed).used_bytes is None, "the stand-in has no WiredTiger"
    assert PLUGIN.stop(external, deployed).exit_codes == ()


def test_the_stand_in_tells_its_process_and_refuses_what_it_does_not_know(stand_in: str) -> None:
    host, _, port = stand_in.removeprefix("tcp://").partition(":")
    address = Address(host, int(port))
    pid = PLUGIN.serving_process(address, 5.0)
    assert "MongoStandIn" in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    assert PLUGIN.settings(address, 5.0) == {}, "it has no getParameter"
    with pytest.raises(UnknownCommand, match="no such command: 'nonsense'"):
        ask(address, 5.0, {"nonsense": 1})


@pytest.mark.stand_in("of mongo-java-server, a wire-compatible stand-in, not MongoDB")
def test_what_proves_a_replica_set_leaves_nothing_behind(stand_in: str) -> None:
    host, _, port = stand_in.removeprefix("tcp://").partition(":")
    address = Address(host, int(port))
    for _ in range(2):
        assert replica_set.unacknowledged(address, 1, 5.0) is None
    (there,) = ask(address, 5.0, {"listDatabases": 1})
    assert replica_set.OWN_DATABASE not in [each["name"] for each in there["databases"]]


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    target = Target(
        name="m", system="mongodb", deployment="external", endpoints=("tcp://127.0.0.1:1",)
    )
    options = HostOptions(ready_seconds=0.2)
    context = Context.open(target, tmp_path / "attempt", options=options)
    deployed = PLUGIN.deploy(context)
    with pytest.raises(NotReady, match=r"does not answer at tcp://127\.0\.0\.1:1"):
        PLUGIN.wait_ready(context, deployed)
