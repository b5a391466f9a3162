"""Kinds of machines: what makes one, and what does not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.machine_kinds import (
    MATERIAL,
    SIZE_TOLERANCE,
    alike,
    first_alike,
    kind_of,
    kind_of_gang,
    kind_of_gangs,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "history.md"
GIBIBYTE = 2**30
PAGE_OF_MEMORY = 4096


def machine(**changes: object) -> MachineFacts:
    facts = {
        "hostname": "a", "machine_id": "1" * 32, "cpu_model": "EPYC 7763", "cores": 8,
        "memory_bytes": 16 * GIBIBYTE, "kernel": "6.1.90", "operating_system": "Debian 12",
        "architecture": "x86_64", "cpu_governor": "performance", "virtualisation": "kvm",
        "simultaneous_multithreading": True, **changes,
    }  # fmt: skip
    return MachineFacts.model_validate(facts)


def test_the_page_lists_what_makes_a_kind() -> None:
    told = PAGE.read_text(encoding="utf-8")
    rows = [f"| {one.words} | {one.agrees} |" for one in MATERIAL]
    assert [row for row in rows if row not in told] == []
    begin = told.index("| of a machine | one kind where |")
    table = told[begin:].split("\n\n", 1)[0].splitlines()[2:]
    assert table == rows


ANOTHER = {
    "architecture": "aarch64", "cpu_model": "EPYC 9654", "cores": 16, "kernel": "6.6.30",
    "simultaneous_multithreading": False, "memory_bytes": 32 * GIBIBYTE,
    "cpu_governor": "powersave", "virtualisation": None, "cgroup_cpu_limit": 2.0,
    "cgroup_memory_limit_bytes": 8 * GIBIBYTE,
}  # fmt: skip


@pytest.mark.parametrize("one", MATERIAL, ids=lambda one: one.fact)
def test_each_of_them_makes_another_kind(one) -> None:
    here, there = kind_of(machine()), kind_of(machine(**{one.fact: ANOTHER[one.fact]}))
    assert not alike(here, there)
    assert not alike(there, here)


@pytest.mark.parametrize(
    "changes",
    [
        {"kernel": "6.1.92"}, {"kernel": "6.1.0-21-amd64"}, {"memory_bytes": 16 * GIBIBYTE - 20480},
        {"operating_system": "Debian 12.6"}, {"hostname": "b", "machine_id": "2" * 32},
        {"boot_id": "another"}, {"turbo": True}, {"cpu_model": "EPYC  7763 "},
    ],
)  # fmt: skip
def test_nothing_else_does(changes: dict[str, object]) -> None:
    assert alike(kind_of(machine()), kind_of(machine(**changes)))


@pytest.mark.parametrize(
    ("kernel", "same"),
    [
        ("6.1.0-21-amd64", True), ("6.10.0-21-amd64", False), ("6.1.0-21-rt-amd64", False),
        ("6.1.0-21-cloud-amd64", True), ("6.1.0-rt7", False), ("5.15.153.1-microsoft", False),
        ("6.1.0-1015-lowlatency", False), ("6.1.90-smart", True),
    ],
)  # fmt: skip
def test_kernels_are_one_by_their_major_release_and_how_they_schedule(
    kernel: str, *, same: bool
) -> None:
    assert alike(kind_of(machine()), kind_of(machine(kernel=kernel))) is same


@given(
    st.integers(2**28, 2**42),
    st.lists(st.integers(-64, 64), min_size=200, max_size=200),
)
def test_memory_that_each_start_tells_otherwise_never_makes_another_kind(
    size: int, pages: list[int]
) -> None:
    first = kind_of(machine(memory_bytes=size))
    known = [first]
    for drift in pages:
        told = kind_of(machine(memory_bytes=size + drift * PAGE_OF_MEMORY))
        assert first_alike(told, known) == first


@given(st.integers(2**28, 2**42), st.lists(st.floats(-0.015, 0.015), max_size=40))
def test_kinds_are_not_chained_however_sizes_creep(size: int, steps: list[float]) -> None:
    known: list[str] = []
    reached: dict[str, list[float]] = {}
    told = float(size)
    for step in [0.0, *steps]:
        told *= 1 + step
        kind = kind_of(machine(memory_bytes=int(told)))
        segment = first_alike(kind, known)
        if segment is None:
            known.append(kind)
            segment = kind
        reached.setdefault(segment, []).append(int(told))
    for sizes in reached.values():
        assert all(abs(one - sizes[0]) <= SIZE_TOLERANCE * max(one, sizes[0]) for one in sizes)


@pytest.mark.parametrize(("gibibytes", "same"), [(15.7, True), (15.5, False), (16.32, True)])
def test_sixteen_gibibytes(gibibytes: float, *, same: bool) -> None:
    other = kind_of(machine(memory_bytes=int(gibibytes * GIBIBYTE)))
    assert alike(kind_of(machine()), other) is same


def test_gangs_are_of_one_kind_machine_by_machine_in_any_order() -> None:
    small, big = kind_of(machine()), kind_of(machine(memory_bytes=64 * GIBIBYTE))
    less = kind_of(machine(memory_bytes=16 * GIBIBYTE - 4096, kernel="6.1.92"))
    gang = kind_of_gang([small, big])
    assert alike(gang, kind_of_gang([big, less]))
    assert not alike(gang, kind_of_gang([small, less]))
    assert not alike(gang, small)
    both = kind_of_gangs([small, less, big])
    assert both.count(",") == 1
    assert alike(both, kind_of_gangs([big, small]))
    assert not alike(both, small)
    assert kind_of_gangs(["", ""]) == ""


def test_what_is_not_told_agrees_with_nothing_that_is() -> None:
    assert not alike(kind_of(machine(cpu_governor=None)), kind_of(machine()))
    assert not alike("", kind_of(machine()))
    assert alike("", "")
    assert not alike("3fa9c0e1d2b4a5f6", kind_of(machine()))
