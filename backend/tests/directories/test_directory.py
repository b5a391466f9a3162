"""A directory takes people out over SCIM, as the standard's client asks and as those in use do."""

import datetime
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import SearchRequest
from sqlalchemy import select
from weighhouse_backend.directories.endpoints import router as directories
from weighhouse_backend.directories.endpoints import scim_router
from weighhouse_backend.directories.models import Directory
from weighhouse_backend.identity.models import ApiToken, AuditEntry, Membership
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account

from backend.tests.conftest import PASSWORD, make_tenant
from backend.tests.identity.test_people import CSRF, sign_in
from backend.tests.isolation.stored import person
from backend.tests.people import router

SCIM = "/api/scim/v2"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
BEFORE = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, directories, scim_router)


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        session.query(Directory).delete()


def of(tenant):
    return {"params": {"project_id": str(tenant.project_id)}, "headers": CSRF}


@pytest.fixture
def let_in(client):
    """Makes a token for a tenant's directory, as its owner does on the page."""

    def made(tenant) -> dict[str, str]:
        sign_in(client, tenant.email, PASSWORD)
        answer = client.post("/api/v1/directory", **of(tenant))
        assert answer.status_code == 201, answer.text
        client.cookies.clear()
        return {"Authorization": f"Bearer {answer.json()['token']}"}

    return made


@pytest.fixture
def mia(session_factory, tenants, request):
    """A member of the first tenant, with a personal token and a browser."""
    name = f"mia{abs(hash(request.node.name)) % 10**8}"
    with unit_of_work(session_factory) as session:
        user_id = person(session, tenants[0].organization_id, name, Role.MEMBER)
        token = new_token("p")
        session.add(
            ApiToken(
                project_id=tenants[0].project_id, name="mine", role="member",
                prefix=token_prefix(token), token_hash=token_hash(token), created_by=name,
                owner_id=user_id, created_at=BEFORE,
            )
        )  # fmt: skip
    return {"id": str(user_id), "email": f"{name}@example.test", "token": token}


def is_in(session_factory, who) -> bool:
    with unit_of_work(session_factory) as session:
        return (
            session.scalar(select(Membership).where(Membership.user_id == UUID(who["id"])))
            is not None
        )


def patch(client, headers, user_id, *operations: dict[str, Any], **query: str):
    return client.patch(
        f"{SCIM}/Users/{user_id}", params=query,
        json={"schemas": [PATCH], "Operations": list(operations)},
        headers={**headers, "Content-Type": "application/scim+json"},
    )  # fmt: skip


def test_the_standards_own_client_finds_reads_and_takes_out(
    client, session_factory, tenants, let_in, mia
):
    headers = let_in(tenants[0])
    with TestClient(client.app, base_url=f"http://testserver{SCIM}/", headers=headers) as http:
        scim = SyncSCIMClient(http)
        scim.discover()
        users = scim.get_resource_model("User")
        wanted = SearchRequest[users](filter=f'userName eq "{mia["email"].upper()}"')
        assert [one.id for one in scim.query(users, wanted).resources] == [mia["id"]]
        one = scim.query(users, mia["id"])
        assert (one.user_name, one.active) == (mia["email"], True)
        one.active = False
        assert scim.replace(one).active is False
        assert not is_in(session_factory, mia)
        gone = scim.query(users, mia["id"], raise_scim_errors=False)
        assert (type(gone).__name__, gone.status) == ("Error", 404)


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "active", "value": False},
        {"op": "Replace", "path": "active", "value": "False"},  # Entra ID, by default
        {"op": "replace", "value": {"active": False}},  # Okta
        {"op": "replace", "path": f"{USER}:active", "value": False},
    ],
)
def test_who_is_not_active_there_is_out_here(
    client, session_factory, tenants, let_in, mia, operation
):
    headers = let_in(tenants[0])
    mine = {"Authorization": f"Bearer {mia['token']}"}
    assert client.get("/api/v1/projects", headers=mine).status_code == 200
    answer = patch(client, headers, mia["id"], operation, attributes="active")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/scim+json")
    assert answer.json()["active"] is False
    assert not is_in(session_factory, mia)
    assert client.get("/api/v1/projects", headers=mine).status_code == 401
    with unit_of_work(session_factory) as session:
        entry = session.scalars(
            select(AuditEntry).where(
                AuditEntry.action == "member.removed", AuditEntry.subject == mia["email"]
            )
        ).one()
        assert (entry.actor, entry.details) == ("the directory", {"personal_tokens": 1})
    assert client.get(f"{SCIM}/Users/{mia['id']}", headers=headers).status_code == 404


def test_what_else_is_sent_is_heard_and_not_kept(client, session_factory, tenants, let_in, mia):
    headers = let_in(tenants[0])
    answer = patch(
        client, headers, mia["id"],
        {"op": "Add", "path": 'emails[type eq "work"].value', "value": "else@example.test"},
        {"op": "Replace", "path": "name.givenName", "value": "Mia"},
        {"op": "Add", "path": f"{ENTERPRISE}:department", "value": "Scales"},
        {"op": "Replace", "path": "userName", "value": "else@example.test"},
        {"op": "Add", "path": "externalId", "value": "m1"},
    )  # fmt: skip
    assert answer.status_code == 204, answer.text
    told = client.get(f"{SCIM}/Users/{mia['id']}", headers=headers).json()
    assert (told["userName"], told["active"]) == (mia["email"], True)
    assert is_in(session_factory, mia)


