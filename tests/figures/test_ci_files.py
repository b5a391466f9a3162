"""The files for GitHub and GitLab as they stand, their shell run against a platform and a forge: a
red gate, one comment written twice in place, a fork's job beside the job that posts for it.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml
from weighhouse_testing.builds import RATE, builds_of, paced_experiment
from weighhouse_testing.clones import git
from weighhouse_testing.command import WEIGHHOUSE, weighhouse
from weighhouse_testing.forge import StandInForge, stand_in_forge
from weighhouse_testing.platform import RunningPlatform

CI = Path(__file__).parents[2] / "docs/ci"
SLOWER, GATE_PERCENT = 0.3, 40
BEFORE = 250
"""Comments of others that stand before ours: a page has a hundred."""
HOLE = re.compile(r"\$(?:\{\{|\[\[) (.+?) (?:\}\}|\]\])")


@dataclass
class Store:
    """A repository with an experiment, measured once, and a request that makes it slower."""

    platform: RunningPlatform
    clone: Path
    base: str
    """The campaign."""
    head: str
    forge: StandInForge

    def shell(self, script: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """What a runner does with a step's text."""
        search = f"{Path(WEIGHHOUSE).parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.clone, capture_output=True, text=True, check=False, timeout=480,
            env={**os.environ, "PATH": search, "NO_COLOR": "1", **variables},
        )  # fmt: skip

    def github(self, **event: Any) -> dict[str, str]:
        """A job's variables."""
        path = self.clone.parent / "event.json"
        path.write_text(json.dumps({"repository": {"private": True}} | event))
        outputs = {
            name: str(self.clone.parent / name.lower())
            for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        return outputs | {
            "GITHUB_ACTIONS": "true", "GITHUB_API_URL": self.forge.url, "GITHUB_SHA": self.head,
            "GITHUB_REPOSITORY": "acme/store", "GITHUB_EVENT_PATH": str(path),
            "GITHUB_EVENT_NAME": "pull_request",
        }  # fmt: skip

    def action(
        self, forge: StandInForge | None = None, **given: str
    ) -> list[subprocess.CompletedProcess[str]]:
        """Each step of the composite action, as a job of the request runs it."""
        forge = forge or self.forge
        action = yaml.safe_load((CI / "github/action.yml").read_text())
        known = {f"inputs.{name}": one.get("default", "") for name, one in action["inputs"].items()}
        known |= {f"inputs.{name.replace('_', '-')}": value for name, value in given.items()}
        known |= {"github.token": forge.token}
        request = {
            "number": 7,
            "head": {"sha": self.head, "ref": "mine"},
            "base": {"sha": "0" * 40},
        }
        done = []
        for step in action["runs"]["steps"]:
            told = {name: filled(filled(text, known), known) for name, text in step["env"].items()}
            job = self.github(pull_request=request) | {"GITHUB_API_URL": forge.url}
            done.append(self.shell(step["run"], job | told))
        return done

    def component(
        self, forge: StandInForge, token: str = "", **given: str
    ) -> subprocess.CompletedProcess[str]:
        """The component's script, as a job of the merge request runs it.

        :param token: for the comment; a fork's pipeline has none.
        """
        spec, text = (CI / "gitlab/weighhouse.yml").read_text().split("\n---\n")
        inputs = yaml.safe_load(spec)["spec"]["inputs"]
        asked = {"file": "gate.yaml", "url": self.platform.url}
        asked |= {name.replace("_", "-"): value for name, value in given.items()}
        known = {
            f"inputs.{name}": asked.get(name, one.get("default")) for name, one in inputs.items()
        }
        job = yaml.safe_load(filled(text, known))["weighhouse"]
        told = self.gitlab(forge) | ({"GITLAB_TOKEN": token} if token else {})
        return self.shell("\n".join(job["script"]), told | job["variables"])

    def gitlab(self, forge: StandInForge) -> dict[str, str]:
        """A job's variables."""
        return {
            "GITLAB_CI": "true", "CI_API_V4_URL": forge.url, "CI_PROJECT_ID": "12",
            "CI_PROJECT_VISIBILITY": "private", "CI_COMMIT_SHA": self.head,
            "CI_MERGE_REQUEST_IID": "7", "WEIGHHOUSE_TOKEN": self.platform.token,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(self.clone, "rev-parse", "main"),
        }  # fmt: skip


def filled(text: str, known: Mapping[str, str]) -> str:
    """A text with what a runner puts in its holes; one that nobody knows is an error."""
    return HOLE.sub(lambda found: known[found[1]], text)


@pytest.fixture(scope="module")
def store(
    platform: RunningPlatform, known_noise: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """Measured before, as quick as it was; the request's server is much slower."""
    del known_noise
    clone = tmp_path_factory.mktemp("ci") / "store"
    clone.mkdir()
    git(clone, "init", "-q", "-b", "main")
    thresholds = {"gate_percent": float(GATE_PERCENT)}
    (clone / "gate.yaml").write_text(paced_experiment("ci-files", thresholds=thresholds))
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "as it was")
    with builds_of(platform, "redis-server") as builds, stand_in_forge() as forge:
        builds.use(RATE)
        file = str(clone / "gate.yaml")
        done = weighhouse(platform, "run", file, "--git", str(clone), "--wait", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        base = json.loads(done.stdout)["campaign"]["id"]
        git(clone, "checkout", "-q", "-b", "mine")
        git(clone, "commit", "-q", "--allow-empty", "-m", "slower")
        builds.use(RATE * SLOWER)
        yield Store(platform, clone, base, git(clone, "rev-parse", "HEAD"), forge)


@pytest.fixture(scope="module")
def red(store: Store) -> subprocess.CompletedProcess[str]:
    """The request's gate, by the action."""
    store.forge.fill(BEFORE)
    installed, gate = store.action(
        file="gate.yaml", url=store.platform.url, token=store.platform.token,
        base=f"campaign:{store.base}",
    )  # fmt: skip
    assert installed.returncode == 0, "the command is there already"
    return gate


def test_the_action_fails_a_slower_request_and_says_so_everywhere(
    store: Store, red: subprocess.CompletedProcess[str]
) -> None:
    told = red.stdout + red.stderr
    assert red.returncode == 1, told
    outputs = Path(store.github()["GITHUB_OUTPUT"]).read_text()
    assert "exit-code=1" in outputs
    assert "::error file=gate.yaml,line=1,title=redis" in red.stdout
    read = JUnitXml.fromfile(str(store.clone / "weighhouse-gate/junit.xml"))
    assert (read.tests, read.failures) == (2, 2)
    log = json.loads((store.clone / "weighhouse-gate/gate.sarif").read_text())
    assert log["runs"][0]["results"][0]["level"] == "error"
    summary = Path(store.github()["GITHUB_STEP_SUMMARY"]).read_text()
    (comment,) = store.forge.ours
    for text in (comment, summary, (store.clone / "weighhouse-gate/gate.md").read_text()):
        assert "Weighhouse: regression" in text
        assert store.platform.url in text
        assert "caveats" in text
    assert "comment at GitHub: created" in told
    assert store.platform.token not in told + comment


def test_the_comment_is_written_again_and_again_in_place_on_the_third_page(
    store: Store, red: subprocess.CompletedProcess[str]
) -> None:
    assert red.returncode == 1
    asked = {"file": "gate.yaml", "url": store.platform.url, "token": store.platform.token}
    job = store.github(pull_request={"number": 7}) | {"GITHUB_TOKEN": store.forge.token}
    told = [store.forge.ours]
    _, pushed = store.action(**asked, base=f"campaign:{store.base}")
    assert pushed.returncode == 1, pushed.stdout + pushed.stderr
    told.append(stands_alone(store.forge, pushed))
    watched = ("campaign", "watch", measured(store), "--gate", "--comment", "--threshold", "90")
    told.append(stands_alone(store.forge, weighhouse(store.platform, *watched, **job)))
    assert len({text for (text,) in told}) == 3, "each time it says what was found last"
    posts = [path for method, path in store.forge.asked if method == "POST"]
    assert posts == ["/repos/acme/store/issues/7/comments"]


def measured(store: Store, folder: str = "weighhouse-gate") -> str:
    """The campaign that the last gate kept in its folder."""
    kept = json.loads((store.clone / folder / "result.json").read_text())
    return str(kept["campaign_id"])


def stands_alone(
    forge: StandInForge, job: subprocess.CompletedProcess[str], done: str = "updated"
) -> list[str]:
    """Our one comment, on the third page, where it was written first."""
    name = "GitHub" if forge.is_github else "GitLab"
    assert f"comment at {name}: {done}" in job.stdout, job.stdout + job.stderr
    (ours,) = forge.ours
    assert [one["body"] for one in forge.comments].index(ours) == BEFORE
    return [ours]


@pytest.mark.parametrize(
    ("trouble", "mend"),
    [
        ({"refuse": 403}, "pull-requests: write"),
        ({"refuse": 404}, "no such request"),
        ({"busy": 1000}, "run the job again later"),
        ({"speaks_html": True}, "is not the API of GitHub"),
        (None, "does not answer"),
    ],
)
def test_the_verdict_stands_whatever_the_forge_says(
    store: Store, red: subprocess.CompletedProcess[str], trouble: dict[str, Any] | None, mend: str
) -> None:
    assert red.returncode == 1
    campaign = measured(store)
    with stand_in_forge() as forge:
        for name, value in (trouble or {}).items():
            setattr(forge, name, value)
        job = store.github(pull_request={"number": 7}) | {"GITHUB_TOKEN": forge.token}
        job["GITHUB_API_URL"] = "http://127.0.0.1:9" if trouble is None else forge.url
        watched = ("campaign", "watch", campaign, "--gate", "--comment")
        done = weighhouse(store.platform, *watched, **job)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "no comment:" in done.stdout
    assert mend in done.stdout


def test_a_forks_job_gates_and_a_second_one_posts(store: Store) -> None:
    gate = yaml.safe_load((CI / "github/gate.yml").read_text())["jobs"]["weigh"]["steps"][1]
    asks = gate["with"]["comment"]
    assert asks == "${{ github.event.pull_request.head.repo.full_name == github.repository }}"
    with stand_in_forge() as forge:
        forge.refuse = 403
        _, fork = store.action(
            file="gate.yaml", url=store.platform.url, token=store.platform.token,
            base=f"campaign:{store.base}", comment="false", forge=forge,
        )  # fmt: skip
        assert fork.returncode == 1, fork.stdout + fork.stderr
        assert forge.asked == [], "it has a token that may only read"
        forge.refuse = None
        workflow = yaml.safe_load((CI / "github/comment.yml").read_text())
        *_, step = workflow["jobs"]["comment"]["steps"]
        known = {"github.token": forge.token, "github.event.workflow_run.head_sha": store.head}
        told = {name: filled(text, known) for name, text in step["env"].items()}
        told |= {"WEIGHHOUSE_URL": store.platform.url, "WEIGHHOUSE_TOKEN": store.platform.token}
        second = store.github() | {"GITHUB_API_URL": forge.url, "GITHUB_EVENT_NAME": "workflow_run"}
        other = store.shell(step["run"], second | told | {"HEAD": "d" * 40})
        assert other.returncode == 4, other.stderr
        assert "nothing is written" in other.stderr
        forge.pulls[store.head] = 7
        posted = store.shell(step["run"], second | told)
        assert posted.returncode == 0, posted.stdout + posted.stderr
        (ours,) = forge.ours
        assert "Weighhouse: regression" in ours


def test_the_component_fails_a_slower_request_and_writes_one_comment_in_place(
    store: Store,
) -> None:
    told = []
    with stand_in_forge(github=False) as forge:
        forge.fill(BEFORE)
        job = store.gitlab(forge) | {"GITLAB_TOKEN": forge.token}
        for done in ("created", "updated"):
            gate = store.component(forge, token=forge.token, base=f"campaign:{store.base}")
            assert gate.returncode == 1, gate.stdout + gate.stderr
            read = JUnitXml.fromfile(str(store.clone / "junit.xml"))
            assert (read.tests, read.failures, read.errors) == (2, 2, 0)
            told.append(stands_alone(forge, gate, done))
        watched = ("campaign", "watch", measured(store, "."), "--gate", "--comment")
        again = weighhouse(store.platform, *watched, "--threshold", "90", **job)
        told.append(stands_alone(forge, again))
        posts = [path for method, path in forge.asked if method == "POST"]
    assert len({text for (text,) in told}) == 3
    assert posts == ["/projects/12/merge_requests/7/notes"]


def test_the_components_second_job_posts_what_a_forks_job_found(
    store: Store, red: subprocess.CompletedProcess[str]
) -> None:
    assert red.returncode == 1
    with stand_in_forge(github=False) as forge:
        fork = store.component(forge, base=f"campaign:{store.base}")
        assert fork.returncode == 1, "a fork's pipeline has no token, and gates all the same"
        assert "GITLAB_TOKEN is not set" in fork.stdout
        assert forge.ours == []
        posting = yaml.safe_load((CI / "gitlab/comment.yml").read_text())["weighhouse-comment"]
        told = {"CAMPAIGN": measured(store, "."), "REQUEST": "7", "HEAD": store.head}
        told |= store.gitlab(forge) | {"WEIGHHOUSE_URL": store.platform.url}
        script = "\n".join(posting["script"])
        refused = store.shell(script, told)
        assert refused.returncode == 3
        assert "GITLAB_TOKEN is not set" in refused.stderr
        posted = store.shell(script, told | {"GITLAB_TOKEN": forge.token})
        assert posted.returncode == 0, posted.stdout + posted.stderr
        (ours,) = forge.ours
        assert "Weighhouse: regression" in ours


def test_the_component_measures_nothing_where_nothing_changed(store: Store) -> None:
    with stand_in_forge(github=False) as forge:
        done = store.component(forge, only_if_changed="elsewhere other")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "nothing below elsewhere, other changed" in done.stdout
        assert JUnitXml.fromfile(str(store.clone / "junit.xml")).skipped == 1
        assert forge.ours == []
