"""What each page brings over the wire, and the longest task of its main thread: `make bench-pages`.

A platform of its own with invented campaigns: a comparison of eight sides at six levels, a history,
and a run of twelve hours. Each page is opened in a fresh browser and looked at to its end, by the
browser's own trace, in processor time; the best of some tries counts. The last line is JSON.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright
from weighhouse_cli.commands.dev import Scale, invent
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions

from weighhouse_testing.browser import CHROMIUM, FLAGS, PATIENCE_MS, WIDE, cookies_of
from weighhouse_testing.long_page import DRAWN
from weighhouse_testing.traces import Trace
from weighhouse_testing.transfers import transferred

LONGEST_MS = 100.0
TRIES = 2
STEP = 600
"""Pixels that are scrolled by, until the end of a page."""


def pages(platform: Platform) -> dict[str, str]:
    """What is opened, by name."""
    token = platform.credentials["api_token"]
    with httpx.Client(
        base_url=f"{platform.url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60
    ) as client:

        def first(path: str, **query: Any) -> dict[str, Any]:
            found: dict[str, Any] = client.get(path, params=query).raise_for_status().json()
            return dict(found["items"][0])

        eight = first("/campaigns", experiment="invented-eight-sides")["id"]
        run = first("/runs", campaign_id=eight)["id"]
        long = first("/campaigns", experiment="invented-one-run")["id"]
        hours = first("/runs", campaign_id=long)["id"]
        nights = first("/campaigns", experiment="invented-two-hundred")["experiment"]
        series = first("/series", metric="throughput", experiment_id=nights["id"])["id"]
    return {
        "overview": "/",
        "experiments": "/experiments",
        "an experiment": f"/experiments/{nights['slug']}",
        "a new experiment": "/experiments/new",
        "campaigns": "/campaigns",
        "a campaign of eight sides": f"/campaigns/{eight}",
        "a comparison of eight sides": f"/compare?campaign={eight}",
        "a run": f"/runs/{run}",
        "a run of twelve hours": f"/runs/{hours}",
        "history": "/history",
        "a series": f"/history?series={series}",
        "alerts": "/alerts?state=all",
        "studies": "/studies",
        "reports": "/reports",
        "systems": "/systems",
        "a system": "/systems/redis",
        "agents": "/agents",
        "search": "/search?q=redis",
        "results of others": "/published-results/new",
        "help": "/help",
        "a page of help": "/help/glossary",
        "settings": "/settings",
    }


def looked_at(browser: Browser, url: str, cookies: list[Any], path: str) -> tuple[float, float]:
    """Longest task in ms and kilobytes of a page that is opened and read to its end."""
    viewport = {"width": WIDE[0], "height": WIDE[1]}
    context = browser.new_context(base_url=url, viewport=viewport)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    context.add_cookies(cookies)
    page = context.new_page()
    with transferred(page) as brought, Trace(page) as trace:
        page.goto(path)
        page.get_by_role("heading", level=1).first.wait_for()
        page.wait_for_load_state("networkidle")
        for at in range(0, int(page.evaluate("document.documentElement.scrollHeight")), STEP):
            page.evaluate("at => scrollTo(0, at)", at)
            page.evaluate(DRAWN)
        page.wait_for_load_state("networkidle")
        page.evaluate(DRAWN)
    context.close()
    return max(trace.tasks_ms()), brought.kilobytes()


def measured(platform: Platform, tries: int) -> dict[str, dict[str, float]]:
    """Every page."""
    email, password = (str(platform.credentials[key]) for key in ("email", "password"))
    cookies = cookies_of(platform.url, email, password)
    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        for name, path in pages(platform).items():
            tried = [looked_at(browser, platform.url, cookies, path) for _ in range(tries)]
            found[name] = {
                "longest_task_ms": round(min(task for task, _ in tried), 1),
                "kilobytes": round(max(size for _, size in tried)),
            }
            print(f"{name}: {json.dumps(found[name])}", file=sys.stderr, flush=True)
        browser.close()
    return found


def main() -> int:
    """Measure, and close with one line of JSON; 0 when no task is longer than it may be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=TRIES)
    options = parser.parse_args()
    path = Path(tempfile.mkdtemp(prefix="weighhouse-pages-"))
    path.chmod(0o711)
    try:
        with Platform(PlatformOptions(directory=path, port=free_port(), agent=False)) as platform:
            for scale in (Scale.FULL, Scale.LONG):
                invent(platform, scale)
            found = measured(platform, options.tries)
    finally:
        shutil.rmtree(path, ignore_errors=True)
    missed = sorted(name for name, one in found.items() if one["longest_task_ms"] > LONGEST_MS)
    print(json.dumps({"pages": found, "bar_ms": LONGEST_MS, "missed": missed}))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
