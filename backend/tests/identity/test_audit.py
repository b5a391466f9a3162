"""The audit log is searched, and taken along."""

import csv
import datetime
import io

import pytest
from weighhouse_backend.identity.audit import record
from weighhouse_backend.identity.audit_endpoints import router
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.people import router as tokens

ENTRIES = "/api/v1/audit-entries"
NOTED = [
    ("Ada", "alert.triaged", "p99 of 100%_redis", {"link": "https://git.example/7"}),
    ("ADA of the night", "prices.saved", "prices", {}),
    ("=cmd()", "alert_rule.saved", "@rule", {"to": 'quo"te'}),
]


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, tokens)


@pytest.fixture(scope="module")
def of_project(client, tenants, session_factory):
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        for actor, action, subject, details in NOTED:
            record(
                session, SystemClock(), actor=actor, action=action, subject=subject,
                project_id=ours.project_id, **details,
            )  # fmt: skip

    def asked(path=ENTRIES, **parameters):
        query = {"project_id": str(ours.project_id), **parameters}
        return client.get(path, params=query, headers=ours.headers)

    return asked


@pytest.mark.parametrize(
    ("wanted", "subjects"),
    [
        ({"actor": "ada"}, {"prices", "p99 of 100%_redis"}),
        ({"action": "alert."}, {"p99 of 100%_redis"}),
        ({"action": "alert"}, {"p99 of 100%_redis", "@rule"}),
        ({"text": "100%_"}, {"p99 of 100%_redis"}),
        ({"text": "GIT.example"}, {"p99 of 100%_redis"}),
        ({"actor": "ada", "action": "prices"}, {"prices"}),
        ({"actor": "a%a"}, set()),
    ],
)
def test_conditions_hold_at_once_and_letters_mean_themselves(of_project, wanted, subjects):
    found = of_project(**wanted).json()["items"]
    assert {one["subject"] for one in found} == subjects


def test_instants_bound_it(of_project):
    now = datetime.datetime.now(datetime.UTC)
    later = (now + datetime.timedelta(minutes=1)).isoformat()
    assert of_project(since=later).json()["items"] == []
    assert len(of_project(until=later).json()["items"]) >= len(NOTED)
    assert of_project(since="2026-11-20T00:00:00").status_code == 422  # of which zone?
    for loose in ("1763942400", "2026-11-20 00:00Z", "2026-11-20"):
        assert of_project(since=loose).status_code == 422, loose


def test_it_is_taken_along_and_that_is_noted(of_project):
    answer = of_project(f"{ENTRIES}/export", text="rule")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    (entry,) = csv.DictReader(io.StringIO(answer.text))
    assert entry["actor"] == "'=cmd()"  # no spreadsheet carries it out
    assert entry["subject"] == "'@rule"
    assert entry["details"] == '{"to": "quo\\"te"}'
    noted = of_project(action="audit.exported").json()["items"]
    assert noted[0]["subject"] == "1 entries"
    assert noted[0]["details"] == {"wanted": {"text": "rule"}}
    assert of_project(f"{ENTRIES}/export", actor="cmd", action="rule").status_code == 200


def test_it_takes_a_maintainer(client, tenants):
    theirs = tenants[1]
    made = client.post(
        "/api/v1/api-tokens", json={"name": "low", "role": "member"}, headers=theirs.headers
    )
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    assert client.get(f"{ENTRIES}/export", headers=headers).status_code == 403
