"""The fairness sheet: what differs, and what that means."""

from dataclasses import replace

from weighhouse_judging.fairness.sheet import (
    NOT_KNOWN,
    AspectRow,
    SideFacts,
    confounders,
    fairness_sheet,
)
from weighhouse_judging.findings.comparison_checks import CellRepeats, check_comparison
from weighhouse_protocol.fairness.facts import Seen
from weighhouse_protocol.fairness.translation import Translated
from weighhouse_protocol.fairness.vocabulary import Comparables, Durability

NOTHING = Durability(kept="nothing")
LOGGED = Durability(kept="log", reaches="disk", every_seconds=0)


def kept(durability: Durability | None, *seen: Seen) -> Translated:
    return Translated(Comparables(durability=durability), {"durability": seen})


REDIS = SideFacts(
    key="a",
    label="Redis",
    system="redis",
    version="7.0.15",
    deployment="process",
    nodes=1,
    replication_factor=1,
    translated=kept(NOTHING, Seen("setting", "save", "", "save")),
    aspects={"threads": "1"},
    parameters={"io_threads": "1"},
    driver="resp",
    machine="8 cores",
    co_located=True,
    tuning="neutral_default",
    repeats=5,
)
MEMCACHED = replace(
    REDIS, key="b", label="Memcached", system="memcached", version="1.6.18", driver="memcached"
)


def by_aspect(*sides: SideFacts) -> dict[str, AspectRow]:
    return {row.aspect: row for row in fairness_sheet(sides)}


def test_system_and_version_are_what_is_compared() -> None:
    rows = by_aspect(REDIS, MEMCACHED)
    assert not rows["system"].same
    assert not rows["system"].confounder
    assert not rows["version"].confounder
    assert rows["durability"].same


def test_what_could_explain_a_difference_is_a_confounder() -> None:
    other = replace(MEMCACHED, translated=kept(LOGGED), aspects={"threads": "4"})
    rows = by_aspect(REDIS, other)
    assert rows["durability"].confounder
    assert rows["durability"].values == ("nothing is kept", "log on disk before the answer")
    assert rows["durability"].raw == ((Seen("setting", "save", "", "save"),), ())
    assert rows["threads"].confounder
    assert rows["driver"].confounder
    assert not rows["replication"].confounder


def test_not_knowing_is_not_agreeing() -> None:
    rows = by_aspect(REDIS, replace(MEMCACHED, machine=None))
    assert rows["machine"].values == ("8 cores", NOT_KNOWN)
    assert rows["machine"].confounder


def test_parameters_are_compared_between_sides_of_one_system_only() -> None:
    assert "parameter:io_threads" not in by_aspect(REDIS, MEMCACHED)
    rows = by_aspect(REDIS, replace(REDIS, key="b", parameters={}))
    assert rows["parameter:io_threads"].values == ("1", "default")


def test_the_only_difference_is_the_subject_and_two_are_confounders() -> None:
    durable = replace(REDIS, key="b", translated=kept(LOGGED))
    one = by_aspect(REDIS, durable)
    assert not one["durability"].confounder
    assert "what is compared" in one["durability"].explanation
    two = by_aspect(REDIS, replace(durable, machine="4 cores"))
    assert two["durability"].confounder
    assert two["machine"].confounder


def test_what_is_known_of_nobody_makes_no_row_and_of_one_alone_a_difference() -> None:
    unknown = replace(REDIS, key="b", translated=kept(None))
    assert "durability" not in by_aspect(unknown, unknown)
    row = by_aspect(REDIS, unknown)["durability"]
    assert row.values == ("nothing is kept", NOT_KNOWN)
    assert not row.same


def test_a_parameter_that_an_aspect_has_told_makes_no_row_of_its_own() -> None:
    logged = kept(LOGGED, Seen("setting", "appendonly", "yes", "log"))
    durable = replace(REDIS, key="b", translated=logged, parameters={"log": "yes", "hz": "20"})
    rows = by_aspect(REDIS, durable)
    assert "parameter:log" not in rows
    assert rows["parameter:hz"].values == ("default", "20")
    assert rows["durability"].confounder
    alike = replace(durable, translated=kept(NOTHING, Seen("setting", "save", "", "save")))
    again = by_aspect(REDIS, replace(alike, parameters={"save": "60 1"}))
    assert again["durability"].same
    assert not again["parameter:save"].same


