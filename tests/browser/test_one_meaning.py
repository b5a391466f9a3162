"""A word means one thing and a count is of one whole: on a page, in its file, by command."""

import datetime
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.printed_figures import ends, ends_of_change, overlap, plain
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import Sown
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

FEW = Sown(
    "invented-few", "Invented: three repeats of three sides", ("redis", "garnet", "cassandra"),
    (4, 16), repetitions=3,
)  # fmt: skip
NIGHTS = Sown(
    "invented-gated", "Invented: nights that a gate looks at", ("redis", "memcached"), (4, 16),
    repetitions=5, campaigns=8, shifts={"redis": {7: 0.9}},
)  # fmt: skip
STUDY = "redis-aerospike-dragonfly"
OF_CELLS = re.compile(r"\d+ of (\d+) cells")
DISCLOSURE = re.compile(r"disclosure(?: is)? (\d+)\s*%|(\d+)\s*% complete", re.IGNORECASE)
BY_PEOPLE = re.compile(r"People disclosed (\d+)\s*%")


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform with nothing else on it: what was weighed last is known."""
    with running_platform(agent=False) as running:
        settings = Settings(
            database_url=running.inner.database_url, redis_url=running.inner.redis_url
        )
        now = datetime.datetime.now(datetime.UTC)
        sow(Tools(settings), manifests(), [NIGHTS, FEW], now, print)
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


def newest(house: RunningPlatform, sown: Sown) -> str:
    """Id of the newest campaign of an experiment."""
    listed = house.request("GET", "/campaigns", params={"experiment": sown.slug})["items"]
    return str(max(listed, key=lambda one: one["number"])["id"])


def read(page: Page, address: str) -> str:
    """What a page says, once all that is in the window is there."""
    page.goto(address)
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(main.locator("[aria-busy='true']")).to_have_count(0)
    return plain(main.inner_text())


def file_of(page: Page, directory: Path) -> str:
    """The ledger of the comparison on show, as a file."""
    page.get_by_role("button", name="Take away", exact=True).first.click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Ledger, CSV").click()
    path = directory / download.value.suggested_filename
    download.value.save_as(path)
    return path.read_text(encoding="utf-8-sig")


def said(house: RunningPlatform, *arguments: str) -> str:
    """What the command prints."""
    done = weighhouse(house, *arguments, COLUMNS="250")
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_cells_are_counted_of_one_whole_on_page_in_file_and_by_command(
    page: Page, house: RunningPlatform, tmp_path: Path
) -> None:
    """Those of a comparison: a workload at a load, however many sides it has."""
    campaign = newest(house, FEW)
    compared = read(page, f"/compare?campaign={campaign}&long=1")
    heads = page.get_by_role("table", name=re.compile("^Ledger")).locator("tr.row th")
    cells = str(len({plain(one) for one in heads.all_inner_texts()}))
    told = {
        "the comparison": compared,
        "its file": file_of(page, tmp_path),
        "the campaign": read(page, f"/campaigns/{campaign}"),
        "campaign watch": said(house, "campaign", "watch", campaign),
        "campaign verdict": said(house, "campaign", "verdict", campaign),
    }
    counted = {place: set(OF_CELLS.findall(text)) for place, text in told.items()}
    assert counted == {place: {cells} for place in told}


def test_a_share_of_the_disclosure_is_one_and_that_of_people_is_called_so(
    page: Page, house: RunningPlatform, tmp_path: Path
) -> None:
    campaign = newest(house, FEW)
    read(page, f"/campaigns/{campaign}")
    note = page.get_by_text(re.compile(r"% complete: \d+ of \d+ answers")).first
    expect(note).to_be_visible()
    share, given, asked = re.findall(r"\d+", plain(note.inner_text()))
    assert int(share) == round(100 * int(given) / int(asked))
    told = {
        "the campaign": plain(page.get_by_role("main").inner_text()),
        "the overview": read(page, "/"),
        "the comparison": read(page, f"/compare?campaign={campaign}"),
        "its file": file_of(page, tmp_path),
        "campaign verdict": said(house, "campaign", "verdict", campaign),
    }
    for place, text in told.items():
        shares = {one or other for one, other in DISCLOSURE.findall(text)}
        assert shares <= {share}, f"{place} has another share of the disclosure than {share} %"
    by_people = {share for text in told.values() for share in BY_PEOPLE.findall(text)}
    assert by_people == {"0"}
    assert share != "0", "nothing tells the two shares apart"


def test_a_gates_change_is_that_of_the_figures_beside_it_or_says_of_what(
    page: Page, house: RunningPlatform
) -> None:
    read(page, f"/campaigns/{newest(house, NIGHTS)}")
    table = page.get_by_role("table", name="Differences to the base campaign")
    expect(table).to_be_visible()
    told = 0
    for row in table.locator("tbody tr").all():
        before, after, change = (
            plain(row.get_by_role("cell").nth(at).inner_text()) for at in (1, 2, 3)
        )
        if change.startswith("by "):
            continue
        told += 1
        (low, high), (least, most) = ends(before), ends(after)
        begin, end = ends_of_change(change.split("%")[0])
        agrees = overlap((least / high - 1, most / low - 1), (begin, end))
        assert agrees, f"{change} beside {before} and {after}"
    assert told, "no change of figures is shown"


PARTED = {
    "a comparison": ("/compare?campaign={few}", ("campaign", "figures", "{few}"), "verdict"),
    "a study": (f"/studies/{STUDY}", ("study", "show", STUDY), "verdict"),
    "studies": ("/studies", ("study", "list"), "verdict"),
    "templates": ("/experiments/new", ("experiment", "init", "--help"), "stud(y|ies)"),
    "a gate": ("/campaigns/{nights}", ("campaign", "verdict", "{nights}"), "baseline"),
}
"""What is shown → its page, its command, and the word that means another thing."""


@pytest.mark.parametrize("what", PARTED)
def test_a_word_that_means_another_thing_is_on_neither_page_nor_command(
    page: Page, house: RunningPlatform, what: str
) -> None:
    address, arguments, word = PARTED[what]
    ids = {"few": newest(house, FEW), "nights": newest(house, NIGHTS)}
    other = re.compile(rf"\b{word}s?\b", re.IGNORECASE)
    for text in (
        read(page, address.format(**ids)),
        said(house, *(one.format(**ids) for one in arguments)),
    ):
        assert len(text) > 100
        assert not other.search(text), text[max(0, other.search(text).start() - 80) :][:200]  # type: ignore[union-attr]


def test_a_gate_has_a_verdict_and_its_differences_have_conclusions(
    page: Page, house: RunningPlatform
) -> None:
    read(page, f"/campaigns/{newest(house, NIGHTS)}")
    heads = page.get_by_role("table", name="Differences to the base campaign").locator("thead th")
    assert [plain(one).lower() for one in heads.all_inner_texts()][-1] == "conclusion"
