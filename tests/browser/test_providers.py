"""People sign in with a real OpenID Connect provider: invited, by their groups, and out again."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import httpx2
import pytest
from playwright.sync_api import Page, expect
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import SearchRequest
from weighhouse_backend.identity.installation import FIRST_ORGANIZATION
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.browser import (
    FIRST_PAGE,
    NARROW,
    REPOSITORY,
    WIDE,
    Window,
    faults,
    let_in,
    looked_at,
)
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waits import PATIENCE_SECONDS, until
from weighhouse_testing.windows import Windows

SECRET = "a secret of tests & more"


@dataclass(frozen=True)
class RealProvider:
    """`oidc-provider` on this machine; whoever signs in types a name alone."""

    url: str

    def account(self, name: str, *groups: str, verified: bool = True) -> None:
        """Have somebody, in some groups from now on."""
        body = {"email": f"{name}@example.test", "email_verified": verified, "groups": groups}
        put = httpx.put(f"{self.url}/accounts/{name}", json=body, timeout=PATIENCE_SECONDS)
        put.raise_for_status()

    def answers(self) -> bool:
        """Whether it is there."""
        try:
            return httpx.get(f"{self.url}/.well-known/openid-configuration").is_success
        except httpx.TransportError:
            return False


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own: others would see its provider."""
    with running_platform(agent=False) as running:
        yield running


@pytest.fixture(scope="module")
def provider(house: RunningPlatform) -> Iterator[RealProvider]:
    port = free_port()
    script = REPOSITORY / "tests" / "weighhouse_testing" / "oidc_provider.mjs"
    out = f"{house.url}/api/v1/sign-in/{FIRST_ORGANIZATION}/signed-out"
    ours = f"{house.url}/login/answer", f"{house.url}/login", out
    command = ["node", str(script), str(port), *ours]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    made = RealProvider(f"http://127.0.0.1:{port}")
    until("the provider answers", made.answers)
    yield made
    process.terminate()
    process.wait()


@pytest.fixture
def opens(windows: Windows, house: RunningPlatform) -> Iterator[Window]:
    """Opens windows of people, each with cookies of its own."""
    with windows.lent(house.url) as opened:
        yield opened


@pytest.fixture(scope="module")
def leads(windows: Windows, house: RunningPlatform) -> Iterator[Window]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened


@pytest.fixture(scope="module")
def lead(leads: Window, house: RunningPlatform, provider: RealProvider) -> Page:
    """The owner, signed in by password, who has set the provider up in the settings."""
    page = leads(policy=True)
    page.goto("/settings?tab=sign-in")
    page.get_by_label("Name", exact=True).fill("Acme SSO")
    page.get_by_label("Issuer").fill(provider.url)
    page.get_by_label("Client id").fill("weighhouse")
    page.get_by_label("Client secret").fill(SECRET)
    for at, (group, role) in enumerate([("lookers", "viewer"), ("leads", "maintainer")], 1):
        page.get_by_role("button", name="Add a group").click()
        page.get_by_label(f"Group {at}", exact=True).fill(group)
        page.get_by_label(f"Role of group {at}").click()
        page.get_by_role("option", name=role).click()
    page.get_by_label("On the page to sign in").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(f"{house.url}/login/answer")).to_be_visible()
    return page


def come_in(page: Page, name: str) -> None:
    """Sign in with the provider, from the platform's page to sign in."""
    page.goto("/login")
    page.get_by_role("button", name="Continue with Acme SSO").click()
    expect(page.get_by_role("heading", name="Who are you?")).to_be_visible()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Go on").click()


def is_in(page: Page) -> None:
    expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()


def sign_out(page: Page) -> None:
    """Sign out here and at the provider, which asks whether that is meant."""
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Do you want to sign-out from")).to_be_visible()
    page.get_by_role("button", name="Yes, sign me out").click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def role_of(page: Page) -> str | None:
    """The role of whoever is signed in, in the only project."""
    answer = page.request.get("/api/v1/projects").json()
    return answer["items"][0]["role"] if answer.get("items") else None


def invite(page: Page, address: str) -> None:
    page.goto("/settings?tab=members")
    page.get_by_role("button", name="Invite").click()
    page.get_by_label("Email").fill(address)
    page.get_by_role("dialog").get_by_role("button", name="Invite").click()
    page.get_by_role("button", name="Done").click()


def test_somebody_invited_comes_in_follows_their_groups_and_signs_out(
    provider: RealProvider, lead: Page, opens: Window
) -> None:
    provider.account("mia")
    mia = opens(policy=True)
    come_in(mia, "mia")
    expect(mia.get_by_role("heading", name="The organization does not know you")).to_be_visible()

    invite(lead, "mia@example.test")
    mia.context.clear_cookies()
    come_in(mia, "mia")
    is_in(mia)
    assert role_of(mia) == "member"
    assert "code=" not in mia.evaluate("location.href")

    # Signed out here and there: the provider asks who one is again.
    sign_out(mia)
    assert mia.request.get("/api/v1/sessions/current").status == 401

    provider.account("mia", "lookers")
    come_in(mia, "mia")
    is_in(mia)
    assert role_of(mia) == "viewer"
    sign_out(mia)
    provider.account("mia", "lookers", "leads")
    come_in(mia, "mia")
    is_in(mia)
    assert role_of(mia) == "maintainer"

    # In no group any more: the next login ends everything, elsewhere too.
    elsewhere = opens(policy=True)
    provider.account("mia")
    come_in(elsewhere, "mia")
    expect(elsewhere.get_by_text("none of your groups has a role there any more")).to_be_visible()
    assert mia.request.get("/api/v1/sessions/current").status == 401
    lead.goto("/settings?tab=audit")
    expect(lead.get_by_text("login.refused").first).to_be_visible()
    expect(lead.get_by_text("member.removed").first).to_be_visible()


