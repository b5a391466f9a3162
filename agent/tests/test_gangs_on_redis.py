"""A gang with a plugin, drivers and servers as users have them: a Redis Cluster over three agents,
loaded by two.
"""

from pathlib import Path
from typing import Any

from .conftest import MakeOrder, as_users_have_it
from .gangs import Parts, counted, gang_of, intervals

THREE_AND_TWO: Parts = [((1,), False), ((2,), False), ((3,), False), ((), True), ((), True)]
INTERVAL_US = 100_000


def operations(told: list[dict[str, Any]]) -> int:
    """Of all intervals and kinds."""
    return sum(each["ok"]["count"] for one in told for each in one["operations"].values())


def test_a_cluster_over_three_agents_is_loaded_by_two(tmp_path: Path, order: MakeOrder) -> None:
    kept = "WEIGHHOUSE_DRIVERS"
    real = as_users_have_it(kept)
    with gang_of(tmp_path, real, THREE_AND_TWO) as gang:
        wanted = order(
            system="redis",
            load={"model": "closed", "clients": 2},
            workload={
                "name": "mixed", "record_count": 1001, "verify_fraction": 1.0,
                "operations": {"read": 0.5, "update": 0.4, "insert": 0.1},
            },
            measure_seconds=2.0,
        )  # fmt: skip
        topology = wanted.target.topology.model_copy(update={"nodes": 3})
        target = wanted.target.model_copy(update={"topology": topology})
        gang.offer(wanted.model_copy(update={"target": target, "limit_seconds": 280.0}))
        gang.until_ended()
        assert gang.outcomes == ["completed"] * 5, [each.completion for each in gang.attempts]
        ends = {tuple(each.of_kind("target")[0]["endpoints"]) for each in gang.attempts}
        assert len(ends) == 1
        hosts = {each.split("//")[1].rsplit(":")[0] for each in ends.pop()}
        assert hosts <= {"127.0.1.1", "127.0.1.2", "127.0.1.3"}
        drivers = gang.attempts[3:]
        # Each record is loaded once, by one of the two.
        assert [counted(each, "load") for each in drivers] == [500, 501]
        for each in drivers:
            assert counted(each) == operations(intervals(each)) > 0
            wrong = [
                totals[kind]
                for ended in each.of_kind("phase_ended")
                for totals in ended["operations"].values()
                for kind in ("not_found", "errors", "verify_failed")
            ]
            assert not any(wrong), each.of_kind("phase_ended")
        # Intervals of both are cut at the same bounds, as far as the clocks are known.
        begin_us = gang.meeting.begins["phase-2"] - gang.meeting.ahead_us
        for each in drivers:
            error_us = max(beat.clock.error_us for beat in each.heartbeats if beat.clock)
            for one in intervals(each)[1:]:  # the first one is shorter, should its word come late
                off = (one["start_us"] - begin_us + INTERVAL_US // 2) % INTERVAL_US
                assert abs(off - INTERVAL_US // 2) <= error_us
        for each in gang.attempts[:3]:
            memory = {one["moment"]: one["used_bytes"] for one in each.of_kind("memory")}
            assert memory["before"] < memory["after_load"]
