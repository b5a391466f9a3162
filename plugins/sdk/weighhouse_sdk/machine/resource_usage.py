"""Processor, memory and disk of a system, read from the operating system."""

from dataclasses import dataclass
from pathlib import Path

from weighhouse_sdk.machine.procfs import process_stat, process_tree


@dataclass(frozen=True)
class Usage:
    """What some processes used."""

    cpu_seconds: float
    """Since their start."""
    resident_bytes: int


def process_usage(pid: int) -> Usage | None:
    """One process, with the processor time of its ended children; None when it is gone.

    The right measure for a server that forks to save a snapshot: the fork shares the parent's
    pages, so that adding the two would count one memory twice.
    """
    stat = process_stat(pid)
    if stat is None or not stat.alive:
        return None
    return Usage(stat.cpu_seconds, stat.resident_bytes)


def tree_usage(pid: int) -> Usage | None:
    """A process and all below it; None when it is gone.

    Pages that several of them share count once for each.
    """
    tree = process_tree(pid)
    if not tree:
        return None
    return Usage(sum(stat.cpu_seconds for stat in tree), sum(stat.resident_bytes for stat in tree))


def disk_usage(directory: Path) -> int:
    """Bytes allocated on disk to a directory's files, which may come and go meanwhile.

    :returns: 0 when the directory is not there.
    """
    total = 0
    pending = [directory]
    while pending:
        try:
            entries = list(pending.pop().iterdir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in entries:
            try:
                stat = entry.lstat()
            except FileNotFoundError:
                continue
            total += stat.st_blocks * 512
            if entry.is_dir() and not entry.is_symlink():
                pending.append(entry)
    return total


def cpu_percent(
    earlier_cpu_seconds: float, later_cpu_seconds: float, elapsed_seconds: float
) -> float | None:
    """Processor use between two samples; 100 is one core.

    :returns: None when no time went by, or when the figures fell, as when a child ended unawaited.
    """
    used = later_cpu_seconds - earlier_cpu_seconds
    if elapsed_seconds <= 0 or used < 0:
        return None
    return 100.0 * used / elapsed_seconds
