"""What the figures were measured on, and beside: checks of a run. Pure."""

import math
from collections.abc import Mapping

from weighhouse_protocol.percent import percent

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import RunObservation
from weighhouse_judging.findings.sizes import Beyond
from weighhouse_judging.findings.words import bytes_in_words

STEAL_LIMIT_PERCENT = 1.0
OTHER_LOAD_LIMIT = 0.1
"""Share of the machine's cores that other programs may use."""
REFUSALS_NAMED = 10
"""Questions a message names before it counts the rest."""
SETTINGS_NAMED = 6
"""Settings a message names before it counts the rest."""
OF_ITS_OWN = frozenset({"default", "place"})
"""Who set a value that says nothing of the system; what its vendor ships is unknown of others."""
SET_BY = {"system": "follows from other settings"}
FITS_TWICE = 2
"""Data that fits into memory so many times was served from memory."""
GIVEN = "memory that the system gives to data"
FULL: Mapping[Beyond | None, str] = {
    "refused": "it cannot be held, and writes beyond that were refused.",
    "evicted": "it cannot be held, and records were evicted.",
    None: "it cannot be held, so records were evicted, refused, or went to disk.",
}
"""What became of records beyond what the system gives them."""
CACHED = "it cannot be held: records are evicted, and filled in again when a read misses them."


def client_bound(run: RunObservation) -> Finding | None:
    """Was the load driver at its own limit?"""
    if not run.client_bound:
        return None
    reasons = "; ".join(run.client_bound_reasons) or "the driver says so"
    message = (
        f"The load driver was at its own limit ({reasons}), so these figures are a lower bound of "
        "what the system can do: they measure the client as well."
    )
    if run.broken_on_purpose:
        message += (
            " The system was broken on purpose meanwhile: operations that waited for a way to it "
            "count as the driver's lag too."
        )
    numbers: dict[str, Number] = {
        "driver_cpu_percent": run.driver_cpu_percent,
        "lag_p99_us": run.lag_p99_us,
    }
    return checks.CLIENT_BOUND.found("caution", message, numbers)


def co_located(run: RunObservation) -> Finding | None:
    """Did driver and system share a machine?"""
    if not run.co_located:
        return None
    message = (
        "The load driver and the system ran on the same machine and competed for its cores, its "
        "memory bandwidth and its caches; no network lay between them."
    )
    numbers: dict[str, Number] = {
        "cores": run.cores,
        "driver_cpu_percent": run.driver_cpu_percent,
    }
    return checks.CO_LOCATED.found("caution", message, numbers)


def environment(run: RunObservation) -> Finding | None:
    """Was the machine quiet while it was measured?"""
    said = []
    if run.steal_percent is not None and run.steal_percent > STEAL_LIMIT_PERCENT:
        said.append(f"the hypervisor took {percent(run.steal_percent / 100)} of the CPU (steal)")
    if run.governor is not None and run.governor != "performance":
        said.append(f"the frequency governor was {run.governor}")
    if run.other_cpu_percent is not None and run.cores:
        share = run.other_cpu_percent / run.cores / 100
        if share > OTHER_LOAD_LIMIT:
            said.append(f"other programs used {percent(share, 0)} of the machine's cores")
    if run.swapped_bytes:
        said.append(f"{bytes_in_words(run.swapped_bytes)} went to or came from swap")
    if run.throttled_seconds:
        said.append(f"a CPU limit held processes back for {run.throttled_seconds:.1f} s")
    if run.thermal_throttles:
        said.append("cores were slowed for heat")
    if not said:
        return None
    numbers: dict[str, Number] = {
        "steal_percent": run.steal_percent,
        "steal_percent_max": run.steal_percent_max,
        "governor": run.governor,
        "other_cpu_percent": run.other_cpu_percent,
        "swapped_bytes": run.swapped_bytes,
        "throttled_seconds": run.throttled_seconds,
        "thermal_throttles": run.thermal_throttles,
        "cores": run.cores,
    }
    message = f"The machine was not quiet while it was measured: {'; '.join(said)}."
    return checks.ENVIRONMENT.found("caution", message, numbers)


def clock_offset(run: RunObservation) -> Finding | None:
    """Do the clocks of a gang agree, and is that known?"""
    if run.interval_seconds is None:
        return None
    limit = run.interval_seconds
    off = {name: by for name, by in run.clocks_off_seconds.items() if by > limit}
    unsure = {name: by for name, by in run.clock_errors_seconds.items() if by > limit}
    if not off and not unsure:
        return None
    said = []
    if off:
        said.append(
            f"The clock of {', '.join(sorted(off))} was off by up to {max(off.values()):.3f} s, "
            f"more than an interval of {limit:g} s."
        )
    if unsure:
        names, by = ", ".join(sorted(unsure)), f"known to {max(unsure.values()):.3f} s only"
        said.append(f"How far the clock of {names} was off is {by}." if not off
                    else f"That of {names} is {by}.")  # fmt: skip
    message = (
        f"{' '.join(said)} What the members of the gang measured was set side by side by their "
        "corrected clocks, which is only as good as the correction."
    )
    numbers: dict[str, Number] = {
        "off_seconds": max(off.values(), default=None),
        "error_seconds": max(unsure.values(), default=None),
        "interval_seconds": limit,
        "agents": len(off.keys() | unsure.keys()),
    }
    return checks.CLOCK_OFFSET.found("caution", message, numbers)


