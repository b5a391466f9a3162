"""Workloads as YCSB's property files: the way back from `weighhouse_protocol.ycsb`.

Names and meaning: YCSB 0.17.0, core/src/main/java/site/ycsb, CoreWorkload and Client.
"""

from collections.abc import Iterator, Mapping

from weighhouse_protocol.driver import DriverOrder
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.workload import Workload
from weighhouse_protocol.ycsb.properties import FLAGS, OPERATIONS, SCALED, SHARES

MOST_COUNT = 2**31 - 1
"""YCSB's counters of operations are Java's `int`."""
BY_NAME = "readallfieldsbyname"
"""Not in 0.17.0."""


def records(workload: Workload) -> int:
    """How many the load phase inserts."""
    return workload.records_to_load


def part(order: DriverOrder) -> tuple[int, int]:
    """Which of the records this one loads of those that share the load.

    :returns: the first one, and how many.
    """
    count, share = records(order.workload), order.share
    first, end = count * share.index // share.of, count * (share.index + 1) // share.of
    return order.workload.insert_start + first, end - first


def of_workload(workload: Workload) -> dict[str, str]:
    """What `CoreWorkload` has to be told."""
    found = {
        "workload": "site.ycsb.workloads.CoreWorkload",
        "recordcount": str(workload.record_count),
        # Without it, 0.17.0 loads as many as there are records, wherever the slice begins.
        "insertcount": str(records(workload)),
        "requestdistribution": workload.request_distribution,
        "insertorder": workload.insert_order,
        "fieldlengthdistribution": workload.field_length_distribution,
        "scanlengthdistribution": workload.scan_length_distribution,
    }
    for name, ours in {**SCALED, **SHARES}.items():
        if name not in found:
            found[name] = f"{getattr(workload, ours)}"
    for name, ours in FLAGS.items():
        if name != BY_NAME:
            found[name] = str(getattr(workload, ours)).lower()
    for ours, name in OPERATIONS.items():
        if ours != "delete":
            found[name] = f"{getattr(workload.operations, ours)}"
    return found


def of_phase(order: DriverOrder, phase: Phase) -> dict[str, str]:
    """What `Client` has to be told, how to measure included."""
    load = order.load
    threads = load.clients if isinstance(load, ClosedLoad) else load.connections
    found = {
        "measurementtype": "hdrhistogram",
        "hdrhistogram.fileoutput": "true",
        "status.interval": str(max(1, round(order.interval_seconds))),
        "reportlatencyforeacherror": "true",
    }
    if phase.kind == "load":
        # A zipfian choice wants to be told a count, though nothing is chosen.
        found |= {"threadcount": str(phase.clients or threads), "operationcount": "0"}
        if order.share.of > 1:
            first, count = part(order)
            found |= {"insertstart": str(first), "insertcount": str(count)}
        return found
    found["threadcount"] = str(threads)
    # 0 operations are none in 0.17.0, and not as many as fit into the time.
    found["operationcount"] = str(phase.operation_count or MOST_COUNT)
    if phase.duration_seconds is not None:
        found["maxexecutiontime"] = str(round(phase.duration_seconds))
    if not isinstance(load, ClosedLoad):
        found["target"] = str(round(load.rate_per_second))
        found["measurement.interval"] = "both"
    return found


def text(properties: Mapping[str, str]) -> str:
    """A property file; backslashes are doubled, as Java wants it."""
    return "".join(f"{name}={value}\n".replace("\\", "\\\\") for name, value in properties.items())


def refusals(order: DriverOrder) -> Iterator[str]:
    """What these properties cannot say, or would mean otherwise."""
    workload = order.workload
    mix = workload.operations
    measured = [each for each in order.phases if each.kind != "load"]
    if workload.field_length_distribution == "histogram":
        yield "workload.field_length_distribution: YCSB is not given a table of lengths"
    if workload.record_count > MOST_COUNT:
        yield f"workload.record_count: YCSB counts to {MOST_COUNT}"
    if mix.read_modify_write > 0 and (mix.read > 0 or mix.update > 0):
        yield (
            "workload.operations.read_modify_write: YCSB counts its halves among reads and "
            "updates; leave those out"
        )
    if mix.insert > 0 and len(measured) > 1:
        yield (
            "workload.operations.insert: YCSB inserts the same records anew in each phase; take "
            "one phase, without a warm-up"
        )
    endless = any(each.operation_count is None for each in measured)
    if mix.insert > 0 and workload.request_distribution == "zipfian" and endless:
        yield (
            "workload.operations.insert: YCSB spreads a zipfian choice over as many records as the "
            "count of operations may insert; give the phase an operation_count"
        )
    yield from _load(order)


def _load(order: DriverOrder) -> Iterator[str]:
    load = order.load
    if not isinstance(load, ClosedLoad):
        if load.arrival != "constant":
            yield f"load.arrival: YCSB keeps to a constant rate, not {load.arrival}"
        if load.rate_per_second % 1:
            yield "load.rate_per_second: YCSB takes whole rates"
    threads = load.clients if isinstance(load, ClosedLoad) else load.connections
    for index, phase in enumerate(order.phases):
        count, seconds = phase.operation_count, phase.duration_seconds
        if phase.kind == "load":
            if count or seconds:
                yield f"phases[{index}]: YCSB loads all records, without a limit"
            continue
        if seconds is not None and seconds % 1:
            yield f"phases[{index}].duration_seconds: YCSB takes whole seconds"
        if count is not None and not threads <= count <= MOST_COUNT:
            yield (
                f"phases[{index}].operation_count: YCSB takes {threads}, one for each thread, to "
                f"{MOST_COUNT}"
            )
