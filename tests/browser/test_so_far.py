"""What is still measured says so wherever it is read, and loses the mark with its end, unasked; two
settings of one system have their names in all of these places.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect
from typer.testing import CliRunner
from weighhouse_cli.whole import app
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import until

NAMES = ("Redis, appendfsync always", "Redis, appendfsync everysec")
IDENTIFIER = "redis-2"
SO_FAR = re.compile(
    r"so far, (\d+) of (\d+) runs, paused, at \d{4}-\d\d-\d\d \d\d:\d\d UTC", re.IGNORECASE
)
Takes = Callable[[Page, str, str], tuple[str, str]]


def settings(slug: str, repetitions: int) -> str:
    """Redis twice: its log is written through at once, and once a second."""
    document = yaml.safe_load(small_experiment(slug, repetitions=repetitions, clients=(1, 4)))
    document["targets"] = [
        {
            "name": name,
            "system": "redis",
            "parameters": {"appendonly": True, "appendfsync": appendfsync},
        }
        for name, appendfsync in (("redis", "always"), (IDENTIFIER, "everysec"))
    ]
    return yaml.safe_dump(document)


@pytest.fixture(scope="module")
def halfway(platform: RunningPlatform) -> Iterator[str]:
    """A campaign that stands half-way: paused, with nothing on the scales."""
    campaign = platform.start_campaign(settings("half-way", 4))["id"]

    def some_measured() -> bool:
        return platform.campaign(campaign)["runs"]["completed"] >= 6

    def nothing_running() -> bool:
        return platform.campaign(campaign)["runs"]["running"] == 0

    until("some runs are measured", some_measured)
    platform.request("POST", f"/campaigns/{campaign}/pause")
    until("nothing is on the scales", nothing_running)
    assert platform.campaign(campaign)["status"] == "running"
    yield campaign
    if platform.campaign(campaign)["paused"]:
        platform.request("POST", f"/campaigns/{campaign}/resume")
    platform.wait_for_campaign(campaign)


@pytest.fixture
def takes(tmp_path: Path) -> Takes:
    """What an export of the page gives: the name of the file, and what stands in it."""

    def taken(page: Page, menu: str, item: str) -> tuple[str, str]:
        page.get_by_role("button", name=menu, exact=menu == "Take away").first.click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=item).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path.name, path.read_bytes().decode("utf-8", "replace")

    return taken


@pytest.fixture
def ended(platform: RunningPlatform, halfway: str) -> str:
    """The same campaign, measured to its end."""
    if platform.campaign(halfway)["paused"]:
        platform.request("POST", f"/campaigns/{halfway}/resume")
    platform.wait_for_campaign(halfway)
    return halfway


def every_file(page: Page, takes: Takes) -> Iterator[tuple[str, str]]:
    """Each file of figures that a comparison's tabs offer, with its name; histograms among them."""
    for tab in ("By clients", "Scaling", "Distribution", "Memory and disk", "Over time"):
        page.get_by_role("tab", name=tab, exact=True).click()
        shown = page.get_by_role("tabpanel", name=tab)
        charts = shown.get_by_role("button", name=re.compile("^Export "))
        expect(charts.first).to_be_visible()
        for menu in dict.fromkeys(one.get_attribute("aria-label") for one in charts.all()):
            yield takes(page, str(menu), "Figures, CSV")
    page.get_by_role("tab", name="Distribution", exact=True).click()
    for form in ("hgrm", "hlog"):
        yield takes(page, "Export Percentile spectra", f"Histogram of {NAMES[1]}, .{form}")


def said(platform: RunningPlatform, *arguments: str) -> str:
    """What the command prints."""
    access = {
        "WEIGHHOUSE_URL": platform.url,
        "WEIGHHOUSE_TOKEN": platform.token,
        "COLUMNS": "240",
    }
    done = CliRunner().invoke(app, arguments, env=access)
    assert done.exit_code == 0, done.output
    return done.output


def test_every_file_says_it(page: Page, halfway: str, takes: Takes) -> None:
    page.goto(f"/compare?campaign={halfway}")
    files = dict(every_file(page, takes))
    assert {Path(name).suffix for name in files} == {".csv", ".hgrm", ".hlog"}
    silent = [
        name
        for name, text in files.items()
        if not name.startswith("so-far-") or not SO_FAR.search(text)
    ]
    assert not silent, f"of {len(files)} files these do not say that more may come: {silent}"


