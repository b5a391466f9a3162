"""When things fail: nobody answers, the network is gone, a part is gone, nothing is there."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

NOBODY = "00000000-0000-4000-8000-000000000000"
PARTS = re.compile(r"/assets/HistoryPage-.*\.js")
SHELL = re.compile(r"/assets/AppShell-.*\.js")


def notice(page: Page, text: str) -> None:
    """Waits until the page says so, to those who see and to those who hear."""
    expect(page.get_by_role("status").filter(has_text=text)).to_be_visible()


def test_a_page_says_that_nobody_answers_and_goes_on_by_itself(page: Page, weighed: dict) -> None:
    page.goto("/campaigns")
    heading = page.get_by_role("heading", level=1, name="Campaigns")
    heading.wait_for()
    page.get_by_role("link", name=weighed["experiment"]["name"]).first.wait_for()
    away = re.compile(r"/(api|health)")
    page.route(away, lambda route: route.abort())
    page.evaluate("dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Agents").click()
    notice(page, "Weighhouse does not answer. What is shown was heard at")
    page.unroute(away)
    expect(page.get_by_text("Weighhouse does not answer")).to_have_count(0)
    expect(page.get_by_role("heading", level=1, name="Agents")).to_be_visible()


def test_a_page_says_that_it_is_offline(page: Page, weighed: dict) -> None:
    page.goto("/campaigns")
    page.get_by_role("link", name=weighed["experiment"]["name"]).first.wait_for()
    page.context.set_offline(True)
    notice(page, "You are offline. What is shown was heard at")
    page.context.set_offline(False)
    expect(page.get_by_text("You are offline")).to_have_count(0)


def test_a_click_without_a_network_leaves_the_page_on_show(page: Page, weighed: dict) -> None:
    """The page behind the link was never opened, so that its part is not there."""
    page.goto("/campaigns")
    name = page.get_by_role("link", name=weighed["experiment"]["name"]).first
    name.wait_for()
    page.context.set_offline(True)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="History").click()
    expect(page.get_by_text("History cannot be opened now", exact=True)).to_be_visible()
    expect(name).to_be_visible()
    expect(page).to_have_url(re.compile("/campaigns$"))
    page.context.set_offline(False)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", level=1, name="History")).to_be_visible()


def test_a_part_that_went_with_a_new_version_is_loaded_anew(page: Page, weighed: dict) -> None:
    """The first attempt finds nothing, as after an update; the page is then loaded as a whole."""
    lost: list[str] = []

    def gone_once(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.fulfill(status=404, body="gone")

    page.goto("/campaigns")
    page.get_by_role("heading", level=1, name="Campaigns").wait_for()
    page.route(PARTS, gone_once)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="History").click()
    expect(page).to_have_url(re.compile("/history$"))
    expect(page.get_by_role("heading", level=1, name="History")).to_be_visible()
    assert len(lost) == 1


def test_a_part_that_stays_away_is_said_once(page: Page, weighed: dict) -> None:
    page.goto("/campaigns")
    page.get_by_role("heading", level=1, name="Campaigns").wait_for()
    page.route(PARTS, lambda route: route.fulfill(status=404, body="gone"))
    page.get_by_role("navigation", name="Main").get_by_role("link", name="History").click()
    expect(page.get_by_role("alert")).to_contain_text("A part of this page could not be loaded")
    expect(page.get_by_role("heading", level=1)).to_have_text("This could not be shown")


def test_what_stands_around_pages_may_be_what_is_lost(page: Page) -> None:
    page.route(SHELL, lambda route: route.fulfill(status=404, body="gone"))
    page.goto("/campaigns")
    expect(page.get_by_role("alert")).to_contain_text("A part of this page could not be loaded")
    page.unroute(SHELL)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1, name="Campaigns")).to_be_visible()


@pytest.mark.parametrize(
    ("address", "heading"),
    [
        ("/campaigns/nothing-of-the-kind", "Nothing is weighed at this address"),
        (f"/campaigns/{NOBODY}", "There is no such campaign"),
        (f"/runs/{NOBODY}", "There is no such run"),
        (f"/agents/{NOBODY}", "There is no such agent"),
        ("/systems/nosuchsystem", "There is no such system"),
        ("/experiments/no-such-experiment", "There is no such experiment"),
    ],
)
def test_a_wrong_address_says_what_is_not_there(page: Page, address: str, heading: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
