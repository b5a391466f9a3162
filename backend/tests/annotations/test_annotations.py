"""Annotations of runs, series and points: written, changed by those who may, kept when removed."""

from uuid import uuid4

import pytest
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

ADDRESS = "/api/v1/annotations"


@pytest.fixture(scope="module")
def measured(laboratory):
    """A series of two campaigns, and a run: series id, campaign ids, run id."""
    document = experiment("noted", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    campaigns = [
        laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
        for _ in range(2)
    ]
    (series,) = [
        one
        for one in laboratory.get("/series", metric="throughput", limit=200)["items"]
        if one["experiment"]["name"] == "Noted"
    ]
    run = laboratory.get("/runs", campaign_id=campaigns[0])["items"][0]
    return series["id"], campaigns, run["id"]


def headers_of(laboratory, tenant, role, name):
    """A token of a role."""
    secret = f"token-{uuid4()}"
    with unit_of_work(laboratory.sessions) as session:
        session.add(
            ApiToken(
                project_id=tenant.project_id, name=name, role=role, prefix="t",
                token_hash=token_hash(secret), created_by="test",
                created_at=laboratory_now(laboratory),
            )
        )  # fmt: skip
    return {"Authorization": f"Bearer {secret}"}


def laboratory_now(laboratory):
    found = []
    laboratory.work(lambda services: found.append(services.get(Clock).now()))
    return found[0]


def write(laboratory, subject, text="a kernel update", headers=None, **more):
    return laboratory.client.post(
        ADDRESS, json={"subject": subject, "text": text, **more},
        headers=headers or laboratory.headers,
    )  # fmt: skip


def test_of_a_run_a_series_and_a_point(laboratory, measured):
    series, campaigns, run = measured
    subjects = [
        {"kind": "run", "run_id": run},
        {"kind": "series", "series_id": series},
        {"kind": "point", "series_id": series, "campaign_id": campaigns[1]},
    ]
    made = [write(laboratory, subject, at="2026-11-22T10:00:00Z") for subject in subjects]
    assert [one.status_code for one in made] == [201] * 3, [one.text for one in made]
    assert [one.json()["subject"] for one in made] == subjects
    assert {one.json()["author"] for one in made} == {"test"}
    listed = laboratory.get("/annotations", series_id=series)["items"]
    assert {one["subject"]["kind"] for one in listed} == {"series", "point"}
    listed = laboratory.get("/annotations", run_id=run)["items"]
    assert [one["subject"]["kind"] for one in listed] == ["run"]


def test_a_point_must_be_there(laboratory, measured):
    series, _, run = measured
    refused = write(laboratory, {"kind": "point", "series_id": series, "campaign_id": run})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "subject.campaign_id"
    assert write(laboratory, {"kind": "run", "run_id": series}).status_code == 404
    assert write(laboratory, {"kind": "series", "series_id": series}, "  ").status_code == 422


def test_changes_do_not_write_over_each_other_and_are_in_the_audit_log(
    laboratory, measured, make_client
):
    series, _, _ = measured
    made = write(laboratory, {"kind": "series", "series_id": series}, "first")
    address, tag = f"{ADDRESS}/{made.json()['id']}", made.headers["etag"]
    client, headers = laboratory.client, laboratory.headers

    changed = client.patch(address, json={"text": "second"}, headers={**headers, "If-Match": tag})
    assert (changed.json()["text"], changed.json()["version"]) == ("second", 2)
    late = client.patch(address, json={"text": "third"}, headers={**headers, "If-Match": tag})
    assert late.status_code == 412
    assert client.delete(address, headers=headers).status_code == 204
    assert client.delete(address, headers=headers).status_code == 404
    assert made.json()["id"] not in {one["id"] for one in laboratory.get("/annotations")["items"]}

    entries = make_client(audit).get("/api/v1/audit-entries", headers=headers).json()
    mine = [
        (one["action"], one["details"])
        for one in entries["items"]
        if one["details"].get("annotation") == made.json()["id"]
    ]
    assert [action for action, _ in mine[::-1]] == [
        "annotation.created", "annotation.changed", "annotation.removed",
    ]  # fmt: skip
    assert mine[1][1]["changes"] == {"text": ["first", "second"]}


def test_who_may_write_and_change(laboratory, measured, tenants):
    series, _, _ = measured
    subject = {"kind": "series", "series_id": series}
    viewer, member, other = (
        headers_of(laboratory, tenants[0], role, name)
        for role, name in (("viewer", "looks"), ("member", "writes"), ("member", "other"))
    )
    assert write(laboratory, subject, headers=viewer).status_code == 403
    assert write(laboratory, subject, headers=tenants[1].headers).status_code == 404
    made = write(laboratory, subject, headers=member)
    address = f"{ADDRESS}/{made.json()['id']}"
    client = laboratory.client
    assert made.json()["mine"]
    assert client.patch(address, json={"text": "x"}, headers=other).status_code == 403
    assert client.delete(address, headers=tenants[1].headers).status_code == 404
    assert client.patch(address, json={"text": "x"}, headers=member).status_code == 200
    assert client.delete(address, headers=laboratory.headers).status_code == 204
