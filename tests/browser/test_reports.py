"""Reports: made of a result, frozen, taken along as a file."""

import re

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Sows, Window, looked_at
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

REPORTED = Sown("invented-reported", "Invented: reported", ("redis", "memcached"), (1, 4),
                repetitions=4)  # fmt: skip


@pytest.fixture(scope="module")
def result(sows: Sows, platform: RunningPlatform) -> dict:
    """A campaign to report of."""
    sows(REPORTED)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == REPORTED.slug]
    return campaign


@pytest.fixture(scope="module")
def report(platform: RunningPlatform, result: dict) -> dict:
    """A report of it."""
    source = {"name": "comparison", "campaign_id": result["id"]}
    body = {
        "project_id": result["project_id"], "title": "Which store for sessions?",
        "template": "comparison", "sources": [source],
    }  # fmt: skip
    return platform.request("POST", "/reports", json=body)


def test_from_a_result_to_a_report_and_an_edition(window: Window, result: dict) -> None:
    page = window()
    page.goto(f"/campaigns/{result['id']}")
    page.get_by_role("button", name="Make a report").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Title")).to_have_value(re.compile(REPORTED.name))
    dialog.get_by_role("button", name="Make it").click()
    expect(page).to_have_url(re.compile("/reports/[0-9a-f-]{36}$"))
    expect(page.get_by_role("heading", name="Summary")).to_be_visible()
    looked_at(page, "a report")
    page.get_by_role("button", name="Make an edition").click()
    expect(page).to_have_url(re.compile("/editions/1$"))
    expect(page.get_by_role("main")).to_contain_text(re.compile("[0-9a-f]{64}"))
    looked_at(page, "an edition")


def test_the_file_is_a_pdf(page: Page, platform: RunningPlatform, report: dict) -> None:
    page.goto(f"/reports/{report['id']}")
    with page.expect_download() as saved:
        page.get_by_role("button", name="PDF", exact=True).click()
    content = saved.value.path().read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"/Outlines" in content
