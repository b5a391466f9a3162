"""When a fill is over: by what a sample or an interval says, never before it is measured."""

from types import SimpleNamespace
from typing import Any

import pytest
from weighhouse_agent.attempt import fill_limits
from weighhouse_agent.attempt.fill_limits import UNTOLD_LOOKS, Filling, FillUntold, FullBefore
from weighhouse_protocol.driver import Interval
from weighhouse_protocol.scenarios import FillUntil
from weighhouse_sdk.lifecycle import Sample

MEBIBYTE = 2**20


class Watched:
    """A fill of a target with two nodes of 100 MiB each, and what it asked for."""

    def __init__(self, tmp_path: Any, **until: float) -> None:
        limits = SimpleNamespace(memory_mebibytes=100)
        target = SimpleNamespace(limits=limits, topology=SimpleNamespace(nodes=2))
        context: Any = SimpleNamespace(target=target, data_directory=tmp_path)
        self.ends = 0
        self.marks: list[tuple[str, str]] = []
        self.filling = Filling(
            until=FillUntil.model_validate(until),
            system="Redis",
            context=context,
            on_end=self._end,
            mark=lambda kind, words: self.marks.append((kind, words)),
        )

    def _end(self) -> None:
        self.ends += 1

    def sees(self, **sizes: int) -> dict[str, float]:
        told = dict(self.filling.looked(Sample(at_us=0, **sizes)))
        self.filling.recorded()
        return told

    def writes(self, phase: str, **operations: int) -> None:
        self.filling.inserted(
            Interval.model_validate(
                {
                    "at_us": 0, "elapsed_us": 0, "phase": phase, "index": 0, "sequence": 0,
                    "start_us": 0, "duration_us": 1000,
                    "operations": {name: {"ok": {"count": n}} for name, n in operations.items()},
                }
            )
        )  # fmt: skip


def test_records_are_what_was_loaded_and_inserted_since(tmp_path: Any) -> None:
    watched = Watched(tmp_path, records=100)
    watched.writes("load", insert=60)
    watched.filling.begin()
    watched.writes("measure", insert=39, read=500, update=500)
    assert watched.ends == 0
    watched.writes("measure", insert=1)
    assert (watched.ends, watched.filling.ended) == (1, "filled")
    assert watched.marks == [("filled", "full: 100 records")]
    watched.writes("measure", insert=10)
    assert watched.ends == 1, "it ends once"


def test_a_share_of_memory_is_of_all_nodes_limits(tmp_path: Any) -> None:
    watched = Watched(tmp_path, memory_share=0.5)
    watched.sees(resident_bytes=10 * MEBIBYTE)
    watched.filling.begin()
    told = watched.sees(resident_bytes=99 * MEBIBYTE)
    assert told["fill_target"] == 100 * MEBIBYTE
    assert (told["fill_amount"], watched.ends) == (99 * MEBIBYTE, 0)
    watched.sees(resident_bytes=100 * MEBIBYTE)
    assert watched.filling.ended == "filled"


def test_nothing_ends_before_it_is_measured_but_then_it_says_so(tmp_path: Any) -> None:
    watched = Watched(tmp_path, disk_bytes=100)
    watched.sees(disk_bytes=200)
    assert watched.ends == 0
    watched.filling.begin()
    assert watched.ends == 1
    assert isinstance(watched.filling.failure, FullBefore)
    assert "before anything was measured" in watched.filling.failure.message


def test_it_ends_before_the_disk_is_full(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    free = SimpleNamespace(total=1000, used=940, free=60)
    monkeypatch.setattr(fill_limits.shutil, "disk_usage", lambda _: free)
    watched = Watched(tmp_path, records=10**9)
    watched.filling.begin()
    watched.sees()
    assert watched.ends == 0
    free.free = 49
    told = watched.sees()
    assert (told["fill_disk_free"], told["fill_disk_size"]) == (49, 1000)
    assert watched.filling.ended == "disk_nearly_full"
    assert watched.marks[0][0] == "disk_nearly_full"


def test_an_amount_that_nobody_tells_fails_with_what_to_do(tmp_path: Any) -> None:
    watched = Watched(tmp_path, memory_bytes=100)
    watched.filling.begin()
    for _ in range(UNTOLD_LOOKS - 1):
        watched.sees()
    assert watched.filling.failure is None
    watched.sees()
    assert isinstance(watched.filling.failure, FillUntold)
    assert watched.filling.failure.hint.startswith("fill by records")
