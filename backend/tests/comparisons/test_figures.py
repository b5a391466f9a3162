"""A figure that has a place in the catalogue is everywhere; any percentile is there by its name."""

import pytest
from sqlalchemy import select
from weighhouse_backend.measurements.models import RunSummary
from weighhouse_backend.results import sources
from weighhouse_backend.runs.models import Run
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_protocol.figures import CATALOGUE, Figure, percentile

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import base_alike_slower, report

ADDED = Figure(
    "idle_us", "Time between operations", "between", "µs", "time", False,
    "of the phase, an operation", "counted", read_at=15, is_judged=True, threshold=0.04,
    in_series=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def added():
    """A figure nobody knew: its entry, and how it is worked out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CATALOGUE.figures, ADDED.name, ADDED)
        patch.setitem(
            sources.SOURCES,  # type: ignore[arg-type]  # which nobody else changes
            ADDED.name,
            lambda run: 1e6 / run.measured.throughput if run.measured else None,
        )
        yield ADDED


@pytest.fixture(scope="module")
def campaigns(laboratory, added):
    """Three campaigns of one experiment: a base, one like it, one a fifth slower."""
    return base_alike_slower(laboratory, before=4)


def test_it_is_shown_and_judged_between_sides(laboratory, campaigns, added):
    found = laboratory.get("/comparisons", campaign=campaigns[0])
    for cell in found["cells"]:
        told = cell["figures"][added.name]
        assert told["statistic"] == "counted"
        assert told["repeats"] == len(cell["repeats"]) == 5
        for repeat in cell["repeats"]:
            figures = repeat["figures"]
            assert figures[added.name] == pytest.approx(1e6 / figures["throughput"])
    (judged,) = [one for one in found["differences"] if one["metric"] == added.name]
    assert (judged["verdict"], judged["better"], judged["threshold"]) == ("changed", True, 0.04)
    order = list(dict.fromkeys(one["metric"] for one in found["differences"]))
    assert order.index("throughput") < order.index(added.name) < order.index("p99_us")
    said = laboratory.get("/comparisons/answer", campaign=campaigns[0], figure=added.name)
    assert {one["metric"] for one in said["leads"]} == {added.name}


def test_it_is_of_runs_and_watched_over_campaigns(laboratory, campaigns, added):
    (run, *_) = laboratory.get("/runs", campaign_id=campaigns[0])["items"]
    summary = laboratory.get(f"/runs/{run['id']}")["summary"]
    assert summary["figures"][added.name] == pytest.approx(1e6 / summary["throughput"])
    watched = laboratory.get("/series", metric=added.name)["items"]
    assert len(watched) == 2, "one of each target"
    assert len(laboratory.get(f"/series/{watched[0]['id']}")["points"]) >= 3


def test_an_experiment_sets_its_threshold(laboratory, added):
    document = experiment("threshold-of-one", repetitions=1)
    document["thresholds"] = {"figures": {added.name: 12.5}}
    campaign = laboratory.carry_out(document, report)
    found = laboratory.get("/comparisons", campaign=campaign)
    thresholds = {one["metric"]: one["threshold"] for one in found["differences"]}
    assert thresholds[added.name] == 0.125
    assert thresholds["throughput"] == 0.03


def test_any_percentile_is_there_by_its_name(laboratory, campaigns):
    plain = laboratory.get("/comparisons", campaign=campaigns[0])
    found = laboratory.get("/comparisons", campaign=campaigns[0], also=["p75_us", "p9750_us"])
    stored = histograms(laboratory)
    for cell in found["cells"]:
        for repeat in cell["repeats"]:
            whole = Histogram.merged([stored[repeat["run_id"]]])
            assert [repeat["figures"]["p75_us"], repeat["figures"]["p975_us"]] == [
                pytest.approx(value) for value in whole.quantiles_us([0.75, 0.975])
            ]
    asked = {"p75_us", "p975_us"}
    assert asked <= {one["metric"] for one in found["differences"]}
    # What is asked for beside them changes nothing that is said of the others.
    rest = [one for one in found["differences"] if one["metric"] not in asked]
    assert rest == plain["differences"]


def test_a_percentile_has_a_place_by_its_name_alone(laboratory, campaigns):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CATALOGUE.figures, "p90_us", percentile(90))
        found = laboratory.get("/comparisons", campaign=campaigns[0])
        assert all("p90_us" in cell["figures"] for cell in found["cells"])
        assert "p90_us" in {one["metric"] for one in found["differences"]}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("p5_us", "is not known"),
        ("p00_us", "is not known"),
        ("max_us", "is not compared; those that are: throughput"),
        ("nonsense", "any other percentile by its name, as p975_us"),
    ],
)
def test_what_is_no_figure_is_refused_in_words(laboratory, campaigns, name, words):
    answer = laboratory.client.get(
        "/api/v1/comparisons",
        params={"campaign": campaigns[0], "also": name},
        headers=laboratory.headers,
    )
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


def test_what_sides_take_is_judged_as_a_table_of_its_own(laboratory, campaigns):
    """Without those figures everything else is said with the same words and numbers."""
    names = {one.name for one in CATALOGUE.judged_in("resources")}
    found = laboratory.get("/comparisons", campaign=campaigns[0])
    assert {"server_cpu_us", "wire_bytes", "memory_per_record_bytes"} <= names & {
        one["metric"] for one in found["differences"]
    }
    said = laboratory.get("/comparisons/answer", campaign=campaigns[0], figure="wire_bytes")
    assert {one["metric"] for one in said["leads"]} == {"wire_bytes"}
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.delitem(CATALOGUE.figures, name)
        without = laboratory.get("/comparisons", campaign=campaigns[0])
    rest = [one for one in found["differences"] if one["metric"] not in names]
    assert rest == without["differences"]
    for part in ("headline", "caveats", "unmatched"):
        assert found[part] == without[part]


def test_what_sides_take_is_watched(laboratory, campaigns):
    for name in ("server_cpu_us", "wire_bytes", "memory_per_record_bytes"):
        watched = laboratory.get("/series", metric=name)["items"]
        assert {one["target"] for one in watched} == {"redis", "memcached"}
        (first, *_) = laboratory.get(f"/series/{watched[0]['id']}")["points"]
        assert first["value"] > 0


def histograms(laboratory):
    """The stored histogram of each run's measured phase, over all operations."""
    with laboratory.sessions.begin() as session:
        rows = session.execute(
            select(Run.id, RunSummary.histogram)
            .join(RunSummary, RunSummary.attempt_id == Run.result_attempt_id)
            .where(RunSummary.phase == "measure", RunSummary.operation == "all")
        )
        return {str(run): stored for run, stored in rows}


def test_what_a_record_takes_is_a_figure(laboratory, campaigns):
    found = laboratory.get("/comparisons", campaign=campaigns[0])
    for cell in found["cells"]:
        added = 5_000_000 if cell["side"].endswith("redis") else 3_000_000
        told = cell["figures"]["memory_per_record_bytes"]
        assert told["median"] == pytest.approx(added / 50)
        assert told["statistic"] == "read"


def test_bytes_on_the_wire_are_figures(laboratory, campaigns):
    """1,050 bytes for each of the operations that the driver counts, half of those measured."""
    for cell in laboratory.get("/comparisons", campaign=campaigns[0])["cells"]:
        for repeat in cell["repeats"]:
            figures = repeat["figures"]
            assert figures["wire_bytes"] == 1050
            half = figures["throughput"] / 2
            assert figures["bytes_per_second"] == pytest.approx(1050 * half, rel=0.01)
        assert cell["figures"]["wire_bytes"]["statistic"] == "counted"


def test_bytes_of_values_are_figures(laboratory, campaigns):
    """Ten fields of 100 bytes, read whole; an update writes one of them."""
    for cell in laboratory.get("/comparisons", campaign=campaigns[0])["cells"]:
        for repeat in cell["repeats"]:
            figures = repeat["figures"]
            read, written = (figures[f"{way}_bytes_per_second"] for way in ("read", "written"))
            assert read / 1000 + written / 100 == pytest.approx(figures["throughput"])
            assert read > 0
    (run, *_) = laboratory.get("/runs", campaign_id=campaigns[0])["items"]
    summary = laboratory.get(f"/runs/{run['id']}")["summary"]
    reads = summary["operations"]["read"]
    assert summary["figures"]["read_bytes_per_second"] == pytest.approx(reads["throughput"] * 1000)
    payloads = laboratory.get(f"/runs/{run['id']}/series")["payloads"]
    assert payloads["read"] == {"read": 1000.0, "written": 0.0}


def test_what_an_operation_costs_the_system_is_a_figure(laboratory, campaigns):
    """Samples of 40, 41 and 42 % of a core, at the seconds of three seconds of 400 or 600/s."""
    found = laboratory.get("/comparisons", campaign=campaigns[0])
    for cell in found["cells"]:
        for repeat in cell["repeats"]:
            figures = repeat["figures"]
            used = figures["server_cpu_us"] * figures["throughput"] / 1e6
            assert 0.40 <= used <= 0.42
