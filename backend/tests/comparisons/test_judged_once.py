"""A comparison is judged once, whoever asks for what of it, and only where verdicts are shown."""

import pytest
from weighhouse_testing.judgements import counted

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report

TARGETS = [
    {"name": "redis", "system": "redis"},
    {"name": "memcached", "system": "memcached"},
    {"name": "other", "system": "memcached"},
]
CELL = {"workload": "balanced", "load_level": "4 clients"}
JUDGED_BY = 5
"""Figures at least of two cells: throughput, three percentiles, memory."""
PAIRS = 2
"""Sides against the baseline."""
JUDGING = {
    "page": ("/comparisons", {}),
    "one cell": ("/comparisons", {"cell": "balanced~4 clients"}),
    "a percentile of choice": ("/comparisons", {"also": "p975_us"}),
    "answer": ("/comparisons/answer", {}),
    "answer by a percentile": ("/comparisons/answer", {"figure": "p97_us"}),
    "costs": ("/comparisons/costs", {}),
    "caveats": ("/campaigns/{campaign}/caveats", None),
    "headline": ("/headlines", {}),
}
WITHOUT = {
    "scaling": ("/comparisons/scaling", {}, 1),
    "distributions": ("/comparisons/distributions", CELL, 0),
    "footprint": ("/comparisons/footprint", CELL, 0),
}
"""What shows no verdict, and how often it reads figures of campaigns."""


@pytest.fixture(scope="module")
def campaign(laboratory) -> str:
    """Three sides at two levels, five repeats of each."""
    levels = [{"model": "closed", "clients": clients} for clients in (2, 4)]
    return laboratory.carry_out(experiment("once", targets=TARGETS, load_levels=levels), report)


@pytest.fixture
def worked():
    with counted() as found:
        yield found


@pytest.mark.parametrize("name", JUDGING)
def test_no_pair_is_judged_twice_and_figures_are_read_once(laboratory, campaign, worked, name):
    path, asked = JUDGING[name]
    laboratory.get(
        path.format(campaign=campaign), **({} if asked is None else {**asked, "campaign": campaign})
    )
    assert worked.again == []
    assert PAIRS * JUDGED_BY <= worked.judged <= worked.asked.total()
    assert worked.readings == 1


def test_each_ranking_is_worked_out_once(laboratory, campaign, worked):
    found = laboratory.get("/comparisons", campaign=campaign)["rankings"]
    assert worked.ranked == len(found) > 0


@pytest.mark.parametrize("name", WITHOUT)
def test_what_shows_no_verdict_judges_nothing(laboratory, campaign, worked, name):
    path, asked, readings = WITHOUT[name]
    laboratory.get(path, **asked, campaign=campaign)
    assert (worked.judged, worked.ranked, worked.readings) == (0, 0, readings)


def test_the_disclosure_reads_figures_once_and_judges_nothing(laboratory, campaign, worked):
    laboratory.get(f"/campaigns/{campaign}/disclosure")
    assert (worked.judged, worked.readings) == (0, 1)
