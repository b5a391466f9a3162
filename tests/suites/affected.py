"""What a change can break: `python -m suites.affected [BASE]`, behind `make test-changed`.

Which tests import what was changed, directly or through others, the import graph says; what no
graph knows (the frontend, Rust, data beside code) the rules below do. The nearest tests run first,
as many as fit into some minutes; which ones are left is told. The laws of the house always run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from weighhouse_testing.tree import REPOSITORY, tracked

from suites.__main__ import INTERRUPTED, cache, environment, summary
from suites.imports import Imports, is_test
from suites.record import file_seconds
from suites.runner import default_at_once, run, say, stop_on_signals
from suites.table import CHECKS, NPM, PYTHON, Suite

MINUTES = 4.0
UNKNOWN_SECONDS = 4.0
"""Of a file of tests that has not been timed."""
HOUSE = "tests/architecture"
FAR = ("tests/browser", "tests/end_to_end", "tests/figures", "tests/operations", "tests/faults",
       "tests/docker", "tests/compose")  # fmt: skip
"""What starts whole platforms, and is far from every change."""
BESIDE = (
    (r"^(plugins/[^/]+)/(weighhouse_|pyproject)", r"\1/tests"),
    (r"^protocol/(schemas|fixtures)/", "protocol/tests"),
    (r"^migrations/", "backend/tests/app"),
    (r"^experiments/", "protocol/tests/test_experiments.py"),
    (r"^infra/", "tests/infra"),
    (r"^engine/bench/", "engine/bench/tests"),
)
"""Files → the tests of them, where these import no more than a folder's name tells."""


def changed_since(base: str) -> list[str]:
    """Files that differ from where this branch left another one, and new ones.

    :raises SystemExit: when there is no such branch or commit.
    """
    found = _git("merge-base", base, "HEAD")
    if found is None:
        raise SystemExit(
            f"there is no {base}; `make test-changed BASE=main` names a branch, a tag or a commit"
        )
    names = f"{_git('diff', '--name-only', found)}\n{_git('ls-files', '-o', '--exclude-standard')}"
    return sorted(set(filter(None, names.splitlines())))


