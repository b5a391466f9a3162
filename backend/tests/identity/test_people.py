"""People are asked in, get roles, and leave; their passwords are their own."""

import datetime
import re

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update
from weighhouse_backend.identity.models import AuditEntry, Invitation, LoginFailure, PasswordReset
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account

from backend.tests.conftest import PASSWORD
from backend.tests.people import router

CSRF = {"X-Weighhouse": "1"}
STRONG = "gravel tuba eleven lantern"
OTHER = "copper otter seventeen umbrella"


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account)


@pytest.fixture
def new_client(make_client):
    return lambda: make_client(router, account)


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()


def sign_in(client, email, password=PASSWORD):
    client.cookies.clear()
    answer = client.post("/api/v1/sessions", json={"email": email, "password": password})
    assert answer.status_code == 201, answer.text


def invited(client, tenant, email, **wanted):
    sign_in(client, tenant.email)
    body = {"email": email, **wanted}
    params = {"project_id": str(tenant.project_id)}
    answer = client.post("/api/v1/invitations", json=body, params=params, headers=CSRF)
    assert answer.status_code == 201, answer.text
    return answer.json()


def bearer(link):
    return {"Authorization": f"Bearer {link.partition('#')[2]}"}


def joined(client, tenant, email, **wanted):
    """Somebody new, who joined over a link; their id."""
    made = invited(client, tenant, email, **wanted)
    answer = client.post(
        "/api/v1/invitation", json={"name": "Mia", "password": STRONG}, headers=bearer(made["link"])
    )
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def members(client, tenant):
    params = {"project_id": str(tenant.project_id)}
    found = client.get("/api/v1/members", params=params, headers=tenant.headers).json()["items"]
    return {one["email"]: (one["role"], one["project_role"]) for one in found}


def test_somebody_joins_over_a_link_once(client, tenants):
    ours, _ = tenants
    made = invited(client, ours, "mia@example.test", role="viewer")
    assert "/join#whi_" in made["link"], "no mail is set up, so it is handed over"
    link = bearer(made["link"])
    opened = client.get("/api/v1/invitation", headers=link).json()
    assert (opened["email"], opened["organization"], opened["has_account"]) == (
        "mia@example.test", "Ours", False,
    )  # fmt: skip
    weak = {"name": "Mia", "password": "mia@example.test"}
    refused = client.post("/api/v1/invitation", json=weak, headers=link)
    assert refused.json()["type"].endswith("weak-password")
    body = {"name": "Mia", "password": STRONG}
    assert client.post("/api/v1/invitation", json=body, headers=link).status_code == 201
    again = client.post("/api/v1/invitation", json=body, headers=link)
    assert again.status_code == 404
    assert "used already" in again.json()["detail"]
    assert members(client, ours)["mia@example.test"] == ("viewer", None)
    sign_in(client, "mia@example.test", STRONG)
    assert [one["role"] for one in client.get("/api/v1/projects").json()["items"]] == ["viewer"]


def test_an_account_joins_another_organization_by_its_own_password(client, tenants):
    ours, theirs = tenants
    made = invited(client, ours, theirs.email, role="member")
    link = bearer(made["link"])
    assert client.get("/api/v1/invitation", headers=link).json()["has_account"] is True
    wrong = client.post("/api/v1/invitation", json={"password": STRONG}, headers=link)
    assert wrong.json()["type"].endswith("wrong-password")
    right = client.post("/api/v1/invitation", json={"password": PASSWORD}, headers=link)
    assert right.status_code == 201
    sign_in(client, theirs.email)
    names = {one["organization_name"] for one in client.get("/api/v1/projects").json()["items"]}
    assert names == {"Ours", "Theirs"}
    sign_in(client, ours.email)
    gone = client.delete(
        f"/api/v1/members/{theirs.user_id}", params={"project_id": str(ours.project_id)},
        headers=CSRF,
    )  # fmt: skip
    assert gone.status_code == 204
    sign_in(client, theirs.email)


def test_a_link_that_was_taken_back_replaced_or_forged_does_not_hold(
    client, tenants, session_factory
):
    ours, theirs = tenants
    first = invited(client, ours, "una@example.test")
    second = invited(client, ours, "UNA@example.test")
    for link, words in (
        (first["link"], "taken back"),
        (first["link"][:-2], "complete"),
        (second["link"].replace("whi_", "whn_"), "complete"),
    ):
        answer = client.get("/api/v1/invitation", headers=bearer(link))
        assert answer.status_code == 404
        assert words in answer.json()["detail"]
    sign_in(client, theirs.email)
    foreign = client.delete(f"/api/v1/invitations/{second['id']}", headers=CSRF)
    assert foreign.status_code == 404
    sign_in(client, ours.email)
    params = {"project_id": str(ours.project_id)}
    listed = client.get("/api/v1/invitations", params=params).json()["items"]
    assert [one["id"] for one in listed if one["email"].lower() == "una@example.test"] == [
        second["id"]
    ]
    gone = client.delete(f"/api/v1/invitations/{second['id']}", headers=CSRF)
    assert gone.status_code == 204
    assert client.get("/api/v1/invitation", headers=bearer(second["link"])).status_code == 404
    with unit_of_work(session_factory) as session:
        told = session.scalars(select(AuditEntry).where(AuditEntry.action.like("invitation.%")))
        assert all("whi_" not in f"{one.subject}{one.details}" for one in told)


