"""Which suites there are: one row each, with what runs it and what to do when it is red.

Suites begin in the order of what the last run says they take, the longest first; this table's order
is that of the first run on a machine.
"""

import sys
from dataclasses import dataclass

PYTHON = sys.executable
BIN = PYTHON.rsplit("/", 1)[0]


@dataclass(frozen=True, slots=True)
class Suite:
    """One row: something that is green or red, and has a time of its own."""

    name: str
    command: tuple[str, ...]
    counts: str = ""
    """How its tests are counted: by pytest, cargo or vitest; empty: it has none."""
    advice: str = ""
    """What to do when it is red, where its own words do not say."""
    exercised: str = ""
    """The name under which it notes what systems it set up, for `make systems`."""
    check: bool = False
    """Part of `make check`."""
    reads: tuple[str, ...] = ()
    """All files that its word depends on, by how their names begin: where these are as they were
    when it was last green, it is green. Empty: it is always asked."""
    made_by: tuple[str, ...] = ()
    """What tells the version of its tool."""
    niceness: int = 0
    """Above 0: it lets the others go first, since it is short or mostly waits."""


def _pytest(name: str, *folders: str, exercised: str = "", niceness: int = 0) -> Suite:
    command = (PYTHON, "-m", "pytest", "-rfEs", "--durations=10", "--durations-min=5", *folders)
    return Suite(name, command, "pytest", exercised=exercised, niceness=niceness)


def _check(
    name: str,
    *command: str,
    advice: str,
    reads: tuple[str, ...] = (),
    made_by: tuple[str, ...] = (),
) -> Suite:
    return Suite(name, command, advice=advice, check=True, reads=reads, made_by=made_by, niceness=5)


CARGO_TEST = ("cargo", "test", "--release", "--locked", "--quiet", "--workspace")
NPM = ("npm", "--prefix", "frontend", "run", "--silent")

TESTS = (
    _pytest("browser", "tests/browser"),
    _pytest("backend", "backend", "migrations"),
    _pytest("operations", "tests/operations", "tests/faults"),
    Suite("Rust", (*CARGO_TEST, "--no-fail-fast"), "cargo", niceness=3),
    _pytest("whole-platform", "tests/end_to_end", "tests/packages", exercised="platform"),
    _pytest("figures", "tests/figures", exercised="figures"),
    _pytest("agent", "agent", niceness=3),
    _pytest("plugins", "plugins", exercised="plugins", niceness=3),
    _pytest("parts", "protocol", "judging", "worker", "cli", "engine"),
    _pytest("house", "tests/architecture", "tests/fairness", "tests/infra"),
    Suite("frontend", (*NPM, "test"), "vitest"),
)
CHECKS = (
    _check("ruff", f"{BIN}/ruff", "check", "--quiet", ".",
           advice="`.venv/bin/ruff check --fix .` mends most of it; the rest says where"),
    _check("ruff-format", f"{BIN}/ruff", "format", "--quiet", "--diff", ".",
           advice="`make format` writes it so"),
    _check("mypy", f"{BIN}/mypy", "--no-error-summary",
           advice="mend the types at the lines named; `.venv/bin/mypy` asks again"),
    _check("floors", f"{BIN}/lint-imports",
           advice="an import goes up: ARCHITECTURE.md has the floors; what has to go up travels "
                  "as a job or an event"),
    _check("rustfmt", "cargo", "fmt", "--all", "--check", advice="`make format` writes it so"),
    _check("clippy", "cargo", "clippy", "--release", "--locked", "--quiet", "--workspace",
           "--all-targets", "--", "-D", "warnings",
           reads=("engine/", "plugins/", "Cargo.", "clippy.toml"),
           made_by=("cargo", "clippy", "--version"),
           advice="mend it at the lines named; each lint's page stands behind its name"),
    _check("eslint", *NPM, "lint", reads=("frontend/",), made_by=("node", "--version"),
           advice="`make format` lays it out; what eslint names is mended by hand"),
    _check("vue-tsc", *NPM, "typecheck", reads=("frontend/",), made_by=("node", "--version"),
           advice="mend the types at the lines named; `npm --prefix frontend run typecheck` asks "
                  "again"),
    _check("generated-files", PYTHON, "-m", "suites.drift",
           advice="`make gen` writes them anew; commit them with what they are made of"),
    _check("licences", PYTHON, "-m", "supply", "licences",
           advice="tests/supply/licences.py lists those that are allowed"),
    _check("counted-work", "engine/bench/run.sh", "counted",
           advice="make an operation cheaper again, or say in engine/bench/limits.toml "
                  "why it is dearer"),
)  # fmt: skip
SUITES = TESTS + CHECKS
