"""What a code host reads of this repository: workflow, owners, forms."""

import re

import pytest
import yaml
from weighhouse_testing.tree import REPOSITORY, text_of, tracked

WORKFLOWS = [name for name in tracked(".yml") if name.startswith(".github/workflows/")]
FORMS = [name for name in tracked(".yml") if name.startswith(".github/ISSUE_TEMPLATE/")]


def test_the_workflow_runs_the_gate():
    assert WORKFLOWS
    steps = [
        step
        for name in WORKFLOWS
        for job in yaml.safe_load(text_of(name))["jobs"].values()
        for step in job["steps"]
    ]
    assert ".ci/run" in [step.get("run") for step in steps]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_of_a_named_version(name):
    used = re.findall(r"uses: (\S+)", text_of(name))
    loose = [one for one in used if not re.search(r"@([0-9a-f]{40}|v\d+|stable)$", one)]
    assert not loose, f"by commit, or by the tag of a version: {loose}"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_a_night_makes_are_targets(name):
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    made = re.findall(
        r'"([a-z-]+)"(?:, |\])', text_of(name).split("fromJSON(", 1)[1].split("\n")[0]
    )
    assert made
    assert set(made) <= targets


def test_owners_are_of_folders_that_are_there():
    lines = [line.split() for line in text_of(".github/CODEOWNERS").splitlines()]
    rules = {line[0]: line[1:] for line in lines if line and not line[0].startswith("#")}
    gone = [path for path in rules if path != "*" and not any(REPOSITORY.glob(path.strip("/")))]
    assert not gone, f".github/CODEOWNERS names what is not there: {gone}"
    assert all(team.startswith("@weighhouse/") for teams in rules.values() for team in teams)
    tops = {name.split("/")[0] for name in tracked() if "/" in name and name[0] != "."}
    nobodys = sorted(top for top in tops - {"docs", "tests"} if f"/{top}/" not in rules)
    assert not nobodys, f".github/CODEOWNERS has no line of {nobodys}"


@pytest.mark.parametrize("name", [one for one in FORMS if not one.endswith("config.yml")])
def test_a_form_of_issues_asks_something(name):
    form = yaml.safe_load(text_of(name))
    assert form["name"]
    assert form["description"]
    ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert len(ids) == len(set(ids)) > 1
    assert any(field.get("validations", {}).get("required") for field in form["body"])
