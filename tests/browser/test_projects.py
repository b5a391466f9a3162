"""Projects on their page and by command: made, renamed, archived, brought back."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from weighhouse_cli.exits import Exit
from weighhouse_testing.browser import WIDE, looked_at
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own: others would have its projects."""
    with running_platform(agent=False) as running:
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


def row(page: Page, slug: str) -> Locator:
    return page.get_by_role("row").filter(has=page.locator(f"code:text-is('{slug}')"))


def stands(page: Page, slug: str, state: str) -> None:
    """A project's row shows one state; what it has for another width is not seen."""
    other = {"archived": "in use", "in use": "archived"}[state]
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    expect(row(page, slug)).to_contain_text(state, use_inner_text=True)
    expect(row(page, slug)).not_to_contain_text(other, use_inner_text=True)


def menu(page: Page) -> list[str]:
    """What the project menu offers."""
    page.locator("button.project").click()
    expect(page.get_by_role("menu")).to_be_visible()
    offered = page.get_by_role("menuitem").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    return offered


def test_a_project_is_made_renamed_archived_and_brought_back(page: Page) -> None:
    page.goto("/")
    page.locator("button.project").click()
    page.get_by_role("menuitem", name="All projects").click()
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Storage team")
    expect(dialog.get_by_label("Slug")).to_have_value("storage-team")
    looked_at(page, "new project")
    dialog.get_by_role("button", name="Make the project").click()
    stands(page, "storage-team", "in use")
    assert menu(page) == ["Main", "Storage team", "All projects…"]

    page.get_by_role("button", name="New project").click()
    dialog.get_by_label("Name").fill("Another")
    dialog.get_by_label("Slug").fill("storage-team")
    dialog.get_by_role("button", name="Make the project").click()
    expect(dialog.get_by_role("alert")).to_contain_text("take another slug")
    dialog.get_by_label("Slug").fill("Big Letters")
    expect(dialog.get_by_role("alert")).to_contain_text("small letters")
    expect(dialog.get_by_role("button", name="Make the project")).to_be_disabled()
    dialog.get_by_role("button", name="Not now").click()

    page.get_by_role("button", name="Rename Storage team").click()
    dialog.get_by_label("Name").fill("Storage")
    dialog.get_by_role("button", name="Rename").click()
    expect(row(page, "storage-team")).to_contain_text(re.compile(r"Storage\s"))

    page.get_by_role("button", name="Archive Storage").click()
    expect(dialog).to_contain_text("Nothing is deleted")
    expect(dialog).to_contain_text("Schedules stand still")
    looked_at(page, "archive a project")
    dialog.get_by_role("button", name="Archive it").click()
    stands(page, "storage-team", "archived")
    looked_at(page, "projects")
    assert menu(page) == ["Main", "All projects…"], "it has left the menu"

    page.get_by_role("button", name="Show Storage").click()
    said = page.get_by_role("status").filter(has_text="Storage is archived")
    expect(said).to_contain_text("nothing new is measured in it")
    looked_at(page, "an archived project")
    said.get_by_role("link", name="bring it back").click()
    page.get_by_role("button", name="Bring back Storage").click()
    stands(page, "storage-team", "in use")
    expect(said).to_have_count(0)
    page.goto("/settings?tab=audit")
    for action in ("project.created", "project.renamed", "project.archived", "project.restored"):
        expect(page.get_by_role("table", name="Audit log")).to_contain_text(action)


def test_the_same_is_done_by_command(page: Page, house: RunningPlatform) -> None:
    made = weighhouse(house, "project", "create", "by-command", "--name", "By command")
    assert made.returncode == Exit.INVALID, "the token is a project's"
    assert "personal token" in made.stderr

    def as_first_user(*arguments: str) -> str:
        """On the platform's own machine, without a token: its first user."""
        done = weighhouse(
            house, "project", *arguments, WEIGHHOUSE_TOKEN="", WEIGHHOUSE_URL="",
            WEIGHHOUSE_DATA_DIR=str(house.inner.directory.path), COLUMNS="200",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "By command is there" in as_first_user("create", "by-command", "--name", "By command")
    page.goto("/settings?tab=projects")
    expect(row(page, "by-command")).to_contain_text("By command")
    stands(page, "by-command", "in use")
    assert "called Renamed" in as_first_user("rename", "by-command", "Renamed")
    assert "nothing is deleted" in as_first_user("archive", "by-command")
    page.reload()
    expect(row(page, "by-command")).to_contain_text("Renamed")
    stands(page, "by-command", "archived")
    assert "Renamed" not in menu(page)
    listed = as_first_user("list")
    assert "Renamed" in listed
    assert "archived 20" in listed
    assert "in use again" in as_first_user("restore", "by-command")
    assert "archived" not in as_first_user("list")
    page.reload()
    stands(page, "by-command", "in use")


def test_a_command_says_which_projects_there_are(house: RunningPlatform) -> None:
    gone = weighhouse(house, "project", "archive", "nowhere")
    assert gone.returncode == Exit.INVALID
    assert "those that you see: main" in gone.stderr


def test_a_project_without_a_history_says_what_makes_one(page: Page) -> None:
    page.goto("/history")
    expect(page.get_by_role("heading", name="No history yet")).to_be_visible()
    expect(page.get_by_text("Every system")).to_have_count(0)
    looked_at(page, "no history")
    page.goto("/history?metric=p99_us")
    expect(page.get_by_role("heading", name="No series here")).to_be_visible()
    expect(page.get_by_text("Every system").first).to_be_visible()