@pytest.mark.parametrize(
    "email",
    ["=?utf-8?q?a=40evil.test=2C?=b@example.test", "a,b@example.test", "a%evil.test@example.test"],
)
def test_nobody_is_asked_in_by_an_address_that_could_mean_others(client, tenants, email):
    ours, _ = tenants
    sign_in(client, ours.email)
    params = {"project_id": str(ours.project_id)}
    refused = client.post("/api/v1/invitations", json={"email": email}, params=params, headers=CSRF)
    assert refused.status_code == 422, refused.text


def test_a_link_ends(client, tenants, session_factory):
    made = invited(client, tenants[0], "late@example.test")
    past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    with unit_of_work(session_factory) as session:
        session.execute(update(Invitation).values(expires_at=past))
    listed = client.get(
        "/api/v1/invitations", params={"project_id": str(tenants[0].project_id)}
    ).json()
    assert made["id"] not in {one["id"] for one in listed["items"]}


def test_a_guest_sees_the_project_they_were_asked_into_alone(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    side = client.post(
        "/api/v1/projects", json={"slug": "side", "name": "Side"}, headers=CSRF
    ).json()
    made = client.post(
        "/api/v1/invitations", params={"project_id": side["id"]}, headers=CSRF,
        json={"email": "guest@example.test", "role": "owner", "only_this_project": True},
    ).json()  # fmt: skip
    body = {"name": "Guest", "password": STRONG}
    guest = client.post("/api/v1/invitation", json=body, headers=bearer(made["link"])).json()
    sign_in(client, "guest@example.test", STRONG)
    seen = client.get("/api/v1/projects").json()["items"]
    assert [(one["slug"], one["role"]) for one in seen] == [("side", "owner")]
    hidden = client.get("/api/v1/members", params={"project_id": str(ours.project_id)})
    assert hidden.status_code == 404
    params = {"project_id": side["id"]}
    # Who owns one project changes nobody's place in the organization, nor asks anybody into it.
    raised = client.put(
        f"/api/v1/members/{guest['id']}", json={"role": "owner"}, params=params, headers=CSRF
    )
    assert raised.status_code == 403
    all_of_it = client.post(
        "/api/v1/invitations", json={"email": "x@example.test"}, params=params, headers=CSRF
    )
    assert all_of_it.status_code == 403
    token = client.post(
        "/api/v1/api-tokens", json={"name": "t", "role": "owner", "project_id": side["id"]},
        headers=CSRF,
    ).json()["token"]  # fmt: skip
    client.cookies.clear()
    by_token = client.put(
        f"/api/v1/members/{guest['id']}", json={"role": "owner"}, params=params,
        headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip
    assert by_token.status_code == 403
    assert "guest@example.test" not in members(client, ours)


def test_a_role_of_ones_own_in_a_project_adds_to_that_of_the_organization(client, tenants):
    ours, theirs = tenants
    person = joined(client, ours, "adds@example.test", role="viewer")
    sign_in(client, ours.email)
    path = f"/api/v1/projects/{ours.project_id}/members/{person}"
    assert client.put(path, json={"role": "maintainer"}, headers=CSRF).status_code == 204
    assert members(client, ours)["adds@example.test"] == ("viewer", "maintainer")
    sign_in(client, "adds@example.test", STRONG)
    roles = {one["slug"]: one["role"] for one in client.get("/api/v1/projects").json()["items"]}
    assert roles["main"] == "maintainer"
    assert roles.get("side", "viewer") == "viewer"
    sign_in(client, theirs.email)
    assert client.put(path, json={"role": "owner"}, headers=CSRF).status_code == 404
    sign_in(client, ours.email)
    assert client.delete(path, headers=CSRF).status_code == 204
    assert members(client, ours)["adds@example.test"] == ("viewer", None)
    outside = f"/api/v1/projects/{ours.project_id}/members/{theirs.user_id}"
    assert client.put(outside, json={"role": "viewer"}, headers=CSRF).status_code == 404


def test_who_leaves_is_out_at_once_with_cookie_and_tokens(client, new_client, tenants):
    ours, _ = tenants
    person = joined(client, ours, "leaves@example.test", role="member")
    theirs = new_client()
    sign_in(theirs, "leaves@example.test", STRONG)
    params = {"project_id": str(ours.project_id)}
    body = {"name": "mine", "personal": True, "project_id": str(ours.project_id)}
    token = theirs.post("/api/v1/api-tokens", json=body, headers=CSRF).json()["token"]
    bare = new_client()
    headers = {"Authorization": f"Bearer {token}"}
    assert bare.get("/api/v1/projects", headers=headers).status_code == 200
    sign_in(client, ours.email)
    gone = client.delete(f"/api/v1/members/{person}", params=params, headers=CSRF)
    assert gone.status_code == 204
    assert bare.get("/api/v1/projects", headers=headers).status_code == 401
    assert theirs.get("/api/v1/sessions/current").status_code == 401


def test_one_owner_stays(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    params = {"project_id": str(ours.project_id)}
    own = f"/api/v1/members/{ours.user_id}"
    for answer in (
        client.put(own, json={"role": "member"}, params=params, headers=CSRF),
        client.delete(own, params=params, headers=CSRF),
    ):
        assert answer.status_code == 409
        assert answer.json()["type"].endswith("last-owner")


def test_a_password_is_changed_by_its_owner_who_stays_signed_in(client, new_client, tenants):
    joined(client, tenants[0], "pass@example.test")
    elsewhere = new_client()
    sign_in(elsewhere, "pass@example.test", STRONG)
    sign_in(client, "pass@example.test", STRONG)
    for body, slug in (
        ({"current": OTHER, "password": OTHER}, "current-password-wrong"),
        ({"current": STRONG, "password": "short"}, "weak-password"),
        ({"current": STRONG, "password": "passwordpassword"}, "weak-password"),
    ):
        answer = client.put("/api/v1/password", json=body, headers=CSRF)
        assert answer.json()["type"].endswith(slug), answer.text
    done = client.put("/api/v1/password", json={"current": STRONG, "password": OTHER}, headers=CSRF)
    assert done.status_code == 204, done.text
    assert client.get("/api/v1/sessions/current").status_code == 200
    assert elsewhere.get("/api/v1/sessions/current").status_code == 401
    sign_in(client, "pass@example.test", OTHER)


def test_without_mail_no_reset_is_promised(client, tenants):
    answer = client.post("/api/v1/password-resets", json={"email": tenants[0].email})
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("no-mail")


def test_people_see_where_they_are_signed_in_and_end_it(client, new_client, tenants):
    joined(client, tenants[0], "many@example.test")
    first, second, third = new_client(), new_client(), new_client()
    for one in (first, second, third):
        sign_in(one, "many@example.test", STRONG)
    listed = first.get("/api/v1/sessions").json()["items"]
    assert len(listed) == 3
    assert [one["current"] for one in listed].count(True) == 1
    assert all(re.search("testclient", one["user_agent"]) for one in listed)
    other = next(one for one in listed if not one["current"])
    sign_in(client, tenants[1].email)
    assert client.delete(f"/api/v1/sessions/{other['id']}", headers=CSRF).status_code == 404
    assert first.delete(f"/api/v1/sessions/{other['id']}", headers=CSRF).status_code == 204
    assert len(first.get("/api/v1/sessions").json()["items"]) == 2
    assert first.delete("/api/v1/sessions", headers=CSRF).status_code == 204
    assert len(first.get("/api/v1/sessions").json()["items"]) == 1
    assert first.get("/api/v1/sessions/current").status_code == 200
    assert {one.get("/api/v1/sessions/current").status_code for one in (second, third)} == {401}


def test_whoever_owns_an_organization_makes_another(client, tenants):
    ours, _ = tenants
    sign_in(client, ours.email)
    body = {"slug": "third", "name": "Third"}
    made = client.post("/api/v1/organizations", json=body, headers=CSRF)
    assert made.status_code == 201, made.text
    assert (made.json()["slug"], made.json()["role"]) == ("main", "owner")
    again = client.post("/api/v1/organizations", json=body, headers=CSRF)
    assert again.json()["type"].endswith("organization-exists")
    joined(client, ours, "no-owner@example.test")
    sign_in(client, "no-owner@example.test", STRONG)
    body = {"slug": "fourth", "name": "Fourth"}
    assert client.post("/api/v1/organizations", json=body, headers=CSRF).status_code == 403


def test_nobody_finds_a_reset_without_its_letter(session_factory):
    with unit_of_work(session_factory) as session:
        columns = set(PasswordReset.__table__.columns.keys())
        assert not {name for name in columns if "token" in name or "hash" in name}
        assert session.scalars(select(PasswordReset)).all() == []
