"""What may still change says so, of how many runs it is, and loses the mark with the end."""

import re
from uuid import UUID

import pytest
from weighhouse_backend.gates.settlement import CampaignSettlementService

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

WORDS = r"so far, 2 of 4 runs, at \d{4}-\d\d-\d\d \d\d:\d\d UTC"
CELL = {"workload": "balanced", "load_level": "4 clients"}
ANSWERS = (
    ("/comparisons", {}),
    ("/comparisons/answer", {}),
    ("/comparisons/distributions", CELL),
    ("/comparisons/scaling", {}),
    ("/comparisons/footprint", CELL),
    ("/comparisons/costs", {}),
)
"""Whatever shows figures of sides."""


def report(order):
    return whole_run(seed=order["seed"] % 5)


@pytest.fixture(scope="module")
def half(laboratory):
    """A campaign of four runs, of which two are measured; measured to its end afterwards."""
    campaign = laboratory.campaign(experiment("half", repetitions=2))
    laboratory.measure(report, 2)
    yield campaign
    if laboratory.get(f"/campaigns/{campaign}")["runs"]["queued"]:
        laboratory.measure(report, 2)


@pytest.fixture(scope="module")
def whole(laboratory, half):
    """The same, measured to its end."""
    laboratory.measure(report, 2)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(half))
    )
    return half


@pytest.mark.parametrize(("path", "more"), ANSWERS)
def test_every_answer_says_of_how_many_runs_it_is(laboratory, half, path, more):
    found = laboratory.get(path, campaign=half, **more)["completeness"]
    assert not found["complete"]
    assert (found["runs_ended"], found["runs"]) == (2, 4)
    assert re.fullmatch(WORDS, found["words"])
    (going,) = found["under_way"]
    assert (going["campaign_id"], going["runs_ended"], going["runs"]) == (half, 2, 4)


def test_sides_say_how_many_of_their_runs_are_there(laboratory, half):
    sides = laboratory.get("/comparisons", campaign=half)["sides"]
    assert [(side["under_way"], side["runs_ended"], side["runs"]) for side in sides] == [
        (True, 1, 2),
        (True, 1, 2),
    ]


def test_a_campaign_says_it_in_lists_too_and_when_it_is_paused(laboratory, half):
    assert re.fullmatch(WORDS, laboratory.get(f"/campaigns/{half}")["completeness"]["words"])
    listed = laboratory.get("/campaigns", limit=1)["items"][0]
    assert listed["completeness"]["words"].startswith("so far, 2 of 4 runs, at ")
    paused = laboratory.client.post(f"/api/v1/campaigns/{half}/pause", headers=laboratory.headers)
    assert paused.json()["completeness"]["words"].startswith("so far, 2 of 4 runs, paused, at ")
    laboratory.client.post(f"/api/v1/campaigns/{half}/resume", headers=laboratory.headers)


def test_a_histogram_of_a_side_begins_with_it_and_is_called_so(laboratory, half):
    answer = laboratory.client.get(
        "/api/v1/comparisons/histogram",
        params={"side": f"{half}~redis", **CELL, "format": "hgrm"},
        headers=laboratory.headers,
    )
    assert answer.text.startswith("# so far, 2 of 4 runs, at ")
    assert "so-far-2-of-4-runs-at-" in answer.headers["content-disposition"]


def test_a_run_is_complete_when_it_is_over_whatever_its_campaign_does(laboratory, half):
    cells = laboratory.get(f"/campaigns/{half}")["cells"]
    runs = {run["status"]: run["id"] for cell in cells for run in cell["runs"]}
    over = laboratory.get(f"/runs/{runs['completed']}")["completeness"]
    assert (over["complete"], over["words"]) == (True, "")
    to_come = laboratory.get(f"/runs/{runs['queued']}")["completeness"]
    assert to_come["words"].startswith("so far, the run is not over, at ")


@pytest.mark.parametrize(("path", "more"), ANSWERS)
def test_with_the_end_the_mark_is_gone(laboratory, whole, path, more):
    found = laboratory.get(path, campaign=whole, **more)["completeness"]
    assert (found["complete"], found["words"], found["under_way"]) == (True, "", [])


def test_a_file_of_what_is_complete_has_no_mark(laboratory, whole):
    answer = laboratory.client.get(
        "/api/v1/comparisons/histogram",
        params={"side": f"{whole}~redis", **CELL, "format": "hgrm"},
        headers=laboratory.headers,
    )
    assert "so far" not in answer.text
    assert "so-far" not in answer.headers["content-disposition"]


def test_more_repeats_make_what_was_complete_incomplete_again(laboratory):
    campaign = laboratory.carry_out(experiment("again", repetitions=2), report)
    assert laboratory.get("/comparisons", campaign=campaign)["completeness"]["complete"]
    laboratory.client.post(
        f"/api/v1/campaigns/{campaign}/repeats", json={"count": 1}, headers=laboratory.headers
    )
    found = laboratory.get("/comparisons", campaign=campaign)
    assert found["completeness"]["words"].startswith("so far, 4 of 6 runs, at ")
    assert [side["under_way"] for side in found["sides"]] == [True, True]
    laboratory.measure(report, 2)
    assert (
        "6 of 6 runs, not settled yet"
        in (laboratory.get("/comparisons", campaign=campaign)["completeness"]["words"])
    )
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    assert laboratory.get("/comparisons", campaign=campaign)["completeness"]["complete"]


def test_of_two_campaigns_the_one_that_goes_on_is_named(laboratory):
    document = experiment("two", repetitions=1)
    before = laboratory.carry_out(document, report)
    going = laboratory.campaign(document)
    sides = [f"{before}~redis", f"{going}~redis"]
    found = laboratory.get("/comparisons", side=sides)
    assert [side["under_way"] for side in found["sides"]] == [False, True]
    assert [one["campaign_id"] for one in found["completeness"]["under_way"]] == [going]
    assert "0 of 2 runs" in found["completeness"]["words"]
    laboratory.measure(report, 2)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(going))
    )
