"""A vendor's right of reply, by link; and challenges."""

import datetime
import logging
from uuid import UUID, uuid4

import pytest
from weighhouse_backend.disclosure import links
from weighhouse_backend.disclosure.errors import ReplyLinkInvalid
from weighhouse_backend.disclosure.models import ReplyLink, VendorReply
from weighhouse_backend.kit.signed_links import NoSecretKey, secret_of
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.disclosure.policed import REASON
from backend.tests.notices.kept import told

NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
LATER = NOW + datetime.timedelta(days=1)
SECRET = b"a secret of sixteen or more"
SAID = {
    "name": "Val Vendor", "role": "CTO", "text": "You ran it with the **wrong** settings."
}  # fmt: skip


@pytest.fixture
def call(laboratory, people):
    def called(method, path, who="owner", **body):
        headers = people.get(who) or {"Authorization": f"Bearer {who}"}
        json = {"json": body} if method == "POST" else {}
        return laboratory.client.request(method, f"/api/v1{path}", headers=headers, **json)

    return called


@pytest.fixture
def invite(call, campaign):
    def invited(system="memcached", **more):
        body = {"system_id": system, "for_whom": "val@vendor.test", **more}
        made = call("POST", f"/campaigns/{campaign}/reply-links", "maintainer", **body)
        assert made.status_code == 201, made.text
        address, _, token = made.json()["url"].rpartition("#")
        assert address.endswith("/reply")
        return made.json(), token

    return invited


def test_a_link_is_what_was_signed():
    link_id = uuid4()
    token = links.REPLY.signed(SECRET, link_id, LATER)
    assert links.read([SECRET], token, NOW) == link_id
    for wrong in (
        token[:-2], f"{token}A", "", "whv_", "whv_ÿ", token.removeprefix("whv_"),
        f"whv_{'B' if token[4] == 'A' else 'A'}{token[5:]}",
    ):  # fmt: skip
        with pytest.raises(ReplyLinkInvalid):
            links.read([SECRET], wrong, NOW)
    other = b"another secret altogether"
    assert links.read([other, SECRET], token, NOW) == link_id, "a former secret's links hold"
    with pytest.raises(ReplyLinkInvalid):
        links.read([other], token, NOW)
    with pytest.raises(ReplyLinkInvalid, match="has ended"):
        links.read([SECRET], token, LATER)


def test_without_a_secret_there_are_no_links(settings, tmp_path):
    none = settings.model_copy(update={"secret_key": None})
    with pytest.raises(NoSecretKey):
        secret_of(none)
    short = tmp_path / "key"
    short.write_text("short\n")
    with pytest.raises(NoSecretKey):
        secret_of(none.model_copy(update={"secret_key_file": short}))
    short.write_text("long enough to sign with\n")
    kept = none.model_copy(update={"secret_key_file": short})
    assert secret_of(kept) == b"long enough to sign with"


def test_a_vendor_sees_its_own_figures_and_replies(
    call, invite, campaign, caplog, laboratory, tenants
):
    caplog.set_level(logging.DEBUG)
    _, token = invite()
    page = call("GET", "/reply", token)
    assert page.status_code == 200, page.text
    shown = page.json()
    assert [one["label"] for one in shown["targets"]] == ["Memcached"]
    assert {one["target"] for one in shown["cells"]} == {f"{campaign}~closed"}
    assert shown["cells"][0]["throughput"]["median"] > 0
    assert any(one["label"] == "repeats" for one in shown["disclosure"])
    assert "free" not in page.text
    assert "Redis" not in page.text

    said = call("POST", "/reply", token, **SAID)
    assert said.status_code == 201, said.text
    assert said.json()["version"] == 1
    again = call("POST", "/reply", token, **{**SAID, "text": "You ran it with wrong settings."})
    assert again.json()["version"] == 2
    heard = told(laboratory.sessions, tenants[0].project_id)
    assert heard.count(("reply", "Val Vendor replied for memcached")) == 2

    comparison = call("GET", f"/comparisons?campaign={campaign}").json()
    (reply,) = [one for one in comparison["caveats"] if "vendor-reply" in one["id"]]
    assert reply["text"] == "You ran it with wrong settings."
    assert reply["sides"] == [f"{campaign}~closed"]
    assert "Val Vendor, CTO" in str(reply)
    gate = call("GET", f"/campaigns/{campaign}/gate").json()
    assert reply["id"] in {one["id"] for one in gate["caveats"]}
    text = call(
        "GET",
        f"/comparisons/histogram?side={campaign}~closed&workload=balanced"
        "&load_level=4%20clients&format=hgrm",
    ).text
    assert "its vendor replies: You ran it with wrong settings." in text
    # Beside figures of others it does not stand.
    other = call("GET", f"/comparisons?side={campaign}~free").json()
    assert "vendor-reply" not in str(other["caveats"])
    assert token not in caplog.text
    assert token not in call("GET", "/audit-entries").text


