"""docs/systems.md says of every system what was exercised, and is what its record says."""

import datetime

from weighhouse_sdk.testkit.exercises import (
    Agreement,
    Arrival,
    DriverWays,
    Exercise,
    Exercises,
    NotRun,
    ParametersHeld,
    WayIn,
)
from weighhouse_testing import counts_table, ways_table
from weighhouse_testing.systems_page import PAGE, manifests, merged, page, stored
from weighhouse_testing.tree import REPOSITORY

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


def test_parameters_that_were_held_are_a_table_and_the_newest_of_each_system() -> None:
    known = {name: each for name, each in manifests().items() if name in ("redis", "valkey")}

    def held(starts: int) -> Exercises:
        one = ParametersHeld(
            plugin="redis", version="7", parameters=27, values=72, starts=starts, told=26,
            ordered=("tls",), requirements=3, refused=2, builds=("activedefrag",), faults=("no",),
            taken_on=DAY, machine="m",
        )  # fmt: skip
        return Exercises(held=(one,))

    record = merged(held(1), [Exercises(exercised=(exercise("7"),)), held(74)])
    row = "| Redis | 7 | 27 | 72 | 74 | 26 | `tls` | 3, 2 | `activedefrag` | 1 | 2026-11-21 |"
    text = page(record, known)
    assert text.count("| Redis | 7 | 27") == 1
    assert row in text
    assert "Not held yet: Valkey." in text


def arrival(way: WayIn, test: str = "plugins/x/tests/test_y.py::test_z", **more: str) -> Arrival:
    return Arrival(driver="resp", system="redis", way=way, test=test, taken_on=DAY, **more)


def test_the_table_of_ways_in_is_what_the_record_says() -> None:
    record = stored()
    text = ways_table.PAGE.read_text(encoding="utf-8")
    wanted = ways_table.table(record.arrivals, record.drivers, manifests())
    assert text == ways_table.with_table(text, wanted), "run `make systems`"


def test_the_table_of_counts_is_what_the_record_says() -> None:
    text = counts_table.PAGE.read_text(encoding="utf-8")
    wanted = counts_table.table(stored().agreements, manifests())
    assert text == ways_table.with_table(text, wanted), "run `make systems`"


def test_each_system_counts_or_says_why_not() -> None:
    for name, manifest in manifests().items():
        assert bool(manifest.counts) is not bool(manifest.uncounted), name


def test_counts_agree_or_were_not_seen_to_or_are_not_told() -> None:
    known = {name: manifests()[name] for name in ("redis", "scylladb")}
    seen = Agreement(
        by="resp", system="redis", row="reads", test="tests/x.py::test_y", taken_on=DAY
    )
    instead = seen.model_copy(update={"row": "writes", "stand_in": "another one"})
    redis, scylladb = counts_table.table((seen, instead), known).splitlines()[2:]
    assert redis == "| Redis | resp | agree | on a stand-in | not seen | not seen | `tests/x.py` |"
    assert scylladb.startswith("| ScyllaDB | cql | not told: No table that CQL reads")


def test_every_test_that_the_tables_name_is_there() -> None:
    record = stored()
    named = {each.test for each in (*record.arrivals, *record.agreements)}
    assert named
    for test in sorted(named):
        path, _, rest = test.partition("::")
        name = rest.rpartition("::")[2].partition("[")[0]
        assert f"def {name}(" in defining(path), f"{test} is no more: run `make test systems`"


def defining(path: str) -> str:
    """A file of tests, and those that it takes tests from."""
    kit = REPOSITORY / "plugins" / "sdk" / "weighhouse_sdk" / "testkit"
    files = [REPOSITORY / path, *sorted(kit.glob("*.py"))]
    return "\n".join(each.read_text(encoding="utf-8") for each in files)


def test_a_way_is_seen_on_a_stand_in_or_not_at_all_or_not_there() -> None:
    redis = {"redis": manifests()["redis"]}
    seen = (arrival("IPv4"), arrival("IPv6", stand_in="another one"))
    had = (DriverWays(driver="resp", ways=("IPv4", "IPv6", "name")),)
    row = ways_table.table(seen, had, redis).splitlines()[-1]
    cells = [each.strip() for each in row.strip("|").split("|")]
    assert cells[:5] == ["resp", "Redis", "yes", "on a stand-in", "not seen"]
    assert cells[5:] == [*["–"] * 5, "`plugins/x/tests/test_y.py`"]


def test_the_newest_test_of_each_way_is_kept() -> None:
    old = Exercises(arrivals=(arrival("IPv4", "old"), arrival("name", "old")))
    record = merged(old, [Exercises(arrivals=(arrival("IPv4", "new"),))])
    assert [(each.way, each.test) for each in record.arrivals] == [("IPv4", "new"), ("name", "old")]
