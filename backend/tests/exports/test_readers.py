"""What other programs read of exports: pandas, DuckDB, HdrHistogram and Prometheus's own parser."""

import csv
import datetime
import io
import json
import math
import zipfile

import duckdb
import pandas
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from backend.tests.exports.conftest import FORMULA

# pandas' smallest reader of Parquet, which it means to give up one day.
pytestmark = pytest.mark.filterwarnings("ignore:The 'fastparquet' engine")


def remarks(path):
    """The lines of comments that a file begins with, as many as its first one says."""
    lines = path.read_text(encoding="utf-8").splitlines()
    count = int(lines[0].partition(": ")[2].split()[0])
    assert all(line.startswith("# ") for line in lines[:count])
    assert not lines[count].startswith("#")
    return lines[:count]


def by_pandas(path):
    if path.suffix == ".parquet":
        return pandas.read_parquet(path, engine="fastparquet")
    return pandas.read_csv(path, skiprows=len(remarks(path)))


def by_duckdb(path):
    if path.suffix == ".parquet":
        found = duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)])
    else:
        found = duckdb.execute(
            "SELECT * FROM read_csv(?, skip = ?, header = true)", [str(path), len(remarks(path))]
        )
    names = [one[0] for one in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def figures_of(compared):
    return {
        (cell["side"], name): (told["median"], told["low"], told["high"], told["repeats"])
        for cell in compared["cells"]
        for name, told in cell["figures"].items()
    }


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_figures_are_the_apis_to_the_digit(laboratory, campaign, taken, form):
    compared = laboratory.get("/comparisons", campaign=campaign)
    wanted = figures_of(compared)
    kept = taken("comparison", form, campaign=campaign)
    assert len(wanted) > 20
    for rows in (by_pandas(kept).to_dict("records"), by_duckdb(kept)):
        found = {
            (row["side"], row["figure"]): (row["median"], row["low"], row["high"], row["repeats"])
            for row in rows
        }
        assert found == wanted
    differences = by_duckdb(taken("comparison", form, campaign=campaign, table="differences"))
    assert [(one["relative"], one["p_holm"], one["verdict"]) for one in differences] == [
        (one["relative"], one["p_holm"], one["verdict"]) for one in compared["differences"]
    ]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_what_must_stand_beside_figures_is_inside(laboratory, campaign, taken, form):
    caveats = laboratory.get("/comparisons", campaign=campaign)["caveats"]
    kept = taken("comparison", form, campaign=campaign)
    if form == "csv":
        said = "\n".join(remarks(kept))
    elif form == "parquet":
        found = duckdb.execute(
            "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(kept)]
        )
        metadata = dict(found.fetchall())
        said = metadata["disclaimers"]
        about = json.loads(metadata["weighhouse"])
        assert [one["text"] for one in about["caveats"]] == [one["text"] for one in caveats]
    else:
        first = json.loads(kept.read_text(encoding="utf-8").splitlines()[0])
        assert set(first) == {"about"}
        assert [one["id"] for one in first["about"]["caveats"]] == [one["id"] for one in caveats]
        return
    assert caveats
    for number, one in enumerate(caveats, 1):
        assert f"[{number}] {one['title']}:" in said
    assert "as of: 2" in said
    assert f"/campaigns/{campaign}" not in said
    assert f"/compare?campaign={campaign}" in said


def test_intervals_are_those_that_the_page_draws(laboratory, run, taken):
    drawn = laboratory.get(f"/runs/{run}/series")["operations"]["all"]
    for form in ("csv", "parquet"):
        rows = [
            one
            for one in by_duckdb(taken(f"runs/{run}", form, table="intervals"))
            if one["operation"] == "all" and not one["drain"]
        ]
        assert [one["throughput"] for one in rows] == drawn["throughput"]
        assert [one["p99_us"] for one in rows] == drawn["p99_us"]
        begun = rows[0]["started_at"].replace(tzinfo=datetime.UTC)
        assert [
            (one["started_at"].replace(tzinfo=datetime.UTC) - begun).total_seconds() for one in rows
        ] == [at - drawn["t"][0] for at in drawn["t"]]


def test_instants_keep_their_microseconds(laboratory, campaign, taken):
    listed = laboratory.get(f"/campaigns/{campaign}")["created_at"]
    wanted = datetime.datetime.fromisoformat(listed)
    text = taken("campaigns").read_text(encoding="utf-8")
    assert wanted.strftime('"%Y-%m-%dT%H:%M:%S.%fZ"') in text
    frame = by_pandas(taken("campaigns", "parquet"))
    assert frame["created_at"].iloc[0].tz_localize("UTC") == pandas.Timestamp(wanted)


def test_a_run_as_a_log_of_its_intervals(run, taken, tmp_path):
    kept = taken(f"runs/{run}", "hlog")
    text = kept.read_text(encoding="utf-8")
    assert text.startswith("#[Histogram log format version 1.3]\n")
    assert "caveats: " in text
    rows = by_duckdb(taken(f"runs/{run}", table="intervals"))
    reader = HistogramLogReader(str(kept), HdrHistogram(1, 60_000_000_000, 3))
    counted = 0
    while (histogram := reader.get_next_interval_histogram()) is not None:
        counted += histogram.get_total_count()
    assert counted == sum(one["ok"] for one in rows) > 0
    tags = {line.partition(",")[0] for line in text.splitlines() if line.startswith("Tag=")}
    assert {"Tag=load-insert", "Tag=measure-read", "Tag=measure-all"} <= tags


def test_a_text_that_a_spreadsheet_would_run_is_text(taken):
    kept = taken("campaigns")
    lines = kept.read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines[len(remarks(kept)) :]))
    assert rows[0]["experiment"] == f"'{FORMULA}"
    assert by_duckdb(taken("campaigns", "parquet"))[0]["experiment"] == FORMULA
    for line in remarks(kept):
        assert not any(part.lstrip().startswith("=") for part in line.split(",")[1:])


