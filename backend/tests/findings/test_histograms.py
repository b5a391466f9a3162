"""Histograms that leave the house: what they hold, who reads them, what travels with them."""

import base64
import io
import math
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from sqlalchemy import select
from weighhouse_backend.experiments.models import ExperimentRevision
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.results.histogram_files import percentile_lines
from weighhouse_judging.arithmetic.histograms import Histogram

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import histogram, interval, latencies, raw, recorded, whole_run

REDIS = [{"name": "redis", "system": "redis"}]


@pytest.fixture(scope="module")
def campaign(laboratory) -> str:
    """Three repeats of one cell of an experiment with a name that was taken before names were
    lines.
    """
    document = experiment("exported", name="Exported and kept", targets=REDIS, repetitions=3)
    made = laboratory.carry_out(document, lambda order: whole_run(seed=order["seed"] % 5, rate=200))
    with unit_of_work(laboratory.sessions) as session:
        for revision in session.scalars(select(ExperimentRevision)):
            if revision.document["slug"] == "exported":
                revision.document = {**revision.document, "name": "Exported\nand kept"}
    return made


@pytest.fixture(scope="module")
def runs(laboratory, campaign) -> list[str]:
    """Ids of its runs."""
    return [one["id"] for one in laboratory.get("/runs", campaign_id=campaign)["items"]]


def text_of(laboratory, path, **asked) -> tuple[str, str]:
    """An answer's text, and the name it is to be kept under."""
    answer = laboratory.client.get(f"/api/v1{path}", params=asked, headers=laboratory.headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    return answer.text, answer.headers["content-disposition"]


@pytest.mark.parametrize("count", [1, 3, 1000, 30_000])
def test_the_percentile_text_agrees_with_the_library(count):
    """The levels are the Java library's (its Python port has others), the values are any's."""
    values = sorted(latencies(3, count))
    theirs = HdrHistogram(1, 60_000_000_000, 3)
    for value in values:
        theirs.record_value(value)
    lines = list(percentile_lines(Histogram.merged([raw(theirs.encode())])))
    rows = [line.split() for line in lines[2:-3]]
    for value, share, counted, *inverse in rows:
        truth = values[max(1, math.ceil(float(share) * count - 1e-6)) - 1]
        assert round(float(value) * 1000) == theirs.get_highest_equivalent_value(truth)
        assert int(counted) == sum(one <= float(value) * 1000 for one in values)
        if inverse:
            assert float(inverse[0]) == pytest.approx(1 / (1 - float(share)), rel=1e-2)
    levels = [float(row[1]) for row in rows]
    first = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.775, 0.8]
    assert levels[: min(len(first), len(levels) - 1)] == pytest.approx(first[: len(levels) - 1])
    assert (levels[-1], int(rows[-1][2]), len(rows[-1])) == (1.0, count, 3)
    out = io.BytesIO()
    theirs.output_percentile_distribution(out, 1000)
    *_, mean, largest, buckets = (line.split() for line in out.getvalue().decode().splitlines())
    ours = [line.split() for line in lines[-3:]]
    assert float(ours[0][2].strip(",")) == pytest.approx(float(mean[2].strip(",")), rel=1e-3)
    assert float(ours[1][2].strip(",")) == float(largest[2].strip(","))
    assert int(ours[1][-1].strip("]")) == count
    assert ours[2] == buckets


def test_an_empty_histogram_has_a_text_too():
    lines = list(percentile_lines(Histogram()))
    assert not [line for line in lines if line and not line.startswith("#") and line[-1].isdigit()]


def test_a_runs_histogram_is_what_was_measured(laboratory, runs):
    found = laboratory.get(f"/runs/{runs[0]}/histogram", operation="read")
    spectrum = laboratory.get(f"/runs/{runs[0]}/spectrum")["operations"]["read"]
    assert found["percentiles"] == spectrum
    assert found["total"] == sum(found["counts"]) == 300
    again = HdrHistogram.decode(found["encoded"])
    assert again.get_total_count() == 300
    assert again.get_value_at_percentile(99) / 1000 == pytest.approx(
        next(one["value_us"] for one in spectrum if one["quantile"] >= 0.99), rel=1e-3
    )


def test_a_runs_histogram_carries_facts_and_caveats(laboratory, campaign, runs):
    found = laboratory.get(f"/runs/{runs[0]}/histogram")
    facts = found["facts"]
    assert (facts["system"], facts["target"], facts["version"]) == ("Redis", "redis", "7.0.15")
    assert (facts["workload"], facts["load_level"], facts["operation"]) == (
        "balanced", "4 clients", "all",
    )  # fmt: skip
    assert facts["campaign_id"] == campaign
    assert facts["run_ids"] == [runs[0]]
    assert facts["unit"] == "µs"
    assert "closed loop" in facts["counts"]
    assert facts["software"].startswith("Weighhouse ")
    said = {one["id"] for one in found["caveats"]}
    assert {"statement:redis-note", "check:co-located"} <= said
    assert found["view"].endswith(f"/runs/{runs[0]}")


