"""The runner of all suites: what is green, what is counted, what a run is held against."""

import dataclasses
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from suites import record, unchanged
from suites.__main__ import in_order, reds
from suites.drift import differences
from suites.record import Told, earlier, expected, grown, keep
from suites.runner import passed_tests, run, whose_turn
from suites.table import SUITES, Suite
from suites.unchanged import Green
from weighhouse_sdk.machine.procfs import process_stat, process_tree

ENDLESS = "sleep 600 & echo $! >{note}; wait"


def told(name: str, computed: float, *, tests: int = 10, passed: bool = True) -> Told:
    return Told(name, passed, tests, 2 * computed, computed)


def runs(*computed: float, name: str = "one") -> list[dict[str, Told]]:
    return [{name: told(name, each)} for each in computed]


def shell(name: str, words: str, counts: str = "", advice: str = "") -> Suite:
    return Suite(name, ("bash", "-c", words), counts, advice)


def ran(*suites: Suite, interrupted: threading.Event | None = None) -> tuple[list[Told], str]:
    said: list[str] = []
    event = interrupted or threading.Event()
    done = run(suites, os.environ, 2, event, said.append)
    return done, "\n".join(said)


def test_each_suite_has_a_name_of_its_own_and_each_check_says_what_to_do():
    assert len({suite.name for suite in SUITES}) == len(SUITES)
    assert all(suite.advice for suite in SUITES if suite.check)
    assert all(suite.counts for suite in SUITES if not suite.check)


@pytest.mark.parametrize(
    ("counts", "output", "passed"),
    [
        ("pytest", "..\n2 passed in 0.1s\n", 2),
        ("pytest", "F.\n1 failed, 1 passed, 3 skipped in 1.00s\n", 1),
        ("pytest", "no tests ran in 0.01s\n", 0),
        ("cargo", ("test result: ok. 12 passed; 0 failed; 1 ignored\n"
                  "test result: FAILED. 3 passed; 1 failed\n"), 15),
        ("vitest", "\x1b[2m Test Files \x1b[22m 3 passed (3)\n\x1b[2m      Tests \x1b[22m 41 passed (41)\n", 41),  # noqa: E501
        ("vitest", " Tests  1 failed | 40 passed (41)\n", 40),
        ("", "3 passed\n", 0),
    ],
)  # fmt: skip
def test_tests_are_counted_as_their_runner_tells_them(counts, output, passed):
    assert passed_tests(counts, output) == passed


@pytest.mark.parametrize(
    ("waiting", "running", "begins"),
    [
        ("t1 c1 t2", "", "t1"),
        ("c1 t2 t3", "t1", "c1"),
        ("c2 t2 t3", "t1 c1", "t2"),
        ("c2 t3", "t1 t2 c1", None),
        ("c2 t3", "t1 c1", "t3"),
        ("c2 c3", "t1 t2", "c2"),
        ("c2 c3", "t1 c1", None),
        ("c3 c4", "c1", "c3"),
        ("c3 c4", "c1 c2", None),
        ("", "t1", None),
    ],
)
def test_a_check_has_a_place_beside_the_tests(waiting, running, begins):
    made = {
        name: dataclasses.replace(shell(name, "true"), check=name.startswith("c"))
        for name in f"{waiting} {running}".split()
    }
    turn = whose_turn(
        [made[name] for name in waiting.split()], [made[name] for name in running.split()], 2
    )
    assert (turn and turn.name) == begins


def test_a_red_one_is_told_with_its_words_and_what_to_do():
    done, said = ran(
        shell("good", "echo fine"),
        shell("bad", "echo 'line 3 is wrong'; exit 3", advice="mend line 3"),
    )
    assert {each.name: each.passed for each in done} == {"good": True, "bad": False}
    assert "line 3 is wrong" in said
    assert "bad: mend line 3" in said
    assert "fine" not in said  # a check that is green has nothing to say


@pytest.mark.parametrize(
    ("counts", "output", "red"),
    [
        ("pytest", "F.\nFAILED a/test_b.py::test_c[1] - assert 0\nERROR a/test_d.py::test_e\n",
         ["a/test_b.py::test_c[1] - assert 0", "a/test_d.py::test_e"]),
        ("cargo", "---- mix::tests::sums stdout ----\nthread\n\nfailures:\n    mix::tests::sums\n",
         ["mix::tests::sums"]),
        ("vitest", "\x1b[31m FAIL \x1b[39m src/a.spec.ts > sums\n FAIL  src/a.spec.ts > sums\n",
         ["src/a.spec.ts > sums"]),
        ("", "FAILED nothing\n", []),
    ],
)  # fmt: skip
def test_who_is_red_is_named_at_the_end_and_all_words_are_kept(tmp_path, counts, output, red):
    suite = shell("one", "false", counts)
    first, *named = reds([suite, shell("green", "true")], {"one": output}, tmp_path / "red")
    assert first == f"red: one, all its words: {tmp_path}/red/one.log"
    assert [each.strip() for each in named] == red
    assert (tmp_path / "red/one.log").read_text() == output


def test_no_test_at_all_is_red():
    (done,), _ = ran(shell("empty", "echo 'no tests ran in 0.01s'", "pytest"))
    assert not done.passed


