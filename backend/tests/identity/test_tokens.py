"""What tokens may do: within their role, their scopes, and their owner's access."""

import datetime

import pytest
from sqlalchemy import select, update
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.fleet.endpoints import router as fleet
from weighhouse_backend.identity.models import ApiToken, Membership, User
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.conftest import PASSWORD
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}


def now():
    return datetime.datetime.now(datetime.UTC)


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, fleet, overviews)


@pytest.fixture(autouse=True)
def _signed_out(client):
    client.cookies.clear()


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def made(client, headers, **wanted):
    answer = client.post("/api/v1/api-tokens", json={"name": "t", **wanted}, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


def person(client, tenant):
    client.post("/api/v1/sessions", json={"email": tenant.email, "password": PASSWORD})
    return CSRF


def test_a_token_is_refused_beyond_its_scopes(client, tenants):
    ours, _ = tenants
    reading = made(client, ours.headers, role="maintainer", scopes=["results:read"])
    headers = bearer(reading["token"])
    assert client.get("/api/v1/agents", headers=headers).status_code == 200
    refused = client.post("/api/v1/agent-registration-tokens", json={}, headers=headers)
    assert refused.status_code == 403
    assert refused.json()["type"].endswith("scope-missing")
    assert "agents:enrol" in refused.json()["detail"]
    enrolling = made(client, ours.headers, role="maintainer", scopes=["agents:enrol"])
    answer = client.post(
        "/api/v1/agent-registration-tokens", json={}, headers=bearer(enrolling["token"])
    )
    assert answer.status_code == 201, answer.text
    assert client.get("/api/v1/agents", headers=bearer(enrolling["token"])).status_code == 403


def test_a_token_that_may_not_is_told_what_it_lacks_and_where_another_is_made(client, tenants):
    ours, _ = tenants
    reading = made(client, ours.headers, role="maintainer", scopes=["results:read"])["token"]
    viewing = made(client, ours.headers, role="viewer")["token"]
    for token, said in (
        (reading, "this token has the scopes results:read; this takes agents:enrol"),
        (viewing, "this token is viewer in this project; this takes maintainer"),
        ("whp_nobodys", "this token is unknown, expired or revoked"),
    ):
        enrol = "/api/v1/agent-registration-tokens"
        refused = client.post(enrol, json={}, headers=bearer(token))
        detail = refused.json()["detail"]
        assert detail.startswith(said)
        assert "make one" in detail
        assert detail.endswith("under Settings → API tokens or by `weighhouse token create`")


def test_a_token_with_scopes_makes_none_with_more(client, tenants):
    ours, _ = tenants
    scopes = ["people:manage", "results:read"]
    headers = bearer(made(client, ours.headers, role="owner", scopes=scopes)["token"])
    for wanted in ({}, {"scopes": ["agents:enrol"]}):
        answer = client.post("/api/v1/api-tokens", json={"name": "x", **wanted}, headers=headers)
        assert answer.status_code == 403, wanted
    made(client, headers, scopes=["results:read"])
    made(client, headers, scopes=["audit:read"])  # people:manage brings it along


def test_a_token_with_scopes_rotates_none_with_more(client, tenants):
    ours, _ = tenants
    scopes = ["people:manage", "results:read"]
    headers = bearer(made(client, ours.headers, role="owner", scopes=scopes)["token"])
    for wanted in ({}, {"scopes": ["results:read", "agents:enrol"]}):
        more = made(client, ours.headers, role="viewer", **wanted)
        path = f"/api/v1/api-tokens/{more['id']}/rotate"
        answer = client.post(path, json={}, headers=headers)
        assert answer.status_code == 403, (wanted, answer.text)
        listed = client.get("/api/v1/api-tokens", headers=ours.headers).json()["items"]
        (kept,) = (one for one in listed if one["id"] == more["id"])
        assert (kept["replaced_by"], kept["expires_at"]) == (None, None)
    less = made(client, ours.headers, role="member", scopes=["results:read"])
    path = f"/api/v1/api-tokens/{less['id']}/rotate"
    assert client.post(path, json={}, headers=headers).status_code == 201


def test_a_token_with_scopes_gives_no_person_all_that_a_role_may(client, tenants, session_factory):
    ours, _ = tenants
    with unit_of_work(session_factory) as session:
        guest = User(email="guest@example.test", name="guest", created_at=now())
        session.add(guest)
        session.flush()
        session.add(
            Membership(
                organization_id=ours.organization_id, user_id=guest.id, role="guest",
                created_at=now(),
            )
        )  # fmt: skip
        guest_id = guest.id
    cookies = person(client, ours)
    token = made(client, cookies, personal=True, role="owner", scopes=["people:manage"])
    client.cookies.clear()
    headers, of = bearer(token["token"]), {"project_id": str(ours.project_id)}
    for method, path, body in (
        ("PUT", f"/members/{guest_id}", {"role": "owner"}),
        ("PUT", f"/members/{guest_id}", {"role": "viewer"}),
        ("PUT", f"/projects/{ours.project_id}/members/{guest_id}", {"role": "viewer"}),
    ):
        refused = client.request(method, f"/api/v1{path}", params=of, json=body, headers=headers)
        assert refused.status_code == 403, refused.text
        assert "token with scopes" in refused.json()["detail"]
    for role in ("member", "viewer"):  # what it takes is no gift, and people are taken out by it
        by = ours.headers if role == "member" else headers
        given = client.put(
            f"/api/v1/projects/{ours.project_id}/members/{guest_id}", json={"role": role},
            headers=by,
        )  # fmt: skip
        assert given.status_code == 204, given.text
    gone = client.delete(f"/api/v1/members/{guest_id}", params=of, headers=headers)
    assert gone.status_code == 204, gone.text


def test_an_unknown_scope_is_named(client, tenants):
    body = {"name": "x", "scopes": ["everything"]}
    answer = client.post("/api/v1/api-tokens", json=body, headers=tenants[0].headers)
    assert answer.status_code == 422
    assert "results:read" in answer.text


def test_a_personal_token_never_has_more_than_its_owner_has_now(client, tenants, session_factory):
    _, theirs = tenants
    personal = made(client, person(client, theirs), personal=True, role="maintainer")
    client.cookies.clear()
    headers = bearer(personal["token"])
    (project,) = client.get("/api/v1/projects", headers=headers).json()["items"]
    assert project["role"] == "maintainer"
    own = update(Membership).where(Membership.user_id == theirs.user_id)
    with unit_of_work(session_factory) as session:
        session.execute(own.values(role="viewer"))
    (project,) = client.get("/api/v1/projects", headers=headers).json()["items"]
    assert project["role"] == "viewer"
    with unit_of_work(session_factory) as session:
        session.execute(own.values(role="guest"))
    gone = client.get("/api/v1/projects", headers=headers)
    assert gone.status_code == 401
    assert "owner" in gone.json()["detail"]
    with unit_of_work(session_factory) as session:
        session.execute(own.values(role="owner"))


def test_a_token_is_rotated_with_an_overlap(client, tenants, session_factory):
    ours, _ = tenants
    old = made(client, ours.headers, name="nightly", scopes=["results:read"], expires_in_days=30)
    path = f"/api/v1/api-tokens/{old['id']}/rotate"
    new = client.post(path, json={"overlap_hours": 2}, headers=ours.headers).json()
    assert (new["name"], new["scopes"], new["role"]) == ("nightly", ["results:read"], "member")
    for token in (old["token"], new["token"]):
        assert client.get("/api/v1/projects", headers=bearer(token)).status_code == 200
    listed = client.get("/api/v1/api-tokens", headers=ours.headers).json()["items"]
    kept = next(one for one in listed if one["id"] == old["id"])
    assert kept["replaced_by"] == new["id"]
    ends = datetime.datetime.fromisoformat(kept["expires_at"])
    left = ends - datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(hours=1) < left <= datetime.timedelta(hours=2)
    assert client.post(path, json={}, headers=ours.headers).status_code == 409
    with unit_of_work(session_factory) as session:
        past = datetime.datetime.now(datetime.UTC)
        session.execute(update(ApiToken).where(ApiToken.id == old["id"]).values(expires_at=past))
    assert client.get("/api/v1/projects", headers=bearer(old["token"])).status_code == 401
    assert client.get("/api/v1/projects", headers=bearer(new["token"])).status_code == 200


def test_nobody_gets_anothers_personal_token_by_rotating_it(client, tenants):
    ours, _ = tenants
    personal = made(client, person(client, ours), personal=True, role="viewer")
    client.cookies.clear()
    path = f"/api/v1/api-tokens/{personal['id']}"
    assert client.post(f"{path}/rotate", json={}, headers=ours.headers).status_code == 403
    assert client.delete(path, headers=ours.headers).status_code == 204, "a leak may be stopped"
    maintainer = made(client, ours.headers, role="maintainer")
    owners = made(client, ours.headers, role="owner")
    up = client.post(
        f"/api/v1/api-tokens/{owners['id']}/rotate", json={}, headers=bearer(maintainer["token"])
    )
    assert up.status_code == 403


def test_where_a_token_was_last_used_from_is_told(client, tenants, session_factory):
    ours, _ = tenants
    token = made(client, ours.headers, name="seen")
    client.get("/api/v1/projects", headers=bearer(token["token"]))
    with unit_of_work(session_factory) as session:
        row = session.scalars(select(ApiToken).where(ApiToken.name == "seen")).one()
        assert row.last_used_from == "testclient"
