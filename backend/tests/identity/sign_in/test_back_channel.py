"""A provider says that somebody signed out there, or lies about it."""

import time

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select
from weighhouse_backend.identity.models import AuditEntry, LoginSession, SpentToken
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.back_channel import EVENT

from backend.tests.identity.sign_in.lying_provider import begun, entered, kind
from backend.tests.identity.test_people import sign_in

HERE = "/api/v1/sign-in/ours/signed-out"


@pytest.fixture(autouse=True)
def _nothing_said_yet(session_factory):
    with unit_of_work(session_factory) as session:
        session.query(SpentToken).delete()


def word(liar, **claims):
    now = int(time.time())
    said = {
        "iss": liar.issuer, "aud": "we&us", "sub": "1", "iat": now, "exp": now + 120, "jti": "j",
        "events": {EVENT: {}}, **claims,
    }  # fmt: skip
    return {name: one(now) if callable(one) else one
            for name, one in said.items() if one is not None}  # fmt: skip


def says(client, liar, **claims):
    token = liar.sign(word(liar, **claims))
    return client.post(HERE, data={"logout_token": token})


def logins_by_provider(session_factory):
    with unit_of_work(session_factory) as session:
        rows = select(LoginSession.id).where(LoginSession.provider_id.is_not(None))
        return len(session.scalars(rows).all())


def test_all_logins_by_the_provider_end_and_no_others(client, ours, liar, session_factory):
    entered(client, liar)
    entered(client, liar)
    assert logins_by_provider(session_factory) == 2
    sign_in(client, ours.email)
    answer = says(client, liar)
    assert (answer.status_code, answer.content) == (204, b"")
    assert logins_by_provider(session_factory) == 0
    assert client.get("/api/v1/sessions/current").status_code == 200, "in by the password"
    with unit_of_work(session_factory) as session:
        told = select(AuditEntry).where(AuditEntry.action == "login.ended_by_provider")
        entry = session.scalars(told).one()
        assert (entry.subject, entry.details["count"]) == ("mia@example.test", 2)
    assert says(client, liar).status_code == 204, "said again, nothing is left to end"
    assert says(client, liar, sub="nobody here").status_code == 204


def test_an_old_word_ends_no_later_login(client, ours, liar, session_factory):
    then = int(time.time()) - 300
    entered(client, liar)
    assert says(client, liar, iat=then).status_code == 204
    assert logins_by_provider(session_factory) == 1


def test_a_word_holds_once(client, ours, liar, session_factory):
    entered(client, liar)
    token = liar.sign(word(liar))
    assert client.post(HERE, data={"logout_token": token}).status_code == 204
    assert logins_by_provider(session_factory) == 0
    entered(client, liar)
    assert client.post(HERE, data={"logout_token": token}).status_code == 204
    assert logins_by_provider(session_factory) == 1, "who came back stays in"
    assert says(client, liar, jti="another").status_code == 204
    assert logins_by_provider(session_factory) == 0


LIES = {
    "another issuer": {"iss": "https://elsewhere.test"},
    "another audience": {"aud": "somebody else"},
    "expired": {"exp": 1_000_000_000},
    "without an end": {"exp": None},
    "of the future": {"iat": 4_000_000_000, "exp": 4_000_000_300},
    "of long ago": {"iat": lambda now: now - 4000},
    "no event": {"events": None},
    "another event": {"events": {"https://elsewhere.test/event": {}}},
    "events that are none": {"events": [EVENT]},
    "with a nonce": {"nonce": "n"},
    "nobody": {"sub": None, "sid": "s"},
    "without a name of its own": {"jti": None},
    "a time that is none": {"iat": "now"},
    "a time before all times": {"iat": -(10**400)},
    "a time after all times": {"iat": 10**400, "exp": 10**401},
    "no number": {"iat": float("nan")},
    "an end without an end": {"iat": float("-inf"), "exp": float("inf")},
    "a name that is none": {"jti": 7},
    "a name that is no text": {"jti": "\0"},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_word_that_does_not_hold_ends_nothing(client, ours, liar, session_factory, lie):
    entered(client, liar)
    refused = says(client, liar, **LIES[lie])
    assert (refused.status_code, kind(refused)) == (400, "logout-refused"), refused.text
    assert logins_by_provider(session_factory) == 1


def test_only_the_providers_own_signature_counts(client, ours, liar, session_factory):
    entered(client, liar)
    strange = RSAKey.generate_key(2048, {"kid": "first"}, private=True)
    forged = jwt.encode({"alg": "RS256", "kid": "first"}, word(liar), strange)
    id_token = liar.sign({**word(liar, events=None), "nonce": begun(client, liar).query["nonce"]})
    for token in (forged, id_token, "a.b.c", "", "é"):
        refused = client.post(HERE, data={"logout_token": token})
        assert kind(refused) == "logout-refused", token
    for body in (b"", b"\xff\xfe", b"other=1", b"&" * 50):
        assert kind(client.post(HERE, content=body)) == "logout-refused", body
    assert logins_by_provider(session_factory) == 1


def test_who_has_no_provider_is_not_found(client, liar, ours):
    answer = client.post("/api/v1/sign-in/theirs/signed-out", data={"logout_token": "a.b.c"})
    assert answer.status_code == 404


def test_the_settings_tell_the_address(client, ours):
    sign_in(client, ours.email)
    told = client.get("/api/v1/identity-provider", params={"project_id": str(ours.project_id)})
    assert told.json()["back_channel_uri"].endswith(HERE)
