"""From the page of tokens to the first green job: nothing is taken but what stands there."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect
from weighhouse_testing.agent_packages import fill
from weighhouse_testing.browser import looked_at
from weighhouse_testing.clones import git
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows

HOLE = re.compile(r"\$\{\{ (.+?) \}\}")
FIRST = "experiments/first-gate.yaml"


def _tells(page: Page, label: str) -> str:
    """A text that is there to be copied."""
    found = page.get_by_label(label, exact=True)
    expect(found).to_be_visible()
    return found.inner_text()


def _made(page: Page) -> tuple[str, str, str]:
    """The token, the workflow and the experiment's file, from the page alone."""
    page.goto("/settings?tab=tokens")
    page.get_by_role("button", name="New token").click()
    page.get_by_role("textbox", name="Name").fill("ci-main")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_text("Waiting for the first job")).to_be_visible()
    expect(page.get_by_text(FIRST, exact=True)).to_be_visible()
    looked_at(page, "the ready files")
    texts = ("The new API token", "File for GitHub Actions", "The experiment's file")
    token, workflow, experiment = (_tells(page, one) for one in texts)
    return token, workflow, experiment


def _step(
    text: str, clone: Path, machine: Path, more: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """What a runner does with a step, on a machine that has Python and Git alone."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text],
        cwd=clone, capture_output=True, text=True, check=False,
        env={
            "PATH": f"{machine / 'bin'}:/usr/bin:/bin", "HOME": str(clone.parent),
            "LANG": "C.UTF-8",
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_REF": "refs/heads/main",
            "GITHUB_REPOSITORY": "acme/store", "GITHUB_SHA": git(clone, "rev-parse", "HEAD"),
            "PIP_NO_CACHE_DIR": "1", **more,
        },
    )  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the platform serves: as `make packages DEPENDENCIES=1` fills it."""
    folder = tmp_path_factory.mktemp("served")
    return fill(folder, "0.1.0", work=tmp_path_factory.mktemp("build"))


def _experiment(house: RunningPlatform) -> None:
    text = small_experiment("first-gate", "redis", repetitions=2, clients=(2,))
    house.request("POST", "/experiments", json={"yaml": text})


def test_the_first_job_is_green_with_what_the_page_of_tokens_gives(
    windows: Windows, served: Path, tmp_path: Path
) -> None:
    clone, machine = tmp_path / "store", tmp_path / "machine"
    subprocess.run([sys.executable, "-m", "venv", machine], check=True)
    with (
        running_platform(packages_dir=str(served)) as house,
        windows.lent(house.url, (house.email, house.password)) as opens,
    ):
        _experiment(house)
        page = opens()
        token, workflow, experiment = _made(page)
        (clone / "experiments").mkdir(parents=True)
        (clone / FIRST).write_text(experiment)
        git(clone, "init", "-q", "-b", "main")
        git(clone, "add", "-A")
        git(clone, "commit", "-q", "-m", "as it is")
        secrets = {"secrets.WEIGHHOUSE_TOKEN": token, "github.token": "none"}
        for step in yaml.safe_load(workflow)["jobs"]["weigh"]["steps"]:
            if "run" not in step:
                continue
            told = {
                name: HOLE.sub(lambda found: secrets[found[1]], str(value))
                for name, value in step.get("env", {}).items()
            }
            done = _step(step["run"], clone, machine, told)
            assert done.returncode == 0, done.stdout + done.stderr
        assert "no base" in done.stdout, "nothing is called passed that was compared with nothing"
        assert (clone / "junit.xml").is_file()
        expect(page.get_by_text("A job came in")).to_be_visible()
        looked_at(page, "a job came in")
        away = _step("weighhouse up", clone, machine, {})
        assert away.returncode == 4
        assert "the package weighhouse brings the platform" in away.stderr
        assert list(machine.rglob("scipy")) == [], "a job installs what it needs, and no judge"
