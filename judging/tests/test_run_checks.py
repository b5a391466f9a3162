"""The checks of a run: silent on a sound one, and right about each fault."""

from dataclasses import replace

import pytest
from weighhouse_judging.findings.observation import OperationFigures, RunObservation, SettingSeen
from weighhouse_judging.findings.run_checks import check_run

from .observations import FILLED, SOUND, course, faulty, found


def test_a_sound_run_has_nothing_to_say_for_itself() -> None:
    assert found(SOUND) == {}
    assert set(found(FILLED)) == {"coordinated-omission"}


@pytest.mark.parametrize(
    ("run", "name", "severity"),
    [
        (replace(SOUND, client_bound=True), "client-bound", "caution"),
        (replace(SOUND, co_located=True), "co-located", "caution"),
        (replace(faulty(ok=10_000), rate_per_second=100.0), "samples", "info"),
        (replace(faulty(ok=500), rate_per_second=5.0), "samples", "caution"),
        (faulty(errors=5_000), "errors", "caution"),
        (faulty(errors=50_000), "errors", "error"),
        (faulty(not_found=50_000), "not-found", "caution"),
        (faulty(verify_failed=1), "verification", "error"),
        (replace(SOUND, records_loaded=999), "load-complete", "error"),
        (replace(SOUND, records_held=999), "load-complete", "error"),
        (replace(SOUND, rate_per_second=10_500.0), "rate-not-reached", "caution"),
        (replace(SOUND, rate_per_second=20_000.0), "rate-not-reached", "error"),
        (replace(SOUND, percentile_kind="averaged"), "averaged-percentiles", "caution"),
        (replace(SOUND, steal_percent=4.0), "environment", "caution"),
        (replace(SOUND, governor="powersave"), "environment", "caution"),
        (replace(SOUND, other_cpu_percent=90.0), "environment", "caution"),
        (replace(SOUND, swapped_bytes=8192.0), "environment", "caution"),
        (replace(SOUND, throttled_seconds=0.4), "environment", "caution"),
        (replace(SOUND, thermal_throttles=2.0), "environment", "caution"),
        (
            replace(SOUND, interval_seconds=1.0, clocks_off_seconds={"east": 1.5}),
            "clock-offset",
            "caution",
        ),
        (
            replace(SOUND, interval_seconds=1.0, clock_errors_seconds={"east": 1.5}),
            "clock-offset",
            "caution",
        ),
        (replace(SOUND, record_bytes=1000, machine_memory_bytes=10**9), "memory-fit", "info"),
        (replace(SOUND, record_bytes=1000, data_memory_bytes=500_000), "memory-fit", "caution"),
        (
            replace(SOUND, settings=(SettingSeen("appendonly", "yes", "no", "experiment"),)),
            "effective-configuration",
            "info",
        ),
        (replace(SOUND, not_told=("CONFIG GET: NOPERM",)), "not-told", "caution"),
        (replace(SOUND, reads=True, reads_disk=True), "caches-unsaid", "caution"),
        (
            replace(SOUND, course=course([10_000.0 * 0.99**index for index in range(30)])),
            "steady-state",
            "caution",
        ),
        (replace(SOUND, course=course([10_000.0] * 9)), "steady-state", "info"),
        (
            replace(FILLED, everything=replace(FILLED.everything, mean_us=600.0)),
            "unaccounted-clients",
            "caution",
        ),
        (replace(SOUND, latency_understated=True, clients=4), "latency-understated", "error"),
    ],
)
def test_each_fault_is_found_and_nothing_else(
    run: RunObservation, name: str, severity: str
) -> None:
    findings = found(run)
    assert set(findings) - {"coordinated-omission"} == {name}
    finding = findings[name]
    assert finding.severity == severity
    assert finding.documentation == f"/docs/findings/{name}"
    assert finding.formula
    assert finding.source
    assert finding.numbers


def test_p9999_of_ten_thousand_operations_is_noise() -> None:
    finding = found(faulty(ok=10_000))["samples"]
    assert finding.numbers["percentiles"] == "p99.99"
    assert finding.numbers["operations_needed"] == 100_000


def test_each_kind_of_operation_needs_its_own_samples() -> None:
    """A million reads do not make the p99 of forty deletes a figure."""
    quantiles = {0.5: 80.0, 0.99: 200.0}
    run = replace(
        SOUND,
        operations={
            "read": OperationFigures(ok=999_960, quantiles_us=quantiles),
            "delete": OperationFigures(ok=40, quantiles_us=quantiles),
        },
    )
    finding = found(run)["samples"]
    assert finding.severity == "caution"
    assert finding.numbers["operation"] == "delete"
    assert "40 operations of kind delete are too few for p99" in finding.message
    enough = {"delete": OperationFigures(ok=1000, quantiles_us=quantiles)}
    assert "samples" not in found(replace(SOUND, operations=enough))


