"""A tool's program that is held begins each phase at its word, and refuses what it cannot share."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.driver import DriverOrder, Go
from weighhouse_protocol.load import Share
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.registry import load_tool
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.testing_tools import tool_order

PROGRAM = Path(__file__).with_name("held_tool.py")
READS = Workload(name="reads", operations=OperationMix(read=1.0))


@contextmanager
def held(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    order = tool_order(READS).model_copy(update={"hold": True})
    with child(
        [sys.executable, str(PROGRAM)],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        write(program, order)
        yield program


def write(program: "subprocess.Popen[bytes]", document: DriverOrder | Go) -> None:
    assert program.stdin is not None
    program.stdin.write(document.model_dump_json(exclude_none=True).encode() + b"\n")
    program.stdin.flush()


def read(program: "subprocess.Popen[bytes]") -> dict[str, Any]:
    assert program.stdout is not None
    found: dict[str, Any] = json.loads(program.stdout.readline())
    return found


def kinds(program: "subprocess.Popen[bytes]", count: int) -> list[str]:
    return [read(program)["event"] for _ in range(count)]


def test_each_phase_waits_for_its_word_and_its_instant(tmp_path: Path) -> None:
    with held(tmp_path) as program:
        assert read(program)["event"] == "ready"
        begins_at_us = time.time_ns() // 1000 + 300_000
        write(program, Go(go=0, at_us=begins_at_us))
        begun = read(program)
        assert begun["event"] == "phase_started"
        assert begun["at_us"] >= begins_at_us
        assert kinds(program, 2) == ["interval", "phase_finished"]
        write(program, Go(go=1, at_us=0))  # has passed: at once
        assert kinds(program, 4) == ["phase_started", "interval", "phase_finished", "finished"]
        assert program.wait(120) == 0


def test_the_end_of_input_ends_it_in_good_order(tmp_path: Path) -> None:
    with held(tmp_path) as program:
        assert read(program)["event"] == "ready"
        assert program.stdin is not None
        program.stdin.close()
        assert read(program)["event"] == "finished"
        assert program.wait(120) == 0


def test_it_can_be_ended_while_it_waits(tmp_path: Path) -> None:
    with held(tmp_path) as program:
        assert read(program)["event"] == "ready"
        program.send_signal(signal.SIGTERM)
        assert read(program)["event"] == "finished"
        assert program.wait(120) == 0


def test_a_word_for_another_phase_is_refused(tmp_path: Path) -> None:
    with held(tmp_path) as program:
        assert read(program)["event"] == "ready"
        write(program, Go(go=1, at_us=0))
        failed = read(program)
        assert failed["event"] == "failed"
        assert "phase 0 is next, the word was for phase 1" in failed["message"]


@pytest.mark.parametrize(
    ("tool", "loads"), [("ycsb", True), ("redis-benchmark", True), ("cassandra-stress", False)]
)
def test_what_cannot_be_shared_is_refused_by_name(tool: str, loads: bool) -> None:
    found = load_tool(tool)
    shared = tool_order(READS, share=Share(index=1, of=2))
    refused = [each for each in found.refusals(shared) if "placement" in each]
    assert bool(refused) is not loads
    assert all("cassandra-stress" in each for each in refused)
    inserting = Workload(name="inserting", operations=OperationMix(insert=1.0))
    several = tool_order(inserting, share=Share(index=1, of=2))
    assert any("on several machines" in each for each in found.refusals(several))
    assert not any("on several machines" in each for each in found.refusals(tool_order(inserting)))
