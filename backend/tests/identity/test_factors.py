"""Second factors: codes of an authenticator, recovery codes, and what stays counted."""

import datetime
import threading

import pyotp
import pytest
from pydantic import SecretStr
from sqlalchemy import select
from weighhouse_backend.identity.factor_models import RecoveryCode, SecondFactor
from weighhouse_backend.identity.models import AuditEntry, LoginFailure
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.factor_endpoints import router as factor_router
from weighhouse_backend.sign_in.factors import WRONG_ALLOWED, FactorService

from backend.tests.conftest import PASSWORD
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}
FACTOR = "/api/v1/second-factor"


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, factor_router)


@pytest.fixture
def new_client(make_client):
    return lambda: make_client(router, account, factor_router)


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()
        session.query(SecondFactor).delete()


def sign_in(client, email, **more):
    client.cookies.clear()
    body = {"email": email, "password": PASSWORD, **more}
    return client.post("/api/v1/sessions", json=body)


def slug(answer):
    return answer.json()["type"].rpartition("/")[2]


def set_up(client, session_factory, tenant):
    """Set up a second factor; what makes its codes, and the recovery codes."""
    assert sign_in(client, tenant.email).status_code == 201
    begun = client.post(FACTOR, json={"current": PASSWORD}, headers=CSRF)
    assert begun.status_code == 201, begun.text
    totp = pyotp.TOTP(begun.json()["key"])
    confirmed = client.put(FACTOR, json={"code": totp.now()}, headers=CSRF)
    assert confirmed.status_code == 200, confirmed.text
    forget_steps(session_factory)
    return totp, confirmed.json()["recovery_codes"]


def forget_steps(session_factory):
    """As though the last code had been taken long ago, so that no test waits for the next."""
    with unit_of_work(session_factory) as session:
        for row in session.scalars(select(SecondFactor)):
            row.last_step = 0


