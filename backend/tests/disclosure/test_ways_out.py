"""No way out is forgotten: every GET of the API's own description is tried.

Whoever adds one has to say here what it gives out; a route that nobody named turns this red.
"""

import json

import pytest
from fastapi.testclient import TestClient
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.directories.service import PATH as SCIM

from backend.tests.described import described
from backend.tests.disclosure.policed import measured
from backend.tests.sources.published import study

API = "/api/v1"
# Said to everybody, or of the caller alone: there are no figures in them.
WITHOUT_FIGURES = {
    "/health", "/health/live", "/health/ready", "/metrics",
    f"{API}/about", f"{API}/agents", f"{API}/alerts/counts",
    f"{API}/alerts/rule", f"{API}/agents/{{agent_id}}", f"{API}/api-tokens",
    f"{API}/audit-entries", f"{API}/audit-entries/export",
    f"{API}/experiment-templates", f"{API}/bundles/keys",
    f"{API}/experiments", f"{API}/exports/experiments", f"{API}/exports/agents",
    f"{API}/exports/published-sources", f"{API}/exports/reports", f"{API}/exports/systems",
    f"{API}/exports/api-tokens", f"{API}/exports/invitations", f"{API}/exports/members",
    f"{API}/exports/shares", f"{API}/exports/annotations", f"{API}/exports/channels",
    f"{API}/exports/joining-domains", f"{API}/exports/occurrences",
    f"{API}/exports/pipeline-trusts", f"{API}/exports/revisions",
    f"{API}/experiments/{{experiment}}", f"{API}/experiments/{{experiment}}/revisions",
    f"{API}/experiments/{{experiment}}/revisions/{{from}}/diff/{{to}}",
    f"{API}/experiments/{{experiment}}/revisions/{{number}}",
    f"{API}/experiments/{{experiment}}/revisions/{{number}}/yaml",
    f"{API}/experiments/{{experiment}}/schedule",
    f"{API}/experiments/{{experiment}}/schedule/occurrences", f"{API}/invitation",
    f"{API}/identity-provider", f"{API}/invitations", f"{API}/sign-in", f"{API}/members",
    f"{API}/manifests", f"{API}/password-reset", f"{API}/sessions", f"{API}/second-factor",
    f"{API}/second-factor/passkeys", f"{API}/joining-domains", f"{API}/joining-domain",
    f"{API}/second-factor-policy", f"{API}/pipeline-trusts", f"{API}/shares",
    f"{API}/notices/channels", f"{API}/notices/count", f"{API}/notices/settings",
    f"{API}/prices", f"{API}/projects", f"{API}/provisioner",
    f"{API}/campaigns/{{campaign_id}}/provision", f"{API}/sessions/current", f"{API}/systems",
    f"{API}/systems/{{system_id}}",
    f"{API}/campaigns/{{campaign_id}}/disclosure", f"{API}/organization-quotas", f"{API}/usage",
    f"{API}/retention", f"{API}/campaigns/{{campaign_id}}/keeping", f"{API}/directory",
    f"{SCIM}/ServiceProviderConfig", f"{SCIM}/ResourceTypes", f"{SCIM}/ResourceTypes/{{kind}}",
    f"{SCIM}/Schemas", f"{SCIM}/Schemas/{{urn}}", f"{SCIM}/Users", f"{SCIM}/Users/{{account_id}}",
    "/agent/v1/attempts/{attempt_id}", "/agent/v1/update",
}  # fmt: skip
# Figures that members look at; nobody takes them along from there, so that there is no audience.
LOOKED_AT = {
    f"{API}/campaigns/{{campaign_id}}/reproductions": "what others came to, in medians",
    f"{API}/alerts": "what changed, by how much",
    f"{API}/alerts/{{alert_id}}": "what changed, by how much",
    f"{API}/annotations": "what people wrote beside figures",
    f"{API}/campaigns": "verdicts, in a list",
    f"{API}/gate-record": "how many verdicts and alerts, and how many were wrong",
    f"{API}/campaigns/{{campaign_id}}/events": "what happens, while it happens",
    f"{API}/noise-floors": "what machines cannot tell",
    f"{API}/search": "the latest medians of an experiment, as a line without a scale",
    f"{API}/notices": "what happened, in a sentence, to who sees it where it stands",
    f"{API}/notices/channels/{{channel_id}}/deliveries": "what was sent, in a sentence each",
    f"{API}/rejudgements/{{rejudgement_id}}": "how far judging again is",
    f"{API}/rejudgements/{{rejudgement_id}}/campaigns": "verdicts, in a list",
    f"{API}/published-sources": "what others published, in a list",
    f"{API}/published-sources/{{source_id}}": "what others published, by who keeps it",
    f"{API}/runs": "a list to choose from",
    f"{API}/series": "a list to choose from",
    f"{API}/studies": "how many claims hold, in a list",
    f"{API}/series/{{series_id}}": "over many campaigns; its files carry the statements",
    f"{API}/reply": "a vendor's own system, by its link",
}  # fmt: skip

