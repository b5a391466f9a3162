"""Two settings of one system have names wherever they are told of, and the same ones."""

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

TWO = [
    {"name": "redis", "system": "redis", "parameters": {"appendonly": True}},
    {"name": "redis-2", "system": "redis", "parameters": {"hz": 20}},
]
NAMES = ["Redis, hz 10", "Redis, hz 20"]
IDENTIFIER = "redis-2"
NOISE = (0, 1, -1, 2, -2)


def reporting(factor: float = 1.0):
    """The second setting is half as quick again; `factor` as quick as usual."""
    places = {target["name"]: iter(NOISE * 2) for target in TWO}

    def measured(order):
        name = order["target"]["name"]
        rate = round((600 if name == IDENTIFIER else 400) * factor) + next(places[name])
        return whole_run(seed=order["seed"] % 5, rate=rate)

    return measured


@pytest.fixture(scope="module")
def two_settings(laboratory) -> str:
    return laboratory.carry_out(experiment("settings", targets=TWO), reporting())


def test_page_comparison_lead_and_readings_have_one_name(laboratory, two_settings):
    targets = laboratory.get(f"/campaigns/{two_settings}")["targets"]
    assert [one["label"] for one in targets] == NAMES
    found = laboratory.get("/comparisons", campaign=two_settings)
    assert [side["label"] for side in found["sides"]] == NAMES
    (lead,) = found["leads"]
    assert f"{NAMES[1]}, leads" in lead["sentence"]
    said = [lead["sentence"], lead["sure"], *(one["sentence"] for one in found["readings"])]
    assert not [one for one in said if IDENTIFIER in one]


def test_caveats_and_disclosure_have_it_too(laboratory, two_settings):
    found = laboratory.get("/comparisons", campaign=two_settings)
    assert not [one for one in found["caveats"] if IDENTIFIER in one["text"] + one["title"]]
    assert any(item["label"] == f"{NAMES[1]}, version" for item in found["disclosure"]["items"])


def test_costs_runs_and_histograms_have_it_too(laboratory, two_settings):
    costs = laboratory.get("/comparisons/costs", campaign=two_settings)
    assert [side["label"] for side in costs["sides"]] == NAMES
    cells = laboratory.get(f"/campaigns/{two_settings}")["cells"]
    (run,) = [cell["runs"][0]["id"] for cell in cells if cell["target"] == IDENTIFIER]
    assert laboratory.get(f"/runs/{run}")["target_name"] == NAMES[1]
    answer = laboratory.client.get(
        f"/api/v1/runs/{run}/histogram", params={"format": "hgrm"}, headers=laboratory.headers
    )
    assert f"target {IDENTIFIER} ({NAMES[1]})" in answer.text
    assert "redis-hz-20-" in answer.headers["content-disposition"]


def test_series_verdicts_and_drafts_have_it_too(laboratory, two_settings):
    names = {one["target"]: one["target_name"] for one in laboratory.get("/series")["items"]}
    assert names[IDENTIFIER] == NAMES[1]
    document = experiment("settings", targets=TWO)
    for _ in range(4):
        laboratory.carry_out(document, reporting())
    slower = laboratory.carry_out(document, reporting(0.5))
    gate = laboratory.get(f"/campaigns/{slower}/gate")
    assert f"{NAMES[0]}, balanced, 4 clients" in gate["message"]
    assert f"{IDENTIFIER}, " not in gate["message"]


def test_campaigns_part_one_target_by_their_numbers(laboratory, two_settings):
    again = laboratory.carry_out(experiment("settings", targets=TWO), reporting())
    numbers = [laboratory.get(f"/campaigns/{one}")["number"] for one in (two_settings, again)]
    sides = [f"{one}~redis" for one in (two_settings, again)]
    found = laboratory.get("/comparisons", side=sides)
    assert [side["label"] for side in found["sides"]] == [f"Redis № {one}" for one in numbers]
    paired = laboratory.get("/comparisons", campaign=again, base=two_settings)
    assert [side["label"] for side in paired["sides"]] == [
        f"{name}, № {number}" for name in NAMES for number in numbers
    ]
