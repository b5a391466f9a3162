"""Links to what is shared: who sees what over them, and when they open nothing."""

import datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.tenancy import confine_to_shared
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sharing import links
from weighhouse_backend.sharing.models import Share

from backend.tests.conftest import PASSWORD

SECRET = b"a secret of the installation"
FIGURES = ("/comparison", "/answer", "/scaling")


def without_failures(comparison):
    for cell in comparison["cells"]:
        for run in cell["failed_runs"]:
            run["failure"] = None
    return comparison


def test_a_stranger_sees_what_members_see(share, visit, call, campaign, series):
    made = share(campaign_id=campaign, title="Redis, <b>both</b>")
    about = visit("", made["url"])
    assert about.status_code == 200, about.text
    assert about.json()["title"] == "Redis, <b>both</b>"
    assert about.json()["organization"] == "Ours"
    assert about.json()["shows"] == made["shows"], "both ends are told what it shows"
    inside = call("GET", "/comparisons", "viewer", campaign=campaign).json()
    assert visit("/comparison", made["url"]).json() == without_failures(inside)
    read = call("GET", "/comparisons/answer", "viewer", campaign=campaign).json()
    assert visit("/answer", made["url"]).json() == read
    assert visit("/scaling", made["url"]).status_code == 200
    assert made["qr_code"].startswith("data:image/svg+xml")
    seen = call("GET", "/shares", project_id=about_project(call)).json()["items"]
    assert next(one for one in seen if one["id"] == made["id"])["seen_count"] == 1

    over_time = share(series_id=series)
    told = visit("/series", over_time["url"]).json()
    assert [one["value"] for one in told["points"]]
    assert not any(one["git"] or one["place"] for one in told["points"])
    assert visit("/comparison", over_time["url"]).status_code == 422


def about_project(call):
    return call("GET", "/projects").json()["items"][0]["id"]


def test_a_comparison_is_shared_as_it_is_asked(share, visit, campaign):
    sides = [f"{campaign}~kept", f"{campaign}~free"]
    made = share(comparison={"side": sides, "baseline": 1})
    read = visit("/comparison", made["url"]).json()
    assert [side["key"] for side in read["sides"]] == sides
    assert read["baseline"] == 1


def test_all_that_opens_nothing_has_one_answer(share, visit, call, campaign, settings):
    ended, revoked = share(campaign_id=campaign), share(campaign_id=campaign)
    now = datetime.datetime.now(datetime.UTC)
    call("POST", f"/shares/{revoked['id']}/revoke")
    later = now + datetime.timedelta(days=1)
    past = links.LINK.signed(SECRET, UUID(ended["id"]), now - datetime.timedelta(seconds=1))
    tokens = {
        "guessed": "whl_guessed",
        "another kind's": "whv_" + revoked["url"].rpartition("#whl_")[2],
        "ended": past,
        "forged": links.LINK.signed(b"another secret of somebody", uuid4(), later),
        "of nothing": links.LINK.signed(SECRET, uuid4(), later),
        "revoked": revoked["url"].rpartition("#")[2],
    }
    answers = set()
    for token in tokens.values():
        for path in ("", *FIGURES, "/series"):
            answer = visit(path, f"#{token}")
            assert answer.status_code == 404
            answers.add((answer.json()["type"], answer.json()["detail"]))
    assert len(answers) == 1, answers


def test_each_token_is_looked_for_alike(share, visit, campaign, client, monkeypatch):
    """No work tells a guessed token from one that was signed."""
    del client
    asked = []
    found = links.LinkKind.read
    monkeypatch.setattr(
        links.LinkKind, "read", lambda *arguments: asked.append(1) or found(*arguments)
    )
    counts = []
    for url in (share(campaign_id=campaign)["url"], "#whl_guessed", "#"):
        asked.clear()
        visit("", url if url != "#" else "#whl_")
        counts.append(len(asked))
    assert set(counts) == {2}


def test_what_was_revoked_is_gone_for_who_has_it(share, visit, call, client, campaign):
    made = share(campaign_id=campaign)
    first = visit("/comparison", made["url"])
    assert first.headers["Cache-Control"] == "private, no-cache"
    headers = {
        "Authorization": f"Bearer {made['url'].rpartition('#')[2]}",
        "If-None-Match": first.headers["ETag"],
    }
    again = client.get("/api/v1/shared/comparison", headers=headers)
    assert again.status_code == 304
    revoked = call("POST", f"/shares/{made['id']}/revoke", "member")
    assert revoked.json()["state"] == "revoked"
    assert revoked.json()["url"] is None
    assert call("POST", f"/shares/{made['id']}/revoke").status_code == 200, "repeatable"
    gone = client.get("/api/v1/shared/comparison", headers=headers)
    assert gone.status_code == 404
    assert gone.headers["Cache-Control"] == "no-store"


def test_a_password_is_asked_for_and_not_guessed(share, visit, client, campaign):
    made = share(campaign_id=campaign, password="correct horse")
    assert made["has_password"]
    assert "correct horse" not in str(made)
    locked = visit("/comparison", made["url"])
    assert locked.status_code == 403
    assert locked.json()["type"] == "/docs/problems/link-locked"
    headers = {"Authorization": f"Bearer {made['url'].rpartition('#')[2]}"}

    def say(password):
        return client.post("/api/v1/shared/password", json={"password": password}, headers=headers)

    assert say("battery staple").status_code == 403
    opened = say("correct horse")
    assert opened.status_code == 200, opened.text
    token = opened.json()["token"]
    assert visit("/comparison", f"#{token}").status_code == 200
    for _ in range(9):
        assert say("wrong again").status_code == 403
    assert say("correct horse").status_code == 429
    assert visit("/comparison", f"#{token}").status_code == 200, "who is in stays in"


