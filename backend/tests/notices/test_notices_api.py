"""The bell, one's own settings and channels, as people and pipelines ask for them."""

import datetime

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import select
from weighhouse_backend.identity.models import AuditEntry, Membership, User
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.endpoints import router
from weighhouse_backend.notices.kinds import NoticeKind
from weighhouse_backend.notices.models import NoticeChannel, NoticeDelivery, NoticeEntry
from weighhouse_backend.notices.recipients import SpreadingService
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_testing.services import transaction_of

from backend.tests.conftest import PASSWORD
from backend.tests.people import router as identity

NOTICES = "/api/v1/notices"
CHANNELS = f"{NOTICES}/channels"
HUSH = "hush-hush-hush"
HOOK = f"https://hooks.example/{HUSH}?key={HUSH}"
CHANGE = {"X-Weighhouse": "1"}


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client) -> TestClient:
    return make_client(router, identity, account)


@pytest.fixture
def mine(client, tenants):
    """The first tenant's headers."""
    client.cookies.clear()
    return tenants[0].headers


@pytest.fixture
def signed_in(client, tenants):
    """The first tenant's person, in a browser."""
    client.cookies.clear()
    said = {"email": tenants[0].email, "password": PASSWORD}
    assert client.post("/api/v1/sessions", json=said).status_code == 201
    yield tenants[0]
    client.cookies.clear()


def happens(session_factory, settings, project_id, **more):
    """Something happens, and the worker spreads it."""
    facts = {"kind": NoticeKind.REGRESSION, "title": "p99 rose", "path": "/alerts"}
    with unit_of_work(session_factory) as session:
        cause = {"cause": str(datetime.datetime.now(datetime.UTC))}
        notify(session, SystemClock(), project_id=project_id, **{**facts, **cause, **more})
    with transaction_of(session_factory, settings) as services:
        services.get(SpreadingService).spread()


def webhook(client, tenant, **more):
    body = {"project_id": str(tenant.project_id), "kind": "webhook", "name": "CI", "address": HOOK}
    return client.post(CHANNELS, headers=tenant.headers, json={**body, **more})