def _git(*words: str) -> str | None:
    done = subprocess.run(
        ["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass
class Selection:
    """What is run for a change, and what is not."""

    tests: list[str] = field(default_factory=list)
    """Files of tests, the nearest first."""
    left: list[str] = field(default_factory=list)
    """Files that may break too, and did not fit."""
    suites: list[Suite] = field(default_factory=list)
    """What else is run."""


def select(changed: Sequence[str], imports: Imports, minutes: float) -> Selection:
    """What to run.

    :param changed: files.
    :param minutes: that the tests may take, by what they last took.
    """
    found = Selection(suites=checks_of(changed))
    near = imports.distances(changed) | {
        test: 1 for name in changed for test in _beside(name) if is_test(test)
    }
    seconds = file_seconds(cache() / "runs")
    # As near as a package's own tests are those of its folder; then those of others.
    folders = {name.split("/")[0] for name in changed}
    order = sorted(near, key=lambda name: (near[name], name.split("/")[0] not in folders, name))
    budget = minutes * 60
    for name in order:
        cost = seconds.get(name, UNKNOWN_SECONDS)
        if name.startswith(FAR) and near[name] > 0:
            found.left.append(name)
        elif name.startswith(HOUSE):
            continue
        elif cost <= budget or near[name] == 0:
            budget -= cost
            found.tests.append(name)
        else:
            found.left.append(name)
    return found


def _beside(name: str) -> list[str]:
    """Tests that a rule gives for a file."""
    folders = [
        re.sub(f"{pattern}.*", to, name) for pattern, to in BESIDE if re.match(pattern, name)
    ]
    return [test for test in tracked(".py") if folders and test.startswith(tuple(folders))]


def checks_of(changed: Sequence[str]) -> list[Suite]:
    """Linters, types and tests of other languages, each only where its files have changed."""
    known = {suite.name: suite for suite in CHECKS}
    here = [name for name in changed if (REPOSITORY / name).exists()]
    python = [name for name in here if name.endswith(".py")]
    front = [name.removeprefix("frontend/") for name in here if name.startswith("frontend/")]
    scripts = [name for name in front if name.endswith((".ts", ".vue"))]
    rust = [name for name in here if name.endswith((".rs", "Cargo.toml"))]
    found = []
    if python:
        found += [
            _narrowed(known["ruff"], python), _narrowed(known["ruff-format"], python),
            known["mypy"], known["floors"],
        ]  # fmt: skip
    if any(name.startswith(("backend/", "protocol/", "frontend/src/api")) for name in here):
        found.append(known["generated-files"])
    if scripts:
        found += [
            Suite("frontend", (*NPM, "related", "--", *scripts), "vitest"),
            # `npm exec` would stay in the folder of the caller, where these names lead nowhere.
            Suite("eslint", ("env", "--chdir=frontend", "node_modules/.bin/eslint", *scripts)),
            known["vue-tsc"],
        ]  # fmt: skip
    if rust:
        crates = [word for name in sorted(_crates(rust)) for word in ("-p", name)]
        found += [
            known["rustfmt"],
            Suite("Rust", ("cargo", "test", "--release", "--locked", "--quiet", *crates), "cargo"),
        ]
    return found


def _narrowed(check: Suite, files: Sequence[str]) -> Suite:
    """A check of some files alone, whose command ends with a dot for all."""
    return replace(check, command=(*check.command[:-1], *files))


def _crates(changed: Iterable[str]) -> set[str]:
    """Crates that a change of Rust files may break: their own, and those that depend on them."""
    told = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"],
        cwd=REPOSITORY, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    packages = {
        str(PurePosixPath(each["manifest_path"]).parent.relative_to(REPOSITORY)): each
        for each in json.loads(told)["packages"]
    }
    found = set()
    for name in changed:
        inside = [folder for folder in packages if name.startswith(f"{folder}/")]
        found |= {packages[max(inside, key=len)]["name"]} if inside else set()
    grown = True
    while grown:
        more = {
            each["name"] for each in packages.values()
            if found & {needed["name"] for needed in each["dependencies"]}
        }  # fmt: skip
        grown = not more <= found
        found |= more
    return found


def main(words: Sequence[str]) -> int:
    """Select, tell, run; the exit status."""
    parser = argparse.ArgumentParser(prog="make test-changed", description=__doc__)
    parser.add_argument("base", nargs="?", default="main", help="a branch, tag or commit")
    parser.add_argument("--minutes", type=float, default=MINUTES,
                        help="that the tests may take (default: %(default)g)")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="tell what would be run, run nothing")
    asked = parser.parse_args(words)
    changed = changed_since(asked.base)
    if not changed:
        say(f"nothing differs from {asked.base}")
        return 0
    chosen = select(changed, Imports(cache() / "grimp"), asked.minutes)
    tests = [HOUSE, *chosen.tests]
    names = ", ".join(each.name for each in chosen.suites)
    say(f"{len(changed)} files differ from {asked.base}")
    say(f"to be run: {len(chosen.tests)} files of tests, the laws of the house, {names}")
    if asked.list:
        say("\n".join(tests))
        return 0
    pytest = Suite("tests", (PYTHON, "-m", "pytest", *tests), "pytest")
    os.chdir(REPOSITORY)
    interrupted = stop_on_signals()
    told = run([pytest, *chosen.suites], environment(), default_at_once(), interrupted)
    if interrupted.is_set():
        return INTERRUPTED
    say(summary(told))
    if chosen.left:
        folders = sorted({"/".join(name.split("/")[:2]) for name in chosen.left})
        say(f"not run, though the change may break them: {len(chosen.left)} files of tests in "
            f"{', '.join(folders)}; `make test` runs all")  # fmt: skip
    return 0 if all(each.passed for each in told) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
