"""Where an organization requires a second factor, roles rest without one and hold with one."""

import pyotp
import pytest
from pydantic import SecretStr
from sqlalchemy import delete, select, text
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.identity.factor_models import FactorLetter, SecondFactor
from weighhouse_backend.identity.models import (
    AuditEntry,
    Identity,
    IdentityProvider,
    LoginFailure,
    LoginSession,
    Membership,
    Organization,
    User,
)
from weighhouse_backend.identity.secrets import hash_password, new_token, token_hash
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.tenancy import confine_to_people
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.factor_endpoints import router as factor_router

from backend.tests.conftest import PASSWORD
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}
FACTOR, POLICY = "/api/v1/second-factor", "/api/v1/second-factor-policy"
REFUSED = (403, "second-factor-required")


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, factor_router)


@pytest.fixture
def mias(make_client):
    return make_client(router, account, factor_router)


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        for table in (LoginFailure, SecondFactor, FactorLetter, IdentityProvider):
            session.execute(delete(table))
        session.query(Organization).update({"factor_required_at": None})


@pytest.fixture
def mia(session_factory, tenants):
    """A member of our organization with a password, and of nothing else."""
    now, mia = SystemClock().now(), new_id()
    with unit_of_work(session_factory) as session:
        session.add(
            User(
                id=mia, email=f"{mia}@example.test", name="Mia", created_at=now,
                password_hash=hash_password(PASSWORD),
            )
        )  # fmt: skip
        session.flush()
        session.add(
            Membership(
                organization_id=tenants[0].organization_id, user_id=mia, role="member",
                created_at=now,
            )
        )  # fmt: skip
    return mia


def sign_in(client, email):
    client.cookies.clear()
    body = {"email": email, "password": PASSWORD}
    answer = client.post("/api/v1/sessions", json=body)
    assert answer.status_code == 201, answer.text


def told(answer):
    return answer.status_code, answer.json()["type"].rpartition("/")[2]


def set_up(client):
    begun = client.post(FACTOR, json={"current": PASSWORD}, headers=CSRF).json()
    code = pyotp.TOTP(begun["key"]).now()
    assert client.put(FACTOR, json={"code": code}, headers=CSRF).status_code == 200


def requires(client, tenant, *, required=True):
    body = {"required": required}
    return client.put(POLICY, params={"project_id": tenant.project_id}, json=body, headers=CSRF)


@pytest.fixture
def strict(client, tenants):
    """Our organization requires one of everybody; its owner has it."""
    sign_in(client, tenants[0].email)
    set_up(client)
    done = requires(client, tenants[0])
    assert (done.status_code, done.json()["required"]) == (200, True), done.text


