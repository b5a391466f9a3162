"""What leaves the organization, and what lets it: licences, consents, overrides."""

import datetime

import pytest
from weighhouse_backend.disclosure.models import PublicationOverride
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.disclosure.policed import REASON

CELL = {"workload": "balanced", "load_level": "4 clients"}
CONSENT = {
    "system_id": "redis", "edition_id": "enterprise", "given_by": "Eve Example, VP Legal",
    "covers": "throughput and latency of this campaign", "given_on": "2026-11-20",
    "document_url": "https://example.test/letter.pdf",
}  # fmt: skip


@pytest.fixture
def ask(laboratory):
    def asked(path, headers=None, **parameters):
        return laboratory.client.get(
            f"/api/v1{path}", params=parameters, headers=headers or laboratory.headers
        )

    return asked


@pytest.fixture
def tell(laboratory, people):
    def told(path, role="owner", **body):
        return laboratory.client.post(f"/api/v1{path}", json=body, headers=people[role])

    return told


def audited(ask, action):
    return [one for one in ask("/audit-entries").json()["items"] if one["action"] == action]


def test_what_is_open_may_be_taken_along(ask, campaign):
    side = f"{campaign}~free"
    assert ask("/comparisons", side=[side], audience="public").status_code == 200
    answer = ask("/comparisons/histogram", side=side, **CELL, audience="public", format="hgrm")
    assert answer.status_code == 200
    assert "not for publication" not in answer.text


@pytest.mark.parametrize(("target", "system"), [("paid", "redis"), ("closed", "memcached")])
def test_what_is_not_is_refused_with_its_reason(ask, campaign, target, system):
    refused = ask("/comparisons", side=[f"{campaign}~{target}"], audience="public")
    assert refused.status_code == 403
    problem = refused.json()
    assert problem["type"] == "/docs/problems/publication-refused"
    (error,) = problem["errors"]
    assert error["path"] == system
    assert "the clause of" in error["message"]
    assert error["expected"]


def test_the_house_gets_it_with_a_stamp(ask, campaign):
    side = f"{campaign}~closed"
    for form in ("hgrm", "hlog"):
        text = ask("/comparisons/histogram", side=side, **CELL, format=form).text
        assert "# not for publication: Memcached, Shut: its licence forbids" in text
    read = ask("/comparisons/histogram", side=side, **CELL).json()
    assert read["stamp"].startswith("not for publication: Memcached")
    by_title = {one["title"]: one["severity"] for one in read["caveats"]}
    assert by_title["Memcached: not for publication"] == "bar"


def test_a_run_a_campaign_and_a_gate_ask_too(ask, campaign):
    runs = ask("/runs", campaign_id=campaign).json()["items"]
    by_target = {one["cell"]["target"]: one["id"] for one in runs}
    assert ask(f"/runs/{by_target['free']}", audience="public").status_code == 200
    for path in ("", "/series", "/spectrum", "/heatmap", "/histogram"):
        answer = ask(f"/runs/{by_target['closed']}{path}", audience="others")
        assert answer.status_code == 403, path
    assert ask(f"/campaigns/{campaign}", audience="public").status_code == 403
    assert ask(f"/campaigns/{campaign}/gate", audience="public").status_code == 403


def test_the_sheet_says_who_may_publish_what(ask, campaign):
    read = ask(f"/campaigns/{campaign}/disclosure").json()
    outcomes = {one["edition_id"]: one["outcome"] for one in read["sheet"]["decisions"]}
    assert outcomes == {
        "community": "allowed", "enterprise": "needs_consent", "shut": "prohibited",
    }  # fmt: skip
    assert read["stamp"].startswith("not for publication: ")
    assert read["sheet"]["basis"] == "measured"
    by_section = {one["id"]: one for one in read["sheet"]["sections"]}
    assert by_section["who"]["answered"] == 0
    assert by_section["how"]["answered"] > 0
    assert 0 < read["sheet"]["completeness"] < 1
    plugins = {one["value"] for one in read["sheet"]["items"] if one["label"].endswith(", plugin")}
    assert plugins == {"redis 0.1.9", "not known"}, "what took part, not what speaks for it now"
    drivers = {one["value"] for one in read["sheet"]["items"] if one["label"].endswith(", driver")}
    assert drivers == {"resp 0.2.0"}
    # The comparison of the same sides counts the same.
    comparison = ask("/comparisons", campaign=campaign).json()
    assert comparison["disclosure"]["completeness"] == read["sheet"]["completeness"]


def test_a_consent_lets_it_out_until_it_is_withdrawn(ask, tell, campaign):
    side = f"{campaign}~paid"
    path = f"/campaigns/{campaign}/consents"
    assert tell(path, "member", **CONSENT).status_code == 403
    assert tell(path, **{**CONSENT, "system_id": "rocksdb"}).status_code == 422
    made = tell(path, "maintainer", **CONSENT)
    assert made.status_code == 201, made.text
    assert ask("/comparisons", side=[side], audience="public").status_code == 200
    (decision,) = [
        one
        for one in ask(f"/campaigns/{campaign}/disclosure").json()["sheet"]["decisions"]
        if one["edition_id"] == "enterprise"
    ]
    assert "consent by Eve Example" in decision["reason"]
    assert audited(ask, "publication_consent.recorded")[0]["actor"] == "as maintainer"
    consent_id = made.json()["id"]
    assert tell(f"/consents/{consent_id}/withdraw", "member").status_code == 403
    assert tell(f"/consents/{consent_id}/withdraw", "maintainer").status_code == 200
    assert ask("/comparisons", side=[side], audience="public").status_code == 403
    assert audited(ask, "publication_consent.withdrawn")


def test_an_owners_override_lets_it_out_and_is_seen(laboratory, ask, tell, campaign):
    side = f"{campaign}~closed"
    path = f"/campaigns/{campaign}/overrides"
    body = {"system_id": "memcached", "audience": "others", "reason": REASON, "days": 7}
    assert tell(path, "maintainer", **body).status_code == 403
    assert tell(path, **{**body, "reason": "because"}).status_code == 422
    made = tell(path, **body)
    assert made.status_code == 201, made.text
    assert tell(path, **body).status_code == 409
    assert ask("/comparisons", side=[side], audience="others").status_code == 200
    assert ask("/comparisons", side=[side], audience="public").status_code == 403
    wider = tell(path, **{**body, "audience": "public"})
    text = ask("/comparisons/histogram", side=side, **CELL, audience="public", format="hgrm").text
    assert f"override by test: {REASON}" not in text  # the statement has its own words
    assert "Memcached: override by test" in text
    assert REASON in text
    assert "not for publication" not in text
    (entry, *_) = audited(ask, "publication_override.made")
    assert (entry["details"]["reason"], entry["details"]["campaign_id"]) == (REASON, campaign)
    # It ends by itself, and by an owner's word.
    with unit_of_work(laboratory.sessions) as session:
        row = session.get_one(PublicationOverride, wider.json()["id"])
        row.expires_at = datetime.datetime.now(datetime.UTC)
    assert ask("/comparisons", side=[side], audience="public").status_code == 403
    assert tell(f"/overrides/{made.json()['id']}/end", "maintainer").status_code == 403
    assert tell(f"/overrides/{made.json()['id']}/end").status_code == 200
    assert ask("/comparisons", side=[side], audience="others").status_code == 403
    kept = ask(f"/campaigns/{campaign}/disclosure").json()["overrides"]
    assert [one["ended_by"] for one in kept] == ["test", None]
