"""Five builds in a row, each slower by what the gate lets pass, for a reason that no experiment,
version or setting tells: the anchor stops them, and what regressed is held against nobody until
somebody accepts it.

The server is the real Redis, wrapped; see `weighhouse_testing.builds`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from weighhouse_testing.builds import RATE, Builds, builds_of, paced_experiment
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform

LOSS = 0.2
"""Of each build against the one before: small beside it is what a busy machine takes by itself."""
BUILDS = 5
GATE_PERCENT, ANCHOR_PERCENT = 60.0, 28.0
"""Two builds lose 36 %: less than the gate lets pass, more than the anchor lets add up."""


@dataclass
class Course:
    """Campaigns of one experiment, by the command and by the API in turn."""

    platform: RunningPlatform
    builds: Builds
    file: Path
    codes: list[int] = field(default_factory=list)
    """Exit codes of the command, campaign by campaign."""
    said: list[str] = field(default_factory=list)
    """What it printed."""
    ids: list[str] = field(default_factory=list)

    def next(self, rate: float) -> None:
        """Measure a build by a campaign, and have the command judge it."""
        self.builds.use(rate)
        if len(self.ids) % 2:
            started = self.platform.start_campaign(self.file.read_text())
            self.platform.wait_for_campaign(started["id"])
            self.ids.append(started["id"])
            done = weighhouse(self.platform, "campaign", "watch", started["id"], "--gate")
        else:
            done = weighhouse(self.platform, "run", str(self.file), "--no-git", "--wait", "--gate")
            listed = weighhouse(self.platform, "campaign", "list", "--json")
            self.ids.append(json.loads(listed.stdout)["items"][0]["id"])
        self.codes.append(done.returncode)
        self.said.append(done.stdout + done.stderr)
        print(self.codes[-1], self.said[-1])

    def gate(self, number: int, **asked: float) -> dict:
        """What the API says of a campaign, counted from 0."""
        found: dict = self.platform.request(
            "GET", f"/campaigns/{self.ids[number]}/gate", params=asked
        )
        return found


@pytest.fixture(scope="module")
def course(
    platform: RunningPlatform, known_noise: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Course]:
    """The first build, and five that lose as much each."""
    del known_noise
    thresholds = {"gate_percent": GATE_PERCENT, "anchor_percent": ANCHOR_PERCENT}
    file = tmp_path_factory.mktemp("losses") / "losses.yaml"
    file.write_text(paced_experiment("small-losses", thresholds=thresholds))
    with builds_of(platform, "redis-server") as builds:
        course = Course(platform, builds, file)
        for number in range(BUILDS + 1):
            course.next(RATE * (1 - LOSS) ** number)
        yield course


def test_the_anchor_stops_the_second_or_third_build(course: Course) -> None:
    gates = [course.gate(number) for number in range(BUILDS + 1)]
    told = "\n".join(gate["message"] for gate in gates)
    assert course.codes[0] == 2, "there is nothing to compare the first with"
    assert 1 in course.codes, told
    stopped = course.codes.index(1)
    assert stopped in {2, 3}, told
    assert course.codes[1:stopped] == [0] * (stopped - 1), told
    assert course.codes[stopped:] == [1] * (BUILDS + 1 - stopped), "none of those after it passes"
    assert course.codes == [gate["exit_code"] for gate in gates], (
        "the command says what the API says"
    )

    gate = gates[stopped]
    assert gate["anchor_campaign_id"] == course.ids[0]
    assert gate["anchor_threshold_percent"] == ANCHOR_PERCENT
    assert [cell["stopped_by"] for cell in gate["cells"]] == ["anchor"], gate["message"]
    first_line = gate["message"].splitlines()[0]
    assert first_line.startswith("Nothing that is known differs: the only cell regressed: ")
    assert "since the anchor: small steps add up" in first_line
    assert first_line in course.said[stopped]


def test_without_the_anchor_that_build_had_passed(course: Course) -> None:
    stopped = course.codes.index(1)
    assert course.gate(stopped, anchor_threshold_percent=90)["exit_code"] == 0
    asked = ("campaign", "watch", course.ids[stopped], "--gate", "--anchor-threshold")
    assert weighhouse(course.platform, *asked, "90").returncode == 0
    assert weighhouse(course.platform, *asked, f"{ANCHOR_PERCENT:g}").returncode == 1


def test_what_regressed_is_no_base(course: Course) -> None:
    stopped = course.codes.index(1)
    passed = course.ids[:stopped][::-1]
    for number in range(stopped, BUILDS + 1):
        assert course.gate(number)["base_campaign_ids"] == passed


def test_accepted_it_is_the_level_that_holds(course: Course) -> None:
    slowest = course.ids[BUILDS]
    unexplained = weighhouse(course.platform, "campaign", "accept", slowest)
    assert unexplained.returncode != 0, "it takes a note"
    accepted = weighhouse(
        course.platform, "campaign", "accept", slowest, "--note", "each record is checked now"
    )
    assert accepted.returncode == 0, accepted.stderr

    course.next(RATE * (1 - LOSS) ** BUILDS)

    gate = course.gate(BUILDS + 1)
    # One campaign is the base now: where the machine is busy it may be too few to call it safe.
    assert course.codes[-1] == gate["exit_code"], gate["message"]
    assert gate["verdict"] != "regression", gate["message"]
    assert gate["base_campaign_ids"] == [slowest]
    assert gate["anchor_campaign_id"] == slowest
    assert course.gate(BUILDS)["verdict"] == "regression", "what was said of it stands"
