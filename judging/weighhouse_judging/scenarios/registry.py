"""The scenarios that decide while they measure, by name."""

from typing import Any

from weighhouse_judging.scenarios.calibrate import CALIBRATE
from weighhouse_judging.scenarios.peak import PEAK
from weighhouse_judging.scenarios.scenario import Scenario
from weighhouse_judging.scenarios.sweep import SWEEP

SCENARIOS: dict[str, Scenario[Any, Any]] = {one.name: one for one in (SWEEP, CALIBRATE, PEAK)}
"""Every planner; what a run's course gives (`sustained`, `soak`, `fault`) plans nothing."""
