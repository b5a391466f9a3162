"""memtier_benchmark as a driver: a cycle of commands on random keys."""

import re
import signal
import time
from collections.abc import Iterator
from fractions import Fraction
from urllib.parse import unquote

from weighhouse_protocol.driver import DriverOrder, DriverSelf, OperationInterval
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.workload import GAUSSIAN_MEDIAN, GAUSSIAN_STDDEV, Workload
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import DriverFailed, SystemFailed, TargetInvalid, WrongProduct
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.toolrun import program
from weighhouse_sdk.toolrun.installed import located, told
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.toolrun.work import Child, Slice, Work, recorded

from weighhouse_plugin_memtier_benchmark.output import Outcome, read

VERSION = re.compile(r"^memtier_benchmark (?:v=)?(\d+)(\.[\d.]+)")
OLDEST = 2
"""Earlier versions write no whole histograms of commands that they are given."""
HINT = "it is in Redis Ltd.'s package repository as memtier-benchmark, or compile its source"
KEY_PREFIX = "user"
PARTS = 10
"""Runs that a phase is cut into."""
MOST_RUN_SECONDS = 10
MOST_RATIO = 100
"""A cycle is of so many operations at most."""
SHARE_TOLERANCE = 1e-6
BROKEN = re.compile(r"handle error response: .*|[Cc]onnection (?:error|dropped|timeout).*")


class MemtierBenchmark(Tool):
    """Redis Ltd.'s load tool. It can be given any commands, and its keys are a prefix and a number,
    so that it reads and writes the records that Weighhouse's driver has loaded.
    """

    loads = "engine"

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """From `memtier_benchmark 2.1.1`, or `memtier_benchmark v=2.1.1 sha=…`."""
        executable = located("memtier_benchmark", options, HINT)
        text = told(executable, "--version")
        found = VERSION.match(text)
        if found is None or int(found.group(1)) < OLDEST:
            raise WrongProduct(
                f"{executable} is not memtier_benchmark {OLDEST} or newer: {text.strip()[:80]}",
                HINT,
            )
        return (Installed(executable, "".join(found.groups())),)

    def refusals(self, order: DriverOrder) -> list[str]:
        """Beside what its reach tells: keys and shares that it cannot write as numbers, and what
        does not divide among its threads and connections.
        """
        return [*super().refusals(order), *_refusals(order), *_uneven(order)]

    def processors(self, order: DriverOrder) -> int:
        """One for each thread."""
        return order.shards

    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        """Runs of the tool, one after the other, until the phase is over."""
        work.stop_signal = signal.SIGINT
        if phase.operation_count is not None:
            each = phase.operation_count // _clients(work.order)
            yield from _run(work, ["-n", str(each)])
            return
        for seconds in runs_of(phase.duration_seconds or 0, work.order.interval_seconds):
            if not work.stopped:
                yield from _run(work, ["--test-time", str(seconds)])


