"""House laws that a reader could check by hand, and would not."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

LIMITS = {".py": 400, ".ts": 400, ".rs": 600, ".vue": 250}
# A higher limit for one file stands here, with its reason.
LONGER: dict[str, tuple[int, str]] = {}
GENERATED = re.compile(r"(^|/)(schema\.d\.ts|.*\.schema\.json)$|^migrations/versions/")


def tracked(*endings: str) -> list[str]:
    """Files under version control (and new ones that are not ignored) with these endings."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = (name for name in out.splitlines() if (ROOT / name).is_file())
    return [name for name in names if not endings or name.endswith(endings)]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def test_files_stay_within_the_house_sizes() -> None:
    too_long = []
    for name in tracked(*LIMITS):
        if GENERATED.search(name):
            continue
        limit = LONGER.get(name, (LIMITS[Path(name).suffix], ""))[0]
        if (lines := text(name).count("\n")) > limit:
            too_long.append(f"{name}: {lines} lines, limit {limit}")
    assert not too_long, "\n".join(too_long)


def test_nothing_is_imported_inside_a_function() -> None:
    found = []
    for name in tracked(".py"):
        if name.startswith("migrations/"):
            continue
        for node in ast.walk(ast.parse(text(name))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [
                    f"{name}:{inner.lineno}"
                    for inner in ast.walk(node)
                    if isinstance(inner, ast.Import | ast.ImportFrom)
                ]
    assert not found, "\n".join(found)


# Spelled in parts, so that this file does not find itself.
FORBIDDEN = {
    "a mark of unfinished work": re.compile("|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"])),
    "a machine's path": re.compile("/(wo" + "rk|ro" + "ot)/[a-z.]"),
    "a registry's host": re.compile(
        "registry\\.npm"
        + "js|pypi\\."
        + "org|static\\.crates|repo1\\.mav"
        + "en|files\\.python"
        + "hosted"
    ),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_tracked_files_are_free_of(what: str) -> None:
    found = []
    for name in tracked():
        if name.endswith((".png", ".woff2", ".ico", ".lock")) and not name.endswith("s.lock"):
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            if FORBIDDEN[what].search(line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


def test_lock_files_name_no_place_to_download_from() -> None:
    places = re.compile(r'"resolved":|--(extra-)?index-url|^--find-links', re.MULTILINE)
    found = [n for n in tracked(".json", ".txt", ".lock") if places.search(text(n))]
    assert not found, found
    assert not (ROOT / "uv.lock").exists()


def test_every_top_folder_says_what_it_is_for() -> None:
    folders = {Path(name).parts[0] for name in tracked() if "/" in name}
    silent = [
        folder
        for folder in sorted(folders)
        if not folder.startswith(".") and not (ROOT / folder / "README.md").exists()
    ]
    assert not silent, f"a README.md is missing in: {', '.join(silent)}"


def test_the_names_nobody_learns_from_are_not_used() -> None:
    vague = {"utils", "helpers", "common", "manager", "misc"}
    found = [
        n
        for n in tracked(".py", ".ts", ".rs", ".vue")
        if vague & {p.split(".")[0] for p in Path(n).parts}
    ]
    assert not found, found


def test_no_part_imports_what_it_may_not() -> None:
    """The part floors of ARCHITECTURE.md; the backend's own floors are import-linter's."""
    ours = "weighhouse_"
    may = {
        "protocol/": set(),
        "plugins/sdk/": {"protocol"},
        "plugins/": {"protocol", "sdk"},
        "agent/": {"protocol", "sdk"},
        "backend/": {"protocol"},
        "worker/": {"protocol", "backend"},
    }
    wrong = []
    for name in tracked(".py"):
        if "/tests/" in name:
            continue
        prefix = next((p for p in may if name.startswith(p)), None)
        if prefix is None:
            continue
        own = next((part for part in Path(name).parts if part.startswith(ours)), "")
        for node in ast.walk(ast.parse(text(name))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for module in names:
                top = module.split(".")[0]
                if (
                    top.startswith(ours)
                    and top != own
                    and top.removeprefix(ours) not in may[prefix]
                ):
                    wrong.append(f"{name}: {module}")
    assert not wrong, "\n".join(wrong)
