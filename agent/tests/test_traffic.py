"""What the kernel counts of disks and networks, added up over processes that come and go."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from weighhouse_agent.machine.traffic import Traffic
from weighhouse_sdk.machine.procfs import disk_traffic, interface_traffic

WRITES = """
import os, sys
sys.stdin.readline()
with open(sys.argv[1], "wb") as file:
    file.write(b"x" * (4 << 20))
    os.fsync(file.fileno())
print("written", flush=True)
sys.stdin.readline()
"""
SIZE = 4 << 20
PIECE = 1 << 14


@pytest.fixture
def writer(tmp_path: Path):
    made = []

    def start(name: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(tmp_path / name)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        made.append(process)
        return process

    yield start
    for process in made:
        process.kill()
        process.communicate()


def write(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.readline() == "written\n"


def talk(size: int) -> None:
    """Send so many bytes over loopback."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        server.accept()[0] as taken,
    ):
        for _ in range(size // PIECE):
            client.sendall(b"x" * PIECE)
            left = PIECE
            while left:
                left -= len(taken.recv(left))


def test_what_a_system_writes_counts_from_the_first_look(writer):
    process = writer("one")
    if disk_traffic(process.pid) is None:
        pytest.skip("this kernel does not count what processes read and write")
    traffic = Traffic()
    assert traffic.look([process.pid])["system_disk_written_bytes"] == 0
    write(process)
    assert traffic.look([process.pid])["system_disk_written_bytes"] >= SIZE


def test_a_process_that_comes_later_counts_whole_and_one_that_ends_stays_counted(writer):
    first, second = writer("one"), writer("two")
    if disk_traffic(first.pid) is None:
        pytest.skip("this kernel does not count what processes read and write")
    traffic = Traffic()
    traffic.look([first.pid])
    write(first)
    counted = traffic.look([first.pid])["system_disk_written_bytes"]
    write(second)
    told = traffic.look([second.pid])  # as after a fault: another process in its place
    assert told["system_disk_written_bytes"] >= counted + SIZE


def test_loopback_counts_what_is_sent_and_received():
    if "lo" not in interface_traffic(os.getpid()):
        pytest.skip("this kernel does not tell of its interfaces")
    traffic = Traffic()
    begun = traffic.look([])
    assert begun.get("network_sent_bytes.lo", 0) == 0
    assert "system_disk_read_bytes" not in begun
    talk(1 << 20)
    told = traffic.look([])
    assert told["network_sent_bytes.lo"] >= 1 << 20
    assert told["network_received_bytes.lo"] == told["network_sent_bytes.lo"]
    assert told["network_received_packets.lo"] > 0


def test_what_is_gone_tells_nothing():
    assert Traffic().look([2**22 + 1]) == {}
