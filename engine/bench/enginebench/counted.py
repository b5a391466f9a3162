"""What an operation costs the engine, counted: the same on a busy machine as on a quiet one."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from enginebench.client import Job, run
from enginebench.weighhouse import Weighhouse, closed, order

BUDGETS = {
    "epoll": {1: (700.0, 2.3), 10: (500.0, 0.25)},
    "io_uring": {1: (700.0, 0.5), 10: (500.0, 0.1)},
}
"""The way of the bytes → pipeline depth → user instructions and system calls an operation."""
CONNECTIONS = 8
LENGTHS = (20_000, 120_000)
"""Operations of the two runs whose difference is taken, so that start and end do not count."""


@dataclass(frozen=True)
class Counted:
    """Of one operation at a depth."""

    way: str
    depth: int
    instructions: float
    syscalls: float

    @property
    def within(self) -> bool:
        """Whether the budget is kept."""
        instructions, syscalls = BUDGETS[self.way][self.depth]
        return self.instructions <= instructions and self.syscalls <= syscalls


def _instructions(engine: Weighhouse, text: str, folder: Path) -> int:
    out = folder / "callgrind"
    translator = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]
    run(Job([*translator, engine.driver], lambda _: {}, text))
    total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if total is None:
        raise SystemExit("callgrind wrote no total")
    return int(total.group(1))


def _syscalls(engine: Weighhouse, text: str, folder: Path) -> int:
    log = folder / "strace"
    run(Job(["strace", "-f", "-c", "-o", str(log), engine.driver], lambda _: {}, text))
    # % time, seconds, µs a call, calls, errors, "total"
    return int(log.read_text().strip().splitlines()[-1].split()[3])


def refuses(engine: Weighhouse, port: int) -> str | None:
    """Why this machine does not let the driver have io_uring; None: it does."""
    text = order(port, closed(1), {"kind": "measure", "operation_count": 1}, io="io_uring")
    done = subprocess.run([engine.driver], input=text, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stdout.strip()


def ways(engine: Weighhouse, port: int) -> list[str]:
    """Those that this machine allows; says of another why not."""
    if refused := refuses(engine, port):
        print(f"io_uring is not counted: {refused}\n", flush=True)
        return ["epoll"]
    return list(BUDGETS)


def count(engine: Weighhouse, port: int, way: str, depth: int) -> Counted:
    """Counts GETs of 1,000 bytes: user instructions by callgrind, system calls by strace."""
    instructions, calls = [], []
    with tempfile.TemporaryDirectory() as name:
        for operations in LENGTHS:
            phase = {"kind": "measure", "operation_count": operations}
            # One interval: what each costs is not of an operation, and these runs are slow.
            text = order(port, closed(CONNECTIONS, depth), phase, interval=60.0, io=way)
            instructions.append(_instructions(engine, text, Path(name)))
            calls.append(_syscalls(engine, text, Path(name)))
    span = LENGTHS[1] - LENGTHS[0]
    per = (instructions[1] - instructions[0]) / span, (calls[1] - calls[0]) / span
    return Counted(way, depth, *per)


def report(engine: Weighhouse, port: int) -> list[Counted]:
    """Counts at every depth that has a budget, and prints a table."""
    print(f"counted: one GET of 1,000 bytes at {CONNECTIONS} connections\n")
    print("| io | depth | user instructions | limit | system calls | limit | |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    found = []
    for way in ways(engine, port):
        for depth, (most_instructions, most_syscalls) in BUDGETS[way].items():
            one = count(engine, port, way, depth)
            found.append(one)
            print(
                f"| {way} | {depth} | {one.instructions:,.0f} | {most_instructions:,.0f} "
                f"| {one.syscalls:.2f} | {most_syscalls:.2f} "
                f"| {'within' if one.within else 'BEYOND'} |",
                flush=True,
            )
    return found
