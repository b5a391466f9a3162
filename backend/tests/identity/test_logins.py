"""Refused logins are limited, and strangers keep nobody out."""

import datetime
import threading

import pytest
from sqlalchemy import delete, func, select, update
from weighhouse_backend.identity.cookie_names import DEVICE
from weighhouse_backend.identity.models import LoginDevice, LoginFailure
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in import endpoints, logins
from weighhouse_backend.sign_in.logins import (
    ADDRESS_ALLOWED,
    DEVICE_ALLOWED,
    PAIR_ALLOWED,
    STRANGERS_ALLOWED,
)

from backend.tests.conftest import beside
from backend.tests.people import router

PASSWORD = "correct horse battery"
HOME, STRANGER = "198.51.100.1", "203.0.113.66"


@pytest.fixture(scope="module")
def app(make_client):
    return make_client(router)


@pytest.fixture(autouse=True)
def _nobody_tried(session_factory):
    with unit_of_work(session_factory) as session:
        session.execute(delete(LoginFailure))
        session.execute(delete(LoginDevice))


@pytest.fixture
def hashed(monkeypatch):
    """Passwords that were looked at; a wrong one costs nothing here, a right one what it costs."""
    seen = []

    def fits(password_hash, password):
        seen.append(password)
        return password == PASSWORD and real(password_hash, password)

    real = endpoints.password_fits
    monkeypatch.setattr(endpoints, "password_fits", fits)
    return seen


def browser(app, address):
    return beside(app, address)


def log_in(client, tenant, password=PASSWORD, email=None):
    body = {"email": email or tenant.email, "password": password}
    return client.post("/api/v1/sessions", json=body)


def test_a_strangers_hundreds_of_wrong_passwords_do_not_keep_the_owner_out(app, tenants, hashed):
    ours, _ = tenants
    stranger = browser(app, STRANGER)
    answers = [log_in(stranger, ours, f"guess {number}").status_code for number in range(200)]
    assert answers[:PAIR_ALLOWED] == [401] * PAIR_ALLOWED
    assert set(answers[PAIR_ALLOWED:]) == {429}
    assert len(hashed) == PAIR_ALLOWED  # the others cost no hashing
    assert log_in(browser(app, HOME), ours).status_code == 201


def test_nor_from_the_owners_own_address(app, tenants, hashed):
    ours, _ = tenants
    known = browser(app, HOME)
    assert log_in(known, ours).status_code == 201
    stranger = browser(app, HOME)
    for number in range(2 * ADDRESS_ALLOWED):
        refused = log_in(stranger, ours, f"guess {number}")
    assert refused.status_code == 429
    assert log_in(browser(app, HOME), ours).status_code == 429  # cannot be told apart
    assert log_in(known, ours).status_code == 201


def test_nor_from_hundreds_of_addresses(app, tenants, hashed, session_factory):
    ours, _ = tenants
    known, at_home = browser(app, HOME), browser(app, HOME)
    assert log_in(known, ours).status_code == 201
    answers = [
        log_in(browser(app, f"203.0.{number // 250}.{number % 250}"), ours, "guess").status_code
        for number in range(3 * STRANGERS_ALLOWED)
    ]
    assert answers[:STRANGERS_ALLOWED] == [401] * STRANGERS_ALLOWED
    assert answers.count(429) > STRANGERS_ALLOWED
    assert log_in(known, ours).status_code == 201
    assert log_in(at_home, ours).status_code == 201
    # However long those took: a stranger has just had the turn that all share.
    with unit_of_work(session_factory) as session:
        latest = session.scalars(
            select(LoginFailure).order_by(LoginFailure.at.desc()).limit(1)
        ).one()
        latest.at = datetime.datetime.now(datetime.UTC)
    travelling = log_in(browser(app, "192.0.2.1"), ours)
    assert travelling.status_code == 429
    assert 1 <= int(travelling.headers["Retry-After"]) <= 11


def test_one_address_cannot_try_everybody(app, tenants, hashed):
    ours, _ = tenants
    stranger = browser(app, STRANGER)
    answers = [
        log_in(stranger, ours, "guess", email=f"p{number}@example.test").status_code
        for number in range(ADDRESS_ALLOWED + 5)
    ]
    assert answers == [401] * ADDRESS_ALLOWED + [429] * 5


def test_a_known_browser_cannot_guess_without_end_either(app, tenants, hashed):
    ours, theirs = tenants
    known = browser(app, HOME)
    assert log_in(known, ours).status_code == 201
    answers = [log_in(known, ours, "guess").status_code for _ in range(DEVICE_ALLOWED + 3)]
    assert answers == [401] * DEVICE_ALLOWED + [429] * 3
    # It is nobody else's: there it is a stranger.
    answers = [log_in(known, theirs, "guess").status_code for _ in range(PAIR_ALLOWED + 1)]
    assert answers == [401] * PAIR_ALLOWED + [429]


def test_it_says_how_long_to_wait_and_then_lets_go_on(app, tenants, hashed, session_factory):
    ours, _ = tenants
    stranger = browser(app, STRANGER)
    for _ in range(PAIR_ALLOWED):
        log_in(stranger, ours, "guess")
    refused = log_in(stranger, ours)
    assert refused.json()["type"] == "/docs/problems/too-many-logins"
    assert 1 <= int(refused.headers["Retry-After"]) <= 601
    with unit_of_work(session_factory) as session:
        session.execute(update(LoginFailure).values(at=LoginFailure.at - logins.WINDOW))
    assert log_in(stranger, ours).status_code == 201
    with unit_of_work(session_factory) as session:
        assert session.scalar(select(func.count()).select_from(LoginFailure)) == 0


def test_a_browsers_cookie_is_another_after_each_login_and_ends(app, tenants, session_factory):
    ours, _ = tenants
    known = browser(app, HOME)
    answer = log_in(known, ours)
    [cookie] = [one for one in answer.headers.get_list("set-cookie") if DEVICE in one]
    assert "HttpOnly" in cookie
    assert "Path=/api/v1/sessions" in cookie
    first = known.cookies[DEVICE]
    log_in(known, ours)
    assert known.cookies[DEVICE] != first
    with unit_of_work(session_factory) as session:
        [device] = session.scalars(select(LoginDevice))
        assert device.address == HOME
        assert first not in device.token_hash
        device.last_login_at -= logins.DEVICE_KNOWN_FOR + datetime.timedelta(days=1)
    answers = [log_in(known, ours, "guess").status_code for _ in range(PAIR_ALLOWED + 1)]
    assert answers[-1] == 429


def test_attempts_at_one_time_count_each(app, tenants, hashed):
    ours, _ = tenants
    answers = []

    def guess():
        answers.append(log_in(browser(app, STRANGER), ours, "guess").status_code)

    threads = [threading.Thread(target=guess) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashed) <= PAIR_ALLOWED
    assert answers.count(401) <= PAIR_ALLOWED
    assert set(answers) == {401, 429}