# A report says itself for whom it is: each of its figures asks the policy for them, page and file
# alike (`backend/tests/reports/test_withdrawn.py`).
LOOKED_AT |= dict.fromkeys(
    (
        f"{API}/reports",
        f"{API}/reports/{{report_id}}",
        f"{API}/reports/{{report_id}}/revisions/{{number}}",
        f"{API}/reports/{{report_id}}/editions/{{number}}",
        f"{API}/reports/{{report_id}}/file",
    ),
    "for whom the report says it is",
)

# Of what is shared: whoever asks has a link, or it is public; the policy is asked by each of them
# (`backend/tests/sharing/test_outside.py`).
LOOKED_AT |= dict.fromkeys(
    (
        f"{API}/shared", f"{API}/shared/answer", f"{API}/shared/comparison",
        f"{API}/shared/scaling", f"{API}/shared/series", f"{API}/shared/report",
        "/badges/series/{share_id}.svg",
        "/embed/{share_id}", "/pictures/{share_id}.svg", "/public", "/public/{share_id}",
    ),
    "what was shared, as long as the terms allow it",
)  # fmt: skip

# What others published is everybody's; what was measured of it is not.
PUBLISHED = {f"{API}/studies", f"{API}/studies/{{study}}", f"{API}/exports/studies"}


@pytest.fixture(scope="module")
def routes():
    paths = described()["paths"]
    return {path: methods["get"] for path, methods in paths.items() if "get" in methods}


@pytest.fixture(scope="module")
def closed(laboratory, tenants):
    """The campaign whose systems may not all be published, with what addresses name of it."""
    campaign = measured(laboratory)
    runs = laboratory.get("/runs", campaign_id=campaign)["items"]
    run = next(one["id"] for one in runs if one["cell"]["target"] == "closed")
    series = laboratory.get("/series")["items"][0]["id"]
    kept = laboratory.client.post(
        f"{API}/published-sources", headers=laboratory.headers,
        content=json.dumps(study(licence="", quoted="")),
    )  # fmt: skip
    begun = {
        "project_id": str(tenants[0].project_id), "title": "of the closed one",
        "sources": [{"name": "it", "campaign_id": campaign}],
    }  # fmt: skip
    told = {"headers": laboratory.headers}
    made = laboratory.client.post(f"{API}/reports", json=begun, **told)
    assert made.status_code == 201, made.text
    report = made.json()["id"]
    frozen = laboratory.client.post(f"{API}/reports/{report}/editions", **told)
    assert frozen.status_code == 201, frozen.text
    return {
        "report_id": report, "number": 1,
        "campaign_id": campaign, "run_id": run, "series_id": series,
        "project_id": str(tenants[0].project_id),
        "share_id": campaign, "study": "policed", "stream": "server", "sha256": "0" * 64,
        "source_id": kept.json()["id"],
        "rejudgement_id": campaign, "alert_id": campaign, "channel_id": campaign,
    }  # fmt: skip


@pytest.fixture(scope="module")
def client(settings, laboratory):
    del laboratory
    with TestClient(create_app(settings)) as made:
        yield made


