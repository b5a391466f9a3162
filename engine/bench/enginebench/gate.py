"""`engine/bench/run.sh counted`: what an operation costs the engine, held to `limits.toml`.

Counted by callgrind alone, by epoll and by io_uring where this machine allows it: in a run each
over 8 connections with depth 1 and 10, and one over a single connection. How many replies a turn of
the loop finds is the server's doing; the third run tells what a turn costs, so that it can be left
out. Exit code 1 beyond a limit; last line JSON.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from enginebench.callgrind import OPTIONS, Tally, per, per_turn, tally, with_full_turns
from enginebench.counted import BUDGETS, CONNECTIONS, ways
from enginebench.machine import client_prefix, require
from enginebench.server import server
from enginebench.weighhouse import Weighhouse, closed, order

LIMITS = Path(__file__).parent.parent / "limits.toml"
TOLERANCE = 0.01
OPERATIONS = 10_000
WHAT_TO_DO = """\
An operation of the load engine costs more than {file} allows. What to do:
  1. See where: {annotate}
     The same file of the commit before shows what is new (`git stash`, or `git worktree add`).
  2. Make the hot path as cheap as it was: what only few operations need belongs into
     functions of their own, out of `dispatch`, `receive`, `take_in`, `compose`, `flush`, and out
     of a codec's `encode` and `parse` for reads.
  3. Is the work wanted and worth it, for every operation of every run? Raise the figure in
     {file} to what was found, in the same commit, and say in its message
     what it buys. Never above {most}."""


class Refused(ValueError):
    """`limits.toml` is not as it has to be."""


@dataclass(frozen=True)
class Figure:
    """One of what is held to a limit."""

    way: str
    depth: int
    name: str
    found: float
    limit: float

    @property
    def above(self) -> float:
        """By what share it is above its limit; negative below. Above a limit of 0: as it is."""
        return self.found / self.limit - 1 if self.limit else self.found

    @property
    def within(self) -> bool:
        """Whether that is tolerable."""
        return self.above <= TOLERANCE

    def __str__(self) -> str:
        label = {"instructions": "user instructions", "syscalls": "system calls"}[self.name]
        said = "within" if self.within else "BEYOND"
        if self.above < -TOLERANCE:
            said = f"within; cheaper than written down: set {self.found:.4g} in {LIMITS.name}"
        return (
            f"{self.way}, depth {self.depth:2}: {self.found:7.2f} {label} an operation, limit "
            f"{self.limit:.2f} and {TOLERANCE:.0%} ({self.above:+.1%}): {said}"
        )


Limits = Mapping[str, Mapping[int, Mapping[str, float]]]
"""The way of the bytes → depth → name → limit."""


def limits_of(text: str) -> Limits:
    """Refused names what is missing, no number, or above the budget."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{LIMITS.name}: {error}") from None
    limits: dict[str, dict[int, dict[str, float]]] = {}
    for way, depth, name, most in (
        (way, depth, name, most)
        for way, depths in BUDGETS.items()
        for depth, budget in depths.items()
        for name, most in zip(("instructions", "syscalls"), budget, strict=True)
    ):
        place = f"{LIMITS.name}: {way}.depth{depth}.{name}"
        value = document.get(way, {}).get(f"depth{depth}", {}).get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise Refused(f"{place} is {value!r}, where a number from 0 on belongs")
        if value > most:
            raise Refused(f"{place} is {value}, above the budget of {most} (engine/README.md)")
        limits.setdefault(way, {}).setdefault(depth, {})[name] = float(value)
    return limits


def figures(way: str, alone: Tally, several: Mapping[int, Tally], limits: Limits) -> list[Figure]:
    """What was found beside its limits. `alone`: of an operation over one connection, depth 1;
    `several`: over all connections, by depth.
    """
    turn = per_turn(alone, several[1])
    return [
        Figure(way, depth, name, found, limits[way][depth][name])
        for depth, one in several.items()
        for name, found in (
            ("instructions", with_full_turns(one, turn, CONNECTIONS * depth)),
            ("syscalls", one.syscalls),
        )
    ]


def verdict(found: Sequence[Figure], folder: Path) -> tuple[int, str]:
    """The exit code, and all that is to be said but the last line."""
    lines = [str(figure) for figure in found]
    beyond = [figure for figure in found if not figure.within]
    if beyond:
        first = beyond[0]
        profile = profile_of(folder, first.way, f"depth{first.depth}")
        annotate = f"callgrind_annotate --auto=yes --show=Ir {profile}"
        most = " and ".join(
            f"{instructions:.0f} (depth {depth})"
            for depth, (instructions, _) in BUDGETS[first.way].items()
        )
        lines += [
            "",
            WHAT_TO_DO.format(file="engine/bench/limits.toml", annotate=annotate, most=most),
        ]
    return (1 if beyond else 0), "\n".join(lines)


def profile_of(folder: Path, way: str, what: str) -> Path:
    """The file that callgrind leaves."""
    return folder / f"callgrind.{way}.{what}"


def count(
    engine: Weighhouse, port: int, way: str, connections: int, depth: int, out: Path
) -> Tally:
    """Runs the driver under callgrind, whose profile is left in a file."""
    phase = {"kind": "measure", "operation_count": OPERATIONS}
    # One interval: what its end costs is not of an operation.
    text = order(port, closed(connections, depth), phase, interval=60.0, io=way)
    command = ["valgrind", "-q", *OPTIONS, f"--callgrind-out-file={out}", engine.driver]
    done = subprocess.run(
        [*client_prefix(), *command], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(
            f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )
    try:
        return per(tally(out.read_text(), way), OPERATIONS)
    except ValueError as error:
        raise SystemExit(f"{out}: {error}") from None


def main() -> int:
    """Counts, and says what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("driver", help="the built weighhouse-driver-resp, as it is shipped")
    parser.add_argument("profiles", help="the folder that callgrind's profiles are left in")
    asked = parser.parse_args()
    try:
        limits = limits_of(LIMITS.read_text(encoding="utf-8"))
    except Refused as refused:
        raise SystemExit(str(refused)) from None
    require("redis-server", "valgrind", "taskset")
    folder = Path(asked.profiles)
    folder.mkdir(parents=True, exist_ok=True)
    engine = Weighhouse.at(asked.driver)
    found: list[Figure] = []
    with server() as running:
        engine.load(running.port)
        for way in ways(engine, running.port):

            def counted(what: str, connections: int, depth: int, way: str = way) -> Tally:
                out = profile_of(folder, way, what)
                return count(engine, running.port, way, connections, depth, out)

            alone = counted("alone", 1, 1)
            several = {
                depth: counted(f"depth{depth}", CONNECTIONS, depth) for depth in BUDGETS[way]
            }
            found += figures(way, alone, several, limits)
    code, said = verdict(found, folder)
    print(said)
    document: dict[str, dict[str, float]] = {}
    for one in found:
        document.setdefault(f"{one.way}.depth{one.depth}", {})[one.name] = round(one.found, 3)
    print(json.dumps({**document, "within": code == 0}))
    return code


if __name__ == "__main__":
    sys.exit(main())
