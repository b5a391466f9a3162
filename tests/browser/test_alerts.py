"""An alert born of a real shift: triaged by keyboard alone, in the audit log, reopened."""

import dataclasses
import datetime

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import SIZES, Sows, Window, faults
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

NAME = "Invented: shifts that are triaged"
NIGHTS = Sown(
    "invented-triage", NAME, ("redis",), (4,), repetitions=1, campaigns=15,
    shifts={"redis": {10: 0.9}}, versions={0: "7.0.15", 10: "7.2.1"},
)  # fmt: skip
WORSE = dataclasses.replace(NIGHTS, campaigns=6, shifts={"redis": {0: 0.8}}, versions={0: "7.4.0"})
LATER = datetime.timedelta(days=7)


def alert_of(platform: RunningPlatform) -> dict:
    """The alert of the shift."""
    found = platform.request("GET", "/alerts", params={"limit": 200})["items"]
    (alert,) = [one for one in found if (one["experiment"] or {}).get("name") == NAME]
    return alert


@pytest.fixture(scope="module")
def shifted(platform: RunningPlatform, sows: Sows) -> dict:
    """The alert of fifteen nights, the last five of them slower."""
    sows(NIGHTS)
    return alert_of(platform)


def test_triage_by_keyboard_alone(
    page: Page, platform: RunningPlatform, sows: Sows, shifted: dict
) -> None:
    title = shifted["title"]
    assert (shifted["state"], shifted["change"]["better"]) == ("untriaged", False)
    page.goto("/alerts")
    status = page.get_by_role("status").filter(has_text=title)
    rows = page.get_by_role("list", name="Alerts").get_by_role("link")
    expect(rows.first).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("undo the last triage")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.keyboard.press("/")
    page.keyboard.type("invented triaged")
    expect(rows).to_have_count(1)
    page.keyboard.press("Enter")
    expect(rows.first).to_be_focused()
    page.keyboard.press("o")
    expect(page.get_by_role("heading", level=2, name=title)).to_be_focused()
    expect(page.get_by_role("main")).to_contain_text("7.2.1")

    page.keyboard.press("a")
    expect(status).to_contain_text("acknowledged")
    page.keyboard.press("m")
    expect(status).to_contain_text("assigned to")
    page.keyboard.press("n")
    expect(status).to_contain_text("noise")
    expect(rows).to_have_count(0)
    page.keyboard.press("z")
    expect(status).to_contain_text("undone")
    expect(rows).to_have_count(1)
    page.keyboard.press("e")
    expect(status).to_contain_text("expected")
    expect(rows).to_have_count(0)
    now = alert_of(platform)
    assert (now["state"], now["assignee"]["name"]) == ("expected", "Administrator")

    page.goto("/settings?tab=audit")
    log = page.get_by_role("row").filter(has_text=title)
    expect(log.first).to_contain_text("alert.triaged")
    expect(log.first).to_contain_text("acknowledged → expected")
    expect(log).to_have_count(5)

    sows(WORSE, end=datetime.datetime.now(datetime.UTC) + LATER)
    page.goto(f"/alerts?alert={shifted['id']}")
    expect(page.get_by_role("main")).to_contain_text("Reopened")
    expect(page.get_by_role("main")).to_contain_text("this contradicts “expected”")
    again = alert_of(platform)
    assert (again["id"], again["state"]) == (shifted["id"], "untriaged")
    assert again["change"]["campaign_number"] > shifted["change"]["campaign_number"]


@pytest.mark.parametrize("size", SIZES)
def test_an_alert_is_accessible_and_fits(
    window: Window, platform: RunningPlatform, shifted: dict, size: str
) -> None:
    page = window(SIZES[size])
    title = alert_of(platform)["title"]  # another one, once it was reopened
    for address in ("/alerts?state=all", f"/alerts?state=all&alert={shifted['id']}"):
        page.goto(address)
        expect(page.get_by_text(title).first).to_be_visible()
        assert faults(page, address, [SIZES[size]]) == []


@pytest.mark.usefixtures("shifted")
def test_a_state_that_there_is_not_shows_what_is_open(
    window: Window, platform: RunningPlatform
) -> None:
    page = window()
    page.goto("/alerts?state=nosuchstate")
    expect(page.get_by_label("State", exact=True)).to_contain_text("Open")
    expect(page.get_by_text(alert_of(platform)["title"]).first).to_be_visible()
