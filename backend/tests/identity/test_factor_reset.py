"""Nobody stays locked out: owners reset second factors, and whoever keeps the machine."""

import os
import subprocess
import sys

import pytest
from sqlalchemy import select
from weighhouse_backend.identity.factor_models import FactorLetter, SecondFactor
from weighhouse_backend.identity.models import AuditEntry, LoginSession, Membership, User
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.factor_endpoints import router as factor_router

from backend.tests.conftest import PASSWORD
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}
UNTOUCHED, TAKEN = (True, True, []), (False, False, ["reset"])


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, factor_router)


@pytest.fixture
def mia(session_factory, tenants):
    """A member of our organization, with a second factor, signed in somewhere."""
    now, mia = SystemClock().now(), new_id()
    with unit_of_work(session_factory) as session:
        session.add(User(id=mia, email=f"{mia}@example.test", name="Mia", created_at=now))
        session.flush()
        session.add_all([
            Membership(
                organization_id=tenants[0].organization_id, user_id=mia, role="member",
                created_at=now,
            ),
            SecondFactor(
                user_id=mia, key_sealed="closed", created_at=now, confirmed_at=now, last_step=0,
                wrong_codes=0,
            ),
            LoginSession(user_id=mia, token_hash=str(mia), created_at=now, last_used_at=now),
        ])  # fmt: skip
    return mia


def sign_in(client, tenant):
    client.cookies.clear()
    body = {"email": tenant.email, "password": PASSWORD}
    assert client.post("/api/v1/sessions", json=body).status_code == 201


def reset(client, person, **more):
    return client.delete(f"/api/v1/members/{person}/second-factor", **{"headers": CSRF, **more})


def slug(answer):
    return answer.json()["type"].rpartition("/")[2]


def left(session_factory, person):
    """What there is of a person: second factor, logins, and letters to them."""
    with unit_of_work(session_factory) as session:
        logins = select(LoginSession.id).where(LoginSession.user_id == person)
        kinds = select(FactorLetter.kind).where(FactorLetter.user_id == person)
        return (
            session.get(SecondFactor, person) is not None,
            session.scalar(logins) is not None,
            list(session.scalars(kinds)),
        )


def test_an_owner_resets_a_members_factor_and_their_logins_end(
    client, session_factory, tenants, mia
):
    ours, _ = tenants
    sign_in(client, ours)
    listed = {one["id"]: one for one in client.get("/api/v1/members").json()["items"]}
    assert listed[str(mia)]["second_factor"] is True
    assert listed[str(ours.user_id)]["second_factor"] is False
    done = reset(client, mia)
    assert done.status_code == 204, done.text
    assert left(session_factory, mia) == TAKEN
    assert reset(client, mia).status_code == 404, "there is none any more"
    with unit_of_work(session_factory) as session:
        entry = session.scalars(
            select(AuditEntry).where(
                AuditEntry.action == "second_factor.reset",
                AuditEntry.subject == f"{mia}@example.test",
            )
        ).one()
        assert entry.project_id == ours.project_id
    assert client.get("/api/v1/sessions/current").status_code == 200, "the owner goes on"


def test_nobody_else_does(client, session_factory, tenants, mia):
    ours, theirs = tenants
    sign_in(client, theirs)
    assert reset(client, mia).status_code == 404
    sign_in(client, ours)
    own = reset(client, ours.user_id)
    assert (own.status_code, slug(own)) == (409, "second-factor-own")
    client.cookies.clear()
    assert reset(client, mia).status_code == 401
    assert reset(client, mia, headers=ours.headers).status_code == 403, "a token"
    place = (ours.organization_id, ours.user_id)
    with unit_of_work(session_factory) as session:
        session.get_one(Membership, place).role = Role.MAINTAINER
    try:
        sign_in(client, ours)
        assert reset(client, mia).status_code == 403
        told = client.get("/api/v1/members").json()["items"]
        assert {one["second_factor"] for one in told} == {None}, "only owners are told"
    finally:
        with unit_of_work(session_factory) as session:
            session.get_one(Membership, place).role = Role.OWNER
    assert left(session_factory, mia) == UNTOUCHED


def test_who_is_in_another_organization_too_keeps_theirs(client, session_factory, tenants, mia):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        session.add(
            Membership(
                organization_id=theirs.organization_id, user_id=mia, role="viewer",
                created_at=SystemClock().now(),
            )
        )  # fmt: skip
    sign_in(client, ours)
    refused = reset(client, mia)
    assert (refused.status_code, slug(refused)) == (409, "second-factor-elsewhere")
    assert left(session_factory, mia) == UNTOUCHED


def on_machine(settings, *words):
    environment = {
        **os.environ,
        "WEIGHHOUSE_DATABASE_URL": settings.database_url,
        "WEIGHHOUSE_REDIS_URL": settings.redis_url,
    }
    return subprocess.run(
        [sys.executable, "-m", "weighhouse_backend.app.reset_factor", *words],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_whoever_keeps_the_machine_resets_anybodys(session_factory, settings, mia):
    done = on_machine(settings, f"{mia}@EXAMPLE.test")
    assert done.returncode == 0, done.stderr
    assert left(session_factory, mia) == TAKEN
    again = on_machine(settings, f"{mia}@example.test")
    assert (again.returncode, "no second factor" in again.stderr) == (4, True)
    unknown = on_machine(settings, "nobody@example.test")
    assert (unknown.returncode, "nobody here has the address" in unknown.stderr) == (4, True)
    with unit_of_work(session_factory) as session:
        entries = session.scalars(
            select(AuditEntry).where(AuditEntry.subject == f"{mia}@example.test")
        ).all()
        assert {one.actor for one in entries} == {"installation"}
        assert None not in {one.project_id for one in entries}, "where its maintainers read it"
