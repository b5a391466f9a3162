"""What tests in a browser share: how it is started, how one signs in, what every page must keep."""

import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page

from weighhouse_testing.waits import PATIENCE_SECONDS

REPOSITORY = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium-headless-shell"
"""Without windows, which nobody looks at: a quarter less is computed."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
UNCOMPILED = (*FLAGS, "--js-flags=--no-opt --single-threaded")
"""Where work is counted: not all that optimised scripts run is, and when they are so is chance."""
PATIENCE_MS = 300_000.0
"""How long a page is waited for: it says how busy the machine is, and nothing else."""
WIDE, NARROW = (1440, 900), (390, 844)
"""Sizes of a window, px: a desk's and a phone's."""
ZOOMED = (720, 450)
"""What a desk's window is at 200 %, px."""
SIZES = {"wide": WIDE, "narrow": NARROW, "zoomed": ZOOMED}
THEMES = ("light", "dark")
FIRST_PAGE = "What was weighed lately"
"""Heading of the page that who signs in comes to."""
Sows = Callable[..., None]
"""The fixture `sows`: carries invented experiments out, the latest campaign ending about now, or
at `end`."""
Window = Callable[..., Page]
"""The fixture `window`: opens a window of a size and a theme."""
_SETTLED = """async () => {
  scrollTo(0, 0)
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
  await Promise.all(document.getAnimations().map(one => one.finished.catch(() => {})))
}"""
"""The colours of the other theme have come, and the head of the page covers nothing."""
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules that a page may break in one theme and keep in the other."""
_CHECK = """only => axe.run(document, {runOnly: only, resultTypes: ['violations']})
  .then(result => result.violations)"""
_MOST_MARKUP = 160
"""Of an element that is complained of, characters."""


def sign_in(page: Page, url: str, email: str, password: str) -> None:
    """Sign in through the page, as a person does; the first page is there afterwards."""
    page.goto(f"{url}/login")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1, name=FIRST_PAGE).wait_for()


def cookies_of(url: str, email: str, password: str) -> list[Any]:
    """What a browser keeps of somebody who signs in now."""
    with httpx.Client(
        base_url=url, headers={"X-Weighhouse": "1"}, timeout=PATIENCE_SECONDS
    ) as client:
        body = {"email": email, "password": password}
        client.post("/api/v1/sessions", json=body).raise_for_status()
        return [
            {"name": one.name, "value": one.value, "domain": client.base_url.host, "path": one.path}
            for one in client.cookies.jar
        ]


def let_in(page: Page, url: str, email: str, password: str) -> None:
    """Sign somebody in whose page is at no address yet, or at one that matters no more."""
    page.context.clear_cookies()
    page.context.add_cookies(cookies_of(url, email, password))


def looked_at(page: Page, where: str) -> None:
    """The page as it stands has no faults at both widths in both themes (`faults`)."""
    found = faults(page, where)
    assert not found, found


def faults(
    page: Page, where: str, sizes: Iterable[tuple[int, int]] = (WIDE, NARROW), *, whole: bool = True
) -> list[str]:
    """What is wrong with a page as it stands, at some widths, in both themes. Pictures of it go
    where the environment variable WEIGHHOUSE_SHOTS says.

    :param where: begins each complaint, and the pictures' names.
    :param whole: pictures show all of the page, not its window alone.
    """
    found = []
    for size in sizes:
        for theme in THEMES:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            page.mouse.move(0, 0)
            page.evaluate(_SETTLED)
            seen = theme != THEMES[0]
            found += complaints(page, f"{where}, {theme}, {size[0]} px", colours_only=seen)
            if shots := os.environ.get("WEIGHHOUSE_SHOTS"):
                name = re.sub(r"\W+", "-", where).strip("-")
                path = f"{shots}/{name}-{theme}-{size[0]}.png"
                page.screenshot(path=path, full_page=whole)
    return found


def complaints(page: Page, where: str, *, colours_only: bool = False) -> list[str]:
    """What is wrong with a page as it stands: inaccessible, or wider than its window.

    :param page: its context bypasses the pages' own policy, which would keep the checker out.
    :param where: begins each complaint: the address, or what was opened on it.
    :param colours_only: of what is inaccessible, only what the theme may change.
    """
    page.wait_for_load_state("networkidle")
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(_axe())
    only = (
        {"type": "rule", "values": _COLOURS} if colours_only else {"type": "tag", "values": _RULES}
    )
    found = page.evaluate(_CHECK, only)
    said = [f"{where}: {one['id']}: {_first_node(one)}" for one in found]
    return said + wider_than_window(page, where)


def _first_node(violation: dict[str, Any]) -> str:
    """The first element that breaks a rule, and what is wrong with it."""
    node = violation["nodes"][0]
    return f"{node['html'][:_MOST_MARKUP]}: {' '.join(node['failureSummary'].split())}"


def wider_than_window(page: Page, where: str) -> list[str]:
    """A complaint when a page has to be moved sideways; else none."""
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{where}: {overflow} px wider than the window"] if overflow > 0 else []


@cache
def _axe() -> str:
    """The accessibility checker's script, from the frontend's own packages."""
    path = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
    return path.read_text(encoding="utf-8")
