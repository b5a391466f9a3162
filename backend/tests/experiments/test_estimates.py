"""How long runs take, and how long they may: of large records their bytes decide."""

from weighhouse_backend.experiments.estimates import (
    driver_bytes,
    limit_seconds,
    loaded_bytes,
    run_seconds,
)
from weighhouse_protocol.experiment import Experiment

MIB = 2**20


def seconds(**said):
    experiment = Experiment.model_validate(
        {
            "name": "Estimated", "slug": "estimated",
            "targets": [{"name": "t", "system": "redis"}],
            "workloads": [{"name": "w", **said}],
            "load_levels": [{"model": "closed", "clients": 4}],
            "phases": {"warmup_seconds": 0, "measure_seconds": 1},
        }
    )  # fmt: skip
    (workload,) = experiment.workloads
    return run_seconds(experiment, workload), limit_seconds(experiment, workload), experiment


def test_a_load_of_large_values_may_take_what_its_bytes_take():
    """40 GiB: 200 s at 200 MiB a second; over 100 Mbit/s they come before it counts as hung."""
    number = {"record_count": 20_480}
    small, short, _ = seconds(**number)
    large, limit, experiment = seconds(**number, field_count=1, field_length=2 * MIB)
    (workload,) = experiment.workloads
    assert loaded_bytes(workload) == 40 * 2**30
    assert 200 < large < 215
    assert small < 5
    assert limit - short > 40 * 2**30 / (12.5 * 10**6)
    assert 8 * 2 * MIB <= driver_bytes(experiment) < 9 * 2 * MIB


def test_of_small_records_the_number_decides_as_ever():
    assert seconds(record_count=100_000)[0] == 1.0 + 5.0 + 1.0 + 0.5
    assert seconds(record_count=100_000)[1] == 300 + 200 + 1.5
