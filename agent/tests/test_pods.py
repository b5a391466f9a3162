"""Facts of a machine whose agent is in a pod are the node's, as far as the node lets it look."""

import socket
from pathlib import Path
from uuid import uuid4

import pytest
from weighhouse_agent.machine.doctor.diagnosis import State
from weighhouse_agent.machine.doctor.examination import examine
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.pod import Pod
from weighhouse_protocol.facts import MachineFacts

ASKED = {
    "WEIGHHOUSE_POD_CPU_REQUESTS": "4000",
    "WEIGHHOUSE_POD_CPU_LIMITS": "4000",
    "WEIGHHOUSE_POD_MEMORY_REQUESTS": "8589934592",
    "WEIGHHOUSE_POD_MEMORY_LIMITS": "8589934592",
}


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the chart mounts of a node, and says of the pod."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("4d1f\n", "utf-8")
    (tmp_path / "etc/os-release").write_text('PRETTY_NAME="Flatcar"\n', "utf-8")
    card = tmp_path / "sys/class/net/ens5"
    (card / "device").mkdir(parents=True)
    (card / "mtu").write_text("9001\n", "utf-8")
    monkeypatch.setenv("WEIGHHOUSE_NODE_NAME", "node-7")
    monkeypatch.setenv("WEIGHHOUSE_NODE_ROOT", str(tmp_path))
    for name, value in ASKED.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def pod_of(facts: MachineFacts) -> tuple[State, str]:
    found = next(each for each in examine(facts) if each.name == "pod")
    return found.state, found.found


def test_facts_are_the_nodes(node: Path) -> None:
    first, second = machine_facts(uuid4()), machine_facts(uuid4())
    assert first.hostname == "node-7" != socket.gethostname()
    assert first.machine_id == second.machine_id, "two agents of one node are on one machine"
    assert first.operating_system == "Flatcar"
    assert [(card.name, card.mtu) for card in first.network_devices] == [("ens5", 9001)]
    assert (first.virtualisation or "").startswith("kubernetes")
    assert first.guaranteed


def test_a_node_that_lets_no_pod_look_is_known_by_its_name(
    node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_files = machine_facts(uuid4())
    monkeypatch.delenv("WEIGHHOUSE_NODE_ROOT")
    first, second = machine_facts(uuid4()), machine_facts(uuid4())
    assert first.machine_id == second.machine_id != with_files.machine_id
    monkeypatch.setenv("WEIGHHOUSE_NODE_NAME", "node-8")
    assert machine_facts(uuid4()).machine_id != first.machine_id
    # Nothing of the image is taken for the node's.
    assert first.operating_system == "Linux"
    assert first.network_devices == ()


def test_outside_of_pods_nothing_changes() -> None:
    facts = machine_facts(uuid4())
    assert facts.hostname == socket.gethostname()
    assert facts.guaranteed is None
    assert pod_of(facts) == (State.OK, "in none")


@pytest.mark.parametrize(
    ("changes", "guaranteed"),
    [
        ({}, True),
        ({"WEIGHHOUSE_POD_CPU_REQUESTS": "2000"}, False),
        ({"WEIGHHOUSE_POD_MEMORY_REQUESTS": "0"}, False),
        ({"WEIGHHOUSE_POD_CPU_LIMITS": ""}, None),
    ],
)
def test_a_pod_is_guaranteed_when_it_asks_for_all_that_it_may_use(
    changes: dict[str, str], guaranteed: bool | None
) -> None:
    pod = Pod.told({"WEIGHHOUSE_NODE_NAME": "node-7", **ASKED, **changes})
    assert pod is not None
    assert pod.guaranteed is guaranteed


def test_the_doctor_tells_what_a_cluster_promises(node: Path) -> None:
    facts = machine_facts(uuid4()).model_copy(update={"cores": 64, "processors": None})
    assert pod_of(facts) == (State.WARNING, "Guaranteed, on any of 64 processors")
    lent = facts.model_copy(update={"guaranteed": False})
    assert pod_of(lent) == (State.WARNING, "not of the class Guaranteed")
    untold = facts.model_copy(update={"guaranteed": None})
    assert pod_of(untold)[0] is State.UNKNOWN
    pinned = facts.model_copy(update={"processors": 4, "cgroup_cpu_limit": 4.0})
    assert pod_of(pinned) == (State.OK, "Guaranteed, 4 processors of its own")
    limits = {each.name: each.state for each in examine(pinned)}["limits"]
    assert limits is State.OK, "a quota of as many as it is kept to is never used up before"
