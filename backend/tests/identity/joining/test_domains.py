"""A domain is an organization's once its keepers said so, as it was asked last."""

import datetime
import re
import threading

import pytest
from sqlalchemy import select, text, update
from weighhouse_backend.identity.models import AuditEntry
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.domain_models import DomainAsking, JoiningDomain
from weighhouse_backend.membership.domains import ASKINGS_A_DAY

from backend.tests.identity.joining.house import AT, LINK, slug
from backend.tests.identity.test_people import CSRF, sign_in


def test_keepers_are_asked_by_mail_and_nobody_joins_before(house, client, session_factory):
    made = house.added("Quokka.Test", role="member", mailbox="hostmaster")
    assert (made["domain"], made["verified_at"]) == ("quokka.test", None)
    house.asks("mia@quokka.test")
    assert house.invitations() == []
    (letter,) = house.letter(made["id"])
    assert letter.to == "hostmaster@quokka.test"
    (found,) = re.findall(r"http\S+", letter.text)
    assert house.letter(made["id"]) == [], "once"
    link = {"Authorization": f"Bearer {found.partition('#')[2]}"}
    opened = client.get(LINK, headers=link)
    assert opened.json() == {
        "domain": "quokka.test", "organization": "Ours", "role": "member", "verified": False,
    }  # fmt: skip
    house.asks("mia@quokka.test")
    assert house.invitations() == [], "who only opens it has said nothing"
    assert client.post(LINK, headers=link).json()["verified"] is True
    assert client.post(LINK, headers=link).json()["verified"] is True
    house.asks("Mia@Quokka.test")
    (row,) = house.invitations()
    assert (row.email, row.role, row.invited_by) == ("Mia@Quokka.test", "member", "quokka.test")
    with unit_of_work(session_factory) as session:
        told = select(AuditEntry.action, AuditEntry.actor).where(
            AuditEntry.project_id == house.tenant.project_id, AuditEntry.action.like("%domain%")
        )
        assert session.execute(told.order_by(AuditEntry.id)).all()[-3:] == [
            ("domain.asked", "ours"), ("domain.verified", "hostmaster@quokka.test"),
            ("invitation.by_domain", "quokka.test"),
        ]  # fmt: skip
    assert house.joins(row).status_code == 201
    house.asks("mia@quokka.test")
    assert len(house.invitations()) == 1, "who is in is not invited"


def test_a_domain_that_is_asked_anew_or_removed_lets_nobody_in(house, tenants):
    made = house.verified()
    again = house.added(mailbox="admin")
    assert (again["id"], again["verified_at"]) == (made["id"], None)
    house.asks("mia@quokka.test")
    assert house.invitations() == []
    link = house.link(made["id"])
    assert house.of(tenants[1]).removed(made["id"]).status_code == 404
    assert [one["domain"] for one in house.listed()] == ["quokka.test"]
    assert house.removed(made["id"]).status_code == 204
    assert house.removed(made["id"]).status_code == 404
    assert slug(house.client.get(LINK, headers=link)) == "link-invalid"


def test_a_link_holds_for_the_last_asking_alone(house, client):
    made = house.added(role="guest")
    earlier = house.link(made["id"])
    house.added(role="member")
    for answer in (client.get(LINK, headers=earlier), client.post(LINK, headers=earlier)):
        assert slug(answer) == "link-invalid"
        assert "asked anew" in answer.json()["detail"]
    assert house.listed()[0]["verified_at"] is None
    confirmed = client.post(LINK, headers=house.link(made["id"])).json()
    assert (confirmed["role"], confirmed["verified"]) == ("member", True)


def test_invitations_by_a_domain_end_with_what_let_them_out(house):
    for end in ("removed", "asked anew"):
        made = house.verified()
        house.asks(f"{end[0]}@quokka.test")
        house.post("/api/v1/invitations", {"email": "ann@quokka.test"})
        house.asks("someone@elsewhere.test")
        (waiting,) = [one for one in house.invitations() if one.email == f"{end[0]}@quokka.test"]
        if end == "removed":
            house.removed(made["id"])
        else:
            house.added()
        assert house.holding() == [("ann@quokka.test", "ours")], "an owner's word stays"
        refused = house.joins(waiting)
        assert slug(refused) == "link-invalid"
        assert "taken back" in refused.json()["detail"]


