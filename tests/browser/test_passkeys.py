"""Passkeys in a browser, held by its virtual authenticator: added, signed in by, removed."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import CDPSession, Page, expect
from weighhouse_testing.browser import FIRST_PAGE, let_in, looked_at, sign_in
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows

HOLDER = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
    "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def house() -> Iterator[RunningPlatform]:
    """A platform of its own: others sign in with the password alone."""
    with running_platform(agent=False) as running:
        yield running


def at_its_name(house: RunningPlatform) -> str:
    """This machine as browsers know passkeys of it."""
    return house.url.replace("127.0.0.1", "localhost")


@contextmanager
def holding(windows: Windows, url: str) -> Iterator[tuple[Page, CDPSession, str]]:
    """A page of a browser that holds passkeys, and how to reach what holds them."""
    with windows.lent(url) as opens:
        page = opens()
        device = page.context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        made = device.send("WebAuthn.addVirtualAuthenticator", {"options": HOLDER})
        yield page, device, made["authenticatorId"]
        device.send("WebAuthn.disable")
        device.detach()


def signed_out(page: Page, url: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{url}/login")


def by_passkey(page: Page, url: str) -> None:
    signed_out(page, url)
    page.get_by_role("button", name="Use a passkey").click()


def is_in(page: Page) -> None:
    expect(page.get_by_role("heading", level=1, name=FIRST_PAGE)).to_be_visible()


def test_a_passkey_signs_in_and_is_removed(windows: Windows, house: RunningPlatform):
    url = at_its_name(house)
    with holding(windows, url) as (page, device, holder):
        let_in(page, url, house.email, house.password)
        page.goto(f"{url}/settings?tab=account")
        form = page.get_by_role("form", name="Add a passkey")
        expect(form).to_be_visible()
        looked_at(page, "passkeys-none")
        form.get_by_label("What you call it").fill("Blue key")
        form.get_by_label("Your password").fill("wrong")
        form.get_by_role("button", name="Add a passkey").click()
        expect(form.get_by_text("does not fit").first).to_be_visible()
        form.get_by_label("Your password").fill(house.password)
        form.get_by_role("button", name="Add a passkey").click()
        shown = page.get_by_role("status").filter(has_text="Keep these recovery codes")
        expect(shown).to_be_visible()
        looked_at(page, "passkeys-codes")
        assert len(shown.locator("pre").first.inner_text().split()) == 10
        page.get_by_role("button", name="I have kept them").click()
        expect(page.get_by_text("without an authenticator; 10 recovery codes")).to_be_visible()
        held = device.send("WebAuthn.getCredentials", {"authenticatorId": holder})["credentials"]
        assert [(one["rpId"], one["isResidentCredential"]) for one in held] == [("localhost", True)]

        by_passkey(page, url)
        is_in(page)
        signed_out(page, url)
        page.get_by_label("Email").fill(house.email)
        page.get_by_label("Password", exact=True).fill(house.password)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_label("Code")).to_be_visible()
        looked_at(page, "passkeys-needed")
        page.get_by_role("button", name="Use a passkey").click()
        is_in(page)

        device.send(
            "WebAuthn.setUserVerified", {"authenticatorId": holder, "isUserVerified": False}
        )
        by_passkey(page, url)
        expect(page.get_by_role("alert")).to_contain_text("No passkey was given")
        looked_at(page, "passkeys-cancelled")
        device.send("WebAuthn.setUserVerified", {"authenticatorId": holder, "isUserVerified": True})
        page.get_by_role("button", name="Use a passkey").click()
        is_in(page)

        page.goto(f"{url}/settings?tab=account")
        form.get_by_role("button", name="Show a passkey instead").click()
        expect(form.get_by_text("Your passkey was shown")).to_be_visible()
        form.get_by_role("button", name="Add a passkey").click()
        expect(form.get_by_text("holds a passkey of yours already")).to_be_visible()
        looked_at(page, "passkeys-one")
        page.get_by_role("button", name="Remove Blue key").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("It is your last second factor")).to_be_visible()
        looked_at(page, "passkeys-removal")
        dialog.get_by_role("button", name="Show a passkey instead").click()
        dialog.get_by_role("button", name="Remove it").click()
        expect(page.get_by_text("Your password alone signs you in")).to_be_visible()
        by_passkey(page, url)
        expect(page.get_by_role("alert")).to_contain_text("was removed here")
        sign_in(page, url, house.email, house.password)


def test_where_the_address_is_a_number_it_says_where_passkeys_work(
    windows: Windows, platform: RunningPlatform
):
    with holding(windows, platform.url) as (page, _, _):
        page.goto(f"{platform.url}/login")
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        expect(page.get_by_role("button", name="Use a passkey")).to_have_count(0)
        let_in(page, platform.url, platform.email, platform.password)
        page.goto(f"{platform.url}/settings?tab=account")
        expect(page.get_by_role("link", name=at_its_name(platform))).to_be_visible()
        looked_at(page, "passkeys-elsewhere")