def asked(closed, path, route, **more):
    """What a question needs besides its address, of that what it takes."""
    of_project = {"project_id": closed["project_id"]} if path.endswith("/gate-record") else {}
    wanted = of_project | more | {
        "q": "redis",
        "campaign": closed["campaign_id"], "side": f"{closed['campaign_id']}~closed",
        "workload": "balanced", "load_level": "4 clients", "campaign_id": closed["campaign_id"],
    }  # fmt: skip
    taken = {one["name"] for one in route.get("parameters", ()) if one["in"] == "query"}
    return {name: value for name, value in wanted.items() if name in taken}


def audience_of(route):
    return any(one["name"] == "audience" for one in route.get("parameters", []))


def rows_of(text):
    """What a file or an exposition says of somebody's figures: neither remarks nor columns."""
    said = [line for line in text.splitlines() if not line.startswith("#")]
    return said[1:] if text.startswith("# Weighhouse") else said


def giving(routes):
    return [path for path in routes if path not in WITHOUT_FIGURES]


def test_every_route_is_known_to_this_test(routes):
    unknown = [
        path for path in giving(routes) if path not in LOOKED_AT and not audience_of(routes[path])
    ]
    assert unknown == [], (
        "say what these give out: take AudienceDep and ask the publication policy, or name them"
    )
    assert sum(audience_of(route) for route in routes.values()) >= 18


def test_nothing_leaves_without_a_login(routes, client, closed):
    for path in giving(routes):
        answer = client.get(path.format_map(closed), params=asked(closed, path, routes[path]))
        assert answer.status_code in {401, 403, 404}, (path, answer.status_code)


SHIPPED = frozenset({"study", "help"})
"""Kinds of search whose texts are the installation's, and nobody's figures."""


def test_nothing_leaves_to_another_organization(routes, client, closed, tenants):
    named = {value for name, value in closed.items() if name in {"campaign_id", "run_id"}}
    for path in giving(routes):
        for audience in ("internal", "public"):
            answer = client.get(
                path.format_map(closed),
                params=asked(closed, path, routes[path], audience=audience),
                headers=tenants[1].headers,
            )
            if path in PUBLISHED:
                assert answer.status_code == 200, (path, answer.text[:200])
                assert '"measured":true' not in answer.text, path
                assert not any(one in answer.text for one in named), path
                continue
            listed = answer.status_code == 200 and "{" not in path
            assert listed or answer.status_code in {401, 403, 404}, (path, answer.status_code)
            if listed and path.startswith(f"{API}/exports/"):
                assert rows_of(answer.text) == [], path
                assert not any(one in answer.text for one in named), path
            elif listed:
                found = answer.json()
                groups = [one for one in found.get("groups", []) if one["kind"] not in SHIPPED]
                items = found.get("items", found.get("floors", groups))
                assert items == [], path
                assert not any(one in answer.text for one in named), path


def test_what_is_forbidden_is_not_taken_along_by_any_route(routes, client, closed, laboratory):
    for path, route in routes.items():
        if not audience_of(route):
            continue
        for audience in ("others", "public"):
            answer = client.get(
                path.format_map(closed),
                params=asked(closed, path, route, audience=audience),
                headers=laboratory.headers,
            )
            assert answer.status_code == 403, (path, answer.text[:200])
            assert answer.json()["type"] == "/docs/problems/publication-refused", path


def test_an_export_is_refused_again_once_what_allowed_it_has_ended(client, closed, laboratory):
    def ask(method, path, **how):
        return client.request(method, f"{API}/{path}", headers=laboratory.headers, **how)

    def taken(form):
        query = {"table": "intervals", "audience": "others", "format": form}
        return ask("GET", f"exports/runs/{closed['run_id']}", params=query)

    said = "By word of the vendor's counsel, who asked for it to be shown."
    body = {"system_id": "memcached", "audience": "others", "reason": said, "days": 7}
    made = ask("POST", f"campaigns/{closed['campaign_id']}/overrides", json=body)
    assert made.status_code == 201, made.text
    for form in ("csv", "parquet", "jsonl", "hlog"):
        assert taken(form).status_code == 200, form
    assert ask("POST", f"overrides/{made.json()['id']}/end").status_code == 200
    for form in ("csv", "parquet", "jsonl", "hlog"):
        refused = taken(form)
        assert refused.status_code == 403, form
        (error,) = refused.json()["errors"]
        assert "the clause of shut" in error["message"]
        assert error["expected"]
