"""The Aerospike plugin against a real server, where there is one: `asd` on PATH, or the file that
WEIGHHOUSE_ASD names. Without one its answers are played again that were recorded from a real one;
with WEIGHHOUSE_RECORD set as well they are recorded anew.
"""

import json
import os
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_aerospike import PLUGIN, conffile, info
from weighhouse_plugin_aerospike.plugin import CONTEXTS
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget
from weighhouse_protocol.faults import Fault, FaultVerb
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target, Topology
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.lifecycle import Deployed, FaultDone
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.startup import addresses_of
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address, ReplyError

RECORDED = Path(__file__).with_name("recorded") / "community.json"
FIVE_FILES: dict[str, Scalar] = {"storage": "files", "files": 5, "data_size_mebibytes": 1280}
QUESTIONS = (
    ("build",),
    ("namespaces",),
    (*CONTEXTS, "get-config:context=namespace;namespace=ycsb"),
    ("statistics", "namespace/ycsb"),
)
TARGETS: dict[str, dict[str, Scalar]] = {"memory": {}, "files": FIVE_FILES}


@pytest.fixture(scope="module")
def asd(request: pytest.FixtureRequest) -> Path:
    return at_hand.server(request, "asd", "WEIGHHOUSE_ASD")


@pytest.mark.usefixtures("asd")
class TestConformance(PluginConformance):
    plugin = PLUGIN
    follows = True
    changed: ClassVar = {
        **FIVE_FILES,
        "flush_max_ms": 500,
        "flush_size_bytes": 131_072,
        "direct_files": True,
        "read_page_cache": True,
        "post_write_cache_mebibytes": 64,
        "max_write_cache_mebibytes": 128,
        "stop_writes_used_percentage": 80,
        "evict_used_percentage": 60,
        "defrag_lwm_percentage": 40,
        "stop_writes_sys_memory_percentage": 95,
        "nsup_period_seconds": 60,
        "write_commit_level_override": "master",
        "migrate_sleep_us": 0,
        "migrate_threads": 4,
        "service_threads": 8,
        "batch_index_threads": 3,
        "query_threads_limit": 64,
        "proto_fd_max": 2048,
        "microsecond_histograms": True,
        "partition_tree_sprigs": 512,
        "transaction_pending_limit": 0,
        "defrag_sleep_us": 500,
        "transaction_max_ms": 2000,
        "heartbeat_interval_ms": 100,
        "heartbeat_timeout_intervals": 20,
    }
    impossible: ClassVar = {"commit_to_device": True}
    refusal = "'commit-to-device' is enterprise-only"


# without a server: the configuration file


def place(tmp_path: Path, number: int = 1, nodes: int = 1, host: str = "127.0.0.1") -> Place:
    own = host != "127.0.0.1"
    addresses = tuple(
        Address(f"{host}{each}" if own else host, 3000 if own else 20_000 + each)
        for each in range(1, nodes + 1)
    )
    return Place(
        number, f"aerospike-{number}", addresses[number - 1], tmp_path, addresses, min(nodes, 2)
    )


def written(parameters: dict[str, Scalar], where: Place) -> list[str]:
    text = conffile.text(parameters, declared(PLUGIN.manifest.parameters), where)
    assert text.count("{") == text.count("}")
    return [line.strip() for line in text.splitlines()]


def test_a_namespace_in_memory_needs_no_files(tmp_path: Path) -> None:
    lines = written({}, place(tmp_path))
    assert "storage-engine memory {" in lines
    assert "data-size 4294967296" in lines
    assert not [line for line in lines if line.startswith(("file", "mesh-seed"))]
    assert "replication-factor 1" in lines


def test_files_share_the_size_of_the_data(tmp_path: Path) -> None:
    lines = written(FIVE_FILES, place(tmp_path))
    assert "storage-engine device {" in lines
    assert [line for line in lines if line.startswith("file ")] == [
        f"file ycsb-{number}.dat" for number in (1, 2, 3, 4, 5)
    ]
    assert f"filesize {256 * 2**20}" in lines
    assert not [line for line in lines if line.startswith("data-size")]


