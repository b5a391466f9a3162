"""Builds of a real repository, measured in any order: they stand in the order of its commits, the
step is found where it was made, and a pull request is held against what it began at.

The server is the real Redis, wrapped; see `weighhouse_testing.builds`.
"""

import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from weighhouse_testing.builds import RATE, Builds, builds_of, paced_experiment
from weighhouse_testing.clones import git
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import until

COMMITS, QUICKER_FROM, BEGUN = 12, 8, 3
"""On the main line; from one on builds are quicker, and the pull request began at another."""
QUICKER, GATE_PERCENT = 2.0, 40.0
"""So far apart, and so far from it where they are alike, that a busy machine's noise is neither."""
FEW, ENOUGH = 2, 5
"""Repeats of what is only drawn, and of what is judged."""


@dataclass
class Line:
    """A repository with a line of commits, and a request that left it early."""

    platform: RunningPlatform
    builds: Builds
    clone: Path
    commits: list[str] = field(default_factory=list)
    campaigns: dict[str, str] = field(default_factory=dict)
    """Of commits."""

    def begin(self) -> None:
        self.clone.mkdir()
        git(self.clone, "init", "-q", "-b", "main")
        for number in range(COMMITS):
            self.commits.append(self.commit(f"build {number}"))

    def commit(self, subject: str) -> str:
        git(self.clone, "commit", "-q", "--allow-empty", "-m", subject)
        return git(self.clone, "rev-parse", "HEAD")

    def measured(self, commit: str, rate: float, *asked: str) -> subprocess.CompletedProcess[str]:
        git(self.clone, "checkout", "-q", commit)
        self.builds.use(rate)
        file = self.clone.parent / "commits.yaml"
        repetitions = ENOUGH if asked or commit == self.commits[BEGUN] else FEW
        thresholds = {"gate_percent": GATE_PERCENT}
        file.write_text(paced_experiment("commits", repetitions=repetitions, thresholds=thresholds))
        told = ("--git", str(self.clone), "--wait", *asked)
        done = weighhouse(self.platform, "run", str(file), *told)
        listed = weighhouse(self.platform, "campaign", "list", "--commit", commit, "--json")
        self.campaigns[commit] = json.loads(listed.stdout)["items"][0]["id"]
        return done

    def series(self) -> dict[str, Any]:
        query = {"metric": "throughput", "experiment_id": self.experiment}
        [listed] = self.platform.request("GET", "/series", params=query)["items"]
        found: dict[str, Any] = self.platform.request("GET", f"/series/{listed['id']}")
        return found

    @property
    def experiment(self) -> str:
        one = next(iter(self.campaigns.values()))
        return str(self.platform.request("GET", f"/campaigns/{one}")["experiment"]["id"])


@pytest.fixture(scope="module")
def line(
    platform: RunningPlatform, known_noise: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Line]:
    """All commits of the main line, measured in an order that is none."""
    del known_noise
    with builds_of(platform, "redis-server") as builds:
        line = Line(platform, builds, tmp_path_factory.mktemp("line") / "store")
        line.begin()
        for number in random.Random(11).sample(range(COMMITS), COMMITS):
            rate = RATE * (QUICKER if number >= QUICKER_FROM else 1)
            done = line.measured(line.commits[number], rate)
            assert done.returncode == 0, done.stdout + done.stderr
        yield line


def test_they_stand_in_the_order_of_their_commits(line: Line) -> None:
    points = line.series()["points"]
    assert [one["git"]["commit"] for one in points] == line.commits
    asked = [one["asked_at"] for one in points]
    assert asked != sorted(asked), "they were measured in another"


def test_the_step_is_at_the_commit_that_made_it(line: Line) -> None:
    def told() -> list[str]:
        found = line.series()["change_points"]
        return [one["campaign_id"] for one in found if one["status"] == "confirmed"]

    until("the step is told", told)
    assert told() == [line.campaigns[line.commits[QUICKER_FROM]]]


def test_a_pull_request_is_held_against_the_commit_it_began_at(line: Line) -> None:
    began = line.commits[BEGUN]
    git(line.clone, "checkout", "-q", "-b", "mine", began)
    head = line.commit("as quick as where it began")
    asked = ("--gate", "--branch", "mine", "--pull-request", "7")
    done = line.measured(head, RATE, *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    gate = line.platform.request("GET", f"/campaigns/{line.campaigns[head]}/gate")
    assert gate["base_campaign_ids"] == [line.campaigns[began]]
    assert f"The base is commit {began[:10]}" in gate["message"]
    watched = ("campaign", "watch", line.campaigns[head], "--gate", "--base")
    against_main = weighhouse(line.platform, *watched, "branch:main")
    assert against_main.returncode != 0, "main is quicker by now"