def memory_fit(run: RunObservation) -> Finding | None:
    """What was tested: memory, a cache before its files, storage, or what no longer fits?"""
    if run.record_bytes is None or run.records_asked is None:
        return None
    each = run.footprint_bytes or run.record_bytes
    data = each * (run.records_asked + run.records_inserted) * run.copies
    given = "what the system gives to data" if run.data_on_disk else GIVEN
    bounds = {
        given: run.data_memory_bytes,
        "the memory limit": run.memory_limit_bytes,
        "the machine's memory": run.machine_memory_bytes,
    }
    # Nodes on one machine share its memory; limits and settings are each node's own.
    sizes = {
        name: size * (run.nodes if name != "the machine's memory" else 1)
        for name, size in bounds.items()
        if size
    }
    full = data > sizes.get(given, math.inf) and run.beyond != "disk"
    if run.data_on_disk and not full:
        sizes.pop(given, None)
    if not sizes:
        return None
    least = given if full else min(sizes, key=lambda name: sizes[name])
    share = data / sizes[least]
    cache = None if run.cache_bytes is None else run.cache_bytes * run.nodes
    about = "at least" if run.footprint_bytes is None else "about"
    message = (
        f"The data set is {about} {bytes_in_words(data)} ({each:,} bytes a record), "
        f"{percent(share, 2)} of {least} ({bytes_in_words(sizes[least])})"
    )
    if cache:
        message += f" and {data / cache:.3g} times the cache ({bytes_in_words(cache)})"
    if full:
        tested = CACHED if run.fills and run.beyond == "evicted" else FULL[run.beyond]
    else:
        tested = _tested(share, None if not cache else data / cache)
    numbers: dict[str, Number] = {
        "data_bytes": data,
        "footprint_bytes": run.footprint_bytes,
        "bound": least,
        "bound_bytes": sizes[least],
        "share": share,
        "data_memory_bytes": run.data_memory_bytes,
        "memory_limit_bytes": run.memory_limit_bytes,
        "machine_memory_bytes": run.machine_memory_bytes,
        "cache_bytes": run.cache_bytes,
        "nodes": run.nodes,
        "copies": run.copies,
    }
    return checks.MEMORY_FIT.found("caution" if full else "info", f"{message}: {tested}", numbers)


def _tested(share: float, of_cache: float | None) -> str:
    if share * FITS_TWICE >= 1:
        return "this run tested memory and storage together."
    if of_cache is None or of_cache <= 1:
        return "this run tested memory and caches."
    return (
        "this run tested reads past the system's cache, which the operating system's page cache "
        "may have served."
    )


def not_told(run: RunObservation) -> Finding | None:
    """What did the system refuse to tell of itself?"""
    if not run.not_told:
        return None
    shown = [each.rstrip(".") for each in run.not_told[:REFUSALS_NAMED]]
    more = len(run.not_told) - len(shown)
    message = (
        f"The system refused {_questions(len(run.not_told))} about itself, so that its "
        "configuration, memory, keys, statistics or version are not known in full and were not "
        f"judged; in its own words: {'; '.join(shown)}{f'; and {more} more' if more else ''}."
    )
    numbers: dict[str, Number] = {"questions_refused": len(run.not_told)}
    return checks.NOT_TOLD.found("caution", message, numbers)


def _questions(count: int) -> str:
    return "a question" if count == 1 else f"{count} questions"


def effective_configuration(run: RunObservation) -> Finding | None:
    """What is not as the vendor ships it?"""
    changed = [
        setting
        for setting in run.settings
        if setting.source not in OF_ITS_OWN and setting.default not in (None, setting.value)
    ]
    if not changed:
        return None
    words = ", ".join(
        f"{setting.name} = {setting.value} ({SET_BY.get(setting.source, setting.source)})"
        for setting in changed[:SETTINGS_NAMED]
    )
    more = f" and {len(changed) - SETTINGS_NAMED} more" if len(changed) > SETTINGS_NAMED else ""
    message = f"Not as the vendor ships it: {words}{more}."
    numbers: dict[str, Number] = {
        "settings_changed": len(changed), "settings_known": len(run.settings),
    }  # fmt: skip
    return checks.EFFECTIVE_CONFIGURATION.found("info", message, numbers)
