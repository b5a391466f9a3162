"""cassandra-stress as a driver: a table of its own, and whole histograms."""

import re
import time
from collections.abc import Iterator

from weighhouse_protocol.driver import DriverOrder
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import DriverFailed, SystemFailed
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.toolrun import program
from weighhouse_sdk.toolrun.installed import located
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.toolrun.work import Slice, Work

from weighhouse_plugin_cassandra_stress.installed import class_path, home
from weighhouse_plugin_cassandra_stress.log import HistogramLog

KEYSPACE = "weighhouse_stress"
CONSISTENCY = "quorum"
"""Default of the driver in whose place it is."""
NAMES = {"READ": "read", "WRITE": "update"}
BROKEN = re.compile(r"Exception|Error executing|FAILURE")
MOST_SHARE = 1000
"""Shares are given in thousandths."""
SETTLED = re.compile(r"^Running ")


class CassandraStress(Tool):
    """Cassandra's own load tool. It addresses none but its own keys, so it loads by itself."""

    loads = "tool"

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """Of the jar that it comes with; the program is Java."""
        _, version = home()
        package = self.manifest.packages["java"]
        return (Installed(located("java", options, f"apt-get install {package}"), version),)

    def refusals(self, order: DriverOrder) -> list[str]:
        """Beside what its reach tells: single fields, two consistencies at once, and rates and
        durations that are no whole numbers.
        """
        return [*super().refusals(order), *_refusals(order)]

    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        """One run for the phase; its log is read while it grows."""
        names = {"WRITE": "insert"} if phase.kind == "load" else NAMES
        path = work.directory / f"{phase.kind}-{time.monotonic_ns()}.hdr"
        log = HistogramLog(path, names)
        with work.running([*_java(), *arguments(work, phase, str(path))]) as child:
            for line in child.lines():
                if SETTLED.match(line):
                    log.begun_us = child.now_us()
                yield from log.grown()
            code = child.wait()
        yield from log.grown()
        yield from log.rest()
        work.keep(path, f"{phase.kind}.hdr")
        broken = next((line for line in child.tail if BROKEN.search(line)), None)
        if work.stopped or (code == 0 and broken is None):
            return
        kind = SystemFailed if broken else DriverFailed
        said = broken or f"status {code}"
        raise kind(f"cassandra-stress: {said}", "the driver's log has its lines", child.tail)


def _refusals(order: DriverOrder) -> Iterator[str]:
    workload, load, options = order.workload, order.load, order.target.options
    if workload.operations.update > 0 and not (
        workload.write_all_fields or workload.field_count == 1
    ):
        yield "workload.write_all_fields: cassandra-stress writes whole records; set it to true"
    both = workload.operations.update > 0 and workload.operations.read > 0
    reads, writes = (options.get(f"{each}_consistency", CONSISTENCY) for each in ("read", "write"))
    if both and reads != writes:
        yield "options.read_consistency: cassandra-stress has one consistency for reads and writes"
    if not isinstance(load, ClosedLoad):
        if load.arrival != "constant":
            yield f"load.arrival: cassandra-stress keeps to a constant rate, not {load.arrival}"
        if load.rate_per_second % 1:
            yield "load.rate_per_second: cassandra-stress takes whole rates"
    for index, phase in enumerate(order.phases):
        if phase.kind == "load" and (phase.operation_count or phase.duration_seconds):
            yield f"phases[{index}]: cassandra-stress loads all records, without a limit"
        if phase.duration_seconds is not None and phase.duration_seconds % 1:
            yield f"phases[{index}].duration_seconds: cassandra-stress takes whole seconds"


def _java() -> list[str]:
    place, _ = home()
    return [
        "-Dcassandra.storagedir=.",
        "-Dlogback.configurationFile=logback-tools.xml",
        *("-cp", class_path(place), "org.apache.cassandra.stress.Stress"),
    ]


def arguments(work: Work, phase: Phase, log: str) -> list[str]:
    """The command line after the class."""
    order = work.order
    workload, options = order.workload, work.options
    records = workload.record_count
    reads, updates = workload.operations.read, workload.operations.update
    if phase.kind == "load":
        words = ["write", f"n={records}"]
    elif reads and updates:
        ratio = f"read={round(reads * MOST_SHARE)},write={round(updates * MOST_SHARE)}"
        words = ["mixed", f"ratio({ratio})"]
    else:
        words = ["read" if reads else "write"]
    if phase.kind != "load":
        count, seconds = phase.operation_count, phase.duration_seconds
        words += [f"n={count}" if count is not None else f"duration={int(seconds or 0)}s"]
    kind = "read" if words[0] == "read" else "write"
    words += [f"cl={str(options.get(f'{kind}_consistency', CONSISTENCY)).upper()}", "no-warmup"]
    words += ["-rate", *_rate(order, phase)]
    words += ["-col", f"size=FIXED({workload.field_length})", f"n=FIXED({workload.field_count})"]
    chosen = f"seq=1..{records}" if phase.kind == "load" else f"dist=UNIFORM(1..{records})"
    words += ["-pop", chosen]
    factor = options.get("replication_factor", 1)
    words += ["-schema", f"replication(factor={factor})", f"keyspace={KEYSPACE}"]
    words += ["-errors", "retries=0"]
    words += ["-node", ",".join(each.hostname or "" for each in work.endpoints)]
    words += ["-port", f"native={work.endpoints[0].port}", "-mode", "native", "cql3"]
    every = max(1, round(order.interval_seconds * 1000))
    return [*words, "-log", f"hdrfile={log}", f"interval={every}ms"]


def _rate(order: DriverOrder, phase: Phase) -> list[str]:
    load = order.load
    threads = load.clients if isinstance(load, ClosedLoad) else load.connections
    if phase.kind == "load":
        return [f"threads={phase.clients or threads}"]
    if isinstance(load, ClosedLoad):
        return [f"threads={threads}"]
    return [f"threads={threads}", f"fixed={int(load.rate_per_second)}/s"]


PLUGIN = CassandraStress(packaged_manifest("weighhouse_plugin_cassandra_stress"))


def main() -> None:
    """The program `weighhouse-driver-cassandra-stress`."""
    program.run(PLUGIN)
