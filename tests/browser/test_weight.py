"""Pages are light: what they bring over the wire, in bytes as they are served."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import FIRST_PAGE, Sows, Window
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.transfers import Transferred, transferred
from weighhouse_worker.seeding.plan import LEVELS, SIDES, Sown

LOGIN, OVERVIEW, COMPARE = 145, 250, 640
"""Most that a page brings of the interface with nothing kept of it yet, kB."""
FIGURES = 160
"""Most that the figures of the comparison weigh, kB."""
DATA, CHARTS, COMPARISON = "/api/", "/assets/charts-", "/api/v1/comparisons"


@pytest.fixture(scope="module")
def eight_sides(platform: RunningPlatform, sows: Sows) -> str:
    """A campaign of eight sides at six levels of two workloads; its id."""
    sown = Sown(
        "weight-eight-sides", "Eight sides, six levels", tuple(SIDES), LEVELS,
        workloads=("balanced", "read-heavy"), repetitions=3,
    )  # fmt: skip
    sows(sown)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == sown.slug]
    return str(campaign["id"])


def brought(page: Page, address: str, seen: Callable[[Page], None]) -> Transferred:
    """What a page brings until it shows what it is opened for, and nothing comes any more."""
    with transferred(page) as found:
        page.goto(address)
        seen(page)
        page.wait_for_load_state("networkidle")
    return found


def test_who_signs_in_waits_for_little(window: Window) -> None:
    found = brought(
        window(signed=False, fresh=True),
        "/login",
        lambda page: expect(page.get_by_role("button", name="Sign in")).to_be_visible(),
    )
    assert found.kilobytes(DATA) < LOGIN, found.largest()


def test_the_overview_comes_before_its_charts(window: Window, eight_sides: str) -> None:
    assert eight_sides
    found = brought(
        window(fresh=True),
        "/",
        lambda page: expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible(),
    )
    assert found.kilobytes(DATA, CHARTS) < OVERVIEW, found.largest()


def test_a_comparison_of_eight_sides_comes_with_its_charts(
    window: Window, eight_sides: str
) -> None:
    def seen(page: Page) -> None:
        expect(page.get_by_role("region", name="Answer")).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("against throughput")).first).to_be_visible()

    found = brought(window(fresh=True), f"/compare?campaign={eight_sides}", seen)
    assert found.kilobytes(DATA) < COMPARE, found.largest()
    assert 0 < found.of[COMPARISON] / 1000 < FIGURES, found.largest()
