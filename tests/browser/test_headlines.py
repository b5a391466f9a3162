"""A campaign is told of in one way: on pages, in lists, under the bell, on the command line."""

import datetime
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.browser import NARROW, WIDE, Window, looked_at
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import Sown
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

TWO = Sown(
    "invented-two-repeats", "Invented: two repeats", ("redis", "garnet"), (4, 16), repetitions=2
)
HALF = Sown(
    "invented-half-failed", "Invented: half failed", ("redis", "garnet"), (4, 16), repetitions=5,
    fates={("redis", 4): "failed", ("redis", 16): "failed"},
)  # fmt: skip
RANGE = re.compile(r"range(s)? of 2 repeats")
NOT_OF_TWO = re.compile(r"95\s*%")


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform with nothing else on it: what was weighed last is known."""
    with running_platform(agent=False) as running:
        settings = Settings(
            database_url=running.inner.database_url, redis_url=running.inner.redis_url
        )
        for one in (HALF, TWO):
            sow(Tools(settings), manifests(), [one], datetime.datetime.now(datetime.UTC), print)
        yield running


@pytest.fixture
def window(windows: Windows, house: RunningPlatform) -> Iterator[Window]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened


@pytest.fixture(scope="module")
def campaigns(house: RunningPlatform) -> dict[str, dict]:
    """By slug, with what each came to; the one of two repeats is the newest."""
    listed = house.request("GET", "/campaigns", params={"limit": 20})["items"]
    found = {one["experiment"]["slug"]: one for one in listed}
    told = house.request(
        "GET", "/headlines", params={"campaign": [found[one.slug]["id"] for one in (HALF, TWO)]}
    )
    return {
        one.slug: found[one.slug] | {"headline": headline}
        for one, headline in zip((HALF, TWO), told, strict=True)
    }


def said(place: Locator, headline: dict) -> None:
    """A place says what the campaign came to, word for word."""
    expect(place).to_contain_text(headline["sentence"])
    if headline["sure"]:
        expect(place).to_contain_text(f"How sure: {headline['sure']}.")
    if headline["failed"]:
        expect(place).to_contain_text(headline["failed"])


def card(page: Page, title: str) -> Locator:
    """The card with a heading."""
    heading = page.get_by_role("heading", name=title)
    return page.locator("section, article, div.card").filter(has=heading).last


@pytest.mark.parametrize("sown", [TWO, HALF], ids=lambda one: one.slug)
def test_page_comparison_bell_and_command_say_the_same(
    page: Page, house: RunningPlatform, campaigns: dict[str, dict], sown: Sown
) -> None:
    campaign = campaigns[sown.slug]
    headline = campaign["headline"]
    page.goto(f"/campaigns/{campaign['id']}")
    said(card(page, "What came out"), headline)
    header = page.locator("header").filter(has=page.get_by_role("heading", level=1))
    expect(header).to_contain_text(headline["badge"])
    expect(header).to_contain_text("gate: no base")

    page.goto(f"/compare?campaign={campaign['id']}")
    said(page.get_by_role("region", name="Answer"), headline)

    page.goto("/campaigns")
    row = page.get_by_role("row").filter(has_text=campaign["experiment"]["name"]).first
    expect(row).to_contain_text(headline["badge"])
    expect(row).to_contain_text("gate: no base")

    page.goto("/experiments")
    row = page.get_by_role("row").filter(has_text=campaign["experiment"]["name"]).first
    expect(row).to_contain_text(headline["badge"])

    verdict = weighhouse(house, "campaign", "verdict", campaign["id"], COLUMNS="200")
    assert headline["sentence"] in verdict.stdout
    assert headline["sure"] in verdict.stdout
    assert "gate: no base" in verdict.stdout
    listed = weighhouse(house, "campaign", "list", COLUMNS="250").stdout
    (line,) = [one for one in listed.splitlines() if campaign["id"] in one]
    assert headline["badge"] in line

    page.get_by_role("button", name=re.compile("^Notices")).click()
    bell = page.get_by_role("dialog", name="Notices").get_by_role("listitem")
    kept = bell.filter(has_text=campaign["experiment"]["name"]).first
    expect(kept).to_contain_text(f"is done: {headline['badge']}")


def test_the_overview_says_what_the_comparison_says_and_calls_a_range_a_range(
    window: Window, campaigns: dict[str, dict]
) -> None:
    page = window()
    campaign = campaigns[TWO.slug]
    headline = campaign["headline"]
    assert headline["badge"] == "Nobody can be said to lead"
    page.goto("/")
    last = card(page, f"{campaign['experiment']['name']} № {campaign['number']}")
    said(last, headline)
    expect(last).to_contain_text(RANGE)
    assert not NOT_OF_TWO.search(last.inner_text())
    looked_at(page, "overview of two repeats")

    last.get_by_role("link", name="Open the comparison").click()
    said(page.get_by_role("region", name="Answer"), headline)
    ledger = page.get_by_role("region", name="Ledger").or_(card(page, "Ledger")).first
    expect(ledger).to_contain_text(RANGE)
    bars = page.get_by_role("img", name=RANGE)
    expect(bars.first).to_be_visible()
    expect(page.get_by_role("img", name=NOT_OF_TWO)).to_have_count(0)


def test_half_of_the_runs_failed_is_said_before_who_leads(
    window: Window, campaigns: dict[str, dict]
) -> None:
    page = window()
    campaign = campaigns[HALF.slug]
    assert campaign["headline"]["badge"] == "Half failed: 10 of 20 runs"
    page.goto(f"/campaigns/{campaign['id']}")
    expect(page.get_by_text("Half failed: 10 of 20 runs").first).to_be_visible()
    why = card(page, "Why runs failed")
    expect(why.get_by_role("listitem")).to_have_count(1)
    expect(why).to_contain_text("invented: the server ended with status 137")
    expect(why.get_by_role("link", name="10 runs, the first")).to_be_visible()
    rows = page.get_by_role("table", name=re.compile("^Runs by workload")).get_by_role("rowheader")
    expect(rows).to_contain_text(["10 runs failed", "Garnet"])
    looked_at(page, "campaign half of which failed")
    why.get_by_role("link", name="10 runs, the first").click()
    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.get_by_text("invented: the server ended with status 137").first).to_be_visible()


def test_what_needs_somebody_is_read_before_the_campaigns(
    window: Window, campaigns: dict[str, dict]
) -> None:
    page = window()
    page.goto("/")
    needs = card(page, "Needs somebody")
    name = f"Invented: half failed № {campaigns[HALF.slug]['number']}"
    expect(needs.get_by_role("listitem")).to_have_count(1)
    expect(needs).to_contain_text("10 of 20 runs failed")
    recent = card(page, "Recent campaigns")
    for width, height in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": height})
        expect(needs).to_be_visible()
        above, below = needs.bounding_box(), recent.bounding_box()
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"], f"at {width}"
    first = page.get_by_role("main").get_by_role("heading", level=2).first
    expect(first).to_have_text("Needs somebody")
    needs.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def test_a_campaign_that_waits_says_why_and_what_comes_before_it(
    window: Window, house: RunningPlatform
) -> None:
    waiting = [
        house.start_campaign(small_experiment(slug, "redis", repetitions=2))["id"]
        for slug in ("waits-first", "waits-second")
    ]
    page = window()
    page.goto(f"/campaigns/{waiting[1]}")
    progress = page.get_by_role("region", name="Progress")
    before = "1 campaign of this project comes before it, with 2 runs still to measure."
    expect(progress).to_contain_text(before)
    expect(progress).to_contain_text("The next run waits: ")
    expect(page.get_by_text(re.compile("^asked for"))).to_be_visible()
    expect(page.get_by_text("never")).to_have_count(0)
    looked_at(page, "campaign that waits")
    house.request("POST", f"/campaigns/{waiting[0]}/cancel")
    expect(progress).not_to_contain_text("of this project")
    house.request("POST", f"/campaigns/{waiting[1]}/cancel")


def test_the_ledger_writes_ratios_in_one_way_and_says_of_what_they_are(
    page: Page, house: RunningPlatform, campaigns: dict[str, dict]
) -> None:
    campaign = campaigns[TWO.slug]
    found = house.request("GET", "/comparisons", params={"campaign": campaign["id"]})
    page.goto(f"/compare?campaign={campaign['id']}&figure=all&long=1")
    rows = page.get_by_role("table", name=re.compile("^Ledger")).locator("tbody tr.row")
    expect(rows).to_have_count(len(found["differences"]))
    ratios = rows.locator("td.ratio").all_inner_texts()
    assert all(re.fullmatch(r"(by blocks\s+)?[×÷][\d.]+", one.strip()) for one in ratios), ratios
    of_blocks = sum(one["basis"] == "blocks" for one in found["differences"])
    # Of all that are listed it is said once, above them.
    once = of_blocks == len(ratios)
    assert sum("by blocks" in one for one in ratios) == (0 if once else of_blocks)
    expect(page.get_by_text("Ratio: by blocks")).to_have_count(int(once))
