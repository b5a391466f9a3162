"""What a provider's word is worth: who comes in, with which roles, and where to."""

from sqlalchemy import select
from weighhouse_backend.identity.models import (
    ApiToken,
    AuditEntry,
    LoginSession,
    Membership,
    User,
)
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.provider_sign_in import LASTS

from backend.tests.conftest import PASSWORD
from backend.tests.identity.sign_in.lying_provider import (
    GROUPS,
    back,
    begun,
    entered,
    kind,
    role,
    save,
)
from backend.tests.identity.test_people import CSRF, sign_in


def test_somebody_unknown_or_unverified_is_told_why(client, ours, liar, session_factory):
    stranger = {"sub": "9", "email": "zed@example.test"}
    assert kind(back(client, begun(client, liar, **stranger, groups=[]))) == "not-invited"
    for verified in (False, None, "true"):
        claims = {**stranger, "email_verified": verified}
        assert kind(back(client, begun(client, liar, **claims))) == "address-not-verified"
    with unit_of_work(session_factory) as session:
        refused = session.scalars(
            select(AuditEntry).where(
                AuditEntry.action == "login.refused", AuditEntry.subject == "zed@example.test"
            )
        ).all()
        assert {one.details["kind"] for one in refused} == {"not-invited", "address-not-verified"}
        assert {one.project_id for one in refused} == {ours.project_id}
        assert session.scalar(select(User).where(User.email == "zed@example.test")) is None


def test_who_came_in_is_told(client, ours, liar, session_factory):
    user = entered(client, liar, sub="11", email="ida@example.test", groups=["lookers"])["user"]
    with unit_of_work(session_factory) as session:
        rows = select(AuditEntry).where(AuditEntry.subject == "ida@example.test")
        told = {one.action: str(one.person_id) for one in session.scalars(rows)}
    assert told["login.by_provider"] == told["identity.linked"] == user["id"]


def test_nobody_new_comes_in_under_an_address_that_could_mean_others(client, ours, liar):
    who = {"sub": "10", "email": "root,zed@example.test", "groups": ["lookers"]}
    assert kind(back(client, begun(client, liar, **who))) == "address-not-verified"


def test_roles_follow_groups_and_all_ends_with_them(client, ours, liar, session_factory):
    who = {"sub": "2", "email": "una@example.test", "name": "Una"}
    entered(client, liar, **who, groups=["lookers"])
    assert role(client) == "viewer"
    entered(client, liar, **who, groups=["leads", "lookers", "others"])
    assert role(client) == "maintainer"
    made = client.post(
        "/api/v1/api-tokens", json={"name": "mine", "role": "viewer", "personal": True},
        headers=CSRF,
    )  # fmt: skip
    own = {"Authorization": f"Bearer {made.json()['token']}"}
    before = client.cookies["weighhouse_session"]
    client.cookies.clear()
    assert kind(back(client, begun(client, liar, **who, groups=["others"]))) == "not-invited"
    client.cookies.clear()
    assert client.get("/api/v1/projects", headers=own).status_code == 401
    client.cookies.set("weighhouse_session", before)
    assert role(client) == 401
    with unit_of_work(session_factory) as session:
        revoked = session.scalar(select(ApiToken.revoked_at).where(ApiToken.name == "mine"))
        assert revoked is not None
    client.cookies.clear()
    entered(client, liar, **who, groups=["lookers"])
    assert role(client) == "viewer"


def test_a_subject_is_known_by_itself_not_by_its_address(client, ours, liar):
    who = {"sub": "3", "email": "kim@example.test"}
    first = entered(client, liar, **who)
    moved = entered(client, liar, sub="3", email="kim.new@example.test", email_verified=False)
    assert moved["user"]["id"] == first["user"]["id"]
    other = back(client, begun(client, liar, sub="4", email="kim@example.test"))
    assert kind(other) == "not-invited"


def test_a_provider_does_not_speak_for_an_account_of_another_organization(
    client, ours, liar, tenants
):
    victim = {"sub": "5", "email": tenants[1].email}
    assert kind(back(client, begun(client, liar, **victim))) == "account-elsewhere"


def test_a_login_by_a_provider_opens_its_organization_alone(
    client, ours, liar, tenants, session_factory
):
    who = entered(client, liar, sub="6", email="both@example.test", groups=["leads"])["user"]
    theirs = tenants[1]
    with unit_of_work(session_factory) as session:
        session.add(
            Membership(
                organization_id=theirs.organization_id, user_id=who["id"], role="owner",
                created_at=session.get_one(User, who["id"]).created_at,
            )
        )  # fmt: skip
    seen = client.get("/api/v1/projects").json()["items"]
    assert {one["id"] for one in seen} == {str(ours.project_id)}
    params = {"project_id": str(theirs.project_id)}
    for path in ("members", "identity-provider", "campaigns"):
        if path != "campaigns":
            assert client.get(f"/api/v1/{path}", params=params).status_code == 404
    another = client.post(
        "/api/v1/organizations", json={"slug": "evil", "name": "Evil"}, headers=CSRF
    )
    assert another.status_code == 403


def test_an_organization_keeps_its_last_owner_whatever_groups_say(client, ours, liar):
    entered(client, liar, sub="7", email=ours.email, groups=["lookers"])
    assert role(client) == "owner"


def test_the_only_way_in_shuts_passwords_out_but_the_owners(
    client, ours, liar, tenants, session_factory
):
    entered(client, liar, sub="8", email="pat@example.test", groups=["leads"])
    with unit_of_work(session_factory) as session:
        owner = session.get_one(User, ours.user_id)
        pat = session.scalar(select(User).where(User.email == "pat@example.test"))
        pat.password_hash = owner.password_hash
    sign_in(client, "pat@example.test")
    assert role(client) == "maintainer"
    by_password = client.cookies["weighhouse_session"]
    assert save(client, ours, liar.issuer, mappings=GROUPS, only_way=True).status_code == 200
    assert role(client) == "owner"
    client.cookies.clear()
    refused = client.post(
        "/api/v1/sessions", json={"email": "pat@example.test", "password": PASSWORD}
    )
    assert (refused.status_code, kind(refused)) == (403, "provider-required")
    client.cookies.set("weighhouse_session", by_password)
    assert role(client) == 401
    client.cookies.clear()
    entered(client, liar, sub="8", email="pat@example.test", groups=["leads"])
    assert role(client) == "maintainer"


def test_a_login_lasts_half_a_day_so_that_groups_are_looked_at_again(
    client, ours, liar, session_factory
):
    entered(client, liar)
    with unit_of_work(session_factory) as session:
        for row in session.scalars(
            select(LoginSession).where(LoginSession.provider_id.is_not(None))
        ):
            row.created_at -= 13 * (LASTS * 6)
    assert role(client) == 401


def test_a_groups_project_is_the_organizations(client, ours, liar, tenants):
    other = {"group": "g", "role": "owner", "project_id": str(tenants[1].project_id)}
    assert save(client, ours, liar.issuer, mappings=[other]).status_code == 422
    own = {"group": "g", "role": "member", "project_id": str(ours.project_id)}
    assert save(client, ours, liar.issuer, mappings=[own]).status_code == 200
    client.cookies.clear()
    entered(client, liar, sub="10", email="guest@example.test", groups=["g"])
    assert role(client) == "member"