def test_each_has_a_temporary_directory_of_its_own_that_does_not_stay():
    done, said = ran(
        shell("a", "echo found in $TMPDIR; test -d $TMPDIR; echo 1 passed", "pytest"),
        shell("b", "echo found in $TMPDIR; test -d $TMPDIR; echo 1 passed", "pytest"),
    )
    assert all(each.passed for each in done)
    folders = {line.split()[-1] for line in said.splitlines() if line.startswith("found in")}
    assert len(folders) == len(done)
    assert not any(Path(folder).exists() for folder in folders)


def test_what_it_computed_is_told_beside_how_long_it_took():
    (done,), _ = ran(shell("busy", "for i in $(seq 200000); do :; done; sleep 0.5"))
    assert 0 < done.computed < done.seconds


def test_a_server_that_made_itself_a_daemon_is_counted_and_does_not_stay(tmp_path):
    server, note = tmp_path / "server.sh", tmp_path / "pid"
    server.write_text("for i in $(seq 300000); do :; done; echo $$ >$1; exec sleep 600")
    waits = f"(setsid bash {server} {note} &); until [ -s {note} ]; do sleep 0.05; done"
    (done,), _ = ran(shell("daemon", waits))
    assert done.passed
    assert done.computed > 0.1
    assert process_stat(int(note.read_text())) is None


def test_who_interrupts_ends_all_that_was_started(tmp_path):
    note = tmp_path / "pid"
    interrupted = threading.Event()
    suite = shell("endless", ENDLESS.format(note=note))
    running = threading.Thread(target=ran, args=(suite,), kwargs={"interrupted": interrupted})
    running.start()
    while not (note.exists() and note.read_text().endswith("\n")):
        assert running.is_alive()
        interrupted.wait(0.02)
    interrupted.set()
    running.join()
    assert not process_tree(int(note.read_text()))


def test_the_command_ends_with_the_status_of_its_suites():
    words = [sys.executable, "-m", "suites", "--help"]
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(root / "tests")}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert "NAME" in done.stdout
    words[-1] = "nosuchsuite"
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2  # of argparse
    assert "no suite is called nosuchsuite; there are: " in done.stderr


def test_the_longest_begins_first_and_who_is_new_before_all():
    suites = [shell(name, "true") for name in ("short", "long", "new")]
    before = [{"short": told("short", 1), "long": told("long", 100)}]
    assert [each.name for each in in_order(suites, before)] == ["new", "long", "short"]


def test_runs_are_kept_and_read_again_and_the_oldest_go(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "KEPT", 2)
    for number in range(4):
        (tmp_path / f"2026-01-0{number + 1}T00-00-00.json").write_text("{broken")
    path = keep(tmp_path, [told("one", 12.5)], 30.0, "abc+")
    assert path.exists()
    assert len(list(tmp_path.iterdir())) == record.KEPT
    assert earlier(tmp_path) == runs(12.5)


def test_what_it_is_held_against_are_green_runs_alone():
    before = [*runs(10, 12, 14), {"one": told("one", 500, passed=False)}]
    found = expected(before, "one")
    assert found is not None
    assert found.computed == 12
    assert expected(before, "two") is None


def test_a_slow_hour_is_not_growth_and_one_that_grew_is_told():
    names = ["a", "b", "c", "d"]
    before = [{name: told(name, 100) for name in names}] * 3
    assert grown(before, [told(name, 200) for name in names]) == []
    now = [told(name, 200) for name in names[:3]] + [told("d", 300)]
    (line,) = grown(before, now)
    assert line == "d computed 300 s; by its last runs it would have been 200 s"


def test_fewer_tests_are_told():
    (line,) = grown(runs(10), [told("one", 10, tests=9)])
    assert line == "one passed 9 tests, 10 in its last run"


def test_a_difference_is_shown_in_a_few_lines(tmp_path):
    kept, made = tmp_path / "kept", tmp_path / "made"
    made.write_text("".join(f"{number}\n" for number in range(100)))
    kept.write_text(made.read_text())
    assert differences(kept, made, "x.json") == []
    kept.write_text("another\n")
    lines = differences(kept, made, "x.json")
    assert lines[:2] == ["--- x.json", "+++ x.json, written now"]
    assert lines[-1] == "…"
    kept.unlink()
    assert differences(kept, made, "x.json")


def test_a_check_is_known_to_be_green_only_where_nothing_that_it_reads_has_changed(
    tmp_path, monkeypatch
):
    suite = Suite("linter", ("true",), reads=("src/",), made_by=("echo", "1.0"))
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / "src/a").write_text("a")
    monkeypatch.setattr(unchanged, "REPOSITORY", tree)
    monkeypatch.setattr(unchanged, "tracked", lambda: ["src/a", "other"])
    green = Green(tmp_path / "green")
    assert not green.known(suite)
    green.note("linter")
    assert green.known(suite)
    assert not green.known(dataclasses.replace(suite, command=("false",)))
    assert not green.known(dataclasses.replace(suite, made_by=("echo", "2.0")))
    (tree / "src/a").write_text("b")
    assert not green.known(suite)


def test_what_reads_more_than_files_is_always_asked(tmp_path):
    suite = shell("tests", "true", "pytest")
    green = Green(tmp_path)
    assert not green.known(suite)
    green.note("tests")
    assert not green.known(suite)
    assert not any(each.reads for each in SUITES if not each.check)
