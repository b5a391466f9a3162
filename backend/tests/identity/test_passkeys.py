"""Passkeys: each signs its holder in by itself, and then the password alone never does."""

import datetime
import threading

import pyotp
import pytest
from pydantic import SecretStr
from sqlalchemy import select
from weighhouse_backend.identity.factor_models import FactorLetter, Passkey, SecondFactor
from weighhouse_backend.identity.models import AuditEntry, LoginDevice, LoginFailure
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in import passkey_places, webauthn
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.factor_endpoints import router as factor_router
from weighhouse_backend.sign_in.factors import FactorService
from weighhouse_backend.sign_in.passkey_endpoints import router as passkey_router

from backend.tests.conftest import PASSWORD
from backend.tests.identity.authenticators import PRESENT, Authenticator
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}
FACTOR = "/api/v1/second-factor"
SESSIONS = "/api/v1/sessions"
PROOF = {"current": PASSWORD}


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, factor_router, passkey_router)


@pytest.fixture
def new_client(make_client):
    """Makes a browser whose application has made its routes: FastAPI does so at the first request,
    and holds warnings back meanwhile, which two threads cannot do at once.
    """

    def made():
        client = make_client(router, account, factor_router, passkey_router)
        client.get("/")
        return client

    return made


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        for model in (LoginFailure, LoginDevice, FactorLetter, SecondFactor):
            session.query(model).delete()


def sign_in(client, email, **more):
    client.cookies.clear()
    return client.post(SESSIONS, json={"email": email, "password": PASSWORD, **more})


def slug(answer):
    return answer.json()["type"].rpartition("/")[2]


def asked(client):
    answer = client.post(f"{SESSIONS}/passkey-question")
    assert answer.status_code == 200, answer.text
    return answer.json()["public_key"]


def by_passkey(client, answer):
    return client.post(f"{SESSIONS}/by-passkey", json={"answer": answer})


def to_add(client, proof):
    return client.post(f"{FACTOR}/passkey-question", json=proof, headers=CSRF)


def add(client, answer, name="Key"):
    body = {"name": name, "answer": answer}
    return client.post(f"{FACTOR}/passkeys", json=body, headers=CSRF)


def added(client, proof=PROOF, name="Key"):
    """A passkey of who is signed in, and what the platform said."""
    question = to_add(client, proof)
    assert question.status_code == 200, question.text
    made = Authenticator()
    answer = add(client, made.make(question.json()["public_key"]), name)
    assert answer.status_code == 201, answer.text
    return made, answer.json()


def audited(session_factory, tenant):
    with unit_of_work(session_factory) as session:
        rows = select(AuditEntry.action).where(AuditEntry.project_id == tenant.project_id)
        return session.scalars(rows.order_by(AuditEntry.id)).all()


def test_a_passkey_signs_in_by_itself_and_the_password_alone_no_more(
    client, new_client, session_factory, tenants
):
    ours, _ = tenants
    elsewhere = new_client()
    assert sign_in(elsewhere, ours.email).status_code == 201
    assert sign_in(client, ours.email).status_code == 201
    made, said = added(client, name=" Blue key ")
    assert said["passkey"]["name"] == "Blue key"
    assert len(set(said["recovery_codes"])) == 10
    assert elsewhere.get(f"{SESSIONS}/current").status_code == 401, "in by the password alone"
    read = client.get(FACTOR).json()
    assert (read["enabled"], read["authenticator"], read["recovery_codes_left"]) == (
        True, False, 10,
    )  # fmt: skip
    assert [one["name"] for one in read["passkeys"]] == ["Blue key"]
    assert read["passkeys_at"] == "http://localhost:8480"

    refused = sign_in(client, ours.email)
    assert (refused.status_code, slug(refused)) == (401, "second-factor-needed")
    assert "passkey" in refused.json()["detail"]
    answer = by_passkey(client, made.show(asked(client)))
    assert (answer.status_code, answer.json()["email"]) == (201, ours.email)
    assert client.get(f"{SESSIONS}/current").status_code == 200
    assert client.get(FACTOR).json()["passkeys"][0]["last_used_at"]
    with unit_of_work(session_factory) as session:
        assert session.query(LoginDevice).filter_by(user_id=ours.user_id).count() >= 1
        assert FactorService(session, SystemClock(), client.app.state.settings).asked_of(
            ours.user_id
        )
        assert [one.kind for one in session.scalars(select(FactorLetter))] == ["passkey_added"]
    told = audited(session_factory, ours)
    assert "second_factor.passkey_added" in told
    assert told[-1] == "login.by_passkey"


