"""Which commit a campaign is about: told by a pipeline's environment, by git, or by options.

Nothing secret is read: addresses lose their users and passwords, and of the environment only the
variables named here are looked at.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from weighhouse_protocol.git import (
    BRANCH_LENGTH,
    SUBJECT_LENGTH,
    GitContext,
    bare_page,
    repository_address,
)
from weighhouse_protocol.text import seen

from weighhouse_cli.exits import CommandFailed, Exit

GIT_SECONDS = 10.0
HEXADECIMAL = re.compile(r"[0-9a-f]{7,64}")
HEAD_EVENTS = frozenset({"pull_request", "pull_request_review", "pull_request_review_comment"})
"""Of GitHub: what is built is the merge of a pull request's head, so the head is what is meant."""


@dataclass(frozen=True)
class GitOptions:
    """What somebody said on the command line; it wins over what is found."""

    commit: str | None = None
    repository: str | None = None
    branch: str | None = None
    pull_request: int | None = None
    pull_request_url: str | None = None

    def given(self) -> dict[str, Any]:
        """The options that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def find_context(
    options: GitOptions, environment: Mapping[str, str], directory: Path, *, look: bool = True
) -> GitContext | None:
    """The commit a campaign is about.

    :param options: win over what is found; another commit than the one found takes nothing of it
        but the repository.
    :param environment: of a GitHub Actions or GitLab CI job, or of a person's shell.
    :param directory: where git is asked when no pipeline says.
    :param look: False: the options alone count.
    :returns: None when there is no commit to name.
    :raises CommandFailed: naming the option that cannot be used.
    """
    found = _found(environment, directory) if look else {}
    given = options.given()
    if "commit" in given and given["commit"].lower() != found.get("commit", "").lower():
        found = {"repository": found.get("repository")}
    fields = {name: value for name, value in (found | given).items() if value is not None}
    if not fields:
        return None
    if "commit" not in fields:
        if not given:
            return None
        raise CommandFailed(
            Exit.INVALID, f"--{_option(next(iter(given)))} says nothing without --commit"
        )
    try:
        return GitContext.model_validate(fields)
    except ValidationError as error:
        wrong = error.errors()[0]
        name = str(wrong["loc"][0])
        if name not in given:
            return None
        message = str(wrong["msg"]).removeprefix("Value error, ")
        raise CommandFailed(Exit.INVALID, f"--{_option(name)} {given[name]}: {message}") from error


def _option(field: str) -> str:
    return field.replace("_", "-")


def _found(environment: Mapping[str, str], directory: Path) -> dict[str, Any]:
    if environment.get("GITHUB_ACTIONS") == "true":
        found = _from_github(environment)
    elif environment.get("GITLAB_CI"):
        found = _from_gitlab(environment)
    else:
        found = _from_git(directory)
    commit = str(found.get("commit") or "")
    if HEXADECIMAL.fullmatch(commit) and not found.get("subject"):
        found["subject"] = _ask_git(directory, "log", "-1", "--format=%s", commit, "--")
    return {
        **found,
        "branch": _line(found.get("branch"), BRANCH_LENGTH),
        "subject": _line(found.get("subject"), SUBJECT_LENGTH),
        "repository": _address(repository_address, found.get("repository")),
        "pull_request_url": _address(bare_page, found.get("pull_request_url")),
    }


def _from_github(environment: Mapping[str, str]) -> dict[str, Any]:
    event = _event(environment.get("GITHUB_EVENT_PATH"))
    pull = event.get("pull_request")
    pull = pull if isinstance(pull, dict) else {}
    server = environment.get("GITHUB_SERVER_URL") or "https://github.com"
    name = environment.get("GITHUB_REPOSITORY")
    found: dict[str, Any] = {
        "commit": environment.get("GITHUB_SHA"),
        "repository": f"{server}/{name}" if name else None,
        "branch": _branch_of(environment.get("GITHUB_REF", "")),
        "pull_request": pull.get("number"),
        "pull_request_url": pull.get("html_url"),
    }
    head = pull.get("head")
    if environment.get("GITHUB_EVENT_NAME") in HEAD_EVENTS and isinstance(head, dict):
        found["commit"] = head.get("sha") or found["commit"]
        found["branch"] = environment.get("GITHUB_HEAD_REF") or head.get("ref")
    latest = event.get("head_commit")
    if isinstance(latest, dict) and latest.get("id") == found["commit"]:
        found["subject"] = str(latest.get("message") or "").partition("\n")[0]
    return found


def _from_gitlab(environment: Mapping[str, str]) -> dict[str, Any]:
    merged = environment.get("CI_COMMIT_SHA")
    # Set when the merge of the request is built, which nobody knows by its own commit.
    head = environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or merged
    number = environment.get("CI_MERGE_REQUEST_IID", "")
    project = environment.get("CI_MERGE_REQUEST_PROJECT_URL") or environment.get("CI_PROJECT_URL")
    return {
        "commit": head,
        "repository": environment.get("CI_PROJECT_URL"),
        "branch": environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")
        or environment.get("CI_COMMIT_BRANCH"),
        "pull_request": int(number) if number.isdecimal() else None,
        "pull_request_url": f"{project}/-/merge_requests/{number}" if number and project else None,
        "subject": environment.get("CI_COMMIT_TITLE") if head == merged else None,
    }


def _from_git(directory: Path) -> dict[str, Any]:
    commit = _ask_git(directory, "rev-parse", "--verify", "--quiet", "HEAD")
    if commit is None:
        return {}
    branch = _ask_git(directory, "symbolic-ref", "--quiet", "--short", "HEAD")
    remote = _ask_git(directory, "config", "--get", f"branch.{branch}.remote") if branch else None
    return {
        "commit": commit,
        "branch": branch,
        "repository": _ask_git(directory, "config", "--get", f"remote.{remote or 'origin'}.url"),
        "dirty": bool(_ask_git(directory, "status", "--porcelain", "--untracked-files=no")),
    }


def _ask_git(directory: Path, *arguments: str) -> str | None:
    """What git says; None when it says nothing, is not there, or takes too long."""
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *arguments],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    answer = done.stdout.decode("utf-8", errors="replace").strip()
    return answer if done.returncode == 0 and answer else None


def _event(path: str | None) -> dict[str, Any]:
    """GitHub's account of what happened; empty when it cannot be read."""
    try:
        found = json.loads(Path(path or "").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _branch_of(ref: str) -> str | None:
    heads = "refs/heads/"
    return ref.removeprefix(heads) if ref.startswith(heads) else None


def _line(text: object, length: int) -> str | None:
    """A text as one line that is short enough."""
    if not isinstance(text, str):
        return None
    line = seen(text)
    return (line if len(line) <= length else f"{line[: length - 1]}…") or None


def _address(kept: Any, address: object) -> str | None:
    """An address without secrets; None when it is none that others could use."""
    if not isinstance(address, str):
        return None
    try:
        found: str = kept(address)
    except ValueError:
        return None
    return found


def in_words(context: GitContext) -> str:
    """A commit in one line, for a person."""
    words = f"commit {context.commit[:10]}"
    if context.dirty:
        words += " with changes that are not committed"
    if context.branch:
        words += f" on {context.branch}"
    if context.pull_request:
        words += f", pull request {context.pull_request}"
    if context.repository:
        words += f", of {context.repository}"
    return words
