"""Gives sources of drivers back the time at which this cache first saw just these contents.

Cargo compiles what is newer than what it made of it, and in a fresh clone every file is new: a
folder of targets that outlives clones would be made anew for each. So the cache keeps which
contents it saw last, and since when. Other contents than these count as changed now, also where
the file's own time says that it is old: in a second clone that shares the folder.

usage: source_times.py CACHE, in the tree
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

SOURCES = ("Cargo.toml", "Cargo.lock", "engine", "plugins/*.rs", "plugins/*Cargo.toml",
           "protocol/fixtures/driver")  # fmt: skip
"""What Cargo reads, in Git's words for paths."""
KEPT = "source-times.json"


def sources(root: Path) -> list[str]:
    """Files of the tree that Cargo may read; none where Git cannot say which."""
    command = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        *SOURCES,
    ]
    try:
        told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return [name for name in told.split("\0") if name and (root / name).is_file()]


def restore(root: Path, cache: Path) -> None:
    """Set the times of the tree's files, and keep what they hold; what is new keeps its own."""
    kept = cache / KEPT
    try:
        seen = json.loads(kept.read_text())
    except (OSError, ValueError):
        seen = {}
    now = time.time_ns()
    for name in sources(root):
        path = root / name
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        last, since = seen.get(name, (digest, path.stat().st_mtime_ns))
        if last != digest:
            since = now
        seen[name] = (digest, since)
        with contextlib.suppress(OSError):  # in a tree that is read only, times stay as they are
            os.utime(path, ns=(since, since))
    fresh = cache / f"{KEPT}.{os.getpid()}"
    fresh.write_text(json.dumps(seen))
    fresh.replace(kept)


if __name__ == "__main__":
    restore(Path.cwd(), Path(sys.argv[1]))
