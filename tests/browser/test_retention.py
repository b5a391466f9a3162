"""The page of what is kept how long; campaigns that are kept, and deleted."""

import contextlib
import datetime
import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.browser import faults
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waits import until
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import Sown
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

PAGE = "/settings?tab=retention"
OLD = Sown("invented-old", "Invented: forty days ago", ("redis", "memcached"), (4,), repetitions=2)


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own, with a campaign of forty days ago."""
    with running_platform(agent=False) as running:
        inner = running.inner
        tools = Tools(Settings(database_url=inner.database_url, redis_url=inner.redis_url))
        then = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=40)
        sow(tools, manifests(), [OLD], then, print)
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process that is late by as long as the block takes."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def faults_at(page: Page, address: str, ready: str) -> list[str]:
    """What is wrong with a page, in both themes and sizes."""
    page.goto(address)
    expect(page.get_by_text(ready).first).to_be_visible()
    return faults(page, address)


def test_what_goes_is_said_before_and_what_is_kept_stays(
    page: Page, house: RunningPlatform
) -> None:
    (campaign,) = house.request("GET", "/campaigns")["items"]
    here = f"/campaigns/{campaign['id']}"
    page.goto(PAGE)
    expect(page.get_by_text("Nobody has set anything yet: everything is kept.")).to_be_visible()
    expect(page.get_by_role("button", name="Save rules")).to_be_disabled()
    page.get_by_label("Live events").fill("30")
    page.get_by_label("Live events").blur()
    expect(page.get_by_text("events would go now")).to_be_visible()

    page.goto(here)
    page.get_by_role("button", name="Keep it").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Because").fill("for the talk")
    dialog.get_by_role("button", name="Keep it").click()
    expect(page.get_by_text("Kept whole, whatever the rules: for the talk")).to_be_visible()
    assert faults_at(page, here, "Kept whole, whatever the rules") == []

    page.goto(PAGE)
    page.get_by_label("Live events").fill("30")
    page.get_by_label("Live events").blur()
    expect(page.get_by_text("1 campaign old enough, and passed over")).to_be_visible()
    expect(page.get_by_text("nothing would go now")).to_be_visible()
    page.get_by_role("button", name="Save rules").click()
    page.get_by_role("dialog").get_by_role("button", name="Save rules").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert house.request("GET", "/retention")["rules"]["events_days"] == 30
    assert faults_at(page, PAGE, "passed over") == []


def test_the_command_keeps_and_says_why_it_does_not_delete(house: RunningPlatform) -> None:
    (campaign,) = house.request("GET", "/campaigns")["items"]
    here = campaign["id"]
    neither = weighhouse(house, "campaign", "keep", here)
    assert neither.returncode == 2
    assert "say --because WHY, or --no-longer" in neither.stderr
    assert weighhouse(house, "campaign", "keep", here, "--because", "the paper").stdout == "kept\n"
    held = weighhouse(house, "campaign", "delete", here, "--because", "why", "--yes")
    assert held.returncode != 0
    assert "the paper" in held.stderr
    assert weighhouse(house, "campaign", "keep", here, "--no-longer").returncode == 0
    kept = house.request("GET", f"/campaigns/{here}/keeping")
    assert kept["kept"] is None
    house.request("PUT", f"/campaigns/{here}/keeping", json={"because": "for the talk"})


def test_a_campaign_is_deleted_with_a_reason(page: Page, house: RunningPlatform) -> None:
    (campaign,) = house.request("GET", "/campaigns")["items"]
    page.goto(f"/campaigns/{campaign['id']}")
    expect(page.get_by_text("It cannot be deleted:")).to_be_visible()
    page.get_by_role("button", name="No longer keep it").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Delete it")).to_be_disabled()
    dialog.get_by_label("Because").fill("it was invented")
    busy = dialog.get_by_role("button", name="Delete it")
    with stopped(house.pid("worker")):
        busy.click()
        keeping = f"/campaigns/{campaign['id']}/keeping"
        until("a deletion asked for", lambda: house.request("GET", keeping)["deletion"])
        expect(busy).to_have_attribute("aria-busy", "true")
    page.wait_for_url("**/campaigns")
    expect(page.get_by_text("Nothing has been weighed yet")).to_be_visible()
    page.goto(f"/campaigns/{campaign['id']}")
    expect(page.get_by_text("it was invented")).to_be_visible()
