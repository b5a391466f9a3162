"""Conditions of a machine, read from what /proc and /sys of other machines said."""

import os
import resource
import socket
from pathlib import Path

import pytest
from weighhouse_agent.machine import conditions
from weighhouse_agent.machine.conditions import Timex, Tree
from weighhouse_protocol.facts import NetworkFacts

CPU = "/sys/devices/system/cpu"
MOUNTINFO = """\
22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
31 22 0:27 / /tmp rw,nosuid,nodev shared:9 - tmpfs tmpfs rw,size=32G
44 22 8:17 / /srv/my\\040data rw,noatime shared:20 master:3 - xfs /dev/sdb1 rw,nobarrier
45 22 0:50 / /srv/shared rw,relatime - nfs4 10.0.0.2:/export rw,vers=4.2
46 45 259:2 /under /srv/shared rw,relatime - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def put(tree: Tree, path: str, text: str = "") -> None:
    place = tree.at(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def link(tree: Tree, path: str, target: str) -> None:
    """A relative link below the root, as sysfs has them."""
    place = tree.at(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    tree.at(target).mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.path.relpath(tree.at(target), place.parent))


def test_an_empty_system_is_unknown_and_nothing_else(tree: Tree) -> None:
    for read in (
        conditions.turbo, conditions.transparent_huge_pages, conditions.numa_nodes,
        conditions.numa_balancing, conditions.mitigations, conditions.swappiness,
        conditions.steal_percent, conditions.ephemeral_ports, conditions.listen_backlog,
        conditions.packet_backlog, conditions.packets_dropped,
    ):  # fmt: skip
        assert read(tree) is None, read.__name__
    assert conditions.network_devices(tree) == ()
    assert conditions.storage(tree, Path("/home")).device is None


@pytest.mark.parametrize(
    ("path", "text", "on"),
    [
        ("intel_pstate/no_turbo", "0\n", True),
        ("intel_pstate/no_turbo", "1\n", False),
        ("cpufreq/boost", "1\n", True),
        ("cpufreq/boost", "0\n", False),
    ],
)
def test_turbo_is_told_by_either_driver_of_frequency(
    tree: Tree, path: str, text: str, on: bool
) -> None:
    put(tree, f"{CPU}/{path}", text)
    assert conditions.turbo(tree) is on


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("[always] madvise never\n", "always"), ("always [madvise] never\n", "madvise")],
)
def test_the_choice_of_huge_pages_stands_in_brackets(tree: Tree, text: str, chosen: str) -> None:
    put(tree, "/sys/kernel/mm/transparent_hugepage/enabled", text)
    assert conditions.transparent_huge_pages(tree) == chosen


def test_nodes_of_memory_are_counted(tree: Tree) -> None:
    for name in ("node0", "node1", "possible", "has_cpu", "power"):
        put(tree, f"/sys/devices/system/node/{name}/x")
    put(tree, "/proc/sys/kernel/numa_balancing", "1\n")
    assert conditions.numa_nodes(tree) == 2
    assert conditions.numa_balancing(tree) is True


def test_faults_that_the_processor_does_not_have_are_left_out(tree: Tree) -> None:
    folder = f"{CPU}/vulnerabilities"
    put(tree, f"{folder}/meltdown", "Not affected\n")
    assert conditions.mitigations(tree) == {}
    put(tree, f"{folder}/spectre_v2", "Mitigation: Enhanced IBRS; IBPB: conditional\n")
    put(tree, f"{folder}/mds", "Vulnerable: Clear CPU buffers attempted, no microcode\n")
    assert conditions.mitigations(tree) == {
        "spectre_v2": "Mitigation: Enhanced IBRS; IBPB: conditional",
        "mds": "Vulnerable: Clear CPU buffers attempted, no microcode",
    }


def test_steal_is_a_share_of_all_time(tree: Tree) -> None:
    put(tree, "/proc/stat", "cpu  700 0 100 150 30 0 0 20 5 0\ncpu0 1 2 3\n")
    assert conditions.steal_percent(tree) == 2.0
    put(tree, "/proc/stat", "cpu  700 0 100 150\n")  # kernels before 2.6.11
    assert conditions.steal_percent(tree) is None


def test_ports_and_queues(tree: Tree) -> None:
    put(tree, "/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
    put(tree, "/proc/sys/net/core/somaxconn", "128\n")
    put(tree, "/proc/sys/net/core/netdev_max_backlog", "1000\n")
    put(
        tree,
        "/proc/net/softnet_stat",
        "0022a9d5 00000000 00000000 00000000\n0021c2e4 0000001f 00000005 00000000\n",
    )
    assert conditions.ephemeral_ports(tree) == 28_232
    assert conditions.listen_backlog(tree) == 128
    assert conditions.packet_backlog(tree) == 1000
    assert conditions.packets_dropped(tree) == 31


@pytest.fixture
def disks(tree: Tree) -> Tree:
    put(tree, "/proc/self/mountinfo", MOUNTINFO)
    nvme = "/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0"
    put(tree, f"{nvme}/nvme0n1/queue/scheduler", "[none] mq-deadline kyber\n")
    put(tree, f"{nvme}/nvme0n1/queue/rotational", "0\n")
    put(tree, f"{nvme}/nvme0n1/nvme0n1p2/partition", "2\n")
    link(tree, f"{nvme}/nvme0n1/device", nvme)
    link(tree, f"{nvme}/device", "/sys/devices/pci0000:00/0000:01:00.0")
    link(tree, "/sys/devices/pci0000:00/0000:01:00.0/driver", "/sys/bus/pci/drivers/nvme")
    sdb = "/sys/devices/pci0000:00/0000:02:00.0/host1/1:0:0:0"
    put(tree, f"{sdb}/block/sdb/queue/scheduler", "none mq-deadline [bfq]\n")
    put(tree, f"{sdb}/block/sdb/queue/rotational", "1\n")
    put(tree, f"{sdb}/block/sdb/sdb1/partition", "1\n")
    link(tree, f"{sdb}/block/sdb/device", sdb)
    link(tree, f"{sdb}/driver", "/sys/bus/scsi/drivers/sd")
    for number, name, place in (
        ("259:2", "nvme0n1", f"{nvme}/nvme0n1/nvme0n1p2"),
        ("8:17", "sdb", f"{sdb}/block/sdb/sdb1"),
    ):
        link(tree, f"/sys/dev/block/{number}", place)
        link(tree, f"/sys/class/block/{name}", str(Path(place).parent))
    return tree


def test_the_disk_below_a_directory_is_found_over_its_partition(disks: Tree) -> None:
    found = conditions.storage(disks, Path("/home/someone/not-made-yet"))
    assert (found.device, found.driver, found.scheduler, found.rotational) == (
        "nvme0n1p2", "nvme", "none", False,
    )  # fmt: skip
    assert found.file_system == "ext4"
    assert found.mount_options == "rw,relatime,errors=remount-ro"
    assert found.free_bytes is not None
    assert found.size_bytes is not None
    assert 0 < found.free_bytes <= found.size_bytes


def test_of_mounts_the_innermost_counts_and_of_two_at_one_place_the_last(disks: Tree) -> None:
    disks.at("/srv/my data/agent").mkdir(parents=True)
    found = conditions.storage(disks, Path("/srv/my data/agent"))
    assert (found.device, found.driver, found.scheduler, found.rotational) == (
        "sdb1", "sd", "bfq", True,
    )  # fmt: skip
    assert found.mount_options == "rw,noatime,nobarrier"
    disks.at("/srv/shared").mkdir()
    assert conditions.storage(disks, Path("/srv/shared")).file_system == "ext4"
    disks.at("/tmp").mkdir()
    memory = conditions.storage(disks, Path("/tmp"))
    assert (memory.file_system, memory.device, memory.driver) == ("tmpfs", None, None)


def test_cards_are_devices_and_loopback_is_none(tree: Tree) -> None:
    put(tree, "/sys/class/net/lo/operstate", "unknown\n")
    card = "/sys/class/net/ens1f0"
    link(tree, f"{card}/device", "/sys/devices/pci0000:00/0000:03:00.0")
    link(tree, "/sys/devices/pci0000:00/0000:03:00.0/driver", "/sys/bus/pci/drivers/ice")
    for name, text in {
        "operstate": "up", "speed": "25000", "duplex": "full", "mtu": "9000",
        "queues/rx-0/x": "", "queues/rx-1/x": "", "queues/tx-0/x": "",
    }.items():  # fmt: skip
        put(tree, f"{card}/{name}", text + "\n")
    virtual = "/sys/class/net/eth0"
    link(tree, f"{virtual}/device", "/sys/devices/virtio2")
    put(tree, f"{virtual}/speed", "-1\n")
    put(tree, f"{virtual}/duplex", "unknown\n")
    assert conditions.network_devices(tree) == (
        NetworkFacts(name="eth0"),
        NetworkFacts(
            name="ens1f0", driver="ice", state="up", speed_megabits=25_000, duplex="full",
            mtu=9000, receive_queues=2, transmit_queues=1,
        ),
    )[::-1]  # fmt: skip


def test_the_kernels_account_of_its_clock() -> None:
    assert conditions.clock(Timex(status=0x2001, maxerror=1_500)) == (True, 1_500)
    assert conditions.clock(Timex(status=0x0041, maxerror=1_500)) == (False, None)
    assert conditions.clock(Timex(status=0x2001, maxerror=16_000_000)) == (True, None)


def test_this_machine_tells_of_itself() -> None:
    tree = Tree()
    told = conditions.asked_timex()
    assert told is not None
    assert 9_000 <= told.tick <= 11_000  # microseconds a tick: the fields lie where they are read
    assert conditions.clock()[0] is not None
    nodes = conditions.numa_nodes(tree)
    assert nodes is None or nodes >= 1
    limit = conditions.open_files_limit()
    assert limit is None or limit == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    ports = conditions.ephemeral_ports(tree)
    assert ports is not None
    assert 0 < ports < 65_536
    stolen = conditions.steal_percent(tree)
    assert stolen is not None
    assert 0.0 <= stolen <= 100.0
    names = {name for _, name in socket.if_nameindex()}
    assert {card.name for card in conditions.network_devices(tree)} <= names


def test_this_machines_disk_is_the_one_of_statvfs(tmp_path: Path) -> None:
    found = conditions.storage(Tree(), tmp_path)
    room = os.statvfs(tmp_path)
    assert found.size_bytes == room.f_blocks * room.f_frsize
    assert found.file_system is not None
    number = tmp_path.stat().st_dev
    mounted = [mount.device for mount in conditions.mounts(Tree())]
    assert f"{os.major(number)}:{os.minor(number)}" in mounted
