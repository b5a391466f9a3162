"""A machine that lets no semaphore be made is told at once, and nothing waits for a worker."""

import os
import subprocess
import sys
from pathlib import Path

HIDDEN = 'mount -t tmpfs -o ro,mode=1777 tmpfs /dev/shm && exec "$@"'


def test_a_platform_without_shared_memory_does_not_begin(tmp_path: Path) -> None:
    own = [] if os.geteuid() == 0 else ["--map-root-user"]
    up = ["-c", "from weighhouse_cli.main import main; main()", "up", "--data-dir"]
    done = subprocess.run(
        [
            "unshare", *own, "--mount", "sh", "-c", HIDDEN, "sh",
            sys.executable, *up, tmp_path / "data",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stdout + done.stderr
    assert "no semaphore can be made in /dev/shm" in done.stderr
    assert "mount -t tmpfs" in done.stderr
    assert not (tmp_path / "data" / "postgresql").exists()
