"""Reports: made of a result, written by two at once, frozen, printed."""

import re

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import Sows, Window, looked_at
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

REPORTED = Sown("invented-reported", "Invented: reported", ("redis", "memcached"), (1, 4),
                repetitions=4)  # fmt: skip
MARGIN_PX = 2


@pytest.fixture(scope="module")
def result(sows: Sows, platform: RunningPlatform) -> dict:
    """A campaign to report of."""
    sows(REPORTED)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == REPORTED.slug]
    return campaign


@pytest.fixture(scope="module")
def report(platform: RunningPlatform, result: dict) -> dict:
    """A report of it."""
    source = {"name": "comparison", "campaign_id": result["id"]}
    body = {
        "project_id": result["project_id"], "title": "Which store for sessions?",
        "template": "comparison", "sources": [source],
    }  # fmt: skip
    return platform.request("POST", "/reports", json=body)


def test_from_a_result_to_a_report_and_an_edition(window: Window, result: dict) -> None:
    page = window()
    page.goto(f"/campaigns/{result['id']}")
    page.get_by_role("button", name="Make a report").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Title")).to_have_value(re.compile(REPORTED.name))
    dialog.get_by_role("button", name="Make it").click()
    expect(page).to_have_url(re.compile("/reports/[0-9a-f-]{36}$"))
    expect(page.get_by_role("heading", name="Summary")).to_be_visible()
    looked_at(page, "a report")
    page.get_by_role("button", name="Make an edition").click()
    expect(page).to_have_url(re.compile("/editions/1$"))
    expect(page.get_by_role("main")).to_contain_text(re.compile("[0-9a-f]{64}"))
    looked_at(page, "an edition")


def test_the_file_is_a_pdf(page: Page, platform: RunningPlatform, report: dict) -> None:
    page.goto(f"/reports/{report['id']}")
    with page.expect_download() as saved:
        page.get_by_role("button", name="PDF", exact=True).click()
    content = saved.value.path().read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"/Outlines" in content


def test_who_saves_on_top_of_another_sees_both(window: Window, report: dict) -> None:
    first, second = window(), window()
    for page in (first, second):
        page.goto(f"/reports/{report['id']}")
        page.get_by_role("button", name="Write").click()
        text = page.get_by_label("Text, in Markdown")
        expect(text).to_have_value(re.compile("## Summary"))
    first.get_by_label("Text, in Markdown").fill("# One\n\nThe first one's words.")
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("main")).to_contain_text("The first one's words.")
    looked = second.get_by_label("Text, in Markdown")
    looked.fill("# Two\n\nThe second one's words.")
    looked_at(second, "a report being written")
    second.get_by_role("button", name="Save").click()
    both = second.get_by_role("alert").filter(has_text="meanwhile")
    expect(both.get_by_label("Yours, to be edited")).to_have_value(re.compile("second one's"))
    expect(both.get_by_label(re.compile("Theirs"))).to_have_value(re.compile("first one's"))
    looked_at(second, "two texts of one report")
    both.get_by_label("Yours, to be edited").fill("Both of them agree.")
    both.get_by_role("button", name="Save what stands on the left").click()
    expect(second.get_by_role("main")).to_contain_text("Both of them agree.")


@pytest.mark.parametrize(
    "path", ["/reports/{report}", "/campaigns/{campaign}", "/compare?campaign={campaign}"]
)
def test_pages_print_light_and_within_the_sheet(
    window: Window, path: str, report: dict, result: dict
) -> None:
    page = window()
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 794, "height": 1123})
    page.goto(path.format(report=report["id"], campaign=result["id"]))
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", ground)[:3])
    assert min(red, green, blue) > 230 or ground == "rgba(0, 0, 0, 0)", ground
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= MARGIN_PX
    expect(page.get_by_role("navigation").first).to_be_hidden()
    page.emulate_media(media="screen", color_scheme="light")