def test_keepers_are_not_asked_without_end(house, session_factory):
    made = [house.added() for _ in range(ASKINGS_A_DAY)][-1]
    house.removed(made["id"])
    refused = house.post(AT, {"domain": "Quokka.test", "mailbox": "admin"})
    assert (refused.status_code, slug(refused)) == (429, "too-many-requests")
    assert "asked 3 times within a day" in refused.json()["detail"]
    assert int(refused.headers["Retry-After"]) > 86_000
    house.added("other.test")
    past = datetime.timedelta(days=1, seconds=5)
    with unit_of_work(session_factory) as session:
        session.execute(update(DomainAsking).values(at=DomainAsking.at - past))
    house.added()


def test_a_confirmation_does_not_outlive_the_asking_it_crosses(house, session_factory, tenants):
    """An owner asks anew in the moment in which the keepers confirm what was asked before."""
    made = house.added(role="guest")
    with unit_of_work(session_factory) as session:
        row = session.get(JoiningDomain, made["id"], with_for_update=True)
        asking = threading.Thread(target=house.added, kwargs={"role": "member"})
        asking.start()
        waits_for_a_lock(session_factory)
        row.verified_at = datetime.datetime.now(datetime.UTC)
    asking.join()
    (listed,) = house.listed()
    assert (listed["role"], listed["verified_at"]) == ("member", None)


def waits_for_a_lock(session_factory):
    """Returns as soon as some transaction of this database waits for another one's end."""
    found = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock'"
    )
    while True:
        with unit_of_work(session_factory) as session:
            if session.scalar(found):
                return


def test_a_link_ends_and_none_is_made_up(house, client, session_factory):
    made = house.added()
    with unit_of_work(session_factory) as session:
        past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=5)
        session.execute(update(JoiningDomain).values(expires_at=past))
    ended = house.link(made["id"])
    for headers in (ended, {"Authorization": "Bearer whd_AAAA"}, {}):
        assert slug(client.post(LINK, headers=headers)) == "link-invalid"
    assert house.letter(made["id"]) == [], "it has ended"


@pytest.mark.parametrize(
    "wrong", ["quokka", "quokka..test", "-a.test", "a b.test", "mia@quokka.test", "192.0.2.7", ""]
)
def test_what_is_no_domain_is_refused(house, wrong):
    assert house.post(AT, {"domain": wrong}).status_code == 422
    assert house.post(AT, {"domain": "quokka.test", "role": "owner"}).status_code == 422


def test_without_mail_it_says_so(house, client, settings):
    client.app.state.settings = settings.model_copy(update={"smtp_host": None})
    try:
        assert slug(house.post(AT, {"domain": "quokka.test"})) == "no-mail"
        assert slug(client.post("/api/v1/joining", json={"email": "a@b.test"})) == "no-mail"
    finally:
        client.app.state.settings = settings


def test_a_viewer_neither_sees_nor_removes_domains(house, client, tenants):
    made = house.added()
    sign_in(client, tenants[1].email)
    params = {"project_id": str(house.tenant.project_id)}
    assert client.get(AT, params=params).status_code == 404
    assert client.delete(f"{AT}/{made['id']}", headers=CSRF).status_code == 404


def test_an_owners_token_of_a_lower_role_decides_nothing(house, client):
    """It has what it was made for, whoever it belongs to."""
    made, invitation = house.added(), house.post("/api/v1/invitations", {"email": "q@quokka.test"})
    wanted = {"name": "t", "role": "viewer", "personal": True}
    token = house.post("/api/v1/api-tokens", wanted).json()["token"]
    client.cookies.clear()
    headers = {"Authorization": f"Bearer {token}"}
    of_invitation = f"/api/v1/invitations/{invitation.json()['id']}"
    for path in (f"{AT}/{made['id']}", of_invitation):
        assert client.delete(path, headers=headers).status_code == 404, path
    people = client.get("/api/v1/members", headers=headers).json()["items"]
    assert {one["second_factor"] for one in people} == {None}, "that is told to owners alone"
    assert house.removed(made["id"]).status_code == 204
    assert client.delete(of_invitation, headers=CSRF).status_code == 204
