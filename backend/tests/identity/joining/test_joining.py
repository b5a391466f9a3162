"""People join by their address: who asks gets an invitation, and nobody learns from asking."""

import datetime
import threading

import pytest
from sqlalchemy import event, select, update
from weighhouse_backend.identity.models import Invitation
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership import join_requests
from weighhouse_backend.membership.domain_models import JoiningAsk, JoiningDomain
from weighhouse_backend.membership.join_requests import ASKS_OF_NETWORK, LETTERS_A_DAY

from backend.tests.identity.joining.house import slug
from backend.tests.identity.joining.test_domains import waits_for_a_lock
from backend.tests.identity.test_people import CSRF, sign_in

ASK = "/api/v1/joining"


def test_only_addresses_of_the_very_domain_are_invited(house, tenants):
    house.verified()
    house.of(tenants[1]).verified()
    for email in (
        "a@sub.quokka.test", "a@quokka.test.evil.test", "quokka.test@evil.test",
        "a@quo\N{KELVIN SIGN}ka.test",
    ):  # fmt: skip
        house.asks(email)
    assert house.invitations() == []
    house.asks("a@quokka.test")
    into = {row.organization_id for row in house.invitations()}
    assert into == {one.organization_id for one in tenants}


@pytest.mark.parametrize(
    "email",
    [
        "=?utf-8?q?attacker=40evil.test=2C?=foo@quokka.test", "root,mia@quokka.test",
        "a;b@quokka.test", "a<b>c@quokka.test", "attacker%evil.test@quokka.test",
        '"a b"@quokka.test', "mia@quokka.test\n",
    ],
)  # fmt: skip
def test_an_address_that_could_mean_others_asks_for_nothing(house, client, email):
    house.verified()
    client.cookies.clear()
    assert client.post(ASK, json={"email": email}).status_code == 422
    house.answered()
    assert house.invitations() == []


def test_asking_takes_the_same_whether_or_not_there_is_anything_to_join(house, client, engine):
    house.verified()
    client.cookies.clear()
    costs = []
    for email in ("mia@quokka.test", "mia@nobody.test"):
        said = []

        def keep(_connection, _cursor, statement, *_, said=said):
            said.append(statement)

        event.listen(engine, "before_cursor_execute", keep)
        answer = client.post(ASK, json={"email": email})
        event.remove(engine, "before_cursor_execute", keep)
        costs.append((answer.status_code, answer.content, said))
    assert costs[0] == costs[1]
    assert house.invitations() == [], "who gets one is worked out by the worker"
    jobs = house.answered()
    assert [name for name, _ in jobs] == ["identity.mail_invitation"]
    assert house.answered() == [], "once"


def test_nobodys_postbox_is_filled(house, monkeypatch):
    house.verified()
    for _ in range(LETTERS_A_DAY + 2):
        house.asks("bo@quokka.test")
    assert len(house.invitations()) == LETTERS_A_DAY
    assert house.holding() == [("bo@quokka.test", "quokka.test")], "the last one holds"
    monkeypatch.setattr(join_requests, "LETTERS_OF_DOMAIN", LETTERS_A_DAY + 1)
    for name in ("cleo", "dan"):
        house.asks(f"{name}@quokka.test")
    assert len(house.invitations()) == LETTERS_A_DAY + 1, "nor all of a company's"


def test_an_owner_is_told_how_many_letters_went_out(house):
    house.verified()
    house.asks("bo@quokka.test")
    (listed,) = house.listed()
    assert (listed["letters_today"], listed["letters_at_most"]) == (1, 200)
    house.removed(listed["id"])
    assert house.added()["letters_today"] == 1, "removing it makes no room"


def test_one_network_does_not_use_up_what_a_domain_may_get(house, client, session_factory):
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(session_factory) as session:
        for at in range(ASKS_OF_NETWORK):
            session.add(JoiningAsk(email=f"a{at}@b.test", address="testclient", at=now))
    refused = client.post(ASK, json={"email": "mia@quokka.test"})
    assert (refused.status_code, slug(refused)) == (429, "too-many-requests")
    assert int(refused.headers["Retry-After"]) > 86_000
    with unit_of_work(session_factory) as session:
        session.execute(update(JoiningAsk).values(address="elsewhere"))
    assert client.post(ASK, json={"email": "mia@quokka.test"}).status_code == 202


def test_askings_are_forgotten_after_a_day(house, session_factory):
    house.asks("mia@quokka.test")
    with unit_of_work(session_factory) as session:
        session.execute(update(JoiningAsk).values(at=JoiningAsk.at - datetime.timedelta(days=1)))
    house.answered()
    with unit_of_work(session_factory) as session:
        assert session.scalars(select(JoiningAsk)).all() == []


def test_a_stranger_ends_no_invitation_by_an_owner(house, session_factory):
    house.verified(role="guest")
    house.post("/api/v1/invitations", {"email": "Mia@quokka.test", "role": "maintainer"})
    house.asks("mia@quokka.test")
    assert house.holding() == [("Mia@quokka.test", "ours")]
    for hours, sent in ((1, []), (9, ["identity.mail_invitation"])):
        with unit_of_work(session_factory) as session:
            at = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=hours)
            session.execute(update(Invitation).values(mailed_at=at))
            session.execute(update(JoiningAsk).values(answered_at=None))
        assert [name for name, _ in house.answered()] == sent, "its letter goes again"
    assert house.holding() == [("Mia@quokka.test", "ours")]


def test_who_joins_leaves_no_other_invitation_behind(house, session_factory):
    house.verified()
    house.asks("mia@quokka.test")
    (first,) = house.invitations()
    with unit_of_work(session_factory) as session:
        other = Invitation(
            organization_id=first.organization_id, email="MIA@quokka.test", role="owner",
            invited_by="somebody", created_at=first.created_at, expires_at=first.expires_at,
        )  # fmt: skip
        session.add(other)
    assert house.joins(first).status_code == 201
    assert house.holding() == []


def test_who_is_removed_is_not_brought_back_by_an_invitation(house, client, session_factory):
    house.verified()
    house.asks("mia@quokka.test")
    (first,) = house.invitations()
    mia = house.joins(first).json()["id"]
    with unit_of_work(session_factory) as session:
        left = Invitation(
            organization_id=first.organization_id, email="MIA@quokka.test", role="owner",
            invited_by="somebody", created_at=first.created_at, expires_at=first.expires_at,
        )  # fmt: skip
        session.add(left)
    sign_in(client, house.tenant.email)
    params = {"project_id": str(house.tenant.project_id)}
    gone = client.delete(f"/api/v1/members/{mia}", params=params, headers=CSRF)
    assert gone.status_code == 204, gone.text
    assert house.holding() == []
    assert slug(house.joins(left)) == "link-invalid"


def test_nobody_is_invited_by_a_domain_that_goes_meanwhile(house, client, session_factory):
    made = house.verified()
    client.cookies.clear()
    assert client.post(ASK, json={"email": "mia@quokka.test"}).status_code == 202
    with unit_of_work(session_factory) as session:
        join_requests.IdentityRepository(session).lock_organization(house.tenant.organization_id)
        answering = threading.Thread(target=house.answered)
        answering.start()
        waits_for_a_lock(session_factory)
        session.delete(session.get(JoiningDomain, made["id"]))
    answering.join()
    assert house.invitations() == []
