"""`weighhouse import`: what others measured is shown before anything of it is kept."""

import json
from pathlib import Path

from typer.testing import CliRunner
from weighhouse_cli.exits import CommandFailed
from weighhouse_cli.whole import app

RUN = """[OVERALL], RunTime(ms), 1000
[OVERALL], Throughput(ops/sec), 1000.0
[READ], Operations, 1000
[READ], 99thPercentileLatency(us), 900
[READ], Return=OK, 1000
"""


def test_it_shows_what_was_understood(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(RUN, encoding="utf-8")
    done = CliRunner().invoke(app, ["import", str(tmp_path / "run.txt"), "--preview"])
    assert done.exit_code == 0, done.output
    assert "ycsb, by [OVERALL] rows of its report" in done.output
    assert "run.txt:4" in done.output
    told = CliRunner().invoke(app, ["import", str(tmp_path), "--json", "--system", "redis"])
    document = json.loads(told.output)
    assert document["results"]["sides"][0]["system"] == "redis"
    assert document["refused"] == []


def test_what_is_refused_is_told_by_line_and_ends_with_4(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text(RUN + RUN, encoding="utf-8")
    done = CliRunner().invoke(app, ["import", str(tmp_path / "two.txt")])
    assert done.exit_code == 4
    assert "refused: two.txt:6: a second result begins here" in done.output
    missing = CliRunner().invoke(app, ["import", str(tmp_path / "none.txt")])
    assert isinstance(missing.exception, CommandFailed)
    unknown = CliRunner().invoke(app, ["import", str(tmp_path), "--format", "nobody"])
    assert isinstance(unknown.exception, CommandFailed)
    assert "those there are: benchant" in str(unknown.exception)


def test_the_formats_are_listed() -> None:
    done = CliRunner().invoke(app, ["import", "--formats"])
    assert "memtier_benchmark" in done.output
