"""Projects are made, renamed, archived and brought back; by whom, and what stands on record."""

import pytest
from sqlalchemy import select
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.models import Membership, Project
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.conftest import PASSWORD
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}
PROJECTS = "/api/v1/projects"


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, audit)


@pytest.fixture
def ours(client, tenants):
    """An owner of the organization, signed in."""
    client.cookies.clear()
    login = {"email": tenants[0].email, "password": PASSWORD}
    client.post("/api/v1/sessions", json=login).raise_for_status()
    yield tenants[0]
    client.cookies.clear()


def make(client, slug, **more):
    made = client.post(PROJECTS, json={"slug": slug, "name": slug.title(), **more}, headers=CSRF)
    assert made.status_code == 201, made.text
    return made.json()


def told(client, project):
    """What its audit log says, the first first."""
    found = client.get("/api/v1/audit-entries", params={"project_id": project["id"]})
    return [(one["action"], one["subject"]) for one in reversed(found.json()["items"])]


def test_a_project_is_made_renamed_archived_and_brought_back(client, ours):
    made = make(client, "storage")
    assert (made["role"], made["archived_at"]) == ("owner", None)
    path = f"{PROJECTS}/{made['id']}"
    named = client.patch(path, json={"name": "  Storage team "}, headers=CSRF).json()
    assert (named["name"], named["slug"]) == ("Storage team", "storage")
    gone = client.post(f"{path}/archive", headers=CSRF).json()
    assert gone["archived_at"] is not None
    assert gone["archived_by"] == ours.email.split("@")[0]
    again = client.post(f"{path}/archive", headers=CSRF).json()
    assert again == gone, "the first time counts"
    seen = {one["slug"]: one["archived_at"] for one in client.get(PROJECTS).json()["items"]}
    assert seen["storage"] == gone["archived_at"]
    assert seen["main"] is None
    (known,) = (
        one for one in client.get("/api/v1/sessions/current").json()["projects"]
        if one["slug"] == "storage"
    )  # fmt: skip
    assert known["archived_at"] == gone["archived_at"], "reachable from where one signs in"
    back = client.post(f"{path}/restore", headers=CSRF).json()
    assert (back["archived_at"], back["archived_by"]) == (None, None)
    client.post(f"{path}/restore", headers=CSRF)
    assert told(client, made) == [
        ("project.created", "storage"), ("project.renamed", "storage"),
        ("project.archived", "storage"), ("project.restored", "storage"),
    ]  # fmt: skip


def test_a_slug_is_unique_in_its_organization_and_says_how_to_mend(client, ours, tenants):
    make(client, "taken")
    for slug in ("taken", "main"):
        again = client.post(PROJECTS, json={"slug": slug, "name": "Other"}, headers=CSRF)
        assert again.status_code == 409
        assert again.json()["type"].endswith("project-exists")
        assert "another slug" in again.json()["detail"]
        assert again.json()["errors"][0]["path"] == "slug"
    client.cookies.clear()
    login = {"email": tenants[1].email, "password": PASSWORD}
    client.post("/api/v1/sessions", json=login).raise_for_status()
    assert make(client, "taken")["slug"] == "taken", "the other organization's own"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"slug": "Big", "name": "n"}, "slug"), ({"slug": "-a", "name": "n"}, "slug"),
        ({"slug": "x" * 64, "name": "n"}, "slug"), ({"slug": "", "name": "n"}, "slug"),
        ({"slug": "ok", "name": " "}, "name"), ({"slug": "ok", "name": "x" * 121}, "name"),
        ({"slug": "ok", "name": "two\nlines"}, "name"), ({"slug": "ok"}, "name"),
        ({"slug": "ok", "name": "n", "role": "owner"}, "role"),
    ],
)  # fmt: skip
def test_names_are_bounded_at_the_door(client, ours, body, path):
    answer = client.post(PROJECTS, json=body, headers=CSRF)
    assert answer.status_code == 422
    assert path in {one["path"] for one in answer.json()["errors"]}
    if path == "name":
        project = f"{PROJECTS}/{ours.project_id}"
        named = {"name": body["name"]} if "name" in body else {}
        assert client.patch(project, json=named, headers=CSRF).status_code == 422


def personal(client, **more):
    """Headers of a personal token."""
    body = {"name": "mine", "role": "owner", "personal": True, **more}
    made = client.post("/api/v1/api-tokens", json=body, headers=CSRF)
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['token']}"}


def test_a_personal_token_of_an_owner_makes_projects_and_any_other_none(client, ours):
    project = str(ours.project_id)
    own = personal(client, project_id=project)
    narrow = personal(client, project_id=project, scopes=["results:read"])
    client.cookies.clear()
    made = client.post(PROJECTS, json={"slug": "by-token", "name": "B"}, headers=own)
    assert made.status_code == 201, made.text
    taken = client.post(PROJECTS, json={"slug": "by-token", "name": "B"}, headers=own)
    assert taken.status_code == 409, "also where the token does not see the other one"
    refused = client.post(PROJECTS, json={"slug": "c", "name": "C"}, headers=narrow)
    assert refused.json()["type"].endswith("scope-missing")
    of_project = client.post(PROJECTS, json={"slug": "d", "name": "D"}, headers=ours.headers)
    assert of_project.status_code == 403
    assert "personal token" in of_project.json()["detail"]
    other = f"{PROJECTS}/{made.json()['id']}"
    assert client.post(f"{other}/archive", headers=own).status_code == 404, "bound to its project"


def test_it_takes_an_owner_of_the_project(client, ours, session_factory):
    made = make(client, "guarded")
    path = f"{PROJECTS}/{made['id']}"
    place = select(Membership).where(Membership.user_id == ours.user_id)
    for role in ("viewer", "member", "maintainer"):
        with unit_of_work(session_factory) as session:
            session.scalars(place).one().role = role
        for method, address, body in (
            ("PATCH", path, {"name": "Mine"}), ("POST", f"{path}/archive", None),
            ("POST", f"{path}/restore", None), ("POST", PROJECTS, {"slug": "e", "name": "E"}),
        ):  # fmt: skip
            answer = client.request(method, address, json=body, headers=CSRF)
            assert answer.status_code == 403, (role, method, address)
    with unit_of_work(session_factory) as session:
        session.scalars(place).one().role = "owner"
        assert session.get(Project, made["id"]).name == "Guarded"


def test_others_do_not_learn_that_it_is_there(client, ours, tenants):
    made = make(client, "unseen")
    client.cookies.clear()
    login = {"email": tenants[1].email, "password": PASSWORD}
    client.post("/api/v1/sessions", json=login).raise_for_status()
    path = f"{PROJECTS}/{made['id']}"
    for method, address in (
        ("PATCH", path),
        ("POST", f"{path}/archive"),
        ("POST", f"{path}/restore"),
    ):
        answer = client.request(method, address, json={"name": "Theirs"}, headers=CSRF)
        assert answer.status_code == 404
    body = {"slug": "x", "name": "X", "organization_id": str(ours.organization_id)}
    assert client.post(PROJECTS, json=body, headers=CSRF).status_code == 404
