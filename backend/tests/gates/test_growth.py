"""Campaigns that are looked at while they grow: only undecided cells get more blocks."""

import collections
from uuid import UUID

import pytest
from weighhouse_backend.campaigns.courses import standing
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.plan import PlannedCell
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.gates.undecided import CampaignFigures, look
from weighhouse_backend.runs.models import CampaignLook
from weighhouse_judging.verdicts.sides import judge
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run
from backend.tests.results.sides import weigh

LEVELS = [{"model": "closed", "clients": 1}, {"model": "closed", "clients": 8}]
NOISE = (-0.015, 0.01, 0.015, -0.01, 0.005, -0.005, 0.0125, -0.0125)
OTHER_NOISE = tuple(NOISE[(3 * index + 5) % len(NOISE)] for index in range(len(NOISE)))
AT_MOST = 9
DISTURBED = AT_MOST - 1
"""Place of the block in which Memcached is disturbed, just before its sides would be told apart."""


@pytest.fixture(scope="module", autouse=True)
def weighed(laboratory):
    """How much campaigns differ is known here."""
    weigh(laboratory)


def reporter(factors):
    """Memcached is `factors[clients]` times as quick as Redis; a few percent of noise, by the block
    alone: in which order its targets were drawn changes nothing.
    """
    blocks = {}

    def reported(order):
        clients, quick = order["load"]["clients"], order["target"]["name"] == "memcached"
        known = sum(one == clients for one, _ in blocks)
        block = blocks.setdefault((clients, order["seed"]), known)
        noise = (OTHER_NOISE if quick else NOISE)[block % len(NOISE)]
        noise -= 0.05 if quick and block == DISTURBED else 0.0
        rate = round(400 * (factors[clients] if quick else 1.0) * (1 + noise))
        return whole_run(seed=block % len(NOISE), rate=rate)

    return reported


def grown(laboratory, slug, factors, repetitions, levels=LEVELS):
    """A campaign that is carried out until it is settled for good; with its orders."""
    document = experiment(slug, load_levels=levels, repetitions=repetitions)
    campaign = laboratory.campaign(document)
    return campaign, finish(laboratory, campaign, factors)


def finish(laboratory, campaign, factors):
    orders, reported = [], reporter(factors)
    while True:
        queued = laboratory.get(f"/campaigns/{campaign}")["runs"]["queued"]
        orders += laboratory.measure(reported, queued)
        laboratory.work(
            lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
        )
        if laboratory.get(f"/campaigns/{campaign}")["status"] != "running":
            return orders


@pytest.fixture(scope="module")
def large_and_small(laboratory):
    """With one client the sides differ by far; with eight by somewhat more than the threshold."""
    return grown(laboratory, "growing", {1: 2.0, 8: 1.055}, {"at_least": 5, "at_most": AT_MOST})


def by_level(campaign):
    found = collections.defaultdict(dict)
    for cell in campaign["cells"]:
        found[cell["load_level"]["value"]][cell["target"]] = cell
    return found


def test_only_the_undecided_cells_get_more_blocks(laboratory, large_and_small):
    campaign = laboratory.get(f"/campaigns/{large_and_small[0]}")
    cells = by_level(campaign)
    assert {len(cell["runs"]) for cell in cells[1].values()} == {5}
    assert {cell["course"] for cell in cells[1].values()} == {"decided"}
    assert {len(cell["runs"]) for cell in cells[8].values()} == {9}
    assert {cell["course"] for cell in cells[8].values()} == {"at_most"}
    assert "changed" in cells[1]["memcached"]["course_reason"]
    assert "inconclusive" in cells[8]["redis"]["course_reason"]
    assert (campaign["status"], campaign["repetitions"]) == ("completed", 5)
    assert campaign["sequential"] == {
        "at_least": 5, "at_most": 9, "half_width_percent": None,
        "cells_decided": 4, "blocks_saved": 2 * 4,
    }  # fmt: skip


def test_every_look_is_on_record(laboratory, large_and_small):
    looks = laboratory.get(f"/campaigns/{large_and_small[0]}")["looks"]
    assert [look["number"] for look in looks] == list(range(1, 6))
    assert [look["decision"] for look in looks] == ["more"] * 4 + ["enough"]
    assert [look["cells_undecided"] for look in looks] == [2] * 4 + [0]
    assert [look["runs_planned"] for look in looks] == [2] * 4 + [0]
    assert looks[0]["reason"] == "2 of 4 cells are decided, 2 get one more block"
    assert looks[-1]["reason"] == "2 of 4 cells are decided, 2 are at the 9 repeats asked for"


