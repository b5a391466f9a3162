"""A campaign from its start to its verdict, watched."""

import re

from playwright.sync_api import Page, expect
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import until


def test_run_now_fills_the_matrix_and_ends_in_a_comparison(
    page: Page, platform: RunningPlatform
) -> None:
    yaml = small_experiment("watched", "redis", "memcached", repetitions=2, measure_seconds=2.0)
    platform.request("POST", "/experiments", json={"yaml": yaml})
    page.goto("/experiments/watched")
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_role("heading", level=1, name="Watched №")).to_be_visible()

    # Live: the run on the scales, its figures, its line in the log, the agent at work.
    expect(page.get_by_role("figure").filter(has_text="Throughput")).to_contain_text("op/s")
    expect(page.get_by_role("list", name="Events, newest first")).to_contain_text("Running")
    expect(page.get_by_role("link", name="local", exact=True)).to_be_visible()

    # And to its end.
    expect(page.get_by_role("heading", name="Gate", exact=True)).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")
    expect(page.get_by_role("link", name=re.compile("repeat 2: Completed"))).to_have_count(2)
    expect(page.get_by_text("op/s").first).to_be_visible()
    page.get_by_role("link", name="Compare the targets").click()
    expect(page).to_have_url(re.compile(r"/compare\?campaign="))


def test_the_log_shows_what_happened_before_the_page_was_opened(
    page: Page, platform: RunningPlatform
) -> None:
    yaml = small_experiment("opened-late", "redis", repetitions=50, measure_seconds=1.0)
    campaign = platform.start_campaign(yaml)
    until(
        "a run has ended",
        lambda: platform.campaign(campaign["id"])["runs"]["completed"] >= 1,
    )
    platform.request("POST", f"/campaigns/{campaign['id']}/pause")
    page.goto(f"/campaigns/{campaign['id']}")
    log = page.get_by_role("list", name="Events, newest first")
    first = log.get_by_role("listitem").filter(has_text=re.compile(r"repeat 1(?!\d)"))
    expect(first.filter(has_text="Running")).to_have_count(1)
    expect(first.filter(has_text="Completed")).to_have_count(1)
    page.reload()
    expect(first.filter(has_text="Completed")).to_have_count(1)
    platform.request("POST", f"/campaigns/{campaign['id']}/cancel")
    platform.wait_for_campaign(campaign["id"])


def test_the_log_of_what_is_over_is_there_whenever_it_is_opened(page: Page, weighed: dict) -> None:
    page.goto(f"/campaigns/{weighed['id']}")
    log = page.get_by_role("list", name="Events, newest first")
    ended = log.get_by_role("listitem").filter(has_text="Completed")
    expect(ended).to_have_count(20)
    card = page.locator("section, article, div.card").filter(has=log).last
    expect(card).to_contain_text(re.compile(r"Until \d+ \w+ 20\d\d, \d\d:\d\d"))
    page.reload()
    expect(ended).to_have_count(20)


def test_the_sign_of_a_number_fetches_no_other_alphabet(page: Page, weighed: dict) -> None:
    page.goto(f"/campaigns/{weighed['id']}")
    expect(page.get_by_role("heading", level=1, name="№")).to_be_visible()
    page.wait_for_load_state("networkidle")
    fetched = page.evaluate(
        "[...document.fonts].filter(one => one.status !== 'unloaded')"
        ".map(one => one.unicodeRange.toUpperCase())"
    )
    assert any("U+20-7E" in one for one in fetched), fetched
    assert not any("U+400-45F" in one for one in fetched), fetched


def test_a_campaign_is_paused_resumed_and_cancelled(page: Page, platform: RunningPlatform) -> None:
    yaml = small_experiment("stopped", "redis", repetitions=50, measure_seconds=1.0)
    campaign = platform.start_campaign(yaml)
    page.goto(f"/campaigns/{campaign['id']}")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert platform.campaign(campaign["id"])["paused"]
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()

    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the campaign").click()
    expect(page.get_by_text("Cancelled").first).to_be_visible()
    assert platform.wait_for_campaign(campaign["id"])["status"] == "cancelled"


def test_the_overview_shows_what_was_weighed_last(page: Page, weighed: dict) -> None:
    page.goto("/")
    expect(page.get_by_role("table", name="Campaigns")).to_contain_text("Seen in a browser")
    page.goto("/campaigns?status=completed")
    name = f"Seen in a browser № {weighed['number']}"
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    expect(page.get_by_role("table", name=re.compile("^Runs by workload"))).to_contain_text("p99")
