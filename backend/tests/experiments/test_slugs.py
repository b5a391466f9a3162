"""A slug that several projects of a person have."""

import datetime

from weighhouse_backend.identity.cookie_names import SESSION
from weighhouse_backend.identity.models import LoginSession, Membership
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.unit_of_work import unit_of_work

from .test_endpoints import client, create

__all__ = ["client"]


def test_a_slug_of_two_projects_is_said_to_be_one(client, tenants, session_factory) -> None:
    """A person in two organizations means one of two; what others have is none of theirs."""
    mine, other = tenants
    made = create(client, mine.headers, "shared")
    theirs = create(client, other.headers, "shared")
    place = {"organization_id": other.organization_id, "user_id": mine.user_id}
    now, cookie = datetime.datetime.now(datetime.UTC), new_token("s")
    with unit_of_work(session_factory) as session:
        session.add(
            LoginSession(
                user_id=mine.user_id, token_hash=token_hash(cookie), created_at=now,
                last_used_at=now,
            )
        )  # fmt: skip
    headers = {"Cookie": f"{SESSION}={cookie}"}

    alone = client.get("/api/v1/experiments/shared", headers=headers)
    assert alone.json()["id"] == made["id"], "another organization's does not count"
    with unit_of_work(session_factory) as session:
        session.add(Membership(**place, role="viewer", created_at=now))
    unclear = client.get("/api/v1/experiments/shared", headers=headers)
    assert unclear.status_code == 422, unclear.text
    assert unclear.json()["type"].endswith("/experiment-unclear")
    (field,) = unclear.json()["errors"]
    assert field["path"] == "project_id"
    for each, project_id in ((made, mine.project_id), (theirs, other.project_id)):
        assert str(project_id) in field["expected"]
        named = {"project_id": str(project_id)}
        found = client.get("/api/v1/experiments/shared", params=named, headers=headers)
        assert found.json()["id"] == each["id"]
    with unit_of_work(session_factory) as session:
        session.delete(session.get_one(Membership, tuple(place.values())))
