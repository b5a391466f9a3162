"""The files of the repository, for tests that read them."""

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def tracked(*endings: str) -> list[str]:
    """Files under version control, and new ones that are not ignored.

    :param endings: only names that end so; none: all.
    :returns: paths relative to the repository.
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    out = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    names = (name for name in out.splitlines() if (REPOSITORY / name).is_file())
    return [name for name in names if not endings or name.endswith(endings)]


def text_of(name: str) -> str:
    """A file's text; what is not UTF-8 is replaced."""
    return (REPOSITORY / name).read_text(encoding="utf-8", errors="replace")
