"""What came before a commit is told with it: real repositories, shallow ones and merges."""

import subprocess
from pathlib import Path

from weighhouse_cli.git_context import Asked, GitOptions, find_stamp
from weighhouse_protocol.git import MOST_HISTORY, GitContext

from cli.tests.test_git_context import (
    FILE,
    GITLAB_REQUEST,
    HEAD,
    NOTHING,
    PULL,
    clone,
    find_context,
    git,
    github,
)

__all__ = ["clone"]


def commits(directory: Path, *subjects: str) -> list[str]:
    """The names of empty commits, made in this order."""
    made = []
    for subject in subjects:
        git(directory, "commit", "-q", "--allow-empty", "-m", subject)
        made.append(git(directory, "rev-parse", "HEAD"))
    return made


def parents(context: GitContext | None) -> dict[str, list[str] | None]:
    """The history that is told, in its order."""
    assert context is not None
    return {one.commit: one.parents for one in context.history}


def test_what_came_before_a_commit_is_told_with_it(clone: Path) -> None:
    first = git(clone, "rev-parse", "HEAD")
    second, third = commits(clone, "two", "three")
    found = find_context(NOTHING, {}, clone)
    assert parents(found) == {third: [second], second: [first], first: []}
    assert found is not None
    times = git(clone, "log", "--format=%cI").splitlines()
    assert [one.committed_at.isoformat() for one in found.history] == [
        time.replace("Z", "+00:00") for time in times
    ]
    backfilled = find_context(GitOptions(commit=second), {}, clone)
    assert parents(backfilled) == {second: [first], first: []}, "of the commit that is named"
    assert parents(find_context(GitOptions(commit=HEAD), {}, clone)) == {}, "which is not there"
    assert parents(find_context(GitOptions(commit=second), {}, clone, look=False)) == {}


def test_no_more_is_told_of_a_history_than_is_taken(clone: Path) -> None:
    lines = ["commit refs/heads/long", "committer M <m@example.org> {at} +0000", "data 0", ""]
    stream = "".join("\n".join(lines).format(at=10**9 + at) for at in range(MOST_HISTORY + 5))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=clone, input=stream.encode(), check=True)
    git(clone, "checkout", "-q", "-f", "long")
    found = find_context(GitOptions(commit=git(clone, "rev-parse", "HEAD")), {}, clone)
    assert len(parents(found)) == MOST_HISTORY


def test_where_a_shallow_clone_ends_nobody_knows_what_came_before(
    clone: Path, tmp_path: Path
) -> None:
    (latest,) = commits(clone, "two")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{clone}", str(shallow))
    environment = {**GITLAB_REQUEST, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": latest}
    stamp = find_stamp(NOTHING, environment, Asked(shallow, shallow / FILE))
    assert parents(stamp.context) == {latest: None}
    assert stamp.said.endswith(
        "what came before it is not known: fetch all of it (fetch-depth: 0, GIT_DEPTH: 0)"
    )


def requested(clone: Path) -> tuple[str, str, str]:
    """Main's beginning, its latest commit, and the head of a request that left it there."""
    git(clone, "checkout", "-q", "-b", "main")
    began = git(clone, "rev-parse", "HEAD")
    (latest,) = commits(clone, "main goes on")
    git(clone, "checkout", "-q", "faster-reads")
    (head,) = commits(clone, "faster")
    return began, latest, head


def asked_by_github(clone: Path, tmp_path: Path, head: str, base: str) -> GitContext:
    pull = {**PULL, "head": {"sha": head, "ref": "faster-reads"}, "base": {"sha": base}}
    environment = github(tmp_path, "pull_request", {"pull_request": pull})
    found = find_context(NOTHING, environment, clone)
    assert found is not None
    assert found.commit == head
    return found


def test_a_pull_request_is_held_against_where_it_began(clone: Path, tmp_path: Path) -> None:
    began, latest, head = requested(clone)
    found = asked_by_github(clone, tmp_path, head, latest)
    assert found.merge_base == began
    assert parents(found) == {head: [began], began: []}


def test_merged_before_it_is_built_it_is_held_against_what_it_was_merged_with(
    clone: Path, tmp_path: Path
) -> None:
    began, latest, head = requested(clone)
    git(clone, "checkout", "-q", "--detach", "main")
    git(clone, "merge", "-q", "--no-ff", "-m", "Merge", head)
    found = asked_by_github(clone, tmp_path, head, latest)
    assert found.merge_base == latest
    assert parents(found) == {head: [began], latest: [began], began: []}


def test_gitlab_says_where_a_request_began(clone: Path) -> None:
    began, _, head = requested(clone)
    environment = {
        **GITLAB_REQUEST,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": began,
    }
    found = find_context(NOTHING, environment, clone)
    assert found is not None
    assert found.merge_base == began
    assert "merge_base" not in (find_context(NOTHING, {}, clone) or found).model_dump(
        exclude_none=True
    )


def test_the_main_branch_is_told_by_whoever_knows_it(clone: Path, tmp_path: Path) -> None:
    assert find_context(NOTHING, {}, clone).default_branch is None  # type: ignore[union-attr]
    git(tmp_path, "clone", "-q", "-b", "faster-reads", str(clone), "own")
    git(tmp_path / "own", "checkout", "-q", "-b", "slower-reads")
    event = {"pull_request": PULL, "repository": {"default_branch": "trunk"}}
    told = [
        find_context(NOTHING, {}, tmp_path / "own"),
        find_context(NOTHING, github(tmp_path, "pull_request", event), tmp_path),
        find_context(NOTHING, GITLAB_REQUEST | {"CI_DEFAULT_BRANCH": "trunk"}, tmp_path),
    ]
    assert [one and one.default_branch for one in told] == ["faster-reads", "trunk", "trunk"]
    assert told[0] is not None
    assert told[0].branch == "slower-reads"
