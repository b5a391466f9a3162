"""What happens is told: to a webhook that verifies it, by mail, and under the bell."""

import datetime
import email
import email.policy
import time
from collections.abc import Iterator

import pytest
from aiosmtpd.controller import Controller
from playwright.sync_api import Page, expect
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.commands.dev import manifests
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.browser import faults
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waits import until
from weighhouse_testing.windows import Windows
from weighhouse_worker.seeding.plan import Sown
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

from worker.tests.receiving import Receiver, receiving, verified

PAGE = "/settings?tab=notifications"
NIGHTS = Sown(
    "invented-told", "Invented: a shift that is told", ("redis",), (4,), repetitions=3,
    campaigns=15, shifts={"redis": {10: 0.9}}, versions={0: "7.0.15", 10: "7.2.1"},
)  # fmt: skip


class Postbox:
    """Keeps subjects of letters."""

    def __init__(self) -> None:
        self.subjects: list[str] = []

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the library's name
        letter = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.subjects.append(letter["Subject"])
        return "250 kept"


@pytest.fixture(scope="module")
def postbox() -> Iterator[tuple[Postbox, int]]:
    box = Postbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield box, controller.port
    controller.stop()


@pytest.fixture(scope="module")
def house(postbox: tuple[Postbox, int]) -> Iterator[RunningPlatform]:
    """A platform of its own: others would hear of what happens there."""
    with running_platform(
        agent=False, SMTP_HOST="127.0.0.1", SMTP_PORT=str(postbox[1]), SMTP_ENCRYPTION="none",
        NOTICES_TO_OWN_NETWORKS="true",
    ) as running:  # fmt: skip
        yield running


@pytest.fixture
def page(windows: Windows, house: RunningPlatform) -> Iterator[Page]:
    with windows.lent(house.url, (house.email, house.password)) as opened:
        yield opened()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


def happen(house: RunningPlatform) -> None:
    """Fifteen nights, the last five of them slower."""
    tools = Tools(Settings(database_url=house.inner.database_url, redis_url=house.inner.redis_url))
    sow(tools, manifests(), [NIGHTS], datetime.datetime.now(datetime.UTC), print)


def test_a_regression_is_told_to_a_webhook_by_mail_and_under_the_bell(
    page: Page, house: RunningPlatform, receiver: Receiver, postbox: tuple[Postbox, int]
) -> None:
    page.goto(PAGE)
    found = faults(page, "notifications-empty")
    page.get_by_label("Regression: mail").check()
    page.get_by_label("Time zone").fill("Europe/Atlantis")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("no time zone")).to_be_visible()
    page.get_by_label("Time zone").fill("Europe/Vienna")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("From now on you are told so", exact=True)).to_be_visible()

    page.get_by_role("button", name="New channel").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("CI")
    dialog.get_by_label("Address").fill("https://169.254.169.254/latest")
    dialog.get_by_role("button", name="Make the channel").click()
    expect(dialog.get_by_text("where nothing is sent")).to_be_visible()
    found += faults(page, "channel-refused", whole=False)
    dialog.get_by_label("Address").fill(f"{receiver.url}/hook")
    dialog.get_by_label("Campaign done").uncheck()
    dialog.get_by_role("button", name="Make the channel").click()
    secret = dialog.get_by_label("The webhook's signing secret").inner_text()
    dialog.get_by_role("button", name="I have it").click()

    receiver.answers = [500]
    page.get_by_role("button", name="Test CI").click()
    log = page.get_by_role("dialog")
    expect(log.get_by_text("refused (500)")).to_be_visible()
    log.get_by_role("button", name="Send a test").click()
    expect(log.get_by_text("delivered (204)")).to_be_visible()
    found += faults(page, "channel-log", whole=False)
    log.get_by_role("button", name="Done").click()

    happen(house)
    kinds = until(
        "the webhook hears of it",
        lambda: (
            found
            if "regression"
            in (found := [
                verified(headers, body, secret, time.time())["type"]
                for _, headers, body in receiver.got
            ])
            else None
        ),
    )  # fmt: skip
    assert kinds == ["test", "test", "regression"], "one cause, one message"
    until("a letter comes", lambda: postbox[0].subjects)
    (subject,) = postbox[0].subjects
    assert subject.startswith("Regression: ")

    page.goto("/")
    page.get_by_role("button", name="Notices, 16 unread").click()
    bell = page.get_by_role("dialog", name="Notices")
    expect(bell.get_by_role("listitem")).to_have_count(16)
    found += faults(page, "bell", whole=False)
    bell.get_by_role("link", name="Regression").click()
    expect(page.get_by_role("heading", level=2, name=subject.partition(": ")[2])).to_be_visible()
    page.get_by_role("button", name="Notices, 15 unread").click()
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("button", name="Notices", exact=True)).to_be_visible()

    page.goto(PAGE)
    expect(page.get_by_label("Regression: mail")).to_be_checked()
    page.get_by_label("Quiet hours").check()
    found += faults(page, "notifications")
    page.get_by_role("button", name="Remove CI").click()
    page.get_by_role("button", name="Remove the channel").click()
    expect(page.get_by_text("No channel yet")).to_be_visible()
    assert found == [], "\n".join(found)
