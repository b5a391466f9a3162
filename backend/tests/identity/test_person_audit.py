"""What becomes of a person's password is read by the owners of each organization they are in."""

import datetime

import pytest
from pydantic import SecretStr
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.models import Membership, PasswordReset, User
from weighhouse_backend.identity.secrets import hash_password
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.passwords import reset_link

from backend.tests.conftest import PASSWORD, make_tenant
from backend.tests.identity.test_people import CSRF, OTHER, STRONG, bearer, sign_in
from backend.tests.people import router

MIA = "mia@example.test"


@pytest.fixture(scope="module")
def settings(settings):
    more = {"secret_key": SecretStr("sixteen characters"), "smtp_host": "mail.test"}
    return settings.model_copy(update=more)


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, audit)


@pytest.fixture(scope="module")
def mia(session_factory, tenants):
    """A member of both organizations."""
    now = SystemClock().now()
    with unit_of_work(session_factory) as session:
        mia = User(
            email=MIA, name="Mia", password_hash=hash_password(PASSWORD), created_at=now
        )  # fmt: skip
        session.add(mia)
        session.flush()
        for one in tenants:
            place = {"organization_id": one.organization_id, "user_id": mia.id}
            session.add(Membership(**place, role="viewer", created_at=now))
        return mia.id


def noted(client, tenant, subject=MIA):
    client.cookies.clear()
    query = {"project_id": str(tenant.project_id), "action": "password.", "text": subject}
    answer = client.get("/api/v1/audit-entries", params=query, headers=tenant.headers)
    assert answer.status_code == 200, answer.text
    assert all(one["details"] == {} for one in answer.json()["items"])
    return [(one["action"], one["actor"]) for one in reversed(answer.json()["items"])]


def test_owners_of_each_organization_read_of_a_password(
    client, settings, session_factory, tenants, mia
):
    with unit_of_work(session_factory) as session:
        strangers = make_tenant(session, "strangers")
    sign_in(client, MIA)
    wanted = {"current": PASSWORD, "password": STRONG}
    changed = client.put("/api/v1/password", json=wanted, headers=CSRF)
    assert changed.status_code == 204, changed.text
    client.cookies.clear()
    asked = client.post("/api/v1/password-resets", json={"email": MIA})
    assert asked.status_code == 202, asked.text
    now = SystemClock().now()
    later = now + datetime.timedelta(hours=1)
    with unit_of_work(session_factory) as session:
        row = PasswordReset(user_id=mia, created_at=now, expires_at=later)
        session.add(row)
        session.flush()
        link = reset_link(settings, row.id, later)
    answer = client.post("/api/v1/password-reset", json={"password": OTHER}, headers=bearer(link))
    assert answer.is_success, answer.text
    for one in tenants:
        assert noted(client, one) == [
            ("password.changed", "Mia"), ("password.reset_asked", "anybody"),
            ("password.reset", "Mia"),
        ]  # fmt: skip
    assert noted(client, strangers) == []


def test_a_password_set_on_the_machine_is_noted(client, session_factory):
    with unit_of_work(session_factory) as session:
        first = FirstUserService(session, SystemClock())
        for password in (PASSWORD, PASSWORD, STRONG):
            _, project = first.ensure("first@example.test", password)
        token = first.ensure_token(project, "t", None)
        project_id = project.id
    answer = client.get(
        "/api/v1/audit-entries", params={"project_id": str(project_id)},
        headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip
    entries = [(one["action"], one["actor"], one["subject"]) for one in answer.json()["items"]]
    assert entries == [("password.changed", "installation", "first@example.test")]
