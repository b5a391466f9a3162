"""What may not stand in a tracked file, and what no file may be called."""

import re
from pathlib import Path

import pytest
from weighhouse_testing.tree import text_of, tracked

# No pattern matches its own text here.
FORBIDDEN = {
    "a mark of unfinished work": re.compile(r"\bTO[D]O\b|\bFIX[M]E\b|\bX[X]X\b"),
    "a path of one machine": re.compile(r"(?<![\w.])/(work|root)/[a-z.]"),
    "a registry's host": re.compile(
        r"registry[.]npmjs|pypi[.]org|static[.]crates|repo1[.]maven|files[.]pythonhosted"
        r"|index[.]crates|proxy[.]golang|registry[.]yarnpkg"
    ),
}
PICTURES = (".png", ".woff2", ".ico", ".jpg")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_holds(what):
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in tracked()
        # Cargo writes its registry's address into its lock itself.
        if not name.endswith(PICTURES) and name != "Cargo.lock"
        if FORBIDDEN[what].search(text := text_of(name))
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert not found, "\n".join(found)


def test_lock_files_name_no_place_to_download_from():
    places = re.compile(r'"resolved":|^--(extra-)?index-url|^--find-links', re.MULTILINE)
    found = [name for name in tracked(".json", ".txt", ".lock") if places.search(text_of(name))]
    assert not found, found


def test_python_packages_are_locked_with_hashes():
    lines = text_of("requirements.lock").splitlines()
    packages = [number for number, line in enumerate(lines) if re.match(r"^[a-z0-9]", line)]
    bare = [lines[n] for n in packages if "--hash=sha256:" not in lines[n] + lines[n + 1]]
    assert packages
    assert not bare


def test_no_file_has_a_name_nobody_learns_from():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    found = [
        name
        for name in tracked(".py", ".ts", ".rs", ".vue")
        if vague & {part.split(".")[0].lower() for part in Path(name).parts}
    ]
    assert not found, found
