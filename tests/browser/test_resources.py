"""Systems, agents and settings."""

from playwright.sync_api import Page, expect
from weighhouse_testing.platform import RunningPlatform


def test_a_system_shows_parameters_clause_disclaimers_and_its_page(
    page: Page, platform: RunningPlatform
) -> None:
    page.goto("/systems")
    for system in platform.request("GET", "/systems")["items"]:
        expect(page.get_by_role("link", name=system["name"], exact=True)).to_be_visible()
    page.get_by_role("link", name="Redis", exact=True).click()
    redis = platform.request("GET", "/systems/redis")
    expect(page.get_by_text(redis["benchmark_clause"]["text"])).to_be_visible()
    for disclaimer in redis["disclaimers"]:
        expect(page.get_by_text(disclaimer["title"])).to_be_visible()
    expect(page.get_by_role("heading", name="Measured here")).to_be_visible()
    page.get_by_role("tab", name="Parameters").click()
    parameters = page.get_by_role("table", name="Parameters").first
    for name in redis["parameters"]["properties"]:
        expect(parameters.get_by_text(name, exact=True).first).to_be_visible()
    page.get_by_role("tab", name="Documentation").click()
    expect(page.get_by_role("heading", name="Documentation")).to_be_visible()
    expect(page.get_by_role("cell", name="appendfsync", exact=True)).to_have_count(0)


def test_an_agent_shows_its_machine_and_policy(page: Page, platform: RunningPlatform) -> None:
    [agent] = [
        one
        for one in platform.request("GET", "/agents")["items"]
        if "invented" not in one["labels"]
    ]
    page.goto("/agents")
    page.get_by_role("link", name=agent["name"]).click()
    expect(page.get_by_role("heading", level=1, name=agent["name"])).to_be_visible()
    expect(page.get_by_text(agent["facts"]["kernel"])).to_be_visible()
    expect(page.get_by_text("Longest run")).to_be_visible()


def test_enrolling_is_one_copied_command(page: Page) -> None:
    page.goto("/agents")
    page.get_by_role("button", name="Enrol an agent").click()
    dialog = page.get_by_role("dialog", name="Enrol an agent")
    command = dialog.get_by_label("The command that enrols an agent")
    expect(command).to_contain_text("weighhouse agent enrol")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_token_is_shown_once_works_and_is_revoked(page: Page, platform: RunningPlatform) -> None:
    page.goto("/settings")
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name").fill("from the browser")
    page.get_by_role("button", name="Make the token").click()
    shown = page.get_by_label("The new API token")
    expect(shown).to_contain_text("whp_")
    token = shown.inner_text()
    page.get_by_role("button", name="I have it").click()
    row = page.get_by_role("row").filter(has_text="from the browser")
    expect(row).to_be_visible()
    assert token not in page.content()
    bearer = {"Authorization": f"Bearer {token}"}
    answer = page.context.request.fetch(f"{platform.url}/api/v1/experiments", headers=bearer)
    assert answer.ok

    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke the token").click()
    expect(row).to_contain_text("revoked")
    answer = page.context.request.fetch(f"{platform.url}/api/v1/experiments", headers=bearer)
    assert answer.status == 401


def test_members_are_listed(page: Page, platform: RunningPlatform) -> None:
    page.goto("/settings?tab=members")
    row = page.get_by_role("row").filter(has_text=platform.email)
    expect(row).to_contain_text("owner")
