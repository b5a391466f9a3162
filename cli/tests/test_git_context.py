"""The commit that pipelines, git and options tell; real repositories, real events' shapes."""

import json
from pathlib import Path
from typing import Any

import pytest
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.git_context import Asked, GitOptions, find_stamp, in_words
from weighhouse_protocol.git import GitContext
from weighhouse_testing.clones import git

NOTHING = GitOptions()
HEAD = "1111111111111111111111111111111111111111"
MERGE = "2222222222222222222222222222222222222222"


FILE = "experiment.yaml"
TOLD: dict[str, Any] = {"exclude_none": True, "exclude": {"history"}}
"""What tests of the commit itself look at."""


def find_context(
    options: GitOptions, environment: dict[str, str], directory: Path, *, look: bool = True
) -> GitContext | None:
    """Of an experiment in the working directory."""
    asked = Asked(directory, directory / FILE, look=look)
    return find_stamp(options, environment, asked).context


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A working directory with one commit, and an address that holds a password."""
    directory = tmp_path / "clone"
    directory.mkdir()
    git(directory, "init", "-q", "-b", "faster-reads")
    (directory / "store.c").write_text("int reads;\n")
    (directory / FILE).write_text("name: Reads\n")
    git(directory, "add", ".")
    git(directory, "commit", "-q", "-m", "Read twice as fast\n\nAt length.")
    git(directory, "remote", "add", "origin", "https://bot:s3cret@github.com/team/store.git")
    return directory


def test_git_tells_what_is_checked_out_and_no_secret(clone: Path) -> None:
    found = find_context(NOTHING, {}, clone)

    assert found is not None
    assert found.commit == git(clone, "rev-parse", "HEAD")
    assert found.branch == "faster-reads"
    assert found.subject == "Read twice as fast"
    assert found.repository == "https://github.com/team/store"
    assert found.dirty is False
    assert "s3cret" not in found.model_dump_json()


def test_a_change_that_is_not_committed_is_told(clone: Path) -> None:
    (clone / "notes.txt").write_text("git does not know me\n")
    clean = find_context(NOTHING, {}, clone)
    (clone / "store.c").write_text("int reads = 2;\n")
    dirty = find_context(NOTHING, {}, clone)

    assert clean is not None
    assert dirty is not None
    assert (clean.dirty, dirty.dirty) == (False, True)
    assert "not committed" in in_words(dirty)


def test_a_detached_head_has_a_commit_and_no_branch(clone: Path) -> None:
    git(clone, "checkout", "-q", "--detach")
    found = find_context(NOTHING, {}, clone)

    assert found is not None
    assert found.branch is None


def test_the_branchs_own_remote_is_the_repository(clone: Path) -> None:
    git(clone, "remote", "add", "fork", "git@git.example:mia/store.git")
    git(clone, "config", "branch.faster-reads.remote", "fork")
    found = find_context(NOTHING, {}, clone)

    assert found is not None
    assert found.repository == "ssh://git.example/mia/store"


def test_a_repository_on_this_machines_disk_is_nobodys_address(clone: Path) -> None:
    git(clone, "remote", "set-url", "origin", str(clone))
    found = find_context(NOTHING, {}, clone)

    assert found is not None
    assert found.repository is None


@pytest.mark.parametrize("begun", [False, True])
def test_without_a_commit_there_is_nothing_to_tell(tmp_path: Path, begun: bool) -> None:
    if begun:
        git(tmp_path, "init", "-q")

    assert find_context(NOTHING, {}, tmp_path) is None


def test_a_subject_of_any_length_and_kind_becomes_a_line(clone: Path) -> None:
    git(clone, "commit", "-q", "--allow-empty", "-m", "tab\tand \x1b[31mred " + "x" * 300)
    found = find_context(NOTHING, {}, clone)

    assert found is not None
    assert found.subject is not None
    assert found.subject.startswith("tab and [31mred xxx")
    assert len(found.subject) == 200
    assert found.subject.endswith("…")


def test_what_is_stamped_is_said_with_whose_it_is(clone: Path) -> None:
    (clone / "store.c").write_text("int reads = 2;\n")
    stamp = find_stamp(NOTHING, {}, Asked(clone, clone / FILE))
    head = git(clone, "rev-parse", "--short=10", "HEAD")

    assert stamp.said == (
        f"stamps commit {head} with changes that are not committed on faster-reads, "
        f"of https://github.com/team/store; told by the clone {clone}"
    )


def test_a_clone_that_happens_to_be_here_stamps_no_experiment_of_elsewhere(
    clone: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / FILE
    elsewhere.write_text("name: Reads\n")
    stamp = find_stamp(NOTHING, {}, Asked(clone, elsewhere))

    assert stamp.context is None
    assert stamp.said == (
        f"no commit is stamped: {elsewhere} does not lie in the clone {clone} that the command is "
        "started in; name one with --git PATH or --commit"
    )


def test_an_experiment_in_a_clone_inside_the_clone_is_that_ones(clone: Path) -> None:
    inner = clone / "vendor"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "commit", "-q", "--allow-empty", "-m", "Theirs")
    (inner / FILE).write_text("name: Reads\n")

    assert find_stamp(NOTHING, {}, Asked(clone, inner / FILE)).context is None


def test_an_experiment_behind_a_link_lies_where_it_lies(clone: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / FILE
    elsewhere.write_text("name: Reads\n")
    (clone / "linked.yaml").symlink_to(elsewhere)

    assert find_stamp(NOTHING, {}, Asked(clone, clone / "linked.yaml")).context is None


def test_a_clone_that_is_named_stamps_whatever_is_here(clone: Path, tmp_path: Path) -> None:
    stamp = find_stamp(NOTHING, GITLAB, Asked(tmp_path, tmp_path / FILE, clone))

    assert stamp.context is not None
    assert stamp.context.commit == git(clone, "rev-parse", "HEAD")
    assert str(clone) in stamp.said


def test_a_named_directory_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"--git .* no clone"):
        find_stamp(NOTHING, {}, Asked(tmp_path, tmp_path / FILE, tmp_path))


def test_a_commit_alone_takes_no_repository_of_a_clone_that_happens_to_be_here(
    clone: Path, tmp_path: Path
) -> None:
    stamp = find_stamp(GitOptions(commit=HEAD), {}, Asked(clone, tmp_path / FILE))

    assert stamp.context is not None
    assert stamp.context.model_dump(**TOLD) == {
        "commit": HEAD,
        "dirty": False,
    }
    assert stamp.said == f"stamps commit {HEAD[:10]}; told by --commit"


def test_an_experiment_that_is_not_committed_differs_from_the_commit(clone: Path) -> None:
    (clone / "new.yaml").write_text("name: Reads\n")
    stamp = find_stamp(NOTHING, {}, Asked(clone, clone / "new.yaml"))

    assert stamp.context is not None
    assert stamp.context.dirty


def test_weighhouses_own_clone_is_not_what_is_measured() -> None:
    repository = Path(__file__).parents[2]
    if not (repository / ".git").exists():
        pytest.skip("not a clone")
    asked = Asked(repository, repository / "experiments/quickstart.yaml")
    stamp = find_stamp(NOTHING, {}, asked)

    assert stamp.context is None
    assert "the clone of Weighhouse itself" in stamp.said


def test_a_hooks_variables_name_no_other_clone(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "Another")
    head = git(clone, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    found = find_context(NOTHING, {}, clone)

    assert found is not None
    assert found.commit == head


def test_why_nothing_is_stamped_is_said(clone: Path, tmp_path: Path) -> None:
    told_not_to = Asked(clone, clone / FILE, look=False)
    assert find_stamp(NOTHING, {}, told_not_to).said == "no commit is stamped: --no-git"
    nowhere = find_stamp(NOTHING, {}, Asked(tmp_path, tmp_path / FILE)).said
    assert "not started in a clone; name one with --git PATH or --commit" in nowhere
    job = find_stamp(NOTHING, {"GITLAB_CI": "true"}, Asked(clone, clone / FILE)).said
    assert "the GitLab job names none" in job


def github(tmp_path: Path, name: str, event: Any, **changed: str) -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(event if isinstance(event, str) else json.dumps(event))
    return {
        "GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "team/store", "GITHUB_SHA": MERGE, "GITHUB_EVENT_NAME": name,
        "GITHUB_REF": "refs/heads/main", "GITHUB_EVENT_PATH": str(path),
        "GITHUB_TOKEN": "ghs_s3cret", **changed,
    }  # fmt: skip


PULL = {
    "number": 7,
    "html_url": "https://github.com/team/store/pull/7",
    "head": {"sha": HEAD, "ref": "faster-reads"},
}


def test_github_a_push_is_its_commit(tmp_path: Path) -> None:
    event = {"head_commit": {"id": MERGE, "message": "Merge it\n\nbody"}}
    found = find_context(NOTHING, github(tmp_path, "push", event), tmp_path)

    assert found is not None
    assert found.model_dump(**TOLD) == {
        "commit": MERGE, "repository": "https://github.com/team/store", "branch": "main",
        "subject": "Merge it", "dirty": False,
    }  # fmt: skip


def test_github_a_pull_request_is_its_head_not_the_merge(tmp_path: Path) -> None:
    environment = github(
        tmp_path, "pull_request", {"pull_request": PULL}, GITHUB_REF="refs/pull/7/merge",
        GITHUB_HEAD_REF="faster-reads",
    )  # fmt: skip
    found = find_context(NOTHING, environment, tmp_path)

    assert found is not None
    assert (found.commit, found.branch) == (HEAD, "faster-reads")
    assert (found.pull_request, found.pull_request_url) == (7, PULL["html_url"])
    assert "ghs_s3cret" not in found.model_dump_json()


def test_github_a_target_event_checks_out_the_base_and_says_so(tmp_path: Path) -> None:
    environment = github(tmp_path, "pull_request_target", {"pull_request": PULL})
    found = find_context(NOTHING, environment, tmp_path)

    assert found is not None
    assert (found.commit, found.branch, found.pull_request) == (MERGE, "main", 7)


def test_github_a_tag_is_no_branch(tmp_path: Path) -> None:
    environment = github(tmp_path, "push", {}, GITHUB_REF="refs/tags/v1.0")
    found = find_context(NOTHING, environment, tmp_path)

    assert found is not None
    assert found.branch is None


@pytest.mark.parametrize(
    "event", ["{", "[]", '{"pull_request": 7}', '{"pull_request": {"head": null, "number": "x"}}']
)
def test_github_an_event_that_makes_no_sense_keeps_nobody_from_measuring(
    tmp_path: Path, event: str
) -> None:
    environment = github(tmp_path, "pull_request", event)
    environment.pop("GITHUB_REPOSITORY")
    found = find_context(GitOptions(commit=HEAD), environment, tmp_path)

    assert found is not None
    assert found.commit == HEAD


GITLAB = {
    "GITLAB_CI": "true", "CI_COMMIT_SHA": MERGE, "CI_PROJECT_URL": "https://gitlab.example/g/store",
    "CI_REPOSITORY_URL": "https://gitlab-ci-token:s3cret@gitlab.example/g/store.git",
    "CI_COMMIT_TITLE": "Read twice as fast", "CI_JOB_TOKEN": "s3cret",
}  # fmt: skip


GITLAB_REQUEST = GITLAB | {
    "CI_MERGE_REQUEST_IID": "12",
    "CI_MERGE_REQUEST_PROJECT_URL": "https://gitlab.example/g/store",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "faster-reads",
}


def test_gitlab_a_branch(tmp_path: Path) -> None:
    found = find_context(NOTHING, GITLAB | {"CI_COMMIT_BRANCH": "main"}, tmp_path)

    assert found is not None
    assert found.model_dump(**TOLD) == {
        "commit": MERGE, "repository": "https://gitlab.example/g/store", "branch": "main",
        "subject": "Read twice as fast", "dirty": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("head", "commit", "subject"), [("", MERGE, "Read twice as fast"), (HEAD, HEAD, None)]
)
def test_gitlab_a_merge_request_and_what_would_be_merged(
    tmp_path: Path, head: str, commit: str, subject: str | None
) -> None:
    environment = GITLAB_REQUEST | {"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head}
    found = find_context(NOTHING, environment, tmp_path)

    assert found is not None
    assert (found.commit, found.subject, found.branch) == (commit, subject, "faster-reads")
    assert found.pull_request == 12
    assert found.pull_request_url == "https://gitlab.example/g/store/-/merge_requests/12"
    assert "s3cret" not in found.model_dump_json()


def test_options_win_and_another_commit_takes_nothing_of_the_one_found(clone: Path) -> None:
    (clone / "store.c").write_text("int reads = 2;\n")
    renamed = find_context(GitOptions(branch="release"), {}, clone)
    other = find_context(GitOptions(commit=HEAD), {}, clone)

    assert renamed is not None
    assert (renamed.branch, renamed.dirty) == ("release", True)
    assert other is not None
    assert other.model_dump(**TOLD) == {
        "commit": HEAD, "repository": "https://github.com/team/store", "dirty": False,
    }  # fmt: skip


def test_told_not_to_look_options_alone_count(clone: Path) -> None:
    assert find_context(NOTHING, GITLAB, clone, look=False) is None
    found = find_context(GitOptions(commit=HEAD), GITLAB, clone, look=False)
    assert found is not None
    assert found.model_dump(**TOLD) == {
        "commit": HEAD,
        "dirty": False,
    }


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (GitOptions(commit="HEAD"), "--commit HEAD"),
        (GitOptions(branch="main"), "--branch says nothing without --commit"),
        (GitOptions(commit=HEAD, pull_request=0), "--pull-request 0"),
        (GitOptions(commit=HEAD, pull_request_url="file:///x"), "--pull-request-url"),
        (GitOptions(commit=HEAD, repository="../store"), "--repository ../store"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(
    tmp_path: Path, options: GitOptions, named: str
) -> None:
    with pytest.raises(CommandFailed) as refused:
        find_context(options, {}, tmp_path)

    assert named in str(refused.value)
    assert refused.value.code is Exit.INVALID