def test_only_what_an_experiment_sets_is_written(tmp_path: Path) -> None:
    plain = written({}, place(tmp_path))
    more = written({"migrate_threads": 4, "evict_used_percentage": 60}, place(tmp_path))
    assert set(more) - set(plain) == {"migrate-threads 4", "evict-used-pct 60"}
    assert written({"service_threads": 0}, place(tmp_path)) == plain
    assert "service-threads 8" in written({"service_threads": 8}, place(tmp_path))
    assert written({"batch_index_threads": 0}, place(tmp_path)) == plain
    assert "batch-index-threads 3" in written({"batch_index_threads": 3}, place(tmp_path))


def test_nodes_of_one_machine_find_each_other_by_addresses_of_their_own(tmp_path: Path) -> None:
    places = [place(tmp_path / str(number), number, 3) for number in (1, 2, 3)]
    for where in places:
        lines = written({}, where)
        own = PLUGIN.peer_ends(where)
        assert [end.port for end in own] == [3001, 3002]
        others = [PLUGIN.peer_ends(each)[1] for each in places if each is not where]
        seeds = [line for line in lines if line.startswith("mesh-seed-address-port")]
        assert seeds == [f"mesh-seed-address-port {end.host} {end.port}" for end in others]
        assert lines.count(f"address {own[0].host}") == 2
        assert "replication-factor 2" in lines
    assert len({PLUGIN.peer_ends(each)[0].host for each in places}) == 3
    assert len({conffile.node_id(each) for each in places}) == 3


def test_nodes_with_hosts_of_their_own_use_them(tmp_path: Path) -> None:
    where = place(tmp_path, 2, 3, "10.9.0.")
    assert PLUGIN.peer_ends(where)[1] == Address("10.9.0.2", 3002)
    assert "mesh-seed-address-port 10.9.0.3 3002" in written({}, where)


def test_nodes_of_several_machines_are_one_to_each_or_all_on_one(tmp_path: Path) -> None:
    assert PLUGIN.manifest.topology.spread
    apart = tuple(Address(f"10.9.0.{each}", 3000) for each in (1, 2, 3))
    together = tuple(Address("10.9.0.1", 3000 + each) for each in range(3))
    loopback = tuple(Address(f"127.0.1.{each}", 3000) for each in (1, 1, 2))
    for fine in (apart, together, loopback):
        assert PLUGIN.spread(fine) == fine
    with pytest.raises(
        DeployFailed, match=r"several nodes are on 10\.9\.0\.1, and others elsewhere"
    ):
        PLUGIN.spread((*together[:2], apart[1]))
    own = Place(2, "aerospike-2", loopback[2], tmp_path, loopback, 2)
    assert PLUGIN.peer_ends(own)[0] == Address("127.0.1.2", 3001)


# without a server: what one answered


class _Player(socketserver.BaseRequestHandler):
    answers: ClassVar[dict[str, str]] = {}

    def handle(self) -> None:
        size = int.from_bytes(self.request.recv(8)[2:], "big")
        asked = self.request.recv(size).decode()
        answer = bytes.fromhex(self.answers[asked][:16]) + self.answers[asked][16:].encode()
        self.request.sendall(answer)


@contextmanager
def played(answers: dict[str, str]) -> Iterator[Address]:
    """A server that gives the recorded answers to the recorded questions."""
    handler = type("Player", (_Player,), {"answers": answers})
    with socketserver.TCPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Address("127.0.0.1", server.server_address[1])
        server.shutdown()