def test_what_was_looked_at_is_judged_by_what_holds_at_every_look(laboratory, large_and_small):
    found = laboratory.get("/comparisons", campaign=large_and_small[0])
    difference = next(
        one for one in found["differences"]
        if one["metric"] == "throughput" and one["load_level"]["value"] == 8
    )  # fmt: skip
    base, other = (
        {place: repeat["throughput"] for place, repeat in enumerate(cell["repeats"])}
        for side in (difference["baseline_side"], difference["side"])
        for cell in found["cells"]
        if cell["side"] == side and cell["load_level"]["value"] == 8
    )
    often, once = (judge(CATALOGUE["throughput"], base, other, looked_at=looked)
                   for looked in (True, False))  # fmt: skip
    assert (difference["low"], difference["high"]) == pytest.approx((often.low, often.high))
    assert often.high - often.low > 1.2 * (once.high - once.low)


def test_added_blocks_are_blocks_as_the_others(laboratory, large_and_small):
    campaign, orders = large_and_small
    added = orders[5 * 4 :]
    for first, second in zip(added[::2], added[1::2], strict=True):
        assert {first["target"]["name"], second["target"]["name"]} == {"redis", "memcached"}
        assert first["seed"] == second["seed"]
    assert len({order["seed"] for order in orders}) == 5 * 2 + 4
    first = {order["target"]["name"] for order in orders[::2]}
    assert first == {"redis", "memcached"}, "the order inside a block is drawn"
    repeats = by_level(laboratory.get(f"/campaigns/{campaign}"))[8]["redis"]["runs"]
    assert [run["repetition"] for run in repeats] == list(range(1, 10))


def test_a_worker_that_dies_in_a_look_leaves_no_trace(laboratory):
    document = experiment("killed", load_levels=LEVELS[1:], repetitions={"at_most": AT_MOST})
    campaign = laboratory.campaign(document)
    laboratory.measure(reporter({8: 1.055}), 10)

    class Killed(Exception):
        pass

    def look_and_die(services):
        services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
        assert services.get(LookService).of(UUID(campaign))
        raise Killed

    with pytest.raises(Killed):
        laboratory.work(look_and_die)
    stands = laboratory.get(f"/campaigns/{campaign}")
    assert (stands["status"], stands["looks"], stands["runs"]["total"]) == ("settling", [], 10)
    for _ in range(2):  # a task may come twice
        laboratory.work(
            lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
        )
    stands = laboratory.get(f"/campaigns/{campaign}")
    assert (stands["status"], len(stands["looks"])) == ("running", 1)
    assert stands["runs"]["total"] == 12
    finish(laboratory, campaign, {8: 1.055})


def test_what_the_blocks_left_would_hardly_decide_gets_none_of_them(laboratory):
    rule = {"at_least": 5, "at_most": AT_MOST}
    campaign, _ = grown(laboratory, "given-up", {8: 1.03}, rule, LEVELS[1:])
    found = laboratory.get(f"/campaigns/{campaign}")
    assert {cell["course"] for cell in found["cells"]} == {"hopeless"}
    assert {len(cell["runs"]) < AT_MOST for cell in found["cells"]} == {True}
    for cell in found["cells"]:
        assert cell["course_reason"].endswith("more repeats up to 9 would hardly decide it")
    assert found["looks"][-1]["reason"].endswith("2 would not be decided by more repeats")
    assert found["sequential"]["blocks_saved"] > 0


def test_until_the_interval_is_narrow(laboratory):
    rule = {"at_least": 5, "at_most": 20, "until": {"half_width_percent": 5}}
    campaign, _ = grown(laboratory, "narrow", {8: 1.0}, rule, LEVELS[1:])
    found = laboratory.get(f"/campaigns/{campaign}")
    assert {cell["course"] for cell in found["cells"]} == {"decided"}
    assert {5 < len(cell["runs"]) < 20 for cell in found["cells"]} == {True}
    assert found["sequential"]["half_width_percent"] == 5
    assert found["looks"][-1]["reason"] == "2 of 2 cells are within ±5\u2009%"


def test_a_side_that_never_runs_gets_no_more_blocks(laboratory):
    document = experiment("dead", repetitions={"at_most": 9})
    campaign = laboratory.campaign(document)

    def half_dead(order):
        return [] if order["target"]["name"] == "redis" else whole_run(rate=400)

    laboratory.measure(half_dead, 10)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    found = laboratory.get(f"/campaigns/{campaign}")
    assert found["status"] == "completed"
    assert {cell["course"] for cell in found["cells"]} == {"hopeless"}
    assert {cell["course_reason"] for cell in found["cells"]} == {"no run of Redis succeeded"}


def test_against_a_base_too_a_cell_may_be_undecided(laboratory):
    one_target = {
        "targets": [{"name": "redis", "system": "redis"}],
        "repetitions": {"at_most": 8},
    }
    document = experiment("based", **one_target)
    base = laboratory.campaign(document)
    finish(laboratory, base, {4: 1.0})
    first = laboratory.get(f"/campaigns/{base}")
    assert [len(cell["runs"]) for cell in first["cells"]] == [5]
    assert first["cells"][0]["course_reason"] == "there is nothing to compare it with"
    slower = laboratory.campaign(document)

    noise = iter(NOISE)

    def near_the_threshold(order):
        rate = round(400 * 0.95 * (1 + next(noise)))
        return whole_run(seed=order["seed"] % 5, rate=rate)

    laboratory.measure(near_the_threshold, 5)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(slower))
    )
    found = laboratory.get(f"/campaigns/{slower}")
    assert (found["status"], found["cells"][0]["course"]) == ("running", "undecided")
    assert found["cells"][0]["course_reason"] == "against the base: unclear"
    laboratory.client.post(f"/api/v1/campaigns/{slower}/cancel", headers=laboratory.headers)


