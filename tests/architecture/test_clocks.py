"""Nobody on an agent's machine tells a run's time by a clock that may be set (ADR 0061)."""

import re

from weighhouse_testing.tree import text_of, tracked

TIME_OF_DAY = re.compile(r"\btime\.time(_ns)?\(|datetime\.(utc)?now\(|SystemTime::now\(")
MEASURES = re.compile(r"^(agent|engine/(src|api)|plugins)/")
NOT_MEASURES = re.compile(r"/(tests|testkit)/")
MAY = {
    "plugins/sdk/weighhouse_sdk/clock.py": "the attempt's clock: read once, and to see it set",
    "engine/src/clock.rs": "the same, for a driver that no agent started",
    "agent/weighhouse_agent/supervisor/metrics.py": "when the platform answered, as a metric",
    "plugins/sdk/weighhouse_sdk/machine/certificates.py": "from when a certificate holds",
    "plugins/sdk/netdelay/src/main.rs": "a seed",
}
"""A file that reads the time of day all the same: what for."""


def test_times_of_a_run_are_told_by_the_clock_of_its_attempt() -> None:
    found = {
        name
        for name in tracked(".py", ".rs")
        if MEASURES.search(name)
        and not NOT_MEASURES.search(f"/{name}")
        and TIME_OF_DAY.search(text_of(name))
    }
    assert found == set(MAY), "weighhouse_sdk.clock.SystemClock tells it; or say here what for"
