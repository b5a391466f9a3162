"""Two settings of one system from a blank document: one is varied, by mouse or by keyboard."""

import re

from playwright.sync_api import Page, expect
from weighhouse_testing.platform import RunningPlatform

SIDES = ["Redis, appendfsync everysec", "Redis, appendfsync always"]


def blank(page: Page, name: str) -> None:
    page.goto("/experiments/new")
    page.get_by_role("button", name="Begin blank").click()
    page.get_by_label("Name", exact=True).first.fill(name)


def saved_targets(platform: RunningPlatform, slug: str) -> list[dict]:
    (revision,) = platform.request("GET", f"/experiments/{slug}/revisions")["items"]
    return revision["document"]["targets"]


def require_sides(page: Page, platform: RunningPlatform, slug: str) -> None:
    """Both settings are sides, called by what differs: in the editor, its plan, and when saved."""
    targets = page.get_by_role("region", name="Targets")
    for side in SIDES:
        expect(targets.get_by_role("button", name=side, exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(f"/experiments/{slug}$"))
    said = [
        (one["name"], one["parameters"].get("appendfsync")) for one in saved_targets(platform, slug)
    ]
    assert said == [("redis", "everysec"), ("redis-always", "always")]


def test_two_settings_from_blank(page: Page, platform: RunningPlatform) -> None:
    blank(page, "Log forced or not")
    expect(page.get_by_label("Slug")).to_have_value("log-forced-or-not")
    page.get_by_role("button", name="Add a target").click()
    page.get_by_role("menuitem", name="Redis", exact=True).click()
    targets = page.get_by_role("region", name="Targets")
    expect(targets.get_by_label("Name", exact=True)).to_be_focused()

    page.get_by_role("button", name=re.compile("^Vary one setting of")).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Vary one setting of"))
    dialog.get_by_label("Search settings").fill("appendfsync")
    dialog.get_by_role("button", name="appendfsync Log synchronisation").click()
    dialog.get_by_label("no", exact=True).uncheck()
    dialog.get_by_role("button", name="Make 2 targets").click()
    for side in SIDES:
        expect(targets.get_by_role("button", name=side, exact=True)).to_be_visible()
    expect(targets.get_by_label("Name", exact=True).last).to_be_focused()

    clients = page.get_by_label("Clients that wait for their answers")
    clients.fill("1, 8, 32")
    plan = page.get_by_role("complementary", name="Plan")
    expect(plan).to_contain_text("in 6 cells")
    page.get_by_role("button", name="Save the experiment").click()
    expect(page.get_by_role("heading", level=1, name="Log forced or not")).to_be_visible()
    require_sides(page, platform, "log-forced-or-not")


def test_two_settings_by_keyboard_alone(page: Page, platform: RunningPlatform) -> None:
    page.goto("/experiments/new")
    page.get_by_role("button", name="Begin blank").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name", exact=True).first).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("By keys alone")
    page.get_by_role("button", name="Add a target").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.type("redis")
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("region", name="Targets").get_by_label("Name", exact=True)
    ).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name=re.compile("^Vary one setting of"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Search settings")).to_be_focused()
    page.keyboard.type("appendfsync")
    page.keyboard.press("Enter")
    no = page.get_by_role("dialog").get_by_label("no", exact=True)
    no.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for side in SIDES:
        expect(page.get_by_role("button", name=side, exact=True)).to_be_visible()
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", level=1, name="By keys alone")).to_be_visible()
    require_sides(page, platform, "by-keys-alone")


def test_what_is_wrong_is_led_to_in_our_words(page: Page) -> None:
    blank(page, "Nothing to weigh")
    page.get_by_label("Measured").fill("-1")
    page.keyboard.press("Control+s")
    problem = page.get_by_role("complementary", name="Plan").get_by_role(
        "button", name=re.compile("measure_seconds")
    )
    expect(problem).to_contain_text("is too small")
    problem.click()
    expect(page.get_by_label("Measured")).to_be_focused()


def test_settings_are_found_by_the_products_names_and_twins_are_told(
    page: Page, platform: RunningPlatform
) -> None:
    blank(page, "Twins")
    page.get_by_role("button", name="Add a target").click()
    page.get_by_role("menuitem", name="Redis", exact=True).click()
    targets = page.get_by_role("region", name="Targets")
    targets.get_by_text("Parameters of Redis").click()
    search = targets.get_by_label("Search Parameters of Redis")
    search.fill("maxmemory-policy")
    expect(targets.get_by_label("maxmemory-policy")).to_be_visible()
    expect(targets.get_by_label("appendonly")).to_have_count(0)
    search.fill("")
    targets.get_by_role("switch", name="appendonly Append-only log").click()
    targets.get_by_role("switch", name=re.compile("^Only changed")).click()
    expect(targets.get_by_label("maxmemory-policy")).to_have_count(0)
    expect(targets.get_by_role("switch", name="appendonly Append-only log")).to_be_checked()

    targets.get_by_role("button", name=re.compile("^Duplicate")).click()
    plan = page.get_by_role("complementary", name="Plan")
    expect(plan).to_contain_text("1 target the same as another")
    expect(plan).not_to_contain_text("The sides differ only where they should")
