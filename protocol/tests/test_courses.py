"""Scenarios whose runs last until something is full, for hours, or go deeper: what is refused."""

from typing import Any

import pytest
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import ClosedLoad
from weighhouse_protocol.scenarios import FillUntil, fill_ended
from weighhouse_protocol.yaml_document import DocumentError, parse_experiment

RATES = {"read": 50, "update": 50}


def experiment(**changes: Any) -> Experiment:
    base = {
        "version": 1, "slug": "mine", "name": "Mine",
        "targets": [{"name": "redis", "system": "redis"}],
        "workloads": [{"name": "w", "record_count": 1000, "operations": {"insert": 1}}],
        "load_levels": [{"model": "closed", "clients": 8}],
    }  # fmt: skip
    return parse_experiment(base | changes)


def refused(**changes: Any) -> str:
    with pytest.raises(DocumentError) as caught:
        experiment(**changes)
    return " ".join(f"{one.path} {one.message}" for one in caught.value.errors)


def fills(**until: float) -> dict[str, Any]:
    return {"scenario": "sustained", "sustained": {"until": until}}


def test_a_fill_says_exactly_one_end() -> None:
    assert FillUntil(records=5).said == ("records", 5)
    assert FillUntil(memory_share=0.9).words == "90\u2009% of the memory limit"
    assert "none is said" in refused(**fills())
    assert "records and disk_bytes is said" in refused(**fills(records=10**6, disk_bytes=1))
    assert "too large (≤ 0.95)" in refused(**fills(disk_share=0.96))


def test_what_cannot_fill_is_refused_with_what_would() -> None:
    assert "`scenario: sustained` needs it" in refused(scenario="sustained")
    assert "this is `fixed`" in refused(sustained={"until": {"records": 5}})
    reads = [{"name": "readers", "record_count": 1000, "operations": {"read": 1}}]
    assert "readers inserts nothing" in refused(workloads=reads, **fills(records=10**6))
    own = [{"model": "open", "rate_per_second": 100, "operation_rates": RATES}]
    assert "w inserts nothing" in refused(load_levels=own, **fills(records=10**6))
    assert "loads 1,000 records" in refused(**fills(records=1000))
    assert "has no memory limit" in refused(**fills(memory_share=0.5))
    external = [{"name": "far", "system": "redis", "deployment": "external",
                 "endpoints": ["tcp://127.0.0.1:1"]}]  # fmt: skip
    assert "fill by records" in refused(targets=external, **fills(disk_bytes=10**9))
    counted = {"measure_operations": 10}
    assert "phases.measure_operations" in refused(phases=counted, **fills(records=10**6))


def test_a_soak_takes_intervals_enough_to_tell_a_drift() -> None:
    short = {"measure_seconds": 99, "interval_seconds": 1}
    assert "99 intervals" in refused(scenario="soak", phases=short)
    assert experiment(scenario="soak", phases=short | {"measure_seconds": 100}).cells_count == 1


def test_a_ladder_begins_with_the_levels_own_depth() -> None:
    deep = [{"model": "closed", "clients": 8, "pipeline": 5}]
    found = experiment(scenario="peak", load_levels=deep, peak={"depths": [2, 5, 20]})
    load = found.load_levels[0]
    assert found.ladder.ladder(load) == (5, 20)
    assert (found.varies(load), found.most_load(0), found.most_points(0)) == (5, 20, 2)
    assert found.varied_load(0, 20) == ClosedLoad(clients=8, pipeline=20)


def test_a_ladder_that_leads_nowhere_is_refused() -> None:
    assert "the least first" in refused(scenario="peak", peak={"depths": [5, 2]})
    opened = [{"model": "open", "rate_per_second": 100}]
    assert "an open loop has no pipeline" in refused(scenario="peak", load_levels=opened)
    deepest = [{"model": "closed", "clients": 8, "pipeline": 100}]
    assert "begins at 100" in refused(scenario="peak", load_levels=deepest)
    twice = [{"model": "closed", "clients": 8}, {"model": "closed", "clients": 8, "pipeline": 2}]
    assert "begins the same search" in refused(scenario="peak", load_levels=twice)
    clients = [{"model": "closed", "clients": 8}, {"model": "closed", "clients": 16}]
    assert experiment(scenario="peak", load_levels=clients).most_runs_count == 2 * 7 * 5


def test_the_disk_goes_before_the_fill() -> None:
    assert fill_ended(10, 10, None, None) == "filled"
    assert fill_ended(9, 10, 5.0, 100.0) is None
    assert fill_ended(10, 10, 4.9, 100.0) == "disk_nearly_full"
    assert fill_ended(None, 10, None, None) is None
