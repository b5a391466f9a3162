"""Sharing: a link on a phone, taken back from the list; the public page."""

import re

import pytest
from playwright.sync_api import expect
from weighhouse_testing.browser import NARROW, Sows, Window, faults
from weighhouse_testing.foreign_pages import ForeignPages
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


@pytest.fixture(scope="module")
def public(platform: RunningPlatform, compared: dict) -> dict:
    """The campaign, for everybody."""
    wanted = {"title": "On other pages", "visibility": "public", "days": None}
    return platform.request("POST", "/shares", json={"campaign_id": compared["id"], **wanted})


@pytest.fixture(scope="module")
def course(platform: RunningPlatform, compared: dict) -> dict:
    """A series of it."""
    of = compared["experiment"]["id"]
    listed = platform.request("GET", "/series", params={"limit": 200})["items"]
    return next(one for one in listed if one["experiment"]["id"] == of)


@pytest.fixture(scope="module")
def public_course(platform: RunningPlatform, course: dict) -> dict:
    """The series, for everybody."""
    wanted = {"title": "A course elsewhere", "visibility": "public", "days": None}
    return platform.request("POST", "/shares", json={"series_id": course["id"], **wanted})


def test_an_embed_in_a_page_elsewhere_has_its_disclaimers(
    window: Window, platform: RunningPlatform, elsewhere: ForeignPages, public: dict
) -> None:
    path = elsewhere.serve("/framed", public["embed"]["frame"])
    caveats = platform.request("GET", "/comparisons", params={"campaign": public["campaign_id"]})
    page = window(signed=False, policy=True)
    page.goto(elsewhere.allowed + path)
    framed = page.frame_locator("iframe").locator("body")
    expect(framed).to_contain_text("What has to be known")
    for caveat in caveats["caveats"]:
        expect(framed).to_contain_text(caveat["title"])
    expect(framed).to_contain_text("It shows what stands now")

    page.goto(elsewhere.refused + path)
    told = page.frame_locator("iframe").locator("body")
    expect(told).to_contain_text("This page may not embed what is shown here")
    expect(told.locator("svg")).to_have_count(0)


def test_badges_and_pictures_are_drawn_in_pages_elsewhere(
    window: Window, elsewhere: ForeignPages, public: dict, public_course: dict
) -> None:
    shown = [
        public["embed"]["picture_url"],
        public_course["embed"]["picture_url"],
        public_course["embed"]["badge_url"],
    ]
    images = "".join(f'<img src="{one}" alt="">' for one in shown)
    page = window(signed=False, policy=True)
    page.goto(elsewhere.refused + elsewhere.serve("/readme", images))
    page.wait_for_function("[...document.images].every(one => one.complete)")
    widths = page.evaluate("[...document.images].map(one => one.naturalWidth)")
    assert len(widths) == len(shown)
    assert all(widths), widths


def test_a_link_with_a_password_asks_for_it_and_opens(
    window: Window, platform: RunningPlatform, course: dict
) -> None:
    body = {"series_id": course["id"], "title": "A course", "password": "a word between us"}
    made = platform.request("POST", "/shares", json=body)
    phone = window(NARROW, signed=False)
    phone.goto(made["url"])
    expect(phone.get_by_role("heading", name="This link asks for a password")).to_be_visible()
    phone.get_by_label("Password").fill("a guess of nobody")
    phone.get_by_role("button", name="Open").click()
    expect(phone.get_by_role("main")).to_contain_text("This is not its password")
    phone.get_by_label("Password").fill("a word between us")
    phone.get_by_role("button", name="Open").click()
    expect(phone.get_by_role("heading", level=1, name="A course")).to_be_visible()
    expect(phone.get_by_role("main")).to_contain_text("It shows what stands now")
    expect(phone.get_by_role("img").first).to_be_visible()


