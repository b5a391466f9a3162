"""Faults from the editor to the run's page: what is asked for is done, drawn and listed."""

import re

import yaml
from playwright.sync_api import Page, expect
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform


def stored(platform: RunningPlatform, slug: str, *systems: str) -> None:
    document = small_experiment(slug, *systems, repetitions=1, measure_seconds=2.5)
    platform.request("POST", "/experiments", json={"yaml": document})


def test_faults_are_added_in_the_form_and_done_in_the_run(
    page: Page, platform: RunningPlatform
) -> None:
    stored(platform, "frozen", "redis")
    page.goto("/experiments/frozen")
    section = page.get_by_role("region", name="Faults")
    expect(section).to_contain_text("Nothing is broken")
    section.get_by_role("button", name="Add a fault").click()
    section.get_by_label("Measured for").fill("0.5")
    section.get_by_role("combobox").click()
    page.get_by_role("option", name="pause: freeze it").click()
    section.get_by_role("button", name="Add a fault").click()
    expect(section.get_by_role("combobox").nth(1)).to_contain_text("resume")
    section.get_by_label("Measured for").nth(1).fill("1.5")
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_role("button", name="Nothing to save")).to_be_visible()

    saved = platform.request("GET", "/experiments/frozen/revisions/2")
    document = yaml.safe_load(saved["yaml"])
    assert document["scenario"] == "fault"
    assert [fault["verb"] for fault in document["faults"]] == ["pause", "resume"]
    started = platform.request("POST", "/campaigns", json={"experiment": "frozen"})
    campaign = platform.wait_for_campaign(started["id"])
    (run,) = platform.request("GET", f"/runs?campaign_id={campaign['id']}")["items"]
    page.goto(f"/runs/{run['id']}")
    course = page.get_by_role("table", name=re.compile("^What was done"))
    expect(course.get_by_role("row").nth(1)).to_contain_text("pause node 1")
    expect(course.get_by_role("row").nth(1)).to_contain_text("node 1: paused")
    expect(course.get_by_role("row").nth(2)).to_contain_text("resume node 1")
    cost = page.get_by_role("region", name=re.compile("^pause node 1"))
    expect(cost.get_by_role("row").nth(1)).to_contain_text("seconds")
    expect(cost.get_by_role("columnheader")).to_have_text(
        ["all operations", "before", "during", "after"]
    )


def test_the_editor_says_what_cannot_be_broken(page: Page, platform: RunningPlatform) -> None:
    stored(platform, "unbreakable", "redis", "rocksdb")
    page.goto("/experiments/unbreakable")
    section = page.get_by_role("region", name="Faults")
    expect(section).to_contain_text("RocksDB as in process: its nodes are not the agent’s to break")
    expect(section.get_by_role("button", name="Add a fault")).to_have_count(0)


def test_the_last_fault_takes_the_scenario_with_it(page: Page, platform: RunningPlatform) -> None:
    stored(platform, "mended", "redis")
    page.goto("/experiments/mended")
    section = page.get_by_role("region", name="Faults")
    section.get_by_role("button", name="Add a fault").click()
    page.get_by_role("tab", name="YAML").click()
    expect(page.get_by_role("textbox")).to_contain_text("scenario: fault")
    page.get_by_role("tab", name="Form").click()
    section.get_by_role("button", name=re.compile("^Remove")).click()
    page.get_by_role("tab", name="YAML").click()
    expect(page.get_by_role("textbox")).not_to_contain_text("scenario")
