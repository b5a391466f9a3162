"""A log that cannot be written costs lines, and nothing else."""

import logging
import shutil
import sys
from pathlib import Path

import pytest
import structlog
from weighhouse_backend.app.space_watch import SpaceWatch
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.logs import LINES, configure_library_logs, configure_logs

FULL = Path("/dev/full")


@pytest.fixture(autouse=True)
def _logs():
    before = logging.getLogger().handlers[:]
    configure_logs("INFO")
    configure_library_logs("INFO")
    yield
    structlog.reset_defaults()
    logging.getLogger().handlers = before
    logging.raiseExceptions = True
    logging.captureWarnings(capture=False)


def broken(how: str):
    if how == "closed":
        made = FULL.open("w")
        made.close()
        return made
    return None if how == "none" else FULL.open("w", buffering=1)


@pytest.mark.parametrize("how", ["full", "closed", "none"])
def test_no_line_raises(how, monkeypatch):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, broken(how))
    lost = LINES.lost
    structlog.get_logger("ours").error("unhandled", exc_info=OSError("it was"))
    logging.getLogger("theirs").error("%s and %s", *["too few"])
    logging.getLogger("theirs").warning("it goes on")
    monkeypatch.undo()
    assert LINES.lost == lost + 1


@pytest.mark.parametrize("how", ["closed", "none"])
def test_lines_that_nobody_reads_are_no_want_of_room(how, monkeypatch, tmp_path):
    conditions = Conditions()
    watch = SpaceWatch(tmp_path, 0, conditions)
    monkeypatch.setattr(sys, "stdout", broken(how))
    structlog.get_logger("ours").info("lost")
    watch.look()
    assert not conditions.told()


@pytest.mark.parametrize("level", ["INFO", "ERROR"])
def test_lines_that_are_lost_are_no_space_until_one_is_written(level, monkeypatch, tmp_path):
    configure_logs(level)
    conditions = Conditions()
    watch = SpaceWatch(tmp_path, 0, conditions)
    monkeypatch.setattr(sys, "stdout", broken("full"))
    structlog.get_logger("ours").error("lost")
    for _ in range(3):
        watch.look()
        assert [one.name for one in conditions.told()] == ["no-space"]
    monkeypatch.undo()
    watch.look()
    assert not conditions.told()


def test_a_disk_with_too_little_room_is_no_space(tmp_path):
    conditions = Conditions()
    SpaceWatch(tmp_path / "artifacts", 1 << 40, conditions).look()
    (told,) = conditions.told()
    assert told.name == "no-space"
    SpaceWatch(tmp_path / "artifacts", 0, conditions).look()
    assert not conditions.told()


def test_at_the_edge_a_disk_is_full_until_there_is_clearly_room(tmp_path):
    free = shutil.disk_usage(tmp_path).free >> 20
    conditions = Conditions()
    for spare, told in ((free * 2, 1), (free * 9 // 10, 1), (free // 2, 0), (free * 9 // 10, 0)):
        SpaceWatch(tmp_path, spare, conditions).look()
        assert len(conditions.told()) == told