def add(laboratory, campaign, body, **headers):
    return laboratory.client.post(
        f"/api/v1/campaigns/{campaign}/repeats", json=body, headers=laboratory.headers | headers
    )


def test_repeats_are_added_to_a_campaign_that_has_ended(laboratory):
    document = experiment("added", load_levels=LEVELS, repetitions=5)
    campaign = laboratory.carry_out(document, reporter({1: 2.0, 8: 1.0}))
    before = laboratory.get(f"/campaigns/{campaign}")
    assert (before["sequential"], before["looks"]) == (None, [])
    key = {"Idempotency-Key": "once"}
    for _ in range(2):
        answer = add(laboratory, campaign, {"count": 3}, **key)
        assert answer.status_code == 202, answer.text
    opened = laboratory.get(f"/campaigns/{campaign}")
    assert (opened["status"], opened["verdict"]) == ("running", None)
    assert opened["runs"]["total"] == 4 * 5 + 4 * 3
    assert add(laboratory, campaign, {"count": 1}).status_code == 409
    finish(laboratory, campaign, {1: 2.0, 8: 1.0})
    after = laboratory.get(f"/campaigns/{campaign}")
    assert (after["status"], after["verdict"]) == ("completed", "no_baseline")
    assert {len(cell["runs"]) for cell in after["cells"]} == {8}
    assert [look["decision"] for look in after["looks"]] == ["asked"]
    assert after["looks"][0]["reason"].endswith("asked for 3 blocks more of 4 cells")
    cell = laboratory.get("/comparisons", campaign=campaign)["cells"][0]
    assert cell["throughput"]["repeats"] == 8


def test_repeats_of_the_undecided_alone(laboratory, large_and_small):
    campaign = large_and_small[0]
    answer = add(laboratory, campaign, {"count": 2, "only_undecided": True})
    assert answer.status_code == 202, answer.text
    finish(laboratory, campaign, {1: 2.0, 8: 1.055})
    cells = by_level(laboratory.get(f"/campaigns/{campaign}"))
    assert {len(cell["runs"]) for cell in cells[1].values()} == {5}
    assert {len(cell["runs"]) for cell in cells[8].values()} == {11}


def test_repeats_are_refused_with_a_reason(laboratory):
    document = experiment("refused", repetitions=5)
    campaign = laboratory.carry_out(document, reporter({4: 2.0}))
    asked = add(laboratory, campaign, {"count": 2, "only_undecided": True})
    assert asked.status_code == 409
    assert "nobody asked what is undecided" in asked.json()["detail"]
    assert add(laboratory, campaign, {"count": 101}).status_code == 422
    assert laboratory.get(f"/campaigns/{campaign}")["looks"] == []


def test_another_tenant_adds_no_repeats(laboratory, large_and_small, tenants):
    path = f"/api/v1/campaigns/{large_and_small[0]}/repeats"
    answer = laboratory.client.post(path, json={"count": 1}, headers=tenants[1].headers)
    assert answer.status_code == 404


def look_of(decision, **courses):
    """A look at cells of one workload: how each target's stands."""
    cells = [
        {
            "target_index": int(target[1:]), "workload_index": 0, "load_index": 0,
            "course": course, "reason": "said then",
        }
        for target, course in courses.items()
    ]  # fmt: skip
    return CampaignLook(decision=decision, cells=cells)


def test_what_was_not_measured_since_stands_where_it_stood():
    more = look_of("more", t0="undecided", t1="undecided", t2="decided")
    assert [cell.target_index for cell in standing([more])] == [2]
    enough = look_of("enough", t0="hopeless", t1="at_most", t2="decided")
    assert {cell.target_index for cell in standing([more, enough])} == {0, 1, 2}
    asked = look_of("asked", t0="hopeless", t1="at_most")
    (left,) = standing([more, enough, asked]).values()
    assert (left.target_index, left.reason) == (2, "said then")
    assert standing([]) == standing([asked]) == {}


def test_a_cell_that_stands_is_not_asked_again():
    """Whatever its figures would say now, which the correction for many comparisons moves."""
    document = Experiment.model_validate(experiment("stands", repetitions={"at_most": AT_MOST}))
    cells = {PlannedCell(target, 0, 0): [] for target in range(2)}
    nothing = CampaignFigures(document, cells, {"redis": "Redis", "memcached": "Memcached"})
    stand = standing([look_of("more", t1="decided")])
    rule = document.sequential
    said = look(nothing, rule, {}, lambda *_: None, lambda *_: (), stand)
    assert said[1] is stand[PlannedCell(1, 0, 0)]
    assert said[0].course == "undecided"