def test_what_arrivals_lack_by_chance_is_no_missed_rate() -> None:
    """Poisson, 100 a second for 10 s: 1,000 expected, ± 32; 900 are within four deviations."""
    run = replace(faulty(ok=900), seconds=10.0, rate_per_second=100.0)
    assert "rate-not-reached" in found(run)
    assert "rate-not-reached" not in found(replace(run, arrival="poisson"))
    fewer = replace(faulty(ok=850), seconds=10.0, rate_per_second=100.0, arrival="poisson")
    assert "rate-not-reached" in found(fewer)


def test_a_rate_is_reached_where_the_last_came_back_a_moment_later() -> None:
    """64,000 a second for 4 s, all of it done, the last 0.08 s after the end."""
    quick = replace(faulty(ok=256_000, answered_late=5_120), seconds=4.0, rate_per_second=64_000.0)
    assert "rate-not-reached" not in found(quick)
    later = replace(quick, everything=replace(quick.everything, answered_late=25_600))
    assert found(later)["rate-not-reached"].numbers["answered_late"] == 25_600
    minute = replace(faulty(ok=60_000, answered_late=3_000), seconds=60.0, rate_per_second=1_000.0)
    assert found(minute)["rate-not-reached"].numbers["share"] == 0.95


def test_fills_are_none_of_the_operations_that_were_due() -> None:
    lacking = replace(SOUND, everything=replace(SOUND.everything, ok=980_000))
    assert "rate-not-reached" in found(lacking)
    fills = OperationFigures(ok=300_000)
    filled = replace(lacking, everything=replace(SOUND.everything, ok=1_280_000),
                     operations={"fill": fills}, misses_expected=True)  # fmt: skip
    assert "rate-not-reached" in found(filled)


def test_what_was_never_sent_is_a_rate_not_reached_and_no_error() -> None:
    run = replace(
        faulty(ok=202_939, never_sent=1_597_061, answered_late=20_000),
        seconds=90.0, rate_per_second=20_000.0, saturated=True, places=4,
    )  # fmt: skip
    told = found(run)
    assert "errors" not in told
    finding = told["rate-not-reached"]
    assert finding.severity == "error"
    assert "182,939 of 1,800,000 operations that were due in 90 s" in finding.message
    assert "20,000 came back later, 1,597,061 were never sent" in finding.message
    assert "All 4 operations that may be under way at once (max_in_flight) were" in finding.message
    few = replace(faulty(ok=999_999, never_sent=1), seconds=100.0, rate_per_second=10_000.0)
    assert found(few)["rate-not-reached"].severity == "caution"


def test_answers_beyond_the_histograms_are_told_with_the_figures_that_they_touch() -> None:
    """4,000 in the histogram, and 250 slower ones: the slowest sixteenth."""
    figures = faulty(ok=4_000, beyond_range=250).everything
    told = found(replace(SOUND, everything=figures, rate_per_second=None))["beyond-range"]
    assert told.severity == "error"
    assert "250 answers took longer" in told.message
    assert "p95" not in told.message
    assert "p99" in told.message


def test_a_driver_that_does_not_tell_what_was_never_sent_is_not_guessed_at() -> None:
    before = faulty(ok=202_939, errors=1_597_061).everything
    untold = replace(
        before, never_sent=None, answered_late=None, timeouts=936_499, beyond_range=660_562
    )
    run = replace(SOUND, everything=untold, seconds=100.26, asked_seconds=90.0)
    told = found(run)
    assert "never-sent-untold" in told
    message = told["never-sent-untold"].message
    assert "of 936,499 timeouts some may never have reached the system" in message
    assert "660,562 beyond the range" in message
    assert "100 s were measured where 90 s were asked for" in message
    # So little came back that the rate was not reached whatever became of the rest.
    little = replace(run, everything=replace(untold, timeouts=0, errors=0, beyond_range=0))
    missed = found(little)["rate-not-reached"]
    assert missed.severity == "error"
    assert missed.numbers["never_sent"] is None
    # Where none of its figures is concerned there is nothing to say.
    sound = replace(SOUND.everything, never_sent=None, answered_late=None)
    assert "never-sent-untold" not in found(replace(SOUND, everything=sound, asked_seconds=100.0))
    assert "never-sent-untold" not in found(SOUND)


def test_a_phase_of_so_many_operations_is_due_no_more() -> None:
    """256,000 at 64,000 a second, all done, the last 0.08 s late."""
    done = faulty(ok=256_000).everything
    run = replace(
        SOUND, everything=done, rate_per_second=64_000.0, seconds=4.08, asked_operations=256_000
    )
    assert "rate-not-reached" not in found(run)
    assert "rate-not-reached" in found(replace(run, asked_operations=None))


def test_a_short_phase_has_no_room_for_an_overload() -> None:
    """2 s at 88 % of the rate, all of it drained within a quarter of a second."""
    late = replace(faulty(ok=20_000).everything, answered_late=2_400)
    run = replace(SOUND, everything=late, seconds=2.0)
    assert "rate-not-reached" in found(run)


def test_what_failed_was_done_all_the_same() -> None:
    """A rate counts what came back, whatever became of it."""
    assert "rate-not-reached" not in found(faulty(ok=900_000, errors=100_000))
    assert "rate-not-reached" not in found(replace(FILLED, rate_per_second=None))


