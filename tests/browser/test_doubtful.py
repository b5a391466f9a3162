"""What figures alone do not tell, and what its pages offer: another measurement, with its price."""

import re

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Sows, Window, faults
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import doubtful


@pytest.fixture(scope="module")
def doubted(sows: Sows) -> None:
    """A slow night, first nights, a machine replaced, noise that grew, stalls."""
    sows(*doubtful())


def campaigns_of(platform: RunningPlatform, slug: str) -> list[dict]:
    """An experiment's campaigns, the oldest first."""
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    found = [one for one in listed if one["experiment"]["slug"] == slug]
    return sorted(found, key=lambda one: one["number"])


def started(page: Page, platform: RunningPlatform, left: dict) -> dict:
    """The campaign that a click led to, cancelled: nobody measures it."""
    expect(page).not_to_have_url(re.compile(f"{left['id']}|/alerts"))
    expect(page).to_have_url(re.compile("/campaigns/[0-9a-f-]{36}$"))
    made = platform.request("GET", f"/campaigns/{page.url.rsplit('/', 1)[1]}")
    platform.request("POST", f"/campaigns/{made['id']}/cancel")
    return made


def test_the_first_nights_are_offered_what_would_tell(
    page: Page, platform: RunningPlatform, doubted: None
) -> None:
    first, *_, last = campaigns_of(platform, "invented-first-nights")
    minutes = platform.request("GET", f"/campaigns/{last['id']}/gate")["proposal"]["minutes"]
    page.goto(f"/campaigns/{last['id']}")
    gate = page.locator("section").filter(has=page.get_by_role("heading", name="Gate", exact=True))
    expect(gate).to_contain_text(f"in about {max(1, round(minutes))} min; a campaign of noise")
    assert gate.inner_text().count("not known") == 1, gate.inner_text()
    page.get_by_role("button", name="Measure noise (A/A)").click()
    made = started(page, platform, last)
    assert (made["noise"], made["revision"]) == (True, last["revision"])

    page.goto(f"/campaigns/{last['id']}")
    page.get_by_role("button", name="Measure the base beside it").click()
    made = started(page, platform, last)
    assert made["base"].startswith("beside:campaign:")
    assert first["id"] != last["id"]


def test_a_slow_night_is_told_apart_from_a_slow_build(
    window: Window, platform: RunningPlatform, doubted: None
) -> None:
    *_, night, build = campaigns_of(platform, "invented-slow-night")
    page = window()
    page.goto(f"/campaigns/{night['id']}")
    expect(page.get_by_text("measured again +").first).to_be_visible()
    expect(page.get_by_text(": taken back").first).to_be_visible()
    legend = page.get_by_role("list", name="What the dots mean")
    expect(legend).to_contain_text("measured again")
    again = page.get_by_role("link", name=re.compile("measured again: Completed"))
    expect(again).to_have_count(10)
    assert not faults(page, "a campaign that was measured again")
    again.first.click()
    expect(page.get_by_role("main")).to_contain_text("measured again")

    page.goto(f"/campaigns/{build['id']}")
    expect(page.get_by_text("measured again −").first
           ).to_be_visible()  # fmt: skip
    expect(page.get_by_text(": taken back")).to_have_count(0)


def test_where_machine_and_level_changed_together_the_alert_builds_a_bridge(
    window: Window, platform: RunningPlatform, doubted: None
) -> None:
    nights = campaigns_of(platform, "invented-replaced")
    alerts = platform.request("GET", "/alerts", params={"limit": 200})["items"]
    (alert,) = [
        one
        for one in alerts
        if (one["change"] or {}).get("kind") == "moved"
        and one["experiment"]["name"] == "Invented: a machine replaced"
    ]
    page = window()
    page.goto(f"/alerts?alert={alert['id']}")
    expect(page.get_by_role("heading", name="Machine and level changed together")).to_be_visible()
    assert not faults(page, "an alert of a machine replaced")
    page.get_by_role("button", name="Measure the old version on the machine of now").click()
    made = started(page, platform, nights[10])
    assert made["base"] == f"campaign:{nights[10]['id']}"
    assert made["revision"] == nights[9]["revision"]
