"""What a question to add a passkey gives, and changes of second factors at the same time."""

import threading

import pyotp
import pytest
from fido2.cose import CoseKey
from pydantic import SecretStr
from sqlalchemy import select, text
from weighhouse_backend.identity.factor_models import FactorLetter, Passkey, SecondFactor
from weighhouse_backend.identity.models import LoginDevice, LoginFailure
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in import passkeys
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.factor_endpoints import router as factor_router
from weighhouse_backend.sign_in.logins import DEVICE_ALLOWED
from weighhouse_backend.sign_in.passkey_endpoints import router as passkey_router
from weighhouse_testing.waits import until

from backend.tests.identity.authenticators import Authenticator
from backend.tests.identity.test_passkeys import (
    CSRF,
    FACTOR,
    PROOF,
    add,
    added,
    asked,
    by_passkey,
    sign_in,
    slug,
    to_add,
)
from backend.tests.people import router


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, factor_router, passkey_router)


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        for model in (LoginFailure, LoginDevice, FactorLetter, SecondFactor):
            session.query(model).delete()


def removal(client, said, proof):
    gone = f"{FACTOR}/passkeys/{said['passkey']['id']}/removal"
    return client.post(gone, json=proof, headers=CSRF)


def in_background(call):
    """Ask while somebody else holds what is asked for; what is answered, once it is."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(call()))
    thread.start()

    def answer():
        thread.join()
        return answers[0]

    return answer


def somebody_waits(session_factory):
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )

    def one():
        with unit_of_work(session_factory) as session:
            return session.scalar(waiting) == 1

    until("a request waits for a lock", one)


def test_a_question_to_add_gives_one_passkey(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    question = to_add(client, PROOF).json()["public_key"]
    first = Authenticator()
    made = first.make(question)
    said = add(client, made)
    assert said.status_code == 201
    again = add(client, Authenticator().make(question))
    assert (slug(again), "already" in again.json()["detail"]) == ("passkey-refused", True)
    assert removal(client, said.json(), {"passkey": first.show(asked(client))}).status_code == 204
    assert client.get(FACTOR).json()["enabled"] is False
    assert slug(add(client, made)) == "passkey-refused", "what was removed does not come back"
    assert client.get(FACTOR).json()["passkeys"] == []


def test_nobody_has_more_passkeys_than_they_may(client, tenants, monkeypatch):
    ours, _ = tenants
    monkeypatch.setattr(passkeys, "MOST", 2)
    sign_in(client, ours.email)
    questions = [to_add(client, PROOF).json()["public_key"] for _ in range(3)]
    one, *_ = makers = [Authenticator() for _ in questions]
    answers = [add(client, made.make(asks)) for made, asks in zip(makers, questions, strict=True)]
    assert [answer.status_code for answer in answers] == [201, 201, 422]
    assert (slug(answers[2]), "remove one" in answers[2].json()["detail"]) == (
        "passkey-refused", True,
    )  # fmt: skip
    assert slug(to_add(client, {"passkey": one.show(asked(client))})) == "passkey-refused"


@pytest.mark.parametrize(
    "key",
    [
        {1: 3, 3: -65535, -1: b"\xc0" * 256, -2: b"\1\0\1"},  # RS1: nobody asked for SHA-1
        {1: 2, 3: -9, -1: 1, -2: b"\1" * 32, -3: b"\1" * 32},
        {1: 2, 3: -1234},
        {1: 2, 3: -7, -1: 1, -2: b"\1" * 32, -3: b"\1" * 32},  # no point of the curve
        {1: 2, 3: -7},
        {1: 3, 3: -257, -1: b"", -2: b""},
    ],
    ids=["RS1", "ESP256", "unknown", "no point", "no key", "no modulus"],
)
def test_a_key_that_nobody_could_use_is_refused_at_once(client, tenants, key):
    ours, _ = tenants
    sign_in(client, ours.email)
    question = to_add(client, PROOF).json()["public_key"]
    refused = add(client, Authenticator().make(question, key=CoseKey.parse(key)))
    assert (refused.status_code, slug(refused)) == (422, "passkey-refused")
    assert client.get(FACTOR).json()["enabled"] is False


def test_a_passkey_proves_whose_passwords_are_used_up(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    made, said = added(client)
    for _ in range(DEVICE_ALLOWED):
        to_add(client, {"current": "wrong"})
    assert to_add(client, {"current": "wrong"}).status_code == 429
    assert to_add(client, {"passkey": made.show(asked(client))}).status_code == 200
    proof = {"passkey": made.show(asked(client))}
    assert client.post(f"{FACTOR}/recovery-codes", json=proof, headers=CSRF).status_code == 201
    assert removal(client, said, {"passkey": made.show(asked(client))}).status_code == 204


def test_two_first_requests_at_a_time_are_both_answered(client, session_factory, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    with session_factory() as other:
        now = other.scalar(text("SELECT now()"))
        other.add(SecondFactor(user_id=ours.user_id, created_at=now, last_step=0, wrong_codes=0))
        other.flush()
        answer = in_background(lambda: client.post(FACTOR, json=PROOF, headers=CSRF))
        somebody_waits(session_factory)
        other.commit()
    begun = answer()
    assert begun.status_code == 201, begun.text
    code = pyotp.TOTP(begun.json()["key"]).now()
    assert client.put(FACTOR, json={"code": code}, headers=CSRF).status_code == 200


def test_who_removes_waits_for_the_person_before_any_passkey(client, session_factory, tenants):
    """Else two passkeys that prove each other's removal would wait for each other."""
    ours, _ = tenants
    sign_in(client, ours.email)
    first, said = added(client)
    second, _ = added(client, {"passkey": first.show(asked(client))})
    proof = {"passkey": second.show(asked(client))}
    with session_factory() as other:
        other.get(SecondFactor, ours.user_id, with_for_update=True)
        answer = in_background(lambda: removal(client, said, proof))
        somebody_waits(session_factory)
        free = select(Passkey.id).with_for_update(skip_locked=True)
        assert len(other.scalars(free).all()) == 2, "none is held by who waits"
        other.rollback()
    assert answer().status_code == 204
    assert by_passkey(client, second.show(asked(client))).status_code == 201


def test_a_new_authenticators_first_code_counts(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    passkey, _ = added(client)

    def confirmed():
        shown = {"passkey": passkey.show(asked(client))}
        begun = client.post(FACTOR, json=shown, headers=CSRF).json()
        code = pyotp.TOTP(begun["key"]).now()
        return client.put(FACTOR, json={"code": code}, headers=CSRF).status_code

    assert confirmed() == 200
    shown = {"passkey": passkey.show(asked(client))}
    assert client.post(f"{FACTOR}/removal", json=shown, headers=CSRF).status_code == 204
    assert confirmed() == 200, "within the same half minute"
