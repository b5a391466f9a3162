"""redis-benchmark as a driver: one command, again and again, on random keys."""

import itertools
import random
import re
import string
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from weighhouse_protocol.driver import DriverOrder, DriverSelf, OperationInterval
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import DriverFailed, SystemFailed, TargetInvalid, WrongProduct
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.toolrun import program
from weighhouse_sdk.toolrun.installed import located, told
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.toolrun.work import Slice, Work, recorded

from weighhouse_plugin_redis_benchmark.output import Outcome, read

VERSION = re.compile(r"^redis-benchmark (\d+)(\.\S+)")
OLDEST = 7
"""Earlier versions print no cumulative distribution."""
KEY = "user__rand_int__"
"""It puts twelve digits in the place of `__rand_int__`."""
DIGITS = 12
MOST_VALUE_BYTES = 100_000
"""The kernel takes arguments of up to 128 KiB (execve(2), MAX_ARG_STRLEN)."""
MOST_RECORD_BYTES = 1_000_000
FIRST_REQUESTS = 1000
"""Of the first run, when nothing is known of the rate yet."""
MOST_GROWTH = 20
"""A run has at most so many times the requests of the one before."""
PARTS = 10
"""Runs that a phase is cut into."""
MOST_RUN_SECONDS = 10.0
NEGLIGIBLE = 0.1
"""Share of a run that is not worth another one at the end of a phase."""
BROKEN = re.compile(r"^(Error|Could not connect|ERROR)")


class RedisBenchmark(Tool):
    """Redis's own load tool. It can be given any command and puts random numbers into keys, so
    that it can read and write the records that Weighhouse's driver has loaded.
    """

    loads = "engine"

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """From `redis-benchmark 7.0.15`; relatives say their own name there."""
        executable = located("redis-benchmark", options, "apt-get install redis-tools")
        text = told(executable, "--version")
        found = VERSION.match(text)
        if found is None or int(found.group(1)) < OLDEST:
            raise WrongProduct(
                f"{executable} is not redis-benchmark {OLDEST} or newer: {text.strip()[:80]}",
                "apt-get install redis-tools",
            )
        return (Installed(executable, "".join(found.groups())),)

    def refusals(self, order: DriverOrder) -> list[str]:
        """Beside what its reach tells: keys that it cannot write, and fields that it would have to
        choose.
        """
        return [*super().refusals(order), *_refusals(order)]

    def processors(self, order: DriverOrder) -> int:
        """One for each thread."""
        return order.shards

    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        """Runs of the tool until the phase is over; see `requests_of_next`."""
        begun_at = time.monotonic()
        asked = _batch(work.order)
        done = 0
        while not work.stopped:
            left = None if phase.operation_count is None else phase.operation_count - done
            elapsed = time.monotonic() - begun_at
            requests = requests_of_next(phase, work, elapsed, left, asked)
            if requests == 0:
                return
            part = _run(work, requests)
            if part is None:
                return
            outcome, measured = part
            done += outcome.requests
            asked = requests
            work.rate_per_second = outcome.rate_per_second
            yield measured


def requests_of_next(
    phase: Phase, work: Work, elapsed_seconds: float, left: int | None, before: int
) -> int:
    """How many requests the next run has; 0: the phase is over. A phase with a duration is cut
    into runs of equal length by the rate of the run before, and ends with the run that reaches
    the duration.

    :param left: of the phase's operation count.
    :param before: requests of the run before.
    """
    rate = work.rate_per_second
    most = MOST_GROWTH * max(before, FIRST_REQUESTS)
    if left is not None and left <= 0:
        return 0
    if phase.duration_seconds is None:
        wanted = FIRST_REQUESTS if rate is None else rate * MOST_RUN_SECONDS
    else:
        length = min(phase.duration_seconds / PARTS, MOST_RUN_SECONDS)
        length = max(length, work.order.interval_seconds)
        remaining = phase.duration_seconds - elapsed_seconds
        if remaining < NEGLIGIBLE * min(length, phase.duration_seconds):
            return 0
        seconds = length if remaining > (1 + 1 / 2) * length else remaining
        wanted = FIRST_REQUESTS if rate is None else rate * seconds
    requests = max(_batch(work.order), min(round(wanted), most))
    return requests if left is None else min(requests, left)


def _batch(order: DriverOrder) -> int:
    """Fewest requests that occupy every client."""
    load = order.load
    return load.clients * load.pipeline if isinstance(load, ClosedLoad) else 1


