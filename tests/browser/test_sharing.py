"""Sharing: a link on a phone, taken back from the list; the public page."""

import re

import pytest
from playwright.sync_api import expect
from weighhouse_testing.browser import NARROW, Sows, Window
from weighhouse_testing.platform import RunningPlatform
from weighhouse_worker.seeding.plan import Sown

SHOWN = Sown("invented-shown", "Invented: shown", ("redis", "memcached"), (1, 4), repetitions=4)


@pytest.fixture(scope="module")
def compared(sows: Sows, platform: RunningPlatform) -> dict:
    """A campaign whose systems' vendors agreed."""
    sows(SHOWN)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    (campaign,) = [one for one in listed if one["experiment"]["slug"] == SHOWN.slug]
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


def test_from_a_result_to_a_link_on_a_phone(
    window: Window, compared: dict, platform: RunningPlatform
) -> None:
    page = window()
    page.goto(f"/campaigns/{compared['id']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_alt_text("QR code of the link")).to_be_visible()
    expect(dialog).to_contain_text("It shows what stands now")
    link = dialog.get_by_label("Link").inner_text()

    phone = window(NARROW, signed=False)
    asked: list[str] = []
    phone.on("request", lambda one: asked.append(one.url))
    phone.goto(link)
    expect(phone.get_by_role("region", name="Answer")).to_contain_text(re.compile("lead"))
    expect(phone.get_by_role("main")).to_contain_text("It shows what stands now")
    expect(phone.get_by_role("img", name=re.compile("against throughput")).first).to_be_visible()
    expect(phone.get_by_role("table", name="Figures of each side")).to_contain_text("/s")
    secret = link.rpartition("#")[2]
    assert not [one for one in asked if secret in one.partition("#")[0]]
    assert secret not in phone.url
    inside = [one for one in asked if "/api/v1/" in one and "/api/v1/shared" not in one]
    assert inside == [], "a stranger asks for what is shared alone"

    page.goto("/settings?tab=shared")
    row = page.get_by_role("row").filter(has_text="whoever has the link").first
    row.get_by_role("button", name="Take back").click()
    page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    expect(page.get_by_role("row").filter(has_text="taken back by").first).to_be_visible()
    with phone.expect_response(re.compile("/api/v1/shared")) as answered:
        phone.reload()
    assert answered.value.status == 404
    expect(phone.get_by_role("table")).to_have_count(0)


def test_the_public_page(window: Window, compared: dict, platform: RunningPlatform) -> None:
    wanted = {"title": "Shared in a test", "visibility": "public", "days": None}
    platform.request("POST", "/shares", json={"campaign_id": compared["id"], **wanted})
    page = window(signed=False)
    page.goto("/public")
    page.get_by_role("link", name="Shared in a test").first.click()
    expect(page.get_by_role("region", name="Answer")).to_be_visible()
    expect(page).to_have_title("Shared in a test · Weighhouse")
