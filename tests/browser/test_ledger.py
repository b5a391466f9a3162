"""The ledger says what stands in it: ratios are of the figures beside them, and what lies between
two ends has one name on the page and in its file.
"""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Sows
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.printed_figures import ends, ends_of_ratio, overlap, plain
from weighhouse_worker.seeding.plan import Sown

SPANS = {2: "range of 2 repeats", 3: "range of 3 repeats", 4: "95 % interval"}
"""Repeats → what lies between their two ends."""
SOWN = {
    repeats: Sown(
        f"invented-{repeats}-repeats-read", f"Invented: {repeats} repeats, to read",
        ("redis", "garnet", "cassandra"), (4, 16), repetitions=repeats,
    )
    for repeats in SPANS
}  # fmt: skip
SPAN = re.compile(r"ranges? of \d+ repeats|\b95\s*%[^,.;]*")


@pytest.fixture(scope="module")
def campaigns(platform: RunningPlatform, sows: Sows) -> dict[int, str]:
    """Repeats → the campaign's id."""
    sows(*SOWN.values())

    def of(sown: Sown) -> str:
        (one,) = platform.request("GET", "/campaigns", params={"experiment": sown.slug})["items"]
        return str(one["id"])

    return {repeats: of(sown) for repeats, sown in SOWN.items()}


def ledger_of(page: Page, campaign: str, figure: str) -> list[dict[str, str]]:
    page.goto(f"/compare?campaign={campaign}&figure={figure}&long=1")
    table = page.get_by_role("table", name=re.compile("^Ledger"))
    expect(table).to_be_visible()
    # One row a cell and side: two loads, two sides beside the baseline.
    rows = table.locator("tbody tr.row")
    expect(rows).to_have_count(4)
    return [
        {
            "baseline": plain(row.locator("[data-label='baseline']").inner_text()),
            "this side": plain(row.locator("[data-label='this side']").inner_text()),
            "ratio": plain(row.locator("td.ratio").inner_text()),
            "bar": plain(row.get_by_role("img").first.get_attribute("aria-label") or ""),
        }
        for row in rows.all()
    ]


@pytest.mark.parametrize("figure", ["throughput", "p99_us"])
@pytest.mark.parametrize("repeats", SPANS)
def test_a_ratio_is_that_of_the_figures_beside_it_or_says_of_what(
    page: Page, campaigns: dict[int, str], repeats: int, figure: str
) -> None:
    told = 0
    for row in ledger_of(page, campaigns[repeats], figure):
        if not re.match("[×÷]", row["ratio"]):
            assert row["ratio"].startswith("by "), f"a ratio in another notation: {row}"
            continue
        told += 1
        (low, high), (least, most) = ends(row["baseline"]), ends(row["this side"])
        agrees = overlap((least / high, most / low), ends_of_ratio(row["ratio"]))
        assert agrees, f"{row['ratio']} beside {row['baseline']} and {row['this side']}"
    assert told, "no ratio of figures is shown"


@pytest.mark.parametrize("repeats", SPANS)
def test_what_lies_between_two_ends_has_one_name_on_page_and_in_files(
    page: Page, campaigns: dict[int, str], repeats: int, tmp_path: Path
) -> None:
    wanted = SPANS[repeats]
    rows = ledger_of(page, campaigns[repeats], "throughput")
    otherwise = [row["bar"] for row in rows if f", {wanted} " not in row["bar"]]
    assert not otherwise, f"of {repeats} repeats there is a {wanted}: {otherwise}"
    note = plain(page.locator("section, div").filter(has_text="Ratio: of the").last.inner_text())
    assert {one.replace("s ", " ", 1) for one in SPAN.findall(note)} <= {
        wanted, wanted.replace("interval", "intervals"),
    }, note  # fmt: skip
    for menu, item in (("Take away", "Ledger, CSV"), ("Export Load curve", "Figures, CSV")):
        page.get_by_role("button", name=menu, exact=menu == "Take away").first.click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=item).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        table = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        assert table
        if "from low to high" in table[0]:
            assert {row["from low to high"] for row in table} == {wanted}, path.name
        else:
            assert wanted.startswith("95") or not SPAN.search(str(table)), path.name
    page.goto(f"/campaigns/{campaigns[repeats]}")
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name="What came out")).to_be_visible()
    said = set(SPAN.findall(plain(main.inner_text())))
    assert {one for one in said if one.startswith("95")} == set() or repeats == 4, said
