"""What rules remove of runs, and that nothing which rests on a run changes by it."""

import datetime
import hashlib
from uuid import UUID

import pytest
from sqlalchemy import select, update
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.files.directory import ArtifactDirectory
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements import models
from weighhouse_backend.quotas.models import ResultSize
from weighhouse_backend.runs.models import Campaign, CampaignEvent
from weighhouse_backend.runs.repository import CampaignRepository

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import ended, interval, latencies, numbered, recorded

SECONDS = 3000
RULES = {"intervals_days": 30, "logs_days": 7, "artifacts_days": 7, "events_days": 7}
CONTENT = b"what the server said at its end"


def report(seconds, writing="update"):
    drawn = [recorded(latencies(seed, 20, 100 + 40 * seed)) for seed in range(8)]
    events = []
    for number in range(seconds):
        operations = {"read": {"ok": drawn[number % 8]}, writing: {"ok": drawn[number % 7]}}
        events.append({"kind": "interval", "interval": interval(number, operations)})
        if number % 2:
            events.append({
                "kind": "sample", "cpu_percent": float(number % 17), "resident_bytes": number,
                "metrics": {},
            })  # fmt: skip
    events.append(ended("measure", {}))
    return numbered(events)


def carried_out(laboratory, slug, seconds, writing="update", **changes):
    """A campaign of one run; its id and the run's order."""
    targets = [{"name": "redis", "system": "redis"}]
    document = experiment(slug, **{"targets": targets, "repetitions": 1, **changes})
    campaign_id = laboratory.campaign(document)
    order, events = laboratory.begin(), report(seconds, writing)
    for begin in range(0, len(events), 900):
        laboratory.send(order, events[begin : begin + 900])
    line = b"a line\n"
    logged = laboratory.attempt(order, "PUT", "logs/server", content=line, params={"offset": 0})
    assert logged.status_code == 202, logged.text
    put = laboratory.attempt(order, "PUT", f"artifacts/{sha256(CONTENT)}", content=CONTENT)
    assert put.status_code == 201, put.text
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign_id))
    )
    return campaign_id, order


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def grow_old(laboratory, campaign_id, days):
    at = SystemClock().now() - datetime.timedelta(days=days)
    with unit_of_work(laboratory.sessions) as session:
        session.execute(
            update(Campaign).where(Campaign.id == UUID(campaign_id)).values(finished_at=at)
        )


