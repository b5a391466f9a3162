"""Checks whose files are as they were when they were last green: their word is known.

Only what reads nothing but files is asked so, never a test. The key is the content of every file
that it reads, its command, and the version of its tool; what was green is kept in the cache by it.
"""

import hashlib
import subprocess
from pathlib import Path

from weighhouse_testing.tree import REPOSITORY, tracked

from suites.table import Suite


def key(suite: Suite) -> str:
    """What a check's word depends on, as a digest; empty: it has to be asked each time."""
    if not suite.reads:
        return ""
    told = hashlib.sha256(repr(suite.command).encode())
    made_by = subprocess.run(suite.made_by, capture_output=True, check=True, cwd=REPOSITORY)
    told.update(made_by.stdout)
    for name in sorted(tracked()):
        if name.startswith(suite.reads):
            told.update(name.encode() + b"\0")
            told.update(hashlib.sha256((REPOSITORY / name).read_bytes()).digest())
    return told.hexdigest()


class Green:
    """What was green."""

    def __init__(self, folder: Path) -> None:
        """:param folder: in the cache, a file for each check."""
        self._folder = folder
        self._keys: dict[str, str] = {}

    def known(self, suite: Suite) -> bool:
        """Whether a check was green on just these files. Its key is as of this question."""
        self._keys[suite.name] = wanted = key(suite)
        path = self._folder / suite.name
        return bool(wanted) and path.exists() and path.read_text(encoding="utf-8") == wanted

    def note(self, name: str) -> None:
        """It was green on the files of the question before."""
        if wanted := self._keys.get(name):
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_text(wanted, encoding="utf-8")
