"""Command lines of load tools as texts quote them: what they ask for. Pure.

What a line leaves out is the tool's default where the tool's own documentation gives one, and else
not known. Nothing is run, and nothing but the line is read.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

LONGEST_LINE = 20_000
"""Characters that are read; the rest of a longer line is left out."""
UNITS: Mapping[str, float] = {
    "": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "h": 3600.0, "ms": 0.001, "us": 1e-6,
}  # fmt: skip
SCALES: Mapping[str, float] = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9}
_NUMBER = re.compile(r"(?P<value>\d[\d,_]*(?:\.\d+)?)\s*(?P<unit>[a-zA-Z]*).*")
_DIGITS = re.compile(r"[,_]")


@dataclass(frozen=True)
class QuotedCommand:
    """What a command line asks for; none: it does not say, and the tool has no default."""

    tool: str
    clients: float | None = None
    """That wait for their answers, all together."""
    pipeline: float | None = None
    operations: float | None = None
    """In all, of all clients."""
    seconds: float | None = None
    value_bytes: float | None = None
    rate: float | None = None
    """Operations a second that are asked for, of all clients."""
    read_share: float | None = None
    write_share: float | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    """Property → how it comes about: `60 threads × 20 clients`."""

    @property
    def outstanding(self) -> float | None:
        """Requests under way at most."""
        if self.clients is None or self.pipeline is None:
            return None
        return self.clients * self.pipeline

    def words_of(self, name: str) -> str:
        """How a property comes about."""
        if name == "outstanding" and self.pipeline not in {None, 1}:
            clients = self.words.get("clients", f"{self.clients:g} clients")
            return f"{clients} × pipeline {self.pipeline:g}"
        return self.words.get("clients" if name == "outstanding" else name, "")


@dataclass(frozen=True)
class Options:
    """The words of a command line, and what follows each option."""

    words: Sequence[str]

    def text(self, *names: str) -> str | None:
        """What follows the last of these options, behind `=` or as the next word."""
        found = None
        for at, word in enumerate(self.words):
            for name in names:
                if word == name and at + 1 < len(self.words):
                    found = self.words[at + 1]
                elif word.startswith(f"{name}="):
                    found = word[len(name) + 1 :]
                elif _is_short(name) and word.startswith(name) and word[2:].isdigit():
                    found = word[2:]
        return found

    def value(self, *names: str, default: float | None = None) -> float | None:
        """The same as a number; the default where it is none."""
        found = number_of(self.text(*names) or "")
        return default if found is None else found

    def property(self, name: str) -> str | None:
        """`name=value` behind a `-p`, or standing alone."""
        return next(
            (word[len(name) + 1 :] for word in reversed(self.words) if word.startswith(f"{name}=")),
            None,
        )


def read_command(line: str) -> QuotedCommand | None:
    """Read a command line.

    :returns: None where it is of no tool that is known: memtier_benchmark, redis-benchmark,
        valkey-benchmark, YCSB, go-ycsb, cassandra-stress, db_bench.
    """
    words = _words(line[:LONGEST_LINE])
    for at, word in enumerate(words):
        name = word.rpartition("/")[2].lower()
        for prefix, read in _READERS.items():
            if name == prefix or name.removesuffix(".sh") == prefix:
                return read(Options(words[at + 1 :]))
    return None


def number_of(text: str, scales: Mapping[str, float] = SCALES) -> float | None:
    """`200,000`, `1M`, `30s` as a number; None where it is none."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    scale = scales.get(found["unit"].lower())
    return None if scale is None else float(_DIGITS.sub("", found["value"])) * scale


def _words(line: str) -> list[str]:
    line = line.replace("\\\n", " ")
    try:
        return shlex.split(line)
    except ValueError:  # a quotation mark that nothing closes
        return line.split()


def _is_short(name: str) -> bool:
    return len(name) == len("-c") and name[0] == "-"


def _product(threads: float, each: float, what: str = "clients") -> str:
    return f"{threads:g} threads × {each:g} {what}"


def _shares(writes: float | None, reads: float | None) -> tuple[float | None, float | None]:
    """Read share and write share, of parts."""
    if writes is None or reads is None or writes + reads <= 0:
        return None, None
    return reads / (reads + writes), writes / (reads + writes)


def _memtier(options: Options) -> QuotedCommand:
    threads = options.value("-t", "--threads", default=4.0) or 4.0
    clients = options.value("-c", "--clients", default=50.0) or 50.0
    seconds = options.value("--test-time")
    requests = options.value("-n", "--requests", default=None if seconds else 10_000.0)
    writes, reads = _ratio(options.text("--ratio") or "1:10")
    read_share, write_share = _shares(writes, reads)
    limit = options.value("--rate-limiting")
    connections = threads * clients
    words = {
        "clients": _product(threads, clients),
        "write_share": f"--ratio {options.text('--ratio') or '1:10, the default'}",
        "read_share": f"--ratio {options.text('--ratio') or '1:10, the default'}",
    }
    if requests is not None:
        words["operations"] = f"{requests:,.0f} requests of each of {connections:,.0f} clients"
    return QuotedCommand(
        "memtier_benchmark",
        clients=connections,
        pipeline=options.value("--pipeline", "-P", default=1.0),
        operations=None if requests is None else requests * connections,
        seconds=seconds,
        value_bytes=options.value("-d", "--data-size", default=32.0),
        rate=None if limit is None else limit * connections,
        read_share=read_share,
        write_share=write_share,
        words=words,
    )


