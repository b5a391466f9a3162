"""What a command stamps, and how it calls a campaign, stands so on the campaign's page."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from weighhouse_testing.clones import git
from weighhouse_testing.command import WEIGHHOUSE, weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows

STARTED = re.compile(r"^campaign (?P<number>№ \d+) of (?P<name>.+): \d+ runs$", re.MULTILINE)
PIPELINES = re.compile("GITHUB_|GITLAB_|CI_|GIT_|WEIGHHOUSE_")
FILE = "experiment.yaml"


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own: what was measured last is known."""
    with running_platform() as running:
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone in which an experiment lies that is committed."""
    directory = tmp_path / "store"
    directory.mkdir()
    git(directory, "init", "-q", "-b", "faster-reads")
    (directory / FILE).write_text(
        small_experiment("stamped", "redis", repetitions=1), encoding="utf-8"
    )
    git(directory, "add", ".")
    git(directory, "commit", "-q", "-m", "Read twice as fast")
    return directory


def run(house: RunningPlatform, file: Path, started_in: Path, *options: str) -> str:
    """What `weighhouse run` prints, started in a directory by a person."""
    own = {name: one for name, one in os.environ.items() if not PIPELINES.match(name)}
    access = {"WEIGHHOUSE_URL": house.url, "WEIGHHOUSE_TOKEN": house.token, "NO_COLOR": "1"}
    done = subprocess.run(
        [WEIGHHOUSE, "run", str(file), *options],
        cwd=started_in, env=own | access | {"COLUMNS": "200"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def header_of(page: Page, house: RunningPlatform, said: str) -> Locator:
    """The head of the page whose address a command printed, which is of what the command named."""
    named = STARTED.search(said)
    assert named, f"a campaign has no number, or another notation of it: {said}"
    (address,) = re.findall(rf"{re.escape(house.url)}/campaigns/\S+", said)
    page.goto(address)
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text(f"{named['name']} {named['number']}")
    return page.locator("header").filter(has=title)


def test_the_commit_that_a_command_stamps_is_the_one_on_the_page(
    page: Page, house: RunningPlatform, clone: Path
) -> None:
    head = git(clone, "rev-parse", "HEAD")
    said = run(house, clone / FILE, clone)
    assert f"stamps commit {head[:10]} on faster-reads" in said
    assert f"told by the clone {clone}" in said.replace("\n", "")
    header = header_of(page, house, said)
    expect(header.locator(".commit")).to_contain_text(head[:10])
    expect(header.locator(".commit")).to_contain_text("faster-reads")


@pytest.mark.parametrize("where", ["an experiment of elsewhere", "no git"])
def test_what_a_command_does_not_stamp_is_not_on_the_page(
    page: Page, house: RunningPlatform, clone: Path, tmp_path: Path, where: str
) -> None:
    """The clone that one happens to stand in says nothing of an experiment that is not its own."""
    head = git(clone, "rev-parse", "HEAD")
    elsewhere = tmp_path / FILE
    elsewhere.write_text((clone / FILE).read_text(encoding="utf-8"), encoding="utf-8")
    if where == "no git":
        said = run(house, clone / FILE, clone, "--no-git")
    else:
        said = run(house, elsewhere, clone)
    assert "no commit is stamped" in said
    header = header_of(page, house, said)
    expect(header.locator(".commit")).to_have_count(0)
    expect(page.get_by_role("main")).not_to_contain_text(head[:10])


def test_a_campaign_has_one_notation_of_its_number_on_pages_and_by_command(
    page: Page, house: RunningPlatform, clone: Path
) -> None:
    said = run(house, clone / FILE, clone, "--no-git")
    header_of(page, house, said)
    house.wait_for_campaign(page.url.rpartition("/")[2])
    named = STARTED.search(said)
    assert named
    other = re.compile(rf"(?:#|\bno\. ?|\bcampaign ){named['number'].split()[1]}\b", re.IGNORECASE)
    for address in ("/", "/campaigns", "/experiments/stamped?tab=campaigns", "/compare"):
        page.goto(address)
        main = page.get_by_role("main")
        expect(main.get_by_text(named["number"]).first).to_be_visible()
        assert not other.search(main.inner_text()), f"{address}: {other.search(main.inner_text())}"
    listed = weighhouse(house, "campaign", "list", COLUMNS="200").stdout
    assert re.search(rf"{named['number']}\b", listed), listed
    assert not other.search(listed), listed
