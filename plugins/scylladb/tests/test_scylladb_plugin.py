"""What the ScyllaDB plugin writes and reads. No package registry has a server of it: with `scylla`
on PATH, or named by `WEIGHHOUSE_SCYLLA`, the conformance kit runs against it.
"""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from weighhouse_plugin_scylladb import PLUGIN
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.places import Place
from weighhouse_sdk.testkit.at_hand import server
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.wire import Address

RING = tuple(Address(f"127.3.4.{number}", 9042) for number in (1, 2, 3))


class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {"smp": 1, "memory_mebibytes": 1024, "developer_mode": True}
    impossible: ClassVar = {"smp": 1024}
    refusal = "smp"

    @pytest.fixture(autouse=True)
    def _server(self, request: pytest.FixtureRequest) -> None:
        server(request, "scylla", "WEIGHHOUSE_SCYLLA")


def place(directory: Path, number: int = 1, addresses: tuple[Address, ...] = RING[:1]) -> Place:
    return Place(number, f"scylladb-{number}", addresses[number - 1], directory, addresses)


def written(directory: Path, parameters: dict[str, Scalar], **where: Any) -> dict[str, Any]:
    PLUGIN.prepare(parameters, place(directory, **where))
    found: dict[str, Any] = json.loads((directory / "scylla.yaml").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("2025.1.0-0.20250325.9dca28d2b818", "2025.1.0"),
        ("6.2.3-0.20250119.9e0e8e1ec2ab", "6.2.3"),
        ("2025.3.0~rc1-0.20250710.f3297824e397", "2025.3.0~rc1"),
        ("openjdk 17.0.15", None),
    ],
)
def test_the_version_is_the_releases(printed: str, version: str | None) -> None:
    assert PLUGIN.version_of(printed) == version


def test_a_node_alone_listens_where_it_is_told(tmp_path: Path) -> None:
    found = written(tmp_path, {})
    assert found["rpc_address"] == "127.3.4.1"
    assert found["native_transport_port"] == 9042
    assert found["workdir"] == str(tmp_path)
    assert found["seed_provider"][0]["parameters"] == [{"seeds": found["listen_address"]}]
    assert found["commitlog_sync_period_in_ms"] == 10000


def test_nodes_of_a_ring_agree_on_the_seed(tmp_path: Path) -> None:
    seeds, own = set(), set()
    for number in (1, 2, 3):
        found = written(tmp_path, {}, number=number, addresses=RING)
        seeds.add(found["seed_provider"][0]["parameters"][0]["seeds"])
        own.add(found["listen_address"])
    assert seeds == {"127.3.4.1"}
    assert own == {each.host for each in RING}


def test_parameters_go_where_the_server_takes_them(tmp_path: Path) -> None:
    parameters: dict[str, Scalar] = {
        "smp": 2,
        "memory_mebibytes": 2048,
        "overprovisioned": True,
        "developer_mode": True,
        "commitlog_sync": "batch",
    }
    found = written(tmp_path, parameters)
    assert found["developer_mode"] is True
    assert found["commitlog_sync"] == "batch"
    assert "commitlog_sync_period_in_ms" not in found
    assert "smp" not in found
    line = " ".join(PLUGIN.arguments(parameters, place(tmp_path)))
    assert "--smp 2 --memory 2048M --overprovisioned" in line
    assert str(tmp_path / "scylla.yaml") in line
    assert "--smp" not in PLUGIN.arguments({}, place(tmp_path))


def test_the_keyspace_has_as_many_copies_as_the_topology() -> None:
    topology = Topology(nodes=3, replication_factor=2)
    target = Target(name="s", system="scylladb", deployment="docker", topology=topology)
    PLUGIN.check_target(target)
    assert PLUGIN.driver_options(target)["replication_factor"] == 2
    outside = target.model_copy(update={"deployment": "external", "endpoints": ("tcp://h:9042",)})
    PLUGIN.check_target(outside)
    assert PLUGIN.driver_options(outside)["replication_factor"] == 2
