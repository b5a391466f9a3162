"""The pages of phases that follow each other on one system, of real runs on real servers."""

import re
from typing import Any

import pytest
import yaml
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import NARROW, WIDE, Window, faults
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

WRITES, READS = "write-heavy", "read-heavy"


def document(slug: str, *systems: str, chained: bool = True) -> str:
    base = yaml.safe_load(small_experiment(slug, *systems))
    base["workloads"] = [
        {"name": WRITES, "record_count": 1000, "operations": {"update": 0.9, "read": 0.1}},
        {"name": READS, "record_count": 1000, "operations": {"read": 1.0}},
    ]
    if chained:
        base["phases"]["chain"] = [{"measure": WRITES}, {"measure": READS, "warmup_seconds": 0}]
    return str(yaml.safe_dump(base, sort_keys=False))


@pytest.fixture(scope="module")
def chained(platform: RunningPlatform) -> dict[str, Any]:
    """Two systems, loaded once each time, under writes and then under reads."""
    started = platform.start_campaign(document("chained-in-a-browser", "redis", "memcached"))
    return platform.wait_for_campaign(started["id"])


def reads_of(campaign: dict[str, Any]) -> str:
    cell = next(one for one in campaign["cells"] if one["workload"] == READS)
    return str(cell["runs"][0]["id"])


def test_a_run_s_page_has_the_whole_chain(page: Page, chained: dict[str, Any]) -> None:
    page.goto(f"/runs/{reads_of(chained)}")
    card = page.get_by_role("region", name="Chained phases")
    expect(card).to_contain_text(
        f"Phase 2 of 2 on one system, loaded once: on the data as {WRITES}"
    )
    rows = card.get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text(re.compile(rf"{WRITES}.*op/s.*[µm]s"))
    expect(rows.nth(2).locator("[aria-current=page]")).to_have_text(READS)
    rows.nth(1).get_by_role("link", name=WRITES).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(WRITES)
    expect(card).to_contain_text("the first, on the data as it was loaded")
    figures = page.get_by_role("table", name="Figures by operation")
    expect(figures.get_by_role("row").filter(has_text="update")).to_be_visible()


def test_a_comparison_has_each_phase_for_itself(page: Page, chained: dict[str, Any]) -> None:
    page.goto(f"/compare?campaign={chained['id']}")
    for workload in (WRITES, READS):
        expect(page.get_by_text(workload).first).to_be_visible()
    page.goto(f"/campaigns/{chained['id']}")
    expect(page.get_by_text(READS).first).to_be_visible()


def test_the_form_chains_workloads_and_text_and_form_are_one(
    page: Page, platform: RunningPlatform
) -> None:
    text = document("chained-by-form", "redis", chained=False)
    platform.request("POST", "/experiments", json={"yaml": text})
    page.goto("/experiments/chained-by-form")
    page.get_by_role("switch", name=re.compile("one after the other on one system")).click()
    second = page.get_by_role("listitem").filter(has_text=f"Phase 2: {READS}")
    expect(second).to_be_visible()
    second.get_by_role("button", name="Measure phase 2 earlier").click()
    first = page.get_by_role("listitem").filter(has_text=f"Phase 1: {READS}")
    first.get_by_label("Warm-up").fill("0")
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_role("button", name="Nothing to save")).to_be_visible()
    saved = platform.request("GET", "/experiments/chained-by-form/revisions/2")["yaml"]
    assert [one["measure"] for one in yaml.safe_load(saved)["phases"]["chain"]] == [READS, WRITES]
    assert yaml.safe_load(saved)["phases"]["chain"][0]["warmup_seconds"] == 0

    page.get_by_role("tab", name="YAML").click()
    editor = page.get_by_role("textbox", name="The experiment as YAML")
    expect(editor).to_contain_text("measure: read-heavy")
    page.get_by_role("tab", name="Form").click()
    page.get_by_role("switch", name=re.compile("one after the other on one system")).click()
    expect(first).to_have_count(0)


def test_what_cannot_be_chained_is_shown_at_the_form(page: Page, platform: RunningPlatform) -> None:
    base = yaml.safe_load(document("not-to-be-chained", "redis", chained=False))
    base["workloads"][1]["record_count"] = 500
    platform.request("POST", "/experiments", json={"yaml": yaml.safe_dump(base)})
    page.goto("/experiments/not-to-be-chained")
    page.get_by_role("switch", name=re.compile("one after the other on one system")).click()
    plan = page.get_by_role("complementary", name="Plan")
    expect(plan).to_contain_text("read-heavy has 500, and write-heavy, whose records are loaded")


def test_the_pages_are_sound_in_both_themes(
    window: Window, platform: RunningPlatform, chained: dict[str, Any]
) -> None:
    run = f"/runs/{reads_of(chained)}"
    page = window()
    for path in (run, f"/compare?campaign={chained['id']}", "/experiments/chained-in-a-browser"):
        page.goto(path)
        expect(page.get_by_text(READS).first).to_be_visible()
        assert faults(page, path, [WIDE]) == []
    narrow = window(NARROW)
    narrow.goto(run)
    expect(narrow.get_by_role("region", name="Chained phases")).to_be_visible()
    assert faults(narrow, run, [NARROW]) == []
