"""What a tool prints and reports is there when it has ended."""

from pathlib import Path

import pytest
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.kept_files import KEPT
from weighhouse_sdk.testkit.testing_tools import tool_order
from weighhouse_sdk.toolrun import work as works
from weighhouse_sdk.toolrun.work import OUTPUT, Work


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tool_order(Workload(name="any")), Path("/bin/sh"), tmp_path)


def said(work: Work, script: str, **environment: str) -> list[str]:
    """What is read of a script, and of it what was kept."""
    with work.running(["-c", script], environment) as child:
        lines = list(child.lines())
        assert child.wait() == 0
    return lines


def output(work: Work) -> str:
    return (work.directory / KEPT / OUTPUT).read_text()


def test_all_that_it_prints_follows_its_command_line(work: Work) -> None:
    assert said(work, "echo one; echo two >&2") == ["one", "two"]
    assert said(work, "echo three; exit 0") == ["three"]
    assert output(work) == (
        "+ /bin/sh -c echo one; echo two >&2\none\ntwo\n+ /bin/sh -c echo three; exit 0\nthree\n"
    )


def test_what_travels_in_the_environment_does_not_stand_there(work: Work) -> None:
    said(work, "echo done", REDISCLI_AUTH="a secret")
    assert "secret" not in output(work)


def test_the_end_of_too_much_is_left_out_and_read_nevertheless(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(works, "MOST_OUTPUT_BYTES", 100)
    assert len(said(work, "seq 1000")) == 1000
    assert len(said(work, "seq 10")) == 10
    assert output(work).endswith("[the rest is left out]\n")
    assert len(output(work)) < 150


def test_reports_of_one_name_are_told_apart(work: Work) -> None:
    for text in "abc":
        report = work.directory / "written.json"
        report.write_text(text)
        work.keep(report, "report.json")
        assert not report.exists()
    work.keep(work.directory / "never-written.json", "report.json")
    found = {each.name: each.read_text() for each in (work.directory / KEPT).iterdir()}
    assert found == {"report.json": "a", "report-2.json": "b", "report-3.json": "c"}


def test_no_more_reports_than_anybody_reads(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "MOST_REPORTS", 2)
    said(work, "true")
    for _ in range(4):
        report = work.directory / "written.json"
        report.write_text("{}")
        work.keep(report, "report.json")
        assert not report.exists()
    found = {each.name for each in (work.directory / KEPT).iterdir()}
    assert found == {OUTPUT, "report.json", "report-2.json"}
