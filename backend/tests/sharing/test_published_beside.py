"""Published results beside ours: in nothing that is concluded, and never without their source."""

import csv
import io
import json

import pytest

from backend.tests.sources.published import study

CONCLUDED = (
    "sides", "cells", "differences", "rankings", "headline", "leads", "readings", "fairness",
    "workloads", "load_levels", "unmatched", "disclosure",
)  # fmt: skip


@pytest.fixture(scope="module")
def keep(laboratory):
    def kept(**source):
        made = laboratory.client.post(
            "/api/v1/published-sources", content=json.dumps(study(**source)),
            headers=laboratory.headers,
        )  # fmt: skip
        assert made.is_success, made.text
        return made.json()["id"]

    return kept


def test_nothing_that_is_concluded_changes(laboratory, campaign, keep):
    source = keep()
    alone = laboratory.get("/comparisons", campaign=campaign)
    beside = laboratory.get(
        "/comparisons", campaign=campaign, published=[f"{source}~redis", f"{source}~fastest"]
    )
    assert {name: beside[name] for name in CONCLUDED} == {name: alone[name] for name in CONCLUDED}
    assert alone["published"] == []
    redis, fastest = beside["published"]
    assert (redis["label"], redis["source"]["title"]) == ("Redis", "Stores under load")
    assert redis["colour"] != fastest["colour"]
    assert fastest["sponsored"] is True
    assert redis["cells"][0]["load"]["clients"] == 32
    assert "No verdict" in redis["no_verdict"]
    assert [one["id"] for one in fastest["findings"]] == ["littles-law"]
    added = [one for one in beside["caveats"] if one not in alone["caveats"]]
    assert {(one["code"], one["severity"]) for one in added} == {
        ("littles-law", "bar"), ("published-results", "caution"),
    }  # fmt: skip
    (statement,) = [one for one in added if one["code"] == "published-results"]
    assert "one laptop" in statement["text"]
    assert statement["sides"] == [redis["key"], fastest["key"]]
    ranks = ["bar", "caution", "note"]
    gravity = [ranks.index(one["severity"]) for one in beside["caveats"]]
    assert gravity == sorted(gravity)


@pytest.mark.parametrize("named", ["nonsense", "{source}~nobody"])
def test_a_side_that_is_not_there_is_named(laboratory, campaign, keep, named):
    key = named.format(source=keep())
    refused = laboratory.client.get(
        "/api/v1/comparisons", params={"campaign": campaign, "published": key},
        headers=laboratory.headers,
    )  # fmt: skip
    assert refused.status_code == 422
    assert ("SOURCE~SIDE" in refused.text) or ("'nobody'" in refused.text)


def test_they_leave_with_their_source_or_not_at_all(laboratory, campaign, keep):
    def exported(source, audience):
        return laboratory.client.get(
            "/api/v1/exports/comparison", headers=laboratory.headers,
            params={
                "campaign": campaign, "published": f"{source}~redis", "table": "published",
                "audience": audience,
            },
        )  # fmt: skip

    table = exported(keep(), "public")
    assert table.status_code == 200, table.text
    lines = [line for line in table.text.splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    assert {(row["source"], row["authors"], row["printed"]) for row in rows} == {
        ("Stores under load", "A. Nother; S. Omebody", "25 k ops/s"),
        ("Stores under load", "A. Nother; S. Omebody", "3.2 ms"),
    }
    assert "Published by others, not measured here" in table.text
    untold = keep(title="Of whom nothing is told", licence="")
    assert exported(untold, "internal").status_code == 200
    refused = exported(untold, "public")
    assert refused.status_code == 403
    assert "may be quoted" in refused.json()["detail"]


def test_a_shared_page_shows_them_until_they_are_removed(
    laboratory, campaign, keep, share, call, client, tenants
):
    source, other = keep(title="Shared for a while"), keep(title="Not in what is shared")
    asked = {"campaign": campaign, "published": [f"{source}~redis"]}
    made = share(comparison=asked, visibility="public", title="With others' results", days=None)

    def seen():
        client.cookies.clear()
        return client.get("/api/v1/shared/comparison", params={"share": made["id"]})

    (side,) = seen().json()["published"]
    assert side["source"]["title"] == "Shared for a while"
    assert call("DELETE", f"/published-sources/{other}").status_code == 204
    assert seen().status_code == 200
    assert call("DELETE", f"/published-sources/{source}").status_code == 204
    assert seen().status_code == 404
    listed = laboratory.get("/shares", project_id=str(tenants[0].project_id))["items"]
    (mine,) = [one for one in listed if one["id"] == made["id"]]
    assert mine["state"] == "stopped"


def test_what_may_not_be_quoted_is_not_shared(campaign, keep, call):
    untold = keep(title="Nobody knows", licence="")
    refused = call(
        "POST", "/shares", title="T", visibility="public",
        comparison={"campaign": campaign, "published": [f"{untold}~redis"]},
    )  # fmt: skip
    assert refused.status_code == 403
    assert "'Nobody knows'" in refused.json()["detail"]
