"""Other load generators, where they are present: nothing here installs or builds one."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from enginebench.client import RECORDS, VALUE_BYTES, Client, Figures, Job
from enginebench.machine import output_of

LAST_PERCENT = 99.9


class Missing(Exception):
    """A peer is not on this machine; says how it is looked for."""


def _need(output: str, pattern: str) -> list[str]:
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise SystemExit(f"nothing like {pattern!r} in:\n{output}")
    return list(found.groups())


def _quietly(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def _program(name: str, variable: str) -> str:
    asked = os.environ.get(variable)
    found = shutil.which(asked or name)
    if found is None:
        where = f"{variable}={asked}" if asked else "PATH"
        raise Missing(f"{name} (not at {where}; put it on PATH or set {variable} to its path)")
    return found


@dataclass(frozen=True)
class RedisBenchmark:
    """redis-benchmark; it has no rate."""

    program: str = "redis-benchmark"
    name: str = "redis-benchmark"
    version: str = ""
    reads_by: str = "GET"
    pipelines: bool = True
    paces: bool = False

    @classmethod
    def find(cls) -> "RedisBenchmark":
        """The one on PATH."""
        program = _program("redis-benchmark", "REDIS_BENCHMARK")
        version = re.search(r"redis-benchmark (\S+)", output_of([program, "--version"]))
        return cls(program, version=version.group(1) if version else "unknown")

    def _command(self, port: int, connections: int, depth: int, operations: int) -> list[str]:
        return [
            self.program, "-p", str(port), "-r", str(RECORDS), "-d", str(VALUE_BYTES),
            "-c", str(connections), "-P", str(depth), "-n", str(operations), "--precision", "3",
        ]  # fmt: skip

    def load(self, port: int) -> None:
        """Its keys are random, so writes so many that hardly one is left out."""
        _quietly([*self._command(port, 8, 16, RECORDS * 20), "-t", "set"])

    def full_speed(self, port: int, connections: int, depth: int, operations: int) -> Job:
        """Its own GET test."""
        command = [*self._command(port, connections, depth, operations), "-t", "get"]
        return Job(command, lambda output: self._read(output, operations))

    @staticmethod
    def _read(output: str, operations: int) -> dict[str, Figures]:
        output = output.replace("\r", "\n")
        (rate,) = _need(output, r"throughput summary: ([\d.]+|inf) requests")
        if rate == "inf":
            raise SystemExit(f"{operations} requests took less than a millisecond: ask for more")
        numbers = _need(output, r"^ +[\d.]+ +[\d.]+ +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+ *$")
        p50, p95, p99 = (float(one) * 1e3 for one in numbers)
        # The summary has no p99.9: the first step of the distribution that reaches it.
        steps = re.findall(r"^([\d.]+)% <= ([\d.]+) milliseconds", output, re.MULTILINE)
        p999 = next(float(ms) * 1e3 for percent, ms in steps if float(percent) >= LAST_PERCENT)
        return {"": Figures(operations, float(rate), p50, p95, p99, p999)}

    def paced(self, port: int, connections: int, rate: int, seconds: int) -> Job:
        """It cannot."""
        raise NotImplementedError


@dataclass(frozen=True)
class Memtier:
    """memtier_benchmark, in one thread."""

    program: str
    name: str = "memtier_benchmark"
    version: str = ""
    reads_by: str = "GET"
    pipelines: bool = True
    paces: bool = True

    @classmethod
    def find(cls) -> "Memtier":
        """MEMTIER_BENCHMARK, or the one on PATH."""
        program = _program("memtier_benchmark", "MEMTIER_BENCHMARK")
        version = re.search(r"memtier_benchmark v?=?([\w.]+)", output_of([program, "--version"]))
        return cls(program, version=version.group(1) if version else "unknown")

    def _command(self, port: int, connections: int) -> list[str]:
        return [
            self.program, "-s", "127.0.0.1", "-p", str(port), "-t", "1", "-c", str(connections),
            "-d", str(VALUE_BYTES), "--key-minimum", "1", "--key-maximum", str(RECORDS),
            "--hide-histogram", "--print-percentiles", "50,95,99,99.9",
        ]  # fmt: skip

    def load(self, port: int) -> None:
        """Each key once."""
        more = ["--ratio", "1:0", "--key-pattern", "P:P", "-n", "allkeys"]
        _quietly([*self._command(port, 8), *more])

    def _reads(self, port: int, connections: int, more: list[str]) -> Job:
        reads = ["--ratio", "0:1", "--key-pattern", "R:R"]
        return Job([*self._command(port, connections), *reads, *more], self._read)

    def full_speed(self, port: int, connections: int, depth: int, operations: int) -> Job:
        """Its figures hold for the connections' operations, which are rounded down alike."""
        more = ["-n", str(operations // connections), "--pipeline", str(depth)]
        return self._reads(port, connections, more)

    def paced(self, port: int, connections: int, rate: int, seconds: int) -> Job:
        """Its rate is a connection's."""
        more = ["--rate-limiting", str(rate // connections), "--test-time", str(seconds)]
        return self._reads(port, connections, more)

    @staticmethod
    def _read(output: str) -> dict[str, Figures]:
        # Operations, hits, misses a second, mean, p50, p95, p99, p99.9 in ms.
        row = r"^Gets +" + r" +".join([r"([\d.]+)"] * 8)
        rate, hits, _, _, *latencies = (float(one) for one in _need(output, row))
        if hits < rate:
            raise SystemExit(f"memtier_benchmark missed records:\n{output}")
        p50, p95, p99, p999 = (one * 1e3 for one in latencies)
        return {"": Figures(0, rate, p50, p95, p99, p999)}


_WORKLOAD = {
    "recordcount": RECORDS,
    "fieldcount": 1,
    "fieldlength": VALUE_BYTES,
    "readproportion": 1,
    "updateproportion": 0,
    "requestdistribution": "uniform",
}


def _properties(values: dict[str, object]) -> list[str]:
    return [word for name, value in values.items() for word in ("-p", f"{name}={value}")]


@dataclass(frozen=True)
class GoYcsb:
    """go-ycsb with its Redis binding; records as one string of JSON, which it reads by GET."""

    program: str
    name: str = "go-ycsb"
    version: str = ""
    reads_by: str = "GET, and decodes JSON"
    pipelines: bool = False
    paces: bool = True

    @classmethod
    def find(cls) -> "GoYcsb":
        """GO_YCSB, or the one on PATH."""
        program = _program("go-ycsb", "GO_YCSB")
        built = output_of(["go", "version", "-m", program])
        version = re.search(r"github\.com/pingcap/go-ycsb\s+(v\S+)", built)
        return cls(program, version=version.group(1) if version else "of unknown version")

    def _command(self, verb: str, port: int, more: dict[str, object]) -> list[str]:
        own = {"redis.addr": f"127.0.0.1:{port}", "redis.datatype": "string", "workload": "core"}
        return [self.program, verb, "redis", *_properties({**_WORKLOAD, **own, **more})]

    def load(self, port: int) -> None:
        """As YCSB: each record once."""
        _quietly(self._command("load", port, {"threadcount": 8}))

    def _run(self, port: int, connections: int, operations: int, more: dict[str, object]) -> Job:
        values = {"threadcount": connections, "operationcount": operations, **more}
        return Job(self._command("run", port, values), self._read)

    def full_speed(self, port: int, connections: int, depth: int, operations: int) -> Job:
        """One operation at a time on each connection, whatever the depth."""
        del depth
        return self._run(port, connections, operations, {})

    def paced(self, port: int, connections: int, rate: int, seconds: int) -> Job:
        """By its target."""
        return self._run(port, connections, rate * seconds, {"target": rate})

    @staticmethod
    def _read(output: str) -> dict[str, Figures]:
        last = output.rpartition("Run finished")[2]
        if "READ_ERROR" in last:
            raise SystemExit(f"go-ycsb had errors:\n{last}")
        names = (r"50th", r"95th", r"99th", r"99\.9th")
        row = r"^READ .*Count: (\d+), OPS: ([\d.]+)" + "".join(
            rf".* {name}\(us\): (\d+)" for name in names
        )
        count, rate, *latencies = (float(one) for one in _need(last, row))
        return {"": Figures(int(count), rate, *latencies)}


@dataclass(frozen=True)
class Ycsb:
    """YCSB with its Redis binding."""

    home: Path
    name: str = "YCSB"
    version: str = ""
    reads_by: str = "HGETALL"
    pipelines: bool = False
    paces: bool = True
    _classes: str = field(default="")

    @classmethod
    def find(cls) -> "Ycsb":
        """YCSB_HOME: an unpacked release, with lib/ and redis-binding/lib/."""
        asked = os.environ.get("YCSB_HOME")
        if not asked:
            raise Missing("YCSB (set YCSB_HOME to an unpacked release)")
        home = Path(asked)
        core = next(iter(sorted(home.glob("lib/core-*.jar"))), None)
        if core is None or not list(home.glob("redis-binding/lib/redis-binding-*.jar")):
            raise Missing(f"YCSB (YCSB_HOME={asked} lacks lib/core-*.jar or redis-binding/lib)")
        if shutil.which("java") is None:
            raise Missing("YCSB (it needs java)")
        classes = f"{home}/lib/*:{home}/redis-binding/lib/*"
        return cls(home, version=core.stem.removeprefix("core-"), _classes=classes)

    def _command(self, verb: str, port: int, threads: int, more: dict[str, object]) -> list[str]:
        own = {
            "workload": "site.ycsb.workloads.CoreWorkload",
            "redis.host": "127.0.0.1",
            "redis.port": port,
            "hdrhistogram.percentiles": "50,95,99,99.9",
        }
        return [
            "java", "-cp", self._classes, "site.ycsb.Client", verb, "-db",
            "site.ycsb.db.RedisClient", "-threads", str(threads),
            *_properties({**_WORKLOAD, **own, **more}),
        ]  # fmt: skip

    def load(self, port: int) -> None:
        """Each record once."""
        _quietly(self._command("-load", port, 8, {}))

    def full_speed(self, port: int, connections: int, depth: int, operations: int) -> Job:
        """One operation at a time on each connection, whatever the depth."""
        del depth
        command = self._command("-t", port, connections, {"operationcount": operations})
        return Job(command, lambda output: self._read(output, operations))

    def paced(self, port: int, connections: int, rate: int, seconds: int) -> Job:
        """By its target, with both of its latencies."""
        more = {
            "operationcount": rate * seconds, "target": rate, "measurement.interval": "both",
        }  # fmt: skip
        command = self._command("-t", port, connections, more)
        return Job(command, lambda output: self._read(output, rate * seconds))

    @staticmethod
    def _read(output: str, operations: int) -> dict[str, Figures]:
        # Whatever fails, its exit code is 0.
        (found,) = _need(output, r"^\[READ\], Return=OK, (\d+)")
        if int(found) != operations:
            raise SystemExit(f"YCSB: {found} of {operations} operations succeeded:\n{output}")
        (rate,) = _need(output, r"^\[OVERALL\], Throughput\(ops/sec\), ([\d.]+)")

        def of(metric: str) -> Figures:
            names = ("50th", "95th", "99th", r"99\.9")
            latencies = [
                float(_need(output, rf"^\[{metric}\], {name}PercentileLatency\(us\), (\d+)")[0])
                for name in names
            ]
            return Figures(operations, float(rate), *latencies)

        figures = {"": of("READ")}
        if "[Intended-READ]" in output:
            figures["intended"] = of("Intended-READ")
        return figures


def present() -> tuple[list[Client], list[str]]:
    """The peers on this machine, and what is said of those that are not."""
    clients: list[Client] = []
    missing: list[str] = []
    for kind in (RedisBenchmark, Memtier, GoYcsb, Ycsb):
        try:
            clients.append(kind.find())
        except Missing as why:
            missing.append(str(why))
    return clients, missing