def test_a_system_that_holds_more_than_asked_for_says_nothing() -> None:
    assert "load-complete" not in found(replace(SOUND, records_held=1001))
    expiring = replace(SOUND, records_held=10, misses_expected=True)
    assert "load-complete" not in found(expiring)
    evicted = found(replace(SOUND, records_held=600))["load-complete"]
    assert "400 were evicted or lost" in evicted.message


def test_one_bad_sample_of_many_is_not_the_run() -> None:
    """Judged by the mean over the measured phase; the worst sample is told beside it."""
    told = replace(SOUND, steal_percent=0.2, steal_percent_max=30.0)
    assert "environment" not in found(told)
    numbers = found(replace(told, steal_percent=2.0))["environment"].numbers
    assert (numbers["steal_percent"], numbers["steal_percent_max"]) == (2.0, 30.0)


def test_memory_is_held_against_what_was_in_effect() -> None:
    """1 MB of data: nothing to the machine, too much for a limit of half of it."""
    run = replace(SOUND, record_bytes=1000, machine_memory_bytes=10**9)
    assert found(run)["memory-fit"].numbers["bound"] == "the machine's memory"
    limited = found(replace(run, memory_limit_bytes=1_200_000))["memory-fit"]
    assert limited.numbers["bound"] == "the memory limit"
    assert "memory and storage together" in limited.message
    small = found(replace(run, memory_limit_bytes=8_000_000, data_memory_bytes=500_000))
    assert small["memory-fit"].severity == "caution"
    assert "cannot be held" in small["memory-fit"].message
    three = replace(run, data_memory_bytes=500_000, nodes=3)
    assert found(three)["memory-fit"].severity == "info"
    assert found(replace(three, copies=2))["memory-fit"].severity == "caution"


def test_data_past_the_cache_is_not_a_test_of_the_cache() -> None:
    run = replace(SOUND, record_bytes=1000, machine_memory_bytes=10**9, cache_bytes=250_000)
    told = found(run)["memory-fit"]
    assert "4 times the cache" in told.message
    assert "page cache may have served" in told.message
    held = found(replace(run, cache_bytes=2_000_000))["memory-fit"]
    assert "memory and caches" in held.message


def test_a_setting_left_at_its_default_is_not_mentioned() -> None:
    settings = (
        SettingSeen("maxmemory", "0", "0", "experiment"),
        SettingSeen("hz", "10", "10", "default"),
        SettingSeen("port", "7001", "6379", "default"),
    )
    assert found(replace(SOUND, settings=settings)) == {}


def test_what_the_vendor_ships_is_unknown_of_what_was_there() -> None:
    """As agents tell it, and as those of before did."""
    for source in ("operator", "unknown", "plugin", "default"):
        settings = tuple(
            SettingSeen(name, value, None, source)
            for name, value in (("bind", "* -::*"), ("port", "6379"), ("dir", "/var/lib/redis"))
        )
        assert found(replace(SOUND, settings=settings)) == {}, source


def test_a_place_is_no_difference_and_what_follows_from_an_order_is() -> None:
    places = (
        SettingSeen("port", "7001", "6379", "place"),
        SettingSeen("dir", "/data", "/var/lib", "place"),
    )
    assert found(replace(SOUND, settings=places)) == {}
    follows = SettingSeen("arena_block_size", "131072", "1048576", "system")
    (finding,) = check_run(replace(SOUND, settings=(*places, follows)))
    assert finding.message == (
        "Not as the vendor ships it: arena_block_size = 131072 (follows from other settings)."
    )


def test_the_gravest_comes_first() -> None:
    run = replace(faulty(ok=500, verify_failed=3), load_model="closed", clients=64, co_located=True)
    order = ["error", "caution", "info"]
    ranks = [order.index(finding.severity) for finding in check_run(run)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 3


def test_a_system_broken_on_purpose_may_fail_and_drift() -> None:
    drifting = course([10_000.0 - 200.0 * index for index in range(30)])
    run = replace(faulty(errors=50_000), course=drifting, rate_per_second=20_000.0)
    assert found(run)["errors"].severity == "error"
    assert found(run)["rate-not-reached"].severity == "error"
    assert "steady-state" in found(run)
    told = found(replace(run, broken_on_purpose=True, client_bound=True))
    assert "waited for a way" in told["client-bound"].message
    assert told["errors"].severity == told["rate-not-reached"].severity == "caution"
    assert "on purpose" in told["errors"].message
    assert "steady-state" not in told


def test_questions_that_were_refused_are_one_finding_with_the_systems_words() -> None:
    asked = ("CONFIG GET: NOPERM this user has no permissions", "INFO: ERR unknown command.")
    told = found(replace(SOUND, not_told=asked))["not-told"]
    assert "2 questions" in told.message
    assert "; ".join(each.rstrip(".") for each in asked) in told.message
    assert told.numbers == {"questions_refused": 2}
    many = found(replace(SOUND, not_told=tuple(f"question {n}: no" for n in range(40))))["not-told"]
    assert "question 9: no; and 30 more" in many.message
