"""Reads what db_bench prints."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weighhouse_protocol.counts import CommandCount, Counts
from weighhouse_sdk.errors import DriverFailed, SystemFailed

RESULT = re.compile(
    r"^(\w+)\s*:\s+[\d.]+ micros/op \d+ ops/sec (\d+\.\d+) seconds (\d+) operations;"
)
FOUND = re.compile(r"\((\d+) of (\d+) found\)")
TABLE = re.compile(r"^Microseconds per (read|write):$")
COUNT = re.compile(r"^Count: (\d+) ")
MOST = re.compile(r"\bMax: (\d+)$")
BUCKET = re.compile(r"^[\[(]\s*(\d+),\s+(\d+) \]\s+(\d+)\s")
TICKER = re.compile(r"^rocksdb\.([\w.]+) COUNT : (\d+)$")
COMMANDS = (
    "number.keys.read", "number.multiget.keys.read", "number.keys.written", "number.db.seek",
)  # fmt: skip
FOUND_IN = ("memtable.hit", "l0.hit", "l1.hit", "l2andup.hit")
"""Tickers of reads that found something, by where."""
NS_PER_US = 1000
US_PER_SECOND = 1_000_000


@dataclass(frozen=True)
class Outcome:
    """One benchmark of db_bench."""

    name: str
    seconds: float
    operations: int
    counts: Mapping[str, dict[int, int]]
    """`read`, `write` → time of an answer in ns → how many."""

    @property
    def duration_us(self) -> int:
        """How long the tool says that it measured."""
        return max(1, round(self.seconds * US_PER_SECOND))


def read(lines: Iterable[str]) -> Outcome:
    """What a run with one benchmark and `--histogram` measured. An answer is placed at the upper
    end of its bucket, or at the longest time that there was.

    :raises DriverFailed: when the output is not db_bench's.
    :raises SystemFailed: when records were not found.
    """
    name, seconds, operations = "", 0.0, 0
    tables: dict[str, dict[int, int]] = {}
    totals: dict[str, int] = {}
    longest: dict[str, int] = {}
    kind = ""
    for line in lines:
        if (told := RESULT.match(line)) is not None:
            name, seconds, operations = told[1], float(told[2]), int(told[3])
            found = FOUND.search(line)
            if found is not None and found[1] != found[2]:
                raise SystemFailed(
                    f"db_bench found {found[1]} of {found[2]} records that it read",
                    "the load phase has to come before, with as many records",
                )
        elif (table := TABLE.match(line)) is not None:
            kind = table[1]
            tables[kind] = {}
        elif kind and (count := COUNT.match(line)) is not None:
            totals[kind] = int(count[1])
        elif kind and (most := MOST.search(line)) is not None:
            longest[kind] = int(most[1])
        elif kind and (bucket := BUCKET.match(line)) is not None:
            end = min(int(bucket[2]), max(1, longest[kind])) * NS_PER_US
            tables[kind][end] = tables[kind].get(end, 0) + int(bucket[3])
    whole = all(sum(counts.values()) == totals.get(kind) for kind, counts in tables.items())
    if not (name and tables and whole):
        raise DriverFailed(
            "db_bench did not print its result and histograms", "its last lines tell more"
        )
    return Outcome(name, seconds, operations, tables)


def counted(lines: Iterable[str]) -> Counts | None:
    """What RocksDB inside it counted over the run; None: it printed no statistics."""
    tickers = filter(None, map(TICKER.match, lines))
    told = {ticker[1]: int(ticker[2]) for ticker in tickers}
    if not set(COMMANDS) <= told.keys():
        return None
    asked = told["number.keys.read"] + told["number.multiget.keys.read"]
    found = min(asked, sum(told.get(name, 0) for name in FOUND_IN))
    return Counts(
        commands={name: CommandCount(calls=told[name]) for name in COMMANDS},
        hits=found,
        misses=asked - found,
        received_bytes=told.get("bytes.written"),
        sent_bytes=told.get("bytes.read"),
    )
