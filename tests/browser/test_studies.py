"""A study is told alike on its page and by command; what a text prints counts with its rounding."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.printed_figures import half_a_step, plain
from weighhouse_testing.windows import Windows

ROUNDED = "redis-aerospike-dragonfly"
IMPOSSIBLE = "cannot be true as printed"
RATIO = re.compile(r"= (\d+(?:\.\d+)?)")
TIMES = re.compile(r"answers (?:about )?([\d.]+)(?: to ([\d.]+))? times")


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform on which nothing was measured: what is said of claims is said of their print."""
    with running_platform(agent=False) as running:
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


def said(house: RunningPlatform, *arguments: str) -> str:
    """What the command prints."""
    done = weighhouse(house, "study", *arguments, COLUMNS="400")
    assert done.returncode == 0, done.stderr
    return done.stdout


def claims_of(page: Page, study: str) -> list[Locator]:
    page.goto(f"/studies/{study}")
    claims = page.locator("li.claim")
    expect(claims.first).to_be_visible()
    return claims.all()


def test_page_and_command_say_the_same_of_every_study(page: Page, house: RunningPlatform) -> None:
    studies = [one["name"] for one in json.loads(said(house, "list", "--json"))["items"]]
    assert ROUNDED in studies
    for study in studies:
        printed = plain(said(house, "show", study))
        shown = claims_of(page, study)
        answer = plain(page.locator("p.answer").inner_text())
        assert answer, study
        assert answer in printed, f"{study}: the answer of the page is none of the command's"
        judged = [plain(one.locator(".judged > :first-child").inner_text()) for one in shown]
        for outcome in set(judged):
            counted = f"{outcome}: {judged.count(outcome)}"
            assert counted in printed, f"{study}: {counted} on the page, otherwise by command"
            of_badge = re.compile(rf"{outcome} · {judged.count(outcome)}$")
            expect(page.get_by_text(of_badge).first).to_be_visible()


def test_a_printed_number_stands_for_all_that_is_rounded_to_it(
    page: Page, house: RunningPlatform
) -> None:
    """9.77 is 10 as it is printed, so that "10 to 11" may be true of it, 8.9 is no 10; and 3.68 is
    the 3.7 of a text that prints one number.
    """
    read = {"a range": 0, "one number": 0}
    for study in (one["name"] for one in json.loads(said(house, "list", "--json"))["items"]):
        for claim in claims_of(page, study):
            times = TIMES.search(claim.inner_text())
            if times is None:
                continue
            claim.locator("summary").click()
            figures = claim.locator("dl.asked > div").first.locator("dd").all_inner_texts()
            ratios = [float(found[1]) for text in figures if (found := RATIO.search(text))]
            if not ratios:
                continue  # the text prints the ratio and nothing that it is of
            least, most = times[1], times[2] or times[1]
            low, high = float(least) - half_a_step(least), float(most) + half_a_step(most)
            outcome = plain(claim.locator(".judged > :first-child").inner_text())
            fits = all(low <= one <= high for one in ratios)
            assert (outcome != IMPOSSIBLE) == fits, f"{times[0]}: {ratios}, but {outcome}"
            read["a range" if times[2] else "one number"] += 1
    assert all(read.values()), f"a kind of print is held by no claim: {read}"
