"""What a form shows as an example is no value: opened and sent untouched, nothing is made."""

import json
import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect
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
    Form("/settings?tab=projects", "New project", "Make the project", "a project"),
    Form("/settings?tab=prices", "New price", "Save", "a machine's price"),
    Form("/settings?tab=prices", "New licence", "Save", "a licence"),
    Form("/settings?tab=notifications", "New channel", "Make the channel", "a channel"),
    Form("/settings?tab=sign-in", None, "Save", "a provider"),
    Form("/experiments/new", "Begin blank", "Save the experiment", "an experiment"),
    Form(f"/experiments/{SLUG}?tab=schedule", None, "Set the schedule", "a schedule"),
)


NOT_BY_WORDS = {"a schedule", "an experiment"}
"""Forms that words alone do not fill: their fields are of a kind of their own."""


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


def writes(request: Request) -> bool:
    """Would it change something?"""
    return request.method in WRITES and not ASKS.search(request.url)


def shown(page: Page, form: Form) -> tuple[Locator, Locator]:
    """A form as it opens, and its button."""
    page.goto(form.address)
    if form.opens is not None:
        page.get_by_role("button", name=form.opens, exact=True).click()
    button = page.get_by_role("button", name=form.sends, exact=True).last
    expect(button).to_be_visible()
    dialog = page.get_by_role("dialog")
    return dialog if dialog.count() else page.get_by_role("main"), button


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_untouched_it_sends_nothing(page: Page, stored: None, form: Form) -> None:
    place, button = shown(page, form)
    sent: list[str] = []

    def noted(request: Request) -> None:
        if writes(request):
            sent.append(f"{request.method} {request.url}")

    page.on("request", noted)
    assert held(place) == []
    if button.is_enabled():
        button.click()
        missing = page.locator("input:invalid, textarea:invalid")
        expect(missing.first).to_be_focused()
    assert sent == []


OURS = "USD"
WRITTEN = {"email": "mia@usd.test", "url": "https://usd.test/", "number": "7"}
"""What somebody writes into a field of a kind; into another one `OURS`, a currency, too."""


def texts_in(document: object) -> set[str]:
    """All texts of a document."""
    if isinstance(document, dict):
        return set().union(*(texts_in(one) for one in document.values()))
    if isinstance(document, list):
        return set().union(*(texts_in(one) for one in document))
    return {line.strip() for line in document.splitlines()} if isinstance(document, str) else set()


@pytest.mark.parametrize(
    "form",
    [one for one in FORMS if one.name not in NOT_BY_WORDS],
    ids=lambda form: form.name,
)
def test_what_is_asked_for_is_sent_and_no_example(page: Page, stored: None, form: Form) -> None:
    """What is asked for is written, all else left as it is: nothing is sent that is an example."""
    place, button = shown(page, form)
    fields = place.locator("input:not([type=checkbox]):not([type=radio]), textarea")
    examples = {one.get_attribute("placeholder") for one in fields.all()}
    for field in fields.and_(place.locator("[required], [type=number]")).all():
        if not field.input_value():
            kind = field.get_attribute("type") or "text"
            field.fill(WRITTEN.get(kind, OURS))

    def refused(route: Route) -> None:
        """What would be written is made by nobody."""
        if writes(route.request):
            route.fulfill(status=409, json={"title": "Not here", "status": 409, "errors": []})
        else:
            route.fallback()

    page.route("**/api/v1/**", refused)
    expect(button).to_be_enabled()
    with page.expect_request(writes) as asked:
        button.click()
    body = asked.value.post_data or ""
    texts = texts_in(json.loads(body))
    assert OURS.lower() in str(texts).lower(), f"what was written is not sent: {body}"
    wrong = {one for one in texts if one in examples or EXAMPLES.search(one)}
    assert wrong == set(), f"examples are sent: {wrong}"


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
