"""A vendor's right of reply: a link, no login, and what is said stands beside the result."""

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import SIZES, Window, faults
from weighhouse_testing.platform import RunningPlatform

SAID = "The server ran without io-threads. With four of them it answers **twice as much**."


def link_of(platform: RunningPlatform, weighed: dict) -> str:
    """A link for the vendor of Redis; where it leads."""
    body = {"system_id": "redis", "for_whom": "Redis Ltd.", "days": 7}
    made = platform.request("POST", f"/campaigns/{weighed['id']}/reply-links", json=body)
    return str(made["url"])


def test_what_a_vendor_says_over_a_link_stands_beside_the_result(
    window: Window, page: Page, platform: RunningPlatform, weighed: dict
) -> None:
    theirs = window(signed=False)
    theirs.goto(link_of(platform, weighed))
    expect(theirs.get_by_role("heading", level=1)).to_contain_text("Redis in")
    expect(theirs.get_by_role("table")).not_to_contain_text("Memcached")
    button = theirs.get_by_role("button", name="Reply", exact=True)
    expect(button).to_be_disabled()
    theirs.get_by_label("Your name").fill("A. Vendor")
    theirs.get_by_label("Your role").fill("Engineer, Redis Ltd.")
    theirs.get_by_label("Your reply").fill(SAID)
    button.click()
    expect(theirs.get_by_role("status")).to_contain_text("version 1 stands beside the figures")

    page.goto(f"/campaigns/{weighed['id']}")
    expect(page.get_by_text("twice as much").first).to_be_attached()
    caveats = platform.request("GET", f"/campaigns/{weighed['id']}/caveats")
    assert any("twice as much" in one["text"] for one in caveats)
    page.goto("/settings?tab=audit")
    expect(page.get_by_role("main")).to_contain_text("reply")


@pytest.mark.parametrize("size", SIZES)
def test_the_page_of_a_link_is_accessible_and_fits(
    window: Window, platform: RunningPlatform, weighed: dict, size: str
) -> None:
    page = window(SIZES[size], signed=False)
    page.goto(link_of(platform, weighed))
    page.get_by_role("button", name="Reply", exact=True).wait_for()
    assert faults(page, "the page of a link", [SIZES[size]]) == []


def test_a_link_that_was_changed_opens_nothing(
    window: Window, platform: RunningPlatform, weighed: dict
) -> None:
    page = window(signed=False)
    link = link_of(platform, weighed)
    page.goto(link[:-1] + ("B" if link.endswith("A") else "A"))
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)


def test_the_secret_of_a_link_is_sent_to_nobody_and_outlives_a_reload(
    window: Window, platform: RunningPlatform, weighed: dict
) -> None:
    address = link_of(platform, weighed)
    where, _, token = address.partition("#")
    assert where.endswith("/reply")
    page = window(signed=False)
    asked: list[tuple[str, str]] = []
    page.on("request", lambda one: asked.append((one.url, one.headers.get("referer", ""))))
    page.goto(address)
    button = page.get_by_role("button", name="Reply", exact=True)
    button.wait_for()
    assert token not in page.url
    page.reload()
    button.wait_for()
    assert not [one for one in asked if token in one[0].partition("#")[0] or token in one[1]]
    assert not [referrer for _, referrer in asked if "/reply" in referrer]


def test_a_link_of_before_still_opens_its_page(
    window: Window, platform: RunningPlatform, weighed: dict
) -> None:
    page = window(signed=False)
    page.goto(link_of(platform, weighed).replace("/reply#", "/reply/"))
    page.get_by_role("button", name="Reply", exact=True).wait_for()
    assert page.url.endswith("/reply")


@pytest.mark.parametrize("where", ["/reply", "/shared", "/join", "/domain"])
def test_a_link_without_its_end_says_so(window: Window, where: str) -> None:
    page = window(signed=False)
    page.goto(where)
    expect(page.get_by_role("heading", level=1)).to_contain_text("There is no such")
    expect(page.get_by_role("alert")).to_contain_text("open the whole link")
    expect(page.get_by_role("alert")).not_to_contain_text("Bearer")
    assert faults(page, f"{where} without its end") == []
