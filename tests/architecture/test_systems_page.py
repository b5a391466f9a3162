"""docs/systems.md says of every system what was exercised, and is what its record says."""

import datetime

from weighhouse_sdk.testkit.exercises import Exercise, Exercises, NotRun
from weighhouse_testing.systems_page import PAGE, manifests, merged, page, stored

DAY = datetime.date(2026, 11, 21)


def exercise(version: str, stand_in: str = "", **more: int) -> Exercise:
    return Exercise(
        plugin="redis", deployment="process", version=version, stand_in=stand_in, tests=3,
        taken_on=DAY, machine="m", **more,
    )  # fmt: skip


def test_the_page_is_what_the_record_says() -> None:
    wanted = page(stored(), manifests())
    assert PAGE.read_text(encoding="utf-8") == wanted, "run `make systems`"


def test_every_system_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [each.name for each in manifests().values() if each.name not in text] == []


def test_the_newest_record_of_each_way_is_kept() -> None:
    old = Exercises(exercised=(exercise("6"), exercise("6", nodes=6, replication_factor=2)))
    record = merged(old, [Exercises(exercised=(exercise("7"),))])
    assert [(each.nodes, each.version) for each in record.exercised] == [(1, "7"), (6, "6")]


def test_a_stand_in_is_not_the_system() -> None:
    redis = {"redis": manifests()["redis"]}
    stand_in = Exercises(exercised=(exercise("7", "another one"),))
    assert "7 (another one)" in page(stand_in, redis)
    assert "**Redis**: `process`" in page(stand_in, redis)
    left = NotRun(plugin="redis", reason="nothing there", tests=2, taken_on=DAY, machine="m")
    assert "nothing there (2 tests, 2026-11-21)" in page(Exercises(not_run=(left,)), redis)
