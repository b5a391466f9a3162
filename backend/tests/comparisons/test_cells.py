"""A comparison of one cell: it shows that one, and says of it what is said among all of them."""

import pytest

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

LEVELS = [{"model": "closed", "clients": clients} for clients in (4, 8)]
CELL = "balanced~8 clients"


@pytest.fixture(scope="module")
def two(laboratory):
    """Memcached is half as quick again at four clients, and as quick at eight."""

    def measured(order):
        name, clients = order["target"]["name"], order["load"]["clients"]
        rate = 600 if name == "memcached" and clients == 4 else 400
        return whole_run(seed=order["seed"] % 5, rate=rate + order["seed"] % 3, median_us=100.0)

    return laboratory.carry_out(experiment("cells", load_levels=LEVELS), measured)


def test_it_shows_that_cell_alone(laboratory, two):
    found = laboratory.get("/comparisons", campaign=two, cell=CELL)
    assert {one["load_level"]["label"] for one in found["cells"]} == {"8 clients"}
    assert {one["load_level"]["label"] for one in found["differences"]} == {"8 clients"}
    assert [one["label"] for one in found["load_levels"]] == ["8 clients"]
    assert len(found["cells"]) == len(found["sides"]) == 2
    (lead,) = found["leads"]
    assert lead["cells"] == 1
    (reading,) = found["readings"]
    assert "4 clients" not in reading["sentence"]


def test_no_verdict_changes(laboratory, two):
    whole = laboratory.get("/comparisons", campaign=two)
    found = laboratory.get("/comparisons", campaign=two, cell=CELL)
    assert found["differences"] == [
        one for one in whole["differences"] if one["load_level"]["label"] == "8 clients"
    ]
    assert len(whole["differences"]) == 2 * len(found["differences"])
    answer = laboratory.get("/comparisons/answer", campaign=two, cell=CELL)
    assert (answer["leads"], answer["readings"]) == (found["leads"], found["readings"])
    assert laboratory.get("/comparisons", campaign=two)["leads"] != found["leads"]


def test_what_goes_with_it_is_of_that_cell(laboratory, two):
    costs = laboratory.get("/comparisons/costs", campaign=two, cell=CELL)
    assert {one["load_level"]["label"] for one in costs["cells"]} == {"8 clients"}
    assert laboratory.get("/comparisons/scaling", campaign=two, cell=CELL)["lines"] == []


@pytest.mark.parametrize("cell", ["balanced~9 clients", "nothing~8 clients", "balanced", "~", "x~"])
def test_a_cell_that_is_none_is_refused(laboratory, two, cell):
    answer = laboratory.client.get(
        "/api/v1/comparisons", params={"campaign": two, "cell": cell}, headers=laboratory.headers
    )
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("comparison-unclear")
