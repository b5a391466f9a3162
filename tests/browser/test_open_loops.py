"""A run that was asked for more than its server does: what was due, and what became of it."""

import re

from playwright.sync_api import Page, expect
from weighhouse_testing.browser import looked_at
from weighhouse_testing.builds import builds_of
from weighhouse_testing.open_loops import measured_open_loop
from weighhouse_testing.platform import RunningPlatform

SERVES, SECONDS = 300.0, 3.0


def test_due_and_done_stand_beside_each_other(page: Page, platform: RunningPlatform) -> None:
    with builds_of(platform, "redis-server") as builds:
        builds.use(SERVES, catches_up_seconds=0.25)
        told = measured_open_loop(
            platform, seconds=SECONDS, rate_per_second=SERVES * 4, timeout_ms=1000
        )
    page.goto(f"/runs/{told.run['id']}")
    heading = page.get_by_role("heading", name="Due and done")
    expect(heading).to_be_visible()
    heading.scroll_into_view_if_needed()
    expect(page.get_by_label(re.compile("never sent; at most"))).to_be_visible()
    figures = page.get_by_role("table", name="Figures by operation")
    for column in ("never sent", "after the end"):
        expect(figures.get_by_role("columnheader", name=column)).to_be_visible()
    expect(page.get_by_text("The rate was not reached").first).to_be_visible()
    looked_at(page, "open-loop")