def save(laboratory, **rules):
    answer = laboratory.client.put("/api/v1/retention", json=rules, headers=laboratory.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def told(laboratory, run_id):
    """All that the pages of a run say, as they ask for it."""
    run = f"/runs/{run_id}"
    return {
        "series": laboratory.get(f"{run}/series"),
        "coarse": laboratory.get(f"{run}/series", points=100),
        "heat": laboratory.get(f"{run}/heatmap"), "spectrum": laboratory.get(f"{run}/spectrum"),
        "faults": laboratory.get(f"{run}/faults"), "gauges": laboratory.get(f"{run}/gauges"),
    }  # fmt: skip


def examined(laboratory, campaign_id):
    found = []

    def examine(services):
        campaign = services.get(CampaignService).get(UUID(campaign_id))
        run = services.get(CampaignRepository).runs(campaign.id)[0]
        found.extend(
            one.model_dump() for one in services.get(ExaminationService).examine(campaign, run)
        )

    laboratory.work(examine)
    assert found
    return found


def count(laboratory, table, order):
    with unit_of_work(laboratory.sessions) as session:
        mine = select(table).where(table.attempt_id == UUID(order["attempt_id"]))
        return len(session.scalars(mine).all())


def size(laboratory, order):
    with unit_of_work(laboratory.sessions) as session:
        mine = select(ResultSize.bytes).where(ResultSize.attempt_id == UUID(order["attempt_id"]))
        return sum(session.scalars(mine))


@pytest.fixture(scope="module")
def old(laboratory):
    campaign_id, order = carried_out(laboratory, "long-ago", SECONDS)
    grow_old(laboratory, campaign_id, 40)
    return campaign_id, order


def test_what_is_removed_changes_nothing_that_rests_on_it(laboratory, old):
    campaign_id, order = old
    before, findings = told(laboratory, order["run_id"]), examined(laboratory, campaign_id)
    facts = laboratory.get(f"/runs/{order['run_id']}")
    assert facts["thinned"] is None
    assert facts["artifacts"]
    assert facts["log_streams"]
    bytes_before = size(laboratory, order)
    assert count(laboratory, models.Interval, order) == SECONDS
    foreseen = laboratory.client.post(
        "/api/v1/retention/preview", json=RULES, headers=laboratory.headers
    ).json()
    assert foreseen["intervals"]["count"] == foreseen["logs"]["count"] == 1
    assert foreseen["intervals"]["bytes"] > 0
    assert foreseen["artifacts"] == {"count": 1, "bytes": len(CONTENT)}
    assert foreseen["events"]["count"] > 0

    save(laboratory, **RULES)
    laboratory.clear_away()

    assert told(laboratory, order["run_id"]) == before
    assert examined(laboratory, campaign_id) == findings
    assert count(laboratory, models.Interval, order) == 0
    assert size(laboratory, order) < 0.7 * bytes_before
    facts = laboratory.get(f"/runs/{order['run_id']}")
    assert facts["artifacts"] == facts["log_streams"] == []
    assert facts["thinned"]["step_seconds"] == 4
    assert all(facts["thinned"].values())
    store = ArtifactDirectory(laboratory.settings.artifact_dir)
    with unit_of_work(laboratory.sessions) as session:
        project_id = session.get_one(Campaign, UUID(campaign_id)).project_id
        events = select(CampaignEvent.id).where(CampaignEvent.campaign_id == UUID(campaign_id))
        assert not session.scalars(events).all()
    assert not store.path(project_id, sha256(CONTENT)).exists()

    laboratory.clear_away()
    assert told(laboratory, order["run_id"]) == before, "a second turn finds nothing to do"


def test_short_and_young_and_kept_runs_stay(laboratory, old):
    save(laboratory, **RULES)
    short_id, short = carried_out(laboratory, "short", 30)
    young_id, young = carried_out(laboratory, "young", 700)
    kept_id, kept = carried_out(laboratory, "kept", SECONDS)
    grow_old(laboratory, short_id, 40)
    grow_old(laboratory, kept_id, 40)
    answer = laboratory.client.put(
        f"/api/v1/campaigns/{kept_id}/keeping", json={"because": "the talk"},
        headers=laboratory.headers,
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    foreseen = laboratory.client.post(
        "/api/v1/retention/preview", json=RULES, headers=laboratory.headers
    ).json()
    assert [one["campaign_id"] for one in foreseen["held"]] == [kept_id]
    assert "the talk" in foreseen["held"][0]["because"]
    laboratory.clear_away()
    assert count(laboratory, models.Interval, short) == 30, "drawn from its intervals"
    assert count(laboratory, models.RunLog, short) == 0
    assert laboratory.get(f"/runs/{short['run_id']}")["thinned"]["intervals_at"] is None
    for order in (young, kept):
        facts = laboratory.get(f"/runs/{order['run_id']}")
        assert facts["thinned"] is None
        assert facts["artifacts"], "its content lies there though another run's is gone"
        content = laboratory.client.get(
            f"/api/v1/runs/{order['run_id']}/artifacts/{sha256(CONTENT)}",
            headers=laboratory.headers,
        )  # fmt: skip
        assert content.content == CONTENT
    assert young_id

    gone = laboratory.client.delete(
        f"/api/v1/campaigns/{kept_id}/keeping", headers=laboratory.headers
    )
    assert gone.status_code == 204
    laboratory.clear_away()
    assert count(laboratory, models.Interval, kept) == 0


def test_a_fill_is_drawn_from_what_is_left(laboratory):
    """Its figures are those of its intervals still; its line has as many points as there are."""
    save(laboratory, **RULES)
    campaign_id, order = carried_out(
        laboratory, "filled", SECONDS, "insert", scenario="sustained",
        sustained={"until": {"records": 60_050}},
        phases={"warmup_seconds": 0, "measure_seconds": SECONDS},
        workloads=[
            {"name": "fill", "record_count": 50, "operations": {"read": 0.5, "insert": 0.5}}
        ],
    )  # fmt: skip
    before = laboratory.get(f"/runs/{order['run_id']}/scenario", points=100)["fill"]
    assert before["figures"]["reached"] > 0.9
    grow_old(laboratory, campaign_id, 40)
    laboratory.clear_away()
    assert count(laboratory, models.Interval, order) == 0
    after = laboratory.get(f"/runs/{order['run_id']}/scenario", points=100)["fill"]
    assert after["figures"] == before["figures"]
    assert after["marks"] == before["marks"]
    assert after["line"]["progress"][-1] == pytest.approx(before["line"]["progress"][-1])
    assert max(after["line"]["throughput"]) == pytest.approx(
        max(before["line"]["throughput"]), rel=0.1
    )


def test_what_cannot_be_removed_keeps_nothing_else_from_its_turn(laboratory):
    with unit_of_work(laboratory.sessions) as session:
        project_id = session.scalar(select(Campaign.project_id).limit(1))
        for sha256 in ("aa" * 32, "bb" * 32):
            session.add(models.UnneededFile(project_id=project_id, sha256=sha256))
    store = ArtifactDirectory(laboratory.settings.artifact_dir)
    stuck, gone = (store.path(project_id, one * 32) for one in ("aa", "bb"))
    stuck.mkdir(parents=True)  # a folder is not removed as a file is
    gone.parent.mkdir(parents=True, exist_ok=True)
    gone.write_bytes(b"nobody has it")
    laboratory.clear_away()
    assert stuck.exists()
    assert not gone.exists()
    with unit_of_work(laboratory.sessions) as session:
        assert list(session.scalars(select(models.UnneededFile.sha256))) == ["aa" * 32]
    stuck.rmdir()
    laboratory.clear_away()
    with unit_of_work(laboratory.sessions) as session:
        assert not session.scalars(select(models.UnneededFile.sha256)).all(), "the next turn does"


def test_rules_are_saved_on_top_of_what_was_seen(laboratory):
    seen = laboratory.client.get("/api/v1/retention", headers=laboratory.headers)
    saved = laboratory.client.put(
        "/api/v1/retention", json={"logs_days": 90},
        headers={**laboratory.headers, "If-Match": seen.headers["ETag"]},
    )  # fmt: skip
    assert saved.status_code == 200
    assert saved.json()["rules"] == {
        "intervals_days": None, "logs_days": 90, "artifacts_days": None, "events_days": None,
    }  # fmt: skip
    late = laboratory.client.put(
        "/api/v1/retention", json={},
        headers={**laboratory.headers, "If-Match": seen.headers["ETag"]},
    )  # fmt: skip
    assert late.status_code == 412
    for wrong in ({"logs_days": 0}, {"logs_days": 1.5}, {"logs_day": 3}, {"logs_days": 10**9}):
        refused = laboratory.client.put(
            "/api/v1/retention", json=wrong, headers=laboratory.headers
        )  # fmt: skip
        assert refused.status_code == 422, wrong