def test_removing_takes_out(client, session_factory, tenants, let_in, mia):
    headers = let_in(tenants[0])
    assert client.delete(f"{SCIM}/Users/{mia['id']}", headers=headers).status_code == 204
    assert not is_in(session_factory, mia)
    assert client.delete(f"{SCIM}/Users/{mia['id']}", headers=headers).status_code == 404


def test_the_last_owner_stays(client, session_factory, tenants, let_in):
    headers, owner = let_in(tenants[0]), {"id": str(tenants[0].user_id)}
    for answer in (
        client.delete(f"{SCIM}/Users/{owner['id']}", headers=headers),
        patch(client, headers, owner["id"], {"op": "replace", "path": "active", "value": False}),
    ):
        assert answer.status_code == 403
        assert "last owner" in answer.json()["detail"]
    assert is_in(session_factory, owner)


def test_nobody_comes_in_this_way(client, tenants, let_in, mia):
    headers = let_in(tenants[0])
    for name, status in (("new@example.test", 403), (mia["email"].upper(), 409)):
        body = {"schemas": [USER], "userName": name, "active": True}
        answer = client.post(f"{SCIM}/Users", json=body, headers=headers)
        assert (answer.status_code, answer.json()["status"]) == (status, str(status))


def test_a_directory_sees_its_organization_alone(client, session_factory, let_in, mia):
    with unit_of_work(session_factory) as session:
        other = make_tenant(session, f"far{mia['id'][:8]}")
    headers = let_in(other)
    listed = client.get(f"{SCIM}/Users", headers=headers).json()
    assert [one["id"] for one in listed["Resources"]] == [str(other.user_id)]
    for answer in (
        client.get(f"{SCIM}/Users/{mia['id']}", headers=headers),
        client.delete(f"{SCIM}/Users/{mia['id']}", headers=headers),
        patch(client, headers, mia["id"], {"op": "replace", "path": "active", "value": False}),
    ):
        assert answer.status_code == 404
    assert is_in(session_factory, mia)


def test_only_the_last_token_holds(client, tenants, let_in):
    first = let_in(tenants[0])
    second = let_in(tenants[0])
    assert client.get(f"{SCIM}/Users", headers=first).status_code == 401
    assert client.get(f"{SCIM}/Users", headers=second).status_code == 200
    sign_in(client, tenants[0].email, PASSWORD)
    told = client.get("/api/v1/directory", **of(tenants[0])).json()
    assert told["last_used_at"]
    assert told["url"].endswith(SCIM)
    assert "token" not in told
    assert client.delete("/api/v1/directory", **of(tenants[0])).status_code == 204
    assert client.get("/api/v1/directory", **of(tenants[0])).status_code == 404
    client.cookies.clear()
    refused = client.get(f"{SCIM}/Users", headers=second)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer whc_x"}, {"Authorization": "x"}])
def test_strangers_are_told_nothing(client, headers):
    for path in ("Users", "Schemas", "ServiceProviderConfig", "Users/x"):
        assert client.get(f"{SCIM}/{path}", headers=headers).status_code == 401


def test_a_token_of_a_project_is_none_of_a_directory(client, tenants):
    assert client.get(f"{SCIM}/Users", headers=tenants[0].headers).status_code == 401


def test_pages_and_what_cannot_be_read(client, tenants, let_in):
    headers = let_in(tenants[0])

    def found(**query):
        return client.get(f"{SCIM}/Users", params=query, headers=headers)

    everybody = found().json()
    page = found(startIndex=2, count=1).json()
    assert page["totalResults"] == everybody["totalResults"]
    assert page["Resources"] == everybody["Resources"][1:2]
    assert found(filter='displayName sw "our" or active eq false').status_code == 200
    long = " or ".join(['displayName sw "our"'] * 50)
    for query in ({"filter": "userName"}, {"filter": "(" * 2000}, {"filter": long},
                  {"startIndex": "x"}):  # fmt: skip
        assert found(**query).status_code == 400, query
    for unkept in ("\\ud800", "a\\u0000"):
        nobody = found(filter=f'userName eq "{unkept}"')
        assert (nobody.status_code, nobody.json()["totalResults"]) == (200, 0)
    assert found(cursor="x").status_code == 501, "the standard's word for what is not here"
    for body in (b"", b"{", b"[]", b"[" * 5000, b'{"Operations": 1}', "ä".encode("latin-1")):
        answer = client.patch(
            f"{SCIM}/Users/{tenants[0].user_id}", content=body,
            headers={**headers, "Content-Type": "application/scim+json"},
        )  # fmt: skip
        assert 400 <= answer.status_code < 500, (body[:20], answer.status_code)


def test_letting_one_in_takes_an_owner(client, tenants, mia):
    mine = {"Authorization": f"Bearer {mia['token']}"}
    for method in ("GET", "POST", "DELETE"):
        answer = client.request(method, "/api/v1/directory", headers=mine)
        assert answer.status_code == 403, method
    assert client.post("/api/v1/directory", headers=tenants[0].headers).status_code == 403


def test_of_two_owners_who_let_one_in_at_once_the_second_waits(client, session_factory, tenants):
    sign_in(client, tenants[0].email, PASSWORD)
    for _ in range(5):
        client.delete("/api/v1/directory", **of(tenants[0]))
        with ThreadPoolExecutor(4) as together:
            let_in = lambda _: client.post("/api/v1/directory", **of(tenants[0]))  # noqa: E731
            told = [answer.status_code for answer in together.map(let_in, range(4))]
        assert told == [201] * 4
    with unit_of_work(session_factory) as session:
        assert len(session.scalars(select(Directory)).all()) == 1
