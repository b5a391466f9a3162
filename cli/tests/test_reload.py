"""Parts begin anew when their code changes, and only those whose code it is."""

import os
import signal
from dataclasses import replace
from pathlib import Path

from weighhouse_cli.embedded import programs
from weighhouse_cli.embedded.part import Dispensable, Part, PartPlan
from weighhouse_cli.embedded.reload import Reloader, snapshot
from weighhouse_cli.embedded.supervisor import Patience, Supervisor
from weighhouse_testing.waits import until


def _plan(tmp_path: Path, name: str, command: str = "exec sleep 300") -> PartPlan:
    return PartPlan(
        name=name,
        command=("/bin/sh", "-c", command),
        environment={"PATH": "/usr/bin:/bin"},
        directory=tmp_path,
        log=tmp_path / f"{name}.log",
        record=tmp_path / f"{name}.json",
        ready=lambda: True,
        stop_seconds=1.0,
    )


def _code(tmp_path: Path, name: str) -> Path:
    file = tmp_path / name / "module.py"
    file.parent.mkdir()
    file.write_text("", encoding="utf-8")
    return file


def _change(file: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1_000_000_000))


def test_a_part_begins_anew_when_its_code_changes_and_no_other(tmp_path: Path) -> None:
    mine, other = _code(tmp_path, "mine"), _code(tmp_path, "other")
    words: list[tuple[str, str]] = []
    supervisor = Supervisor(listener=lambda name, word: words.append((name, word)))
    part = supervisor.start(_plan(tmp_path, "mine"))
    beside = supervisor.start(_plan(tmp_path, "other"))
    supervisor.watch()
    code = {"mine": (mine.parent,), "other": (other.parent,)}
    try:
        first = _pid(part)
        with Reloader(supervisor, code):
            _change(mine)
            until("another process", lambda: part.starts == 2 and part.alive())
        assert _pid(part) != first
        assert beside.starts == 1
        assert ("mine", "reloading") in words
        assert ("mine", "died") not in words
    finally:
        supervisor.stop()


def test_a_part_that_died_of_its_code_comes_back_with_the_next_change(tmp_path: Path) -> None:
    supervisor = Supervisor(patience=Patience(pauses=(0.0,)))
    plan = _plan(tmp_path, "part", "test -e broken && exit 1; exec sleep 300")
    part = supervisor.start(replace(plan, dispensable=Dispensable(hint="mend it")))
    supervisor.watch()
    try:
        (tmp_path / "broken").touch()
        supervisor.restart("part")
        until("it is given up", lambda: part.gone)
        (tmp_path / "broken").unlink()
        supervisor.restart("part")
        until("it runs", lambda: not part.gone and part.kill_at is None and part.alive())
    finally:
        supervisor.stop()


def test_a_part_that_does_not_end_when_asked_is_killed(tmp_path: Path) -> None:
    supervisor = Supervisor()
    part = supervisor.start(_plan(tmp_path, "deaf", "trap '' TERM; touch deaf; sleep 300; exit 1"))
    supervisor.watch()
    try:
        until("it is deaf", (tmp_path / "deaf").exists)
        supervisor.restart("deaf")
        until("it begins anew", lambda: part.starts == 2 and part.kill_at is None)
    finally:
        supervisor.stop()


def test_a_checkout_is_waited_for(tmp_path: Path) -> None:
    file = _code(tmp_path, "mine")
    supervisor = Supervisor()
    part = supervisor.start(_plan(tmp_path, "mine"))
    try:
        reloader = Reloader(supervisor, {"mine": (file.parent,)})
        assert reloader.look() == []
        _change(file)
        assert reloader.look() == []
        _change(file)
        assert reloader.look() == []
        assert reloader.look() == ["mine"]
        assert reloader.look() == []
        assert part.process is not None
        assert part.process.wait(120) == -signal.SIGTERM
        file.unlink()
        reloader.look()
        assert reloader.look() == ["mine"]
    finally:
        supervisor.stop()


def test_tests_and_drivers_are_no_code_that_runs(tmp_path: Path) -> None:
    for folder in ("tests", "driver", "__pycache__"):
        _code(tmp_path, folder)
    manifest = tmp_path / "plugin.toml"
    manifest.touch()
    (tmp_path / "README.md").touch()
    assert list(snapshot((tmp_path,))) == [manifest]


def test_every_program_is_told_where_its_code_is() -> None:
    folders = {folder for one in programs.code().values() for folder in one}
    missing = [folder for folder in folders | {*programs.backend_code()} if not folder.is_dir()]
    assert not missing
    command = programs.backend(8480, reload=True)
    watched = [command[place + 1] for place, word in enumerate(command) if word == "--reload-dir"]
    assert watched == [str(folder) for folder in programs.backend_code()]
    assert "--reload" not in programs.backend(8480)


def test_a_worker_in_the_terminal_carries_its_tasks_out_itself() -> None:
    assert "solo" in programs.worker(foreground=True)
    assert "solo" not in programs.worker()


def _pid(part: Part) -> int:
    assert part.process is not None
    return part.process.pid
