"""Three organizations on one platform: people are asked in by mail, get roles, and leave."""

import email
import email.policy
import re
from collections.abc import Iterator

import httpx
import pytest
from aiosmtpd.controller import Controller
from playwright.sync_api import Page, expect
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.browser import NARROW, WIDE, Window, faults, let_in, looked_at, sign_in
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waits import PATIENCE_SECONDS, until
from weighhouse_testing.windows import Windows

PASSWORD = "gravel tuba eleven lantern"
LATER = "copper otter seventeen umbrella"


class Postbox:
    """Keeps letters, by address."""

    def __init__(self) -> None:
        self._letters: dict[str, list[str]] = {}

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the library's name
        letter = email.message_from_bytes(envelope.content, policy=email.policy.default)
        for address in envelope.rcpt_tos:
            self._letters.setdefault(address, []).append(letter.get_content())
        return "250 kept"

    def link(self, address: str) -> str:
        """The link in the latest letter to somebody; their letters are read then."""
        letters = until(f"{address} gets a letter", lambda: self._letters.pop(address, None))
        (found,) = re.findall(r"http\S+", letters[-1])
        return found


@pytest.fixture(scope="module")
def postbox() -> Iterator[tuple[Postbox, int]]:
    box = Postbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield box, controller.port
    controller.stop()


@pytest.fixture(scope="module")
def house(postbox: tuple[Postbox, int]) -> Iterator[RunningPlatform]:
    """A platform of its own: others would see its organizations."""
    with running_platform(
        agent=False, SMTP_HOST="127.0.0.1", SMTP_PORT=str(postbox[1]), SMTP_ENCRYPTION="none"
    ) as running:
        yield running


@pytest.fixture
def opens(windows: Windows, house: RunningPlatform) -> Iterator[Window]:
    """Opens windows of people, each with cookies of its own."""
    with windows.lent(house.url) as opened:
        yield opened


def invite(page: Page, address: str, role: str, *, only_here: bool = False) -> None:
    """Ask somebody in, as an owner does."""
    page.goto("/settings?tab=members")
    page.get_by_role("button", name="Invite").click()
    page.get_by_label("Email").fill(address)
    if only_here:
        page.get_by_text("Only Main").click()
    choose(page, "Role", role)
    page.get_by_role("dialog").get_by_role("button", name="Invite").click()
    expect(page.get_by_role("dialog")).to_contain_text("on its way")
    page.get_by_role("button", name="Done").click()


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=re.compile(rf"^{option}\b")).click()


