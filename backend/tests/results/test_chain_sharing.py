"""What one attempt measured of a chain is shared out once, long runs with their levels too."""

from uuid import UUID

import pytest
from sqlalchemy import select, text
from weighhouse_backend.measurements import models

from .laboratory import experiment
from .reports import START_US, described, ended, interval, latencies, numbered, recorded

LONG = 640
"""Intervals of a link: enough that a run has levels."""


def chain(slug):
    """One target under three workloads, once."""
    names = ["reads", "writes", "both"]
    operations = [{"read": 1.0}, {"update": 1.0}, {"read": 0.5, "update": 0.5}]
    return experiment(
        slug,
        targets=[{"name": "redis", "system": "redis"}],
        workloads=[
            {"name": name, "record_count": 50, "operations": mix}
            for name, mix in zip(names, operations, strict=True)
        ],
        repetitions=1,
        phases={
            "warmup_seconds": 0,
            "measure_seconds": LONG,
            "chain": [{"measure": "writes"}, {"measure": "reads"}, {"measure": "both"}],
        },
    )


def reported(lengths=(LONG, LONG, 5)):
    """An attempt of three links, each slower than the one before."""
    events = [
        {"kind": "phase", "phase": "deploy"},
        described(stream_hash="first"),
        {"kind": "memory", "moment": "before", "resident_bytes": 1},
        {"kind": "phase", "phase": "load"},
        {"kind": "interval", "interval": interval(
            0, {"insert": {"ok": recorded(latencies(1, 50))}}, phase="load", index=0)},
        ended("load", {"insert": {"ok": 50}}),
        {"kind": "memory", "moment": "after_load", "resident_bytes": 2},
    ]  # fmt: skip
    at = 1
    for link, length in enumerate(lengths):
        name = ("update", "read", "read")[link]
        drawn = recorded([(link + 1) * 1_000_000] * 4)
        events.append({"kind": "phase", "phase": "measure"})
        for _ in range(length):
            made = interval(at, {name: {"ok": drawn}}, index=1 + link)
            events.append({"kind": "interval", "interval": made})
            events.append({"kind": "sample", "at_us": START_US + at * 1_000_000,
                           "cpu_percent": 10.0 * (link + 1)})  # fmt: skip
            at += 1
        counted = {name: {"ok": 4 * length}}
        events.append(ended("measure", counted, stream_hash=f"link {link}"))
        events.append({"kind": "memory", "moment": "after", "resident_bytes": 100 + link})
    events.append({"kind": "mark", "mark": "stopped", "label": "server stopped"})
    return numbered(events)


def carry_out(laboratory, slug, events):
    """One chain, delivered in batches and settled; its runs in their order."""
    campaign = laboratory.campaign(chain(slug))
    order = laboratory.begin()
    assert len(order["chain"]) == 2
    for begin in range(0, len(events), 500):
        laboratory.send(order, events[begin : begin + 500])
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])
    runs = sorted(
        laboratory.get("/runs", campaign_id=campaign)["items"], key=lambda run: run["position"]
    )
    assert runs[0]["id"] == order["run_id"]
    for run in runs[1:]:
        laboratory.settle(run["id"])
    laboratory.settle(order["run_id"])
    return [laboratory.get(f"/runs/{run['id']}") for run in runs]


@pytest.fixture(scope="module")
def runs(laboratory):
    return carry_out(laboratory, "long-chain", reported())


def test_each_link_has_the_figures_of_its_own_intervals(runs):
    assert [run["cell"]["workload"] for run in runs] == ["writes", "reads", "both"]
    assert [run["status"] for run in runs] == ["completed"] * 3
    for place, (run, length) in enumerate(zip(runs, (LONG, LONG, 5), strict=True), start=1):
        every = run["summary"]["operations"]["all"]
        assert every["ok"] == 4 * length
        assert every["p50_us"] == pytest.approx(1000 * place, rel=0.002)
        assert every["max_us"] == pytest.approx(1000 * place, rel=0.002)
        assert run["summary"]["duration_seconds"] == length
        assert run["target"]["stream_hash"] == ("first" if place == 1 else f"link {place - 1}")
        assert run["target"]["memory"] == {
            "before_bytes": 1, "after_load_bytes": 2, "after_bytes": 99 + place,
        }  # fmt: skip
    assert [run["summary"]["load"] is None for run in runs] == [False, True, True]


def test_what_is_drawn_of_a_long_link_is_its_own(runs, laboratory):
    for place, run in enumerate(runs, start=1):
        series = laboratory.get(f"/runs/{run['id']}/series", points=100)
        kinds = [phase["kind"] for phase in series["phases"]]
        assert kinds == (["load", "measure"] if place == 1 else ["measure"])
        assert set(series["resources"]["cpu_percent"]) == {10.0 * place}
        latest = series["operations"]["all"]["p50_us"][-1]
        assert latest == pytest.approx(1000 * place, rel=0.002)


def test_levels_are_of_one_link_each(runs, laboratory):
    with laboratory.sessions() as session:
        for run, length in zip(runs, (LONG + 1, LONG, 0), strict=True):
            attempt = UUID(run["attempts"][-1]["id"])
            windows = session.scalars(
                select(models.LevelWindow).where(models.LevelWindow.attempt_id == attempt)
            ).all()
            widths = {window.width_seconds for window in windows}
            assert bool(widths) == (length > 0)
            for width in widths:
                merged = sum(one.merged for one in windows if one.width_seconds == width)
                assert merged == length, "every interval once in each level"


def test_nothing_is_left_with_the_first_or_twice(runs, laboratory):
    with laboratory.sessions() as session:
        for table in (models.Interval, models.ResourceSample):
            found = [
                session.scalars(
                    select(table.sequence).where(
                        table.attempt_id == UUID(run["attempts"][-1]["id"])
                    )
                ).all()
                for run in runs
            ]
            lengths = [LONG + (table is models.Interval), LONG, 5]
            assert [len(one) for one in found] == lengths
            assert len({number for one in found for number in one}) == sum(lengths)


def test_an_agent_that_measured_less_leaves_failures_with_their_reason(laboratory):
    first, second, third = carry_out(laboratory, "short-chain", reported((3, 3)))
    assert [run["status"] for run in (first, second, third)] == ["completed"] * 2 + ["failed"]
    assert "before it measured this phase" in third["failure"]["message"]


def test_how_large_results_are_follows_them(runs, laboratory):
    """The sizes that quotas count move with what is shared out (migration 0024)."""
    parted = text(
        "SELECT coalesce((SELECT sum(s.bytes) FROM result_sizes s"
        " WHERE s.attempt_id = :attempt AND s.member >= 0), 0), coalesce(sum(pg_column_size(i)), 0)"
        " FROM intervals i WHERE i.attempt_id = :attempt"
    )
    with laboratory.sessions() as session:
        for run in runs:
            row = session.execute(parted, {"attempt": run["attempts"][-1]["id"]}).one()
            assert row[0] > row[1] > 0, run["cell"]["workload"]
