"""/proc and disks."""

import os
import sys
from pathlib import Path

from weighhouse_sdk.context import Context
from weighhouse_sdk.machine.process import Command
from weighhouse_sdk.machine.procfs import process_stat
from weighhouse_sdk.machine.resource_usage import cpu_percent, disk_usage, process_usage, tree_usage

# Fills memory, forks a child that burns a tenth of a second, and tells when it has.
FAMILY = """
import os, signal, time
block = b"x" * 50_000_000
if not os.fork():
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    print("up", flush=True)
signal.pause()
"""


def test_tree_counts_children_and_the_process_does_not(context: Context) -> None:
    command = Command("p", (sys.executable, "-c", FAMILY), context.directory / "data")
    process = context.processes.start(command, stdout=True)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    own, tree = process_usage(process.pid), tree_usage(process.pid)
    assert own is not None
    assert tree is not None
    assert own.resident_bytes >= 50_000_000
    assert tree.resident_bytes > own.resident_bytes
    assert tree.cpu_seconds >= own.cpu_seconds + 0.08
    process.stop(10)
    assert process_usage(process.pid) is None
    assert tree_usage(process.pid) is None


def test_own_stat_is_read_even_with_an_odd_name() -> None:
    stat = process_stat(os.getpid())
    assert stat is not None
    assert stat.parent == os.getppid()
    assert stat.alive


def test_disk_usage_counts_all_levels_and_follows_no_link(tmp_path: Path) -> None:
    assert disk_usage(tmp_path / "nowhere") == 0
    inner = tmp_path / "data" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_bytes(os.urandom(100_000))
    outside = tmp_path / "outside"
    outside.write_bytes(os.urandom(500_000))
    (inner / "link").symlink_to(outside)
    (inner / "up").symlink_to(tmp_path)
    assert 100_000 <= disk_usage(tmp_path / "data") < 300_000


def test_cpu_percent() -> None:
    assert cpu_percent(1.0, 2.5, 1.0) == 150.0
    assert cpu_percent(1.0, 2.0, 0.0) is None
    assert cpu_percent(2.0, 1.0, 1.0) is None