def recorded(name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(RECORDED.read_text(encoding="utf-8"))[name]
    return found


def test_recorded_settings_and_metrics_are_read() -> None:
    with played(recorded("memory")) as address:
        assert PLUGIN.version_served(address, 5.0)[0].isdigit()
        settings = PLUGIN.settings(address, 5.0)
        metrics = PLUGIN.metrics(address, 5.0)
    assert settings["storage-engine"] == "memory"
    assert settings["heartbeat.mode"] == "mesh"
    assert settings["proto-fd-max"] == "15000"
    # It says 8.1.1.2, and has what 8.1.2.0 is the first to have: the page tells of it.
    assert {"cgroup-mem-tracking", "tomb-raider-unmark-threads"} <= settings.keys()
    assert metrics["cluster_size"] == 1
    assert metrics["stop_writes"] == 0
    assert PLUGIN.used_bytes(metrics) == 0


def test_recorded_files_are_added_up() -> None:
    with played(recorded("files")) as address:
        settings, metrics = PLUGIN.settings(address, 5.0), PLUGIN.metrics(address, 5.0)
    assert [settings[f"storage-engine.file[{each}]"] for each in (0, 4)] == [
        "ycsb-1.dat",
        "ycsb-5.dat",
    ]
    assert settings["storage-engine.read-page-cache"] == "false"
    assert metrics["storage write_q"] == 0
    assert set(PLUGIN.gauges_marked) | set(PLUGIN.counters_marked) <= set(metrics)


def test_an_error_among_the_answers_is_an_error() -> None:
    with pytest.raises(ReplyError, match="ERROR:4:bad"):
        info.answers("build\t8\nnonsense\tERROR:4:bad\n", ("build", "nonsense"))
    with pytest.raises(ReplyError, match="not answered: status"):
        info.answers("build\t8\n", ("build", "status"))


def test_what_is_not_the_protocol_is_told() -> None:
    with (
        played({"build\n": b"HTTP/1.1".hex() + "400"}) as address,
        pytest.raises(ReplyError, match="not Aerospike's info protocol"),
    ):
        info.ask(address, 5.0, "build")


# with a server


@contextmanager
def running(
    tmp_path: Path, parameters: dict[str, Scalar], nodes: int = 1
) -> Iterator[tuple[Context, Deployed]]:
    target = Target(
        name="a",
        system="aerospike",
        topology=Topology(nodes=nodes, replication_factor=min(nodes, 2)),
        parameters=parameters,
    )
    context = Context.open(target, tmp_path / "attempt")
    try:
        deployed = PLUGIN.deploy(context)
        PLUGIN.wait_ready(context, deployed)
        yield context, deployed
        PLUGIN.stop(context, deployed)
    finally:
        PLUGIN.clean_up(context)


@pytest.mark.usefixtures("asd")
@pytest.mark.parametrize("name", TARGETS)
def test_the_server_still_answers_as_recorded(tmp_path: Path, name: str) -> None:
    """The same questions, and settings of the same names; their values are the version's."""
    with running(tmp_path, TARGETS[name]) as (context, deployed):
        (address,) = addresses_of(context, deployed)
        now = {}
        for asked in QUESTIONS:
            answers = info.ask(address, 5.0, *asked).items()
            text = "".join(f"{question}\t{answer}\n" for question, answer in answers)
            header = bytes((info.VERSION, info.INFO)) + len(text).to_bytes(6, "big")
            now["".join(f"{question}\n" for question in asked)] = header.hex() + text
        if os.environ.get("WEIGHHOUSE_RECORD"):
            kept = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
            RECORDED.parent.mkdir(exist_ok=True)
            RECORDED.write_text(json.dumps({**kept, name: now}, indent=1) + "\n", "utf-8")
        with played(recorded(name)) as player:
            assert PLUGIN.settings(player, 5).keys() == PLUGIN.settings(address, 5).keys()
            assert PLUGIN.metrics(player, 5).keys() == PLUGIN.metrics(address, 5).keys()


@pytest.mark.usefixtures("asd")
def test_defaults_of_settings_that_only_files_have_are_the_vendors(tmp_path: Path) -> None:
    with running(tmp_path, {"storage": "files", "data_size_mebibytes": 512}) as (context, deployed):
        settings = PLUGIN.settings(addresses_of(context, deployed)[0], 5.0)
    assert settings["storage-engine.read-page-cache"] == "false"
    assert settings["storage-engine.flush-size"] == "1048576"
    assert settings["storage-engine.post-write-cache"] == str(256 * 2**20)


def drive(context: Context, deployed: Deployed, faults: dict[int, FaultVerb]) -> list[FaultDone]:
    """Load records, then read and update them while verbs are carried out on node 2 after so many
    tenths of a second; all operations are done with in the end.
    """
    order = DriverOrder(
        workload=Workload(
            name="w",
            record_count=2000,
            field_count=2,
            field_length=50,
            operations=OperationMix(read=0.5, update=0.5),
        ),
        target=DriverTarget(
            endpoints=PLUGIN.endpoints(deployed), options={"total_timeout_ms": 500}
        ),
        load=ClosedLoad(clients=4),
        phases=(Phase(kind="load", clients=4), Phase(kind="measure", duration_seconds=12)),
        seed=3,
        interval_seconds=0.1,
    )
    done, count = [], 0
    with DriverRun("aerospike", order, context) as run:
        for event in run.events():
            if event.event == "interval" and event.phase == "measure":
                verb = faults.get(count)
                count += 1
                if verb is not None:
                    fault = Fault(at_seconds=count / 10, verb=verb, node=2)
                    done.append(PLUGIN.fault(context, deployed, fault))
            elif event.event == "phase_finished" and event.phase == "measure":
                assert event.operations["read"].ok > 0
                assert event.operations["read"].not_found == 0, "a copy was lost"
    assert event.event == "finished"
    return done


@pytest.mark.usefixtures("asd")
def test_a_cluster_survives_the_loss_of_a_node_and_takes_it_back(tmp_path: Path) -> None:
    with running(tmp_path, {"migrate_sleep_us": 0}, nodes=3) as (context, deployed):
        places = [node.place for node in deployed.nodes]
        described = {one.name: one for one in PLUGIN.describe(context, deployed).settings}
        assert described["replication-factor"].value == "2"
        assert len(described["node-id"].value.split(", ")) == 3
        killed, started = drive(context, deployed, {10: "kill", 50: "start"})
        assert killed.label == "node 2: killed"
        assert started.label.startswith("node 2: serves again after")
        assert PLUGIN.missing(places, 5.0) is None
        for _ in context.attempts(60.0, every_seconds=0.2):
            metrics = PLUGIN.sample(context, deployed).metrics
            if not any(metrics[f"node {n} migrate_partitions_remaining"] for n in (1, 2, 3)):
                break
        metrics = PLUGIN.sample(context, deployed).metrics
        assert [metrics[f"node {number} cluster_size"] for number in (1, 2, 3)] == [3, 3, 3]
        masters = [metrics[f"node {number} master_objects"] for number in (1, 2, 3)]
        assert sum(masters) == 2000


@pytest.mark.usefixtures("asd")
def test_every_verb_is_carried_out_and_files_outlast_a_kill(tmp_path: Path) -> None:
    with running(tmp_path, FIVE_FILES) as (context, deployed):
        verbs: list[FaultVerb] = ["pause", "resume", "restart", "kill", "start", "stop", "start"]
        labels = [
            PLUGIN.fault(context, deployed, Fault(at_seconds=0, verb=verb)).label for verb in verbs
        ]
        assert [label.partition(" after")[0] for label in labels] == [
            "node 1: paused",
            "node 1: goes on",
            "node 1: serves again",
            "node 1: killed",
            "node 1: serves again",
            "node 1: ended with 0",
            "node 1: serves again",
        ]
        assert len(list(context.data_directory.glob("ycsb-*.dat"))) == 5
