"""What a campaign came to is told in the same words wherever it is told."""

from uuid import UUID

import pytest
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.notices.messages import DISCLOSURE, Message, as_document, text_of

from backend.tests.notices.kept import notices_of
from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

CLIENTS, BUSY_US = 4, 910_000
"""The median of a time whose mean is all of the clients' but a hundredth."""


def measured(order):
    """Memcached does half as much again."""
    quicker = order["target"]["name"] == "memcached"
    rate = 600 if quicker else 400
    return whole_run(seed=order["seed"] % 5, rate=rate, median_us=CLIENTS / rate * BUSY_US)


def failing(order):
    """The same, but every run of Redis crashes."""
    return [] if order["target"]["name"] == "redis" else measured(order)


@pytest.fixture(scope="module")
def done(laboratory) -> str:
    """A campaign in which one side leads."""
    return laboratory.carry_out(experiment("headline"), measured)


@pytest.fixture(scope="module")
def halved(laboratory) -> str:
    """A campaign half of whose runs failed."""
    return laboratory.carry_out(experiment("halved", repetitions=2), failing)


def told(laboratory, *campaigns):
    return laboratory.get("/headlines", campaign=list(campaigns))


def notice(laboratory, session_factory, campaign):
    project = UUID(laboratory.get(f"/campaigns/{campaign}")["project_id"])
    found = [one for one in notices_of(session_factory, project) if one.path.endswith(campaign)]
    return next(one for one in found if one.kind == "campaign_done")


def test_a_list_has_the_comparisons_own_headline(laboratory, done, halved):
    listed = told(laboratory, done, halved, done)
    assert [one["campaign_id"] for one in listed] == [done, halved]
    for one in listed:
        comparison = laboratory.get("/comparisons", campaign=one["campaign_id"])
        assert one == comparison["headline"] | {"campaign_id": one["campaign_id"]}
        (lead,) = comparison["leads"]
        assert (one["sentence"], one["sure"]) == (lead["sentence"], lead["sure"])


def test_who_leads_and_that_half_failed_is_what_the_badge_says(laboratory, done, halved):
    one, other = told(laboratory, done, halved)
    assert (one["badge"], one["tone"], one["failed"]) == ("Memcached leads", "told", "")
    assert one["sentence"].startswith("Memcached leads: most throughput in the only cell")
    assert other["badge"] == other["failed"] == "Half failed: 2 of 4 runs"
    assert laboratory.get(f"/campaigns/{halved}")["runs"]["failed"] == 2


def test_of_a_campaign_under_way_it_is_so_far(laboratory):
    begun = laboratory.campaign(experiment("begun-headline", repetitions=2))
    laboratory.measure(measured, 2)
    (half,) = told(laboratory, begun)
    assert half["so_far"]
    assert half["badge"] == "So far: nobody can be said to lead"
    laboratory.measure(measured, 2)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(begun))
    )
    (whole,) = told(laboratory, begun)
    assert (whole["badge"], whole["so_far"]) == ("Nobody can be said to lead", False)


def test_bell_letter_and_webhook_say_the_same(laboratory, session_factory, done, halved):
    for campaign in (done, halved):
        (headline,) = told(laboratory, campaign)
        kept = notice(laboratory, session_factory, campaign)
        assert kept.title.endswith(f" is done: {headline['badge']}")
        assert headline["sentence"] in kept.words
        if headline["sure"]:
            assert f"How sure: {headline['sure']}." in kept.words
        assert headline["failed"] in kept.words
        assert kept.words.endswith("Gate: no base.")
        message = Message(
            id=kept.id, kind=kept.kind, title=kept.title, words=kept.words, url="https://here",
            project_id=kept.project_id, project="p", at=kept.at,
        )  # fmt: skip
        letter = text_of([message], "https://settings", "why")
        assert headline["sentence"] in letter
        assert DISCLOSURE in letter
        body = as_document(message)
        assert (body["title"], body["text"]) == (kept.title, kept.words)
        assert body["disclosure"] == DISCLOSURE


def test_sides_of_other_questions_are_told_of_their_own_runs(laboratory, done, halved):
    sides = [f"{done}~memcached", f"{halved}~memcached", f"{halved}~redis"]
    found = laboratory.get("/comparisons", side=sides)["headline"]
    assert found["failed"] == "2 of 9 runs failed"


def test_a_side_is_read_over_the_cells_that_who_leads_is_counted_over(laboratory):
    """A cell that two of three sides have is none of another whole."""
    three = [
        {"name": "redis", "system": "redis"},
        {"name": "memcached", "system": "memcached"},
        {"name": "other", "system": "memcached"},
    ]
    document = experiment(
        "wholes", targets=three, repetitions=1,
        load_levels=[{"model": "closed", "clients": 1}, {"model": "closed", "clients": 4}],
        exclusions=[{"target": "redis", "load": "4 clients"},
                    {"target": "memcached", "load": "4 clients"}],
    )  # fmt: skip
    campaign = laboratory.carry_out(document, measured)
    comparison = laboratory.get("/comparisons", campaign=campaign)
    assert {lead["cells"] for lead in comparison["leads"]} == {2}
    assert {reading["cells"] for reading in comparison["readings"]} == {2}
