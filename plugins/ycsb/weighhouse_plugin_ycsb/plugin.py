"""YCSB as a driver: its own records, and whole histograms."""

import re
import time
from collections.abc import Iterator, Mapping
from urllib.parse import SplitResult

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder
from weighhouse_protocol.load import Phase
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import DriverFailed, PluginError, SystemFailed, TargetInvalid
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.toolrun import program
from weighhouse_sdk.toolrun.installed import located
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.toolrun.work import US_PER_SECOND, Child, Slice, Work

from weighhouse_plugin_ycsb import properties
from weighhouse_plugin_ycsb.installed import class_path, home
from weighhouse_plugin_ycsb.log import HistogramLogs

BINDINGS = {"resp": "redis", "mongodb": "mongodb"}
"""Driver in whose place it is → YCSB's name of the system."""
CLASSES = {"redis": "site.ycsb.db.RedisClient", "mongodb": "site.ycsb.db.MongoDbClient"}
MOST_CLIENTS = 10_000
BINDING = "binding"
"""Option of the order; this plugin's alone."""
STATUS = re.compile(r"^\S+ \S+ \d+ sec: \d+ operations; ")
ENDED = re.compile(r"^\[OVERALL\], RunTime\(ms\), \d+")
BROKEN = re.compile(
    r"^Exception in thread |^site\.ycsb\.(DB|Workload)Exception|^Error initializing|^Unknown DB"
)
"""A thread that cannot connect ends, and the others go on without it."""
SAID = re.compile(r"^(Exception in thread \"[^\"]*\" |Caused by: )?[\w.]+(Exception|Error)\b.*")


class Ycsb(Tool):
    """The Yahoo! Cloud Serving Benchmark. Its records are those of its own clients of the systems,
    so it loads by itself.
    """

    loads = "tool"

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """Of the jar that it comes with; the program is Java."""
        _, version = home()
        package = self.manifest.packages["java"]
        return (Installed(located("java", options, f"apt-get install {package}"), version),)

    def order_options(
        self, options: Mapping[str, Scalar], installed: Installed, driver_id: str
    ) -> dict[str, Scalar]:
        """Beside what every tool's program has to know: YCSB's name of the system."""
        return {
            **super().order_options(options, installed, driver_id),
            BINDING: BINDINGS[driver_id],
        }

    def refusals(self, order: DriverOrder) -> list[str]:
        """Beside what its reach tells: what its property files cannot say."""
        found = [*super().refusals(order), *properties.refusals(order)]
        options = order.target.options
        if options.get("layout", "hash") != "hash":
            found.append("options.layout: YCSB keeps a record in a hash")
        if options.get("scan_index", "ycsb") not in ("auto", "ycsb"):
            found.append("options.scan_index: YCSB scans by its own index, ycsb")
        return found

    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        """One run for the phase; its logs are read while they grow."""
        place, _ = home()
        binding = str(work.options.get(BINDING, BINDINGS["resp"]))
        folder = work.directory / f"ycsb-{phase.kind}-{time.monotonic_ns()}"
        folder.mkdir()
        told = {
            **properties.of_workload(work.order.workload),
            **properties.of_phase(work.order, phase),
            **place_of(work.endpoint, binding),
            "hdrhistogram.output.path": f"{folder}/",
        }
        file = folder / "workload.properties"
        file.write_text(properties.text(told), encoding="iso-8859-1")
        words = ["-cp", class_path(place, binding), "site.ycsb.Client", "-db", CLASSES[binding]]
        words += ["-load" if phase.kind == "load" else "-t", "-s", "-P", str(file)]
        interval_us = int(told["status.interval"]) * US_PER_SECOND
        due = told.get("measurement.interval") == "both"
        logs = HistogramLogs(folder, _counted(work.order, phase), interval_us, due)
        done = {"insert": 0}
        ended = False
        with work.running(words) as child:
            for line in child.lines():
                ended = ended or ENDED.match(line) is not None
                if BROKEN.match(line):
                    raise _failure(child, line)
                if STATUS.match(line):
                    yield from _counting(logs.grown(child.cpu_us), done)
            code = child.wait()
        yield from _counting(logs.rest(child.cpu_us), done)
        work.keep(file, f"{phase.kind}.properties")
        for log in sorted(folder.glob("*.hdr")):
            work.keep(log, f"{phase.kind}-{log.name}")
        if work.stopped:
            return
        if code != 0 or not ended:
            raise _failure(child, f"it ended with {code} and without results")
        _, wanted = properties.part(work.order)
        if phase.kind == "load" and done["insert"] < wanted:
            raise SystemFailed(
                f"YCSB inserted {done['insert']} of {wanted} records",
                "the driver's log and that of the system tell why",
                child.tail,
            )


def place_of(endpoint: SplitResult, binding: str) -> dict[str, str]:
    """Where the system is, in the binding's words.

    :raises TargetInvalid: when it is where the binding does not reach.
    """
    if endpoint.scheme != "tcp":
        raise TargetInvalid([("endpoints", f"YCSB is not set up for {endpoint.scheme}")])
    host, port = endpoint.hostname or "", str(endpoint.port)
    if binding == "mongodb":
        shown = f"[{host}]" if ":" in host else host
        # Its library has one pool of connections for all threads, of 100 when it is told nothing.
        return {"mongodb.url": f"mongodb://{shown}:{port}/ycsb?maxPoolSize={MOST_CLIENTS}"}
    return {"redis.host": host, "redis.port": port}


def _counted(order: DriverOrder, phase: Phase) -> frozenset[str]:
    if phase.kind == "load":
        return frozenset({"insert"})
    shares = order.workload.operations.model_dump()
    return frozenset(name for name, share in shares.items() if share > 0)


def _counting(slices: Iterator[Slice], done: dict[str, int]) -> Iterator[Slice]:
    for each in slices:
        for name, seen in each.operations.items():
            done[name] = done.get(name, 0) + (seen.ok.count if seen.ok else 0)
        yield each


def _failure(child: Child, otherwise: str) -> PluginError:
    """YCSB prints what a thread died of, ends the whole run by it, and calls that a success."""
    lines = [*child.tail, otherwise]
    said = next((line for line in lines if SAID.match(line)), None)
    kind = DriverFailed if said is None else SystemFailed
    return kind(f"YCSB: {said or otherwise}", "the driver's log has its lines", child.tail)


PLUGIN = Ycsb(packaged_manifest("weighhouse_plugin_ycsb"))


def main() -> None:
    """The program `weighhouse-driver-ycsb`."""
    program.run(PLUGIN)
