"""Experiments over HTTP: saving, revising, comparing, scheduling; and who may."""

import datetime
from typing import Any

import pytest
import yaml
from weighhouse_backend.experiments.endpoints import router
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.yaml_document import experiment_from_yaml
from weighhouse_testing.world import accept

from .manifests import MANIFESTS

DOCUMENT: dict[str, Any] = {
    "slug": "cache",
    "name": "Cache",
    "targets": [{"name": "redis", "system": "redis"}, {"name": "mc", "system": "memcached"}],
    "workloads": [{"name": "mixed", "operations": {"read": 0.5, "update": 0.5}}],
    "load_levels": [{"model": "closed", "clients": 2}],
    "repetitions": 2,
    "phases": {"warmup_seconds": 1, "measure_seconds": 2},
}


@pytest.fixture(scope="module")
def client(make_client, session_factory, tenants):
    with unit_of_work(session_factory) as session:
        for tenant in tenants:
            accept(session, SystemClock(), tenant.organization_id, MANIFESTS.values())
    return make_client(router)


@pytest.fixture
def ours(tenants):
    return tenants[0].headers


DURABLE = {
    "name": "r",
    "system": "redis",
    "parameters": {"appendonly": True, "appendfsync": "always"},
}
CACHE = {"name": "m", "system": "memcached"}


def document(slug: str, **changed: Any) -> dict[str, Any]:
    return DOCUMENT | {"slug": slug} | changed


