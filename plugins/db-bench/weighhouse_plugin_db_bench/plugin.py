"""db_bench as a driver: it opens the target's directory with a RocksDB of its own."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverSelf, OperationInterval
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import DriverFailed, SystemFailed, TargetInvalid, WrongProduct
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.toolrun import program
from weighhouse_sdk.toolrun.installed import located, told
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.toolrun.work import Slice, Work, recorded

from weighhouse_plugin_db_bench.output import counted, read

VERSION = re.compile(r"^db_bench version (\S+)")
SEEDS = 2**62
"""Its seeds are signed and of 64 bits."""
DEFAULTS: dict[str, Scalar] = {
    "block_cache_bytes": 32 * 2**20,
    "compression": "lz4",
    "wal": True,
    "sync_writes": False,
}
"""Options of the driver in whose place it is, which db_bench has other defaults for."""
WHOLE_SHARE = 100
TICKERS_ALONE = 1
"""RocksDB's level of statistics without histograms and times (`kExceptHistogramOrTimers`)."""
NAMES = {"read": "read", "write": "update"}


class DbBench(Tool):
    """RocksDB's own load tool. It addresses none but its own keys, so it loads by itself."""

    loads = "tool"

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """From `db_bench version 7.8.3`."""
        hint = "apt-get install rocksdb-tools"
        executable = located("db_bench", options, hint)
        found = VERSION.match(told(executable, "--version"))
        if found is None:
            raise WrongProduct(f"{executable} is not RocksDB's db_bench", hint)
        return (Installed(executable, found.group(1)),)

    def refusals(self, order: DriverOrder) -> list[str]:
        """Beside what its reach tells: parts of records, shares that are no whole percentages, and
        durations that are no whole seconds.
        """
        return [*super().refusals(order), *_refusals(order)]

    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        """One run for the phase. Asked to end early, it has told nothing."""
        with work.running(arguments(work.order, phase, _directory(work))) as child:
            lines = list(child.lines())
            code = child.wait()
            ended_us = child.now_us()
        if work.stopped:
            return
        if code != 0:
            said = child.tail[-1] if child.tail else f"status {code}"
            kind = SystemFailed if "error" in said.lower() else DriverFailed
            raise kind(f"db_bench: {said}", "the driver's log has its lines", child.tail)
        outcome = read(lines)
        names = {"write": "insert"} if phase.kind == "load" else NAMES
        yield Slice(
            start_us=max(child.begun_us, ended_us - outcome.duration_us),
            duration_us=outcome.duration_us,
            operations={
                names[kind]: OperationInterval(ok=recorded(counts))
                for kind, counts in outcome.counts.items()
            },
            driver=DriverSelf(cpu_us=child.cpu_us),
            counted=counted(lines),
        )


def _refusals(order: DriverOrder) -> Iterator[str]:
    workload = order.workload
    if workload.insert_order != "ordered":
        yield "workload.insert_order: db_bench's keys are ordered numbers; set it to ordered"
    if workload.operations.update > 0 and not (
        workload.write_all_fields or workload.field_count == 1
    ):
        yield "workload.write_all_fields: db_bench writes whole records; set it to true"
    share = workload.operations.read * WHOLE_SHARE
    if abs(share - round(share)) > 1e-6:  # noqa: PLR2004 - what floating point leaves
        yield "workload.operations.read: db_bench takes whole percentages"
    for index, phase in enumerate(order.phases):
        if phase.kind == "load":
            limited = phase.operation_count or phase.duration_seconds
            if limited:
                yield f"phases[{index}]: db_bench loads all records, without a limit"
        elif phase.operation_count is not None:
            yield f"phases[{index}].operation_count: it counts for each thread; set a duration"
        elif phase.duration_seconds is not None and phase.duration_seconds % 1:
            yield f"phases[{index}].duration_seconds: db_bench takes whole seconds"


def arguments(order: DriverOrder, phase: Phase, directory: str) -> list[str]:
    """The command line after the program."""
    workload, load = order.workload, order.load
    if not isinstance(load, ClosedLoad):
        raise TargetInvalid([("load.model", "db_bench is a closed loop")])
    options = {**DEFAULTS, **order.target.options}
    words = [
        f"--db={directory}",
        f"--num={workload.record_count}",
        f"--value_size={workload.record_bytes}",
        f"--cache_size={options['block_cache_bytes']}",
        f"--compression_type={options['compression']}",
        f"--disable_wal={int(not options['wal'])}",
        f"--sync={int(bool(options['sync_writes']))}",
        f"--seed={order.seed % SEEDS + 1}",
        "--histogram=1",
    ]
    if options.get("statistics"):
        words += ["--statistics=1", f"--stats_level={TICKERS_ALONE}"]
    if phase.kind == "load":
        return [*words, "--benchmarks=fillseq", "--threads=1"]
    words += ["--use_existing_db=1", f"--threads={load.clients}"]
    words += [f"--duration={int(phase.duration_seconds or 0)}"]
    reads, updates = workload.operations.read, workload.operations.update
    if updates == 0:
        return [*words, "--benchmarks=readrandom"]
    if reads == 0:
        return [*words, "--benchmarks=overwrite"]
    percentage = round(reads * WHOLE_SHARE)
    return [*words, "--benchmarks=readrandomwriterandom", f"--readwritepercent={percentage}"]


def _directory(work: Work) -> str:
    endpoint = work.endpoint
    if endpoint.scheme != "file":
        raise TargetInvalid([("endpoints", "db_bench opens a directory")])
    return unquote(endpoint.path)


PLUGIN = DbBench(packaged_manifest("weighhouse_plugin_db_bench"))


def main() -> None:
    """The program `weighhouse-driver-db-bench`."""
    program.run(PLUGIN)
