"""Every page, in both themes and both sizes: accessible, and never wider than its window."""

import pytest
from playwright.sync_api import expect
from weighhouse_testing.browser import (
    NARROW,
    SIZES,
    WIDE,
    Window,
    cookies_of,
    faults,
    wider_than_window,
)
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows

NOBODY = "00000000-0000-4000-8000-000000000000"
EMPTY = ("/experiments", "/campaigns", "/history", "/agents", "/alerts", "/studies")
"""What a new installation has nothing of."""


def addresses(weighed: dict) -> list[str]:
    run = weighed["cells"][0]["runs"][0]["id"]
    experiment = weighed["experiment"]["slug"]
    return [
        "/",
        "/experiments",
        "/experiments/new",
        f"/experiments/{experiment}",
        f"/experiments/{experiment}?tab=revisions",
        f"/experiments/{experiment}?tab=schedule",
        "/campaigns",
        f"/campaigns/{weighed['id']}",
        f"/runs/{run}",
        f"/compare?campaign={weighed['id']}",
        "/history",
        "/alerts",
        "/alerts?state=all",
        "/studies",
        "/studies/redis-aerospike-dragonfly",
        "/studies/nosuchstudy",
        "/systems",
        "/systems/redis",
        "/agents",
        "/search",
        "/search?q=redis",
        "/search?q=redis&kind=parameter",
        "/help",
        "/help/glossary",
        "/help/findings/steady-state",
        "/settings",
        "/settings?tab=members",
        "/settings?tab=projects",
        "/settings?tab=audit",
        "/settings?tab=usage",
        "/settings?tab=retention",
        "/nowhere",
        "/campaigns/nothing-of-the-kind",
        f"/campaigns/{NOBODY}",
        f"/runs/{NOBODY}",
        f"/agents/{NOBODY}",
        "/systems/nosuchsystem",
        "/experiments/no-such-experiment",
    ]


@pytest.fixture(scope="module")
def found(windows: Windows, platform: RunningPlatform, weighed: dict) -> dict[str, list[str]]:
    """What is wrong with the pages, by size; each is opened once."""
    complaints: dict[str, list[str]] = {name: [] for name in SIZES}
    with windows.lent(platform.url, (platform.email, platform.password)) as opens:
        page = opens()
        for address in addresses(weighed):
            page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
            page.goto(address)
            page.get_by_role("heading", level=1).wait_for()
            for name, size in SIZES.items():
                complaints[name] += faults(page, address, [size])
    return complaints


@pytest.mark.parametrize("size", SIZES)
def test_pages_are_accessible_and_fit(found: dict[str, list[str]], size: str) -> None:
    assert found[size] == []


_CHOSEN_IN_SIGHT = """() => {
  const chosen = document.querySelector('[role=tab][data-state=active]')
  const {left, right} = chosen.getBoundingClientRect()
  return left >= -1 && right <= innerWidth + 1
}"""


def test_pages_of_a_new_installation_are_accessible_and_fit(windows: Windows) -> None:
    with (
        running_platform(agent=False) as house,
        windows.lent(house.url, (house.email, house.password)) as opens,
    ):
        page = opens()
        found: list[str] = []
        for address in EMPTY:
            page.goto(address)
            page.get_by_role("heading", level=2).first.wait_for()
            found += faults(page, address)
        assert found == []


@pytest.mark.parametrize("tab", ["members", "audit", "usage"])
def test_the_chosen_tab_is_in_sight_on_a_phone(window: Window, tab: str) -> None:
    page = window(NARROW)
    page.goto(f"/settings?tab={tab}")
    page.get_by_role("tab", selected=True).wait_for()
    page.wait_for_function(_CHOSEN_IN_SIGHT)


def test_the_chosen_tab_stays_in_sight_when_a_window_becomes_narrow(window: Window) -> None:
    page = window()
    page.goto("/settings?tab=audit")
    page.get_by_role("tab", selected=True).wait_for()
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    page.wait_for_function(_CHOSEN_IN_SIGHT)


def test_on_a_phone_the_audit_log_says_what_was_done(
    window: Window, platform: RunningPlatform
) -> None:
    cookies_of(platform.url, platform.email, platform.password)  # the latest entry
    page = window(NARROW)
    page.goto("/settings?tab=audit")
    entry = page.get_by_role("row").filter(has_text="login.by_password").first
    expect(entry.get_by_text("login.by_password", exact=True).last).to_be_visible()


def test_no_systems_page_is_wider_than_a_phone(window: Window, platform: RunningPlatform) -> None:
    page = window(NARROW)
    systems = [one["id"] for one in platform.request("GET", "/systems")["items"]]
    assert len(systems) > 10
    found: list[str] = []
    for system in systems:
        page.goto(f"/systems/{system}")
        page.get_by_role("heading", level=1).wait_for()
        found += wider_than_window(page, system)
    assert found == []
