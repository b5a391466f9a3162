"""The page of a long run, opened and moved over, and the longest tasks of its main thread.

By the browser's own trace, in processor time. A slow moment may still be the machine's (caches, a
compiler that runs late): the best of some tries counts, on a machine that does nothing else.
"""

from playwright.sync_api import Page, sync_playwright

from weighhouse_testing.browser import CHROMIUM, FLAGS, PATIENCE_MS, WIDE, cookies_of
from weighhouse_testing.traces import Trace

TRIES = 4
MOVES = 40
DRAWN = """() => new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"""
"""What was asked for before has been drawn."""


def opened(page: Page, run_id: str) -> None:
    """The run's page is there, and has been looked at to its end: all charts are drawn."""
    page.goto(f"/runs/{run_id}")
    page.get_by_role("img", name="Throughput over").locator("canvas").wait_for()
    page.wait_for_load_state("networkidle")
    for at in range(0, int(page.evaluate("document.documentElement.scrollHeight")), 500):
        page.evaluate("at => scrollTo(0, at)", at)
        page.evaluate(DRAWN)
    page.get_by_role("img", name="Latency heat map").locator("canvas").wait_for()
    page.wait_for_load_state("networkidle")
    page.evaluate(DRAWN)


def moved_over(page: Page, moves: int) -> None:
    """The cursor goes over the first chart; each move is drawn before the next."""
    chart = page.get_by_role("img", name="Throughput over")
    chart.scroll_into_view_if_needed()
    page.evaluate(DRAWN)
    box = chart.bounding_box()
    assert box is not None
    for step in range(moves):
        across = 0.15 + 0.7 * step / moves
        page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] / 2)
        page.evaluate(DRAWN)


def longest_tasks_ms(url: str, email: str, password: str, run_id: str) -> dict[str, float]:
    """The longest task of the page's main thread while it opens, and while it is moved over."""
    opening, moving = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        viewport = {"width": WIDE[0], "height": WIDE[1]}
        context = browser.new_context(base_url=url, viewport=viewport)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies(cookies_of(url, email, password))
        page = context.new_page()
        for _ in range(TRIES):
            page.goto("/experiments")
            page.get_by_role("heading", level=1, name="Experiments").wait_for()
            with Trace(page) as trace:
                opened(page, run_id)
            opening.append(max(trace.tasks_ms()))
            with Trace(page) as trace:
                moved_over(page, MOVES)
            moving.append(max(trace.tasks_ms()))
        browser.close()
    return {
        "opening_longest_task_ms": round(min(opening), 1),
        "moving_longest_task_ms": round(min(moving), 1),
    }
