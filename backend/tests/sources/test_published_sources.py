"""Published sources: kept once, corrected with both versions shown, removed; of one project."""

import json
from uuid import uuid4

import pytest
from weighhouse_backend.identity.audit_endpoints import router as audit

from backend.tests.sources.published import study

ADDRESS = "/api/v1/published-sources"


def keep(laboratory, document, headers=None, **query):
    return laboratory.client.post(
        ADDRESS, content=json.dumps(document), params=query, headers=headers or laboratory.headers
    )


@pytest.fixture(scope="module")
def kept(laboratory):
    made = keep(laboratory, study())
    assert made.status_code == 201, made.text
    return made.json()


def test_what_was_kept_is_shown_with_its_source_and_what_checks_say(laboratory, kept):
    found = laboratory.get(f"/published-sources/{kept['id']}")
    assert found["source"]["authors"] == "A. Nother; S. Omebody"
    assert [side["name"] for side in found["sides"]] == ["redis", "fastest"]
    assert found["results"]["cells"][0]["figures"][1]["printed"] == "3.2 ms"
    assert (found["may_leave"], found["mend"]) == (True, "")
    assert [(one["id"], one["side"], one["severity"]) for one in found["findings"]] == [
        ("littles-law", "fastest", "error")
    ]
    listed = laboratory.get("/published-sources")["items"]
    assert kept["id"] in {one["id"] for one in listed}


def test_the_same_results_are_kept_once(laboratory, kept):
    again = keep(laboratory, study())
    assert (again.status_code, again.json()["id"]) == (200, kept["id"])


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"source": {"title": ""}}, "source.title"),
        ({"source": {"title": "t"}}, "no figure"),
        (study() | {"sides": []}, "none of the sides"),
        (study(title="a\0b"), "NUL"),
        (study() | {"more": 1}, "more"),
    ],
)
def test_what_is_no_document_is_refused_whole(laboratory, document, said):
    before = len(laboratory.get("/published-sources")["items"])
    refused = keep(laboratory, document)
    assert refused.status_code == 422
    assert said in refused.text
    assert len(laboratory.get("/published-sources")["items"]) == before


def test_a_correction_is_a_version_and_the_one_before_stays(laboratory):
    first = keep(laboratory, study(title="Corrected later"))
    address = f"{ADDRESS}/{first.json()['id']}/versions"
    client, headers = laboratory.client, laboratory.headers
    better = study(title="Corrected later", date="June 2025")

    def correct(document, tag, because="the date was May's"):
        return client.post(
            address, content=json.dumps(document), params={"because": because},
            headers={**headers, "If-Match": tag},
        )  # fmt: skip

    corrected = correct(better, first.headers["etag"])
    assert corrected.status_code == 201, corrected.text
    found = corrected.json()
    assert (found["version"], found["source"]["date"]) == (2, "June 2025")
    assert [one["because"] for one in found["versions"]] == ["the date was May's", ""]
    assert correct(study(title="third"), first.headers["etag"]).status_code == 412
    assert correct(better, corrected.headers["etag"]).status_code == 422
    assert correct(better, corrected.headers["etag"], because=" ").status_code == 422
    before = laboratory.get(f"/published-sources/{found['id']}", number=1)
    assert (before["shown"], before["source"]["date"], before["version"]) == (1, "May 2025", 2)
    gone = client.get(f"{ADDRESS}/{found['id']}", params={"number": 3}, headers=headers)
    assert gone.status_code == 404


def test_intervals_and_histograms_come_back_whole(laboratory):
    document = study(title="With intervals")
    document["cells"][0] |= {
        "columns": [{"figure": "p99_us", "statistic": "one_connection"}],
        "intervals": [{"at_seconds": 1.0, "throughput": 5.0, "values": [7.0]}],
        "histograms": {"READ": "HISTFAAA"},
    }
    made = keep(laboratory, document).json()
    assert made["results"]["cells"][0]["intervals"] == []
    whole = laboratory.get(f"/published-sources/{made['id']}/document")
    assert whole["cells"][0]["intervals"][0]["values"] == [7.0]
    assert whole["cells"][0]["histograms"] == {"READ": "HISTFAAA"}


def test_what_is_removed_is_nowhere_and_may_be_kept_anew(laboratory, make_client):
    made = keep(laboratory, study(title="Not for long")).json()
    client, headers = laboratory.client, laboratory.headers
    assert client.delete(f"{ADDRESS}/{made['id']}", headers=headers).status_code == 204
    assert client.get(f"{ADDRESS}/{made['id']}", headers=headers).status_code == 404
    assert client.delete(f"{ADDRESS}/{made['id']}", headers=headers).status_code == 404
    again = keep(laboratory, study(title="Not for long"))
    assert again.status_code == 201
    assert again.json()["id"] != made["id"]
    entries = make_client(audit).get("/api/v1/audit-entries", headers=headers).json()["items"]
    mine = [
        one["action"] for one in entries if one["details"].get("published_source") == made["id"]
    ]
    assert mine == ["published_source.removed", "published_source.kept"]


def test_it_is_of_one_project(laboratory, kept, tenants):
    client, other = laboratory.client, tenants[1]
    address = f"{ADDRESS}/{kept['id']}"
    assert client.get(address, headers=other.headers).status_code == 404
    assert client.delete(address, headers=other.headers).status_code == 404
    mine = tenants[0].project_id
    assert keep(laboratory, study(), other.headers, project_id=mine).status_code == 404
    # The same results of another project are kept for that one, too.
    theirs = keep(laboratory, study(), other.headers)
    assert (theirs.status_code, theirs.json()["id"] == kept["id"]) == (201, False)


def test_typed_figures_are_read_with_what_they_were_rounded_from(laboratory):
    typed = [
        {"figure": "mean_us", "printed": "0.687 ms"},
        {"figure": "throughput", "printed": "3.5 M ops/s"},
        {"figure": "p999_us", "printed": "12"},
        {"figure": "speed", "printed": "12 ms"},
    ]
    answer = laboratory.client.post(
        f"{ADDRESS}/figures", json={"figures": typed}, headers=laboratory.headers
    )
    found = answer.json()["figures"]
    assert [one["value"] for one in found] == [pytest.approx(687), 3.5e6, None, None]
    assert found[0]["low"] == pytest.approx(686.5)
    assert found[1]["high"] == pytest.approx(3.55e6)
    assert "no number and unit" in found[2]["problem"]
    assert "no figure" in found[3]["problem"]


def test_there_is_nothing_of_what_was_never_kept(laboratory):
    address = f"{ADDRESS}/{uuid4()}"
    assert laboratory.client.get(address, headers=laboratory.headers).status_code == 404
