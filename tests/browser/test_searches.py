"""Loads that are chosen while they are measured: asked for in the form, answered on the page."""

import re

import pytest
import yaml
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import SIZES, Window, faults
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform


@pytest.fixture(scope="module")
def swept(platform: RunningPlatform) -> dict:
    """A sweep of Redis that has ended."""
    document = yaml.safe_load(small_experiment("swept-in-a-browser", "redis", measure_seconds=0.4))
    document |= {
        "scenario": "sweep", "sweep": {"to": 4, "refine": 1}, "repetitions": 1,
        "load_levels": [{"model": "closed", "clients": 1}],
    }  # fmt: skip
    started = platform.start_campaign(str(yaml.safe_dump(document, sort_keys=False)))
    return platform.wait_for_campaign(started["id"])


def test_a_scenario_is_chosen_in_the_form_and_taken_back(
    page: Page, platform: RunningPlatform
) -> None:
    yaml_text = small_experiment("to-be-swept", "redis")
    platform.request("POST", "/experiments", json={"yaml": yaml_text})
    page.goto("/experiments/to-be-swept")
    plan = page.get_by_role("complementary", name="Plan")
    expect(plan).to_contain_text("in 1 cell")
    section = page.get_by_role("region", name="Scenario")
    section.get_by_role("combobox", name="Loads").click()
    page.get_by_role("option", name="sweep: rising loads").click()
    expect(section).to_contain_text("where is its knee")
    section.get_by_label("Up to").fill("32")
    page.get_by_role("tab", name="YAML").click()
    expect(page.get_by_role("main")).to_contain_text("scenario: sweep")
    expect(page.get_by_role("main")).to_contain_text("to: 32")
    page.get_by_role("tab", name="Form").click()

    section.get_by_role("combobox", name="Loads").click()
    page.get_by_role("option", name="calibrate: the most inside a latency").click()
    section.get_by_label("within").fill("800")
    expect(page.get_by_text("problem")).to_have_count(0)
    section.get_by_role("combobox", name="Loads").click()
    page.get_by_role("option", name="the load levels as listed").click()
    page.get_by_role("tab", name="YAML").click()
    expect(page.get_by_role("main")).not_to_contain_text("scenario:")
    expect(page.get_by_role("main")).not_to_contain_text("sweep:")


def test_a_sweep_shows_its_curve_its_answer_and_every_step(page: Page, swept: dict) -> None:
    page.goto(f"/campaigns/{swept['id']}")
    expect(page.get_by_role("heading", name="Load curves", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("p99 against throughput"))).to_be_visible()
    expect(page.get_by_text("Most", exact=True)).to_be_visible()
    page.get_by_text(re.compile(r"\d+ steps?, with reasons")).click()
    expect(page.get_by_role("listitem").filter(has_text="2 clients").first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Table of Load curves")).click()
    table = page.get_by_role("table").filter(has_text="efficiency")
    expect(table.get_by_role("row")).to_have_count(1 + len(swept["cells"]))


@pytest.mark.parametrize("size", SIZES)
def test_the_page_of_a_sweep_is_accessible_and_fits(window: Window, swept: dict, size: str) -> None:
    page = window(SIZES[size])
    page.goto(f"/campaigns/{swept['id']}")
    page.get_by_text(re.compile(r"\d+ steps?, with reasons")).click()
    assert faults(page, "a sweep", [SIZES[size]]) == []


def test_each_target_at_its_own_point_and_what_it_cannot_do_left_out(
    page: Page, platform: RunningPlatform
) -> None:
    document = yaml.safe_load(small_experiment("own-points", "redis", measure_seconds=0.4))
    (redis,), (workload,) = document["targets"], document["workloads"]
    document |= {
        "targets": [redis, redis | {"name": "other"}],
        "workloads": [workload, workload | {"name": "again"}],
        "load_levels": [],
        "repetitions": 1,
    }
    page.goto("/experiments/new")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a YAML file").click()
    text = str(yaml.safe_dump(document, sort_keys=False))
    chooser.value.set_files({"name": "own.yaml", "mimeType": "text/yaml", "buffer": text.encode()})

    loads = page.get_by_role("region", name="Load levels")
    loads.get_by_role("button", name="Own points").click()
    loads.get_by_label("Name").fill("inside 1 ms")
    loads.get_by_label("Clients of other").fill("2")
    matrix = page.get_by_role("region", name="Matrix")
    matrix.get_by_role("checkbox", name="Measure other under again").uncheck()
    matrix.get_by_label("Why not other under again").fill("nobody asked")
    expect(page.get_by_role("complementary", name="Plan")).to_contain_text("in 3 cells")
    page.get_by_role("button", name="Save the experiment").click()
    expect(page).to_have_url(re.compile("/experiments/own-points"))

    stored = platform.request("GET", "/experiments/own-points")
    started = platform.request("POST", "/campaigns", json={"experiment": stored["slug"]})
    campaign = platform.wait_for_campaign(started["id"])
    page.goto(f"/campaigns/{campaign['id']}")
    cells = page.get_by_role("cell")
    expect(cells.filter(has_text="8 clients").first).to_be_visible()
    expect(cells.filter(has_text="2 clients").first).to_be_visible()
    page.goto(f"/compare?campaign={campaign['id']}")
    page.get_by_role("tab", name="Not compared").click()
    expect(page.get_by_text("is not measured: nobody asked")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("inside 1 ms")
