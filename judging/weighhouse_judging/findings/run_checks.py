"""The checks of one run. Pure: an observation in, findings out."""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from scipy import stats

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import RunObservation

LITTLE_TOLERANCE = 0.05
"""How far throughput × mean may exceed the number of clients: clocks and rounding."""

OPERATIONS_BEYOND = 10
"""Operations that have to lie beyond a percentile before it is claimed."""

ERRORS_CAUTION, ERRORS_ERROR = 0.001, 0.01
NOT_FOUND_LIMIT = 0.01
STEAL_LIMIT_PERCENT = 1.0
OTHER_LOAD_LIMIT = 0.1
"""Share of the machine's cores that other programs may use."""
TREND_P, TREND_CHANGE = 0.01, 0.05
CLAIMED_QUANTILE = 0.99
"""Up to here a percentile is a headline figure; one beyond the data is a caution."""

SETTINGS_NAMED = 6
"""Settings a message names before it counts the rest."""

US_PER_MS, US_PER_SECOND = 1e3, 1e6
FEWEST_INTERVALS = 10
"""Intervals below which no trend is looked for."""


def check_run(run: RunObservation) -> list[Finding]:
    """All findings of a run, the gravest first, else in the order of the catalogue."""
    found = [finding for check in RUN_CHECKS if (finding := check(run)) is not None]
    gravity = {"error": 0, "caution": 1, "info": 2}
    return sorted(found, key=lambda finding: gravity[finding.severity])


def littles_law(
    *,
    clients: int,
    throughput: float,
    mean_us: float | None = None,
    quantiles_us: Mapping[float, float] | None = None,
    pipeline: int = 1,
) -> Finding | None:
    """Can these figures of a closed loop be true together? Works on imported figures too.

    `throughput` in operations a second, latencies in µs. In a closed loop no more than
    clients × pipeline operations are in flight, so the mean latency is at most that over the
    throughput; and since a share of 1 - q of the operations takes at least the q-quantile, the
    quantile is at most 1 / (1 - q) times the mean. Returns None when nothing contradicts.
    """
    in_flight = clients * pipeline
    if throughput <= 0 or in_flight <= 0:
        return None
    most_mean = in_flight / throughput * 1e6
    claims: list[tuple[str, float, float]] = []
    if mean_us is not None:
        claims.append(("mean", mean_us, most_mean))
    for quantile, value in sorted((quantiles_us or {}).items()):
        claims.append((_quantile_name(quantile), value, most_mean / (1.0 - quantile)))
    broken = [claim for claim in claims if claim[1] > claim[2] * (1.0 + LITTLE_TOLERANCE)]
    if not broken:
        return None
    name, value, limit = max(broken, key=lambda claim: claim[1] / claim[2])
    numbers: dict[str, Number] = {
        "clients": clients,
        "pipeline": pipeline,
        "throughput": throughput,
        "claimed": name,
        "claimed_us": value,
        "largest_possible_us": limit,
        "largest_possible_mean_us": most_mean,
        "times_too_large": value / limit,
    }
    message = (
        f"{_clients(clients)} with {throughput:,.0f} operations a second cannot have a {name} of "
        f"{_duration(value)}: at most {_duration(limit)} is possible "
        f"({value / limit:,.1f} times less)."
    )
    scaled = [(claimed / 1000.0, most) for _, claimed, most in claims]
    if all(claimed <= most for claimed, most in scaled):
        message += " The figures agree if the unit is µs and not ms."
        numbers["consistent_if_divided_by"] = 1000
    return checks.LITTLES_LAW.found("error", message, numbers)


def _littles_law(run: RunObservation) -> Finding | None:
    if run.load_model != "closed" or run.clients is None:
        return None
    return littles_law(
        clients=run.clients,
        pipeline=run.pipeline,
        throughput=run.everything.throughput,
        mean_us=run.everything.mean_us,
        quantiles_us=run.everything.quantiles_us,
    )


def _client_bound(run: RunObservation) -> Finding | None:
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


def _co_located(run: RunObservation) -> Finding | None:
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


def _samples(run: RunObservation) -> Finding | None:
    operations = run.everything.ok
    short = [
        quantile
        for quantile in sorted(run.everything.quantiles_us)
        if operations * (1.0 - quantile) < OPERATIONS_BEYOND * (1.0 - 1e-9)
    ]
    if not short or operations == 0:
        return None
    names = ", ".join(_quantile_name(quantile) for quantile in short)
    needed = OPERATIONS_BEYOND / (1.0 - short[0])
    message = (
        f"{operations:,} operations are too few for {names}: fewer than {OPERATIONS_BEYOND} lie "
        f"beyond it. {_quantile_name(short[0])} needs {needed:,.0f}."
    )
    severity: Literal["info", "caution"] = "caution" if short[0] <= CLAIMED_QUANTILE else "info"
    numbers: dict[str, Number] = {
        "operations": operations,
        "percentiles": names,
        "operations_needed": round(needed),
    }
    return checks.SAMPLES.found(severity, message, numbers)


