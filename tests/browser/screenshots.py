"""Takes every page in both themes, wide and narrow: `python tests/browser/screenshots.py FOLDER`.

Without --url it starts an embedded platform of its own, runs a small campaign, and ends it again.
"""

import argparse
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from weighhouse_testing.browser import CHROMIUM, FLAGS, SIZES, THEMES, sign_in
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import running_platform

QUIET_MS = 10_000
SETTLING_MS = 500


@dataclass(frozen=True)
class Account:
    """A platform and somebody who may look at it."""

    url: str
    email: str
    password: str


def addresses(account: Account) -> dict[str, str]:
    """Pages by the name of their picture; those of a campaign when there is a completed one."""
    with httpx.Client(base_url=f"{account.url}/api/v1", headers={"X-Weighhouse": "1"}) as client:
        login = {"email": account.email, "password": account.password}
        client.post("/sessions", json=login).raise_for_status()

        def listed(path: str) -> list[dict]:
            return client.get(path).raise_for_status().json()["items"]

        found = {
            "overview": "/",
            "experiments": "/experiments",
            "experiment-new": "/experiments/new",
            "campaigns": "/campaigns",
            "history": "/history",
            "systems": "/systems",
            "agents": "/agents",
            "settings-tokens": "/settings",
            "settings-members": "/settings?tab=members",
            "settings-usage": "/settings?tab=usage",
            "not-found": "/nowhere",
        }
        found |= {f"system-{one['id']}": f"/systems/{one['id']}" for one in listed("/systems")}
        found |= {f"agent-{one['name']}": f"/agents/{one['id']}" for one in listed("/agents")[:1]}
        for experiment in listed("/experiments")[:1]:
            base = f"/experiments/{experiment['slug']}"
            found |= {
                "experiment": base,
                "experiment-revisions": f"{base}?tab=revisions",
                "experiment-schedule": f"{base}?tab=schedule",
                "experiment-campaigns": f"{base}?tab=campaigns",
            }
        for series in listed("/series")[:1]:
            found["history-series"] = f"/history?series={series['id']}"
        for campaign in listed("/campaigns?status=completed")[:1]:
            run = listed(f"/runs?campaign_id={campaign['id']}")[0]
            found |= {
                "campaign": f"/campaigns/{campaign['id']}",
                "compare": f"/compare?campaign={campaign['id']}",
                "run": f"/runs/{run['id']}",
            }
        return found


def take(browser: Browser, account: Account, folder: Path) -> None:
    """Take every picture; a page that is wider than its window is told on standard error."""
    pages = addresses(account)
    for theme in THEMES:
        for width, height in SIZES.values():
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=theme,
                reduced_motion="reduce",
            )
            page = context.new_page()
            page.goto(f"{account.url}/login")
            page.screenshot(path=folder / f"login-{theme}-{width}.png")
            sign_in(page, account.url, account.email, account.password)
            for name, address in pages.items():
                page.goto(account.url + address)
                page.get_by_role("heading", level=1).wait_for()
                page.wait_for_load_state("networkidle", timeout=QUIET_MS)
                # A picture of the full page resizes it, and charts need a moment to follow.
                whole = page.evaluate("document.documentElement.scrollHeight")
                page.set_viewport_size({"width": width, "height": max(whole, height)})
                page.wait_for_timeout(SETTLING_MS)
                page.screenshot(path=folder / f"{name}-{theme}-{width}.png")
                page.set_viewport_size({"width": width, "height": height})
                overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if overflow > 0:
                    print(f"{name}, {theme}, {width}: {overflow} px too wide", file=sys.stderr)
            context.close()


def main() -> None:
    """Read the command line, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", help="a running platform; with --email and --password")
    parser.add_argument("--email")
    parser.add_argument("--password")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        if arguments.url:
            account = Account(arguments.url.rstrip("/"), arguments.email, arguments.password)
        else:
            platform = stack.enter_context(running_platform())
            yaml = small_experiment("pictured", "redis", "memcached", repetitions=5, clients=(1, 4))
            platform.wait_for_campaign(platform.start_campaign(yaml)["id"])
            account = Account(platform.url, platform.email, platform.password)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        take(browser, account, arguments.folder)
        browser.close()


if __name__ == "__main__":
    main()
