"""The catalogue of figures, and the names of percentiles."""

import pytest
from pydantic import ValidationError
from weighhouse_protocol.figures import CATALOGUE, UnknownFigure, percentile, percentile_named
from weighhouse_protocol.gate import Thresholds


@pytest.mark.parametrize(
    ("name", "short", "quantile"),
    [
        ("p50_us", "p50", 0.5),
        ("p01_us", "p01", 0.01),
        ("p975_us", "p97.5", 0.975),
        ("p9990_us", "p99.9", 0.999),
        ("p9999999_us", "p99.99999", 0.9999999),
    ],
)
def test_a_percentile_has_a_name(name: str, short: str, quantile: float) -> None:
    found = percentile_named(name)
    assert found is not None
    assert (found.short, found.quantile) == (short, quantile)
    assert percentile(100 * quantile).name == found.name


@pytest.mark.parametrize("name", ["p_us", "p5_us", "p00_us", "p99", "P99_us", "p99999999_us", ""])
def test_what_is_none_is_none(name: str) -> None:
    assert percentile_named(name) is None


@pytest.mark.parametrize("percent", [0.0, 100.0, -1.0, 250.0])
def test_no_percentile_beyond_all(percent: float) -> None:
    with pytest.raises(UnknownFigure, match="is no percentile"):
        percentile(percent)


def test_former_names_lead_to_todays() -> None:
    assert CATALOGUE["memory_bytes"].name == "memory_after_load_bytes"
    assert CATALOGUE["p990_us"] is CATALOGUE["p99_us"]
    assert CATALOGUE.find("nonsense") is None


def test_each_load_model_has_one_primary_figure() -> None:
    assert (CATALOGUE.primary("closed").name, CATALOGUE.primary("open").name) == (
        "throughput",
        "p99_us",
    )
    assert sum(one.primary_of is not None for one in CATALOGUE) == 2


def test_thresholds_are_of_families_and_of_single_figures() -> None:
    asked = Thresholds(p99_percent=8, figures={"p99_us": 4, "p9750_us": 6})
    assert asked.of(CATALOGUE["p99_us"]) == 4
    assert asked.of(CATALOGUE["p95_us"]) == 8
    assert asked.of(CATALOGUE["p975_us"]) == 6
    assert asked.of(CATALOGUE["memory_after_bytes"]) == 3


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"nonsense": 3}, "is not known; one of throughput"),
        ({"max_us": 3}, "max_us is shown and not judged"),
        ({"p99_us": 0}, "greater than 0"),
        ({"p99_us": 101}, "less than or equal to 100"),
    ],
)
def test_a_threshold_of_what_is_not_judged_is_refused(
    figures: dict[str, float], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        Thresholds(figures=figures)