def test_a_factor_counts_once_a_code_was_confirmed(client, session_factory, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    wrong = client.post(FACTOR, json={"current": "wrong"}, headers=CSRF)
    assert slug(wrong) == "current-password-wrong"
    begun = client.post(FACTOR, json={"current": PASSWORD}, headers=CSRF).json()
    assert begun["key"] in begun["uri"]
    assert begun["qr_code"].startswith("data:image/svg+xml")
    assert sign_in(client, ours.email).status_code == 201, "nothing was confirmed yet"
    refused = client.put(FACTOR, json={"code": "abcdef"}, headers=CSRF)
    assert (refused.status_code, slug(refused)) == (422, "wrong-code")
    assert client.get(FACTOR).json()["enabled"] is False
    code = pyotp.TOTP(begun["key"]).now()
    made = client.put(FACTOR, json={"code": code}, headers=CSRF).json()["recovery_codes"]
    assert len(set(made)) == 10
    read = client.get(FACTOR).json()
    assert (read["enabled"], read["recovery_codes_left"]) == (True, 10)
    with unit_of_work(session_factory) as session:
        row = session.scalars(select(SecondFactor)).one()
        kept = [one.code_hash for one in session.scalars(select(RecoveryCode))]
        assert begun["key"] not in row.key_sealed
    assert not {one.replace("-", "") for one in made} & set(kept)
    assert slug(client.post(FACTOR, json={"current": PASSWORD}, headers=CSRF)) == (
        "second-factor-exists"
    )


def test_a_login_takes_a_code_once(client, session_factory, tenants):
    ours, _ = tenants
    totp, _ = set_up(client, session_factory, ours)
    asked = sign_in(client, ours.email)
    assert (asked.status_code, slug(asked)) == (401, "second-factor-needed")
    assert "set-cookie" not in asked.headers
    wrong_password = client.post(
        "/api/v1/sessions", json={"email": ours.email, "password": "w", "code": totp.now()}
    )
    assert slug(wrong_password) == "wrong-password", "what the code is worth is not said"
    code = totp.now()
    assert sign_in(client, ours.email, code=code).status_code == 201
    again = sign_in(client, ours.email, code=code)
    assert (again.status_code, slug(again)) == (422, "wrong-code")
    assert "set-cookie" not in again.headers


def test_a_code_of_long_ago_is_refused_and_one_aside_is_not(client, session_factory, tenants):
    ours, _ = tenants
    totp, _ = set_up(client, session_factory, ours)
    now = datetime.datetime.now(datetime.UTC)
    old = totp.at(now - datetime.timedelta(minutes=3))
    assert sign_in(client, ours.email, code=old).status_code == 422
    # A step ahead: should the clock pass into the next one meanwhile, it is the present one.
    assert (
        sign_in(client, ours.email, code=totp.at(now + datetime.timedelta(seconds=30))).status_code
        == 201
    )


def test_of_two_logins_with_one_code_at_a_time_one_is_refused(
    client, session_factory, tenants, settings
):
    ours, _ = tenants
    totp, _ = set_up(client, session_factory, ours)
    code, together, told = totp.now(), threading.Barrier(4), []

    def take():
        together.wait()
        with unit_of_work(session_factory) as session:
            service = FactorService(session, SystemClock(), settings)
            told.append(service.takes(ours.user_id, code, own_device=True))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(told) == [False, False, False, True]


def test_a_recovery_code_holds_once_and_new_ones_end_the_former(client, session_factory, tenants):
    ours, _ = tenants
    totp, codes = set_up(client, session_factory, ours)
    assert sign_in(client, ours.email, code=codes[0].upper()).status_code == 201
    assert client.get(FACTOR).json()["recovery_codes_left"] == 9
    proof = {"current": PASSWORD, "code": totp.now()}
    made = client.post(f"{FACTOR}/recovery-codes", json=proof, headers=CSRF)
    assert made.status_code == 201, made.text
    assert slug(sign_in(client, ours.email, code=codes[0])) == "wrong-code"
    assert slug(sign_in(client, ours.email, code=codes[1])) == "wrong-code"
    assert sign_in(client, ours.email, code=made.json()["recovery_codes"][0]).status_code == 201


def test_turning_it_off_takes_password_and_code(client, session_factory, tenants):
    ours, _ = tenants
    totp, codes = set_up(client, session_factory, ours)
    where = f"{FACTOR}/removal"
    wrong = {"current": "w", "code": totp.now()}
    assert slug(client.post(where, json=wrong, headers=CSRF)) == "current-password-wrong"
    wrong = {"current": PASSWORD, "code": "000"}
    assert slug(client.post(where, json=wrong, headers=CSRF)) == "wrong-code"
    right = {"current": PASSWORD, "code": codes[3]}
    assert client.post(where, json=right, headers=CSRF).status_code == 204
    assert sign_in(client, ours.email).status_code == 201
    with unit_of_work(session_factory) as session:
        actions = set(session.scalars(select(AuditEntry.action)))
    assert actions >= {
        "second_factor.set_up", "second_factor.recovery_code_used", "second_factor.removed",
    }  # fmt: skip


def test_wrong_codes_are_counted_like_wrong_passwords(client, session_factory, tenants):
    ours, _ = tenants
    totp, _ = set_up(client, session_factory, ours)
    for _ in range(8):
        assert sign_in(client, ours.email, code="000").status_code == 422
    over = sign_in(client, ours.email, code=totp.now())
    assert (over.status_code, slug(over)) == (429, "too-many-logins")


def test_who_knows_the_password_guesses_few_codes_and_the_owners_browser_is_not_held_up(
    client, new_client, session_factory, tenants
):
    ours, _ = tenants
    own = new_client()
    totp, _ = set_up(own, session_factory, ours)
    # From ever other addresses, as though each attempt came from another one.
    for _ in range(WRONG_ALLOWED):
        with unit_of_work(session_factory) as session:
            session.query(LoginFailure).delete()
        assert sign_in(client, ours.email, code="000").status_code == 422
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()
    assert sign_in(client, ours.email, code=totp.now()).status_code == 429
    body = {"email": ours.email, "password": PASSWORD, "code": totp.now()}
    assert own.post("/api/v1/sessions", json=body).status_code == 201
