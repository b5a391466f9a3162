"""Files of any size, made of samples: of what a tool repeats while it runs there is more.

`python -m weighhouse_testing.large_imports MEBIBYTES [SAMPLE…]` reads each in a program of its own
and says how much memory that took; ends with 1 where it was more than `MOST_MEBIBYTES`.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from weighhouse_testing.tree import REPOSITORY

SAMPLES = REPOSITORY / "plugins/imports/tests/samples"
MOST_MEBIBYTES = 300
REPEATED: Mapping[str, str] = {
    "ycsb.txt": r"^\d{4}-\d\d-\d\d \S+ (?P<at>\d+) sec: (?P<next>\d+) operations;",
    "ycsb.json": r"",
    "ycsb-read.hdr": r"^(?P<at>[\d.]+),[\d.]+,[\d.]+,HIST",
    "go-ycsb-plain.txt": r"^[A-Z_]+ +- Takes\(s\): (?P<at>[\d.]+),",
    "go-ycsb-table.txt": r"^\| [A-Z_]+ +\| +(?P<at>[\d.]+) \|",
    "memtier.txt": r"^[SG]ET +[\d.]+ +[\d.]+$",
    "redis-benchmark.txt": r"^[\d.]+% <= [\d.]+ milliseconds",
    "redis-benchmark.csv": r'^"[SG]ET",',
    "cassandra-stress.txt": r"^total, .*?(?P<at>[\d.]+), +[\d.]+, +\d+, +\d+, +\d+, +\d+, +\d+ *$",
    "db_bench.txt": r"^[a-z]+ +: +[\d.]+ micros/op",
    "pgbench.txt": r"^progress: (?P<at>[\d.]+) s",
    "wrk2.txt": r"^ +[\d.]+ +[\d.]+ +\d+ +[\d.]+$",
    "table.hgrm": r"^ +[\d.]+ +[\d.]+ +\d+ +[\d.]+$",
    "typed.csv": r"^Dragonfly,",
    "typed.yaml": r"",
    "memtier.json": r"",
    "latte.json": r"",
}
"""By sample, the lines that a longer run has more of; groups are times and counts that go on.
Empty: a document that is read as a whole; its text is repeated.
"""
READ = """
import sys, time
from pathlib import Path
from weighhouse_imports.reader import read_paths
begun = time.monotonic()
preview = read_paths([Path(sys.argv[1])])
told = preview.refused[0].reason if preview.results is None else ""
cells = preview.results.cells if preview.results else ()
# Of this program alone: what is asked of the kernel about a child counts who made it, too.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").open())
print(int(status["VmHWM"].split()[0]) // 1024)
intervals = sum(len(one.intervals) for one in cells)
print(len(cells), intervals, f"{time.monotonic() - begun:.0f}", told)
"""


def large(sample: str, size: int) -> Iterator[str]:
    """The lines of a sample's longer run, of `size` bytes and a little more."""
    lines = (SAMPLES / sample).read_text(encoding="utf-8").splitlines(keepends=True)
    if not REPEATED[sample]:
        yield from lines * (size // sum(map(len, lines)) + 1)
        return
    wanted = re.compile(REPEATED[sample])
    places = [at for at, line in enumerate(lines) if wanted.match(line)]
    first, last = places[0], places[-1] + 1
    block = [line for line in lines[first:last] if wanted.match(line)]
    step = {
        name: float(wanted.match(block[-1])[name]) + 1  # type: ignore[index]
        for name in wanted.groupindex
    }
    yield from lines[:first]
    written = turn = 0
    while written < size:
        for line in block:
            found = wanted.match(line)
            assert found is not None
            text, moved = line, 0
            for name, more in step.items():
                begin, end = found.span(name)
                now = float(found[name]) + turn * more
                told = f"{now:.3f}" if "." in found[name] else f"{now:.0f}"
                text = text[: begin + moved] + told + text[end + moved :]
                moved += len(told) - (end - begin)
            written += len(text)
            yield text
        turn += 1
    yield from lines[last:]


def room(sample: str, size: int, folder: Path) -> tuple[int, str]:
    """Mebibytes that reading it takes, and what came of it."""
    path = folder / sample
    with path.open("w", encoding="utf-8") as file:
        file.writelines(large(sample, size))
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
    finally:
        path.unlink()
    used, told = done.stdout.strip().split("\n", 1)
    return int(used), told


def main() -> int:
    """Read all of them, or those named."""
    size = int(sys.argv[1]) << 20
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for sample in sys.argv[2:] or REPEATED:
            used, told = room(sample, size, Path(folder))
            worst = max(worst, used)
            print(f"{sample:22} {used:5} MiB; cells, intervals, s: {told[:150]}", flush=True)
    return int(worst > MOST_MEBIBYTES)


if __name__ == "__main__":
    sys.exit(main())
