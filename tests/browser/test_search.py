"""Search and help, by keyboard and by address, and the command that asks the same."""

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect
from typer.testing import CliRunner
from weighhouse_cli.remote import app
from weighhouse_testing.browser import NARROW, WIDE, Window, looked_at
from weighhouse_testing.platform import RunningPlatform

SEARCH = re.compile(r"/api/v1/search\?")


def opened(page: Page) -> None:
    """Search is open, and its field has the keyboard."""
    page.get_by_role("heading", level=1).wait_for()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search everything")).to_be_focused()


def chosen(page: Page) -> str:
    """Text of the line that Enter would open."""
    field = page.get_by_role("combobox", name="Search everything")
    return page.locator(f"[id='{field.get_attribute('aria-activedescendant')}']").inner_text()


def test_the_keyboard_alone_leads_to_what_is_searched(page: Page, weighed: dict) -> None:
    page.goto("/")
    opened(page)
    page.keyboard.type(weighed["experiment"]["name"][:8])
    group = page.get_by_role("group", name="Experiments")
    group.get_by_role("option").first.wait_for()
    expect(page.locator("[data-highlighted]")).to_have_count(1)
    first = chosen(page)
    page.keyboard.press("ArrowDown")
    assert chosen(page) != first
    page.keyboard.press("ArrowUp")
    assert chosen(page) == first
    assert weighed["experiment"]["name"] in first
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/experiments/{weighed['experiment']['slug']}$"))
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_page_is_gone_to_by_its_name(page: Page, weighed: dict) -> None:
    del weighed
    page.goto("/")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("combobox", name="Search everything").wait_for()
    page.keyboard.type("hist")
    expect(page.locator("[data-highlighted]")).to_have_text("History")
    expect(page.get_by_role("option", name=re.compile("Everything that has"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/history$"))


def test_search_is_accessible_and_fits(window: Window, weighed: dict) -> None:
    for size in (WIDE, NARROW):
        page = window(size)
        page.goto("/")
        opened(page)
        looked_at(page, f"search open {size[0]}")
        page.keyboard.type(weighed["experiment"]["name"][:8])
        page.get_by_role("group", name="Experiments").wait_for()
        looked_at(page, f"search found {size[0]}")
        page.get_by_role("combobox", name="Search everything").fill("zzyzx")
        page.get_by_text("Nothing has all of “zzyzx”").wait_for()
        looked_at(page, f"search nothing {size[0]}")


def test_what_fails_is_said_and_asked_again(page: Page, weighed: dict) -> None:
    page.goto("/")
    opened(page)
    page.route(SEARCH, lambda route: route.abort())
    page.keyboard.type("redis")
    again = page.get_by_role("dialog").get_by_role("button", name="Try again")
    again.wait_for()
    expect(page.get_by_text("Failed to fetch")).to_have_count(0)
    page.unroute(SEARCH)
    again.click()
    page.get_by_role("group", name="Systems").get_by_role("option").first.wait_for()
    page.get_by_role("combobox", name="Search everything").fill("a b c d e f g h i")
    expect(page.get_by_role("dialog")).to_contain_text("up to 8 words")
    del weighed


def test_a_question_that_is_overtaken_is_ended(page: Page, weighed: dict) -> None:
    del weighed
    page.goto("/")
    opened(page)
    held: list[Route] = []
    ended: list[str] = []
    page.on("requestfailed", lambda request: ended.append(request.url))
    page.route(
        SEARCH,
        lambda route: held.append(route) if "q=re&" in route.request.url else route.continue_(),
    )
    with page.expect_request(lambda request: "q=re&" in request.url):
        page.keyboard.type("re")
    with page.expect_response(lambda answer: "q=redis&" in answer.url):
        page.keyboard.type("dis")
    page.get_by_role("group", name="Systems").get_by_role("option").first.wait_for()
    assert any("q=re&" in url for url in ended)


def test_who_is_faster_than_the_answer_comes_to_its_page(page: Page, weighed: dict) -> None:
    del weighed
    page.goto("/")
    opened(page)
    page.route(SEARCH, lambda route: None)
    page.keyboard.type("redis")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=redis$"))
    page.unroute(SEARCH)


def test_a_page_of_search_has_its_words_in_the_address(page: Page, weighed: dict) -> None:
    name = weighed["experiment"]["name"]
    page.goto(f"/search?q={quote(name)}")
    found = page.get_by_role("region", name="Experiments")
    found.get_by_role("link").filter(has_text=name).first.wait_for()
    field = page.get_by_role("searchbox", name="Search everything")
    expect(field).to_have_value(name)
    field.fill("redis")
    expect(page).to_have_url(re.compile(r"/search\?q=redis$"))
    page.get_by_role("region", name="Help").get_by_role("button", name="All help").click()
    expect(page).to_have_url(re.compile(r"kind=help"))
    expect(page.get_by_role("region", name="Systems")).to_have_count(0)
    page.get_by_role("region", name="Help").get_by_role("link").first.wait_for()
    page.reload()
    page.get_by_role("button", name="All kinds").click()
    page.get_by_role("region", name="Systems").wait_for()
    page.wait_for_load_state("networkidle")  # nothing moves below the pointer any more
    page.get_by_role("region", name="Systems").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/systems/"))


def test_help_opens_beside_the_page_that_asks(page: Page, weighed: dict) -> None:
    page.goto(f"/campaigns/{weighed['id']}")
    heading = page.get_by_role("heading", level=1)
    said = heading.inner_text()
    page.get_by_role("button", name="Help").click()
    panel = page.get_by_role("dialog", name="Help")
    panel.get_by_role("heading", level=2).first.wait_for()
    panel.get_by_role("searchbox", name="Search the help").fill("noise floor")
    panel.get_by_role("link").filter(has_text="Glossary").first.click()
    word = panel.locator("#help-noise-floor")
    expect(word).to_be_focused()
    expect(word).to_be_in_viewport()
    expect(heading).to_have_text(said)
    panel.get_by_role("button", name="Back").click()
    expect(word).to_have_count(0)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("button", name="Help")).to_be_focused()


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_help_is_accessible_and_fits(window: Window, weighed: dict, size: tuple[int, int]) -> None:
    page = window(size)
    page.goto(f"/campaigns/{weighed['id']}")
    page.get_by_role("heading", level=1).wait_for()
    page.get_by_role("button", name="Help").click()
    page.get_by_role("dialog", name="Help").get_by_role("heading", level=2).first.wait_for()
    looked_at(page, f"help beside {size[0]}")


def test_a_page_of_the_help_opens_at_its_section(page: Page) -> None:
    page.goto("/help/glossary#base")
    expect(page.locator("#help-base")).to_be_focused()
    page.get_by_role("navigation", name="Help").get_by_role("link", name="All pages").click()
    page.get_by_role("link", name="Verdicts", exact=True).click()
    expect(page).to_have_url(re.compile(r"/help/verdicts$"))
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Help")
    page.goto("/help/nothing-of-the-kind")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page of the help")


def test_the_command_finds_the_same(platform: RunningPlatform, weighed: dict) -> None:
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token, "COLUMNS": "200"}

    def asked(*words: str) -> str:
        ran = CliRunner().invoke(app, ["search", *words], env=access)
        assert ran.exit_code == 0, (ran.output, ran.exception)
        return ran.output

    name, slug = weighed["experiment"]["name"], weighed["experiment"]["slug"]
    shown = asked(*name.split())
    assert "Experiments" in shown
    assert f"{platform.url}/experiments/{slug}" in shown
    found = json.loads(asked("redis", "--kind", "system", "--json"))
    assert [group["kind"] for group in found["groups"]] == ["system"]
    assert "nothing has all of: zzyzx" in asked("zzyzx")
    wrong = CliRunner().invoke(app, ["search", "x", "--kind", "person"], env=access)
    assert wrong.exit_code == 2
    assert "is no kind" in wrong.output