def test_a_recovery_code_stands_in_for_a_lost_passkey(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    _, said = added(client)
    codes = said["recovery_codes"]
    assert slug(sign_in(client, ours.email, code="123456")) == "wrong-code"
    assert sign_in(client, ours.email, code=codes[0]).status_code == 201
    assert slug(sign_in(client, ours.email, code=codes[0])) == "wrong-code"
    assert client.get(FACTOR).status_code == 401


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://elsewhere.test"},
        {"origin": "http://localhost:8481"},
        {"origin": "http://127.0.0.1:8480"},
        {"type": "webauthn.create"},
        {"crossOrigin": True},
        {"challenge": "AAAA"},
        {"flags": PRESENT},
        {"host": "elsewhere.test"},
    ],
    ids=str,
)
def test_an_answer_that_was_not_given_to_us_is_worth_nothing(client, tenants, wrong):
    ours, _ = tenants
    sign_in(client, ours.email)
    made, _ = added(client)
    client.cookies.clear()
    answer = by_passkey(client, made.show(asked(client), **wrong))
    assert (answer.status_code, slug(answer)) == (422, "passkey-refused")
    assert "set-cookie" not in answer.headers
    assert by_passkey(client, made.show(asked(client))).status_code == 201


def test_an_answer_is_taken_once_and_never_after_a_later_one(client, new_client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    made, _ = added(client)
    earlier, later = asked(client), asked(client)
    shown = made.show(later)
    together = [new_client() for _ in range(2)]
    came = []
    threads = [
        threading.Thread(target=lambda one=one: came.append(by_passkey(one, shown).status_code))
        for one in together
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(came) == [201, 422]
    assert slug(by_passkey(client, made.show(earlier))) == "passkey-refused"


def test_a_question_holds_five_minutes(client, settings, session_factory, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    made, _ = added(client)
    then = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=5, seconds=2)
    refused = by_passkey(client, made.show(webauthn.question_to_prove(settings, then)))
    assert (slug(refused), "five minutes" in refused.json()["detail"]) == ("passkey-refused", True)
    wrong_purpose = to_add(client, {"passkey": made.show(asked(client))}).json()["public_key"]
    taken = by_passkey(
        client, made.show({**asked(client), "challenge": wrong_purpose["challenge"]})
    )
    assert slug(taken) == "passkey-refused"


def test_a_copy_that_was_used_fewer_times_is_found_out(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    made, _ = added(client)
    made.uses = 7
    assert by_passkey(client, made.show(asked(client))).status_code == 201
    for uses in (7, 3, 0):
        made.uses = uses
        refused = by_passkey(client, made.show(asked(client)))
        assert (slug(refused), "a copy" in refused.json()["detail"]) == ("passkey-refused", True)
    made.uses = 8
    assert by_passkey(client, made.show(asked(client))).status_code == 201


def test_whose_it_is_not_takes_no_passkey(client, tenants):
    ours, theirs = tenants
    sign_in(client, ours.email)
    made, _ = added(client)
    sign_in(client, theirs.email)
    refused = to_add(client, {"passkey": made.show(asked(client))})
    assert (slug(refused), "somebody else" in refused.json()["detail"]) == ("passkey-refused", True)
    question = to_add(client, PROOF).json()["public_key"]
    copy = Authenticator()
    copy.key, copy.id = made.key, made.id
    copied = add(client, copy.make(question))
    assert slug(copied) == "passkey-exists", "who knows its id does not put their own key there"
    sign_in(client, theirs.email)
    for_them = to_add(client, PROOF).json()["public_key"]
    handed = Authenticator().make(for_them)
    client.cookies.clear()
    assert by_passkey(client, made.show(asked(client))).status_code == 201
    assert slug(add(client, handed)) == "passkey-refused", "it was asked of somebody else"
    other = Authenticator()
    other.key, other.id, other.handle = made.key, made.id, theirs.user_id.bytes
    assert slug(by_passkey(client, other.show(asked(client)))) == "passkey-refused"


def test_a_second_factor_is_changed_by_who_has_one(client, session_factory, tenants):
    """Not by the password alone, once there is one."""
    ours, _ = tenants
    sign_in(client, ours.email)
    assert slug(to_add(client, {"current": "wrong"})) == "current-password-wrong"
    assert slug(to_add(client, {})) == "current-password-wrong"
    first, said = added(client)
    assert slug(to_add(client, PROOF)) == "wrong-code"
    assert slug(client.post(FACTOR, json=PROOF, headers=CSRF)) == "wrong-code"
    second, more = added(client, {"passkey": first.show(asked(client))}, "Second")
    assert more["recovery_codes"] == [], "there are some already, and they hold"
    excluded = to_add(client, {"passkey": second.show(asked(client))}).json()["public_key"]
    assert len(excluded["excludeCredentials"]) == 2
    begun = client.post(FACTOR, json={"passkey": first.show(asked(client))}, headers=CSRF).json()
    code = pyotp.TOTP(begun["key"]).now()
    assert client.put(FACTOR, json={"code": code}, headers=CSRF).json()["recovery_codes"] == []
    with unit_of_work(session_factory) as session:
        for row in session.scalars(select(SecondFactor)):
            row.last_step = 0
    assert sign_in(client, ours.email, code=code).status_code == 201

    ids = {one["name"]: one["id"] for one in client.get(FACTOR).json()["passkeys"]}
    gone = f"{FACTOR}/passkeys/{ids['Key']}/removal"
    assert slug(client.post(gone, json=PROOF, headers=CSRF)) == "wrong-code"
    proof = {**PROOF, "code": said["recovery_codes"][0]}
    assert client.post(gone, json=proof, headers=CSRF).status_code == 204
    again = {**PROOF, "code": said["recovery_codes"][1]}
    assert client.post(gone, json=again, headers=CSRF).status_code == 404
    assert slug(by_passkey(client, first.show(asked(client)))) == "passkey-refused"
    off = client.post(
        f"{FACTOR}/removal", json={"passkey": second.show(asked(client))}, headers=CSRF
    )
    assert off.status_code == 204
    read = client.get(FACTOR).json()
    assert (read["enabled"], read["authenticator"], len(read["passkeys"])) == (True, False, 1)
    last = f"{FACTOR}/passkeys/{ids['Second']}/removal"
    shown = {"passkey": second.show(asked(client))}
    assert client.post(last, json=shown, headers=CSRF).status_code == 204
    assert client.get(FACTOR).json()["enabled"] is False
    assert sign_in(client, ours.email).status_code == 201
    told = [one for one in audited(session_factory, ours) if one.startswith("second_factor.")]
    assert told[-3:] == [
        "second_factor.passkey_removed", "second_factor.authenticator_removed",
        "second_factor.removed",
    ]  # fmt: skip


def test_others_remove_nobodys_passkey(client, tenants):
    ours, theirs = tenants
    sign_in(client, ours.email)
    made, said = added(client)
    sign_in(client, theirs.email)
    gone = f"{FACTOR}/passkeys/{said['passkey']['id']}/removal"
    assert client.post(gone, json=PROOF, headers=CSRF).status_code == 404
    assert by_passkey(client, made.show(asked(client))).status_code == 201


def test_a_reset_takes_passkeys_along(client, session_factory, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    made, _ = added(client)
    with unit_of_work(session_factory) as session:
        service = FactorService(session, SystemClock(), client.app.state.settings)
        service.reset_on_machine(ours.email)
        assert session.query(Passkey).filter_by(user_id=ours.user_id).count() == 0
    assert slug(by_passkey(client, made.show(asked(client)))) == "passkey-refused"
    assert sign_in(client, ours.email).status_code == 201


@pytest.mark.parametrize(
    "spoilt",
    [
        {}, {"id": "a"}, {"id": 1, "rawId": 1, "response": 1}, {"rawId": "AA", "response": {}},
        {"rawId": "AA", "id": "AA", "type": "password", "response": {"clientDataJSON": "e30"}},
        {"rawId": "é", "id": "é", "response": {}},
    ],
    ids=str,
)  # fmt: skip
def test_what_no_browser_sends_is_refused_with_a_reason(client, tenants, spoilt):
    ours, _ = tenants
    assert slug(by_passkey(client, spoilt)) == "passkey-refused"
    sign_in(client, ours.email)
    assert slug(add(client, spoilt)) == "passkey-refused"
    made, _ = added(client)
    shown = made.show(asked(client))
    for field, value in (
        ("authenticatorData", "AAAA"),
        ("signature", ""),
        ("clientDataJSON", "e30"),
    ):
        broken = {**shown, "response": {**shown["response"], field: value}}
        assert slug(by_passkey(client, broken)) == "passkey-refused", field
    huge = Authenticator()
    huge.id = b"x" * 5000
    question = to_add(client, {"passkey": made.show(asked(client))}).json()["public_key"]
    assert slug(add(client, huge.make(question))) == "passkey-refused"
    long = by_passkey(client, {"rawId": "A" * 50_000})
    assert (long.status_code, slug(long)) == (422, "invalid")


@pytest.mark.parametrize(
    ("url", "origin", "host"),
    [
        ("https://bench.example.com", "https://bench.example.com", "bench.example.com"),
        ("https://Bench.example.com:8443/", "https://bench.example.com:8443", "bench.example.com"),
        ("http://127.0.0.1:8480", "http://localhost:8480", "localhost"),
        ("http://[::1]:8480", "http://localhost:8480", "localhost"),
        ("https://localhost", "https://localhost", "localhost"),
        ("https://localhost:443", "https://localhost", "localhost"),
        ("http://127.0.0.1:80/", "http://localhost", "localhost"),
        ("https://bench.example.com:443", "https://bench.example.com", "bench.example.com"),
        ("https://Bücher.test", "https://xn--bcher-kva.test", "xn--bcher-kva.test"),
        ("https://me@bench.example.com/a", "https://bench.example.com", "bench.example.com"),
        ("https://bench.example.com:99999", None, None),
        ("bench.example.com", None, None),
        ("http://weighhouse.example.com", None, None),
        ("https://192.0.2.7", None, None),
    ],
)  # fmt: skip
def test_passkeys_belong_to_the_installations_name(url, origin, host):
    settings = Settings(database_url="x", redis_url="x", public_url=url)
    place = passkey_places.place_of(settings)
    assert (place and place.origin, place and place.host) == (origin, host)


def test_where_browsers_know_none_it_is_said(make_client, settings, tenants):
    ours, _ = tenants
    client = make_client(router, factor_router, passkey_router)
    client.app.state.settings = settings.model_copy(update={"public_url": "http://bench.test"})
    try:
        refused = client.post(f"{SESSIONS}/passkey-question")
        assert (refused.status_code, slug(refused)) == (409, "passkeys-not-here")
        assert "http://bench.test" in refused.json()["detail"]
        sign_in(client, ours.email)
        assert client.get(FACTOR).json()["passkeys_at"] is None
    finally:
        client.app.state.settings = settings
