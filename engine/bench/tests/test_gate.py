"""The gate of the counted work: what it reads, what it makes of it, what it refuses and says."""

from pathlib import Path

import pytest
from enginebench import gate, machine
from enginebench.callgrind import Tally, per, per_turn, tally, with_full_turns
from enginebench.counted import BUDGETS

FOLDER = Path("/cache")
LIMITS = {
    "epoll": {
        1: {"instructions": 660.0, "syscalls": 2.0},
        10: {"instructions": 460.0, "syscalls": 0.2},
    },
    "io_uring": {
        1: {"instructions": 680.0, "syscalls": 0.0},
        10: {"instructions": 470.0, "syscalls": 0.0},
    },
}

# As callgrind writes: names once and numbers after that, versions of symbols, costs of what a call
# took on the line after it.
PROFILE = """\
version: 1
events: Ir sysCount sysTime

fn=(12) weighhouse_engine::net::closed::closed_loop
10 300
cfn=(14) epoll_wait@@GLIBC_2.3.2
calls=30 0
+2 900 30 5
cfn=(16) clock_gettime@@GLIBC_2.17
calls=50 0
* 500 50 5
fn=(16)
68 100 50 5
fn=(18) dispatch
84 4000 200 9
cfn=(16)
calls=150 0
* 1500 150 5
cfn=(14)
calls=2 0
* 60 2

totals: 8000 432 20
"""


def test_waits_and_readings_of_the_clock_are_no_system_calls_of_an_operation():
    assert tally(PROFILE) == Tally(8000, 32, 432 - 32 - 200)
    assert per(tally(PROFILE), 100) == Tally(80, 0.32, 2.0)


@pytest.mark.parametrize("text", ["", "events: Ir\ntotals: 0\n", "events: Ir\ntotals: 5\n"])
def test_a_profile_without_the_loop_is_refused(text):
    with pytest.raises(ValueError, match=r"no totals|closed_loop"):
        tally(text)


def test_what_a_turn_costs_is_left_out_however_many_there_were():
    operation, turn = 700.0, 250.0
    alone = Tally(operation + turn * 1.002, 1.002, 3.0)
    for turns in (1 / 8, 0.15, 0.4, 0.9):
        several = Tally(operation + turn * turns, turns, 2.0)
        found = per_turn(alone, several)
        assert found == pytest.approx(turn)
        assert with_full_turns(several, found, 8) == pytest.approx(operation + turn / 8)
    with pytest.raises(ValueError, match="never several"):
        per_turn(alone, Tally(1000.0, 1.1, 3.0))


def found(more=1.0, syscalls=2.0):
    turn = 250.0
    alone = Tally(660 * more - turn / 8 + turn, 1.0, 2.0)
    several = {
        1: Tally(660 * more - turn / 8 + turn * 0.2, 0.2, syscalls),
        10: Tally(460 * more - turn / 80 + turn * 0.02, 0.02, syscalls / 10),
    }
    return gate.figures("epoll", alone, several, LIMITS)


def test_at_the_limits_all_is_within():
    code, said = gate.verdict(found(), FOLDER)
    assert code == 0
    assert said.count("within") == 4
    assert "What to do" not in said


def test_two_in_a_hundred_more_instructions_are_beyond_and_half_of_one_is_not():
    assert gate.verdict(found(1.005), FOLDER)[0] == 0
    code, said = gate.verdict(found(1.02), FOLDER)
    assert code == 1
    lines = said.splitlines()
    # Both figures, and what to do.
    assert " 673.20 user instructions" in lines[0]
    assert "limit 660.00 and 1% (+2.0%): BEYOND" in lines[0]
    assert " 469.20 user instructions" in lines[2]
    assert "callgrind_annotate --auto=yes --show=Ir /cache/callgrind.epoll.depth1" in said
    assert "engine/bench/limits.toml" in said
    assert "Never above 700 (depth 1) and 500 (depth 10)" in said


def test_a_system_call_more_is_beyond():
    code, said = gate.verdict(found(syscalls=3.0), FOLDER)
    assert code == 1
    assert "epoll, depth  1:    3.00 system calls an operation, limit 2.00" in said


def test_by_io_uring_a_turn_waits_by_another_function_and_nothing_but_waits_asks_the_system():
    text = PROFILE.replace("epoll_wait@@GLIBC_2.3.2", "syscall").replace("8000 432", "8000 232")
    assert tally(text, "io_uring") == Tally(8000, 32, 0)
    with pytest.raises(ValueError, match="does it wait by epoll_wait"):
        tally(text)
    none = gate.Figure("io_uring", 1, "syscalls", 0.0, 0.0)
    assert none.within
    assert "within" in str(none)
    assert not gate.Figure("io_uring", 1, "syscalls", 0.02, 0.0).within


def test_what_became_cheaper_is_to_be_written_down():
    code, said = gate.verdict(found(0.95), FOLDER)
    assert code == 0
    assert "set 627 in limits.toml" in said


def test_the_limits_that_are_kept_are_within_the_budgets():
    limits = gate.limits_of(gate.LIMITS.read_text())
    assert limits.keys() == BUDGETS.keys()
    # So that 2 % more is beyond them, the budgets are not what is left to creep to.
    assert all(
        limits[way][depth]["instructions"] < budget[0]
        for way, depths in BUDGETS.items()
        for depth, budget in depths.items()
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("instructions = 660", "instructions = 701"),
            "epoll.depth1.instructions is 701, above the budget",
        ),
        (("instructions = 660", ""), "epoll.depth1.instructions is None"),
        (("syscalls = 2.0", "syscalls = 'two'"), "epoll.depth1.syscalls is 'two'"),
        (("syscalls = 2.0", "syscalls = -1"), "epoll.depth1.syscalls is -1"),
        (("[io_uring.depth10]", "[io_uring.depth9]"), "io_uring.depth10.instructions is None"),
        (("[epoll.depth1]", "[epoll.depth1"), "limits.toml: "),
    ],
)
def test_limits_that_are_none_are_refused_by_name(change, said):
    text = (
        "[epoll.depth1]\ninstructions = 660\nsyscalls = 2.0\n"
        "[epoll.depth10]\ninstructions = 460\nsyscalls = 0.2\n"
        "[io_uring.depth1]\ninstructions = 680\nsyscalls = 0\n"
        "[io_uring.depth10]\ninstructions = 470\nsyscalls = 0\n"
    )
    assert gate.limits_of(text) == LIMITS
    with pytest.raises(gate.Refused) as refused:
        gate.limits_of(text.replace(*change, 1))
    assert said in str(refused.value)


def test_a_missing_program_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(machine.shutil, "which", lambda program: None)
    for program, package in (
        ("valgrind", "valgrind"),
        ("redis-server", "redis-server"),
        ("taskset", "util-linux"),
    ):
        with pytest.raises(SystemExit, match=f"{program} is missing: Debian's package {package} "):
            machine.require(program)
