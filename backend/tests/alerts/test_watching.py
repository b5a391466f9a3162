"""Watching over seeded series: machines in turn, drifts, families, one cause told once."""

from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import update
from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.alerts.sown import confirmed, look, noise, seeded
from backend.tests.notices.kept import notices_of
from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import FACTS, whole_run

TWIN = {**FACTS, "hostname": "twin", "machine_id": "t"}


@pytest.mark.parametrize("seed", range(3))
def test_two_machines_in_turn_find_a_step(laboratory, campaigns, seed):
    values = 100 * noise(seed, 60, 0.02) * np.where(np.arange(60) % 2, 0.92, 1.0)
    values[50:] *= 0.95
    (series,) = seeded(laboratory, campaigns, {"throughput": values}, places=("one", "two"))
    assert len(series["segments"]) == 1
    assert {point["place"] for point in series["points"]} == {"one", "two"}
    (change,) = confirmed(series)
    assert change["kind"] == "step"
    _, ids = campaigns
    assert abs(ids.index(UUID(change["campaign_id"])) - 50) <= 2
    assert change["relative"] == pytest.approx(-0.05, abs=0.025)
    assert change["effective_points"] > 20


def test_a_kind_of_machine_that_comes_back_rejoins_its_segment(laboratory, campaigns):
    values = 100 * noise(1, 60)
    values[1::2] *= 0.5
    values[40:] *= 0.9
    (series,) = seeded(laboratory, campaigns, {"throughput": values}, kinds=("big", "small"))
    assert [one["fingerprint"] for one in series["segments"]] == ["big", "small"]
    assert [point["segment"] for point in series["points"]] == [0, 1] * 30
    changes = confirmed(series)
    assert len(changes) == 2
    assert all(one["relative"] == pytest.approx(-0.1, abs=0.02) for one in changes)


def test_a_drift_is_named_and_has_an_end(laboratory, campaigns):
    values = 100 * noise(2, 180) * (1 - 0.0012 * np.clip(np.arange(180) - 39, 0, 80))
    (growing,) = seeded(laboratory, campaigns, {"throughput": values[:110]})
    (change,) = confirmed(growing)
    assert (change["kind"], change["ended_by_id"]) == ("drift", None)
    (series,) = seeded(laboratory, campaigns, {"throughput": values})
    (change,) = confirmed(series)
    assert change["kind"] == "drift"
    _, ids = campaigns
    assert abs(ids.index(UUID(change["ended_by_id"])) - 120) < 20


def test_a_level_that_moves_with_its_machine_is_told_and_is_no_regression(laboratory, campaigns):
    values = 100 * noise(11, 60)
    values[40:] *= 0.9
    target = str(uuid4())
    places = ("one",) * 40 + ("two",) * 20
    (series,) = seeded(laboratory, campaigns, {"throughput": values}, places=places, target=target)
    (change,) = confirmed(series)
    _, ids = campaigns
    assert (change["kind"], UUID(change["campaign_id"])) == ("moved", ids[40])
    alert = laboratory.get(f"/alerts/{change['alert_id']}")
    assert alert["title"].startswith(f"Throughput of Redis ({target}) fell by ")
    assert alert["title"].endswith("\u2009% as the machine changed")
    assert alert["change"]["better"] is None
    assert alert["change"]["target_name"] == f"Redis ({target})"
    assert UUID(alert["range"]["before"]["campaign_id"]) == ids[39]
    assert _told_of(laboratory, alert) == []


def test_noise_that_grows_is_told_and_is_no_regression(laboratory, campaigns):
    values = 100 * np.concatenate([noise(12, 40), noise(13, 40, 0.04)])
    target = str(uuid4())
    (series,) = seeded(laboratory, campaigns, {"throughput": values}, target=target)
    (change,) = confirmed(series)
    assert change["kind"] == "spread"
    assert (change["before"], change["after"]) == pytest.approx((0.01, 0.04), rel=0.5)
    alert = laboratory.get(f"/alerts/{change['alert_id']}")
    assert alert["title"].startswith(f"Noise of Throughput of Redis ({target}) grew from ±")
    assert alert["change"]["better"] is None
    assert _told_of(laboratory, alert) == []


def _told_of(laboratory, alert):
    with unit_of_work(laboratory.sessions) as session:
        project_id = session.get_one(Alert, UUID(alert["id"])).project_id
    heard = notices_of(laboratory.sessions, project_id)
    return [one.title for one in heard if one.path == f"/alerts?alert={alert['id']}"]


def test_looking_again_changes_nothing(laboratory, campaigns):
    values = 100 * noise(3, 60)
    values[30:] *= 0.95
    (series,) = seeded(laboratory, campaigns, {"throughput": values})
    look(laboratory, [UUID(series["id"])])
    again = laboratory.get(f"/series/{series['id']}")
    assert again["change_points"] == series["change_points"]


