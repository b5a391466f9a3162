"""The page of use and limits: nothing set, set by hand, nearly used up, used up."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import looked_at
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows

PAGE = "/settings?tab=usage"


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own: others would have its limits."""
    with running_platform() as running:
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


def test_an_owner_sets_limits_and_everybody_is_warned(page: Page) -> None:
    page.goto(PAGE)
    expect(page.get_by_text("Nothing is limited here")).to_have_count(2)
    expect(page.get_by_role("meter")).to_have_count(0)
    page.get_by_role("button", name="Set limits").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Agents").fill("1")
    dialog.get_by_label("Stored results").fill("2.5")
    dialog.get_by_role("button", name="Save limits").click()
    expect(dialog).to_have_count(0)
    agents = page.get_by_role("meter", name="Agents")
    expect(agents).to_have_attribute("aria-valuetext", "1 of 1")
    expect(page.get_by_role("meter", name="Stored results")).to_have_attribute(
        "aria-valuetext", "0 B of 2.5 GB"
    )
    expect(page.get_by_text("What to do: revoke a machine that is not needed")).to_be_visible()
    page.goto("/campaigns")
    line = page.get_by_role("status").filter(has_text="Agents of the organization: 1 of 1")
    line.get_by_role("link", name="what to do").click()
    expect(page.get_by_role("heading", name="Organization")).to_be_visible()
    page.goto(PAGE)
    expect(page.get_by_role("meter", name="Agents")).to_be_visible()
    looked_at(page, "usage")
