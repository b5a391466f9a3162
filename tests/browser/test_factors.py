"""A second factor in a browser: set up, asked for at the login, recovery codes, turned off."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pyotp
import pytest
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import FIRST_PAGE, Window, let_in, looked_at
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waits import PATIENCE_SECONDS
from weighhouse_testing.windows import Windows

MIA, NEA = "mia@example.test", "nea@example.test"
PASSWORD = "gravel tuba eleven lantern"


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own: others sign in with the password alone."""
    with running_platform(agent=False) as running:
        yield running


@pytest.fixture
def opens(windows: Windows, house: RunningPlatform) -> Iterator[Window]:
    with windows.lent(house.url) as opened:
        yield opened


def password_only(page: Page, house: RunningPlatform) -> None:
    page.context.clear_cookies()
    page.goto(f"{house.url}/login")
    page.get_by_label("Email").fill(house.email)
    page.get_by_label("Password", exact=True).fill(house.password)
    page.get_by_role("button", name="Sign in").click()


def with_code(page: Page, house: RunningPlatform, code: str) -> None:
    password_only(page, house)
    expect(page.get_by_label("Code")).to_be_focused()
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in").click()


def test_a_second_factor_from_set_up_to_turned_off(opens: Window, house: RunningPlatform):
    page = opens()
    let_in(page, house.url, house.email, house.password)
    page.goto(f"{house.url}/settings?tab=account")
    page.get_by_label("Your password").fill(house.password)
    page.get_by_role("button", name="Set up an authenticator").click()
    picture = page.get_by_alt_text("QR code")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    looked_at(page, "set-up")
    key = page.locator("form", has=picture).locator("pre").first.inner_text().strip()
    page.get_by_label("Code").fill("000")
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("does not fit").first).to_be_visible()
    page.get_by_label("Code").fill(pyotp.TOTP(key).now())
    page.get_by_role("button", name="Turn it on").click()
    shown = page.get_by_role("status").filter(has_text="Keep these recovery codes")
    expect(shown).to_be_visible()
    looked_at(page, "recovery-codes")
    codes = shown.locator("pre").first.inner_text().split()
    assert len(codes) == 10
    page.get_by_role("button", name="I have kept them").click()
    expect(page.get_by_text("10 recovery codes are left")).to_be_visible()
    looked_at(page, "on")

    with_code(page, house, "000")
    expect(page.get_by_text("does not fit").first).to_be_visible()
    looked_at(page, "code")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()

    with_code(page, house, codes[0])
    expect(page.get_by_text("does not fit").first).to_be_visible()
    # The next code: the present one may have been taken when it was set up.
    step = page.evaluate("Math.floor(Date.now() / 30000)") + 1
    page.get_by_label("Code").fill(pyotp.TOTP(key).generate_otp(step))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()

    page.goto(f"{house.url}/settings?tab=account")
    page.get_by_label("Your password").fill(house.password)
    page.get_by_label("Code").fill(codes[1])
    page.get_by_role("button", name="Take the authenticator off").click()
    expect(page.get_by_role("button", name="Set up an authenticator")).to_be_visible()
    password_only(page, house)
    expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()


def joined(house: RunningPlatform, email: str = MIA) -> None:
    """Mia is in the organization."""
    with closing(at_the_api(house, house.email, house.password)) as owner:
        made = owner.post("/invitations", json={"email": email, "role": "member"})
        bearer = {"Authorization": f"Bearer {made.json()['link'].partition('#')[2]}"}
        body = {"name": "Mia", "password": PASSWORD}
        assert owner.post("/invitation", json=body, headers=bearer).status_code == 201


def with_factor(house: RunningPlatform) -> None:
    """Mia sets a second factor up."""
    with closing(at_the_api(house, MIA, PASSWORD)) as mia:
        begun = mia.post("/second-factor", json={"current": PASSWORD}).json()
        code = pyotp.TOTP(begun["key"]).now()
        assert mia.put("/second-factor", json={"code": code}).status_code == 200


