"""What others measured: brought as files or typed, and hollow beside ours."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from typer.testing import CliRunner
from weighhouse_cli.exits import CommandFailed
from weighhouse_cli.whole import app
from weighhouse_testing.browser import Sows, Window, looked_at
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

OURS = Sown("invented-ours", "Invented: ours", ("redis", "memcached"), (1, 32), repetitions=4)
LOG = Path(__file__).parents[2] / "plugins" / "imports" / "tests" / "samples" / "ycsb.txt"
LONG = "benchANT__mongodb-vs-scylladb__hotspot_scylladb-medium_0_a9QhmOsa__0_run.txt"
"""A title as files have them: without a place to break."""
TYPED = [
    ("Redis", "balanced", "1", "throughput", "1,650 ops/s", "Table 2"),
    ("Redis", "balanced", "32", "throughput", "17.2 k ops/s", "Table 2"),
    ("Redis", "balanced", "1", "p99", "0.862 ms", "Table 3"),
    ("Redis", "balanced", "32", "p99", "4.45 ms", "Table 3"),
]


@pytest.fixture(scope="module")
def ours(sows: Sows, platform: RunningPlatform) -> dict:
    """A campaign to set others' results beside."""
    sows(OURS)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == OURS.slug]
    return campaign


def test_a_log_is_looked_at_and_kept(window: Window, platform: RunningPlatform) -> None:
    page = window()
    page.goto("/")
    page.get_by_role("link", name="Bring results").click()
    looked_at(page, "bringing results")
    page.get_by_label("Files of results").set_input_files(LOG)
    expect(page.get_by_role("heading", name="What was understood")).to_be_visible()
    expect(page.get_by_role("table", name="Figures that were understood")).to_contain_text("READ")
    looked_at(page, "what was understood")
    page.get_by_label("Title").fill(LONG)
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("heading", level=1, name=LONG)).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Published by others, not measured here")
    looked_at(page, "a published source")
    page.goto("/published-results")
    expect(page.get_by_role("link", name=LONG)).to_be_visible()
    looked_at(page, "published sources")


def test_several_files_go_as_one(window: Window) -> None:
    page = window()
    page.goto("/published-results/new")
    page.get_by_label("Files of results").set_input_files(
        [LOG, LOG.with_name("redis-benchmark.csv")]
    )
    expect(page.get_by_role("heading", name="What was understood")).to_be_visible()


def test_typed_figures_stand_hollow_beside_ours(window: Window, ours: dict) -> None:
    page = window()
    page.goto(f"/compare?campaign={ours['id']}")
    page.get_by_role("button", name="side", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="Published by others").click()
    dialog.get_by_role("link", name="Bring results").click()
    page.get_by_role("radio", name="Typed from a text").click()
    labels = ("System", "Workload", "Clients", "Figure", "As printed, with unit", "Where it stands")
    for line, figure in enumerate(TYPED, 1):
        for label, text in zip(labels, figure, strict=True):
            page.get_by_label(f"{label}, line {line}").fill(text)
    grid = page.get_by_role("table", name="Figures as they are printed")
    expect(grid).to_contain_text("17,150 to 17,250")
    page.get_by_label("Title").fill("A paper on three stores")
    page.get_by_label("Paid for by").fill("none stated")
    looked_at(page, "typed figures")
    page.get_by_role("button", name="Keep, and set beside ours").click()
    heading = page.get_by_role("heading", name="Published by others")
    beside = page.locator("section").filter(has=heading).last
    expect(beside).to_contain_text("A paper on three stores")
    expect(beside).to_contain_text("published, not measured here")
    expect(page.get_by_role("region", name="Answer")).not_to_contain_text("A paper on three stores")
    looked_at(page, "others beside ours")


