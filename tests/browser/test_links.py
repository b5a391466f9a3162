"""Links say what they lead to: each is followed, and both ends are read: names, cells, figures."""

import datetime
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.printed_figures import plain
from weighhouse_testing.waits import until
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import Sown
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

NAME = "Invented: nights that links lead to"
NIGHTS = Sown(
    "invented-links", NAME, ("redis", "memcached"), (4, 16), repetitions=5, campaigns=14,
    shifts={"redis": {9: 0.9}}, versions={0: "7.0.15", 9: "7.2.1"},
)  # fmt: skip
BEFORE, FIRST, LAST = 9, 10, 14
"""Campaigns: the last before the shift, the first after it, the newest."""
ERRORS = re.compile(
    "There is no such|There is nothing here|could not be shown|Nothing is weighed at this address"
)

NOTHING_COMES = """() => ![...document.querySelectorAll("main .skeleton")]
  .some(one => one.getBoundingClientRect().top < innerHeight)"""
"""What is further down is asked for by who looks there."""


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform with nothing else on it: what stands first on its pages is known."""
    with running_platform(agent=False) as running:
        settings = Settings(
            database_url=running.inner.database_url, redis_url=running.inner.redis_url
        )
        sow(Tools(settings), manifests(), [NIGHTS], datetime.datetime.now(datetime.UTC), print)
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


@pytest.fixture(scope="module")
def alert(house: RunningPlatform) -> dict:
    """What the shift raised, with its range."""
    (one,) = house.request("GET", "/alerts")["items"]
    return house.request("GET", f"/alerts/{one['id']}")


@pytest.fixture(scope="module")
def newest(house: RunningPlatform) -> dict:
    """The newest campaign."""
    (one,) = [
        each
        for each in house.request("GET", "/campaigns", params={"limit": 200})["items"]
        if each["number"] == LAST
    ]
    return house.request("GET", f"/campaigns/{one['id']}")


def sides(page: Page) -> list[str]:
    """The sides that a comparison shows, in their order, without their marks."""
    named = page.get_by_role("list", name="Sides").locator(".name")
    expect(named.first).to_be_visible()
    return [plain(one.inner_text()).split(" ", 1)[1] for one in named.all()]


def ledger(page: Page) -> list[dict[str, str]]:
    """The rows of a comparison's ledger: cell, side, both figures."""
    table = page.get_by_role("table", name=re.compile("^Ledger"))
    expect(table).to_be_visible()
    if (more := page.get_by_role("button", name=re.compile("^Show all"))).count():
        more.first.click()
    rows = table.locator("tr.row").all()
    return [
        {
            "cell": plain(row.locator("th").inner_text()),
            "side": plain(row.locator(".side .label").inner_text()),
            "baseline": plain(row.locator("[data-label='baseline']").inner_text()),
            "this side": plain(row.locator("[data-label='this side']").inner_text()),
        }
        for row in rows
    ]


def only_row(page: Page, cell: str) -> dict[str, str]:
    """The row of a comparison's ledger, which is of one cell and nothing else."""
    rows = ledger(page)
    assert [row["cell"] for row in rows] == [cell], "other cells than the link's are compared"
    return rows[0]


def heading(page: Page) -> str:
    """The first heading, once the page is there: nothing in the window is being loaded."""
    first = page.get_by_role("heading", level=1)
    expect(first).to_be_visible()
    page.wait_for_function(NOTHING_COMES)
    page.wait_for_load_state("networkidle")
    return plain(first.inner_text())


def test_an_alert_compares_its_cell_before_and_after(
    page: Page, house: RunningPlatform, alert: dict
) -> None:
    lead = alert["change"]["lead"]
    page.goto(f"{house.url}/alerts?alert={alert['id']}")
    link = page.get_by_role("link", name=re.compile("^Compare before and after"))
    said = plain(link.inner_text())
    assert f"№ {BEFORE} and № {FIRST}, Redis, balanced, {lead['load_level']['label']}" in said
    figures = [plain(one.inner_text()) for one in page.locator(".end .figure").all()]
    link.click()
    assert sides(page) == [f"Redis 7.0.15 № {BEFORE} baseline", f"Redis 7.2.1 № {FIRST}"]
    assert heading(page).endswith(f": balanced, {lead['load_level']['label']}")
    row = only_row(page, f"balanced, {lead['load_level']['label']}")
    assert row["side"] == "Redis 7.2.1"
    assert [row["baseline"], row["this side"]] == figures
    verdict = page.get_by_role("region", name="Answer")
    expect(verdict).to_contain_text(re.compile("(of|in) 1 cell|1 of 1 cell"))
    expect(verdict).not_to_contain_text("Memcached")

    page.get_by_role("button", name="Show every cell").click()
    expect(page).not_to_have_url(re.compile("cell="))
    expect(page.locator("tr.row")).to_have_count(2)


