"""Whether a commit changed what an experiment is about: `--only-if-changed`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from weighhouse_protocol.git import GitContext
from weighhouse_protocol.text import escaped

from weighhouse_cli.clones import Clone, ask_git, parents_of
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.git_context import github_event

NOBODY = frozenset("0")
"""Of what a commit that is not there is written: the one before a branch's first."""


def unchanged(
    clone: Clone,
    file: Path,
    paths: Sequence[Path],
    context: GitContext | None,
    environment: Mapping[str, str],
) -> str | None:
    """Why nothing has to be measured, in one line; None: something changed, or nobody can tell.

    A request is held against where it began; a push against what the branch was before it, as far
    as the job tells, else against the commit's first parent.

    :param file: the experiment's: what changes it changes what is measured.
    :param paths: relative to the repository's top.
    :raises CommandFailed: for a path that is outside of the repository.
    """
    inside = [_inside(clone, path) for path in paths]
    if context is None or context.dirty:
        return None
    base = _base(clone, context, environment)
    if base is None:
        return None
    own = [str(file.resolve().relative_to(clone.top))] if clone.holds(file) else []
    asked = ("--literal-pathspecs", "diff", "--name-only", "--no-renames", base, context.commit)
    if ask_git(clone.top, *asked, "--", *inside, *own) is not None:
        return None
    return (
        f"nothing below {', '.join(map(escaped, inside))} changed between {base[:10]} and "
        f"{context.commit[:10]}: nothing is measured"
    )


def _inside(clone: Clone, path: Path) -> str:
    found = (clone.top / path).resolve()
    if not found.is_relative_to(clone.top):
        raise CommandFailed(
            Exit.INVALID, f"--only-if-changed {path}: lies outside of the repository {clone.top}"
        )
    return str(found.relative_to(clone.top))


def _base(clone: Clone, context: GitContext, environment: Mapping[str, str]) -> str | None:
    """A commit that the clone has; None: nobody tells one, or it was not fetched."""
    if context.pull_request:
        told = context.merge_base
    else:
        first, *_ = [*parents_of(clone.top, context.commit), None]
        told = _before(environment) or first
    if not told or not ask_git(clone.top, "rev-parse", "--verify", "--quiet", f"{told}^{{commit}}"):
        return None
    return told


def _before(environment: Mapping[str, str]) -> str | None:
    """What a job says that its branch was before it was pushed to."""
    told: object = environment.get("CI_COMMIT_BEFORE_SHA")
    if environment.get("GITHUB_ACTIONS") == "true":
        told = github_event(environment).get("before")
    found = told if isinstance(told, str) else ""
    return None if set(found) <= NOBODY else found
