"""What is said of a machine's facts, and what its words on a screen are."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from weighhouse_agent.machine.doctor.diagnosis import Diagnosis, State
from weighhouse_agent.machine.doctor.examination import CHECKS, examine, lines, summary
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import Home
from weighhouse_protocol.facts import MachineFacts, NetworkFacts, StorageFacts
from weighhouse_protocol.machine_kinds import kind_of

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"
GIB = 2**30
DISK = StorageFacts(
    device="nvme0n1p2", driver="nvme", file_system="ext4", mount_options="rw,relatime",
    scheduler="none", rotational=False, size_bytes=900 * GIB, free_bytes=400 * GIB,
)  # fmt: skip
CARD = NetworkFacts(
    name="ens1f0", driver="ice", state="up", speed_megabits=25_000, duplex="full", mtu=9000
)
GOOD: dict[str, Any] = {
    "hostname": "bench1", "machine_id": "0", "cpu_model": "EPYC", "cores": 32,
    "memory_bytes": 64 * GIB, "kernel": "6.1", "operating_system": "Debian", "architecture": "arm",
    "cpu_governor": "performance", "simultaneous_multithreading": False, "clock_source": "tsc",
    "swap_bytes": 0, "cgroup_version": 2, "load_average_1m": 0.1, "turbo": False,
    "transparent_huge_pages": "madvise", "numa_nodes": 1, "numa_balancing": False,
    "mitigations": {"spectre_v2": "Mitigation: IBRS"}, "swappiness": 60, "steal_percent": 0.0,
    "clock_synchronised": True, "clock_error_us": 900, "open_files_limit": 1_048_576,
    "ephemeral_ports": 28_232, "listen_backlog": 4096, "packet_backlog": 1000,
    "packets_dropped": 0, "storage": DISK, "network_devices": (CARD,),
}  # fmt: skip
BARE: dict[str, Any] = {
    name: GOOD[name]
    for name in (
        "hostname", "machine_id", "cpu_model", "cores", "memory_bytes", "kernel",
        "operating_system", "architecture",
    )
}  # fmt: skip


def judged(**changes: Any) -> dict[str, Diagnosis]:
    return {each.name: each for each in examine(MachineFacts(**{**GOOD, **changes}))}


def test_a_good_machine_is_left_alone() -> None:
    found = judged()
    assert {name for name, each in found.items() if each.state is not State.OK} == set()
    assert len(found) == len(CHECKS)


WORSE: list[tuple[str, State, dict[str, Any], str]] = [
    ("governor", State.WARNING, {"cpu_governor": "powersave"}, "cpupower"),
    ("governor", State.WARNING, {"cpu_governor": "schedutil"}, "scaling_governor"),
    ("turbo", State.ADVICE, {"turbo": True}, "no_turbo"),
    ("smt", State.ADVICE, {"simultaneous_multithreading": True}, "smt/control"),
    ("numa", State.ADVICE, {"numa_nodes": 2, "numa_balancing": True}, "kernel.numa_balancing=0"),
    ("mitigations", State.ADVICE, {"mitigations": {"mds": "Vulnerable"}}, "/proc/cmdline"),
    ("virtualisation", State.ADVICE, {"virtualisation": "kvm"}, "a machine of its own"),
    ("steal", State.ADVICE, {"steal_percent": 1.0}, "processors of its own"),
    ("steal", State.WARNING, {"steal_percent": 4.0}, "processors of its own"),
    ("limits", State.WARNING, {"cgroup_cpu_limit": 1.5}, "CPUQuota"),
    ("load", State.WARNING, {"load_average_1m": 17.0}, "top"),
    ("thp", State.ADVICE, {"transparent_huge_pages": "always"}, "madvise"),
    ("swap", State.ADVICE, {"swap_bytes": 8 * GIB}, "swapoff"),
    ("clock-source", State.WARNING, {"clock_source": "hpet"}, "current_clocksource"),
    ("clock-source", State.UNKNOWN, {"clock_source": "timer"}, ""),
    ("clock", State.WARNING, {"clock_synchronised": False, "clock_error_us": None}, "chrony"),
    ("clock", State.WARNING, {"clock_error_us": 900_000}, "chrony"),
    ("open-files", State.ADVICE, {"open_files_limit": 20_000}, "LimitNOFILE"),
    ("open-files", State.WARNING, {"open_files_limit": 1_024}, "ulimit -n"),
    ("ports", State.ADVICE, {"ephemeral_ports": 5_000}, "ip_local_port_range"),
    ("listen-backlog", State.ADVICE, {"listen_backlog": 128}, "somaxconn"),
    ("packet-backlog", State.ADVICE, {"packet_backlog": 300}, "netdev_max_backlog"),
    ("packet-backlog", State.WARNING, {"packets_dropped": 31}, "netdev_max_backlog"),
]


def on_disk(**changes: Any) -> dict[str, Any]:
    return {"storage": DISK.model_copy(update=changes)}


def with_card(**changes: Any) -> dict[str, Any]:
    return {"network_devices": (CARD.model_copy(update=changes),)}


DEVICES: list[tuple[str, State, dict[str, Any], str]] = [
    ("file-system", State.ADVICE, on_disk(file_system="tmpfs"), "--home"),
    ("file-system", State.WARNING, on_disk(file_system="overlay"), "a volume"),
    ("file-system", State.WARNING, on_disk(file_system="nfs4"), "local disk"),
    ("file-system", State.WARNING, on_disk(mount_options="rw,nobarrier"), "without nobarrier"),
    ("file-system", State.WARNING, on_disk(mount_options="rw,sync"), "without sync"),
    ("space", State.ADVICE, on_disk(free_bytes=12 * GIB), "free some"),
    ("space", State.WARNING, on_disk(free_bytes=2 * GIB), "free some"),
    ("disk", State.WARNING, on_disk(driver="sd", rotational=True), "SSD"),
    # What a virtual disk says of rotation is not believed.
    ("disk", State.ADVICE, on_disk(driver="virtio_blk", rotational=True), "this machine"),
    ("disk", State.ADVICE, on_disk(driver="sd", scheduler="bfq"), "queue/scheduler"),
    ("disk", State.UNKNOWN, on_disk(device=None), ""),
    ("network", State.WARNING, with_card(duplex="half"), "ethtool ens1f0"),
    ("network", State.WARNING, with_card(speed_megabits=100), "ethtool ens1f0"),
    ("network", State.ADVICE, with_card(driver="e1000"), "virtio"),
    ("network", State.UNKNOWN, with_card(driver="virtio_net", speed_megabits=None), ""),
    ("network", State.OK, with_card(state="down", duplex="half"), ""),
    ("swap", State.OK, {"swap_bytes": 8 * GIB, "swappiness": 1}, ""),
]


@pytest.mark.parametrize(("name", "state", "changes", "change"), [*WORSE, *DEVICES])
def test_what_hurts_is_told_with_what_to_change(
    name: str, state: State, changes: dict[str, Any], change: str
) -> None:
    found = judged(**changes)
    assert found[name].state is state
    assert change in "\n".join(found[name].change)
    if state is not State.OK:
        assert found[name].why
    if state in (State.ADVICE, State.WARNING):
        assert found[name].change
    # A fact speaks for itself alone.
    others = {key for key, each in found.items() if each.state is not State.OK} - {name}
    assert others == set()


@pytest.mark.parametrize(
    ("around", "processors", "files"),
    [
        ("kubernetes in hypervisor", "cpuManagerPolicy", "container runtime"),
        ("docker", "--cpuset-cpus", "--ulimit nofile"),
        ("podman in kvm", "--cpuset-cpus", "--ulimit nofile"),
        ("kvm", "systemctl", "the agent's unit"),
    ],
)
def test_in_a_container_it_is_told_what_holds_there(
    around: str, processors: str, files: str
) -> None:
    found = judged(virtualisation=around, cgroup_cpu_limit=1.5, open_files_limit=20_000)
    for name, words in (("limits", processors), ("open-files", files)):
        change = "\n".join(found[name].change)
        assert words in change
        if around != "kvm":
            assert "weighhouse-agent.service" not in change
            assert "systemctl" not in change


def test_what_is_not_known_is_said_to_be_unknown() -> None:
    found = {each.name: each for each in examine(MachineFacts(**BARE))}
    unknown = {name for name, each in found.items() if each.state is State.UNKNOWN}
    # Of these four, nothing told means none there is.
    assert set(found) - unknown == {"virtualisation", "pod", "open-files", "network"}
    assert all(found[name].why for name in unknown)


def test_the_words_on_a_screen() -> None:
    found = examine(MachineFacts(**{**GOOD, "cpu_governor": "powersave"}))
    told = list(lines(found, 80))
    assert told[0] == (State.WARNING, "warning   governor        powersave")
    assert told[1][0] is None
    assert any("cpupower frequency-set" in line for _, line in told)
    assert (State.OK, "ok        turbo           off") in told
    assert told[-1] == (None, "21 ok, 0 advice, 1 warning, 0 unknown")
    assert summary(found) == told[-1][1]
    explained = [line for state, line in told if state is None and not line.startswith(" " * 12)]
    assert max(len(line) for line in explained) <= 80


def test_every_fact_is_explained_on_its_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for each in examine(MachineFacts(**GOOD)):
        assert f"| `{each.name}` |" in page, each.name


def test_the_facts_of_a_machine_do_not_change_its_kind() -> None:
    facts = MachineFacts(**GOOD)
    bare = MachineFacts(
        **{**BARE, "cpu_governor": "performance", "simultaneous_multithreading": False}
    )
    assert kind_of(facts) == kind_of(bare)


def test_this_machine_is_examined_and_nothing_is_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    facts = machine_facts(Home(home).known_instance_id(), directory=home)
    found = examine(facts)
    assert len(found) == len(CHECKS)
    assert facts.storage is not None
    assert facts.storage.file_system is not None
    assert facts.clock_synchronised is not None
    assert not home.exists()


def test_the_agents_own_command_tells_the_same(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-m", "weighhouse_agent", "doctor", "--home", str(home)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1].endswith("unknown")
    assert not home.exists()
    asked = [sys.executable, "-m", "weighhouse_agent", "facts", "--home", str(home)]
    facts = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    assert facts["storage"]["file_system"]
