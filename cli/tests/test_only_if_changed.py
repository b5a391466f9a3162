"""Whether a commit changed what is measured, asked of real clones."""

import json
from pathlib import Path

import pytest
from weighhouse_cli.ci.changes import unchanged
from weighhouse_cli.clones import clone_of
from weighhouse_cli.exits import CommandFailed
from weighhouse_protocol.git import GitContext
from weighhouse_testing.clones import git


def commit(store: Path, **files: str) -> str:
    for name, text in files.items():
        path = store / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(store, "add", "-A")
    git(store, "commit", "-q", "--allow-empty", "-m", "one")
    return git(store, "rev-parse", "HEAD")


@pytest.fixture
def store(tmp_path):
    top = tmp_path / "store"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    commit(top, engine__main="1", engineering__notes="1", reads_dot_yaml="a: 1")
    return top


def asked(store, *paths, head, environment=None, **context):
    clone = clone_of(store)
    file = store / "reads.yaml"
    told = GitContext.model_validate({"commit": head} | context)
    return unchanged(clone, file, [Path(one) for one in paths], told, environment or {})


def test_a_commit_is_held_against_the_one_before_it(store):
    head = commit(store, engineering__notes="2")
    assert "nothing below engine changed" in asked(store, "engine", head=head)
    assert asked(store, "engineering", head=head) is None
    assert asked(store, "engine", "engineering/notes", head=head) is None
    head = commit(store, engine__main="2")
    assert asked(store, "engine", head=head) is None


def test_what_changes_the_experiment_is_measured(store):
    head = commit(store, reads_dot_yaml="a: 2")
    assert asked(store, "engine", head=head) is None


def test_what_was_moved_away_changed(store):
    git(store, "mv", "engine/main", "elsewhere")
    assert asked(store, "engine", head=commit(store)) is None


def test_a_push_is_held_against_what_the_branch_was(store, tmp_path):
    before = git(store, "rev-parse", "HEAD")
    commit(store, engine__main="2")
    head = commit(store, engineering__notes="2")
    assert asked(store, "engine", head=head) is not None
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": before}))
    github = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(event)}
    assert asked(store, "engine", head=head, environment=github) is None
    assert asked(store, "engine", head=head, environment={"CI_COMMIT_BEFORE_SHA": before}) is None
    nobody = {"CI_COMMIT_BEFORE_SHA": "0" * 40}
    assert asked(store, "engine", head=head, environment=nobody) is not None


def test_a_request_is_held_against_where_it_began(store):
    began = git(store, "rev-parse", "HEAD")
    commit(store, engine__main="2")
    head = commit(store, engineering__notes="2")
    request = {"pull_request": 7, "merge_base": began}
    assert asked(store, "engine", head=head, **request) is None
    assert asked(store, "engine", head=head, pull_request=7) is None, "nobody knows where it began"


def test_what_nobody_can_tell_is_measured(store):
    first = git(store, "rev-parse", "HEAD")
    assert asked(store, "engine", head=first) is None, "it has no parent"
    head = commit(store, engineering__notes="2")
    assert asked(store, "engine", head=head, dirty=True) is None
    unfetched = {"CI_COMMIT_BEFORE_SHA": "f" * 40}
    assert asked(store, "engine", head=head, environment=unfetched) is None


@pytest.mark.parametrize("path", ["../other", "/etc"])
def test_a_path_outside_of_the_repository_is_refused(store, path):
    head = commit(store, engineering__notes="2")
    with pytest.raises(CommandFailed, match="lies outside of the repository"):
        asked(store, path, head=head)


def test_a_path_is_no_pattern(store):
    head = commit(store, engine__main="2")
    assert asked(store, ":(exclude)engine", head=head) is not None
    assert asked(store, "eng*", head=head) is not None
