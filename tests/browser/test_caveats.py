"""One list of caveats on every page: the same number everywhere, opened by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import SIZES, Window, faults
from weighhouse_testing.platform import RunningPlatform


def counted(page: Page) -> int:
    """What the strip of the page says how many there are."""
    text = page.get_by_label("Caveats", exact=True).get_by_text(re.compile(r"^\d+ caveats?$"))
    return int((text.first.text_content() or "").split()[0])


def test_campaign_overview_and_api_count_the_same(
    page: Page, platform: RunningPlatform, weighed: dict
) -> None:
    address = f"/campaigns/{weighed['id']}"
    said = platform.request("GET", f"{address}/caveats")
    compared = platform.request("GET", "/comparisons", params={"campaign": weighed["id"]})
    assert compared["caveats"] == said
    assert platform.request("GET", f"{address}/gate")["caveats"] == said
    page.goto(address)
    assert counted(page) == len(said)
    (latest,) = platform.request("GET", "/campaigns", params={"status": "completed", "limit": 1})[
        "items"
    ]
    there = platform.request("GET", f"/campaigns/{latest['id']}/caveats")
    page.goto("/")
    headline = page.get_by_text(f"{len(there)} caveats", exact=True)
    expect(headline.first).to_be_visible()


def test_a_chip_opens_its_evidence_by_keyboard_and_leads_to_a_run(
    page: Page, weighed: dict
) -> None:
    page.goto(f"/campaigns/{weighed['id']}")
    chip = page.get_by_role("button", name=re.compile("^Driver shares the machine · 20 of 20 runs"))
    chip.focus()
    page.keyboard.press("Enter")
    expect(chip).to_have_attribute("aria-expanded", "true")
    strip = page.get_by_label("Caveats", exact=True)
    expect(strip.get_by_text("competed for its cores").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(chip).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    strip.get_by_role("link").first.click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("button", name="Driver shares the machine", exact=True)).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_the_strip_passes_the_checker_and_fits(window: Window, weighed: dict, size: str) -> None:
    page = window(SIZES[size])
    page.goto(f"/campaigns/{weighed['id']}")
    chip = page.get_by_role("button", name=re.compile("^Driver shares the machine"))
    chip.click()
    expect(chip).to_have_attribute("aria-expanded", "true")
    assert faults(page, "a caveat that is open", [SIZES[size]]) == []
