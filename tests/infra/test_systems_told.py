"""The summary of a test run says which systems it was on."""

import json
from pathlib import Path

from suites import systems


def noted(path: Path, exercised: list[dict[str, object]], left: list[dict[str, object]]) -> Path:
    path.write_text(json.dumps({"exercised": exercised, "not_run": left}), encoding="utf-8")
    return path


def on(plugin: str, version: str, tests: int, stand_in: str = "") -> dict[str, object]:
    return {"plugin": plugin, "version": version, "tests": tests, "stand_in": stand_in}


def test_systems_and_what_was_left_out(tmp_path: Path) -> None:
    left = {"plugin": "mongodb", "tests": 16, "reason": "mongod is not on this machine"}
    first = noted(
        tmp_path / "plugins.json",
        [on("garnet", "2.2.8", 25), on("garnet", "unknown", 1), on("mongodb", "5", 1, "stand-in")],
        [left],
    )
    second = noted(tmp_path / "platform.json", [on("redis", "7.0.15", 3)], [])
    assert list(systems.lines([first, second, tmp_path / "nowhere.json"])) == [
        "systems that tests ran on: garnet 2.2.8 (26 tests), redis 7.0.15 (3 tests)",
        "not run: 16 tests of mongodb: mongod is not on this machine",
    ]
    assert list(systems.lines([])) == []
