"""What an operation costs the load engine: counted, and timed beside redis-benchmark.

Counted: user instructions (callgrind) and system calls (strace) of a GET of 1 kB. Two runs of
different lengths are counted and the difference taken, so that start and end do not count. The
budget is engine/README.md's; beyond it the program ends with 1.

Timed: both load the same server, in turn, several times; server and client each on a core of its
own where there are two. Nothing is judged, medians and ranges are printed.
"""

import argparse
import json
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hdrh.histogram import HdrHistogram

RECORDS = 10_000
VALUE_BYTES = 1_000
BUDGETS = {1: (800.0, 2.3), 10: (600.0, 0.25)}
"""Pipeline depth → user instructions and system calls an operation, at 8 connections."""

COUNTED_LENGTHS = (20_000, 120_000)
KEYS = "user"


@dataclass(frozen=True)
class Timed:
    """One timed run. Rate in operations a second, latencies and CPU in µs."""

    rate: float
    p50: float
    p99: float
    cpu: float


def order(
    port: int, phases: list[dict[str, object]], clients: int, depth: int, interval: float = 1.0
) -> str:
    """An order to the driver: uniform reads of one string a record."""
    return json.dumps(
        {
            "workload": {
                "name": "get",
                "record_count": RECORDS,
                "field_count": 1,
                "field_length": VALUE_BYTES,
                "operations": {"read": 1.0},
                "request_distribution": "uniform",
            },
            "target": {
                "endpoints": [f"tcp://127.0.0.1:{port}"],
                "options": {"layout": "string"},
            },
            "load": {"model": "closed", "clients": clients, "pipeline": depth},
            "phases": phases,
            "seed": 1,
            "interval_seconds": interval,
        }
    )