def test_an_alert_leads_to_the_history_of_its_figure(
    page: Page, house: RunningPlatform, alert: dict
) -> None:
    change = alert["change"]
    label = change["lead"]["load_level"]["label"]
    page.goto(f"{house.url}/alerts?alert={alert['id']}")
    page.get_by_role("link", name="Whole history").click()
    shown = page.get_by_role("figure").filter(has_text=f"Redis, balanced, {label}")
    expect(shown).to_contain_text("Throughput")
    page.go_back()
    page.get_by_text("by the same cause").first.click()
    other = page.locator("details[open] li").filter(has_not_text="Throughput").first
    figure, place = other.get_by_role("link").inner_text(), plain(other.inner_text())
    other.get_by_role("link").click()
    title = page.get_by_role("figure").first
    expect(title).to_contain_text(figure)
    cell = re.search(r"balanced, \d+ clients?", place)
    assert cell is not None
    expect(title).to_contain_text(f"Redis, {cell[0]}")
    # What is chosen and listed there is the figure that is drawn.
    expect(page.get_by_label("Figure", exact=True)).to_have_text(figure)
    marked = page.locator("button.one[aria-pressed='true']")
    expect(marked).to_contain_text(f"Redis {cell[0]}", use_inner_text=True)


def test_a_series_that_its_filters_leave_out_is_shown_all_the_same(
    page: Page, house: RunningPlatform, alert: dict
) -> None:
    lead = alert["change"]["lead"]
    page.goto(f"{house.url}/history?series={lead['series_id']}&metric=p99_us&system=memcached")
    shown = page.get_by_role("figure").first
    expect(shown).to_contain_text(f"Redis, balanced, {lead['load_level']['label']}")
    expect(shown).to_contain_text("Throughput")


def test_a_point_is_compared_with_the_one_before(
    page: Page, house: RunningPlatform, alert: dict
) -> None:
    lead = alert["change"]["lead"]
    page.goto(f"{house.url}/history?series={lead['series_id']}&metric={lead['metric']}")
    point = page.get_by_role("button", name=re.compile("^№ \\d+, .*: open$"))
    point.focus()
    page.keyboard.press("End")
    at = page.get_by_role("button", name=re.compile(f"^№ {LAST}, .*: open$"))
    value = plain(at.get_attribute("aria-label") or "").split(": ")[1]
    page.keyboard.press("Enter")
    entry = page.get_by_role("menuitem", name=re.compile("^Compare with the point before"))
    expect(entry).to_have_text(re.compile(f"№ {LAST - 1}$"))
    entry.click()
    assert [re.match(r"Redis № \d+", one)[0] for one in sides(page)] == [  # type: ignore[index]
        f"Redis № {LAST - 1}",
        f"Redis № {LAST}",
    ]
    row = only_row(page, f"balanced, {lead['load_level']['label']}")
    assert row["this side"].startswith(value.split()[0])


def test_the_gate_compares_with_the_base_that_it_names(
    page: Page, house: RunningPlatform, newest: dict
) -> None:
    gate = house.request("GET", f"/campaigns/{newest['id']}/gate")
    base = house.request("GET", f"/campaigns/{gate['base_campaign_id']}")
    page.goto(f"{house.url}/campaigns/{newest['id']}")
    several = len(gate["base_campaign_ids"])
    name = f"the latest of its {several} bases" if several > 1 else "its base"
    table = page.get_by_role("table", name="Differences to the base campaign")
    expect(table).to_be_visible()
    after = {
        plain(row.locator("p").first.inner_text()): plain(
            row.get_by_role("cell").nth(2).inner_text()
        )
        for row in table.locator("tbody tr").all()
        if "throughput" in row.inner_text()
    }
    assert not re.search(r"by (blocks|campaigns)\S", table.inner_text())
    link = page.get_by_role("link", name=re.compile("^Compare with "))
    assert plain(link.inner_text()) == f"Compare with {name}"
    link.click()
    assert heading(page) == f"{NAME} № {LAST} against № {base['number']}"
    rows = {f"{row['side'].split()[0]}, {row['cell']}": row for row in ledger(page)}
    assert after
    assert {cell: rows[cell]["this side"] for cell in after} == after

    page.goto(gate["link"])
    against = f" against № {base['number']}" if several == 1 else ""
    assert heading(page) == f"{NAME} № {LAST}{against}"


def test_a_campaigns_comparison_is_of_its_targets(
    page: Page, house: RunningPlatform, newest: dict
) -> None:
    page.goto(f"{house.url}/campaigns/{newest['id']}")
    page.get_by_role("link", name="Compare the targets").click()
    assert heading(page) == f"{NAME} № {LAST}"
    assert [one.split()[0] for one in sides(page)] == ["Redis", "Memcached"]
    assert {row["cell"] for row in ledger(page)} == {"balanced, 4 clients", "balanced, 16 clients"}


def test_the_overview_shows_the_figures_of_the_comparison_that_it_leads_to(
    page: Page, house: RunningPlatform
) -> None:
    page.goto(f"{house.url}/")
    opened = page.get_by_role("link", name="Open the comparison")
    expect(opened).to_be_visible()
    said = [plain(one.inner_text()) for one in page.locator(".value strong").all()]
    opened.click()
    assert heading(page) == f"{NAME} № {LAST}"
    told = {one["cell"]: one for one in ledger(page)}
    cells = [told[f"balanced, {level}"] for level in ("4 clients", "16 clients")]
    assert [one[side] for side in ("baseline", "this side") for one in cells] == said