def runs_of(duration_seconds: float, interval_seconds: float) -> list[int]:
    """How long each run of a phase takes, s: alike, but for the last, which takes the rest."""
    left = round(duration_seconds)
    length = max(1, min(left // PARTS, MOST_RUN_SECONDS), round(interval_seconds))
    runs = []
    while left > 0:
        runs.append(length if left >= 2 * length else left)
        left -= runs[-1]
    return runs


def _clients(order: DriverOrder) -> int:
    if not isinstance(order.load, ClosedLoad):
        raise TargetInvalid([("load.model", "memtier_benchmark is a closed loop")])
    return order.load.clients


def ratio(workload: Workload) -> tuple[int, int] | None:
    """Reads and updates of a cycle; None when the shares make no cycle."""
    share = workload.operations.read
    found = Fraction(share).limit_denominator(MOST_RATIO)
    if abs(float(found) - share) > SHARE_TOLERANCE:
        return None
    return found.numerator, found.denominator - found.numerator


def _refusals(order: DriverOrder) -> Iterator[str]:
    workload = order.workload
    layout = order.target.options.get("layout", "hash")
    if workload.insert_order != "ordered":
        yield (
            "workload.insert_order: memtier_benchmark writes record numbers as they are; set "
            "insert_order: ordered"
        )
    if workload.insert_start < 1:
        yield (
            "workload.insert_start: the keys of memtier_benchmark begin with 1; set "
            "insert_start: 1, and record_count to one more than there are to be"
        )
    bell = (workload.gaussian_median, workload.gaussian_stddev)
    if workload.request_distribution == "gaussian" and bell != (GAUSSIAN_MEDIAN, GAUSSIAN_STDDEV):
        yield (
            "workload.gaussian_median, gaussian_stddev: memtier_benchmark takes them for its own "
            "pair of commands alone; leave them out: it has the centre and a sixth of the keys"
        )
    if ratio(workload) is None:
        yield (
            f"workload.operations: memtier_benchmark repeats a cycle of up to {MOST_RATIO} "
            "operations; take shares of whole hundredths"
        )
    one = workload.field_count == 1 or workload.write_all_fields or layout == "string"
    if workload.operations.update > 0 and not one:
        yield (
            "workload.write_all_fields: memtier_benchmark cannot choose the field of an update; "
            "set it to true, or field_count to 1"
        )


def _uneven(order: DriverOrder) -> Iterator[str]:
    """What does not divide among threads, connections or seconds."""
    clients = order.load.clients if isinstance(order.load, ClosedLoad) else 1
    if clients % order.shards:
        yield f"shards: {clients} clients do not divide among {order.shards} threads"
    for index, phase in enumerate(order.phases):
        if phase.kind == "load":
            continue
        if phase.operation_count and phase.operation_count % clients:
            yield (
                f"phases[{index}].operation_count: memtier_benchmark counts for each client; "
                f"take a multiple of {clients}"
            )
        if phase.duration_seconds and phase.duration_seconds % 1:
            yield f"phases[{index}].duration_seconds: memtier_benchmark takes whole seconds"


def arguments(order: DriverOrder) -> list[str]:
    """The command line but for where the system is, how long it takes, and where results go."""
    load, options, workload = order.load, order.target.options, order.workload
    layout = str(options.get("layout", "hash"))
    clients = _clients(order) // order.shards
    words = ["--threads", str(order.shards), "--clients", str(clients)]
    if isinstance(load, ClosedLoad) and load.pipeline > 1:
        words += ["--pipeline", str(load.pipeline)]
    words += ["--protocol", "resp3" if options.get("resp3", False) else "redis"]
    if options.get("database", 0):
        words += ["--select-db", str(options["database"])]
    # Without both, every client of every run would choose the same keys in the same order.
    words += ["--randomize", "--distinct-client-seed", "--random-data"]
    size = workload.record_bytes if layout == "string" else workload.field_length
    last = workload.record_count - 1
    if workload.insert_count is not None:
        last = workload.insert_start + workload.insert_count - 1
    words += ["--data-size", str(size), "--key-prefix", KEY_PREFIX]
    words += ["--key-minimum", str(workload.insert_start), "--key-maximum", str(last)]
    pattern = "G" if workload.request_distribution == "gaussian" else "R"
    for times, command in zip(ratio(workload) or (), commands(workload, layout), strict=False):
        if times:
            words += ["--command", command, "--command-ratio", str(times)]
            words += ["--command-key-pattern", pattern]
    return [*words, "--hide-histogram"]


def commands(workload: Workload, layout: str) -> tuple[str, str]:
    """What a read and an update send, as Weighhouse's own driver does."""
    if layout == "string":
        return "GET __key__", "SET __key__ __data__"
    fields = [f"{workload.field_name_prefix}{n}" for n in range(workload.field_count)]
    read_one = f"HMGET __key__ {' '.join(fields)}"
    pairs = " ".join(f"{name} __data__" for name in fields)
    return (
        read_one if workload.read_fields_by_name else "HGETALL __key__",
        f"HSET __key__ {pairs}",
    )


def _place(work: Work) -> list[str]:
    endpoint = work.endpoint
    if endpoint.scheme == "unix":
        return ["--unix-socket", unquote(endpoint.path)]
    if endpoint.scheme != "tcp":
        message = f"memtier_benchmark is not set up for {endpoint.scheme}"
        raise TargetInvalid([("endpoints", message)])
    return ["--server", endpoint.hostname or "", "--port", str(endpoint.port)]


def _run(work: Work, length: list[str]) -> Iterator[Slice]:
    """Run the tool once; nothing when it was asked to end before it had begun.

    :param length: what its command line says of the length.
    """
    results = work.directory / f"memtier-{time.monotonic_ns()}.json"
    words = [*_place(work), *arguments(work.order), *length, "--json-out-file", str(results)]
    with work.running(words) as child:
        said = next((found[0] for line in child.lines() if (found := BROKEN.search(line))), None)
        # It goes on for ever where nobody listens; `running` ends it.
        code = 0 if said else child.wait()
        ended_us = child.now_us()
    if work.stopped and (said or code != 0):
        return
    if said:
        hint = "the logs of the system and of the driver tell more"
        raise SystemFailed(f"memtier_benchmark: {said}", hint, child.tail)
    if code != 0:
        hint = "the driver's log has its lines"
        raise DriverFailed(f"memtier_benchmark ended with {code}", hint, child.tail)
    outcome = read(results)
    work.keep(results, "memtier.json")
    if outcome.counts:
        yield _slice(work, child, outcome, ended_us if length[0] == "-n" else outcome.finish_us)


def _slice(work: Work, child: Child, outcome: Outcome, ended_us: int) -> Slice:
    order = work.order
    layout = str(order.target.options.get("layout", "hash"))
    sent = (each.split()[0].lower() for each in commands(order.workload, layout))
    names = dict(zip(sent, ("read", "update"), strict=True))
    depth = order.load.pipeline if isinstance(order.load, ClosedLoad) else 1
    return Slice(
        start_us=outcome.start_us,
        duration_us=max(1, ended_us - outcome.start_us),
        operations={
            names[command]: OperationInterval(ok=recorded(counts))
            for command, counts in outcome.counts.items()
        },
        driver=DriverSelf(cpu_us=child.cpu_us, in_flight_max=_clients(order) * depth),
    )


PLUGIN = MemtierBenchmark(packaged_manifest("weighhouse_plugin_memtier_benchmark"))


def main() -> None:
    """The program `weighhouse-driver-memtier-benchmark`."""
    program.run(PLUGIN)
