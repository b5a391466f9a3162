"""Which commit a campaign is about: told by a pipeline's environment, by git, or by options.

None by accident: where no pipeline says, git is asked in the clone that the command is started in,
and only where the experiment's file lies in that clone; in another one only when it is named.
Nothing secret is read: addresses lose their users and passwords, and of the environment only the
variables named here are looked at.
"""

import json
import re
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
from weighhouse_protocol.text import escaped, seen

from weighhouse_cli.clones import Clone, ask_git, clone_of, history, parents_of
from weighhouse_cli.exits import CommandFailed, Exit

NAME_ONE = "name one with --git PATH or --commit"
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


@dataclass(frozen=True)
class Asked:
    """Where a commit may be found."""

    started_in: Path
    """The working directory."""
    file: Path
    """The experiment's."""
    clone: Path | None = None
    """Where git is to be asked, whatever else is there."""
    look: bool = True
    """False: the options alone count."""


@dataclass(frozen=True)
class Stamp:
    """The commit that a campaign is started for, and whose it is."""

    context: GitContext | None
    said: str
    """In one line, for a person, before anything starts: which commit, whose, or why none."""


@dataclass(frozen=True)
class _Found:
    fields: Mapping[str, Any]
    by: str
    """Who told: `the GitHub job`, `the clone /home/mia/store`; why nobody did."""


def find_stamp(options: GitOptions, environment: Mapping[str, str], asked: Asked) -> Stamp:
    """The commit a campaign is about, and what is said of it.

    :param options: win over what is found; another commit than the one found takes nothing of it
        but the repository.
    :param environment: of a GitHub Actions or GitLab CI job, or of a person's shell.
    :raises CommandFailed: naming the option that cannot be used.
    """
    found = _found(environment, asked)
    context = _context(options.given(), dict(found.fields))
    if context is None:
        why = found.by if asked.look else "--no-git"
        return Stamp(None, f"no commit is stamped: {why}")
    whose = "--commit" if options.commit else found.by
    said = f"stamps {in_words(context)}; told by {whose}"
    if not asked.look:
        return Stamp(context, said)
    others = () if context.merge_base is None else (context.merge_base,)
    known = history(asked.clone or asked.started_in, context.commit, *others)
    context = GitContext.model_validate({**context.model_dump(), "history": known})
    if context.pull_request and not any(one.parents for one in context.history):
        said += "; what came before it is not known: fetch all of it (fetch-depth: 0, GIT_DEPTH: 0)"
    return Stamp(context, said)


def _context(given: dict[str, Any], found: dict[str, Any]) -> GitContext | None:
    if "commit" in given and given["commit"].lower() != found.get("commit", "").lower():
        found = {name: found.get(name) for name in ("repository", "default_branch")}
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


def _found(environment: Mapping[str, str], asked: Asked) -> _Found:
    if not asked.look:
        return _Found({}, "")
    if asked.clone is not None:
        clone = clone_of(asked.clone)
        if clone is None:
            raise CommandFailed(
                Exit.INVALID, f"--git {asked.clone}: no clone of a repository with a commit"
            )
        return _of_clone(clone, asked.file)
    if environment.get("GITHUB_ACTIONS") == "true":
        return _of_job("the GitHub job", _from_github(environment), asked.started_in)
    if environment.get("GITLAB_CI"):
        return _of_job("the GitLab job", _from_gitlab(environment), asked.started_in)
    return _of_here(asked)


def _of_here(asked: Asked) -> _Found:
    """Of the clone that the command is started in, if the experiment is that clone's."""
    clone = clone_of(asked.started_in)
    if clone is None:
        return _Found({}, f"the command is not started in a clone; {NAME_ONE}")
    if clone.ours:
        return _Found({}, f"{_shown(clone.top)} is the clone of Weighhouse itself; {NAME_ONE}")
    if not clone.holds(asked.file):
        here = f"{_shown(asked.file)} does not lie in the clone {_shown(clone.top)}"
        return _Found({}, f"{here} that the command is started in; {NAME_ONE}")
    return _of_clone(clone, asked.file)


def _of_clone(clone: Clone, file: Path) -> _Found:
    return _Found(_made_fit(clone.told(file), clone.top), f"the clone {_shown(clone.top)}")


def _of_job(name: str, told: dict[str, Any], directory: Path) -> _Found:
    fields = _made_fit(told, directory)
    return _Found(fields, name if fields.get("commit") else f"{name} names none; {NAME_ONE}")


def _made_fit(found: dict[str, Any], directory: Path) -> dict[str, Any]:
    commit = str(found.get("commit") or "")
    if HEXADECIMAL.fullmatch(commit) and not found.get("subject"):
        found["subject"] = ask_git(directory, "log", "-1", "--format=%s", commit, "--")
    onto = found.pop("onto", None)
    return {
        **found,
        "merge_base": _merge_base(directory, commit, onto) if found.get("pull_request") else None,
        "branch": _line(found.get("branch"), BRANCH_LENGTH),
        "default_branch": _line(found.get("default_branch"), BRANCH_LENGTH),
        "subject": _line(found.get("subject"), SUBJECT_LENGTH),
        "repository": _address(repository_address, found.get("repository")),
        "pull_request_url": _address(bare_page, found.get("pull_request_url")),
    }


def _merge_base(directory: Path, commit: str, onto: object) -> str | None:
    """What a pull request is held against: what it was merged with before it was built; else where
    it began.

    :param onto: the commit that it is to be merged into, or where it began.
    """
    built = ask_git(directory, "rev-parse", "--verify", "--quiet", "HEAD") or commit
    into = parents_of(directory, built)
    if commit in into[1:]:
        return into[0]
    if not isinstance(onto, str) or not all(map(HEXADECIMAL.fullmatch, (onto, commit))):
        return None
    return ask_git(directory, "merge-base", onto, commit)


def _shown(path: Path) -> str:
    return escaped(str(path))


def _from_github(environment: Mapping[str, str]) -> dict[str, Any]:
    event = github_event(environment)
    pull = event.get("pull_request")
    pull = pull if isinstance(pull, dict) else {}
    repository = event.get("repository")
    repository = repository if isinstance(repository, dict) else {}
    server = environment.get("GITHUB_SERVER_URL") or "https://github.com"
    name = environment.get("GITHUB_REPOSITORY")
    found: dict[str, Any] = {
        "commit": environment.get("GITHUB_SHA"),
        "repository": f"{server}/{name}" if name else None,
        "branch": _branch_of(environment.get("GITHUB_REF", "")),
        "default_branch": repository.get("default_branch"),
        "pull_request": pull.get("number"),
        "pull_request_url": pull.get("html_url"),
    }
    head = pull.get("head")
    if environment.get("GITHUB_EVENT_NAME") in HEAD_EVENTS and isinstance(head, dict):
        found["commit"] = head.get("sha") or found["commit"]
        found["branch"] = environment.get("GITHUB_HEAD_REF") or head.get("ref")
        into = pull.get("base")
        found["onto"] = into.get("sha") if isinstance(into, dict) else None
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
        "default_branch": environment.get("CI_DEFAULT_BRANCH"),
        "pull_request": int(number) if number.isdecimal() else None,
        "onto": environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        "pull_request_url": f"{project}/-/merge_requests/{number}" if number and project else None,
        "subject": environment.get("CI_COMMIT_TITLE") if head == merged else None,
    }


def github_event(environment: Mapping[str, str]) -> dict[str, Any]:
    """GitHub's account of what happened; empty when it cannot be read."""
    path = Path(environment.get("GITHUB_EVENT_PATH") or "")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
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