def test_members_of_the_organization_alone(share, visit, client, campaign, tenants):
    made = share(campaign_id=campaign, visibility="organization")
    assert visit("/comparison", made["url"]).status_code == 403
    headers = {"Authorization": f"Bearer {made['url'].rpartition('#')[2]}"}
    for tenant, status in zip(tenants, (200, 403), strict=True):
        client.cookies.clear()
        signed = client.post("/api/v1/sessions", json={"email": tenant.email, "password": PASSWORD})
        assert signed.is_success, signed.text
        answer = client.get("/api/v1/shared/comparison", headers=headers)
        assert answer.status_code == status, answer.text
    client.cookies.clear()


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({}, "campaign_id"),
        ({"campaign_id": "{campaign}", "series_id": "{campaign}"}, "campaign_id"),
        ({"campaign_id": "{campaign}", "days": None}, "days"),
        ({"campaign_id": "{campaign}", "visibility": "public", "password": "long enough"},
         "password"),
        ({"campaign_id": "{campaign}", "password": "short"}, "password"),
        ({"campaign_id": "{campaign}", "days": 400}, "days"),
        ({"campaign_id": "{campaign}", "title": "two\nlines"}, "title"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(call, campaign, wanted, field):
    body = {name: campaign if one == "{campaign}" else one for name, one in wanted.items()}
    made = call("POST", "/shares", **{"title": "Ours", **body})
    assert made.status_code == 422, made.text
    assert field in made.json()["errors"][0]["path"]


def test_who_may_share(call, campaign):
    def asked(who, **more):
        return call("POST", "/shares", who, title="T", campaign_id=campaign, **more).status_code

    assert asked("viewer") == 403
    assert asked("member") == 201
    assert asked("member", visibility="public") == 403
    assert asked("maintainer", visibility="public") == 201
    assert call("POST", "/shares", title="T", campaign_id=str(uuid4())).status_code == 404


def test_what_is_shared_stands_in_the_audit_log(share, call, campaign):
    made = share(campaign_id=campaign, title="For the log")
    call("POST", f"/shares/{made['id']}/revoke")
    entries = call("GET", "/audit-entries", text="For the log").json()["items"]
    assert [one["action"] for one in entries] == ["share.revoked", "share.made"]
    assert made["url"].rpartition("#")[2] not in str(entries)
    listed = call("GET", "/shares", "viewer", project_id=about_project(call)).json()["items"]
    row = next(one for one in listed if one["id"] == made["id"])
    assert row["made_by"]
    assert row["revoked_by"]
    assert all(one["url"] is None for one in listed if one["visibility"] != "public")


def test_a_campaign_that_is_shared_is_not_removed_unseen(share, call, campaign):
    share(campaign_id=campaign)
    told = call("GET", f"/campaigns/{campaign}/keeping").json()
    assert "it is shared as" in told["passed_over_because"]
    assert any("it is shared as" in one for one in told["held_because"])


def test_the_database_shows_strangers_nothing_else(session_factory, tenants, campaign, closed):
    ours, theirs = tenants[0].project_id, tenants[1].project_id
    with unit_of_work(session_factory) as session:
        confine_to_shared(session, uuid4(), ours, [UUID(campaign)])
        for table in ("campaigns", "runs", "cells", "run_summaries", "run_records", "findings"):
            session.execute(text(f"SELECT count(*) FROM {table}"))
        seen = session.scalars(text("SELECT id FROM campaigns")).all()
        assert seen == [UUID(campaign)]
        assert UUID(closed) not in seen
        runs = session.scalars(text("SELECT DISTINCT campaign_id FROM runs")).all()
        assert runs == [UUID(campaign)]
        stood = session.scalar(
            text("SELECT count(*) FROM run_summaries WHERE attempt_id NOT IN"
                 " (SELECT id FROM attempts)")
        )  # fmt: skip
        assert stood == 0
    with unit_of_work(session_factory) as session:
        confine_to_shared(session, uuid4(), theirs, [UUID(campaign)])
        assert session.scalars(text("SELECT id FROM campaigns")).all() == []
    for statement in (
        "SELECT count(*) FROM users", "SELECT count(*) FROM shares", "SELECT 1 FROM run_logs",
        "SELECT 1 FROM artifacts", "SELECT 1 FROM agents", "SELECT 1 FROM annotations",
        "SELECT details FROM alerts", "SELECT 1 FROM price_sheets",
        "UPDATE campaigns SET release = 'x'", "DELETE FROM runs",
    ):  # fmt: skip
        with pytest.raises(ProgrammingError, match="permission denied"):
            _as_stranger(session_factory, ours, campaign, statement)


def _as_stranger(session_factory, project_id, campaign, statement):
    with unit_of_work(session_factory) as session:
        confine_to_shared(session, uuid4(), project_id, [UUID(campaign)])
        session.execute(text(statement))


def test_a_row_without_an_end_is_public_or_none(session_factory, tenants, campaign):
    row = Share(
        id=new_id(), project_id=tenants[0].project_id, kind="campaign",
        campaign_id=UUID(campaign), visibility="link", title="T", made_by="test",
        created_at=datetime.datetime.now(datetime.UTC),
    )  # fmt: skip
    with pytest.raises(Exception, match="ck_shares_ends"), unit_of_work(session_factory) as session:
        session.add(row)