def test_who_has_none_cannot_require_it_and_so_stays_in(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    assert told(requires(client, ours)) == (409, "second-factor-missing")
    assert client.get(POLICY).json() == {"required": False, "since": None}
    assert client.get("/api/v1/members").status_code == 200


def test_nobody_else_requires_it(client, tenants, mia, session_factory):
    ours, theirs = tenants
    sign_in(client, theirs.email)
    assert requires(client, ours).status_code == 404
    sign_in(client, f"{mia}@example.test")
    assert requires(client, ours).status_code == 403
    assert client.get(POLICY).status_code == 403
    client.cookies.clear()
    assert requires(client, ours).status_code == 401
    token = client.put(POLICY, json={"required": True}, headers=ours.headers)
    assert token.status_code == 403
    with unit_of_work(session_factory) as session:
        assert set(session.scalars(select(Organization.factor_required_at))) == {None}


def test_roles_rest_without_one_and_hold_as_soon_as_it_is_set_up(client, mias, tenants, mia):
    ours, _ = tenants
    sign_in(mias, f"{mia}@example.test")
    assert mias.get("/api/v1/members").status_code == 200
    sign_in(client, ours.email)
    set_up(client)
    assert requires(client, ours).status_code == 200
    refused = mias.get("/api/v1/members")
    assert told(refused) == REFUSED, "a login from before, too"
    assert "Ours" in refused.json()["detail"]
    named = mias.get("/api/v1/members", params={"project_id": str(ours.project_id)})
    assert told(named) == REFUSED
    body = {"name": "t", "role": "viewer", "personal": True}
    assert told(mias.post("/api/v1/api-tokens", json=body, headers=CSRF)) == REFUSED
    sign_in(mias, f"{mia}@example.test")
    who = mias.get("/api/v1/sessions/current").json()
    assert (who["projects"], who["organizations"]) == ([], [])
    assert who["factor_required_by"] == ["Ours"]
    set_up(mias)
    who = mias.get("/api/v1/sessions/current").json()
    assert [one["id"] for one in who["projects"]] == [str(ours.project_id)]
    assert who["factor_required_by"] == []
    assert mias.get("/api/v1/members").status_code == 200
    listed = {one["id"]: one for one in client.get("/api/v1/members").json()["items"]}
    assert listed[str(mia)]["second_factor"] is True


@pytest.mark.usefixtures("strict")
def test_a_reset_or_removed_one_has_the_role_rest_and_the_end_of_the_rule_has_it_hold(
    client, mias, tenants, mia, session_factory
):
    ours, _ = tenants
    with unit_of_work(session_factory) as session:
        session.execute(delete(SecondFactor).where(SecondFactor.user_id == ours.user_id))
    assert told(client.get("/api/v1/members")) == REFUSED, "an owner, too"
    making = {"slug": f"o-{mia}"[:60], "name": "Another"}
    assert client.post("/api/v1/organizations", json=making, headers=CSRF).status_code == 403
    set_up(client)
    sign_in(mias, f"{mia}@example.test")
    assert told(mias.get("/api/v1/members")) == REFUSED
    assert requires(client, ours, required=False).json() == {"required": False, "since": None}
    assert mias.get("/api/v1/members").status_code == 200


@pytest.mark.usefixtures("strict")
def test_other_organizations_do_not_ask_for_it(mias, tenants, mia, session_factory):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        session.add(
            Membership(
                organization_id=theirs.organization_id, user_id=mia, role="viewer",
                created_at=SystemClock().now(),
            )
        )  # fmt: skip
    sign_in(mias, f"{mia}@example.test")
    who = mias.get("/api/v1/sessions/current").json()
    assert [one["id"] for one in who["projects"]] == [str(theirs.project_id)]
    assert who["factor_required_by"] == ["Ours"]
    assert mias.get("/api/v1/members").status_code == 200
    named = mias.get("/api/v1/members", params={"project_id": str(ours.project_id)})
    assert told(named) == REFUSED


def test_personal_tokens_rest_with_their_owners_role_and_the_projects_go_on(
    client, mias, tenants, mia
):
    ours, _ = tenants
    sign_in(mias, f"{mia}@example.test")
    body = {"name": "own", "role": "viewer", "personal": True}
    made = mias.post("/api/v1/api-tokens", json=body, headers=CSRF).json()
    own = {"Authorization": f"Bearer {made['token']}"}
    sign_in(client, ours.email)
    set_up(client)
    assert requires(client, ours).status_code == 200
    mias.cookies.clear()
    assert told(mias.get("/api/v1/members", headers=own)) == REFUSED
    assert mias.get("/api/v1/members", headers=ours.headers).status_code == 200
    sign_in(mias, f"{mia}@example.test")
    set_up(mias)
    mias.cookies.clear()
    assert mias.get("/api/v1/members", headers=own).status_code == 200


def came_by_provider(session_factory, tenant, user_id):
    """The cookie of somebody who is in by their organization's provider."""
    now, provider, cookie = SystemClock().now(), new_id(), new_token("s")
    with unit_of_work(session_factory) as session:
        session.add(
            IdentityProvider(
                id=provider, organization_id=tenant.organization_id, name="P", client_id="c",
                issuer="https://id.example.test", groups_claim="groups", mappings=[],
                only_way=False, listed=False, created_at=now, updated_at=now,
            )
        )  # fmt: skip
        session.flush()
        session.add_all([
            Identity(
                provider_id=provider, issuer="https://id.example.test", subject=str(user_id),
                user_id=user_id, by_groups=False, created_at=now, last_login_at=now,
            ),
            LoginSession(
                user_id=user_id, token_hash=token_hash(cookie), provider_id=provider,
                created_at=now, last_used_at=now,
            ),
        ])  # fmt: skip
    return cookie


@pytest.mark.usefixtures("strict")
def test_who_came_by_the_provider_is_in_and_their_token_but_not_their_password(
    mias, tenants, mia, session_factory
):
    ours, _ = tenants
    mias.cookies.set("weighhouse_session", came_by_provider(session_factory, ours, mia))
    assert mias.get("/api/v1/members").status_code == 200
    body = {"name": "own", "role": "viewer", "personal": True}
    made = mias.post("/api/v1/api-tokens", json=body, headers=CSRF).json()
    mias.cookies.clear()
    own = {"Authorization": f"Bearer {made['token']}"}
    assert mias.get("/api/v1/members", headers=own).status_code == 200
    sign_in(mias, f"{mia}@example.test")
    assert told(mias.get("/api/v1/members")) == REFUSED


def test_it_is_noted_and_who_has_none_is_told_once(client, tenants, mia, session_factory):
    ours, theirs = tenants
    sign_in(client, ours.email)
    set_up(client)
    with unit_of_work(session_factory) as session:
        session.execute(delete(FactorLetter))
    assert requires(client, ours).status_code == 200
    assert requires(client, ours).status_code == 200
    letters = select(FactorLetter.user_id, FactorLetter.kind)
    with unit_of_work(session_factory) as session:
        written = [tuple(row) for row in session.execute(letters)]
        assert written.count((mia, "required")) == 1
        assert not {ours.user_id, theirs.user_id} & {user for user, _ in written}
        entries = select(AuditEntry).where(AuditEntry.action == "second_factor.required")
        entry = session.scalars(entries.order_by(AuditEntry.id.desc())).first()
        assert (entry.project_id, entry.subject) == (ours.project_id, "ours")
        assert MembershipService(session, SystemClock()).sees(mia) == {}


def confined(session_factory, tenant, statement):
    with unit_of_work(session_factory) as session:
        confine_to_people(session, [tenant.project_id])
        session.execute(text(statement))


def test_the_database_tells_people_of_ones_own_organization_alone(session_factory, tenants):
    ours, theirs = tenants
    for statement in (
        f"SELECT weighhouse_tell_of_factor('{theirs.organization_id}', now())",
        "SELECT count(*) FROM factor_letters",
    ):
        with pytest.raises(ProgrammingError, match=r"permission denied|another organization"):
            confined(session_factory, ours, statement)
    with unit_of_work(session_factory) as session:
        confine_to_people(session, [ours.project_id])
        there = text("UPDATE organizations SET factor_required_at = now() WHERE id = :id")
        assert session.execute(there, {"id": theirs.organization_id}).rowcount == 0
