"""Started between the agent and a server: records its process, drops privileges, becomes it.

Run as `python -I launch.py ORDER COMMAND…`; needs nothing but the standard library. The record is
on disk before the server exists, and pid and start time stay the same through `exec`, so that a
crash at any moment leaves either no server or a server that is on record. Settings are applied
here rather than in a fork of the agent, where running Python is not safe beside threads.
"""

import contextlib
import json
import os
import pwd
import resource
import sys
from pathlib import Path


def start_ticks() -> int:
    """Clock ticks from boot to this process's start."""
    text = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    return int(text.rpartition(")")[2].split()[19])


def record(path: Path, facts: dict[str, object]) -> None:
    """Write the record so that it is either not there or whole."""
    draft = path.with_suffix(".draft")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(facts, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def raise_file_limit() -> None:
    """Let the server open as many files as this user may."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def become(name: str) -> None:
    """Give up root for good."""
    user = pwd.getpwnam(name)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def join(member_files: list[str]) -> None:
    """Enter control groups; one that cannot be entered would leave the server without limits."""
    for file in member_files:
        try:
            Path(file).write_text(str(os.getpid()), encoding="ascii")
        except OSError as error:
            sys.exit(f"the control group {file} cannot be joined: {error.strerror}")


def main(order_text: str, command: list[str]) -> None:
    """Do all of it; never returns."""
    order = json.loads(order_text)
    facts = {**order["facts"], "pid": os.getpid(), "start_ticks": start_ticks()}
    record(Path(order["record"]), facts)
    join(order["groups"])
    os.chdir(order["directory"])
    raise_file_limit()
    if order["cpus"]:
        os.sched_setaffinity(0, order["cpus"])
    if order["user"]:
        become(order["user"])
    try:
        os.execv(command[0], command)  # noqa: S606 - becoming the server is the purpose
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
