"""Machines of a comparison's sides."""

from collections import Counter

from weighhouse_backend.results.machines import machine_rows
from weighhouse_judging.fairness.sheet import SideFacts, confounders, fairness_sheet


def test_sides_on_one_machine_have_no_row_and_mixed_ones_say_which_and_how_many() -> None:
    same = Counter({"a (1)": 5})
    assert machine_rows([same, Counter({"a (1)": 4})]) == [None, None]
    mixed = Counter({"a (1)": 3, "b (2)": 1})
    assert machine_rows([same, mixed]) == ["a (1)", "2 different: a (1) (3 runs), b (2) (1 run)"]


def test_different_machines_of_one_kind_are_a_confounder() -> None:
    sides = [
        SideFacts(key=name, label=name, system=name, machine="EPYC, 2 cores", machines=machines)
        for name, machines in (("redis", "a (1)"), ("memcached", "b (2)"))
    ]
    (row,) = confounders(fairness_sheet(sides))
    assert (row.aspect, row.values) == ("machines", ("a (1)", "b (2)"))
