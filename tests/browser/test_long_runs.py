"""A run of twelve hours is looked at as lightly as one of twelve seconds.

Its page's work is counted, not timed: what scripts run in all, whoever else computes meanwhile. How
long it takes is asked of a quiet machine, by `make bench-longrun`.
"""

import dataclasses
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserType
from weighhouse_testing.browser import CHROMIUM, UNCOMPILED, Sows, Window
from weighhouse_testing.counted_scripts import counted
from weighhouse_testing.long_page import moved_over, opened
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import SCALES

INTERVAL_SECONDS = 10.0
"""4,320 intervals: nine times as many as a chart has points."""
OPENING = 6_600_000
"""Most pieces of scripts that run while the page opens and all its charts are drawn: it takes
5.7 to 5.9 million, by what was sown, and 8.0 with four times as many points."""
MOVING = 52_000
"""Most pieces of scripts that run for one move of the cursor over a chart: it takes 43,500."""
MOVES = 20


@pytest.fixture(scope="module")
def windows(chromium: BrowserType) -> Iterator[Windows]:
    """Of a browser that counts all that scripts run."""
    browser = chromium.launch(executable_path=CHROMIUM, args=[*UNCOMPILED])
    made = Windows(browser)
    yield made
    made.close()
    browser.close()


@pytest.fixture(scope="module")
def long_run(platform: RunningPlatform, sows: Sows) -> str:
    """A run of 43,200 s; its id."""
    (long,) = SCALES["long"]()
    sows(dataclasses.replace(long, interval_seconds=INTERVAL_SECONDS))
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == long.slug]
    whole = platform.request("GET", f"/campaigns/{campaign['id']}")
    return str(whole["cells"][0]["runs"][0]["id"])


def test_its_page_opens_with_little_work(window: Window, long_run: str) -> None:
    page = window(fresh=True)
    with counted(page) as work:
        opened(page, long_run)
    assert 0 < work.times <= OPENING


def test_the_cursor_moves_over_it_with_little_work(window: Window, long_run: str) -> None:
    page = window(fresh=True)
    opened(page, long_run)
    with counted(page) as work:
        moved_over(page, MOVES)
    # The cursor did tell something, with its units.
    assert "op/s" in page.locator("body").inner_text()
    assert 0 < work.times / MOVES <= MOVING


def test_it_comes_to_the_browser_small(platform: RunningPlatform, long_run: str) -> None:
    """The answer behind the charts does not grow with the run."""
    series = platform.request("GET", f"/runs/{long_run}/series", params={"points": 480})
    line = series["operations"]["all"]
    assert 200 < len(line["t"]) <= 490
    assert series["detail"]["extremes_seconds"] == pytest.approx(INTERVAL_SECONDS)
    measured = [
        at for at, begin in enumerate(line["t"]) if begin >= series["phases"][-1]["start_seconds"]
    ]
    assert all(
        line["throughput_low"][at] <= line["throughput"][at] <= line["throughput_high"][at]
        for at in measured
    )
    assert len(json.dumps(series)) < 600_000
