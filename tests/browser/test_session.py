"""Signing in and out, and addresses that lead nowhere."""

from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Window
from weighhouse_testing.platform import RunningPlatform


def test_who_is_not_signed_in_is_asked_to_and_led_on(
    window: Window, platform: RunningPlatform
) -> None:
    page = window(signed=False)
    page.goto("/systems?from=a-link")
    expect(page).to_have_title("Sign in · Weighhouse")

    page.get_by_label("Email").fill(platform.email)
    page.get_by_label("Password").fill("certainly wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Password")).to_have_attribute("aria-invalid", "true")

    page.get_by_label("Password").fill(platform.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name="Systems")).to_be_visible()
    assert page.url == f"{platform.url}/systems?from=a-link"

    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/agents")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_link_cannot_lead_to_another_site_after_signing_in(
    window: Window, platform: RunningPlatform
) -> None:
    page = window(signed=False)
    page.goto("/login?next=//example.org/")
    page.get_by_label("Email").fill(platform.email)
    page.get_by_label("Password").fill(platform.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name="What was weighed lately")).to_be_visible()
    assert page.url == f"{platform.url}/"


def test_an_address_that_leads_nowhere_says_so(page: Page) -> None:
    page.goto("/no/such/page")
    expect(page.get_by_role("heading", name="Nothing is weighed at this address")).to_be_visible()
    page.get_by_role("link", name="To the overview").click()
    expect(page.get_by_role("heading", level=1, name="What was weighed lately")).to_be_visible()


def test_a_system_that_does_not_exist_is_an_answer_not_an_error(page: Page) -> None:
    page.goto("/systems/abacus")
    expect(page.get_by_role("alert")).to_contain_text("There is no such system")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def laid_out(page: Page) -> None:
    """Wait for the page of systems: a menu that is opened while it is laid out is closed by it."""
    page.get_by_role("heading", level=1, name="Systems").wait_for()
    page.wait_for_load_state("networkidle")


def test_the_theme_is_remembered(page: Page) -> None:
    page.goto("/systems")
    laid_out(page)
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitem", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    laid_out(page)
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitem", name="As the system").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


_CHANGE = """() => {
  window.change = new Promise(done => new MutationObserver(() => done({
    moving: document.getAnimations().length,
    ink: getComputedStyle(document.querySelector('h1')).color,
  })).observe(document.documentElement, {attributeFilter: ['data-theme']}))
}"""
"""Tells what moves, and the heading's colour, in the moment in which the theme changes."""


def test_who_wants_less_motion_sees_another_theme_at_once(window: Window) -> None:
    page = window(signed=False)
    page.goto("/login")
    heading = page.get_by_role("heading", level=1, name="Sign in")
    expect(heading).to_be_visible()
    page.evaluate(_CHANGE)
    page.emulate_media(color_scheme="dark")
    change = page.evaluate("() => window.change")
    assert change["moving"] == 0
    assert change["ink"] == heading.evaluate("one => getComputedStyle(one).color")