def test_options_of_one_driver_are_compared_one_by_one_and_of_several_together() -> None:
    one = replace(REDIS, driver_options={"layout": "hash", "depth": "2"})
    other = replace(REDIS, key="b", option_defaults={"layout": "hash", "depth": "1"})
    rows = by_aspect(one, other)
    assert rows["option:layout"].same
    assert rows["option:depth"].values == ("2", "1")
    together = by_aspect(one, MEMCACHED)
    assert together["driver_options"].values == ("depth = 2, layout = hash", "none")


def test_sides_that_agree_have_no_confounders() -> None:
    assert confounders(fairness_sheet([REDIS, replace(REDIS, key="b")])) == []
    assert fairness_sheet([]) == []


def test_findings_name_confounders_repeats_and_the_load_model() -> None:
    rows = fairness_sheet([REDIS, replace(MEMCACHED, translated=kept(LOGGED))])
    cells = [CellRepeats("a", "balanced", "8 clients", "closed", 3)]
    findings = {finding.id: finding for finding in check_comparison(rows, cells)}
    assert set(findings) == {"comparability", "repeats", "closed-loop-latency"}
    assert (
        "Durability: nothing is kept / log on disk before the answer"
        in findings["comparability"].message
    )
    assert findings["repeats"].numbers["smallest_p"] == 0.1
    assert all(finding.scope == "comparison" for finding in findings.values())


def test_repeats_are_counted_by_cells_of_the_comparison_as_its_answer_counts_them() -> None:
    """A cell is a workload at a load: of three sides at two loads there are two, not six."""
    cells = [
        CellRepeats(side, "balanced", load, "closed", repeats)
        for side, repeats in (("a", 5), ("b", 3), ("c", 4))
        for load in ("4 clients", "16 clients")
    ]
    cells.append(CellRepeats("a", "reads", "4 clients", "closed", 5))
    (found,) = [one for one in check_comparison([], cells) if one.id == "repeats"]
    assert (found.numbers["cells_short"], found.numbers["cells"]) == (2, 3)
    assert found.message.startswith("In 2 of 3 cells a side has fewer than 5 repeats")
    assert found.numbers["fewest_repeats"] == 3


def test_a_fair_comparison_of_open_loops_with_repeats_says_nothing() -> None:
    rows = fairness_sheet([REDIS, replace(REDIS, key="b", version="8.0")])
    assert check_comparison(rows, [CellRepeats("a", "w", "100/s", "open", 5)]) == []


def test_settings_beside_parameters_stand_on_the_sheet() -> None:
    more = replace(REDIS, key="c", settings={"maxclients": "20000"})
    assert by_aspect(REDIS, more)["setting:maxclients"].values == ("default", "20000")
    assert by_aspect(REDIS, more)["setting:maxclients"].role == "compared"
    assert by_aspect(MEMCACHED, more)["settings"].values == ("none", "maxclients 20000")
    assert "settings" not in by_aspect(REDIS, MEMCACHED)


def test_factors_are_what_is_compared_within_one_system_and_version() -> None:
    factors = frozenset({"durability", "threads"})
    one = replace(REDIS, factors=factors)
    other = replace(one, key="c", translated=kept(LOGGED), aspects={"threads": "4"}, tuning="own")
    rows = by_aspect(one, other)
    assert [rows[name].role for name in ("durability", "threads")] == ["compared", "compared"]
    assert rows["durability"].explanation.startswith(
        "Declared as what is compared, together with Server threads: not told apart."
    )
    assert rows["durability"].favours == ()
    # What nobody declared may explain it, though it is the only thing beside them.
    assert rows["tuning"].role == "may_explain"
    assert [row.aspect for row in confounders(list(rows.values()))] == ["tuning"]


def test_a_factor_explains_a_difference_between_systems_or_where_a_side_does_not_declare_it() -> (
    None
):
    factors = frozenset({"durability"})
    logged = replace(REDIS, key="c", translated=kept(LOGGED), factors=factors, tuning="own")
    for other in (
        replace(MEMCACHED, factors=factors),
        replace(REDIS, version="8.0", factors=factors),
    ):
        row = by_aspect(other, logged)["durability"]
        assert row.role == "may_explain"
        assert row.explanation.startswith("Declared as a factor, which it can be between sides of")
    assert by_aspect(REDIS, logged)["durability"].role == "may_explain"
    # Alike in it, a factor is nothing.
    assert by_aspect(replace(logged, key="d"), logged)["durability"].role == "same"
