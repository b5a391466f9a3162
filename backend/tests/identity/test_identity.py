"""Logins, tokens, roles, and that tenants do not see each other."""

import datetime

import pytest
from argon2 import Type, extract_parameters
from sqlalchemy import select, update
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.models import ApiToken, AuditEntry, LoginFailure, LoginSession
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import HASHER, new_token, token_hash
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import Forbidden, Invalid, NotFound
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.people import router

PASSWORD = "correct horse battery"
CSRF = {"X-Weighhouse": "1"}
AS_IT_IS = HASHER
"""What hashes passwords, before tests took a cheaper one."""


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, audit)


@pytest.fixture(autouse=True)
def _signed_out(client):
    client.cookies.clear()


def log_in(client, tenant, password=PASSWORD):
    return client.post("/api/v1/sessions", json={"email": tenant.email, "password": password})


def test_passwords_take_what_rfc_9106_asks_where_there_is_little_memory():
    made = extract_parameters(AS_IT_IS.hash(PASSWORD))
    assert made.type is Type.ID
    assert (made.memory_cost, made.time_cost, made.parallelism) == (65536, 3, 4)


def test_a_login_lasts_until_it_is_ended(client, tenants):
    ours, _ = tenants
    answer = log_in(client, ours)
    assert answer.status_code == 201
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    me = client.get("/api/v1/sessions/current").json()
    assert me["user"]["email"] == ours.email
    assert [project["id"] for project in me["projects"]] == [str(ours.project_id)]
    assert client.delete("/api/v1/sessions/current", headers=CSRF).status_code == 200
    assert client.get("/api/v1/sessions/current").status_code == 401


def test_the_address_counts_in_any_case(client, tenants):
    body = {"email": tenants[0].email.upper(), "password": PASSWORD}
    assert client.post("/api/v1/sessions", json=body).status_code == 201


def test_a_wrong_password_is_refused_and_remembered(client, tenants, session_factory):
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()
    answer = log_in(client, tenants[0], "guess")
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/docs/problems/wrong-password"
    for _ in range(7):
        assert log_in(client, tenants[0], "guess").status_code == 401
    assert log_in(client, tenants[0]).status_code == 429
    nobody = {"email": "nobody@example.test", "password": "guess"}
    assert client.post("/api/v1/sessions", json=nobody).status_code == 401
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()


def test_a_change_with_a_cookie_needs_the_header(client, tenants):
    log_in(client, tenants[0])
    body = {"name": "build"}
    assert client.post("/api/v1/api-tokens", json=body).status_code == 403
    assert client.post("/api/v1/api-tokens", json=body, headers=CSRF).status_code == 201


def test_a_login_that_was_not_used_for_long_has_ended(client, tenants, session_factory):
    log_in(client, tenants[0])
    long_ago = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=60)
    with unit_of_work(session_factory) as session:
        session.execute(update(LoginSession).values(last_used_at=long_ago))
    assert client.get("/api/v1/sessions/current").status_code == 401


def test_a_token_is_shown_once_and_kept_as_a_hash(client, tenants, session_factory):
    ours, _ = tenants
    made = client.post("/api/v1/api-tokens", json={"name": "once"}, headers=ours.headers).json()
    assert made["token"].startswith("whp_")
    listed = client.get("/api/v1/api-tokens", headers=ours.headers).json()["items"]
    assert made["id"] in {one["id"] for one in listed}
    assert "token" not in listed[0]
    with unit_of_work(session_factory) as session:
        row = session.scalars(select(ApiToken).where(ApiToken.name == "once")).one()
        assert row.token_hash == token_hash(made["token"])
        audit = session.scalars(select(AuditEntry).where(AuditEntry.subject == "once")).one()
        assert made["token"] not in str(audit.details)


def test_a_revoked_or_expired_token_is_worthless(client, tenants, session_factory):
    ours, _ = tenants
    made = client.post(
        "/api/v1/api-tokens", json={"name": "gone", "expires_in_days": 1}, headers=ours.headers
    ).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert client.get("/api/v1/projects", headers=headers).status_code == 200
    past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=1)
    with unit_of_work(session_factory) as session:
        session.execute(update(ApiToken).where(ApiToken.name == "gone").values(expires_at=past))
    assert client.get("/api/v1/projects", headers=headers).status_code == 401
    again = client.post("/api/v1/api-tokens", json={"name": "rev"}, headers=ours.headers).json()
    assert (
        client.delete(f"/api/v1/api-tokens/{again['id']}", headers=ours.headers).status_code == 204
    )
    headers = {"Authorization": f"Bearer {again['token']}"}
    assert client.get("/api/v1/projects", headers=headers).status_code == 401