def test_what_was_confirmed_stays_and_what_people_spoke_about_stays_in_its_place(
    laboratory, campaigns
):
    values = 100 * noise(3, 50)
    values[40:] *= 0.94
    (series,) = seeded(laboratory, campaigns, {"throughput": values})
    (change,) = confirmed(series)
    _, ids = campaigns
    with unit_of_work(laboratory.sessions) as session:
        alert = update(Alert).where(Alert.id == UUID(change["alert_id"]))
        session.execute(alert.values(state="acknowledged"))
        row = update(ChangePoint).where(ChangePoint.id == UUID(change["id"]))
        session.execute(row.values(campaign_id=ids[43]))
    look(laboratory, [UUID(series["id"])])
    (again,) = confirmed(laboratory.get(f"/series/{series['id']}"))
    assert (again["id"], again["campaign_id"]) == (change["id"], str(ids[43]))
    assert (again["alert_id"], again["state"]) == (change["alert_id"], "acknowledged")


def test_one_cause_over_figures_is_one_alert(laboratory, campaigns):
    step = np.where(np.arange(60) >= 45, 0.9, 1.0)
    target = str(uuid4())
    seeded(
        laboratory,
        campaigns,
        {
            "throughput": 1000 * noise(4, 60) * step,
            "p50_us": 80 * noise(5, 60) / step,
            "p99_us": 200 * noise(6, 60) / step,
            "memory_after_load_bytes": 1e9 * noise(7, 60),
        },
        target=target,
    )
    page = laboratory.get("/alerts", experiment_id=str(campaigns[0]), limit=200)
    (alert,) = [one for one in page["items"] if one["change"]["target"] == target]
    change = alert["change"]
    assert change["lead"]["metric"] == "throughput"
    assert {one["metric"] for one in change["downstream"]} == {"p50_us", "p99_us"}
    assert alert["experiment"]["name"] == "Seeded"
    series = laboratory.get(f"/series/{change['downstream'][0]['series_id']}")
    (followed,) = confirmed(series)
    assert followed["downstream_of_id"] == change["lead"]["change_point_id"]
    assert followed["alert_id"] == alert["id"]


def test_what_became_worse_is_told_of_where_the_lead_became_better(laboratory, campaigns):
    step = np.where(np.arange(60) >= 45, 1.1, 1.0)
    target = str(uuid4())
    seeded(
        laboratory,
        campaigns,
        {"throughput": 1000 * noise(4, 60) * step, "p99_us": 200 * noise(6, 60) * step},
        target=target,
    )
    page = laboratory.get("/alerts", experiment_id=str(campaigns[0]), limit=200)
    (alert,) = [one for one in page["items"] if one["change"]["target"] == target]
    assert alert["change"]["lead"]["metric"] == "throughput"
    assert alert["change"]["better"]
    with unit_of_work(laboratory.sessions) as session:
        project_id = session.get_one(Alert, UUID(alert["id"])).project_id
    heard = notices_of(laboratory.sessions, project_id)
    (title,) = [one.title for one in heard if one.path == f"/alerts?alert={alert['id']}"]
    assert title.startswith(f"p99 latency of Redis ({target}) rose by")


def test_a_weak_change_does_not_withstand_a_look_at_many_series(laboratory, campaigns):
    weak = 100 * noise(7, 60, 0.02)
    weak[52:] *= 0.955
    (alone,) = seeded(laboratory, campaigns, {"throughput": weak})
    (change,) = confirmed(alone)
    assert 0.05 / 60 < change["p_value"] < 0.015
    crowd = {f"figure {index}": 100 * noise(100 + index, 60) for index in range(60)}
    among = seeded(laboratory, campaigns, {"throughput": weak, **crowd})
    assert confirmed(among[0]) == []
    assert [one["status"] for one in among[0]["change_points"]] == ["candidate"]


def test_alerts_are_private(laboratory, campaigns, tenants):
    theirs = laboratory.client.get("/api/v1/alerts", headers=tenants[1].headers)
    assert theirs.json()["items"] == []


def test_the_place_of_a_point_is_the_machine_that_measured_it(laboratory):
    document = experiment("placed", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    for facts in (FACTS, TWIN):
        laboratory.carry_out(
            document, lambda _, facts=facts: whole_run(seed=1, rate=100, seconds=1, facts=facts)
        )
    found = laboratory.get("/series", metric="throughput", limit=200)["items"]
    series_id = next(one["id"] for one in found if one["experiment"]["name"] == "Placed")
    series = laboratory.get(f"/series/{series_id}")
    assert len({point["place"] for point in series["points"]}) == 2
    assert None not in {point["place"] for point in series["points"]}
    assert len(series["segments"]) == 1
