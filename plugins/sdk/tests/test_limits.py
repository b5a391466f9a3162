"""Limits of control groups, as both versions of the kernel's interface write them."""

from pathlib import Path

import pytest
from weighhouse_sdk.machine.limits import (
    UNLIMITED,
    Unlimited,
    cpu_limit,
    cpu_text,
    kept,
    memory_limit,
    memory_text,
    processors_kept,
    tightest,
)


def group(place: Path, **files: str) -> Path:
    """A directory as the kernel shows a group; `_` stands for the dot after the controller."""
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name.replace("_", ".", 1)).write_text(f"{text}\n", encoding="ascii")
    return place


@pytest.mark.parametrize(
    "text",
    [
        "max",
        "-1",
        "9223372036854771712",  # pages of 4 KiB
        "9223372036854710272",  # of 64 KiB
        "9223372036854775807",  # before Linux 3.19
        "18446744073709551615",
    ],
)
def test_no_limit_is_no_figure(text: str, tmp_path: Path) -> None:
    assert kept(text) is UNLIMITED
    one = group(tmp_path / "1", memory_limit_in_bytes=text, cpu_cfs_quota_us=text,
                cpu_cfs_period_us="100000")  # fmt: skip
    two = group(tmp_path / "2", memory_max=text, cpu_max=f"{text} 100000")
    for place in (one, two):
        assert memory_limit(place) is UNLIMITED
        assert cpu_limit(place) is UNLIMITED
    assert memory_text(UNLIMITED) == cpu_text(UNLIMITED) == "unlimited"


@pytest.mark.parametrize("text", ["", "much", "1.5"])
def test_what_is_not_told_is_neither(text: str, tmp_path: Path) -> None:
    assert kept(text) is None
    assert memory_limit(tmp_path / "gone") is None
    assert cpu_limit(group(tmp_path / "g", cpu_cfs_quota_us="50000")) is None


@pytest.mark.parametrize(("size", "words"), [(0, "0 MiB"), (67108864, "64 MiB"), (1 << 40, None)])
def test_figures(size: int, words: str | None, tmp_path: Path) -> None:
    one = group(tmp_path / "1", memory_limit_in_bytes=f"{size}")
    two = group(tmp_path / "2", memory_max=f"{size}")
    assert memory_limit(one) == memory_limit(two) == size
    assert words is None or memory_text(size) == words
    one = group(tmp_path / "1", cpu_cfs_quota_us="2000", cpu_cfs_period_us="100000")
    two = group(tmp_path / "2", cpu_max="2000 100000")
    assert cpu_limit(one) == cpu_limit(two) == 0.02
    assert cpu_text(0.02) == "0.02"


def test_the_tightest_of_nested_groups_holds(tmp_path: Path) -> None:
    outer = group(tmp_path / "o", cpu_max="150000 100000", memory_max="max")
    inner = group(tmp_path / "o" / "i", cpu_max="max 100000", memory_max="1000")
    root = group(tmp_path / "root")
    assert tightest([inner, outer, root], cpu_limit) == 1.5
    assert tightest([inner, outer, root], memory_limit) == 1000
    assert tightest([outer], memory_limit) is UNLIMITED
    assert isinstance(tightest([outer], memory_limit), Unlimited)
    assert tightest([root], memory_limit) is None


@pytest.mark.parametrize("name", ["cpuset_cpus.effective", "cpuset_effective_cpus"])
def test_processors_are_read_as_the_kernel_lists_them(name: str, tmp_path: Path) -> None:
    assert processors_kept(group(tmp_path, **{name: "0-2,5,8-9"})) == {0, 1, 2, 5, 8, 9}
    assert processors_kept(tmp_path / "elsewhere") == frozenset()
