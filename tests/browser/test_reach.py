"""Of a thousand campaigns each is reached: by clicks, by keyboard, by address, by search."""

import datetime
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.browser import looked_at
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.stored_campaigns import RARE, store_campaigns
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import SCALES
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

COUNT = 1_000
NAME = "Invented: three sides at a glance"
PAGES = "Pages of campaigns"
PART = 50
LISTED = re.compile(r"[0-9a-f-]{36} .*?№ (\d+)")
"""A line of the command's list."""


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own, with a thousand campaigns."""
    with running_platform(agent=False) as running:
        settings = Settings(
            database_url=running.inner.database_url, redis_url=running.inner.redis_url
        )
        tools = Tools(settings)
        end = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
        sow(tools, manifests(), SCALES["sides"](), end, print)
        with unit_of_work(tools.sessions) as session:
            project = session.scalars(select(Campaign.project_id)).one()
            store_campaigns(session, project, COUNT)
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


def shown(page: Page, words: str) -> None:
    """Wait until the list tells what it shows."""
    expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()
    expect(page.locator("#campaigns-list")).to_have_attribute("aria-busy", "false")


def rows(page: Page) -> list[int]:
    """Numbers of the campaigns on show."""
    expect(page.locator("#campaigns-list")).to_have_attribute("aria-busy", "false")
    names = page.locator("#campaigns-list tbody tr td:first-child a").all_inner_texts()
    return [int(found.group(1)) for name in names if (found := re.search(r"№ (\d+)", name))]


def way(page: Page, label: str, *, below: bool = False) -> Locator:
    """A link to another part of the list."""
    name = f"{PAGES}, below" if below else PAGES
    return page.get_by_role("navigation", name=name, exact=True).get_by_role("link", name=label)


def test_the_newest_and_the_first_are_three_clicks_away(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation").get_by_role("link", name="Campaigns", exact=True).click()
    shown(page, "№ 1000 to № 951, 50 of 1\u2009000 campaigns")
    assert rows(page) == list(range(COUNT, COUNT - PART, -1))
    way(page, "Oldest").click()
    shown(page, "№ 50 to № 1,")
    assert rows(page) == list(range(PART, 0, -1))
    page.get_by_role("link", name=re.compile(r"№ 1$")).click()
    expect(page.get_by_role("heading", level=1, name=f"{NAME} № 1", exact=True)).to_be_visible()
    page.go_back()
    shown(page, "№ 50 to № 1,")
    way(page, "Newest").click()
    shown(page, "№ 1000 to № 951")
    page.get_by_role("link", name=re.compile(f"№ {COUNT}$")).click()
    expect(page.get_by_role("heading", level=1, name=f"{NAME} № {COUNT}")).to_be_visible()


@pytest.mark.parametrize("number", [1, COUNT])
def test_the_first_and_the_newest_have_addresses(
    page: Page, house: RunningPlatform, number: int
) -> None:
    """Of its number in the list, and of the campaign itself, as the command gives it."""
    page.goto(f"/campaigns?q=%E2%84%96+{number}")
    shown(page, "1 campaign")
    assert rows(page) == [number]
    listed = weighhouse(house, "campaign", "list", f"№ {number}", COLUMNS="250").stdout
    (campaign,) = re.findall(r"^[0-9a-f-]{36}", listed, re.MULTILINE)
    page.goto(f"/campaigns/{campaign}")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{NAME} № {number}")


def test_every_campaign_is_on_some_page_and_each_page_has_an_address(page: Page) -> None:
    page.goto("/campaigns")
    shown(page, "№ 1000 to")
    seen = rows(page)
    while way(page, "Older").get_attribute("href"):
        way(page, "Older").click()
        shown(page, f"№ {seen[-1] - 1} to")
        seen += rows(page)
    assert seen == list(range(COUNT, 0, -1))
    address = page.url
    page.goto("/")
    page.goto(address)
    shown(page, "№ 50 to № 1,")
    way(page, "Newer", below=True).click()
    shown(page, "№ 100 to № 51")
    page.goto("/campaigns?page=oldest")
    shown(page, "№ 50 to № 1,")
    page.goto("/campaigns?q=%23500")
    shown(page, "1 campaign")
    assert rows(page) == [500]


def test_the_keyboard_is_at_the_lists_beginning_after_each_step(page: Page) -> None:
    page.goto("/campaigns")
    shown(page, "№ 1000 to")
    way(page, "Oldest", below=True).focus()
    page.keyboard.press("Enter")
    shown(page, "№ 50 to № 1,")
    expect(page.locator("#campaigns-list")).to_be_focused()
    expect(way(page, "Oldest")).to_have_attribute("aria-disabled", "true")
    way(page, "Newest").focus()
    page.keyboard.press("Tab")
    expect(way(page, "Newer")).to_be_focused()


def test_what_is_searched_and_narrowed_stands_in_the_address(page: Page) -> None:
    page.goto("/campaigns?page=oldest")
    shown(page, "№ 50 to № 1,")
    page.get_by_label("Search", exact=True).fill("№ 777")
    shown(page, "1 campaign")
    assert rows(page) == [777]
    expect(page).to_have_url(re.compile(r"/campaigns\?q=[^&]*777$"))
    page.reload()
    shown(page, "1 campaign")
    assert rows(page) == [777]
    page.get_by_role("button", name="Show all campaigns").click()
    shown(page, "№ 1000 to")
    page.get_by_label("Verdict", exact=True).click()
    page.get_by_role("option", name="Regression").click()
    shown(page, "1 campaign")
    assert rows(page) == [RARE + 1]
    page.goto("/campaigns?by=Ada&branch=rare")
    shown(page, "1 campaign")
    assert rows(page) == [RARE + 1]
    expect(page.get_by_label("Started by")).to_have_value("Ada")
    page.goto("/campaigns?branch=nowhere")
    expect(page.get_by_role("heading", name="No campaign is like that")).to_be_visible()
    page.get_by_role("button", name="Show all campaigns").last.click()
    expect(page).to_have_url(re.compile(r"/campaigns$"))
    shown(page, "№ 1000 to")


@pytest.mark.parametrize(
    ("address", "arguments"),
    [
        ("/campaigns", ()),
        ("/campaigns?page=oldest", ("--oldest",)),
        ("/campaigns?q=777", ("777",)),
        ("/campaigns?by=Ada", ("--by", "Ada")),
        ("/campaigns?branch=rare", ("--branch", "rare")),
        ("/campaigns?verdict=regression", ("--verdict", "regression")),
    ],
)
def test_page_and_command_list_the_same(
    page: Page, house: RunningPlatform, address: str, arguments: tuple[str, ...]
) -> None:
    page.goto(address)
    expect(page.locator("#campaigns-list tbody tr").first).to_be_visible()
    limit = str(PART)
    listed = weighhouse(house, "campaign", "list", *arguments, "--limit", limit, COLUMNS="250")
    assert listed.returncode == 0, listed.stderr
    by_command = [
        int(one) for one in re.findall(r"^[0-9a-f-]{36} .*?№ (\d+)", listed.stdout, re.MULTILINE)
    ]
    assert rows(page) == by_command
    assert by_command


def test_an_experiments_own_campaigns_are_reached_too(page: Page) -> None:
    page.goto("/experiments/invented-three-sides?tab=campaigns")
    shown(page, "№ 1000 to")
    way(page, "Oldest").click()
    shown(page, "№ 50 to № 1,")
    expect(page).to_have_url(re.compile(r"tab=campaigns"))


def test_a_comparison_begins_from_any_of_them(page: Page) -> None:
    page.goto("/compare")
    expect(page.get_by_role("heading", name="Which campaign?")).to_be_visible()
    page.get_by_label("Search campaigns").fill("#1")
    page.get_by_role("link", name=NAME).click()
    expect(page).to_have_url(re.compile(r"/compare\?campaign="))


@pytest.mark.parametrize(
    ("address", "there"),
    [
        ("/campaigns", "№ 1000 to"),
        ("/campaigns?page=oldest&by=Mia", "№ 51 to"),
        ("/settings?tab=audit", "entries"),
    ],
)
def test_the_lists_have_no_faults(page: Page, address: str, there: str) -> None:
    page.goto(address)
    expect(page.get_by_role("status").filter(has_text=there)).to_be_visible()
    looked_at(page, f"reach {address}")


def test_an_empty_list_has_no_faults(page: Page) -> None:
    page.goto("/campaigns?branch=nowhere")
    expect(page.get_by_role("heading", name="No campaign is like that")).to_be_visible()
    looked_at(page, "reach nowhere")
