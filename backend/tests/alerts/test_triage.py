"""Triage: by those who may, on top of what was seen, written down; reopened when contradicted."""

import datetime
from uuid import UUID, uuid4

import numpy as np
import pytest
from weighhouse_backend.alerts.models import Alert
from weighhouse_backend.campaigns.ancestry import AncestryService
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign
from weighhouse_protocol.git import GitContext

from backend.tests.alerts.sown import alert_of, confirmed, grown, look, noise, seeded
from backend.tests.notices.kept import notices_of

LATER = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)
COMMITS = ("a" * 40, "b" * 40)


def shifted(laboratory, campaigns, *, at=45, size=60, seed=11, factor=0.9):
    """A series whose throughput shifted, and its alert."""
    values = 1000 * noise(seed, size)
    values[at:] *= factor
    (series,) = seeded(laboratory, campaigns, {"throughput": values})
    return series, alert_of(laboratory, series)


def triage(laboratory, alert, headers=None, version=None, **change):
    tag = {} if version is None else {"If-Match": f'"{version}"'}
    return laboratory.client.patch(
        f"/api/v1/alerts/{alert['id']}", json=change,
        headers={**(headers or laboratory.headers), **tag},
    )  # fmt: skip


def token(laboratory, tenant, role):
    secret = f"token-{uuid4()}"
    with unit_of_work(laboratory.sessions) as session:
        session.add(
            ApiToken(
                project_id=tenant.project_id, name=role, role=role, prefix="t",
                token_hash=token_hash(secret), created_by="test", created_at=LATER,
            )
        )  # fmt: skip
    return {"Authorization": f"Bearer {secret}"}


def test_everything_that_is_said_is_kept_and_written_down(
    laboratory, campaigns, tenants, make_client
):
    _, alert = shifted(laboratory, campaigns)
    assert alert["title"].startswith("Throughput of ")
    assert "fell by" in alert["title"]
    assert (alert["state"], alert["version"], alert["change"]["better"]) == ("untriaged", 1, False)
    said = {
        "state": "acknowledged", "assignee_id": str(tenants[0].user_id), "due_on": "2026-12-01",
        "note": "the new allocator?", "link": "https://git.example/team/name/issues/7?tab=1",
    }  # fmt: skip
    answer = triage(laboratory, alert, version=1, **said)
    assert answer.status_code == 200, answer.text
    now = answer.json()
    assert answer.headers["etag"] == '"2"'
    assert now["assignee"] == {"id": str(tenants[0].user_id), "name": "ours"}
    assert {name: now[name] for name in ("state", "due_on", "note", "link")} == {
        name: said[name] for name in ("state", "due_on", "note", "link")
    }
    line, raised = now["history"]
    assert (line["kind"], line["actor"], raised["kind"]) == ("triaged", "test", "raised")
    assert line["changes"]["state"] == ["untriaged", "acknowledged"]
    assert line["changes"]["assignee"] == [None, "ours"]

    entries = make_client(audit).get("/api/v1/audit-entries", headers=laboratory.headers)
    entry = entries.json()["items"][0]
    assert (entry["action"], entry["subject"]) == ("alert.triaged", alert["title"])
    assert entry["details"] == {"alert": alert["id"], "changes": line["changes"]}
    again = triage(laboratory, alert, **said).json()
    assert (again["version"], len(again["history"])) == (2, 2), "nothing changed"


def test_two_people_do_not_write_over_each_other(laboratory, campaigns):
    _, alert = shifted(laboratory, campaigns)
    assert triage(laboratory, alert, version=1, state="noise").status_code == 200
    late = triage(laboratory, alert, version=1, state="fixed")
    assert late.status_code == 412
    assert late.json()["type"] == "/docs/problems/changed-meanwhile"
    assert laboratory.get(f"/alerts/{alert['id']}")["state"] == "noise"


