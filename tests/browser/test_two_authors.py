"""Two authors write at one report at once: nobody's words are lost."""

import re

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Sows, Window, looked_at
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

WRITTEN = Sown("invented-written", "Invented: written", ("redis", "memcached"), (1, 4),
               repetitions=4)  # fmt: skip
MINE = "We keep what we have, for now."
THEIRS = "We take the faster one."


@pytest.fixture(scope="module")
def report(platform: RunningPlatform, sows: Sows) -> dict:
    """A report of a result."""
    sows(WRITTEN)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == WRITTEN.slug]
    body = {
        "project_id": campaign["project_id"], "title": "Which store do we take?",
        "template": "comparison",
        "sources": [{"name": "comparison", "campaign_id": campaign["id"]}],
    }  # fmt: skip
    return platform.request("POST", "/reports", json=body)


def _written(page: Page, report: dict, said: str) -> None:
    page.goto(f"/reports/{report['id']}")
    page.get_by_role("button", name="Write").click()
    page.get_by_label("Text, in Markdown").fill(said)


def test_who_saves_second_puts_both_texts_together(
    window: Window, platform: RunningPlatform, report: dict
) -> None:
    first, second = window(), window()
    _written(first, report, THEIRS)
    _written(second, report, MINE)
    first.get_by_role("button", name="Save", exact=True).click()
    expect(first.get_by_role("button", name="Write")).to_be_visible()
    second.get_by_role("button", name="Save", exact=True).click()
    conflict = second.get_by_role("alert").filter(has_text="meanwhile")
    expect(conflict).to_contain_text("saved revision 2 meanwhile")
    mine = conflict.get_by_label("Yours, to be edited")
    expect(mine).to_have_value(MINE)
    theirs = conflict.get_by_label(re.compile("Theirs, revision 2"))
    expect(theirs).to_have_value(THEIRS)
    looked_at(second, "two authors")
    mine.fill(f"{THEIRS}\n\n{MINE}")
    conflict.get_by_role("button", name="Save yours as it is put together").click()
    expect(second.get_by_role("button", name="Write")).to_be_visible()
    expect(second.get_by_role("main")).to_contain_text(THEIRS)
    expect(second.get_by_role("main")).to_contain_text(MINE)
    kept = platform.request("GET", f"/reports/{report['id']}/revisions/2")
    assert kept["text"] == THEIRS
