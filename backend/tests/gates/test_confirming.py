"""What seems worse is measured once more: what is planned, said, and which figures it is not in."""

from uuid import UUID

import pytest
from weighhouse_backend.gates.bases import BaseService
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.series.repository import SeriesRepository

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report

LEVELS = [{"model": "closed", "clients": 1}, {"model": "closed", "clients": 8}]
SIDE = {"targets": [{"name": "redis", "system": "redis"}], "load_levels": LEVELS}


def based(laboratory, slug, **changes):
    """An experiment whose campaigns are known: six of them that were alike."""
    document = experiment(slug, **{**SIDE, **changes})
    for factor in (1.0, 1.004, 0.997, 1.002, 0.998, 1.001):
        laboratory.carry_out(document, lambda order, factor=factor: report(order, factor=factor))
    return document


def slow(order, *factors):
    """With one client as slow as `factors[0]`, with eight as `factors[1]`."""
    return report(order, factor=factors[order["load"]["clients"] > 1])


def settle(laboratory, campaign):
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    return laboratory.get(f"/campaigns/{campaign}")


def twins(found):
    return {
        cell["load_level"]["value"]: [run["twin"] for run in cell["runs"]]
        for cell in found["cells"]
    }


@pytest.fixture(scope="module")
def taken_back(laboratory):
    """Slow with one client, and not when that was measured again."""
    document = based(laboratory, "known")
    campaign = laboratory.campaign(document)
    laboratory.measure(lambda order: slow(order, 0.75, 1.0), 10)
    opened = settle(laboratory, campaign)
    orders = laboratory.measure(report, 5)
    return opened, orders, settle(laboratory, campaign)


def test_only_what_seems_worse_is_measured_again(taken_back):
    opened, orders, ended = taken_back
    assert (opened["status"], opened["verdict"], opened["runs"]["queued"]) == ("running", None, 5)
    assert {order["load"]["clients"] for order in orders} == {1}
    assert twins(ended) == {1: [0] * 5 + [2] * 5, 8: [0] * 5}
    assert len({order["seed"] for order in orders}) == 5
    (look,) = ended["looks"]
    assert (look["decision"], look["runs_planned"]) == ("again", 5)
    assert look["reason"] == "1 cell seems worse, and is measured once more"


def test_both_figures_are_kept_and_it_is_unclear(laboratory, taken_back):
    ended = taken_back[2]
    gate = laboratory.get(f"/campaigns/{ended['id']}/gate")
    assert (ended["status"], gate["verdict"], gate["exit_code"]) == (
        "completed", "inconclusive", 2,
    )  # fmt: skip
    one, other = gate["cells"]
    assert (one["outcome"], one["taken_back"], one["stopped_by"]) == ("unclear", True, None)
    assert one["first"]["relative"] == pytest.approx(-0.25, abs=0.01)
    assert one["again"]["relative"] == pytest.approx(0.0, abs=0.01)
    assert (one["again"]["repeats"], other["again"]) == (5, None)
    assert "seemed worse by \u22122" in gate["message"]
    assert gate["message"].endswith(": taken back.")


def test_the_second_measurement_is_in_no_other_figure(laboratory, taken_back):
    ended = taken_back[2]
    comparison = laboratory.get("/comparisons", campaign=ended["id"])
    assert {cell["throughput"]["repeats"] for cell in comparison["cells"]} == {5}
    level = next(one for one in comparison["cells"] if one["load_level"]["value"] == 1)
    assert level["throughput"]["median"] == pytest.approx(300, abs=3)
    listed = laboratory.get("/series", metric="throughput")["items"]
    mine = [one for one in listed if one["experiment"]["name"] == "Known"]
    for series in mine:
        points = laboratory.get(f"/series/{series['id']}")["points"]
        assert {len(point["repeats"]) for point in points} == {5}


def test_settling_again_measures_nothing_a_third_time(laboratory, taken_back):
    ended = taken_back[2]
    assert settle(laboratory, ended["id"]) == ended


