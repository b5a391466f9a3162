"""The pages of what fills, of what lasts and of what is pipelined, of real runs on real Redis."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import NARROW, Window, complaints
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

INSERTS = [
    {"name": "fill", "record_count": 1000, "field_length": 100, "operations": {"insert": 1.0}}
]


def carried_out(platform: RunningPlatform, slug: str, **changes: Any) -> dict[str, Any]:
    document = yaml.safe_load(small_experiment(slug, "redis", measure_seconds=60.0))
    document["load_levels"] = [{"model": "closed", "clients": 2}]
    document["repetitions"] = 1
    started = platform.start_campaign(str(yaml.safe_dump(document | changes, sort_keys=False)))
    return platform.wait_for_campaign(started["id"])


@pytest.fixture(scope="module")
def filled(platform: RunningPlatform) -> dict[str, Any]:
    """Redis twice, without and with its log, until each has 20,000 records."""
    two = [
        {"name": name, "system": "redis", "deployment": "process", "parameters": parameters}
        for name, parameters in (("plain", {}), ("logged", {"appendonly": True}))
    ]
    return carried_out(
        platform, "filled-in-a-browser", targets=two, workloads=INSERTS, scenario="sustained",
        sustained={"until": {"records": 20_000}},
        phases={"warmup_seconds": 0, "measure_seconds": 60, "interval_seconds": 0.1},
    )  # fmt: skip


def test_a_fill_is_told_by_progress_with_its_first_tenth_beside_its_last(
    page: Page, filled: dict[str, Any]
) -> None:
    run = filled["cells"][0]["runs"][0]["id"]
    page.goto(f"/runs/{run}")
    chart = page.get_by_role("figure").filter(has_text="Throughput by progress")
    expect(chart.get_by_role("img", name=re.compile("100.% of 20,000 records"))).to_be_visible()
    rows = page.get_by_role("row")
    expect(rows.filter(has_text=re.compile(r"^\s*p99\.99"))).to_be_visible()
    throughput = rows.filter(has_text=re.compile(r"^\s*Throughput"))
    expect(throughput).to_contain_text(re.compile(r"[+−-][\d.]+.%"))
    chart.get_by_role("button", name="Table of Throughput by progress").click()
    expect(chart.get_by_role("columnheader").first).to_have_text("% filled")


def test_fills_share_the_axis_of_their_progress_and_go_back_to_time(
    page: Page, filled: dict[str, Any], tmp_path: Path
) -> None:
    page.goto(f"/compare?campaign={filled['id']}&tab=time")
    runs = page.get_by_role("region", name="Runs over time")
    figure = runs.get_by_role("figure").filter(has_text="Throughput by progress")
    expect(figure.get_by_role("img", name=re.compile("of 2 runs over progress"))).to_be_visible()
    figure.get_by_role("button", name=re.compile("^Export")).click()
    with page.expect_download() as taken:
        page.get_by_role("menuitem", name="Figures, CSV").click()
    kept = tmp_path / "kept.csv"
    taken.value.save_as(kept)
    lines = kept.read_text(encoding="utf-8").splitlines()
    table = csv.DictReader(io.StringIO("\n".join(one for one in lines if one[:1] != "#")))
    shares = [float(row["% filled"]) for row in table]
    assert max(shares) == pytest.approx(100)
    assert min(shares) > 0

    runs.get_by_role("radio", name="over time").check()
    expect(page).to_have_url(re.compile("along=time"))
    expect(runs.get_by_role("figure").filter(has_text="Throughput over time")).to_be_visible()
    boxes = runs.get_by_role("checkbox")
    expect(boxes).to_have_count(2)
    boxes.last.uncheck()
    expect(runs.get_by_role("img", name=re.compile("Throughput of 1 runs? over"))).to_be_visible()
    expect(page).to_have_url(re.compile("runs="))
    page.reload()
    expect(boxes.last).not_to_be_checked()


def test_memory_stands_beside_each_other_by_moment(window: Window, filled: dict[str, Any]) -> None:
    page = window(NARROW, "dark")
    page.goto(f"/compare?campaign={filled['id']}&tab=memory")
    figure = page.get_by_role("figure").filter(has_text="Memory of the processes")
    figure.get_by_role("button", name=re.compile("^Table of Memory")).click()
    table = figure.get_by_role("table")
    for moment in ("before", "after the load", "after the run", "peak"):
        expect(table.get_by_role("cell", name=moment, exact=True)).to_have_count(2)
    assert complaints(page, "memory by moment") == []


def test_a_soak_says_whether_it_stays_so(page: Page, platform: RunningPlatform) -> None:
    soaked = carried_out(
        platform, "soaked-in-a-browser", scenario="soak",
        phases={"warmup_seconds": 0, "measure_seconds": 10, "interval_seconds": 0.1},
    )  # fmt: skip
    page.goto(f"/runs/{soaked['cells'][0]['runs'][0]['id']}")
    expect(page.get_by_role("heading", name="Does it stay so?")).to_be_visible()
    table = page.get_by_role("table", name="Drift by figure")
    for figure in ("Throughput", "p99", "Memory"):
        expect(table.get_by_role("row").filter(has_text=figure)).to_be_visible()
    expect(table.get_by_role("row").filter(has_text="Throughput")).to_contain_text("an hour")


def test_a_ladder_shows_what_each_depth_gives_and_is_paid_with(
    page: Page, platform: RunningPlatform
) -> None:
    climbed = carried_out(
        platform, "climbed-in-a-browser", scenario="peak", peak={"depths": [4, 16]},
        phases={"warmup_seconds": 0, "measure_seconds": 0.5, "interval_seconds": 0.1},
    )  # fmt: skip
    page.goto(f"/campaigns/{climbed['id']}")
    expect(page.get_by_role("heading", name="Pipelining", exact=True)).to_be_visible()
    for title, most in (("Throughput by depth", "2"), ("p99 by depth", "2")):
        figure = page.get_by_role("figure").filter(has_text=title)
        figure.get_by_role("button", name=f"Table of {title}").click()
        table = figure.get_by_role("table")
        expect(table.get_by_role("columnheader", name="throughput, times")).to_be_visible()
        expect(table.get_by_role("row")).to_have_count(1 + len(climbed["cells"]))
        expect(table).to_contain_text(f"{most} clients, pipeline 16")
