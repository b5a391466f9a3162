"""`python -I attended.py WORD…`: run a command to its end, and whatever it leaves behind.

Servers that made daemons of themselves become this process's children when their parents end. So
what they computed counts as computed here, and none of them outlives the command.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def children() -> list[int]:
    """Those of this process that have not been waited for."""
    mine, found = os.getpid(), list[int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            _, _, told = path.read_text(encoding="utf-8", errors="replace").rpartition(") ")
            if int(told.split()[1]) == mine:
                found.append(int(path.parent.name))
    return found


def main(words: list[str]) -> int:
    """Run it; its exit status, 128 and more when a signal ended it."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    process = subprocess.Popen(words)
    # Whoever ends the group ends the command; this one stays for what is left.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    status = None
    while status is None:
        pid, ended = os.wait()
        if pid == process.pid:
            status = os.waitstatus_to_exitcode(ended)
    with contextlib.suppress(ChildProcessError):
        while True:
            for each in children():
                os.kill(each, signal.SIGKILL)
            os.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
