"""Change points over real rows: found where they are, kept, and not invented."""

from uuid import UUID

import pytest
from weighhouse_backend.alerts.watch import WatchService

from backend.tests.results.histories import history
from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import FACTS, whole_run


@pytest.fixture(scope="module")
def watched(laboratory):
    """Ten campaigns at about 100 a second, then five at about 80."""
    levels = [100, 102, 98, 100, 102, 98, 100, 102, 98, 100, 80, 82, 78, 80, 82]
    return history(laboratory, levels, "watched")


def test_a_shift_is_found_where_it_happened(watched):
    ids, series = watched
    (change,) = series["change_points"]
    assert change["campaign_id"] == ids[10]
    assert change["status"] == "confirmed"
    assert change["state"] == "untriaged"
    assert change["relative"] == pytest.approx(-0.2, abs=0.03)
    assert series["change_points_count"] == 1


def test_looking_again_finds_the_same_change_and_keeps_its_name(watched, laboratory):
    _, series = watched
    laboratory.work(lambda services: services.get(WatchService).detect([UUID(series["id"])]))
    again = laboratory.get(f"/series/{series['id']}")
    assert again["change_points"] == series["change_points"]


def test_another_machine_begins_a_new_segment_and_no_alert(laboratory):
    document = experiment("moved", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    for number in range(14):
        facts = FACTS if number < 9 else {**FACTS, "cpu_model": "Other CPU"}
        rate = 100 if number < 9 else 70
        laboratory.carry_out(
            document,
            lambda _order, rate=rate + number % 2, facts=facts: whole_run(
                seed=1, rate=rate, seconds=1, facts=facts
            ),
        )
    found = laboratory.get("/series", metric="throughput", workload="balanced")["items"]
    series_id = next(one["id"] for one in found if one["experiment"]["name"] == "Moved")
    laboratory.work(lambda services: services.get(WatchService).detect([UUID(series_id)]))
    series = laboratory.get(f"/series/{series_id}")
    assert [point["segment"] for point in series["points"]] == [0] * 9 + [1] * 5
    assert "Other CPU" in series["segments"][1]["label"]
    assert series["change_points"] == []
