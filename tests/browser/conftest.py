"""A real Chromium on the real platform, which all tests of this folder share.

Invented campaigns are filled into it when the first test asks for them. Machines of their own are
named by a label, so that they take no run of a test that measures.
"""

import datetime
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.browser import CHROMIUM, FLAGS, PATIENCE_MS, Sows, Window
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import SCALES, Sown
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserType]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium: BrowserType) -> Iterator[Browser]:
    found = chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
    yield found
    found.close()


@pytest.fixture(scope="session")
def windows(browser: Browser) -> Iterator[Windows]:
    """All windows of the browser; each is used again and again."""
    made = Windows(browser)
    yield made
    made.close()


@pytest.fixture
def window(windows: Windows, platform: RunningPlatform) -> Iterator[Window]:
    """Opens windows whose user is signed in (`Windows.lent`)."""
    with windows.lent(platform.url, (platform.email, platform.password)) as opened:
        yield opened


@pytest.fixture
def page(window: Window) -> Page:
    """A page whose user is signed in, as the platform serves it."""
    return window(moves=True, policy=True)


@pytest.fixture(scope="session")
def weighed(platform: RunningPlatform) -> dict:
    """A campaign of two systems that has been run to its end."""
    started = platform.start_campaign(
        small_experiment("seen-in-a-browser", "redis", "memcached", repetitions=5, clients=(1, 4))
    )
    return platform.wait_for_campaign(started["id"])


@pytest.fixture(scope="session")
def sows(platform: RunningPlatform) -> Sows:
    """Carries campaigns of invented figures out, by the platform's own services."""
    settings = Settings(
        database_url=platform.inner.database_url, redis_url=platform.inner.redis_url
    )
    tools = Tools(settings)

    def sown(*experiments: Sown, end: datetime.datetime | None = None) -> None:
        sow(tools, manifests(), experiments, end or datetime.datetime.now(datetime.UTC), print)

    return sown


@pytest.fixture(scope="session")
def invented(platform: RunningPlatform, sows: Sows) -> Callable[[str], dict]:
    """The only campaign of a scale of `weighhouse dev seed` that has one experiment."""

    def made(scale: str) -> dict:
        (sown,) = SCALES[scale]()
        sows(sown)
        listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
        (campaign,) = [one for one in listed if one["experiment"]["slug"] == sown.slug]
        return platform.request("GET", f"/campaigns/{campaign['id']}")

    return made