def at_the_api(house: RunningPlatform, email: str, password: str) -> httpx.Client:
    client = httpx.Client(
        base_url=f"{house.url}/api/v1", headers={"X-Weighhouse": "1"}, timeout=PATIENCE_SECONDS
    )
    signed_in = {"email": email, "password": password}
    assert client.post("/sessions", json=signed_in).status_code == 201
    return client


def reset_on_the_machine(house: RunningPlatform) -> None:
    assert people_on_the_machine(house, "reset-factor", MIA).returncode == 0


def people_on_the_machine(
    house: RunningPlatform, *arguments: str
) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("weighhouse"), "people", *arguments]
    return subprocess.run(
        [*command, "--data-dir", str(house.inner.directory.path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_lost_second_factor_is_reset_by_an_owner_or_on_the_machine(
    opens: Window, house: RunningPlatform
):
    joined(house)
    with_factor(house)
    page = opens()
    let_in(page, house.url, house.email, house.password)
    page.goto(f"{house.url}/settings?tab=members")
    reset = page.get_by_role("button", name="Reset the second factor of Mia")
    expect(reset).to_be_visible()
    looked_at(page, "people")
    reset.click()
    page.get_by_role("button", name="Reset it").click()
    expect(page.get_by_text("Mia signs in with the password alone").first).to_be_visible()
    expect(reset).to_have_count(0)
    page.context.clear_cookies()
    page.goto(f"{house.url}/login")
    page.get_by_label("Email").fill(MIA)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()
    with_factor(house)
    reset_on_the_machine(house)
    at_the_api(house, MIA, PASSWORD).close()


def test_who_is_forgotten_on_the_machine_is_gone(house: RunningPlatform):
    joined(house, NEA)
    looked = people_on_the_machine(house, "forget", NEA, "--dry-run")
    assert "would be former member " in looked.stdout
    at_the_api(house, NEA, PASSWORD).close()
    last = people_on_the_machine(house, "forget", house.email, "--yes")
    assert last.returncode != 0
    assert "has no other owner" in last.stderr
    done = people_on_the_machine(house, "forget", NEA, "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("forgotten\n")
    members = house.request("GET", "/members")["items"]
    assert NEA not in {one["email"] for one in members}
    again = people_on_the_machine(house, "forget", NEA, "--yes")
    assert f"nobody here has the address {NEA}" in again.stderr


def test_an_organization_requires_it_and_opens_as_soon_as_it_is_set_up(windows: Windows):
    with running_platform(agent=False) as house, windows.lent(house.url) as opens:
        joined(house)
        page = opens()
        let_in(page, house.url, house.email, house.password)
        page.goto(f"{house.url}/settings?tab=members")
        switch = page.get_by_role("switch", name="requires a second factor")
        switch.click()
        expect(page.get_by_text("set it up first").first).to_be_visible()
        expect(switch).not_to_be_checked()
        set_up_on_page(page, house, house.password)
        page.goto(f"{house.url}/settings?tab=members")
        switch.click()
        expect(switch).to_be_checked()
        looked_at(page, "required")

        page.context.clear_cookies()
        page.goto(f"{house.url}/login")
        page.get_by_label("Email").fill(MIA)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        asked = page.get_by_role("heading", level=1, name="requires a second factor")
        expect(asked).to_be_visible()
        looked_at(page, "to-be-set-up")
        confirmed(page, PASSWORD)
        expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()


def set_up_on_page(page: Page, house: RunningPlatform, password: str) -> None:
    page.goto(f"{house.url}/settings?tab=account")
    confirmed(page, password)
    expect(page.get_by_text("10 recovery codes are left")).to_be_visible()


def confirmed(page: Page, password: str) -> None:
    """The form of a second factor on the page is filled in to its end."""
    page.get_by_label("Your password").fill(password)
    page.get_by_role("button", name="Set up an authenticator").click()
    picture = page.get_by_alt_text("QR code")
    key = page.locator("form", has=picture).locator("pre").first.inner_text().strip()
    page.get_by_label("Code").fill(pyotp.TOTP(key).now())
    page.get_by_role("button", name="Turn it on").click()
    page.get_by_role("button", name="I have kept them").click()