def test_a_group_lets_somebody_in_whom_nobody_invited_back_to_where_they_were_going(
    provider: RealProvider, lead: Page, opens: Window
) -> None:
    del lead
    provider.account("una", "leads")
    una = opens(policy=True)
    una.goto("/settings?tab=account")
    una.get_by_role("button", name="Continue with Acme SSO").click()
    una.get_by_label("Name").fill("una")
    una.get_by_role("button", name="Go on").click()
    expect(una.get_by_role("heading", name="Where you are signed in")).to_be_visible()
    assert role_of(una) == "maintainer"


def test_who_signs_out_at_the_provider_is_signed_out_here(
    provider: RealProvider, lead: Page, opens: Window
) -> None:
    provider.account("ned", "lookers")
    ned = opens(policy=True)
    come_in(ned, "ned")
    is_in(ned)
    there = ned.context.new_page()
    there.goto(f"{provider.url}/session/end")
    there.get_by_role("button", name="Yes, sign me out").click()
    ended = lambda: ned.request.get("/api/v1/sessions/current").status == 401  # noqa: E731
    until("the login ends here", ended)
    lead.goto("/settings?tab=audit")
    expect(lead.get_by_text("login.ended_by_provider").first).to_be_visible()
    come_in(ned, "ned")
    is_in(ned)


def test_who_leaves_the_directory_is_out_at_once(
    house: RunningPlatform, provider: RealProvider, lead: Page, opens: Window
) -> None:
    del lead
    provider.account("dee", "lookers")
    owner, dee = opens(), opens(policy=True)
    come_in(dee, "dee")
    is_in(dee)
    let_in(owner, house.url, house.email, house.password)
    owner.goto("/settings?tab=sign-in")
    owner.get_by_role("button", name="Let a directory in").click()
    expect(owner.get_by_role("heading", name="Take the token with you")).to_be_visible()
    looked_at(owner, "directory-token")
    address = owner.get_by_label("The address for the directory").inner_text()
    token = owner.get_by_label("The directory's token").inner_text()
    owner.get_by_role("button", name="I have it").click()
    expect(owner.get_by_text("It has not come yet with this token.")).to_be_visible()

    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=f"{address}/", headers=headers, timeout=PATIENCE_SECONDS) as http:
        scim = SyncSCIMClient(http)
        scim.discover()
        users = scim.get_resource_model("User")
        wanted = SearchRequest[users](filter='userName eq "dee@example.test"')
        (found,) = scim.query(users, wanted).resources
        found.active = False
        scim.replace(found)
    assert dee.request.get("/api/v1/sessions/current").status == 401
    dee.goto("/")
    expect(dee.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    owner.reload()
    expect(owner.get_by_text("It last came")).to_contain_text("from 127.0.0.1")
    looked_at(owner, "directory")
    owner.get_by_role("button", name="Shut it out").click()
    owner.get_by_role("dialog").get_by_role("button", name="Shut it out").click()
    expect(owner.get_by_text("No directory is let in.")).to_be_visible()
    shut = httpx.get(f"{address}/Users", headers=headers, timeout=PATIENCE_SECONDS)
    assert shut.status_code == 401
    owner.goto("/settings?tab=audit")
    entries = owner.get_by_role("row").filter(has_text="dee@example.test")
    expect(entries.filter(has_text="the directory from 127.0.0.1")).to_have_count(1)


def test_an_address_that_the_provider_has_not_verified_is_nobodys(
    provider: RealProvider, lead: Page, opens: Window
) -> None:
    invite(lead, "ray@example.test")
    provider.account("ray", "leads", verified=False)
    ray = opens(policy=True)
    come_in(ray, "ray")
    expect(ray.get_by_role("heading", name="does not say that the address")).to_be_visible()
    ray.get_by_role("button", name="Begin anew").click()
    expect(ray.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_pages_of_providers_suit_everybody(
    house: RunningPlatform, lead: Page, opens: Window, size: tuple[int, int]
) -> None:
    del lead
    page = opens(size)
    page.goto("/login")
    page.get_by_role("button", name="Use your organization's provider").click()
    page.get_by_label("Your organization").wait_for()
    found = faults(page, "/login", [size])
    page.goto("/login/answer?state=none&code=none")
    page.get_by_role("button", name="Begin anew").wait_for()
    found += faults(page, "/login/answer", [size])
    let_in(page, house.url, house.email, house.password)
    page.goto("/settings?tab=sign-in")
    page.get_by_role("button", name="Save").wait_for()
    found += faults(page, "/settings?tab=sign-in", [size])
    assert not found, "\n".join(found)
