"""A real Chromium on the real platform."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    StorageState,
    expect,
    sync_playwright,
)
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=30_000)  # the machine may be busy
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def signed_in(browser: Browser, platform: RunningPlatform) -> StorageState:
    """What a browser keeps once its user has signed in."""
    context = browser.new_context(base_url=platform.url)
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Email").fill(platform.email)
    page.get_by_label("Password").fill(platform.password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1, name="What was weighed lately").wait_for()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def context(
    browser: Browser, platform: RunningPlatform, signed_in: StorageState
) -> Iterator[BrowserContext]:
    found = browser.new_context(
        base_url=platform.url, storage_state=signed_in, viewport={"width": 1440, "height": 900}
    )
    found.set_default_timeout(60_000)
    yield found
    found.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose user is signed in; an error in the page's script fails the test."""
    failures: list[str] = []
    found = context.new_page()
    found.on("pageerror", lambda error: failures.append(str(error)))
    yield found
    assert failures == []


@pytest.fixture(scope="session")
def weighed(platform: RunningPlatform) -> dict:
    """A campaign of two systems that has been run to its end."""
    started = platform.start_campaign(
        small_experiment("seen-in-a-browser", "redis", "memcached", repetitions=5, clients=(1, 4))
    )
    return platform.wait_for_campaign(started["id"])


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker's script, from the frontend's own packages."""
    path = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
    return path.read_text(encoding="utf-8")