def test_a_token_gives_no_more_than_its_maker_has(client, tenants):
    ours, _ = tenants
    member = client.post("/api/v1/api-tokens", json={"name": "m"}, headers=ours.headers).json()
    headers = {"Authorization": f"Bearer {member['token']}"}
    answer = client.post("/api/v1/api-tokens", json={"name": "x"}, headers=headers)
    assert answer.status_code == 403
    maker = {"name": "maintainer", "role": "maintainer"}
    maintainer = client.post("/api/v1/api-tokens", json=maker, headers=ours.headers).json()
    headers = {"Authorization": f"Bearer {maintainer['token']}"}
    up = {"name": "x", "role": "owner"}
    assert client.post("/api/v1/api-tokens", json=up, headers=headers).status_code == 403


def test_tenants_do_not_see_each_other(client, tenants):
    ours, theirs = tenants
    made = client.post("/api/v1/api-tokens", json={"name": "mine"}, headers=ours.headers).json()
    answer = client.delete(f"/api/v1/api-tokens/{made['id']}", headers=theirs.headers)
    assert answer.status_code == 404
    for path in ("/api/v1/api-tokens", "/api/v1/members"):
        query = {"project_id": str(ours.project_id)}
        assert client.get(path, params=query, headers=theirs.headers).status_code == 404
    names = {
        one["name"]
        for one in client.get("/api/v1/api-tokens", headers=theirs.headers).json()["items"]
    }
    assert "mine" not in names


def test_bad_input_says_where(client, tenants):
    body = {"name": "", "rolle": "member"}
    answer = client.post("/api/v1/api-tokens", json=body, headers=tenants[0].headers)
    assert answer.status_code == 422
    assert {error["path"] for error in answer.json()["errors"]} == {"name", "rolle"}


def test_roles_cover_what_is_below_them():
    project, other = new_id(), new_id()
    caller = Caller("token", new_id(), "t", {project: Role.MEMBER})
    caller.require(project, Role.VIEWER)
    with pytest.raises(Forbidden):
        caller.require(project, Role.MAINTAINER)
    with pytest.raises(NotFound):
        caller.require(other)
    assert caller.project_or_only(None) == project
    with pytest.raises(Invalid):
        Caller("user", new_id(), "u", {project: Role.OWNER, other: Role.OWNER}).project_or_only(
            None
        )


def test_tokens_are_long_and_never_alike():
    made = {new_token("p") for _ in range(100)}
    assert len(made) == 100
    assert all(len(token) >= 46 for token in made)


def test_a_person_who_owns_the_organization_makes_projects(client, tenants):
    ours, _ = tenants
    body = {"slug": "storage", "name": "Storage"}
    assert client.post("/api/v1/projects", json=body, headers=ours.headers).status_code == 403
    log_in(client, ours)
    made = client.post("/api/v1/projects", json=body, headers=CSRF)
    assert made.status_code == 201
    assert made.json()["role"] == "owner"
    again = client.post("/api/v1/projects", json=body, headers=CSRF)
    assert again.status_code == 409
    assert again.json()["type"].endswith("project-exists")
    seen = client.get("/api/v1/projects").json()["items"]
    assert {project["slug"] for project in seen} == {"main", "storage"}
    tokens = client.get("/api/v1/api-tokens")
    assert tokens.status_code == 422, "with two projects the call has to say which"
    assert tokens.json()["errors"][0]["path"] == "project_id"


def test_what_was_done_is_listed_for_maintainers(client, tenants):
    ours, theirs = tenants
    query = {"project_id": str(ours.project_id), "limit": 3}
    page = client.get("/api/v1/audit-entries", params=query, headers=ours.headers).json()
    assert len(page["items"]) == 3
    following = client.get(
        "/api/v1/audit-entries", params={**query, "cursor": page["next_cursor"]},
        headers=ours.headers,
    ).json()  # fmt: skip
    assert {one["id"] for one in page["items"]}.isdisjoint(one["id"] for one in following["items"])
    found = client.get("/api/v1/audit-entries", params=query, headers=theirs.headers)
    assert found.status_code == 404
    member = client.post("/api/v1/api-tokens", json={"name": "m"}, headers=ours.headers).json()
    headers = {"Authorization": f"Bearer {member['token']}"}
    assert client.get("/api/v1/audit-entries", headers=headers).status_code == 403
