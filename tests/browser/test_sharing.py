"""Sharing: a link on a phone, an embed in somebody else's page, a picture, and the way back."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import NARROW, SIZES, WIDE, Window, faults
from weighhouse_testing.platform import RunningPlatform

FOREIGN = {"allowed": "http://blog.example/", "others": "http://else.example/"}


@pytest.fixture(scope="module")
def compared(invented: Callable[[str], dict], platform: RunningPlatform) -> dict:
    """A campaign whose systems' vendors agreed."""
    campaign = invented("sides")
    for decision in platform.request("GET", f"/campaigns/{campaign['id']}/disclosure")["sheet"][
        "decisions"
    ]:
        if decision["outcome"] != "allowed":
            for audience in ("others", "public"):
                platform.request(
                    "POST", f"/campaigns/{campaign['id']}/overrides",
                    json={
                        "system_id": decision["system_id"], "audience": audience,
                        "reason": "A test of what leaves under an override.",
                    },
                )  # fmt: skip
    return campaign


def shared(platform: RunningPlatform, **wanted: object) -> dict:
    return platform.request("POST", "/shares", json={"title": "Shared in a test", **wanted})


def in_foreign_page(page: Page, origin: str, source: str) -> None:
    """Have a page of somebody else's frame an address."""
    body = f'<h1>Elsewhere</h1><iframe src="{source}" width="100%" height="600"></iframe>'
    page.route(f"{origin}**", lambda route: route.fulfill(content_type="text/html", body=body))
    page.goto(origin)


def test_from_a_result_to_a_link_on_a_phone(
    window: Window, compared: dict, platform: RunningPlatform
) -> None:
    page = window(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/campaigns/{compared['id']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_alt_text("QR code of the link")).to_be_visible()
    expect(dialog).to_contain_text("It shows what stands now")
    link = dialog.get_by_label("Link").inner_text()
    dialog.get_by_role("button", name="Copy").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == link

    phone = window(NARROW, signed=False)
    asked: list[str] = []
    phone.on("request", lambda one: asked.append(one.url))
    phone.goto(link)
    expect(phone.get_by_role("region", name="Answer")).to_contain_text(re.compile("lead"))
    expect(phone.get_by_role("main")).to_contain_text("It shows what stands now")
    expect(phone.get_by_role("img", name=re.compile("against throughput")).first).to_be_visible()
    expect(phone.get_by_role("table", name="Figures of each side")).to_contain_text("/s")
    secret = link.rpartition("#")[2]
    assert not [one for one in asked if secret in one]
    assert secret not in phone.url
    inside = [one for one in asked if "/api/v1/" in one and "/api/v1/shared" not in one]
    assert inside == [], "a stranger asks for what is shared alone"
    phone.reload()
    expect(phone.get_by_role("region", name="Answer")).to_be_visible()

    page.goto("/settings?tab=shared")
    row = page.get_by_role("row").filter(has_text=compared["experiment"]["name"]).first
    expect(row).to_contain_text("whoever has the link")
    row.get_by_role("button", name="Take back").click()
    page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    expect(row).to_contain_text("taken back by")
    phone.reload()
    expect(phone.get_by_role("alert")).to_contain_text("Nothing is shared here")
    expect(phone.get_by_role("table")).to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_the_page_of_a_link_is_accessible_and_fits(
    window: Window, compared: dict, platform: RunningPlatform, size: str
) -> None:
    made = shared(platform, campaign_id=compared["id"])
    page = window(SIZES[size], signed=False)
    page.goto(made["url"])
    expect(page.get_by_role("img", name=re.compile("against throughput")).first).to_be_visible()
    assert faults(page, "what is shared", [SIZES[size]]) == []


def test_a_password_is_asked_for(window: Window, compared: dict, platform: RunningPlatform) -> None:
    made = shared(platform, campaign_id=compared["id"], password="said on the phone")
    page = window(NARROW, signed=False)
    page.goto(made["url"])
    said = page.get_by_label("Password")
    said.fill("something else")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text("this is not its password")
    said.fill("said on the phone")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("region", name="Answer")).to_be_visible()


def test_a_series_over_a_link(window: Window, compared: dict, platform: RunningPlatform) -> None:
    found = platform.request(
        "GET", "/series", params={"experiment_id": compared["experiment"]["id"]}
    )["items"]
    open_one = next(one for one in found if one["system_id"] == "redis")
    made = shared(platform, series_id=open_one["id"], visibility="organization")
    page = window(WIDE)
    page.goto(made["url"])
    expect(page.get_by_role("main")).to_contain_text("Measured by")
    expect(page.locator("#series, [id=series]").first).to_be_attached()


def test_an_embed_shows_its_disclaimers_where_it_may_and_tells_where_not(
    window: Window, compared: dict, platform: RunningPlatform
) -> None:
    made = shared(platform, campaign_id=compared["id"], visibility="public", days=None)
    source = f"{platform.url}/embed/{made['id']}"
    caveats = platform.request("GET", f"/campaigns/{compared['id']}/caveats")
    page = window(signed=False, policy=True)
    in_foreign_page(page, FOREIGN["allowed"], source)
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("img", name="Shared in a test").first).to_be_visible()
    for one in caveats:
        expect(frame.locator("body")).to_contain_text(one["title"])
    other = window(signed=False, policy=True)
    in_foreign_page(other, FOREIGN["others"], source)
    expect(other.frame_locator("iframe").locator("body")).to_contain_text("may not embed")


def test_a_picture_in_a_readme_and_the_public_page(
    window: Window, compared: dict, platform: RunningPlatform
) -> None:
    made = shared(platform, campaign_id=compared["id"], visibility="public", days=None)
    page = window(signed=False)
    picture = made["embed"]["picture_url"].partition("/pictures/")[2]
    body = f'<img alt="p" src="{platform.url}/pictures/{picture}">'
    page.route(
        f"{FOREIGN['others']}**",
        lambda route: route.fulfill(content_type="text/html", body=body),
    )
    page.goto(FOREIGN["others"])
    width = "document.images[0].complete && document.images[0].naturalWidth"
    page.wait_for_function(f"() => {width} > 0")
    page.goto(f"{platform.url}/public")
    page.get_by_role("link", name="Shared in a test").first.click()
    expect(page.get_by_role("region", name="Answer")).to_be_visible()
