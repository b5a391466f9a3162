"""On paper: every page without what only a hand can use, in light ink, and nothing of it cut."""

import os
import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page
from weighhouse_testing.browser import Sows
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import Sown

PRINTED = Sown("invented-printed", "Invented: printed", ("redis", "memcached"), (1, 4),
               repetitions=4)  # fmt: skip
PAPER = (688, 1017)
"""What A4 has between the margins of our pages, CSS px."""
_DRAWN = """() => new Promise(
  done => requestAnimationFrame(() => requestAnimationFrame(done)))"""
_ON_PAPER = """() => {
  const seen = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length
  const named = one => `<${one.tagName.toLowerCase()} class="${one.getAttribute('class') ?? ''}">`
    + ` ${one.textContent.trim().slice(0, 40)}`
  const found = []
  const forHands = 'header nav, [role=banner] nav, .button, .ui-toasts *'
  for (const one of document.querySelectorAll(forHands))
    if (seen(one)) found.push(`wants a hand: ${named(one)}`)
  const wide = document.documentElement.scrollWidth - innerWidth
  if (wide > 0) found.push(`${wide} px wider than the paper`)
  const elsewhere = '.visually-hidden, svg, canvas, input, select, textarea'
  for (const one of document.querySelectorAll('main, main *')) {
    if (!seen(one) || one.closest(elsewhere)) continue
    const {left, right, width} = one.getBoundingClientRect()
    const {overflowX, overflowY, textOverflow} = getComputedStyle(one)
    const hides = overflowX !== 'visible' && textOverflow !== 'ellipsis'
    if (width > 1 && (right > innerWidth + 1 || left < -1))
      found.push(`beyond the edge: ${named(one)}`)
    else if (width > 1 && hides && one.scrollWidth > one.clientWidth + 1)
      found.push(`cut at its side: ${named(one)}`)
    else if (width > 1 && /auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight + 1)
      found.push(`cut at its foot: ${named(one)}`)
  }
  for (const one of document.querySelectorAll('main .stacked'))
    if (getComputedStyle(one).display === 'grid')
      found.push(`goes to the next page as a whole: ${named(one)}`)
  const ground = getComputedStyle(document.body).backgroundColor
  if (ground !== 'rgb(255, 255, 255)') found.push(`its ground is ${ground}`)
  const theme = document.documentElement.dataset.theme
  if (theme !== 'light') found.push(`it is ${theme}`)
  return found.slice(0, 6)
}"""


_IN_SMALL = """() => [...document.querySelectorAll('.chart')].flatMap(one => {
  one.style.width = '300px'
  const {right} = one.getBoundingClientRect()
  return [...one.querySelectorAll('canvas')].map(drawn => {
    const {width, height, right: end} = drawn.getBoundingClientRect()
    const whole = end <= right + 1 && width > 100 && height > 40
    return whole ? '' : `${one.innerText.slice(0, 40)}: ${width} × ${height}, to ${end} of ${right}`
  }).filter(Boolean)
})"""
"""Charts that are cut off where they are printed narrower than they were drawn."""
_SQUEEZED = """() => [...document.querySelectorAll('main :is(th, td)')].filter(one => {
  const {width} = one.getBoundingClientRect()
  const words = one.innerText.trim()
  return width > 1 && words.length > 8 && width < 40
    && one.checkVisibility({visibilityProperty: true})
}).map(one => `${Math.round(one.getBoundingClientRect().width)} px: ${one.innerText.slice(0, 40)}`)
  .slice(0, 4)"""
"""Columns in which words stand letter below letter."""


@pytest.fixture(scope="module")
def addresses(platform: RunningPlatform, sows: Sows) -> list[str]:
    """One of each kind of page."""
    sows(PRINTED)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (told,) = [one for one in listed if one["experiment"]["slug"] == PRINTED.slug]
    campaign = platform.request("GET", f"/campaigns/{told['id']}")
    (series, *_) = platform.request("GET", "/series", params={"limit": 200})["items"]
    (agent, *_) = platform.request("GET", "/agents")["items"]
    body = {
        "project_id": told["project_id"], "title": "What is printed", "template": "comparison",
        "sources": [{"name": "comparison", "campaign_id": told["id"]}],
    }  # fmt: skip
    report = f"/reports/{platform.request('POST', '/reports', json=body)['id']}"
    platform.request("POST", f"{report}/editions")
    return [
        "/",
        "/experiments",
        "/experiments/new",
        f"/experiments/{PRINTED.slug}",
        f"/experiments/{PRINTED.slug}?tab=revisions",
        f"/experiments/{PRINTED.slug}?tab=schedule",
        "/campaigns",
        f"/campaigns/{told['id']}",
        f"/runs/{campaign['cells'][0]['runs'][0]['id']}",
        f"/compare?campaign={told['id']}",
        f"/history?{urlencode({'series': series['id']})}",
        "/alerts?state=all",
        "/studies",
        "/studies/redis-aerospike-dragonfly",
        "/published-results",
        "/published-results/new",
        "/reports",
        report,
        f"{report}/editions/1",
        "/systems",
        "/systems/redis",
        "/agents",
        f"/agents/{agent['id']}",
        *(f"/settings?tab={tab}" for tab in SETTINGS),
        "/nowhere",
    ]


SETTINGS = ("tokens", "members", "projects", "sign-in", "account", "notifications", "prices",
            "usage", "retention", "shared", "audit")  # fmt: skip


Theme = Literal["dark", "light"]


def _keep(page: Page, address: str, theme: Theme) -> None:
    """Its paper, where the environment variable WEIGHHOUSE_SHOTS says."""
    if shots := os.environ.get("WEIGHHOUSE_SHOTS"):
        name = re.sub(r"\W+", "-", address).strip("-")[:60] or "overview"
        page.emulate_media(color_scheme=theme)
        page.pdf(path=Path(shots) / f"print-{name}-{theme}.pdf", format="A4")


def _faults(page: Page, address: str, theme: Theme) -> list[str]:
    page.emulate_media(media="screen", color_scheme=theme)
    page.goto(address)
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    page.emulate_media(media="print", color_scheme=theme)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    page.evaluate(_DRAWN)
    seen = [*page.evaluate(_ON_PAPER), *page.evaluate(_SQUEEZED)]
    found = [f"{address}, {theme}: {one}" for one in seen]
    _keep(page, address, theme)
    return found


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_page_prints_whole_and_light(
    theme: Theme, windows: Windows, platform: RunningPlatform, addresses: list[str]
) -> None:
    with windows.lent(platform.url, (platform.email, platform.password)) as opens:
        page = opens(PAPER)
        assert [one for each in addresses for one in _faults(page, each, theme)] == []


@pytest.mark.parametrize("page_of", ["/runs/", "/compare?", "/history?"])
def test_a_chart_of_a_wide_window_is_printed_whole(
    page_of: str, windows: Windows, platform: RunningPlatform, addresses: list[str]
) -> None:
    (address,) = [one for one in addresses if one.startswith(page_of)]
    with windows.lent(platform.url, (platform.email, platform.password)) as opens:
        page = opens()
        page.goto(address)
        page.locator(".chart canvas").first.wait_for()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        page.evaluate(_DRAWN)
        assert page.evaluate(_IN_SMALL) == []