@pytest.fixture(scope="module")
def paper(platform: RunningPlatform, ours: dict) -> dict:
    """A published source that tells of Redis at the loads of ours."""
    figures = (
        (1, "1,650 ops/s", 1650, "0.862 ms", 862),
        (32, "17,200 ops/s", 17200, "4.45 ms", 4450),
    )
    cells = [
        {"side": "redis", "workload": "balanced", "load": {"clients": clients, "pipeline": 1},
         "figures": [
            {"figure": "throughput", "printed": rate, "value": per_second, "place": "Table 2"},
            {"figure": "p99_us", "printed": late, "value": late_us, "place": "Table 3"},
         ]}
        for clients, rate, per_second, late, late_us in figures
    ]  # fmt: skip
    side = {"name": "redis", "label": "Redis", "system": "redis", "version": "7.0"}
    document = {"version": 1, "source": {"title": "A paper beside ours"}, "sides": [side]}
    return platform.request(
        "POST", "/published-sources", params={"project_id": ours["project_id"]},
        json={**document, "cells": cells},
    )  # fmt: skip


def test_over_time_it_is_a_hollow_level_that_nothing_is_concluded_of(
    window: Window, platform: RunningPlatform, paper: dict
) -> None:
    listed = platform.request("GET", "/series", params={"metric": "throughput", "limit": 200})
    mine = [one for one in listed["items"] if one["experiment"]["name"] == OURS.name]
    wanted = ("redis", "32 clients")
    (series,) = [one for one in mine if (one["system_id"], one["load_level"]["label"]) == wanted]
    before = platform.request("GET", f"/series/{series['id']}")
    page = window()
    page.goto(f"/history?series={series['id']}&published={paper['id']}~redis")
    theirs = page.locator("section").filter(
        has=page.get_by_role("heading", name="Published by others")
    )
    expect(theirs.last).to_contain_text("17,200 ops/s; balanced, 32 clients")
    expect(theirs.last).to_contain_text("published, not measured here")
    expect(page.get_by_role("main")).to_contain_text("dotted: published by others")
    looked_at(page, "others over time")
    assert platform.request("GET", f"/series/{series['id']}") == before
    theirs.last.get_by_role("button", name="Leave out").click()
    expect(page.get_by_role("main")).not_to_contain_text("dotted: published by others")


def test_a_figure_is_corrected_and_both_versions_stay(window: Window, paper: dict) -> None:
    page = window()
    page.goto(f"/published-results/{paper['id']}")
    page.get_by_role("button", name="Correct", exact=True).click()
    dialog = page.get_by_role("dialog")
    late = dialog.get_by_label("As printed: Redis, balanced, 32 clients, p99")
    dialog.get_by_label("What was wrong").fill("A decimal point")
    late.fill("0.445 fish")
    expect(dialog.get_by_role("button", name="Correct it")).to_be_disabled()
    late.fill("0.445 ms")
    expect(dialog.get_by_role("table")).to_contain_text("444.5 to 445.5")
    dialog.get_by_role("button", name="Correct it").click()
    figures = page.get_by_role("table", name="Published figures")
    expect(figures).to_contain_text("0.445 ms")
    expect(page.get_by_role("main")).to_contain_text("A decimal point")
    page.get_by_role("button", name="Version 1").click()
    expect(figures).to_contain_text("4.45 ms")


def test_the_command_keeps_lists_shows_and_removes(platform: RunningPlatform) -> None:
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token, "COLUMNS": "200"}
    log = LOG.with_name("redis-benchmark.csv")

    def done(*words: str) -> str:
        ran = CliRunner().invoke(app, words, env=access)
        assert ran.exit_code == 0, (ran.output, ran.exception)
        return ran.output

    kept = done("import", str(log), "--keep")
    address = kept.partition("kept: ")[2].split()[0]
    source = address.rpartition("/")[2]
    assert address == f"{platform.url}/published-results/{source}"
    assert done("import", str(log), "--keep").split()[-1] == address, "the same is kept once"
    assert source in done("published", "list")
    assert "throughput all" in done("published", "show", source)
    done("published", "remove", source)
    assert source not in done("published", "list")
    gone = CliRunner().invoke(app, ["published", "show", source], env=access)
    assert isinstance(gone.exception, CommandFailed)
    assert "is not there" in str(gone.exception)
