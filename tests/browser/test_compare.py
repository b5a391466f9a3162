"""The comparison's page: who leads, how sure, with what caveat; all of it in the address."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import NARROW, WIDE, Window, complaints, faults
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.windows import Windows

MOST_HEIGHT = 2600
TABS = (
    "By clients", "Scaling", "Distribution", "Memory and disk", "Over time", "Ranks",
    "What it costs", "Not compared",
)  # fmt: skip
Opens = Callable[..., Page]


@pytest.fixture(scope="module")
def address(invented: Callable[[str], dict]) -> str:
    """Of one comparison of three sides, three levels, two workloads."""
    return f"/compare?campaign={invented('sides')['id']}"


@pytest.fixture
def opens(window: Window, address: str) -> Opens:
    """Opens the comparison, or another address of it, in a window of its own."""

    def opened(
        size: tuple[int, int] = WIDE, more: str = "", at: str | None = None, theme: str = "light"
    ) -> Page:
        page = window(size, theme, permissions=["clipboard-read", "clipboard-write"])
        page.goto(at or address + more)
        expect(page.get_by_role("region", name="Answer")).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("against throughput")).first).to_be_visible()
        return page

    return opened


def bottom(page: Page, role: str, name: str | re.Pattern[str]) -> float:
    """Lower edge of the first thing of a role and name, px from the top of the page."""
    box = page.get_by_role(role, name=name).first.bounding_box()  # type: ignore[arg-type]
    assert box is not None
    return box["y"] + box["height"]


def row(page: Page, side: str) -> str:
    """What the ledger says of a side, first row."""
    found = page.get_by_role("table", name=re.compile("^Ledger")).get_by_role("row")
    return found.filter(has_text=side).first.inner_text()


def test_the_first_screen_answers_and_the_page_is_short(opens: Opens) -> None:
    page = opens()
    verdict = page.get_by_role("region", name="Answer")
    expect(verdict).to_contain_text(re.compile(r"\w+ leads|Nobody leads"))
    expect(verdict).to_contain_text(re.compile(r"How sure: .* repeats a side"))
    expect(verdict).to_contain_text("Know first: ")
    expect(verdict).to_contain_text(
        re.compile(r"Memcached\s+(1st|2nd|3rd).*does (more|fewer) operations than Redis")
    )
    expect(verdict).to_contain_text(re.compile(r"\d of 6"))
    expect(verdict.get_by_role("region", name="Caveats")).to_contain_text("caveats")
    assert bottom(page, "region", "Answer") < WIDE[1]
    assert bottom(page, "region", "Caveats") < WIDE[1]
    assert bottom(page, "img", re.compile("against throughput")) < WIDE[1]
    assert page.evaluate("document.documentElement.scrollHeight") < MOST_HEIGHT


def test_a_phone_shows_one_curve_and_cards_with_workload_and_values(opens: Opens) -> None:
    page = opens(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    curves = page.get_by_role("img", name=re.compile("against throughput"))
    expect(curves).to_have_count(1)
    page.get_by_role("radio", name="read-heavy").check()
    expect(page.get_by_text("Load curve: read-heavy")).to_be_visible()
    expect(page).to_have_url(re.compile("workload=read-heavy"))
    card = row(page, "Memcached")
    assert "balanced, 1 client" in card
    assert len(re.findall(r"op/s", card)) == 2
    page.get_by_role("button", name=re.compile("^Details: balanced, 1 client")).first.click()
    expect(page.get_by_text("decided by")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]


def test_every_choice_is_in_the_address(opens: Opens) -> None:
    page = opens()
    page.get_by_role("radio", name="p50").check()
    page.get_by_role("button", name="More of Memcached").click()
    page.get_by_role("menuitem", name="Make it the baseline").click()
    expect(page.get_by_role("region", name="Answer")).to_contain_text("than Memcached")
    page.get_by_role("button", name=re.compile("^Dragonfly"), pressed=True).click()
    page.get_by_role("tab", name="Memory").click()
    page.get_by_role("radio", name="p99", exact=True).last.check()
    page.get_by_label("Search the ledger").fill("read-heavy redis")
    page.get_by_label("Envelope in ms").fill("0.2")
    page.get_by_label("Envelope in ms").press("Enter")
    expect(page).to_have_url(re.compile("find=read-heavy"))

    page.get_by_role("button", name="Copy address", exact=True).click()
    expect(page.get_by_text("address of this view is copied").first).to_be_visible()
    shared = page.evaluate("navigator.clipboard.readText()")
    assert page.url == shared
    for again in (opens(at=shared), page):
        if again is page:
            page.reload()
        expect(again.get_by_role("region", name="Answer")).to_contain_text("than Memcached")
        expect(again.get_by_role("region", name="Answer")).not_to_contain_text("Dragonfly")
        expect(again.get_by_role("radio", name="p50")).to_be_checked()
        expect(again.get_by_role("tab", name="Memory")).to_have_attribute("aria-selected", "true")
        expect(again.get_by_role("heading", name="Highest load with")).to_contain_text("200")
        expect(again.get_by_label("Search the ledger")).to_have_value("read-heavy redis")
        ledger = again.get_by_role("table", name=re.compile("^Ledger"))
        expect(ledger.get_by_role("rowheader")).to_have_count(3)
        expect(ledger).to_contain_text("µs")


def test_sides_are_compared_by_keyboard_alone(opens: Opens) -> None:
    page = opens()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("the next side becomes the baseline")
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()

    page.keyboard.press("b")
    expect(page.get_by_role("region", name="Answer")).to_contain_text("than Memcached")

    page.keyboard.press("j")
    page.keyboard.press("j")
    line = page.get_by_role("button", name=re.compile("^Details: balanced, 1 client")).nth(1)
    expect(line).to_be_focused()
    page.keyboard.press("Enter")
    expect(line).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_text("decided by")).to_be_visible()
    page.keyboard.press("k")
    expect(line).not_to_be_focused()

    slider = page.get_by_role("slider", name="Envelope, balanced")
    before = slider.get_attribute("aria-valuenow")
    slider.focus()
    page.keyboard.press("ArrowUp")
    expect(slider).not_to_have_attribute("aria-valuenow", before or "")
    expect(page).to_have_url(re.compile("envelope="))

    first = page.get_by_role("list", name="Sides").get_by_role("button", pressed=True).first
    expect(first).to_contain_text("Redis")
    first.focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(first).to_contain_text("Memcached")
    expect(page).to_have_url(re.compile("order="))


def test_a_caveat_highlights_what_it_concerns(opens: Opens) -> None:
    page = opens()
    chip = page.get_by_role("button", name=re.compile("Updates write the whole record")).first
    chip.focus()
    chip.click()
    expect(
        page.get_by_role("region", name="Answer")
        .get_by_role("listitem")
        .filter(has_text=re.compile(r"^.\s*Dragonfly\s"))
    ).to_have_class(re.compile("dimmed"))
    expect(
        page.get_by_role("region", name="Answer")
        .get_by_role("listitem")
        .filter(has_text=re.compile(r"^.\s*Memcached\s"))
    ).not_to_have_class(re.compile("dimmed"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_stands_back_is_still_read(opens: Opens, theme: str) -> None:
    page = opens(theme=theme)
    page.get_by_role("table", name=re.compile("^Ledger")).get_by_role("row").filter(
        has_text="Memcached"
    ).first.hover()
    expect(page.locator("li.reading.dimmed").first).to_be_visible()
    expect(page.locator("tbody.back").first).to_be_visible()
    assert complaints(page, "one side pointed at") == []


def test_the_lead_is_of_the_sides_and_the_figure_on_show(opens: Opens) -> None:
    page = opens()
    verdict = page.get_by_role("region", name="Answer")
    expect(verdict).to_contain_text("throughput")
    with page.expect_response(re.compile("/comparisons/answer.*hidden=2")) as answered:
        page.get_by_role("button", name=re.compile("^Dragonfly"), pressed=True).click()
    (lead,) = answered.value.json()["leads"]
    assert "Dragonfly" not in lead["sentence"] + lead["sure"]
    expect(verdict).to_contain_text(lead["sentence"])
    with page.expect_response(re.compile("/comparisons/answer.*figure=p99_us")) as answered:
        page.get_by_role("radio", name="p99", exact=True).last.check()
    (lead,) = answered.value.json()["leads"]
    assert "p99 latency" in lead["sentence"]
    expect(verdict).to_contain_text(lead["sentence"])


def test_a_side_of_the_campaign_is_left_out_and_set_beside_again(opens: Opens) -> None:
    page = opens()
    page.get_by_role("button", name="More of Dragonfly").click()
    page.get_by_role("menuitem", name="Leave out").click()
    expect(page.get_by_role("region", name="Answer")).not_to_contain_text("Dragonfly")
    page.get_by_role("button", name="side", exact=True).click()
    dialog = page.get_by_role("dialog", name="Add a side")
    dialog.get_by_role("combobox", name="Campaign").click()
    page.get_by_role("option", name=re.compile("three sides")).click()
    dialog.get_by_role("combobox", name="Target").click()
    expect(page.get_by_role("option", name=re.compile("Redis"))).to_have_attribute(
        "data-disabled", ""
    )
    page.get_by_role("option", name=re.compile("Dragonfly")).click()
    dialog.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("region", name="Answer")).to_contain_text("Dragonfly")


@pytest.fixture(scope="module")
def found(
    windows: Windows, platform: RunningPlatform, address: str
) -> dict[tuple[int, int], list[str]]:
    """What is wrong with the tabs, by size; each is opened once."""
    complained: dict[tuple[int, int], list[str]] = {WIDE: [], NARROW: []}
    with windows.lent(platform.url, (platform.email, platform.password)) as opened:
        page = opened()
        page.goto(address)
        page.get_by_role("button", name=re.compile("^Details")).first.click()
        for tab in TABS:
            page.get_by_role("tab", name=tab).click()
            for size in complained:
                complained[size] += faults(page, tab, [size])
    return complained


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_all_of_it_is_accessible(
    found: dict[tuple[int, int], list[str]], size: tuple[int, int]
) -> None:
    assert found[size] == []