def _steady_state(run: RunObservation) -> Finding | None:
    values = np.asarray(run.interval_throughputs, dtype=np.float64)
    if run.broken_on_purpose:
        return None
    if values.size < FEWEST_INTERVALS or float(np.median(values)) <= 0:
        return None
    times = np.arange(values.size, dtype=np.float64)
    p_value = float(stats.kendalltau(times, values).pvalue)
    slope = float(stats.theilslopes(values, times).slope)
    change = slope * (values.size - 1) / float(np.median(values))
    if not (p_value < TREND_P and abs(change) > TREND_CHANGE):
        return None
    tenth = max(1, values.size // 10)
    first, last = float(np.median(values[:tenth])), float(np.median(values[-tenth:]))
    message = (
        f"Throughput {'rose' if change > 0 else 'fell'} by {abs(change):.1%} over the measured "
        "phase: it had not settled when the warm-up ended, or the system degrades."
    )
    numbers: dict[str, Number] = {
        "change": change,
        "trend_p_value": p_value,
        "first_tenth": first,
        "last_tenth": last,
        "coefficient_of_variation": statistics.coefficient_of_variation(values.tolist()),
        "intervals": int(values.size),
    }
    return checks.STEADY_STATE.found("caution", message, numbers)


def _coordinated_omission(run: RunObservation) -> Finding | None:
    if run.load_model != "closed":
        return None
    message = (
        "Each client waited for its answer before it asked again, so the latencies are service "
        "times under this load and no response times of an arriving public."
    )
    return checks.COORDINATED_OMISSION.found("info", message, {"clients": run.clients})


def _errors(run: RunObservation) -> Finding | None:
    figures = run.everything
    total = figures.ok + figures.not_found + figures.errors
    share = figures.errors / total if total else 0.0
    if share <= ERRORS_CAUTION:
        return None
    message = f"{figures.errors:,} of {total:,} operations failed ({share:.2%})."
    severity: Literal["caution", "error"] = "error" if share > ERRORS_ERROR else "caution"
    if run.broken_on_purpose:
        severity = "caution"
        message += " The system was broken on purpose meanwhile: the timeline tells when."
    numbers: dict[str, Number] = {"errors": figures.errors, "operations": total, "share": share}
    return checks.ERRORS.found(severity, message, numbers)


def _not_found(run: RunObservation) -> Finding | None:
    figures = run.everything
    answered = figures.ok + figures.not_found
    share = figures.not_found / answered if answered else 0.0
    if share <= NOT_FOUND_LIMIT or run.misses_expected:
        return None
    message = (
        f"{figures.not_found:,} of {answered:,} operations found no record ({share:.1%}), though "
        "only loaded keys are asked for: they were lost or evicted."
    )
    numbers: dict[str, Number] = {
        "not_found": figures.not_found, "operations": answered, "share": share,
    }  # fmt: skip
    return checks.NOT_FOUND.found("caution", message, numbers)


def _verification(run: RunObservation) -> Finding | None:
    failed = run.everything.verify_failed
    if failed == 0:
        return None
    message = f"{failed:,} reads returned a value that was never written to that key."
    return checks.VERIFICATION.found("error", message, {"verify_failed": failed})


def _load_complete(run: RunObservation) -> Finding | None:
    if run.records_asked is None or run.records_loaded is None:
        return None
    if run.records_loaded >= run.records_asked:
        return None
    message = (
        f"{run.records_loaded:,} of {run.records_asked:,} records were acknowledged by the load "
        "phase; the workload ran on a smaller table than it names."
    )
    numbers: dict[str, Number] = {
        "records_asked": run.records_asked, "records_loaded": run.records_loaded,
    }  # fmt: skip
    return checks.LOAD_COMPLETE.found("error", message, numbers)


def _environment(run: RunObservation) -> Finding | None:
    said = []
    if run.steal_percent_max is not None and run.steal_percent_max > STEAL_LIMIT_PERCENT:
        said.append(f"the hypervisor took up to {run.steal_percent_max:.1f} % of the CPU (steal)")
    if run.governor is not None and run.governor != "performance":
        said.append(f"the frequency governor was {run.governor}")
    if run.other_cpu_percent is not None and run.cores:
        share = run.other_cpu_percent / run.cores / 100
        if share > OTHER_LOAD_LIMIT:
            said.append(f"other programs used {share:.0%} of the machine's cores")
    if run.throttled_seconds:
        said.append(f"a CPU limit held processes back for {run.throttled_seconds:.1f} s")
    if run.thermal_throttles:
        said.append("cores were slowed for heat")
    if not said:
        return None
    numbers: dict[str, Number] = {
        "steal_percent_max": run.steal_percent_max,
        "governor": run.governor,
        "other_cpu_percent": run.other_cpu_percent,
        "throttled_seconds": run.throttled_seconds,
        "thermal_throttles": run.thermal_throttles,
        "cores": run.cores,
    }
    message = f"The machine was not quiet: {'; '.join(said)}."
    return checks.ENVIRONMENT.found("caution", message, numbers)


def _memory_fit(run: RunObservation) -> Finding | None:
    if run.record_bytes is None or run.records_asked is None or not run.machine_memory_bytes:
        return None
    data = run.record_bytes * run.records_asked
    share = data / run.machine_memory_bytes
    what = (
        "memory and caches"
        if data * 2 < run.machine_memory_bytes
        else "memory and storage together"
    )
    message = (
        f"The data set is at least {data / 1e6:,.1f} MB, {share:.2%} of the machine's memory: this "
        f"run tested {what}."
    )
    numbers: dict[str, Number] = {
        "data_bytes": data, "machine_memory_bytes": run.machine_memory_bytes, "share": share,
    }  # fmt: skip
    return checks.MEMORY_FIT.found("info", message, numbers)


def _effective_configuration(run: RunObservation) -> Finding | None:
    changed = [
        setting
        for setting in run.settings
        if setting.source != "default"
        and (setting.default is None or setting.default != setting.value)
    ]
    if not changed:
        return None
    words = ", ".join(
        f"{setting.name} = {setting.value} ({setting.source})"
        for setting in changed[:SETTINGS_NAMED]
    )
    more = f" and {len(changed) - SETTINGS_NAMED} more" if len(changed) > SETTINGS_NAMED else ""
    message = f"Not as the vendor ships it: {words}{more}."
    numbers: dict[str, Number] = {
        "settings_changed": len(changed), "settings_known": len(run.settings),
    }  # fmt: skip
    return checks.EFFECTIVE_CONFIGURATION.found("info", message, numbers)


def _quantile_name(quantile: float) -> str:
    return f"p{round(quantile * 100, 6):g}"


def _clients(clients: int) -> str:
    return "1 client" if clients == 1 else f"{clients} clients"


def _duration(microseconds: float) -> str:
    if microseconds >= US_PER_SECOND:
        return f"{microseconds / US_PER_SECOND:,.3g} s"
    if microseconds >= US_PER_MS:
        return f"{microseconds / US_PER_MS:,.3g} ms"
    return f"{microseconds:,.3g} µs"


def _clock_offset(run: RunObservation) -> Finding | None:
    if run.interval_seconds is None:
        return None
    off = {name: by for name, by in run.clocks_off_seconds.items() if by > run.interval_seconds}
    if not off:
        return None
    worst = max(off, key=lambda name: off[name])
    message = (
        f"The clock of {', '.join(sorted(off))} was off by up to {off[worst]:.3f} s, more than an "
        f"interval of {run.interval_seconds:g} s. What the members of the gang measured was set "
        "side by side by their corrected clocks, which is only as good as the correction."
    )
    numbers: dict[str, Number] = {
        "off_seconds": off[worst],
        "interval_seconds": run.interval_seconds,
        "agents": len(off),
    }
    return checks.CLOCK_OFFSET.found("caution", message, numbers)


def _latency_understated(run: RunObservation) -> Finding | None:
    if not run.latency_understated:
        return None
    message = (
        "The driver of this run is from before its closed loop counted the time that a client "
        "waits behind the driver's others: with several clients the latencies are too low, by up "
        "to half. Throughput is right. Measure again to compare latencies."
    )
    numbers: dict[str, Number] = {} if run.clients is None else {"clients": run.clients}
    return checks.LATENCY_UNDERSTATED.found("error", message, numbers)


RUN_CHECKS: tuple[Callable[[RunObservation], Finding | None], ...] = (
    _littles_law,
    _latency_understated,
    _load_complete,
    _verification,
    _errors,
    _not_found,
    _client_bound,
    _clock_offset,
    _co_located,
    _samples,
    _steady_state,
    _environment,
    _coordinated_omission,
    _memory_fit,
    _effective_configuration,
)
"""The checks of a run, in the order they are shown within a severity."""