def test_page_picture_file_and_command_say_it_until_the_end(
    page: Page, platform: RunningPlatform, halfway: str, takes: Takes
) -> None:
    page.goto(f"/campaigns/{halfway}")
    for title in ("What came out", "Matrix"):
        card = page.locator("section, article, div.card").filter(
            has=page.get_by_role("heading", name=title, exact=True)
        )
        expect(card.last).to_contain_text(re.compile(r"so far \d+ of 16 runs, paused"))
    expect(page.get_by_role("main")).to_contain_text("Nothing: it is paused")
    page.goto(f"/compare?campaign={halfway}")
    verdict = page.get_by_role("region", name="Answer")
    expect(verdict).to_contain_text(re.compile(r"so far \d+ of 16 runs, paused, at "))
    expect(page).to_have_title(re.compile(r"\(so far\)"))
    chart = page.get_by_role("figure").filter(has_text="against throughput").first
    expect(chart.get_by_text("so far", exact=True)).to_be_visible()

    name, ledger = takes(page, "Take away", "Ledger, CSV")
    first = ledger.splitlines()[0]
    found = SO_FAR.search(first)
    assert found, f"the file does not say that more may come: {first}"
    assert name.startswith(f"so-far-{found[1]}-of-16-runs-paused-at-")
    name, picture = takes(page, "Export Load curve", "Picture, SVG")
    assert SO_FAR.search(picture)
    assert name.startswith("so-far-")
    assert takes(page, "Export Load curve", "Picture, PNG")[0].startswith("so-far-")
    name, everything = takes(page, "Take away", "Everything, JSON")
    assert name.startswith("so-far-")
    assert SO_FAR.fullmatch(json.loads(everything)["completeness"]["words"])
    assert SO_FAR.match(said(platform, "campaign", "cost", halfway))

    # To its end: nobody reloads the page.
    platform.request("POST", f"/campaigns/{halfway}/resume")
    platform.wait_for_campaign(halfway)
    expect(verdict).not_to_contain_text("so far")
    expect(page).to_have_title(re.compile(r"^(?!.*so far)"))
    expect(chart.get_by_text("so far", exact=True)).to_have_count(0)
    for menu, item in (
        ("Take away", "Ledger, CSV"),
        ("Export Load curve", "Picture, SVG"),
        ("Take away", "Everything, JSON"),
    ):
        name, text = takes(page, menu, item)
        assert "so-far" not in name
        assert not SO_FAR.search(text)
    whole = platform.request("GET", "/comparisons", params={"campaign": halfway})
    assert {len(cell["repeats"]) for cell in whole["cells"]} == {4}
    expect(verdict).to_contain_text(whole["leads"][0]["sentence"])
    assert "so far" not in said(platform, "campaign", "cost", halfway)


def test_no_file_says_it_after_the_end(page: Page, ended: str, takes: Takes) -> None:
    page.goto(f"/compare?campaign={ended}")
    files = dict(every_file(page, takes))
    assert {Path(name).suffix for name in files} == {".csv", ".hgrm", ".hlog"}
    said_still = [
        name
        for name, text in files.items()
        if "so-far" in name or re.search("so far", text, re.IGNORECASE)
    ]
    assert not said_still


def test_two_settings_have_their_names_in_page_picture_file_and_command(
    page: Page, platform: RunningPlatform, halfway: str, takes: Takes
) -> None:
    page.goto(f"/compare?campaign={halfway}")
    main = page.get_by_role("main")
    sides = main.get_by_role("list", name="Sides")
    for name in NAMES:
        expect(sides.get_by_text(name, exact=True)).to_be_visible()
    expect(main.get_by_role("figure").first).to_be_visible()
    assert IDENTIFIER not in main.inner_text()
    files = [
        takes(page, "Take away", "Ledger, CSV"),
        takes(page, "Export Load curve", "Picture, SVG"),
        takes(page, "Export Load curve", "Figures, CSV"),
    ]
    for name, text in files:
        assert IDENTIFIER not in name
        assert all(one in text for one in NAMES), name
        # Addresses lead to targets by what they are called there.
        assert IDENTIFIER not in re.sub(r"https?://\S+", "", text)
    for command in ("cost", "watch"):
        told = said(platform, "campaign", command, halfway)
        missing = [one for one in NAMES if one not in told]
        assert not missing, f"campaign {command} calls these otherwise: {missing}"
        assert IDENTIFIER not in told, command
    page.goto(f"/campaigns/{halfway}")
    matrix = page.get_by_role("table", name=re.compile("^Runs by workload"))
    for name in NAMES:
        expect(matrix).to_contain_text(name)
    expect(page.get_by_role("region", name="Publication")).to_contain_text("; ".join(NAMES))
    assert IDENTIFIER not in page.get_by_role("main").inner_text()


def test_two_settings_are_called_alike_in_their_history_and_their_runs(
    page: Page, platform: RunningPlatform, ended: str, takes: Takes
) -> None:
    """In the words of the comparison."""
    page.goto(f"/compare?campaign={ended}")
    sides = page.get_by_role("main").get_by_role("list", name="Sides").get_by_role("listitem")
    for name in NAMES:
        expect(sides.filter(has_text=name)).to_have_count(1)
    page.goto("/history?find=half+way")
    main = page.get_by_role("main")
    listed = main.get_by_role("button", pressed=None).filter(has_text="Half way")
    expect(listed).to_have_count(4)
    for name in NAMES:
        expect(listed.filter(has_text=name)).to_have_count(2)
        one = listed.filter(has_text=name).first
        one.click()
        expect(one).to_have_attribute("aria-pressed", "true")
        chart = main.get_by_role("figure").filter(has_text=name)
        expect(chart).to_be_visible()
        file, text = takes(page, f"Export {name}", "Figures, CSV")
        assert name in text, file
        assert IDENTIFIER not in file
        assert IDENTIFIER not in re.sub(r"https?://\S+", "", text)
    assert IDENTIFIER not in main.inner_text()
    cells = platform.campaign(ended)["cells"]
    for name, target in zip(NAMES, ("redis", IDENTIFIER), strict=True):
        run = next(cell["runs"][0]["id"] for cell in cells if cell["target"] == target)
        page.goto(f"/runs/{run}")
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"{name}, balanced, ")
        expect(page).to_have_title(re.compile(f"^{re.escape(name)}, balanced, "))
        file, text = takes(page, "Export Throughput", "Figures, CSV")
        assert name in text, file
        assert IDENTIFIER not in file
