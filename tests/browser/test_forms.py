"""What a form shows as an example is no value: opened and sent untouched, nothing is made."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, Request, expect
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

SLUG = "untouched"
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
ASKS = re.compile(r"/(validate|preview|fairness)\b")
"""Requests that change nothing, whatever their method."""
EXAMPLES = re.compile(r"acme|example\.(com|org)|new-experiment|owner/name|group/project")


@dataclass(frozen=True)
class Form:
    """A form that makes something."""

    address: str
    opens: str | None
    """The button that shows it; none: it stands on the page."""
    sends: str
    name: str


FORMS = (
    Form("/settings", "Trust a pipeline", "Trust it", "a trusted pipeline"),
    Form("/settings", "New token", "Make the token", "a token"),
    Form("/settings?tab=members", "Invite", "Invite", "an invitation"),
    Form("/settings?tab=prices", "New price", "Save", "a machine's price"),
    Form("/settings?tab=prices", "New licence", "Save", "a licence"),
    Form("/settings?tab=notifications", "New channel", "Make the channel", "a channel"),
    Form("/settings?tab=sign-in", None, "Save", "a provider"),
    Form("/experiments/new", "Begin blank", "Save the experiment", "an experiment"),
    Form(f"/experiments/{SLUG}?tab=schedule", None, "Set the schedule", "a schedule"),
)


@pytest.fixture(scope="module")
def stored(platform: RunningPlatform) -> None:
    """An experiment that nothing is scheduled of."""
    platform.request("POST", "/experiments", json={"yaml": small_experiment(SLUG, "redis")})


def held(place: Locator) -> list[str]:
    """Values of fields that are examples: that of their own placeholder, or of nobody. A number
    there is no example, but what holds when nothing is written.
    """
    found = []
    for field in place.locator("input:not([type=checkbox]):not([type=radio]), textarea").all():
        value = field.input_value()
        shown = field.get_attribute("placeholder") or ""
        if value and ((value == shown and not shown.isdigit()) or EXAMPLES.search(value)):
            found.append(value)
    return found


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_untouched_it_sends_nothing(page: Page, stored: None, form: Form) -> None:
    page.goto(form.address)
    if form.opens is not None:
        page.get_by_role("button", name=form.opens, exact=True).click()
    dialog = page.get_by_role("dialog")
    button = page.get_by_role("button", name=form.sends, exact=True).last
    expect(button).to_be_visible()
    sent: list[str] = []

    def noted(request: Request) -> None:
        if request.method in WRITES and not ASKS.search(request.url):
            sent.append(f"{request.method} {request.url}")

    page.on("request", noted)
    assert held(dialog if dialog.count() else page.get_by_role("main")) == []
    if button.is_enabled():
        button.click()
        missing = page.locator("input:invalid, textarea:invalid")
        expect(missing.first).to_be_focused()
    assert sent == []


def test_an_experiment_is_called_by_its_name(page: Page) -> None:
    page.goto("/experiments/new")
    page.get_by_role("button", name="Begin blank").click()
    name, slug = (page.get_by_label(label, exact=True) for label in ("Name", "Slug"))
    expect(slug).to_have_value("")
    name.first.fill("Ours, every night")
    expect(slug).to_have_value("ours-every-night")
    slug.fill("nightly")
    name.first.fill("Ours, each night")
    expect(slug).to_have_value("nightly")