def _ratio(text: str) -> tuple[float | None, float | None]:
    writes, _, reads = text.partition(":")
    return number_of(writes), number_of(reads)


def _redis_benchmark(options: Options) -> QuotedCommand:
    tests = [one for one in (options.text("-t") or "").lower().split(",") if one]
    reads = {"get", "lrange", "mget"}.intersection(tests)
    share = len(reads) / len(tests) if tests and {*tests} <= {"get", "set", "mset"} else None
    return QuotedCommand(
        "redis-benchmark",
        clients=options.value("-c", default=50.0),
        pipeline=options.value("-P", default=1.0),
        operations=options.value("-n", default=100_000.0),
        value_bytes=options.value("-d", default=3.0),
        read_share=share,
        write_share=None if share is None else 1 - share,
        words={"clients": f"-c {options.value('-c', default=50.0):g}", "write_share": "-t"},
    )


def _ycsb(options: Options) -> QuotedCommand:
    def told(name: str) -> float | None:
        return number_of(options.property(name) or "")

    threads = options.value("-threads", "--threads", default=told("threadcount") or 1.0) or 1.0
    loads = "load" in options.words[:2] or "-load" in options.words
    proportions = {
        name: told(f"{name}proportion")
        for name in ("read", "scan", "update", "insert", "readmodifywrite", "delete")
    }
    read_share = write_share = None
    known = {name: share for name, share in proportions.items() if share is not None}
    if loads:
        read_share, write_share = 0.0, 1.0
    elif {"read", "update", "insert"} <= known.keys() and sum(known.values()) > 0:
        reads = known["read"] + known.get("scan", 0.0)
        writes = sum(known.values()) - reads - known.get("readmodifywrite", 0.0)
        read_share, write_share = reads / sum(known.values()), writes / sum(known.values())
    fields, length = told("fieldcount"), told("fieldlength")
    return QuotedCommand(
        "YCSB",
        clients=threads,
        pipeline=1.0,
        operations=told("recordcount" if loads else "operationcount"),
        value_bytes=None if fields is None or length is None else fields * length,
        rate=options.value("-target", "--target", default=told("target")),
        read_share=read_share,
        write_share=write_share,
        words={"clients": f"{threads:g} threads", "write_share": "its proportions"},
    )


def _cassandra_stress(options: Options) -> QuotedCommand:
    first = options.words[0] if options.words else ""
    duration = options.property("duration")
    shares: tuple[float | None, float | None]
    shares = {"write": (0.0, 1.0), "read": (1.0, 0.0)}.get(first, (None, None))
    mixed = re.search(r"ratio\(([^)]*)\)", " ".join(options.words))
    if first == "mixed" and mixed:
        parts = {
            name.strip(): number_of(value) or 0.0
            for name, _, value in (one.partition("=") for one in mixed[1].split(","))
        }
        if parts.keys() <= {"read", "write"}:
            shares = _shares(parts.get("write", 0.0), parts.get("read", 0.0))
    limit = number_of((options.property("throttle") or options.property("fixed") or "")
                      .removesuffix("/s"))  # fmt: skip
    threads = number_of(options.property("threads") or "")
    return QuotedCommand(
        "cassandra-stress",
        clients=threads,
        pipeline=1.0,
        operations=None if duration else number_of(options.property("n") or ""),
        seconds=number_of(duration or "", UNITS),
        rate=limit,
        read_share=shares[0],
        write_share=shares[1],
        words={"clients": "" if threads is None else f"{threads:g} threads", "write_share": first},
    )


def _db_bench(options: Options) -> QuotedCommand:
    threads = options.value("--threads", "-threads", default=1.0) or 1.0
    number = options.value("--reads", "-reads", default=options.value("--num", "-num"))
    tests = [one for one in (options.text("--benchmarks", "-benchmarks") or "").split(",") if one]
    share = None
    if tests and all(one.startswith(("read", "seek", "multiread")) for one in tests):
        share = 1.0
    elif tests and all(one.startswith(("fill", "overwrite", "update")) for one in tests):
        share = 0.0
    seconds = options.value("--duration", "-duration")
    return QuotedCommand(
        "db_bench",
        clients=threads,
        pipeline=1.0,
        operations=None if number is None or seconds else number * threads,
        seconds=seconds or None,
        value_bytes=options.value("--value_size", "-value_size", default=100.0),
        read_share=share,
        write_share=None if share is None else 1 - share,
        words={"clients": f"{threads:g} threads", "write_share": "--benchmarks"},
    )


_READERS: Mapping[str, Callable[[Options], QuotedCommand]] = {
    "memtier_benchmark": _memtier,
    "memtier-benchmark": _memtier,
    "redis-benchmark": _redis_benchmark,
    "valkey-benchmark": _redis_benchmark,
    "ycsb": _ycsb,
    "site.ycsb.client": _ycsb,
    "com.yahoo.ycsb.client": _ycsb,
    "go-ycsb": _ycsb,
    "cassandra-stress": _cassandra_stress,
    "db_bench": _db_bench,
}
