"""An agent of an older version is brought up to date: from its page, and by the command."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from weighhouse_cli.exits import Exit
from weighhouse_testing.command import weighhouse
from weighhouse_testing.old_agent import BEFORE, OldAgent, old_agent, served
from weighhouse_testing.platform import RunningPlatform


@pytest.fixture
def version(packages_folder: Path) -> Iterator[str]:
    """The platform's, which it serves meanwhile."""
    with served(packages_folder) as found:
        yield found


@pytest.fixture
def elder(platform: RunningPlatform, version: str) -> Iterator[OldAgent]:
    with old_agent(platform) as found:
        yield found


def test_an_agent_is_asked_from_its_page_and_tells_how_far_it_is(
    page: Page, elder: OldAgent, version: str
) -> None:
    page.goto("/agents")
    expect(page.get_by_text("another version than this platform")).to_be_visible()
    page.get_by_role("link", name=elder.name).click()
    expect(page.get_by_text(f"{BEFORE}, behind {version}")).to_be_visible()
    button = page.get_by_role("button", name=f"Update to {version}")
    button.click()
    expect(page.get_by_text("It installs the platform’s version", exact=True)).to_be_visible()
    told = page.get_by_role("status").filter(has_text="asked for by")
    expect(told).to_contain_text(f"asked for {version}; the agent has not begun yet")
    expect(button).to_be_disabled()

    order = elder.order()
    assert order["version"] == version
    elder.tell(order, "starting")
    page.reload()
    expect(told).to_contain_text(f"starting {version}; {BEFORE} comes back")
    elder.begin(BEFORE)
    elder.tell(order, "returned", "its new version ended with status 2")
    page.reload()
    expect(told).to_contain_text(f"{version} did not come up; {BEFORE} runs again")
    expect(told).to_contain_text("its new version ended with status 2")

    # What went back may be asked again.
    button.click()
    order = elder.order()
    elder.tell(order, "installing")
    elder.tell(order, "starting")
    elder.begin(version)
    page.reload()
    expect(told).to_contain_text(f"brought up from {BEFORE} to {version}")
    expect(button).to_have_count(0)


def test_the_command_waits_for_the_end_and_says_what_it_was(
    platform: RunningPlatform, elder: OldAgent, version: str
) -> None:
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(weighhouse, platform, "agent", "update", elder.id)
        order = elder.order()
        elder.tell(order, "starting")
        elder.begin(BEFORE)
        elder.tell(order, "returned", "no space is left on /opt")
        done = asked.result()
        assert done.returncode == Exit.INFRASTRUCTURE, done.stdout
        assert f"{elder.name}: {BEFORE} → {version}" in done.stdout
        assert "did not come up, and went back: no space is left on /opt" in done.stderr

        asked = beside.submit(weighhouse, platform, "agent", "update", elder.id)
        order = elder.order()
        elder.tell(order, "starting")
        elder.begin(version)
        done = asked.result()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "done"
    listed = weighhouse(platform, "agent", "list", "--json")
    (found,) = (one for one in json.loads(listed.stdout)["items"] if one["id"] == elder.id)
    assert found["agent_version"] == version


def test_the_command_says_why_an_agent_cannot_be_updated(
    platform: RunningPlatform, elder: OldAgent, version: str
) -> None:
    left = weighhouse(platform, "agent", "update", elder.id, "--no-wait")
    assert (left.returncode, left.stderr) == (0, "")
    assert "asked for; `weighhouse agent list` shows the version" in left.stdout
    again = weighhouse(platform, "agent", "update", elder.id)
    assert again.returncode != 0
    assert "it is being brought up to date" in again.stderr
    elder.tell(elder.order(), "starting")
    elder.begin(version)
    current = weighhouse(platform, "agent", "update", elder.id)
    assert current.returncode != 0
    assert "it has the platform's version" in current.stderr
