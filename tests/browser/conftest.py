"""A real Chromium on the real platform, which all tests of this folder share.

Invented campaigns are filled into it when the first test asks for them. Machines of their own are
named by a label, so that they take no run of a test that measures.
"""

import datetime
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.browsing import CHROMIUM, FLAGS, WIDE, Sows, Window, sign_in
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import SCALES, Sown
from weighhouse_worker.seeding.sowing import sow
from weighhouse_worker.tools import Tools


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=30_000)  # the machine may be busy
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        yield found
        found.close()


@pytest.fixture(scope="session")
def signed_in(browser: Browser, platform: RunningPlatform) -> StorageState:
    """What a browser keeps once its user has signed in."""
    context = browser.new_context()
    sign_in(context.new_page(), platform.url, platform.email, platform.password)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def window(
    browser: Browser, platform: RunningPlatform, signed_in: StorageState
) -> Iterator[Window]:
    """Opens windows of a size and theme, closed afterwards; an error in a script fails the test.

    `signed=False`: of somebody who has not signed in. By default nothing moves, and the pages' own
    policy does not hold, so that a test may bring a script.
    """
    contexts = []
    failures: list[str] = []

    def opened(
        size: tuple[int, int] = WIDE, theme: str = "light", *, signed: bool = True, **more: Any
    ) -> Page:
        chosen = {"reduced_motion": "reduce", "bypass_csp": True} | more
        context = browser.new_context(
            base_url=platform.url,
            storage_state=signed_in if signed else None,
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if theme == "dark" else "light",
            **chosen,
        )
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert failures == []


@pytest.fixture
def page(window: Window) -> Page:
    """A page whose user is signed in, as the platform serves it."""
    return window(reduced_motion="no-preference", bypass_csp=False)


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
