"""History joins no points that something parts: read in the picture of the chart that is shown."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Sows
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

STEPPED = Sown(
    "invented-history-steps", "Invented: drifts, and one step between", ("memcached",), (16,),
    repetitions=4, campaigns=30, seconds=4, drifts={"memcached": 0.01},
    shifts={"memcached": {15: 1.25}},
)  # fmt: skip
PATH = re.compile(r"<path [^>]*>")
POINT = re.compile(r"([ML])\s*(-?[\d.]+)[ ,](-?[\d.]+)")
WIDTHS = {"median": "1.8", "drift": "2.5"}
"""What is drawn, and how wide, px."""
Lines = list[list[float]]
"""Of each line the horizontal places of its points."""


def drawn(picture: str, what: str) -> Lines:
    """The lines of a kind in a picture."""
    found: Lines = []
    for path in PATH.findall(picture):
        if f'stroke-width="{WIDTHS[what]}"' not in path or 'fill="none"' not in path:
            continue
        for move, x, _ in POINT.findall(path):
            if move == "M":
                found.append([])
            found[-1].append(float(x))
    return sorted(line for line in found if len(line) > 1 and line[0] != line[-1])


@pytest.fixture(scope="module")
def series(platform: RunningPlatform, sows: Sows) -> dict:
    """A series that steps once, with its changes."""
    sows(STEPPED)
    experiment = platform.request("GET", f"/experiments/{STEPPED.slug}")["id"]
    asked = {"experiment_id": experiment, "limit": 50}
    listed = platform.request("GET", "/series", params=asked)["items"]
    (one,) = [each for each in listed if each["metric"] == "throughput"]
    found: dict = platform.request("GET", f"/series/{one['id']}")
    return found


@pytest.fixture
def taken(page: Page, tmp_path: Path) -> Callable[[str], str]:
    """The picture of the series' chart, as one takes it along."""

    def picture(series: str) -> str:
        page.goto(f"/history?series={series}&metric=throughput")
        page.get_by_role("button", name=re.compile("^Export Memcached")).first.click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name="Picture, SVG").click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        text = path.read_text(encoding="utf-8")
        ElementTree.fromstring(text)  # ours, and what other programs open has to be one
        return text

    return picture


def test_no_line_leads_through_a_step(
    page: Page, series: dict, taken: Callable[[str], str]
) -> None:
    points = [one["at"] for one in series["points"]]
    steps = [one["at"] for one in series["change_points"] if one["kind"] == "step"]
    assert steps, "nothing parts the series"
    assert any(one["kind"] == "drift" for one in series["change_points"])
    picture = taken(series["id"])
    begins = [0, *(points.index(at) for at in steps), len(points)]
    wanted = [end - begin for begin, end in pairwise(begins)]
    lines = drawn(picture, "median")
    assert [len(line) for line in lines] == wanted, "the line joins what a step parts"
    parted = [(before[-1], after[0]) for before, after in pairwise(lines)]
    drifts = drawn(picture, "drift")
    assert drifts, "the drift is not drawn"
    for line in drifts:
        through = [one for one in parted if line[0] <= one[0] and line[-1] >= one[1]]
        assert not through, f"a drift's line leads through a step: {line} over {through}"

    # The step is told where it is: on the page beside the chart, and in the picture.
    (step,) = [one for one in series["change_points"] if one["kind"] == "step"]
    told = f"{step['relative'] * 100:+.1f}"
    assert told in picture
    expect(page.get_by_role("main")).to_contain_text(told)
