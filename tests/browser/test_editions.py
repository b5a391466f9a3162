"""An edition stays when repeats are added, and says what changed; a report is for everybody."""

import re

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Window, looked_at
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

TITLE = "What a small Redis does"


@pytest.fixture(scope="module")
def campaign(platform: RunningPlatform) -> dict:
    """A campaign that was measured."""
    text = small_experiment("of-an-edition", "redis", repetitions=2, clients=(2,))
    return platform.wait_for_campaign(platform.start_campaign(text)["id"])


@pytest.fixture(scope="module")
def report(platform: RunningPlatform, campaign: dict) -> dict:
    """A report of it, with an edition."""
    body = {
        "project_id": campaign["project_id"], "title": TITLE, "template": "comparison",
        "audience": "public", "sources": [{"name": "ours", "campaign_id": campaign["id"]}],
    }  # fmt: skip
    made = platform.request("POST", "/reports", json=body)
    platform.request("POST", f"/reports/{made['id']}/editions")
    return made


def test_a_report_is_shared_with_everybody(
    page: Page, window: Window, platform: RunningPlatform, report: dict
) -> None:
    page.goto(f"/reports/{report['id']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="With").click()
    page.get_by_role("option", name="Everybody: it is public").click()
    dialog.get_by_role("combobox", name="For").click()
    page.get_by_role("option", name="Until it is taken back").click()
    looked_at(page, "a report for everybody")
    dialog.get_by_role("button", name="Share", exact=True).click()
    link = dialog.get_by_label("Link").inner_text()
    assert re.fullmatch(rf"{re.escape(platform.url)}/public/[0-9a-f-]{{36}}", link)

    stranger = window(signed=False)
    stranger.goto("/public")
    stranger.get_by_role("link", name=TITLE).first.click()
    shown = stranger.get_by_role("main")
    expect(shown.get_by_role("heading", name="Summary")).to_be_visible()
    expect(shown).to_contain_text("What has to be known")
    expect(stranger.get_by_role("button", name="Write")).to_have_count(0)
    looked_at(stranger, "a public report")


def test_an_edition_stays_and_says_what_changed(
    page: Page, platform: RunningPlatform, campaign: dict, report: dict
) -> None:
    edition = f"/reports/{report['id']}/editions/1"
    page.goto(edition)
    main = page.get_by_role("main")
    expect(main).to_contain_text("Nothing changed: it would say the same today.")
    digest = re.findall("[0-9a-f]{64}", main.inner_text())
    paper = main.locator(".paper")
    before = paper.inner_text()

    platform.request("POST", f"/campaigns/{campaign['id']}/repeats", json={"count": 1})
    platform.wait_for_campaign(campaign["id"])
    page.reload()
    changed = main.get_by_role("table", name="What changed since")
    ended = changed.get_by_role("row").filter(has_text="Runs that ended")
    expect(ended).to_contain_text("2 of 2")
    expect(ended).to_contain_text("3 of 3")
    assert paper.inner_text() == before
    assert re.findall("[0-9a-f]{64}", main.inner_text())[0] == digest[0]
    looked_at(page, "an edition after repeats")
    page.get_by_role("link", name="What stands now").click()
    expect(main).to_contain_text("3 of 3")

    page.goto(f"/campaigns/{campaign['id']}")
    expect(page.get_by_text(f"edition 1 of the report “{TITLE}” shows it")).to_be_visible()
    expect(page.get_by_role("button", name="Delete", exact=True)).to_have_count(0)
