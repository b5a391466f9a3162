"""What people reported, at the lengths that they reported it at: minutes. `make test-figures`."""

import pytest
from weighhouse_testing.open_loops import US, limited_by_the_server, open_loop, regular, stalled
from weighhouse_testing.platform import RunningPlatform


@pytest.mark.parametrize("stall", [59.0, 61.0, 300.0])
def test_a_stall_is_in_the_percentiles_however_long_it_is(
    platform: RunningPlatform, stall: float
) -> None:
    stalled(platform, stall)


def test_a_pause_of_seventy_seconds_as_it_was_reported(platform: RunningPlatform) -> None:
    told = open_loop(
        platform, seconds=85, rate_per_second=50.0, timeout_ms=60_000,
        faults=[{"at_seconds": 3, "verb": "pause"}, {"at_seconds": 73, "verb": "resume"}],
    )  # fmt: skip
    figures = {name: told.every[name] / US for name in ("p50_us", "p95_us", "p99_us", "max_us")}
    right = {"p50_us": 27.5, "p95_us": 65.8, "p99_us": 69.2, "max_us": 70.0}
    assert figures == pytest.approx(right, abs=0.5)
    assert told.every["mean_us"] / US == pytest.approx(28.8, abs=0.5)
    (fault,) = told.read("faults")["faults"]
    late = sum(stretch["late"] for stretch in fault["stretches"])
    assert late == pytest.approx(3515, abs=40)


def test_a_ninth_of_what_was_due_as_it_was_reported(platform: RunningPlatform) -> None:
    told = open_loop(
        platform, seconds=90, rate_per_second=20_000.0, timeout_ms=10_000,
        target={"limits": {"cpus": 0.02}},
    )  # fmt: skip
    every = told.every
    answered = every["ok"] + every["not_found"] + every["errors"]
    assert answered + every["never_sent"] == pytest.approx(1_800_000, abs=20)
    assert every["overflow"] == 0
    assert told.run["summary"]["duration_seconds"] == pytest.approx(90, abs=0.5)
    limited_by_the_server(told)


def test_half_an_operation_a_second_as_it_was_reported(platform: RunningPlatform) -> None:
    regular(open_loop(platform, seconds=60, rate_per_second=0.5, timeout_ms=1000), 0.5, 30)
