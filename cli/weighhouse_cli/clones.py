"""What git tells of a clone on this machine."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighhouse_protocol.git import MOST_HISTORY, MOST_PARENTS

GIT_SECONDS = 10.0
ELSEWHERE = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"})
"""Set in hooks: with them git would tell of another clone than the one that is asked about."""
OWN_PACKAGE = Path("cli/weighhouse_cli/clones.py")


@dataclass(frozen=True)
class Clone:
    """A working tree of a repository that has a commit."""

    top: Path
    """Its outermost directory, without links."""
    commit: str
    """Checked out."""

    @property
    def ours(self) -> bool:
        """Is it Weighhouse's own, of which this command is a part? Nobody measures that."""
        own = self.top / OWN_PACKAGE
        return own.is_file() and own.samefile(__file__)

    def holds(self, file: Path) -> bool:
        """Does a file lie in it, and in no clone further inside?"""
        inner = ask_git(file.resolve().parent, "rev-parse", "--show-toplevel")
        return inner is not None and Path(inner).resolve() == self.top

    def told(self, file: Path) -> dict[str, Any]:
        """Commit, branch, repository, and whether files differ from the commit.

        :param file: the experiment's; where it lies in the clone, it has to be committed, too.
        """
        branch = ask_git(self.top, "symbolic-ref", "--quiet", "--short", "HEAD")
        remote = ask_git(self.top, "config", "--get", f"branch.{branch}.remote") if branch else None
        name = remote or "origin"
        return {
            "commit": self.commit,
            "branch": branch,
            "default_branch": self._default_branch(name),
            "repository": ask_git(self.top, "config", "--get", f"remote.{name}.url"),
            "dirty": self._differs() or (self.holds(file) and not self._knows(file)),
        }

    def _default_branch(self, remote: str) -> str | None:
        head = ask_git(
            self.top, "symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD"
        )
        return head.removeprefix(f"{remote}/") if head else None

    def _differs(self) -> bool:
        return bool(ask_git(self.top, "status", "--porcelain", "--untracked-files=no"))

    def _knows(self, file: Path) -> bool:
        return bool(ask_git(self.top, "ls-files", "--", str(file.resolve())))


def history(directory: Path, commit: str, *others: str) -> list[dict[str, Any]]:
    """A commit and those before it, each `{"commit", "committed_at", "parents"}`, as far as the
    clone has them; nothing where it does not have the commit.

    :param others: whose ancestors are told, too.
    """
    told = ask_git(
        directory, "-c", "log.showSignature=false", "log", "--date-order",
        f"--max-count={MOST_HISTORY}", "--format=%H|%cI|%P", commit, *others, "--",
    )  # fmt: skip
    cut = _cut_off(directory)
    found = []
    for line in (told or "").splitlines():
        name, at, parents = line.split("|")
        before = None if name in cut else parents.split()[:MOST_PARENTS]
        found.append({"commit": name, "committed_at": at, "parents": before})
    return found


def parents_of(directory: Path, commit: str) -> list[str]:
    """A commit's parents, the one that it was merged into first; none where they are not there."""
    if commit in _cut_off(directory):
        return []
    return (ask_git(directory, "log", "-1", "--format=%P", commit, "--") or "").split()


def _cut_off(directory: Path) -> frozenset[str]:
    """The commits at which a shallow clone ends: git tells them without their parents."""
    place = ask_git(directory, "rev-parse", "--git-path", "shallow")
    try:
        return frozenset((directory / (place or "")).read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return frozenset()


def clone_of(directory: Path) -> Clone | None:
    """The clone that a directory lies in; None: in none, or in one without a commit."""
    top = ask_git(directory, "rev-parse", "--show-toplevel")
    commit = ask_git(directory, "rev-parse", "--verify", "--quiet", "HEAD")
    return None if top is None or commit is None else Clone(Path(top).resolve(), commit)


def ask_git(directory: Path, *arguments: str) -> str | None:
    """What git says; None when it says nothing, is not there, or takes too long."""
    environment = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    answer = done.stdout.decode("utf-8", errors="replace").strip()
    return answer if done.returncode == 0 and answer else None