def test_a_withdrawn_reply_leaves_a_mark(call, invite, campaign):
    _, token = invite("redis")
    made = call("POST", "/reply", token, **SAID).json()
    path = f"/vendor-replies/{made['id']}/withdraw"
    assert call("POST", path, "member", reason=REASON).status_code == 403
    withdrawn = call("POST", path, "maintainer", reason=REASON)
    assert withdrawn.json()["text"] is None
    assert call("POST", path, "maintainer", reason=REASON).status_code == 409
    said = call("GET", f"/comparisons?campaign={campaign}").json()["caveats"]
    (mark,) = [one for one in said if "redis-vendor-reply" in one["id"]]
    assert REASON in mark["text"]
    assert SAID["text"] not in str(said)
    actions = {one["action"] for one in call("GET", "/audit-entries").json()["items"]}
    assert {"reply_link.made", "vendor_reply.given", "vendor_reply.withdrawn"} <= actions


def test_a_link_opens_nothing_else(call, invite, campaign):
    made, token = invite()
    assert call("GET", f"/campaigns/{campaign}", token).status_code == 401
    assert call("GET", f"/campaigns/{campaign}/disclosure", token).status_code == 401
    assert call("POST", "/reply", token, **{**SAID, "text": "x"}).status_code == 422
    assert call("POST", "/reply", token, **{**SAID, "text": "x" * 8001}).status_code == 422
    assert call("GET", "/reply", token + "A").status_code == 404
    assert call("POST", f"/reply-links/{made['id']}/revoke", "member").status_code == 403
    assert call("POST", f"/reply-links/{made['id']}/revoke", "maintainer").status_code == 200
    gone = call("GET", "/reply", token)
    assert gone.json()["type"] == "/docs/problems/reply-link-invalid"
    assert call("POST", "/reply", token, **SAID).status_code == 404


def test_a_link_ends(laboratory, call, invite):
    made, token = invite(days=1)
    with unit_of_work(laboratory.sessions) as session:
        row = session.get_one(ReplyLink, UUID(made["id"]))
        row.expires_at = datetime.datetime.now(datetime.UTC)
    assert call("GET", "/reply", token).status_code == 404


def test_links_are_shown_to_maintainers_alone(call, campaign):
    for who, some in (("viewer", False), ("maintainer", True)):
        read = call("GET", f"/campaigns/{campaign}/disclosure", who).json()
        assert bool(read["links"]) == some
        assert "whv_" not in str(read)


def test_a_vendor_who_replies_without_end_waits(laboratory, call, invite):
    made, token = invite()
    for _ in range(5):
        assert call("POST", "/reply", token, **SAID).status_code == 201
    assert call("POST", "/reply", token, **SAID).status_code == 429
    with unit_of_work(laboratory.sessions) as session:
        rows = session.query(VendorReply).filter_by(link_id=UUID(made["id"])).all()
        for row in rows:
            row.created_at -= datetime.timedelta(hours=2)
    assert call("POST", "/reply", token, **SAID).status_code == 201


def test_a_challenge_goes_its_way(call, campaign, laboratory, tenants):
    path = f"/campaigns/{campaign}/challenges"
    text = "The client was the bottleneck, see the driver's processor."
    raised = call("POST", path, "viewer", text=text, system_id="memcached").json()
    assert raised["state"] == "open"
    place = f"/challenges/{raised['id']}"

    def statement():
        said = call("GET", f"/comparisons?campaign={campaign}").json()["caveats"]
        return next((one for one in said if f"challenge-{raised['id']}" in one["id"]), None)

    assert statement()["severity"] == "caution"
    assert call("POST", f"{place}/answer", "viewer", answer=REASON).status_code == 403
    answered = call("POST", f"{place}/answer", "member", answer=REASON).json()
    assert (answered["state"], answered["answered_by"]) == ("answered", "as member")
    decide = {"state": "upheld", "reason": "It was; the run is repeated on two machines."}
    assert call("POST", f"{place}/decide", "member", **decide).status_code == 403
    assert call("POST", f"{place}/withdraw", "owner").status_code == 403
    assert call("POST", f"{place}/decide", "maintainer", **decide).json()["state"] == "upheld"
    marked = statement()
    assert (marked["title"], marked["severity"]) == ("Memcached: challenged, and upheld", "bar")
    assert call("POST", f"{place}/answer", "member", answer=REASON).status_code == 409
    actions = {one["action"] for one in call("GET", "/audit-entries").json()["items"]}
    assert {"challenge.raised", "challenge.answered", "challenge.upheld"} <= actions
    heard = told(laboratory.sessions, tenants[0].project_id)
    assert [title for kind, title in heard if kind == "challenge"] == [
        "as viewer challenges a result of memcached",
        "as member answered a challenge of memcached",
        "as maintainer upheld a challenge of memcached",
    ]


def test_whoever_raised_it_may_take_it_back(call, campaign):
    path = f"/campaigns/{campaign}/challenges"
    raised = call("POST", path, "viewer", text="I had not read the whole page.").json()
    gone = call("POST", f"/challenges/{raised['id']}/withdraw", "viewer")
    assert gone.json()["state"] == "withdrawn"
    said = call("GET", f"/comparisons?campaign={campaign}").json()["caveats"]
    assert f"challenge-{raised['id']}" not in str(said)
