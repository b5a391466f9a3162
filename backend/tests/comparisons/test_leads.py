"""Who leads, over real rows: by a figure of choice, among the sides on show."""

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run
from backend.tests.results.sides import base_alike_slower

THREE = [
    {"name": "redis", "system": "redis"},
    {"name": "memcached", "system": "memcached"},
    {"name": "other", "system": "memcached"},
]
NOISE = {"redis": (0, 1, -1, 2, -2), "memcached": (2, -2, 1, -1, 0), "other": (-2, 2, -1, 1, 0)}
"""Of each block; the two that are equal differ by as much to one side as to the other."""


@pytest.fixture(scope="module")
def three(laboratory) -> str:
    """Redis, and twice a Memcached that is half as quick again."""
    noise = {name: iter(of_blocks) for name, of_blocks in NOISE.items()}

    def measured(order):
        name = order["target"]["name"]
        rate = (400 if name == "redis" else 600) + next(noise[name])
        return whole_run(
            seed=order["seed"] % 5, rate=rate, median_us=100.0 if name == "redis" else 300.0
        )

    return laboratory.carry_out(experiment("leads", targets=THREE), measured)


def lead_of(answer):
    (found,) = answer["leads"]
    return found


def test_sides_that_are_alike_share_the_lead_and_nobody_has_it(laboratory, three):
    found = lead_of(laboratory.get("/comparisons", campaign=three))
    assert (found["kind"], found["leaders"], found["metric"]) == ("nobody", [], "throughput")
    assert (found["cells"], found["decided"], found["level"]) == (1, 0, 1)
    assert (found["fewest_repeats"], found["most_repeats"]) == (5, 5)
    assert "Nobody leads: " in found["sentence"]
    standings = {one["side"].partition("~")[2]: one["words"] for one in found["standings"]}
    assert standings == {"memcached": "1st to 2nd", "other": "1st to 2nd", "redis": "3rd"}


def test_a_side_says_whether_more_of_it_is_to_come(laboratory, three):
    whole = laboratory.get("/comparisons", campaign=three)
    assert [side["under_way"] for side in whole["sides"]] == [False] * 3
    begun = laboratory.campaign(experiment("begun", targets=THREE[:2], repetitions=2))
    laboratory.measure(lambda order: whole_run(seed=order["seed"] % 5), 2)
    half = laboratory.get("/comparisons", campaign=begun)
    assert [side["under_way"] for side in half["sides"]] == [True] * 2
    laboratory.measure(lambda order: whole_run(seed=order["seed"] % 5), 2)


def test_hidden_sides_have_no_part_and_no_verdict_changes(laboratory, three):
    whole = laboratory.get("/comparisons", campaign=three)
    answer = laboratory.get("/comparisons/answer", campaign=three, hidden=[2])
    found = lead_of(answer)
    label = next(one["label"] for one in whole["sides"] if one["target"] == "memcached")
    assert found["sentence"].endswith(f"{label}, leads: most throughput in the only cell.")
    assert found["leaders"] == [f"{three}~memcached"]
    assert "5 repeats a side" in found["sure"]
    (reading,) = answer["readings"]
    assert reading in whole["readings"]
    assert reading["short"].startswith("more in 1 of 1, ×1.5")


def test_of_a_latency_the_shortest_leads(laboratory, three):
    answer = laboratory.get("/comparisons/answer", campaign=three, figure="p99_us")
    found = lead_of(answer)
    assert found["leaders"] == [f"{three}~redis"]
    assert found["sentence"].endswith(" leads: shortest p99 latency in the only cell.")
    assert {one["metric"] for one in answer["readings"]} == {"p99_us"}
    assert {one["more"] for one in answer["readings"]} == {1}


def test_an_unknown_figure_is_told_with_those_that_are_compared(laboratory, three):
    answer = laboratory.client.get(
        "/api/v1/comparisons/answer",
        params={"campaign": three, "figure": "speed"},
        headers=laboratory.headers,
    )
    assert answer.status_code == 422
    assert "'speed'" in answer.text
    assert "throughput" in answer.text


def test_targets_against_themselves_do_more_or_less_and_none_leads(laboratory):
    base, _, slower = base_alike_slower(laboratory, before=4)
    found = lead_of(laboratory.get("/comparisons", campaign=slower, base=base))
    assert (found["kind"], found["leaders"], found["standings"]) == ("by_target", [], [])
    assert "Of 2 targets, 2 have less throughput than in the base (" in found["sentence"]


def test_figures_that_cannot_be_true_bar_the_claim(laboratory, three):
    """The laboratory's clients were slower than their latencies say."""
    found = laboratory.get("/comparisons", campaign=three)
    barred = [one["short"] for one in found["caveats"] if one["severity"] == "bar"]
    assert barred == ["Latency leaves out clients' time"]
    lead = lead_of(found)
    assert lead["barred_by"] == ["Latency leaves out clients' time, 15 of 15 runs"]
    assert lead["sentence"].startswith("Not to be relied on (Latency leaves out clients' time")
    fewer = lead_of(laboratory.get("/comparisons/answer", campaign=three, hidden=[1]))
    assert fewer["barred_by"] == ["Latency leaves out clients' time, 10 of 10 runs"]


def test_too_few_repeats_lead_to_nothing(laboratory):
    document = experiment("leads-of-few", targets=THREE[:2], repetitions=3)
    few = laboratory.carry_out(document, lambda order: whole_run(seed=order["seed"] % 5))
    found = lead_of(laboratory.get("/comparisons", campaign=few))
    assert found["kind"] == "too_few"
    assert found["sentence"].endswith(
        "Nobody can be said to lead: 3 repeats a side are too few to tell; 5 would do."
    )
