"""`python -m suites [--check] [NAME…]`: run all suites, the checks alone, or those named."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from weighhouse_testing.tree import REPOSITORY

from suites import record, systems
from suites.record import Told
from suites.runner import default_at_once, red_tests, run, say, stop_on_signals
from suites.table import CHECKS, SUITES, Suite
from suites.unchanged import Green

INTERRUPTED = 130


def cache() -> Path:
    """Where what outlives a clone is kept."""
    return Path(os.environ.get("WEIGHHOUSE_CACHE") or Path.home() / ".cache" / "weighhouse")


def environment() -> dict[str, str]:
    """What every suite is run with: caches of the checks lie outside the tree."""
    return {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY / "tests"),
        "RUFF_CACHE_DIR": str(cache() / "ruff"),
        "MYPY_CACHE_DIR": str(cache() / "mypy"),
        # Tests in Rust wait for servers more than they compute.
        "RUST_TEST_THREADS": "4",
        # Half of what a short-lived Java server computes is its second compiler, for speed that no
        # test is about.
        "JAVA_TOOL_OPTIONS": " ".join(
            filter(None, (os.environ.get("JAVA_TOOL_OPTIONS"), "-XX:TieredStopAtLevel=1"))
        ),
    }


def prepared(suite: Suite) -> Suite:
    """A suite that notes the systems it sets up where `make systems` reads them."""
    if not suite.exercised:
        return suite
    folder = cache() / "exercised"
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / f"{suite.exercised}.json"
    note.unlink(missing_ok=True)
    command = (*suite.command, "--exercised", str(note))
    return Suite(suite.name, command, suite.counts, suite.advice, niceness=suite.niceness)


def in_order(suites: Sequence[Suite], runs: Sequence[dict[str, Told]]) -> list[Suite]:
    """The longest first, by what they last took; one that never ran comes as the table has it."""
    known = {each.name: record.expected(runs, each.name) for each in suites}

    def seconds(suite: Suite) -> float:
        before = known[suite.name]
        return before.seconds if before is not None else float("inf")

    return sorted(suites, key=seconds, reverse=True)


def summary(told: Sequence[Told]) -> str:
    """A line a suite, the longest first."""
    lines = [
        f"{each.name:<16} {'passed' if each.passed else 'FAILED'} {each.tests:6,} tests passed "
        f"{each.seconds:6,.0f} s {each.computed:7,.0f} computed"
        for each in sorted(told, key=lambda each: -each.computed)
    ]
    return "\n".join(["\n== summary", *lines])


def reds(suites: Sequence[Suite], words: Mapping[str, str], folder: Path) -> list[str]:
    """What is red, a line a test, under the file that has all that its suite said.

    :param words: suite → all that it said; kept until the suite is red again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for suite in suites:
        if (said := words.get(suite.name)) is not None:
            kept = folder / f"{suite.name}.log"
            kept.write_text(said, encoding="utf-8")
            tests = red_tests(suite.counts, said)
            lines += [f"red: {suite.name}, all its words: {kept}", *(f"  {test}" for test in tests)]
    return lines


def commit() -> str:
    """What is tested; with a plus where the tree has changes of its own."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude", "*"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def chosen(words: Sequence[str], parser: argparse.ArgumentParser) -> list[Suite]:
    """The suites of these names; all when there are none."""
    known = {suite.name: suite for suite in SUITES}
    if unknown := [word for word in words if word not in known]:
        parser.error(f"no suite is called {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[word] for word in words] or list(SUITES)


def main(words: Sequence[str]) -> int:
    """Run them; the exit status: 0 when every one is green."""
    parser = argparse.ArgumentParser(prog="tests/run.sh", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="suites; default: all")
    parser.add_argument("--check", action="store_true", help="linters, types, floors, drift alone")
    parser.add_argument("--at-once", type=int, default=default_at_once(), metavar="N",
                        help="how many run side by side (default: %(default)s)")  # fmt: skip
    asked = parser.parse_args(words)
    suites = list(CHECKS) if asked.check else chosen(asked.names, parser)
    folder = cache() / "runs"
    runs = record.earlier(folder)
    began = time.monotonic()
    interrupted = stop_on_signals()
    green = Green(cache() / "green")
    os.chdir(REPOSITORY)
    for suite in (known := [suite for suite in suites if green.known(suite)]):
        say(f"· {suite.name}: green, as when it last read these files")
    ordered = [prepared(each) for each in in_order([s for s in suites if s not in known], runs)]
    files: dict[str, float] = {}
    red: dict[str, str] = {}
    told = run(ordered, environment(), asked.at_once, interrupted, files=files, red=red)
    if interrupted.is_set():
        return INTERRUPTED
    seconds = time.monotonic() - began
    for each in told:
        if each.passed:
            green.note(each.name)
    say(summary(told))
    noted = [cache() / "exercised" / f"{each.exercised}.json" for each in suites if each.exercised]
    for line in systems.lines(noted):
        say(line)
    for line in record.grown(runs, told):
        say(f"! {line}")
    kept = record.keep(folder, told, seconds, commit(), files)
    say(f"seconds by suite: {kept}")
    failed = [each.name for each in told if not each.passed]
    for line in reds(suites, red, cache() / "red"):
        say(line)
    computed = sum(each.computed for each in told)
    say(f"{len(told)} suites in {seconds:,.0f} s, {computed:,.0f} s computed")
    say(f"{sum(each.tests for each in told)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
