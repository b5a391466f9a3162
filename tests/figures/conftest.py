"""What the tests of verdicts share: one cell, whose noise is weighed once."""

import pytest
from weighhouse_testing.builds import RATE, builds_of, paced_experiment
from weighhouse_testing.platform import RunningPlatform


@pytest.fixture(scope="session")
def known_noise(platform: RunningPlatform) -> None:
    """By how much campaigns of `paced_experiment` differ, on a server that keeps its pace."""
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE)
        platform.weigh_noise(paced_experiment("weighed-noise"))
