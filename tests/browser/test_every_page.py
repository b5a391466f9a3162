"""Every page, in both themes and both sizes: accessible, and never wider than its window."""

import pytest
from playwright.sync_api import Browser, Page, StorageState
from weighhouse_testing.platform import RunningPlatform

SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NOBODY = "00000000-0000-4000-8000-000000000000"


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
        "/systems",
        "/systems/redis",
        "/agents",
        "/settings",
        "/settings?tab=members",
        "/settings?tab=audit",
        "/nowhere",
        "/campaigns/nothing-of-the-kind",
        f"/campaigns/{NOBODY}",
        f"/runs/{NOBODY}",
        f"/agents/{NOBODY}",
        "/systems/nosuchsystem",
        "/experiments/no-such-experiment",
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pages_are_accessible_and_fit(
    browser: Browser,
    platform: RunningPlatform,
    signed_in: StorageState,
    weighed: dict,
    axe: str,
    theme: str,
    size: str,
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(
        base_url=platform.url,
        storage_state=signed_in,
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        # The checker is brought by the test; the pages' own policy would keep it out.
        bypass_csp=True,
    )
    page = context.new_page()
    complaints: list[str] = []
    for address in addresses(weighed):
        page.goto(address)
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_load_state("networkidle")
        page.evaluate(axe)
        found = page.evaluate(
            "rules => axe.run(document, {runOnly: rules}).then(result => result.violations)", RULES
        )
        complaints += [f"{address}: {one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]
        complaints += wider_than_window(page, address)
    context.close()
    assert complaints == []


def test_no_systems_page_is_wider_than_a_phone(page: Page, platform: RunningPlatform) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    systems = [one["id"] for one in platform.request("GET", "/systems")["items"]]
    assert len(systems) > 10
    complaints: list[str] = []
    for system in systems:
        page.goto(f"/systems/{system}")
        page.get_by_role("heading", level=1).wait_for()
        complaints += wider_than_window(page, system)
    assert complaints == []


def wider_than_window(page: Page, address: str) -> list[str]:
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{address}: {overflow} px wider than the window"] if overflow > 0 else []
