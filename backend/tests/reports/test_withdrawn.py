"""What is gone, may not be shown, or is another's, is withdrawn with its reason: everywhere."""

from uuid import uuid4

import pytest

from backend.tests.disclosure.policed import REASON
from backend.tests.reports.test_reports import body_of, words

FIGURE = "{{ours.throughput(closed; balanced; 4 clients)}}"
ALLOWED = "{{ours.throughput(free; balanced; 4 clients)}}"


def test_what_may_not_be_published_is_withdrawn_in_page_file_and_edition(call, report, closed):
    override = call(
        "POST", f"/campaigns/{closed}/overrides",
        json={"system_id": "memcached", "audience": "others", "reason": REASON},
    ).json()  # fmt: skip
    made = report({"name": "ours", "campaign_id": closed}, audience="others")
    text = f"One: {FIGURE}\n\nAnother: {ALLOWED}\n\n{{{{ours.table(throughput)}}}}"
    saved = call(
        "PUT", f"/reports/{made['id']}", {"If-Match": '"1"'}, json=body_of(made, text=text)
    )
    report_id = saved.json()["id"]
    before = [one for one in saved.json()["document"]["withdrawn"] if "closed" in one]
    assert before == [], "an override allows it"
    call("POST", f"/reports/{report_id}/editions")
    assert call("POST", f"/overrides/{override['id']}/end").is_success
    seen = [
        words(call("GET", f"/reports/{report_id}").json()["document"]["nodes"]),
        words(call("GET", f"/reports/{report_id}/editions/1").json()["document"]["nodes"]),
        call("GET", f"/reports/{report_id}/file", params={"form": "html"}).text,
        call("GET", f"/reports/{report_id}/file", params={"form": "markdown", "edition": 1}).text,
    ]
    for said in seen:
        assert "withdrawn" in said.lower()
        assert "Memcached" in said, "the reason names the product"
        assert "202/s" not in said.partition("Another")[0]
    told = call("GET", f"/reports/{report_id}/editions/1").json()
    assert told["digest"], "the digest is of what was kept"


def test_inside_it_is_told_that_it_is_not_for_publication(report, closed):
    made = report({"name": "ours", "campaign_id": closed})
    assert made["document"]["withdrawn"] == []
    assert "not for publication" in words(made["document"]["nodes"])


def test_anothers_and_what_is_gone_are_told_alike(call, report, project, tenants, campaign):
    made = report(
        {"name": "ours", "campaign_id": str(uuid4())}, {"name": "run", "campaign_id": campaign}
    )
    reason = made["sources"][0]["withdrawn"]
    assert reason == "it is not there (any more), or is not of this project"
    other = tenants[1]
    answer = call("GET", f"/reports/{made['id']}", other.headers)
    assert answer.status_code == 404
    body = {
        "project_id": str(other.project_id), "title": "Theirs",
        "sources": [{"name": "ours", "campaign_id": campaign}],
    }  # fmt: skip
    theirs = call("POST", "/reports", other.headers, json=body).json()
    assert theirs["sources"][0]["withdrawn"] == reason
    assert project not in str(theirs)


@pytest.mark.parametrize("whose", ["nobody's", "another's"])
def test_what_is_gone_or_anothers_is_withdrawn_in_page_print_and_edition(
    call, report, tenants, campaign, whose
):
    who = {} if whose == "nobody's" else tenants[1].headers
    named = str(uuid4()) if whose == "nobody's" else campaign
    more = {} if whose == "nobody's" else {"project_id": str(tenants[1].project_id)}
    body = {"title": "Lost", "sources": [{"name": "ours", "campaign_id": named}]} | more
    made = report(*body["sources"]) if not more else call("POST", "/reports", who, json=body).json()
    text = f"It does {ALLOWED}.\n\n{{{{ours.chart(throughput)}}}}"
    address = f"/reports/{made['id']}"
    saved = call("PUT", address, {"If-Match": '"1"'} | who, json=body_of(made, text=text))
    assert saved.status_code == 200, saved.text
    assert call("POST", f"{address}/editions", who).status_code == 201
    seen = [words(call("GET", f"{address}{of}", who).json()["document"]["nodes"])
            for of in ("", "/editions/1")]  # fmt: skip
    seen += [
        call("GET", f"{address}/file", who, params={"form": form} | of).text
        for form in ("html", "markdown")
        for of in ({}, {"edition": 1})
    ]
    reason = "it is not there (any more), or is not of this project"
    for said in seen:
        plain = said.replace("\\", "")
        assert plain.count(reason) == 2, said
        assert "202/s" not in plain


def test_a_report_that_is_shared_asks_for_each_figure(call, report, closed, client):
    made = report({"name": "ours", "campaign_id": closed})
    text = f"One: {FIGURE}\n\nAnother: {ALLOWED}\n"
    body = body_of(made, text=text)
    assert call("PUT", f"/reports/{made['id']}", {"If-Match": '"1"'}, json=body).is_success
    wanted = {"report_id": made["id"], "title": "Our report", "visibility": "public"}
    shared = call("POST", "/shares", json=wanted)
    assert shared.status_code == 201, shared.text
    client.cookies.clear()
    seen = client.get("/api/v1/shared/report", params={"share": shared.json()["id"]})
    assert seen.status_code == 200, seen.text
    one, _, another = words(seen.json()["document"]["nodes"]).partition("Another")
    assert "withdrawn" in one
    assert "Memcached" in one
    assert "/s (" in another
    page = client.get("/api/v1/shared", params={"share": shared.json()["id"]}).json()
    assert page["kind"] == "report"