def test_all_tables_of_one_snapshot_come_as_one_archive(campaign, taken):
    kept = taken(f"campaigns/{campaign}", "jsonl", table="all")
    with zipfile.ZipFile(io.BytesIO(kept.read_bytes())) as archive:
        assert archive.testzip() is None
        told = {
            name: [json.loads(line) for line in archive.read(name).decode().splitlines()]
            for name in archive.namelist()
        }
    assert set(told) == {
        f"{name}.jsonl"
        for name in (
            "figures", "differences", "repeats", "runs", "operations", "intervals", "resources",
        )
    }  # fmt: skip
    assert len({rows[0]["about"]["as_of"] for rows in told.values()}) == 1
    assert {row["run_id"] for row in told["intervals.jsonl"][1:]} == {
        row["id"] for row in told["runs.jsonl"][1:]
    }


def test_series_and_lists_are_those_of_the_api(laboratory, campaign, taken):
    series = laboratory.get("/series", metric="throughput")["items"]
    kept = taken("series", metric="throughput", nonsense="yes")
    assert "# narrowed to: metric=throughput" in remarks(kept)
    rows = by_duckdb(kept)
    assert {row["id"]: row["last_value"] for row in rows} == {
        one["id"]: one["last_value"] for one in series
    }
    one = series[0]["id"]
    points = laboratory.get(f"/series/{one}")["points"]
    found = by_duckdb(taken(f"series/{one}", "parquet"))
    assert [(row["value"], row["low"], row["high"]) for row in found] == [
        (point["value"], point["low"], point["high"]) for point in points
    ]
    runs = by_duckdb(taken("runs", campaign_id=campaign))
    listed = laboratory.get("/runs", campaign_id=campaign)["items"]
    assert [(row["id"], row["p99_us"]) for row in runs] == [
        (one["id"], one["summary"]["figures"]["p99_us"]) for one in listed
    ]
    assert by_duckdb(taken("experiments"))[0]["slug"] == "weighed"
    assert by_duckdb(taken("alerts")) == []


def test_prometheus_reads_the_latest_figures(laboratory, campaign):
    answer = laboratory.client.get("/api/v1/exports/openmetrics", headers=laboratory.headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
    families = {one.name: one for one in text_string_to_metric_families(answer.text)}
    wanted = {
        one["id"]: (one["last_value"], one["metric"]) for one in laboratory.get("/series")["items"]
    }
    found = {
        one.labels["series"]: (one.value, one.labels["figure"])
        for one in families["weighhouse_series_value"].samples
    }
    assert found == wanted
    assert {one.value for one in families["weighhouse_series_interim"].samples} == {0.0}
    said = {one.labels["id"] for one in families["weighhouse_disclaimers"].samples}
    assert any("redis-note" in one for one in said)
    assert all(math.isfinite(one.value) for family in families.values() for one in family.samples)


def test_of_another_project_there_is_no_list(laboratory, tenants):
    for path in ("campaigns", "experiments"):
        for form in ("csv", "parquet", "jsonl"):
            answer = laboratory.client.get(
                f"/api/v1/exports/{path}",
                params={"project_id": str(tenants[1].project_id), "format": form},
                headers=laboratory.headers,
            )
            assert answer.status_code == 404, (path, form)


def test_a_list_without_rows_has_its_columns(laboratory, taken):
    assert by_duckdb(taken("series", workload="nothing")) == []
    assert by_duckdb(taken("series", "parquet", workload="nothing")) == []
    (line,) = taken("series", "jsonl", workload="nothing").read_text().splitlines()
    assert json.loads(line)["about"]["notes"] == ["narrowed to: workload=nothing"]
    assert laboratory.client.app.state.snapshot_turns._value == 2