def join(page: Page, link: str, name: str) -> None:
    """Come in over a link, with a new account."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("A new password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", level=1, name="What was weighed lately")).to_be_visible()


def make_organization(page: Page, name: str) -> None:
    page.goto("/settings?tab=account")
    page.get_by_role("button", name="New organization").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Slug").fill(name.lower())
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_text(f"You are in {name} now", exact=True)).to_be_visible()


def asked(house: RunningPlatform, token: str, path: str, **body: object) -> int:
    """How the API answers a token."""
    answer = httpx.request(
        "POST" if body else "GET", f"{house.url}/api/v1{path}", json=body or None,
        headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    return answer.status_code


def test_three_organizations_share_a_platform(
    house: RunningPlatform, postbox: tuple[Postbox, int], opens: Window
) -> None:
    box, _ = postbox
    lead = opens()
    let_in(lead, house.url, house.email, house.password)
    make_organization(lead, "Xenon")
    make_organization(lead, "Yttrium")

    # Mia joins the third one alone, as a guest of its project.
    invite(lead, "mia@example.test", "member", only_here=True)
    mia = opens()
    join(mia, box.link("mia@example.test"), "Mia")
    mia.goto("/settings?tab=members")
    expect(mia.get_by_text("mia@example.test").first).to_be_visible()
    expect(mia.get_by_text("Xenon")).to_have_count(0)
    expect(mia.get_by_role("button", name="Invite")).to_have_count(0)

    # She becomes an owner of the project, not of the organization.
    lead.goto("/settings?tab=members")
    choose(lead, "Role of Mia in this project", "owner")
    until("Mia owns the project", lambda: role_here(mia) == "owner")
    mia.reload()
    expect(mia.get_by_label("Role of Mia in this project")).to_be_visible()
    expect(mia.get_by_role("button", name="Remove")).to_have_count(0)

    # A token of her own, for reading: refused beyond that, and gone with her.
    token = make_token(mia)
    assert asked(house, token, "/campaigns") == 200
    assert asked(house, token, "/agent-registration-tokens", roles=["driver"]) == 403
    lead.get_by_role("button", name="Remove Mia").click()
    lead.get_by_role("button", name="Remove them").click()
    expect(lead.get_by_text("Mia has no access any more", exact=True)).to_be_visible()
    assert asked(house, token, "/campaigns") == 401
    mia.goto("/")
    expect(mia.get_by_role("heading", name="Sign in")).to_be_visible()
    lead.goto("/settings?tab=audit")
    expect(lead.get_by_role("cell", name="member.removed", exact=True)).to_be_visible()


def role_here(page: Page) -> str | None:
    """The role of whoever is signed in, in their one project."""
    answer = page.request.get("/api/v1/projects").json()["items"]
    return answer[0]["role"] if answer else None


def make_token(page: Page) -> str:
    """A personal token that only reads."""
    page.goto("/settings")
    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name", exact=True).fill("looking")
    page.get_by_text("My own").click()
    page.get_by_label("Only for certain things").check()
    page.get_by_role("button", name="Make the token").click()
    token = page.get_by_role("dialog").get_by_text(re.compile(r"^whp_")).inner_text()
    page.get_by_role("button", name="I have it").click()
    return token


def test_a_forgotten_password_is_set_anew_over_a_link(
    house: RunningPlatform, postbox: tuple[Postbox, int], opens: Window
) -> None:
    box, _ = postbox
    lead = opens()
    let_in(lead, house.url, house.email, house.password)
    invite(lead, "una@example.test", "viewer")
    una = opens()
    join(una, box.link("una@example.test"), "Una")

    elsewhere = opens()
    elsewhere.goto("/login")
    elsewhere.get_by_role("link", name="Forgot your password?").click()
    expect(elsewhere.get_by_role("heading", name="Forgot your password?")).to_be_visible()
    elsewhere.get_by_label("Email").fill("una@example.test")
    elsewhere.get_by_role("button", name="Send me a link").click()
    expect(elsewhere.get_by_role("status")).to_contain_text("on its way")
    link = box.link("una@example.test")
    elsewhere.goto(link)
    elsewhere.get_by_label("A new password").fill("password1234")
    elsewhere.get_by_role("button", name="Set it").click()
    expect(elsewhere.get_by_role("alert")).to_be_visible()
    elsewhere.get_by_label("A new password").fill(LATER)
    elsewhere.get_by_role("button", name="Set it").click()
    expect(elsewhere.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(elsewhere, house.url, "una@example.test", LATER)
    una.goto("/")
    expect(una.get_by_role("heading", name="Sign in")).to_be_visible()
    again = opens()
    again.goto(link)
    expect(again.get_by_role("alert")).to_contain_text("used already")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_pages_of_people_suit_everybody(
    house: RunningPlatform, postbox: tuple[Postbox, int], opens: Window, size: tuple[int, int]
) -> None:
    box, _ = postbox
    lead, address = opens(size), f"looks-at-{size[0]}@example.test"
    let_in(lead, house.url, house.email, house.password)
    invite(lead, address, "viewer")
    found = []
    for tab in ("tokens", "members", "account"):
        lead.goto(f"/settings?tab={tab}")
        found += faults(lead, f"/settings?tab={tab}", [size])
    guest = opens(size)
    for path in ("/login", "/password", box.link(address)):
        guest.goto(path)
        guest.get_by_role("heading", level=1).wait_for()
        found += faults(guest, path, [size])
    assert not found, "\n".join(found)


def test_who_has_an_address_of_the_domain_joins_without_being_asked(
    house: RunningPlatform, postbox: tuple[Postbox, int], opens: Window
):
    box = postbox[0]
    lead, keeper, zoe = opens(), opens(), opens()
    let_in(lead, house.url, house.email, house.password)
    lead.goto("/settings?tab=members")
    form = lead.get_by_role("form", name="Add a domain")
    form.get_by_label("Domain").fill("no domain")
    form.get_by_role("button", name="Ask them").click()
    expect(form.get_by_text("domain").nth(1)).to_be_visible()
    form.get_by_label("Domain").fill("quokka.test")
    form.get_by_role("button", name="Ask them").click()
    box.link("postmaster@quokka.test")
    table = lead.get_by_role("table", name="Domains whose people may join")
    row = table.get_by_role("row").filter(has_text="quokka.test")
    expect(row.get_by_text("postmaster@quokka.test was asked")).to_be_visible()
    row.get_by_role("button", name="Ask again about quokka.test").click()
    expect(lead.get_by_text("A mail is on its way").first).to_be_visible()
    asked = box.link("postmaster@quokka.test")
    lead.reload()
    expect(row.get_by_text("postmaster@quokka.test was asked")).to_be_visible()
    looked_at(lead, "domains-asked")

    keeper.goto(asked)
    expect(keeper.get_by_role("heading", name="Is quokka.test a domain of")).to_be_visible()
    looked_at(keeper, "domain-confirm")
    keeper.get_by_role("button", name="Yes, it is").click()
    expect(keeper.get_by_role("heading", name="quokka.test is confirmed")).to_be_visible()
    looked_at(keeper, "domain-confirmed")
    lead.reload()
    expect(row.get_by_text("confirmed").first).to_be_visible()
    expect(row.get_by_role("button", name="Ask again")).to_have_count(0)

    asked_to_join(zoe, "zoe@quokka.test")
    looked_at(zoe, "joining-asked")
    join(zoe, box.link("zoe@quokka.test"), "Zoe")
    assert zoe.request.get("/api/v1/projects").json()["items"][0]["role"] == "viewer"
    lead.reload()
    expect(row.get_by_text("1 invited within a day")).to_be_visible()
    form.get_by_label("Domain").fill("Quokka.test")
    form.get_by_role("button", name="Ask them").click()
    expect(lead.get_by_role("dialog", name="Ask anew about quokka.test?")).to_be_visible()
    looked_at(lead, "domains-ask-anew")
    lead.get_by_role("button", name="Keep it confirmed").click()
    expect(row.get_by_text("confirmed").first).to_be_visible()
    lead.get_by_role("button", name="Remove quokka.test").click()
    lead.get_by_role("button", name="Remove it").click()
    expect(lead.get_by_text("Nobody joins by quokka.test any more").first).to_be_visible()
    expect(row).to_have_count(0)


def asked_to_join(page: Page, address: str) -> None:
    page.goto("/login")
    page.get_by_role("link", name="New here?").click()
    page.get_by_label("Your work address").fill(address)
    page.get_by_role("button", name="Send me an invitation").click()
    expect(page.get_by_role("status")).to_contain_text(address)