def create(client, headers, slug: str, **changed: Any) -> dict[str, Any]:
    answer = client.post(
        "/api/v1/experiments", json={"document": document(slug, **changed)}, headers=headers
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_document_becomes_an_experiment_with_its_first_revision(client, ours, tenants) -> None:
    made = create(client, ours, "first")

    assert made["current_revision"] == 1
    assert made["project_id"] == str(tenants[0].project_id)
    assert made["targets"][1] == {"name": "mc", "system_id": "memcached"}
    assert made["last_campaign"] is None
    by_slug = client.get("/api/v1/experiments/first", headers=ours)
    assert by_slug.json() == made
    assert by_slug.headers["ETag"] == '"1"'
    revision = client.get("/api/v1/experiments/first/revisions/1", headers=ours).json()
    assert revision["document"]["phases"]["interval_seconds"] == 1.0, "defaults are filled in"
    assert revision["author_name"] == made["owner_name"]


def test_yaml_goes_in_and_comes_out_equal(client, ours) -> None:
    text = yaml.safe_dump(document("round"), sort_keys=True)
    made = client.post("/api/v1/experiments", json={"yaml": text}, headers=ours).json()

    answer = client.get(f"/api/v1/experiments/{made['id']}/revisions/1/yaml", headers=ours)

    assert answer.headers["content-type"].startswith("text/yaml")
    assert experiment_from_yaml(answer.text) == experiment_from_yaml(text)
    assert list(yaml.safe_load(answer.text))[:3] == ["version", "slug", "name"], "model order"


def test_a_taken_slug_is_refused_unless_upserted(client, ours) -> None:
    create(client, ours, "taken")
    body = {"document": document("taken", repetitions=3)}

    refused = client.post("/api/v1/experiments", json=body, headers=ours)
    changed = client.post("/api/v1/experiments?upsert=true", json=body, headers=ours)
    again = client.post("/api/v1/experiments?upsert=true", json=body, headers=ours)

    assert refused.status_code == 409
    assert refused.json()["type"] == "/docs/problems/experiment-slug-taken"
    assert (changed.status_code, changed.json()["current_revision"]) == (200, 2)
    assert again.json()["current_revision"] == 2, "the same document makes no new revision"


def test_nobody_overwrites_what_they_have_not_seen(client, ours) -> None:
    create(client, ours, "edited")
    path = "/api/v1/experiments/edited/revisions"

    def save(repetitions: int, seen: str):
        body = {"document": document("edited", repetitions=repetitions)}
        return client.post(path, json=body, headers=ours | {"If-Match": seen})

    first, second = save(3, '"1"'), save(4, '"1"')

    assert (first.status_code, first.json()["number"]) == (201, 2)
    assert second.status_code == 412
    assert save(4, first.headers["ETag"]).json()["number"] == 3
    listed = client.get(path, headers=ours).json()["items"]
    assert [one["number"] for one in listed] == [3, 2, 1]
    assert listed[2]["document"]["repetitions"] == 2, "a revision never changes"
    diff = client.get(f"{path}/1/diff/3", headers=ours).json()
    assert diff == {"changes": [{"path": "repetitions", "before": 2, "after": 4}]}


def test_the_slug_of_an_experiment_stays(client, ours) -> None:
    create(client, ours, "stays")

    answer = client.post(
        "/api/v1/experiments/stays/revisions", json={"document": document("goes")}, headers=ours
    )

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "slug"


@pytest.mark.parametrize(
    ("changed", "path", "expected"),
    [
        ({"targetz": []}, "targetz", "targets"),
        (
            {"targets": [{"name": "r", "system": "redis", "parameters": {"appendfsink": "no"}}]},
            "targets[0].parameters.appendfsink",
            "appendfsync",
        ),
        ({"targets": [{"name": "r", "system": "rediss"}]}, "targets[0].system", "redis"),
        ({"repetitions": 0}, "repetitions", "≥ 1"),
        (
            {"workloads": [{"name": "w", "operations": {"read": 0.5, "insert": 0.5}}]},
            "workloads[0].operations.insert",
            "read, update",
        ),
    ],
)
def test_what_is_wrong_is_named_when_saving_and_when_validating(
    client, ours, changed, path, expected
) -> None:
    body = {"document": document("wrong", **changed)}

    refused = client.post("/api/v1/experiments", json=body, headers=ours)
    said = client.post("/api/v1/experiments/validate", json=body, headers=ours)

    assert refused.status_code == 422
    problem = refused.json()
    assert problem["type"] == "/docs/problems/experiment-invalid"
    assert problem["errors"][0]["path"] == path
    assert expected in problem["errors"][0]["expected"]
    assert said.status_code == 200
    assert said.json()["valid"] is False
    assert said.json()["errors"][0]["path"] == path
    assert client.get("/api/v1/experiments/wrong", headers=ours).status_code == 404


def test_broken_yaml_names_the_line(client, ours) -> None:
    said = client.post(
        "/api/v1/experiments/validate", json={"yaml": "slug: a\n  name: [b\n"}, headers=ours
    ).json()

    assert said["valid"] is False
    assert said["errors"][0]["message"].startswith("line 2")
    assert said["plan"] is None


def test_validation_plans_and_compares(client, ours) -> None:
    said = client.post(
        "/api/v1/experiments/validate",
        json={"document": document("plan", targets=[DURABLE, CACHE])},
        headers=ours,
    ).json()

    assert said["valid"] is True
    assert (said["plan"]["cells"], said["plan"]["runs"]) == (2, 4)
    assert said["plan"]["estimated_seconds"] > 4 * 3
    assert said["plan"]["again_runs"] == 4
    (workload,) = said["document"]["workloads"]
    assert said["plan"]["loaded_bytes"] == workload["record_count"] * 1000
    assert 1000 < said["plan"]["driver_bytes"] < 10**6
    assert said["plan"]["again_estimated_seconds"] == said["plan"]["estimated_seconds"]
    aspects = {one["aspect"] for one in said["comparability"]}
    assert aspects == {"durability"}
    assert experiment_from_yaml(said["yaml"]).slug == "plan"


def test_targets_of_a_draft_are_called_by_what_parts_them_and_twins_told(client, ours) -> None:
    always = {**DURABLE, "parameters": {**DURABLE["parameters"], "appendfsync": "always"}}
    none = {**DURABLE, "name": "none", "parameters": {"appendonly": False}}
    twin = {**none, "name": "twin", "label": "Ours", "parameters": {}}

    said = client.post(
        "/api/v1/experiments/validate",
        json={"document": document("called", targets=[always, none, twin])},
        headers=ours,
    ).json()

    assert said["valid"] is True
    first, second, third = said["targets"]
    nameless = {**document("called", targets=[always, none, twin]), "name": "", "slug": ""}
    unfinished = client.post(
        "/api/v1/experiments/validate", json={"document": nameless}, headers=ours
    ).json()
    assert unfinished["valid"] is False
    assert unfinished["targets"] == said["targets"], "while the rest is written"
    assert "appendonly" in first["label"]
    assert "appendonly" in second["label"]
    assert first["label"] != second["label"]
    assert (second["twin_of"], third) == (
        None, {"name": "twin", "label": "Ours", "twin_of": "none"}
    )  # fmt: skip


def test_a_draft_has_the_fairness_sheet_of_what_would_run(client, ours) -> None:
    body = {"document": document("fair", targets=[DURABLE, CACHE])}

    said = client.post("/api/v1/experiments/fairness", json=body, headers=ours)

    assert said.status_code == 200
    rows = {row["aspect"]: row for row in said.json()["rows"]}
    assert rows["durability"]["values"] == ["log on disk before the answer", "nothing is kept"]
    assert [one["name"] for one in rows["durability"]["raw"][0]] == ["appendonly", "appendfsync"]
    assert said.json()["changes"] == [
        {"target": 0, "path": ["parameters", "appendonly"], "before": True, "after": None}
    ]
    assert client.get("/api/v1/experiments/fair", headers=ours).status_code == 404, "not saved"


def test_a_document_that_cannot_be_read_has_no_sheet(client, ours) -> None:
    said = client.post(
        "/api/v1/experiments/fairness", json={"yaml": "slug: a\n  name: [b\n"}, headers=ours
    )
    assert said.status_code == 422
    assert said.json()["errors"][0]["message"].startswith("line 2")


def test_a_campaign_too_large_is_refused(client, ours) -> None:
    body = {"document": document("huge", repetitions=1000, load_levels=[
        {"model": "closed", "clients": clients} for clients in range(1, 21)
    ])}  # fmt: skip

    said = client.post("/api/v1/experiments/validate", json=body, headers=ours).json()

    assert said["valid"] is False
    assert "40,000" in said["errors"][0]["message"]


@pytest.mark.parametrize("body", [{}, {"document": {}, "yaml": "a: b"}, {"yml": "a"}])
def test_one_source_is_wanted(client, ours, body) -> None:
    assert client.post("/api/v1/experiments", json=body, headers=ours).status_code == 422


def test_pages_go_on_where_the_last_ended(client, ours) -> None:
    for number in range(5):
        create(client, ours, f"page-{number}")
    slugs: list[str] = []
    cursor = ""
    while True:
        page = client.get(f"/api/v1/experiments?limit=2{cursor}", headers=ours).json()
        slugs += [one["slug"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert len(slugs) == len(set(slugs))
    assert [slug for slug in slugs if slug.startswith("page-")] == [
        f"page-{number}" for number in (4, 3, 2, 1, 0)
    ]


def test_a_schedule_is_set_shown_and_removed(client, ours) -> None:
    create(client, ours, "nightly")
    path = "/api/v1/experiments/nightly/schedule"
    wanted = {"cron": "30 2 * * *", "time_zone": "Europe/Vienna", "enabled": True}

    assert client.get(path, headers=ours).status_code == 404
    made = client.put(path, json=wanted, headers=ours).json()
    assert len(made["next"]) == 5
    assert made["next"] == sorted(made["next"])
    shown = client.get("/api/v1/experiments/nightly", headers=ours).json()["schedule"]
    assert datetime.datetime.fromisoformat(shown["next_at"]) == datetime.datetime.fromisoformat(
        made["next"][0]
    )
    off = client.put(path, json=wanted | {"enabled": False}, headers=ours).json()
    assert off["next"] == []
    assert client.delete(path, headers=ours).status_code == 204
    assert client.get(path, headers=ours).status_code == 404


def test_a_wrong_schedule_names_its_field(client, ours) -> None:
    answer = client.post(
        "/api/v1/schedules/preview",
        json={"cron": "30 2 * * *", "time_zone": "Europe/Wien"},
        headers=ours,
    )

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "time_zone"
    good = client.post(
        "/api/v1/schedules/preview", json={"cron": "0 * * * *", "time_zone": "UTC"}, headers=ours
    )
    assert len(good.json()["next"]) == 5


def test_no_tenant_reaches_anothers_experiment(client, ours, tenants) -> None:
    made = create(client, ours, "secret")
    theirs = tenants[1].headers
    body = {"document": document("secret")}
    for key in (made["id"], "secret"):
        base = f"/api/v1/experiments/{key}"
        answers = [
            client.get(base, headers=theirs),
            client.get(f"{base}/revisions", headers=theirs),
            client.get(f"{base}/revisions/1", headers=theirs),
            client.get(f"{base}/revisions/1/yaml", headers=theirs),
            client.get(f"{base}/revisions/1/diff/1", headers=theirs),
            client.post(f"{base}/revisions", json=body, headers=theirs),
            client.get(f"{base}/schedule", headers=theirs),
            client.put(f"{base}/schedule", json={"cron": "0 0 * * *", "time_zone": "UTC"},
                       headers=theirs),
            client.delete(f"{base}/schedule", headers=theirs),
        ]  # fmt: skip
        assert {answer.status_code for answer in answers} == {404}
    elsewhere = {"project_id": str(tenants[0].project_id)}
    assert client.get("/api/v1/experiments", params=elsewhere, headers=theirs).status_code == 404
    stolen = client.post("/api/v1/experiments", json=body | elsewhere, headers=theirs)
    assert stolen.status_code == 404
    assert client.get("/api/v1/experiments", headers=theirs).json()["items"] == []
    own = client.post("/api/v1/experiments", json=body, headers=theirs)
    assert own.status_code == 201, "slugs are a project's own"


def test_nobody_gets_in_without_a_token(client) -> None:
    paths = [route.path.replace("{experiment}", "x").replace("{number}", "1")
             .replace("{from}", "1").replace("{to}", "1")
             for route in router.routes if "GET" in route.methods]  # fmt: skip

    assert {client.get(path).status_code for path in paths} == {401}


def viewer_token(session, project_id) -> str:
    token = new_token("p")
    session.add(
        ApiToken(
            project_id=project_id,
            name="viewer",
            role=Role.VIEWER,
            prefix=token_prefix(token),
            token_hash=token_hash(token),
            created_by="test",
            created_at=datetime.datetime.now(datetime.UTC),
        )
    )
    return token


def test_a_viewer_looks_and_changes_nothing(client, ours, tenants, session_factory) -> None:
    create(client, ours, "looked-at")
    with unit_of_work(session_factory) as session:
        from_token = viewer_token(session, tenants[0].project_id)
    headers = {"Authorization": f"Bearer {from_token}"}
    schedule = {"cron": "0 0 * * *", "time_zone": "UTC"}

    assert client.get("/api/v1/experiments/looked-at", headers=headers).status_code == 200
    refused = [
        client.post("/api/v1/experiments", json={"document": document("n")}, headers=headers),
        client.post("/api/v1/experiments/looked-at/revisions",
                    json={"document": document("looked-at")}, headers=headers),
        client.put("/api/v1/experiments/looked-at/schedule", json=schedule, headers=headers),
    ]  # fmt: skip
    assert {answer.status_code for answer in refused} == {403}