def test_who_may_triage(laboratory, campaigns, tenants):
    _, alert = shifted(laboratory, campaigns)
    viewer, member = (token(laboratory, tenants[0], role) for role in ("viewer", "member"))
    assert triage(laboratory, alert, viewer, state="noise").status_code == 403
    assert triage(laboratory, alert, tenants[1].headers, state="noise").status_code == 404
    seen = laboratory.client.get(f"/api/v1/alerts/{alert['id']}", headers=viewer)
    assert seen.json()["state"] == "untriaged"
    assert triage(laboratory, alert, member, state="noise").status_code == 200


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"state": "gone"}, "state"),
        ({"state": None}, "state"),
        ({"link": "javascript:alert(1)"}, "link"),
        ({"link": "https://me:secret@git.example/7"}, "link"),
        ({"assignee_id": str(uuid4())}, "assignee_id"),
        ({"state": "downstream"}, "downstream_of_id"),
        ({"state": "downstream", "downstream_of_id": str(uuid4())}, "downstream_of_id"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_is_refused_by_field(laboratory, campaigns, said, path):
    _, alert = shifted(laboratory, campaigns)
    refused = triage(laboratory, alert, **said)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == path
    assert laboratory.get(f"/alerts/{alert['id']}")["version"] == 1


def test_one_alert_is_downstream_of_another_and_never_of_itself(laboratory, campaigns):
    (_, one), (_, other) = (shifted(laboratory, campaigns, seed=seed) for seed in (21, 22))
    explained = triage(laboratory, one, state="downstream", downstream_of_id=other["id"])
    assert explained.json()["downstream_of_id"] == other["id"]
    circle = triage(laboratory, other, state="downstream", downstream_of_id=one["id"])
    assert circle.status_code == 422
    back = triage(laboratory, one, state="acknowledged").json()
    assert back["downstream_of_id"] is None


def test_several_at_once_are_all_changed_or_none(laboratory, campaigns):
    alerts = [shifted(laboratory, campaigns, seed=seed)[1] for seed in (31, 32)]
    address, headers = "/api/v1/alerts/triage", laboratory.headers
    named = [{"id": one["id"], "version": one["version"]} for one in alerts]
    stale = [named[0], {**named[1], "version": 9}]
    change = {"state": "infrastructure", "note": "power cut"}
    refused = laboratory.client.post(
        address, json={"alerts": stale, "change": change}, headers=headers
    )
    assert refused.status_code == 412
    states = [laboratory.get(f"/alerts/{one['id']}")["state"] for one in alerts]
    assert states == ["untriaged", "untriaged"]
    done = laboratory.client.post(
        address, json={"alerts": named, "change": change}, headers=headers
    )
    assert [one["id"] for one in done.json()["items"]] == [one["id"] for one in alerts]
    assert {(one["state"], one["note"]) for one in done.json()["items"]} == {
        ("infrastructure", "power cut")
    }


def test_lists_are_narrowed_and_counted(laboratory, campaigns, tenants):
    before = laboratory.get("/alerts/counts")["states"]
    _, alert = shifted(laboratory, campaigns)
    triage(laboratory, alert, state="wont_fix", assignee_id=str(tenants[0].user_id))
    after = laboratory.get("/alerts/counts")["states"]
    assert after["wont_fix"] == before["wont_fix"] + 1

    def found(**wanted):
        return [one["id"] for one in laboratory.get("/alerts", limit=200, **wanted)["items"]]

    mine = alert["id"]
    user = str(tenants[0].user_id)
    assert mine in found(state=["wont_fix", "fixed"], system_id="redis", assignee=user)
    assert mine in found(experiment_id=str(campaigns[0]), kind="change")
    for other in (
        {"state": "untriaged"}, {"system_id": "memcached"}, {"assignee": "nobody"},
        {"experiment_id": str(uuid4())}, {"kind": "missed_run"},
    ):  # fmt: skip
        assert mine not in found(**other), other


def test_the_range_of_commits(laboratory, campaigns):
    _, ids = campaigns
    with unit_of_work(laboratory.sessions) as session:
        commits = CommitService(session, AncestryService(session, SystemClock()))
        for campaign, commit in zip(ids[44:46], COMMITS, strict=True):
            git = GitContext(commit=commit, repository="https://github.com/team/name")
            commits.note(session.get(Campaign, campaign), git)
    _, alert = shifted(laboratory, campaigns, at=45, factor=0.8)
    found = alert["range"]
    assert [found["before"]["campaign_id"], found["first"]["campaign_id"]] == [
        str(one) for one in ids[44:46]
    ]
    assert found["before"]["git"]["commit"] == COMMITS[0]
    assert found["first"]["git"]["commit_url"].endswith(COMMITS[1])
    assert found["commits_url"] == f"https://github.com/team/name/compare/{'...'.join(COMMITS)}"


def heard_of(laboratory, alert):
    """Notices of an alert, oldest first."""
    with unit_of_work(laboratory.sessions) as session:
        project_id = session.get_one(Alert, UUID(alert["id"])).project_id
    path = f"/alerts?alert={alert['id']}"
    return [one for one in notices_of(laboratory.sessions, project_id) if one.path == path]


@pytest.mark.parametrize("said", ["noise", "infrastructure", "expected", "wont_fix", "fixed"])
def test_what_was_closed_is_opened_by_a_shift_that_contradicts(laboratory, campaigns, said):
    series, alert = shifted(laboratory, campaigns)
    triage(laboratory, alert, state=said, note="seen")
    further = {"throughput": 810 * noise(12, 12)}
    grown(laboratory, campaigns, [series], further, first=60, at=LATER)

    assert len(confirmed(laboratory.get(f"/series/{series['id']}"))) == 2
    now = alert_of(laboratory, series)
    assert (now["id"], now["state"], now["note"]) == (alert["id"], "untriaged", "seen")
    line = now["history"][0]
    assert (line["kind"], line["actor"]) == ("reopened", None)
    assert line["changes"] == {"state": [said, "untriaged"]}
    assert "once more" in line["reason"]
    assert now["change"]["campaign_id"] != alert["change"]["campaign_id"]
    earlier = [one["change_point_id"] for one in now["change"]["earlier"]]
    assert earlier == [alert["change"]["lead"]["change_point_id"]]
    look(laboratory, [UUID(series["id"])])
    assert alert_of(laboratory, series)["history"] == now["history"], "once, not at each look"
    raised, reopened = heard_of(laboratory, alert)
    assert raised.title == alert["title"]
    assert reopened.words == line["reason"]


def test_a_shift_close_to_one_that_was_triaged_is_another_change(laboratory, campaigns):
    values = 1000 * noise(17, 15, 0.003)
    values[10:] *= 0.9
    (series,) = seeded(laboratory, campaigns, {"throughput": values})
    alert = alert_of(laboratory, series)
    triage(laboratory, alert, state="expected")
    further = {"throughput": 800 * noise(18, 6, 0.003)}
    grown(laboratory, campaigns, [series], further, first=15, at=LATER)
    first, second = confirmed(laboratory.get(f"/series/{series['id']}"))
    assert first["campaign_id"] == alert["change"]["campaign_id"], "it stays in its place"
    assert second["campaign_id"] == str(campaigns[1][15])
    assert alert_of(laboratory, series)["state"] == "untriaged"


def test_what_came_back_and_goes_again_is_another_alert(laboratory, campaigns):
    series, alert = shifted(laboratory, campaigns)
    triage(laboratory, alert, state="fixed")
    back = {"throughput": 1000 * noise(13, 20)}
    grown(laboratory, campaigns, [series], back, first=60, at=LATER)
    assert laboratory.get(f"/alerts/{alert['id']}")["state"] == "fixed"
    better = alert_of(laboratory, series)
    assert (better["change"]["better"], better["id"] == alert["id"]) == (True, False)
    assert heard_of(laboratory, better) == [], "nobody is called for what became better"
    again = {"throughput": 880 * noise(14, 12)}
    after = LATER + datetime.timedelta(days=30)
    grown(laboratory, campaigns, [series], again, first=80, at=after)
    assert laboratory.get(f"/alerts/{alert['id']}")["state"] == "fixed"
    assert alert_of(laboratory, series)["id"] not in {alert["id"], better["id"]}


def test_fixed_is_opened_again_when_the_level_does_not_come_back(laboratory, campaigns):
    series, alert = shifted(laboratory, campaigns)
    triage(laboratory, alert, state="fixed")
    same = 900 * noise(15, 5)
    grown(laboratory, campaigns, [series], {"throughput": same[:3]}, first=60, at=LATER)
    assert laboratory.get(f"/alerts/{alert['id']}")["state"] == "fixed", "three say too little"
    after = LATER + datetime.timedelta(days=3)
    grown(laboratory, campaigns, [series], {"throughput": same[3:]}, first=63, at=after)
    now = laboratory.get(f"/alerts/{alert['id']}")
    assert now["state"] == "untriaged"
    assert now["history"][0]["reason"].startswith("5 campaigns after it was said to be fixed")


def test_fixed_stays_when_the_level_comes_back(laboratory, campaigns):
    series, alert = shifted(laboratory, campaigns)
    triage(laboratory, alert, state="fixed")
    back = {"throughput": 1000 * noise(16, 5)}
    grown(laboratory, campaigns, [series], back, first=60, at=LATER)
    assert laboratory.get(f"/alerts/{alert['id']}")["state"] == "fixed"


def test_alerts_that_turn_out_to_have_one_cause(laboratory, campaigns):
    target = str(uuid4())
    step = np.where(np.arange(60) >= 45, 0.9, 1.0)
    (latency,) = seeded(
        laboratory, campaigns, {"p99_us": 200 * noise(41, 60) / step}, target=target
    )
    spoken = alert_of(laboratory, latency)
    triage(laboratory, spoken, state="acknowledged")
    (throughput,) = seeded(
        laboratory, campaigns, {"throughput": 1000 * noise(42, 60) * step}, target=target
    )
    now = alert_of(laboratory, throughput)
    assert now["id"] == spoken["id"], "what people spoke of stays"
    assert now["change"]["lead"]["metric"] == "throughput"
    assert [one["metric"] for one in now["change"]["downstream"]] == ["p99_us"]
    with unit_of_work(laboratory.sessions) as session:
        assert session.get(Alert, UUID(now["id"])).state == "acknowledged"