def pinned(core: int) -> list[str]:
    """A prefix that keeps a program on one core, where there are several."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core])] if len(cores) > 1 else []


@contextmanager
def server(*, slow: bool = False) -> Iterator[int]:
    """A Redis on a free loopback port that keeps nothing on disk; slow: translated by valgrind."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    translator = ["valgrind", "-q", "--tool=none"] if slow else []
    command = [
        *pinned(0), *translator, "redis-server", "--bind", "127.0.0.1", "--port", str(port),
        "--save", "", "--appendonly", "no", "--daemonize", "no",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        try:
            for _ in range(1000):
                with socket.socket() as attempt:
                    if attempt.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            else:
                raise SystemExit("redis-server did not come up within 20 s")
            yield port
        finally:
            process.terminate()
            process.wait()


def children_cpu() -> float:
    """CPU of all children that have ended, in µs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e6


def drive(driver: str, text: str, prefix: list[str]) -> list[dict[str, object]]:
    """The events of a driver's run; ends the program when the driver failed."""
    done = subprocess.run(
        [*prefix, driver], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"the driver ended with {done.returncode}: {done.stdout}{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def driver_timed(driver: str, port: int, clients: int, depth: int, operations: int) -> Timed:
    """The driver's figures."""
    phases: list[dict[str, object]] = [{"kind": "measure", "operation_count": operations}]
    before = children_cpu()
    events = drive(driver, order(port, phases, clients, depth), pinned(1))
    cpu = (children_cpu() - before) / operations
    latencies = HdrHistogram(1, 60_000_000_000, 3)
    for event in events:
        if event["event"] == "interval":
            latencies.decode_and_add(event["operations"]["read"]["ok"]["response"])  # type: ignore[index]
        if event["event"] == "phase_finished":
            seconds = float(event["duration_us"]) / 1e6  # type: ignore[arg-type]
    return Timed(
        rate=latencies.get_total_count() / seconds,
        p50=latencies.get_value_at_percentile(50) / 1e3,
        p99=latencies.get_value_at_percentile(99) / 1e3,
        cpu=cpu,
    )


def redis_benchmark_timed(port: int, clients: int, depth: int, operations: int) -> Timed:
    """redis-benchmark's figures on the keys that it wrote itself."""
    before = children_cpu()
    command = [
        *pinned(1), "redis-benchmark", "-p", str(port), "-t", "get", "-r", str(RECORDS),
        "-d", str(VALUE_BYTES), "-c", str(clients), "-P", str(depth), "-n", str(operations),
        "--precision", "3", "--csv",
    ]  # fmt: skip
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    cpu = (children_cpu() - before) / operations
    rows = [re.findall(r'"([^"]*)"', line) for line in out.splitlines()]
    names, values = rows[-2:]
    found = dict(zip(names, values, strict=True))
    return Timed(
        rate=float(found["rps"]),
        p50=float(found["p50_latency_ms"]) * 1e3,
        p99=float(found["p99_latency_ms"]) * 1e3,
        cpu=cpu,
    )


def counted(driver: str, port: int, depth: int) -> tuple[float, float]:
    """User instructions and system calls of one operation at 8 connections."""
    instructions, calls = [], []
    with tempfile.TemporaryDirectory() as folder:
        for operations in COUNTED_LENGTHS:
            phases: list[dict[str, object]] = [{"kind": "measure", "operation_count": operations}]
            # One interval: what each costs is not of an operation, and these runs are slow.
            text = order(port, phases, 8, depth, interval=60.0)
            out = Path(folder) / "callgrind"
            drive(
                driver, text, ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]
            )
            total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
            if total is None:
                raise SystemExit("callgrind wrote no total")
            instructions.append(int(total.group(1)))
            log = Path(folder) / "strace"
            drive(driver, text, ["strace", "-f", "-c", "-o", str(log)])
            # % time, seconds, µs a call, calls, errors, "total"
            last = log.read_text().strip().splitlines()[-1].split()
            calls.append(int(last[3]))
    span = COUNTED_LENGTHS[1] - COUNTED_LENGTHS[0]
    return (instructions[1] - instructions[0]) / span, (calls[1] - calls[0]) / span


def middle(values: list[float]) -> str:
    """The median and the range."""
    return f"{statistics.median(values):,.2f} ({min(values):,.2f} to {max(values):,.2f})"


def load(driver: str, port: int) -> None:
    """Records for both: each has keys of its own form."""
    drive(driver, order(port, [{"kind": "load"}], 8, 1), [])
    command = [
        "redis-benchmark", "-p", str(port), "-t", "set", "-r", str(RECORDS), "-d",
        str(VALUE_BYTES), "-n", str(RECORDS * 20), "-P", "16", "-q",
    ]  # fmt: skip
    subprocess.run(command, capture_output=True, check=True)


def count(driver: str, port: int) -> bool:
    """Prints what was counted; whether all is within the budget."""
    print("counted per GET of 1 kB at 8 connections\n")
    print(
        f"{'depth':>5} {'user instructions':>18} {'budget':>8} {'system calls':>13} {'budget':>8}"
    )
    kept = True
    for depth, (most_instructions, most_calls) in BUDGETS.items():
        instructions, calls = counted(driver, port, depth)
        within = instructions <= most_instructions and calls <= most_calls
        kept &= within
        print(
            f"{depth:>5} {instructions:>18,.0f} {most_instructions:>8,.0f} {calls:>13.2f} "
            f"{most_calls:>8.2f}  {'within' if within else 'BEYOND'}",
            flush=True,
        )
    return kept


def compare(
    driver: str, port: int, repeats: int, operations: int, loads: Sequence[tuple[int, int]]
) -> None:
    """Prints both clients side by side, and their ratio, for each (connections, depth)."""
    cores = len(os.sched_getaffinity(0))
    where = "server and client on a core each" if cores > 1 else "all on one core"
    print(f"\nside by side, {repeats} times each in turn, {operations:,} GETs of 1 kB; {where}")
    for clients, depth in loads:
        ours: list[Timed] = []
        theirs: list[Timed] = []
        for _ in range(repeats):
            ours.append(driver_timed(driver, port, clients, depth, operations))
            theirs.append(redis_benchmark_timed(port, clients, depth, operations))
        print(f"\n{clients} connections, depth {depth}")
        print(f"  {'':<12} {'weighhouse':>34} {'redis-benchmark':>34} {'ratio of medians':>17}")
        for name, unit in (("rate", "1/s"), ("p50", "µs"), ("p99", "µs"), ("cpu", "µs/op")):
            mine = [getattr(one, name) for one in ours]
            other = [getattr(one, name) for one in theirs]
            ratio = statistics.median(mine) / statistics.median(other)
            label = f"{name} {unit}"
            print(
                f"  {label:<12} {middle(mine):>34} {middle(other):>34} {ratio:>17.3f}", flush=True
            )


def main() -> int:
    """Runs what is asked for; 1 when the budget is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("driver", help="the built weighhouse-driver-resp")
    parser.add_argument("--counted", action="store_true", help="count only, time nothing")
    parser.add_argument("--repeats", type=int, default=7, help="timed runs of each client")
    parser.add_argument("--operations", type=int, default=300_000, help="operations a timed run")
    asked = parser.parse_args()
    for program in ("redis-server", "redis-benchmark", "valgrind", "strace", "taskset"):
        if shutil.which(program) is None:
            raise SystemExit(f"{program} is missing; `make bench-engine` installs it")
    with server() as port:
        load(asked.driver, port)
        kept = count(asked.driver, port)
        if not asked.counted:
            loads = ((8, 1), (32, 1), (8, 10))
            compare(asked.driver, port, asked.repeats, asked.operations, loads)
    if not asked.counted:
        print("\nthe same with a server so slow that neither client is what limits")
        with server(slow=True) as port:
            load(asked.driver, port)
            compare(asked.driver, port, asked.repeats, asked.operations // 10, ((8, 1),))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
