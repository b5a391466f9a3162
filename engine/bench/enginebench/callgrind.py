"""What callgrind counted between the begin and the end of the engine's loop. Pure."""

import re
from dataclasses import dataclass

LOOP, CHORES = "*closed_loop*", "*chores*"
"""What is counted, with all that it calls: the loop of a phase, and so neither a driver's start nor
an interval's end. And what is left out of it: the chores, which come by the clock. The busier the
machine, the more of them there are for an operation.
"""
OPTIONS = (
    "--tool=callgrind",
    "--collect-systime=yes",
    f"--toggle-collect={LOOP}",
    f"--toggle-collect={CHORES}",
)
WAITS = {"epoll": "epoll_wait", "io_uring": "syscall"}
"""By which function a turn of the loop waits, by the way of its bytes."""
CLOCK = "clock_gettime"
"""A system call only where valgrind translates the program."""

_NAME = re.compile(r"c?fn=\((\d+)\)(?: (.+))?$")


@dataclass(frozen=True)
class Tally:
    """Of a whole run: user instructions, turns of the loop, system calls that were no waits."""

    instructions: float
    turns: float
    syscalls: float


def _calls(text: str) -> dict[str, int]:
    """How often each function was called, by its name without a symbol's version."""
    names: dict[str, str] = {}
    calls: dict[str, int] = {}
    callee = ""
    for line in text.splitlines():
        if found := _NAME.match(line):
            number, name = found.groups()
            if name:
                names[number] = name.split("@")[0]
            callee = names[number]
        elif line.startswith("calls="):
            count = int(line.removeprefix("calls=").split()[0])
            calls[callee] = calls.get(callee, 0) + count
    return calls


def tally(text: str, way: str = "epoll") -> Tally:
    """Reads callgrind's file; ValueError when the loop was not found in it."""
    events = re.search(r"^events: (.+)$", text, re.MULTILINE)
    totals = re.search(r"^totals: (.+)$", text, re.MULTILINE)
    if not events or not totals:
        raise ValueError("callgrind wrote no totals")
    found = dict(zip(events.group(1).split(), map(int, totals.group(1).split()), strict=False))
    calls = _calls(text)
    wait = WAITS[way]
    turns = calls.get(wait, 0)
    if not found.get("Ir") or not turns:
        raise ValueError(
            f"callgrind counted no turn of the loop: is there still a function that {LOOP} "
            f"names, and does it wait by {wait}?"
        )
    others = found.get("sysCount", 0) - turns - calls.get(CLOCK, 0)
    return Tally(found["Ir"], turns, others)


def per(run: Tally, operations: int) -> Tally:
    """Of one operation."""
    return Tally(run.instructions / operations, run.turns / operations, run.syscalls / operations)


def per_turn(alone: Tally, several: Tally) -> float:
    """User instructions of a turn of the loop that are no operation's, from two runs of one depth,
    of an operation each: over one connection, where every operation needs a turn, and over several,
    which share turns. ValueError when they share none.
    """
    spared = alone.turns - several.turns
    if spared <= 0:
        raise ValueError("the connections of a turn were never several: is the server so slow?")
    return (alone.instructions - several.instructions) / spared


def with_full_turns(found: Tally, turn: float, at_once: int) -> float:
    """User instructions of an operation, as if every turn had taken in all `at_once` operations
    under way. How many a turn really finds depends on the server, and so on who else is on the
    machine.
    """
    return found.instructions - turn * (found.turns - 1 / at_once)
