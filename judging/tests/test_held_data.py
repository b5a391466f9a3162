"""Whose records were measured, and whether they were there."""

from dataclasses import replace
from typing import Any

import pytest
from weighhouse_judging.findings.checks import Finding
from weighhouse_judging.findings.held_data import data_found
from weighhouse_judging.findings.observation import OperationFigures, RunObservation, Sampled
from weighhouse_judging.findings.outcomes import not_found

LOADED = RunObservation(
    load_model="closed", everything=OperationFigures(ok=1000), records_asked=1000, key_space=1000
)


def found(**changes: Any) -> Finding:
    told = data_found(replace(LOADED, **changes))
    assert told is not None
    return told


def test_nothing_is_said_of_records_that_a_run_loaded_by_itself() -> None:
    assert data_found(LOADED) is None
    assert data_found(replace(LOADED, writes=True, held_before=0)) is None
    assert data_found(replace(LOADED, key_space=None, records_asked=None)) is None


@pytest.mark.parametrize(
    ("sampled", "severity", "title"),
    [
        (Sampled(1000), "info", "Nothing was loaded"),
        (Sampled(999, missing=1), "caution", "Records were not there"),
        (Sampled(1, missing=999), "caution", "Records were not there"),
        (Sampled(0, missing=1000), "error", "No record was there"),
        (Sampled(0, failed=1000, words="NOPERM"), "error", "No record was there"),
        (Sampled(0, misshapen=1000), "caution", "Records have another shape"),
        (Sampled(500, misshapen=300, missing=200), "caution", "Records were not there"),
    ],
)
def test_a_sample_is_told_by_what_is_gravest(sampled: Sampled, severity: str, title: str) -> None:
    told = found(data="keep", sampled=sampled)
    assert (told.severity, told.title) == (severity, title)
    assert told.numbers["sampled"] == 1000
    assert ("NOPERM" in told.message) == bool(sampled.words)


@pytest.mark.parametrize(
    ("writes", "severity", "title"),
    [
        (False, "info", "Repeats share one load"),
        (True, "caution", "Repeats share records that writes change"),
    ],
)
def test_a_shared_load_is_told(writes: bool, severity: str, title: str) -> None:
    told = found(data="once", writes=writes, sampled=Sampled(1000))
    assert (told.severity, told.title) == (severity, title)


def test_records_beside_which_others_were_loaded_are_counted() -> None:
    told = found(held_before=70_000)
    assert (told.severity, told.title) == ("caution", "Loaded beside other records")
    assert "70,000 records" in told.message


def test_a_slice_is_a_share_of_the_key_space() -> None:
    told = found(records_asked=1, key_space=1000)
    assert (told.severity, told.title) == ("caution", "Only some records are asked for")
    assert "keys of 1 of its 1,000 records" in told.message


def test_whoever_loaded_nothing_has_lost_nothing() -> None:
    missing = OperationFigures(ok=500, not_found=500)
    lost = not_found(replace(LOADED, everything=missing))
    kept = not_found(replace(LOADED, everything=missing, data="keep"))
    assert lost is not None
    assert kept is not None
    assert "evicted" in lost.message
    assert "evicted" not in kept.message


def test_what_a_cache_does_not_hold_is_not_missing() -> None:
    cold = found(fills=True, data="keep", sampled=Sampled(0, missing=1000))
    assert (cold.severity, cold.title) == ("info", "The cache held part of the records")
    assert "0 were in the cache before" in cold.message
    asked = replace(LOADED, records_asked=10)
    assert data_found(asked) is not None
    assert data_found(replace(asked, fills=True)) is None