def test_what_is_worse_again_is_a_regression_and_no_noise(laboratory):
    document = based(laboratory, "slower")
    campaign = laboratory.carry_out(document, lambda order: slow(order, 0.75, 0.75))
    found = laboratory.get(f"/campaigns/{campaign}")
    gate = laboratory.get(f"/campaigns/{campaign}/gate")
    assert (found["verdict"], gate["exit_code"]) == ("regression", 1)
    assert twins(found) == dict.fromkeys((1, 8), [0] * 5 + [2] * 5)
    assert {cell["outcome"] for cell in gate["cells"]} == {"worse"}
    assert ", measured again \u22122" in gate["message"]
    assert campaign not in past(laboratory, campaign)
    accepted = laboratory.client.put(
        f"/api/v1/campaigns/{campaign}/acceptance",
        json={"note": "wanted"},
        headers=laboratory.headers,
    )
    assert accepted.status_code == 200, accepted.text
    assert campaign in past(laboratory, campaign)


def test_what_was_taken_back_tells_of_noise(laboratory, taken_back):
    campaign = taken_back[2]["id"]
    assert campaign in past(laboratory, campaign)


def past(laboratory, campaign):
    """The campaigns from which is learned what noise is, by identifier."""
    found = set()

    def look(services):
        own = services.get(BaseService).cells([UUID(campaign)])[UUID(campaign)]
        experiment_id = services.get(GateRepository).campaigns([UUID(campaign)])[0].experiment_id
        identities = {cell.identity().digest for cell in own.values()}
        rows = services.get(SeriesRepository).past(experiment_id, identities, None, (), 60)
        found.update(str(row.campaign_id) for row in rows)

    laboratory.work(look)
    return found


def test_who_does_not_want_it_has_a_verdict_at_once(laboratory):
    document = based(laboratory, "quick", thresholds={"confirm": False})
    campaign = laboratory.campaign(document)
    laboratory.measure(lambda order: slow(order, 0.75, 1.0), 10)
    found = settle(laboratory, campaign)
    assert (found["status"], found["verdict"], found["looks"]) == ("completed", "regression", [])


def test_what_could_not_be_measured_again_stays_a_regression(laboratory):
    document = based(laboratory, "broken")
    campaign = laboratory.campaign(document)
    laboratory.measure(lambda order: slow(order, 0.75, 1.0), 10)
    assert settle(laboratory, campaign)["status"] == "running"
    laboratory.measure(lambda order: [], 5)
    found = settle(laboratory, campaign)
    assert (found["status"], found["verdict"]) == ("completed", "regression")
    (cell, _) = laboratory.get(f"/campaigns/{campaign}/gate")["cells"]
    assert (cell["outcome"], cell["again"], cell["taken_back"]) == ("worse", None, False)


def test_how_often_the_gate_was_wrong_is_counted(laboratory, taken_back, tenants):
    project = taken_back[2]["project_id"]
    before = laboratory.get("/gate-record", project_id=project)
    assert before["taken_back"] >= 1
    document = based(laboratory, "counted")
    known = laboratory.get("/gate-record", project_id=project)
    assert known["verdicts"] == before["verdicts"] + 5, "the first of six compares nothing"
    laboratory.carry_out(document, lambda order: slow(order, 0.75, 0.75))
    after = laboratory.get("/gate-record", project_id=project)
    assert after["verdicts"] == known["verdicts"] + 1
    assert after["regressions"] == before["regressions"] + 1
    assert (after["taken_back"], after["equals"]) == (before["taken_back"], 0)
    assert after["message"] == (
        f"{after['verdicts']} verdicts: {after['regressions']} regressions, 1 taken back by a "
        "second measurement; 0 of 0 alerts closed as noise; nothing was measured against itself "
        "(A/A) yet."
    )
    path = f"/api/v1/gate-record?project_id={project}"
    assert laboratory.client.get(path, headers=tenants[1].headers).status_code in {403, 404}


def test_what_was_measured_against_itself_counts(laboratory):
    document = experiment("mirrored", scenario="noise", **{**SIDE, "load_levels": LEVELS[:1]})
    campaign = laboratory.carry_out(document, report)
    project = laboratory.get(f"/campaigns/{campaign}")["project_id"]
    found = laboratory.get("/gate-record", project_id=project)
    assert (found["equals"], found["equals_changed"]) == (1, 0)
    assert found["message"].endswith("; A/A: 0 of 1 equal cells seemed changed.")