def test_the_bell_counts_lists_and_forgets_what_was_read(
    client, signed_in, session_factory, settings, tenants
):
    for title in ("first", "second", "third"):
        happens(session_factory, settings, tenants[0].project_id, title=title)
    happens(session_factory, settings, tenants[1].project_id, title="of others")
    assert client.get(f"{NOTICES}/count").json() == {"unread_count": 3}
    page = client.get(NOTICES, params={"limit": 2}).json()
    assert [one["title"] for one in page["items"]] == ["third", "second"]
    rest = client.get(NOTICES, params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert [one["title"] for one in rest["items"]] == ["first"]
    seen = {"ids": [page["items"][0]["id"]]}
    assert client.post(f"{NOTICES}/read", json=seen, headers=CHANGE).status_code == 204
    unread = client.get(NOTICES, params={"unread": True}).json()["items"]
    assert [one["title"] for one in unread] == ["second", "first"]
    client.post(f"{NOTICES}/read", json={}, headers=CHANGE)
    assert client.get(f"{NOTICES}/count").json() == {"unread_count": 0}
    assert len(client.get(NOTICES).json()["items"]) == 3


def test_what_is_a_colleagues_is_neither_seen_nor_marked(
    client, signed_in, session_factory, settings
):
    now = SystemClock().now()
    with unit_of_work(session_factory) as session:
        colleague = User(email="colleague@example.test", name="Cole", created_at=now)
        session.add(colleague)
        session.flush()
        session.add(
            Membership(
                organization_id=signed_in.organization_id, user_id=colleague.id, role="viewer",
                created_at=now,
            )
        )  # fmt: skip
    happens(session_factory, settings, signed_in.project_id, title="to both")
    assert [one["title"] for one in client.get(NOTICES).json()["items"]].count("to both") == 1

    def theirs():
        with unit_of_work(session_factory) as session:
            (row,) = session.scalars(select(NoticeEntry).filter_by(user_id=colleague.id))
            return row

    ids = {"ids": [str(theirs().id)]}
    for seen in (ids, {}):
        assert client.post(f"{NOTICES}/read", json=seen, headers=CHANGE).status_code == 204
        assert theirs().read_at is None


@pytest.mark.parametrize("path", ["", "/count", "/settings"])
def test_a_token_has_no_bell(client, mine, path):
    assert client.get(NOTICES + path, headers=mine).status_code == 403


def test_settings_are_ones_own(client, signed_in, session_factory, settings):
    before = client.get(f"{NOTICES}/settings").json()
    assert before["mail_kinds"] == []
    assert set(before["bell_kinds"]) == set(NoticeKind)
    assert (before["email"], before["sends_mail"]) == (signed_in.email, False)
    chosen = {
        "bell_kinds": ["reply"], "mail_kinds": ["regression", "regression"],
        "time_zone": "Europe/Vienna", "quiet_from": "22:00", "quiet_until": "07:00",
        "digest": "daily", "digest_at": "08:30",
    }  # fmt: skip
    saved = client.put(f"{NOTICES}/settings", json=chosen, headers=CHANGE)
    assert saved.status_code == 200, saved.text
    assert saved.json() == {
        **chosen, "mail_kinds": ["regression"], "email": signed_in.email, "sends_mail": False,
    }  # fmt: skip
    assert client.get(f"{NOTICES}/settings").json() == saved.json()
    unread = client.get(f"{NOTICES}/count").json()
    happens(session_factory, settings, signed_in.project_id)
    assert client.get(f"{NOTICES}/count").json() == unread
    happens(session_factory, settings, signed_in.project_id, kind=NoticeKind.REPLY)
    assert client.get(f"{NOTICES}/count").json() != unread


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_zone": "Europe/Atlantis"}, {"quiet_from": "22:00"}, {"digest_at": "8:30"},
        {"quiet_from": "24:00", "quiet_until": "07:00"}, {"mail_kinds": ["gossip"]},
        {"digest_at": "08:30+02:00"},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(client, signed_in, wrong):
    assert client.put(f"{NOTICES}/settings", json=wrong, headers=CHANGE).status_code == 422


def test_a_channels_address_and_secret_are_never_told_again(
    client, mine, tenants, session_factory, settings, caplog
):
    caplog.set_level("DEBUG")
    made = webhook(client, tenants[0])
    assert made.status_code == 201, made.text
    secret = made.json()["signing_secret"]
    assert secret.startswith("whsec_")
    assert made.json()["place"] == "https://hooks.example/…"
    one = f"{CHANNELS}/{made.json()['id']}"
    anew = client.post(f"{one}/secret", headers=mine).json()["signing_secret"]
    assert anew != secret
    tested = client.post(f"{one}/test", headers=mine)
    assert tested.status_code == 202
    asked = [
        client.get(CHANNELS, headers=mine, params={"project_id": str(tenants[0].project_id)}),
        client.patch(one, headers=mine, json={"name": "CI server", "active": False}),
        client.get(f"{one}/deliveries", headers=mine),
        tested,
    ]
    with unit_of_work(session_factory) as session:
        noted = session.scalars(
            select(AuditEntry).where(AuditEntry.action.like("notice_channel.%"))
        ).all()
        kept = session.get_one(NoticeChannel, made.json()["id"])
        seal = seal_of(settings)
        assert (seal.open(kept.sealed_address), seal.open(kept.sealed_secret)) == (HOOK, anew)
        stored = [kept.sealed_address, kept.sealed_secret, kept.place]
        noted = [str(row.details) for row in noted]
    assert len(noted) == 4
    for text in (*(answer.text for answer in asked), *stored, *noted, caplog.text):
        assert HUSH not in text
        assert secret not in text
        assert anew not in text
    assert client.delete(one, headers=mine).status_code == 204
    assert client.get(f"{one}/deliveries", headers=mine).status_code == 404


def test_a_test_that_is_under_way_is_not_begun_twice(client, mine, tenants, session_factory):
    one = f"{CHANNELS}/{webhook(client, tenants[0], name='twice').json()['id']}"
    first, second = (client.post(f"{one}/test", headers=mine).json() for _ in range(2))
    assert first["id"] == second["id"]
    assert (first["state"], first["kind"]) == ("pending", None)
    with unit_of_work(session_factory) as session:
        session.get_one(NoticeDelivery, first["id"]).state = "failed"
    assert client.post(f"{one}/test", headers=mine).json()["id"] != first["id"]


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("webhook", "http://hooks.example/x"), ("webhook", "https://127.0.0.1/x"),
        ("webhook", "https://[::ffff:10.0.0.1]/x"), ("webhook", "https://169.254.169.254/latest"),
        ("webhook", "file:///etc/passwd"), ("webhook", "https://me:hush@hooks.example/"),
        ("slack", "https://hooks.example/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"),
        ("slack", "https://hooks.slack.com/nonsense"),
        ("slack", "https://hooks.slack.com.evil.example/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnl"),
        ("slack", "https://evil.example#hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdn"),
        ("discord", "https://discord.com/channels/1"),
        ("teams", "https://logic.azure.com.evil.example/workflows/a/triggers/manual/paths/invoke"),
        ("teams", "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"),
    ],
)  # fmt: skip
def test_where_nothing_may_be_sent_no_channel_leads(client, mine, tenants, kind, address):
    refused = webhook(client, tenants[0], kind=kind, address=address)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "address"


def test_the_services_own_addresses_are_taken(client, mine, tenants):
    known = {
        "slack": "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
        "discord": "https://discord.com/api/webhooks/4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
        "teams": "https://prod-14.westeurope.logic.azure.com:443/workflows/abc/triggers/manual"
        "/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=hush",
    }
    for kind, address in known.items():
        made = webhook(client, tenants[0], kind=kind, address=address, name=kind)
        assert made.status_code == 201, made.text
        assert made.json()["signing_secret"] is None


def test_names_are_each_ones_own_and_channels_are_not_without_end(client, mine, tenants):
    webhook(client, tenants[0], name="same")
    assert webhook(client, tenants[0], name="same").status_code == 409
    other = webhook(client, tenants[0], name="other").json()["id"]
    renamed = client.patch(f"{CHANNELS}/{other}", headers=mine, json={"name": "same"})
    assert renamed.json()["type"].endswith("channel-name-taken")
    made = [webhook(client, tenants[0], name=f"one of {at}") for at in range(60)]
    refused = [one for one in made if one.status_code != 201]
    assert refused
    assert all(one.json()["type"].endswith("too-many-channels") for one in refused)
    own = {"project_id": str(tenants[0].project_id)}
    assert len(client.get(CHANNELS, headers=mine, params=own).json()["items"]) == 50


def test_no_mailbox_where_no_mail_is_sent(client, mine, tenants):
    refused = webhook(client, tenants[1], kind="mail", address="team@example.test")
    assert refused.status_code == 409
    assert refused.json()["type"].endswith("no-mail")


def test_a_mailbox_that_could_mean_others_is_refused(client, mine, tenants, settings):
    client.app.state.settings = settings.model_copy(update={"smtp_host": "127.0.0.1"})
    try:
        for address in ("root,mia@example.test", "a%evil.test@example.test", "a=?b@example.test"):
            assert webhook(client, tenants[0], kind="mail", address=address).status_code == 422
    finally:
        client.app.state.settings = settings