def test_the_percentile_text_says_what_it_is_of(laboratory, campaign, runs):
    text, name = text_of(laboratory, f"/runs/{runs[0]}/histogram", operation="read", format="hgrm")
    notes = [line for line in text.splitlines() if line.startswith("# ")]
    assert any(campaign in line for line in notes)
    assert any(line == f"# run: {runs[0]}" for line in notes)
    assert "# system: Redis 7.0.15, target redis (Redis)" in notes
    assert f"/runs/{runs[0]}" in next(line for line in notes if line.startswith("# view: "))
    (line,) = [line for line in notes if line.startswith("# caveats: ")]
    number = line.split("About redis [")[1].split("]")[0]
    assert f"# [{number}] About redis: Mind this." in notes
    drawn = [line.split() for line in text.splitlines() if line[:1] != "#"]
    four = [line for line in drawn if len(line) == 4][1:]
    assert float(four[0][3]) == 1.0
    assert int(drawn[-1][2]) == 300
    assert name.startswith('attachment; filename="campaign-')
    assert name.endswith('-redis-balanced-4-clients-repeat-3-read.hgrm"')


def test_all_runs_of_a_side_are_merged(laboratory, campaign, runs):
    cell = {"side": f"{campaign}~redis", "workload": "balanced", "load_level": "4 clients"}
    found = laboratory.get("/comparisons/histogram", **cell, operation="update")
    assert sorted(found["facts"]["run_ids"]) == sorted(runs)
    assert found["total"] == 900
    assert {one["id"] for one in found["caveats"]} >= {
        "statement:redis-note", "check:co-located"
    }  # fmt: skip
    text, name = text_of(laboratory, "/comparisons/histogram", **cell, format="hgrm")
    assert name.endswith('-all-repeats-all.hgrm"')
    assert all(run in text for run in runs)


def test_the_log_is_read_by_the_library_a_line_a_run(laboratory, campaign, runs, tmp_path: Path):
    cell = {"side": f"{campaign}~redis", "workload": "balanced", "load_level": "4 clients"}
    text, _ = text_of(laboratory, "/comparisons/histogram", **cell, operation="read", format="hlog")
    path = tmp_path / "kept.hlog"
    path.write_text(text)
    reader = HistogramLogReader(str(path), HdrHistogram(1, 60_000_000_000, 3))
    read = []
    while (one := reader.get_next_interval_histogram()) is not None:
        read.append(one)
    reader.input_file.close()
    assert len(read) == len(runs)
    assert {one.get_tag() for one in read} == {"read"}
    assert [one.get_total_count() for one in read] == [300] * 3
    starts = [one.get_start_time_stamp() for one in read]
    assert starts == sorted(starts)
    assert starts[0] / 1000 == pytest.approx(reader.get_start_time_sec(), abs=0.01)


def test_the_load_phase_has_one_too(laboratory, runs):
    found = laboratory.get(f"/runs/{runs[0]}/histogram", phase="load", operation="insert")
    assert (found["total"], found["facts"]["phase"]) == (50, "load")


def test_what_failed_is_in_what_was_asked(laboratory):
    def report(order):
        events = whole_run(seed=1, rate=100)
        failed = {"count": 5, "response": histogram(latencies(9, 5, 9000.0))}
        operations = {"read": {"ok": recorded(latencies(3, 50)), "errors": {"timeout": failed}}}
        extra = {"kind": "interval", "interval": interval(9, operations)}
        last = len(events)
        return [*events, {"sequence": last, "at_us": events[-1]["at_us"] + 1, **extra}]

    document = experiment("failing", targets=REDIS, repetitions=1)
    campaign = laboratory.carry_out(document, report)
    (run,) = laboratory.get("/runs", campaign_id=campaign)["items"]
    of = {
        kind: laboratory.get(f"/runs/{run['id']}/histogram", operation="read", kind=kind)
        for kind in ("response", "asked")
    }
    assert of["asked"]["total"] == of["response"]["total"] + 5
    assert of["asked"]["max_us"] > of["response"]["max_us"]
    update = laboratory.get(f"/runs/{run['id']}/histogram", operation="update", kind="asked")
    assert update["total"] == 150, "where all succeeded, what was asked is what succeeded"
    assert base64.b64decode(update["encoded"])


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"operation": "scan"}, "all, read, update"),
        ({"kind": "service"}, "kind=response"),
        ({"phase": "load", "operation": "read"}, "insert"),
    ],
)
def test_one_that_is_not_there_is_named(laboratory, runs, asked, word):
    answer = laboratory.client.get(
        f"/api/v1/runs/{runs[0]}/histogram", params=asked, headers=laboratory.headers
    )
    assert answer.status_code == 404
    assert answer.json()["type"].endswith("result-not-there")
    assert word in answer.json()["detail"]


def test_a_run_without_a_result_has_none(laboratory):
    document = experiment("crashed", targets=REDIS, repetitions=1)
    campaign = laboratory.carry_out(document, lambda _: [])
    (run,) = laboratory.get("/runs", campaign_id=campaign)["items"]
    for path, asked in (
        (f"/runs/{run['id']}/histogram", {}),
        (
            "/comparisons/histogram",
            {"side": f"{campaign}~redis", "workload": "balanced", "load_level": "4 clients"},
        ),
    ):
        answer = laboratory.client.get(f"/api/v1{path}", params=asked, headers=laboratory.headers)
        assert (answer.status_code, answer.json()["title"]) == (404, "No such result"), path


def test_another_tenant_keeps_nothing(laboratory, campaign, runs, tenants):
    for path, asked in (
        (f"/runs/{runs[0]}/histogram", {}),
        (
            "/comparisons/histogram",
            {"side": f"{campaign}~redis", "workload": "balanced", "load_level": "4 clients"},
        ),
    ):
        answer = laboratory.client.get(f"/api/v1{path}", params=asked, headers=tenants[1].headers)
        assert answer.status_code == 404, path
