"""What happens while it fills, on real systems: the run ends when it is full, and what is told of
it is what the stored intervals say, reckoned again here by the reference library.
"""

import base64
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import psycopg
import pytest
import yaml
from hdrh.histogram import HdrHistogram
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.fixtures import plain
from weighhouse_testing.platform import RunningPlatform

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
MEBIBYTE = 2**20
RECORDS, LOADED = 100_000, 1_000


def document(name: str, **changes: Any) -> str:
    """One system under inserts alone, until it is full."""
    base = yaml.safe_load(small_experiment(name, measure_seconds=60.0))
    base["workloads"] = [
        {"name": "fill", "record_count": 1000, "field_length": 100, "operations": {"insert": 1.0}}
    ]
    base["load_levels"] = [{"model": "closed", "clients": 2}]
    base["phases"] = {"warmup_seconds": 0, "measure_seconds": 60, "interval_seconds": 0.2}
    base["repetitions"] = 1
    base["scenario"] = "sustained"
    return str(yaml.safe_dump(base | changes, sort_keys=False))


def carried_out(platform: RunningPlatform, tmp_path: Path, text: str) -> dict[str, Any]:
    file = tmp_path / "experiment.yaml"
    file.write_text(text, encoding="utf-8")
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token}
    done = subprocess.run(
        [WEIGHHOUSE, "run", str(file), "--wait", "--json"],
        env=os.environ | access, capture_output=True, text=True, check=False, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def scenario_of(platform: RunningPlatform, done: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The one run of a campaign, and what its scenario gave."""
    [cell] = done["campaign"]["cells"]
    run = cell["runs"][0]["id"]
    return run, platform.request("GET", f"/runs/{run}/scenario")["fill"]


@dataclass(frozen=True)
class Stored:
    """An interval as it is stored: successes, and their histogram by the reference library."""

    phase: str
    begin: float
    """Unix time, seconds."""
    seconds: float
    inserted: int
    histogram: HdrHistogram


def us(histogram: HdrHistogram, percentile: float) -> float:
    """The least value that so many percent of all are not above; the library rounds the rank."""
    rank = max(1, math.ceil(percentile / 100 * histogram.get_total_count() - 1e-9))
    running = 0
    for step in histogram.get_recorded_iterator():
        running += step.count_added_in_this_iter_step
        if running >= rank:
            return float(histogram.get_highest_equivalent_value(step.value_iterated_to)) / 1000
    raise AssertionError("nothing was recorded")


def stored(platform: RunningPlatform, run: str) -> list[Stored]:
    """All intervals of a run of inserts alone, straight from the tables."""
    question = """
        SELECT i.phase, extract(epoch FROM i.started_at), i.duration_us, i.operations, i.histograms
        FROM intervals i JOIN runs r ON r.result_attempt_id = i.attempt_id
        WHERE r.id = %s AND i.span = 1 ORDER BY i.phase_index, i.started_at"""
    with psycopg.connect(plain(platform.inner.database_url)) as connection:
        rows = connection.execute(question, [run]).fetchall()
    found = []
    for phase, begin, duration, operations, blob in rows:
        outcome = operations.get("insert", {}).get("ok", {"count": 0})
        place = outcome.get("response")
        merged = HdrHistogram(1, 60_000_000_000, 3)
        if place is not None:
            offset, length = place
            text = base64.b64encode(bytes(blob)[offset : offset + length])
            merged.add(HdrHistogram.decode(text))
        found.append(Stored(phase, float(begin), duration / 1e6, outcome["count"], merged))
    return found


def merged(intervals: list[Stored]) -> HdrHistogram:
    whole = HdrHistogram(1, 60_000_000_000, 3)
    for one in intervals:
        whole.add(one.histogram)
    return whole


@pytest.fixture(scope="module")
def evicting(
    platform: RunningPlatform, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict]:
    """Redis that holds less than what is written."""
    text = document(
        "evicting",
        targets=[
            {
                "name": "redis",
                "system": "redis",
                "parameters": {"maxmemory_bytes": 6 * MEBIBYTE, "maxmemory_policy": "allkeys-lru"},
            }
        ],
        sustained={"until": {"records": RECORDS}},
    )
    done = carried_out(platform, tmp_path_factory.mktemp("evicting"), text)
    return scenario_of(platform, done)


def test_it_ends_when_the_records_are_written_though_the_store_evicts(evicting: tuple) -> None:
    _, fill = evicting
    figures = fill["figures"]
    assert (figures["fills"], figures["target"]) == ("records", RECORDS)
    assert figures["ended"] == "filled", figures["sentence"]
    assert figures["begun"] == pytest.approx(LOADED / RECORDS)
    assert figures["reached"] == 1.0
    progress = fill["line"]["progress"]
    assert progress == sorted(progress)
    assert progress[-1] == 1.0
    kinds = [mark["kind"] for mark in fill["marks"]]
    assert "filled" in kinds
    assert "eviction" in kinds, "the store had room for a part of it alone"


def measured_of(every: list[Stored]) -> list[Stored]:
    """The measured phase; what came back after the end counts with the interval before it."""
    found = [one for one in every if one.phase == "measure" and one.seconds > 0]
    before, last = found[-2:]
    if last.seconds < before.seconds / 2:
        both = before.seconds + last.seconds, before.inserted + last.inserted
        found[-2:] = [Stored("measure", before.begin, *both, merged([before, last]))]
    return found


def by_records(every: list[Stored], target: float) -> list[tuple[float, float]]:
    """Progress at begin and end of each measured interval: what was loaded, and inserted since."""
    there, found = sum(one.inserted for one in every if one.phase == "load"), []
    for one in measured_of(every):
        before, there = there, there + one.inserted
        found.append((min(1.0, before / target), min(1.0, there / target)))
    return found


def by_samples(
    platform: RunningPlatform, run: str, every: list[Stored], target: float
) -> list[tuple[float, float]]:
    """The same by the amounts that the agent saw, never taken back, evenly between two looks."""
    question = """
        SELECT extract(epoch FROM s.at), (s.metrics->>'fill_amount')::float
        FROM resource_samples s JOIN runs r ON r.result_attempt_id = s.attempt_id
        WHERE r.id = %s AND s.metrics ? 'fill_amount' ORDER BY s.at"""
    with psycopg.connect(plain(platform.inner.database_url)) as connection:
        rows = connection.execute(question, [run]).fetchall()
    at = [float(when) for when, _ in rows]
    most = numpy.maximum.accumulate([amount for _, amount in rows])

    def progress(when: float) -> float:
        return min(1.0, float(numpy.interp(when, at, most)) / target)

    measured = measured_of(every)
    return [(progress(one.begin), progress(one.begin + one.seconds)) for one in measured]


def test_its_figures_are_those_of_the_stored_histograms(
    platform: RunningPlatform, evicting: tuple
) -> None:
    run, fill = evicting
    every = stored(platform, run)
    assert_figures_are_stored(fill["figures"], every, by_records(every, RECORDS))


def assert_figures_are_stored(
    figures: dict[str, Any], every: list[Stored], at: list[tuple[float, float]]
) -> None:
    """What is told of a fill is what its stored histograms say.

    :param at: progress at begin and end of each measured interval.
    """
    measured = measured_of(every)
    begun, reached = at[0][0], max(high for _, high in at)
    assert figures["begun"] == pytest.approx(begun, abs=1e-5)
    assert figures["reached"] == pytest.approx(reached, abs=1e-5)
    tenth = 0.1 * (reached - begun)
    # Nothing was filled where progress stood still; such intervals are in no tenth.
    first = [one for one, (low, high) in zip(measured, at, strict=True)
             if high > begun and low < begun + tenth]  # fmt: skip
    last = [one for one, (low, high) in zip(measured, at, strict=True)
            if high > reached - tenth and low < reached]  # fmt: skip
    for name, part in (("first_tenth", first), ("last_tenth", last)):
        told, whole = figures[name], merged(part)
        done = sum(one.inserted for one in part)
        assert told["ok"] == done == whole.get_total_count()
        assert told["throughput"] == pytest.approx(
            done / sum(one.seconds for one in part), rel=1e-9
        )
        for figure, percentile in (("p50_us", 50), ("p99_us", 99), ("p9999_us", 99.99)):
            assert told[figure] == us(whole, percentile)
    rates = [one.inserted / one.seconds for one in measured]
    whole_rate = sum(one.inserted for one in measured) / sum(one.seconds for one in measured)
    assert figures["throughput"]["least"] == pytest.approx(min(rates), rel=1e-12)
    assert figures["throughput"]["greatest"] == pytest.approx(max(rates), rel=1e-12)
    assert figures["throughput"]["average"] == pytest.approx(whole_rate, rel=1e-9)
    for figure, percentile in (("p99_us", 99), ("p9999_us", 99.99)):
        course = [us(one.histogram, percentile) for one in measured if one.inserted]
        assert figures[figure]["least"] == min(course)
        assert figures[figure]["greatest"] == max(course)
        assert figures[figure]["peak_to_trough"] == max(course) / min(course)
        assert figures[figure]["intervals"] == len(course)


def test_a_size_on_disk_ends_it_too(platform: RunningPlatform, tmp_path: Path) -> None:
    text = document(
        "sized",
        targets=[{"name": "rocksdb", "system": "rocksdb", "deployment": "in_process"}],
        sustained={"until": {"disk_bytes": 160 * MEBIBYTE}},
    )
    assert_filled(platform, carried_out(platform, tmp_path, text))


def assert_filled(platform: RunningPlatform, done: dict[str, Any]) -> dict[str, Any]:
    """It ended because it was full, and its figures are what was stored; what is told of it."""
    run, fill = scenario_of(platform, done)
    figures = fill["figures"]
    assert figures["ended"] == "filled", figures["sentence"]
    assert (figures["reached"], fill["line"]["progress"][-1]) == (1.0, 1.0)
    assert fill["line"]["progress"] == sorted(fill["line"]["progress"])
    every = stored(platform, run)
    progress = by_samples(platform, run, every, figures["target"])
    assert_figures_are_stored(figures, every, progress)
    return fill


def test_a_size_of_cassandra_ends_it(platform: RunningPlatform, tmp_path: Path) -> None:
    """Its log of writes grows by whole segments, 32 MiB each."""
    workload = {"name": "fill", "record_count": 200, "field_count": 1, "field_length": 8000}
    text = document(
        "cassandra-fills",
        targets=[
            {
                "name": "cassandra",
                "system": "cassandra",
                "parameters": {"heap_mebibytes": 256, "garbage_collector": "serial"},
            }
        ],
        workloads=[workload | {"operations": {"insert": 1.0}}],
        load_levels=[{"model": "closed", "clients": 4}],
        phases={"warmup_seconds": 0, "measure_seconds": 1800, "interval_seconds": 0.5},
        sustained={"until": {"disk_bytes": 256 * MEBIBYTE}},
    )
    done = carried_out(platform, tmp_path, text)
    fill = assert_filled(platform, done)
    assert fill["figures"]["throughput"]["peak_to_trough"] is not None
    told = json.dumps(platform.request("GET", f"/campaigns/{done['campaign']['id']}/disclosure"))
    assert "measured until 268,435,456 bytes of disk, at most 1800 s" in told


def test_a_share_of_the_memory_limit_ends_it(platform: RunningPlatform, tmp_path: Path) -> None:
    text = document(
        "memory-fills",
        phases={"warmup_seconds": 0, "measure_seconds": 300, "interval_seconds": 0.2},
        targets=[{"name": "redis", "system": "redis", "limits": {"memory_mebibytes": 100}}],
        sustained={"until": {"memory_share": 0.5}},
    )
    fill = assert_filled(platform, carried_out(platform, tmp_path, text))
    assert fill["figures"]["target"] == 50 * MEBIBYTE


def test_time_that_runs_out_is_told(platform: RunningPlatform, tmp_path: Path) -> None:
    phases = {"warmup_seconds": 0, "measure_seconds": 1, "interval_seconds": 0.2}
    text = document("endless", phases=phases, sustained={"until": {"records": 10**9}})
    _, fill = scenario_of(platform, carried_out(platform, tmp_path, text))
    assert fill["figures"]["ended"] == "time_over"
    assert 0 < fill["figures"]["reached"] < 0.01


def test_a_soak_tells_drifts_with_intervals(platform: RunningPlatform, tmp_path: Path) -> None:
    text = document(
        "soaked",
        scenario="soak",
        load_levels=[{"model": "open", "rate_per_second": 500, "connections": 2}],
        workloads=[{"name": "steady", "record_count": 100, "operations": {"update": 1.0}}],
        phases={"warmup_seconds": 0.2, "measure_seconds": 10, "interval_seconds": 0.1},
    )
    done = carried_out(platform, tmp_path, text)
    [cell] = done["campaign"]["cells"]
    soak = done["scenarios"][cell["runs"][0]["id"]]["soak"]
    trends = {trend["figure"]: trend for trend in soak["trends"]}
    assert {"throughput", "p99_us", "memory_bytes", "open_files"} <= trends.keys()
    assert all(one["low"] <= one["per_hour"] <= one["high"] for one in trends.values())
    assert soak["hours"] > 9.9 / 3600
    held = trends["open_files"]
    assert not held["leak"], f"nobody connects while it is measured: {held}"
    assert soak["stalls_sentence"]


def test_what_inserts_nothing_is_refused_by_name(platform: RunningPlatform) -> None:
    text = document(
        "nothing", sustained={"until": {"records": 10**6}},
        workloads=[{"name": "readers", "record_count": 1000, "operations": {"read": 1.0}}],
    )  # fmt: skip
    answer = platform.request("POST", "/experiments/validate", json={"yaml": text})
    assert not answer["valid"]
    told = json.dumps(answer["errors"])
    assert "operations.insert" in told
    assert "readers inserts nothing" in told
