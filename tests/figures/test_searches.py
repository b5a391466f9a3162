"""Loads that are chosen while they are measured, on a real server: a sweep, and a calibration whose
operating point a second experiment takes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
GENEROUS_US = 5_000
"""A latency that a few hundred operations a second stay inside on any machine."""


def document(name: str, **changes: Any) -> str:
    """Redis alone, with a scenario."""
    base = yaml.safe_load(small_experiment(name, measure_seconds=0.5))
    return str(yaml.safe_dump(base | changes, sort_keys=False))


def carried_out(platform: RunningPlatform, tmp_path: Path, text: str) -> dict[str, Any]:
    """What the command says of an experiment's campaign once it has ended."""
    file = tmp_path / "experiment.yaml"
    file.write_text(text, encoding="utf-8")
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token}
    done = subprocess.run(
        [WEIGHHOUSE, "run", str(file), "--wait", "--json"],
        env=os.environ | access, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def calibrated(platform: RunningPlatform, tmp_path_factory: pytest.TempPathFactory) -> dict:
    text = document(
        "inside-a-latency",
        scenario="calibrate",
        load_levels=[{"model": "open", "rate_per_second": 100, "connections": 4}],
        latency_envelope={"percentile": 50, "limit_us": GENEROUS_US},
        calibrate={"at_most": 1600, "measurements": 7},
        repetitions=2,
    )
    return carried_out(platform, tmp_path_factory.mktemp("calibrated"), text)


def test_a_sweep_walks_up_from_its_load_level(platform: RunningPlatform, tmp_path: Path) -> None:
    text = document(
        "curve", scenario="sweep", sweep={"to": 4, "refine": 1},
        load_levels=[{"model": "closed", "clients": 1}], repetitions=1,
    )  # fmt: skip
    done = carried_out(platform, tmp_path, text)
    assert done["campaign"]["status"] == "completed"
    [search] = done["searches"]["searches"]
    loads = [point["load_level"]["value"] for point in search["points"]]
    assert search["over"]
    assert loads[:2] == [1, 2]
    assert set(loads) <= {1, 2, 3, 4}
    assert all(point["throughput"]["median"] > 0 for point in search["points"])
    assert next(step["value"] for step in search["steps"]) == 2
    orders = {cell["load_level"]["value"] for cell in done["campaign"]["cells"]}
    assert orders == set(loads), "what the page's matrix shows is what was measured"


def test_a_ladder_goes_deeper_at_the_same_clients(
    platform: RunningPlatform, tmp_path: Path
) -> None:
    text = document(
        "ladder", scenario="peak", peak={"depths": [4, 16]},
        load_levels=[{"model": "closed", "clients": 1}], repetitions=1,
    )  # fmt: skip
    done = carried_out(platform, tmp_path, text)
    [search] = done["searches"]["searches"]
    assert search["over"]
    assert search["axis"] == "depth"
    assert [point["value"] for point in search["points"]] == [1, 4, 16]
    assert {point["load_level"]["value"] for point in search["points"]} == {1}
    assert search["points"][0]["throughput_times"] == 1.0
    deepest = search["points"][-1]
    assert deepest["load_level"]["label"] == "1 client, pipeline 16"
    assert deepest["throughput_times"] > 1.5, "sixteen in flight do more than one"
    assert search["best"] in {4, 16}


def test_what_cannot_pipeline_is_refused_by_name(platform: RunningPlatform) -> None:
    targets = [
        {"name": "inside", "system": "rocksdb", "deployment": "in_process"},
        {"name": "tooled", "system": "redis", "tool": "ycsb"},
    ]
    text = document(
        "flat", scenario="peak", targets=targets, load_levels=[{"model": "closed", "clients": 1}]
    )
    answer = platform.request("POST", "/experiments/validate", json={"yaml": text})
    told = json.dumps(answer["errors"])
    assert "RocksDB lives inside its driver" in told
    assert "clients of YCSB have one request under way" in told


def test_a_calibration_says_by_which_loads_it_came_to_its_answer(calibrated: dict) -> None:
    [search] = calibrated["searches"]["searches"]
    assert search["over"]
    assert search["axis"] == "rate"
    assert 2 <= sum(len(point["runs"]) for point in search["points"]) <= 7
    assert all(100 <= point["load_level"]["value"] <= 1600 for point in search["points"])
    assert search["steps"][-1]["value"] is None
    assert search["outcome"] in {"all_loads_meet", "found", "uncertain"}, search["sentence"]


def test_an_answer_is_a_load_that_another_experiment_takes(
    platform: RunningPlatform, tmp_path: Path, calibrated: dict
) -> None:
    [search] = calibrated["searches"]["searches"]
    measured = max(point["load_level"]["value"] for point in search["points"])
    text = document(
        "at-its-operating-point", repetitions=1,
        load_levels=[{"model": "open", "rate_per_second": measured, "connections": 4}],
    )  # fmt: skip
    done = carried_out(platform, tmp_path, text)
    [cell] = done["campaign"]["cells"]
    assert cell["load_level"]["value"] == measured
    assert cell["runs"][0]["status"] == "completed"