def test_what_is_shared_is_accessible_and_fits(
    window: Window, platform: RunningPlatform, public: dict, public_course: dict
) -> None:
    page = window()
    found: list[str] = []
    page.goto(f"/campaigns/{public['campaign_id']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("With").wait_for()
    found += faults(page, "share", whole=False)
    dialog.get_by_role("button", name="Share", exact=True).click()
    dialog.get_by_alt_text("QR code of the link").wait_for()
    found += faults(page, "shared-link", whole=False)
    page.goto("/settings?tab=shared")
    page.get_by_role("row").filter(has_text="On other pages").first.wait_for()
    found += faults(page, "list-of-what-is-shared")
    stranger = window(signed=False)
    for path, awaited in (
        (f"/public/{public['id']}", "Answer"),
        (f"/public/{public_course['id']}", ""),
        ("/public", ""),
        (f"/embed/{public['id']}", ""),
        (f"/embed/{public_course['id']}", ""),
    ):
        stranger.goto(path)
        if awaited:
            stranger.get_by_role("region", name=awaited).wait_for()
        found += faults(stranger, path.replace(public["id"], "it").replace(
            public_course["id"], "course"))  # fmt: skip
    assert found == []


def test_what_stood_is_kept_and_both_ends_are_told(
    window: Window, compared: dict, platform: RunningPlatform
) -> None:
    page = window()
    page.goto(f"/campaigns/{compared['id']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Called").fill("Kept as it stood")
    dialog.get_by_label("Shows").click()
    page.get_by_role("option", name="What stands now, for good").click()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog).to_contain_text("It shows what stood at")
    link = dialog.get_by_label("Link").inner_text()
    said = "The disk was full, see the log of the machine."
    platform.request("POST", f"/campaigns/{compared['id']}/challenges", json={"text": said})

    stranger = window(NARROW, signed=False)
    stranger.goto(link)
    expect(stranger.get_by_role("main")).to_contain_text("not what stands now")
    since = stranger.get_by_role("region", name="Since then", exact=True)
    expect(since).to_contain_text("Since then one thing more has to be known")
    expect(since).to_contain_text(re.compile("challenge", re.IGNORECASE))
    assert faults(stranger, "kept-as-it-stood") == []
    page.goto("/settings?tab=shared")
    row = page.get_by_role("row").filter(has_text="Kept as it stood")
    expect(row).to_contain_text("as it stood then")


MARKED = "Ours & <b>theirs</b></script><script>window.ran = true</script>"
LINKED_DATA = (
    "JSON.parse(document.querySelector('script[type=\"application/ld+json\"]').textContent)"
)


def test_the_public_pages_describe_themselves_and_a_title_of_markup_is_text(
    window: Window, platform: RunningPlatform, compared: dict
) -> None:
    """A browser reads title, description and JSON-LD as what they are, whatever they are called."""
    wanted = {"title": MARKED, "visibility": "public", "days": None}
    made = platform.request("POST", "/shares", json={"campaign_id": compared["id"], **wanted})
    page = window(signed=False)
    page.goto(f"/public/{made['id']}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<b>theirs</b>")
    described = page.evaluate(LINKED_DATA)
    assert (described["@context"], described["@type"]) == ("https://schema.org", "Dataset")
    assert described["name"] == MARKED
    assert 50 <= len(described["description"]) <= 5000
    assert described["url"].endswith(f"/public/{made['id']}")
    assert described["variableMeasured"]
    short = page.locator('meta[name="description"]').get_attribute("content") or ""
    assert len(short) > 40
    assert described["description"].startswith(f"{MARKED}. {short}")
    data = page.request.get(described["distribution"][0]["contentUrl"])
    assert data.ok, "what it says can be downloaded, can"

    for path in ("/public", f"/embed/{made['id']}", f"/public/{made['id']}"):
        page.goto(path)
        expect(page.get_by_text("<b>theirs</b>").first).to_be_visible()
        assert page.evaluate("window.ran") is None, path
    page.goto("/public")
    front = page.evaluate(LINKED_DATA)
    assert front["@context"] == "https://schema.org"
    assert MARKED in str(front)


def test_what_is_taken_back_is_gone_from_other_pages_at_once(
    window: Window, platform: RunningPlatform, elsewhere: ForeignPages, course: dict
) -> None:
    wanted = {"title": "Soon gone", "visibility": "public", "days": None}
    made = platform.request("POST", "/shares", json={"series_id": course["id"], **wanted})
    shown = [made["embed"]["picture_url"], made["embed"]["badge_url"]]
    body = made["embed"]["frame"] + "".join(f'<img src="{one}" alt="">' for one in shown)
    page = window(signed=False, policy=True)
    page.goto(elsewhere.allowed + elsewhere.serve("/soon", body))
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("What has to be known")
    page.wait_for_function("[...document.images].every(one => one.naturalWidth > 0)")

    platform.request("POST", f"/shares/{made['id']}/revoke")
    answers: dict[str, int] = {}
    page.on("response", lambda one: answers.update({one.url: one.status}))
    page.reload()
    expect(page.frame_locator("iframe").locator("svg")).to_have_count(0)
    page.wait_for_function("[...document.images].every(one => one.complete)")
    assert [answers[one] for one in shown] == [404, 404]
    assert all("not shared here (any more)" in page.request.get(one).text() for one in shown)