def test_a_run_is_the_one_whose_figure_the_link_says(
    page: Page, house: RunningPlatform, newest: dict
) -> None:
    page.goto(f"{house.url}/campaigns/{newest['id']}")
    dot = page.locator("a.run").nth(1)
    said = plain(dot.get_attribute("aria-label") or "")
    dot.click()
    expect(page).to_have_url(re.compile("/runs/"))
    heading(page)
    told = plain(page.get_by_role("main").inner_text())
    target, workload, load, repeat, *_ = said.split(", ")
    assert heading(page).lower() == f"{target}, {workload}, {load}".lower()
    assert repeat.split(":")[0] in told
    throughput = re.search(r"([\d.,]+) (k op/s|op/s|M op/s)", said)
    assert throughput is not None
    assert throughput[1] in told

    page.get_by_role("link", name=f"{NAME} № {LAST}").click()
    assert heading(page) == f"{NAME} № {LAST}"
    page.get_by_role("link", name="Compare the targets").click()
    ledger(page)
    page.get_by_role("button", name=re.compile("^Details: ")).first.click()
    run = page.locator("dd.runs a").first
    number, figure = plain(run.inner_text()).split(": ")
    run.click()
    expect(page).to_have_url(re.compile("/runs/"))
    heading(page)
    told = plain(page.get_by_role("main").inner_text())
    assert f"repeat {number}" in told
    assert figure.split()[0] in told


def test_a_notice_leads_to_what_it_tells(page: Page, house: RunningPlatform, alert: dict) -> None:
    # By how much is told as it was then; campaigns after it tell more exactly.
    what = alert["title"].partition(" by ")[0]

    def told() -> list[Locator]:
        page.goto(f"{house.url}/")
        page.get_by_role("button", name=re.compile("^Notices")).click()
        panel = page.get_by_role("dialog", name="Notices")
        expect(panel.get_by_role("listitem").first).to_be_visible()
        return panel.get_by_role("link").filter(has_text=what).all()

    (link, *_) = until("the alert is told of", told)
    link.click()
    expect(page.get_by_role("heading", level=2, name=alert["title"])).to_be_visible()
    expect(page).to_have_url(re.compile(f"alert={alert['id']}"))


def test_a_file_names_the_page_of_the_side_and_cell_that_it_is_of(
    page: Page, house: RunningPlatform, newest: dict
) -> None:
    side = f"{newest['id']}~memcached"
    of = ("--workload", "balanced", "--load", "16 clients")
    file = weighhouse(house, "histogram", "--side", side, *of)
    assert file.returncode == 0, file.stderr
    (address,) = set(re.findall(rf"{re.escape(house.url)}/compare\S+", file.stdout))
    page.goto(address)
    assert [one.split()[0] for one in sides(page)] == ["Memcached"]
    assert heading(page).endswith(": balanced, 16 clients")

    runs = house.request("GET", "/runs", params={"campaign_id": newest["id"]})["items"]
    run = next(one for one in runs if not one["measured_again"])
    cell = run["cell"]
    file = weighhouse(house, "histogram", run["id"])
    (address,) = set(re.findall(rf"{re.escape(house.url)}/runs\S+", file.stdout))
    page.goto(address)
    assert heading(page).lower().startswith(f"{cell['target']}, {cell['workload']}".lower())
    assert f"repeat {run['repetition']}" in plain(page.get_by_role("main").inner_text())


def links(place: Locator) -> dict[str, str]:
    """Addresses of our pages that a place links, each with what its link says."""
    return {
        str(one.get_attribute("href")): plain(one.get_attribute("aria-label") or one.inner_text())
        for one in place.locator("a[href^='/']:not([href^='/docs']):not([href^='/api'])").all()
    }


def kind(address: str) -> str:
    """What an address is of: ids left out."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", address)


def test_every_link_leads_to_a_page_that_shows_something(
    page: Page, house: RunningPlatform, newest: dict, alert: dict
) -> None:
    pages = [
        "/", "/experiments", "/campaigns", f"/campaigns/{newest['id']}", "/history", "/systems",
        f"/compare?campaign={newest['id']}", f"/alerts?alert={alert['id']}", "/compare", "/agents",
        f"/experiments/{NIGHTS.slug}?tab=campaigns", "/settings?tab=retention", "/studies",
    ]  # fmt: skip
    found: dict[str, tuple[str, str]] = {}
    for one in pages:
        page.goto(house.url + one)
        heading(page)
        for address, said in links(page.get_by_role("main")).items():
            found.setdefault(kind(address), (address, f"{one}: {said}"))
    assert len(found) > len(pages)
    wrong = []
    for address, said in found.values():
        page.goto(house.url + address)
        first = heading(page)
        number = re.search(r"№ (\d+)$", said)
        another = number is not None and f"№ {number[1]}" not in first
        if another or ERRORS.search(page.get_by_role("main").inner_text()):
            wrong.append(f"{said} leads to {address}: {first}")
    assert wrong == []