def _refusals(order: DriverOrder) -> Iterator[str]:
    workload = order.workload
    layout = order.target.options.get("layout", "hash")
    if workload.insert_order != "ordered" or workload.zero_padding != DIGITS:
        yield (
            f"workload.insert_order, zero_padding: redis-benchmark writes record numbers with "
            f"{DIGITS} digits; set insert_order: ordered and zero_padding: {DIGITS}"
        )
    one = workload.field_count == 1 or workload.write_all_fields or layout == "string"
    if workload.operations.update > 0 and not one:
        yield (
            "workload.write_all_fields: redis-benchmark cannot choose the field of an update; "
            "set it to true, or field_count to 1"
        )
    longest = max(workload.field_length, workload.record_bytes if layout == "string" else 0)
    if longest > MOST_VALUE_BYTES or workload.record_bytes > MOST_RECORD_BYTES:
        yield (
            f"workload.field_length: a value stands in redis-benchmark's command line; up to "
            f"{MOST_VALUE_BYTES} bytes of a value and {MOST_RECORD_BYTES} of a record fit there"
        )


def arguments(order: DriverOrder, requests: int) -> list[str]:
    """The command line after the program: connection, load, then the command to repeat."""
    load, options = order.load, order.target.options
    if not isinstance(load, ClosedLoad):
        raise TargetInvalid([("load.model", "redis-benchmark is a closed loop")])
    words = ["-n", str(requests), "-c", str(load.clients), "-P", str(load.pipeline)]
    words += ["-r", str(order.workload.record_count), "--precision", "3"]
    if order.shards > 1:
        words += ["--threads", str(order.shards)]
    if options.get("database", 0):
        words += ["--dbnum", str(options["database"])]
    if options.get("resp3", False):
        words += ["-3"]
    if "username" in options:
        words += ["--user", str(options["username"])]
    return [*words, *command(order.workload, str(options.get("layout", "hash")), order.seed)]


def command(workload: Workload, layout: str, seed: int) -> list[str]:
    """The command of the workload's one operation, as Weighhouse's own driver sends it."""
    fields = [f"{workload.field_name_prefix}{n}" for n in range(workload.field_count)]
    if workload.operations.read > 0:
        if layout == "string":
            return ["GET", KEY]
        return ["HMGET", KEY, *fields] if workload.read_fields_by_name else ["HGETALL", KEY]
    draw = random.Random(seed)  # noqa: S311 - a payload, not a secret
    values = ["".join(draw.choices(string.ascii_letters, k=workload.field_length)) for _ in fields]
    if layout == "string":
        return ["SET", KEY, "".join(values)]
    pairs = [word for pair in zip(fields, values, strict=True) for word in pair]
    return ["HSET", KEY, *pairs]


def _place(work: Work) -> list[str]:
    endpoint = work.endpoint
    if endpoint.scheme == "unix":
        return ["-s", unquote(endpoint.path)]
    if endpoint.scheme != "tcp":
        raise TargetInvalid([("endpoints", f"redis-benchmark is not set up for {endpoint.scheme}")])
    return ["-h", endpoint.hostname or "", "-p", str(endpoint.port)]


def _secrets(work: Work) -> Mapping[str, str]:
    """The password travels in the environment; a command line is open to everybody."""
    path = work.options.get("password_file")
    if path is None:
        return {}
    text = Path(str(path)).read_text(encoding="utf-8").rstrip("\r\n")
    return {"REDISCLI_AUTH": text}


def _run(work: Work, requests: int) -> tuple[Outcome, Slice] | None:
    """Run the tool once; None when it was asked to end, for then it has told nothing."""
    words = [*_place(work), *arguments(work.order, requests)]
    with work.running(words, _secrets(work)) as child:
        lines = list(itertools.takewhile(lambda line: not BROKEN.match(line), child.lines()))
        said = child.tail[-1] if child.tail and BROKEN.match(child.tail[-1]) else None
        # It tries for ever to connect where nobody listens; `running` ends it.
        code = 0 if said else child.wait()
        ended_us = child.now_us()
    if work.stopped and (said or code != 0):
        return None
    if said:
        hint = "the logs of the system and of the driver tell more"
        raise SystemFailed(f"redis-benchmark: {said}", hint, child.tail)
    if code != 0:
        hint = "the driver's log has its lines"
        raise DriverFailed(f"redis-benchmark ended with {code}", hint, child.tail)
    outcome = read(lines)
    name = "read" if work.order.workload.operations.read > 0 else "update"
    seen = OperationInterval(ok=recorded(outcome.counts))
    measured = Slice(
        start_us=max(child.begun_us, ended_us - outcome.duration_us),
        duration_us=max(1, outcome.duration_us),
        operations={name: seen},
        driver=DriverSelf(cpu_us=child.cpu_us, in_flight_max=_batch(work.order)),
    )
    return outcome, measured


PLUGIN = RedisBenchmark(packaged_manifest("weighhouse_plugin_redis_benchmark"))


def main() -> None:
    """The program `weighhouse-driver-redis-benchmark`."""
    program.run(PLUGIN)
