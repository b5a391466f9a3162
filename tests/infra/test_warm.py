"""Programs that start by a fork are as if they had been started as ever."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from weighhouse_sdk.testkit.children import child
from weighhouse_testing.waits import until
from weighhouse_testing.warm import Forked, cold, program_of

SHOWS = """
import json, os, sys
print(json.dumps({"words": sys.argv[1:], "name": __name__, "directory": os.getcwd(),
                  "said": os.environ.get("SAID"), "home": "HOME" in os.environ, "pid": os.getpid(),
                  "session": os.getsid(0), "parent": os.getppid(), "read": sys.stdin.read()}))
print("aside", file=sys.stderr)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a program that is started with `-m`, and gives the command line."""

    def written(text: str) -> list[str]:
        name = f"weighhouse_shown_{abs(hash(text))}"
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return [sys.executable, "-m", name]

    return written


def was_forked(process: subprocess.Popen) -> bool:
    return isinstance(process, Forked) and process._end is not None


def shown(words: list[str], **more) -> tuple[dict, str]:
    process = subprocess.Popen(
        [*words, "one", "two words"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, **more,
    )  # fmt: skip
    assert was_forked(process)
    told, aside = process.communicate("hello", timeout=60)
    assert process.returncode == 0, aside
    found = json.loads(told)
    assert found["pid"] == process.pid
    return found, aside


def test_it_has_words_streams_directory_and_environment_of_its_own(program, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    environment = {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "SAID": "so"}
    words = program(SHOWS)
    environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    found, aside = shown(words, cwd=there, env=environment, start_new_session=True)
    assert aside == "aside\n"
    assert found["words"] == ["one", "two words"]
    assert found["name"] == "__main__"
    assert found["directory"] == str(there)
    assert (found["said"], found["home"]) == ("so", False)
    assert found["session"] == found["pid"]
    assert found["read"] == "hello"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", 0),
        ("import sys; sys.exit(7)", 7),
        ("import sys; sys.exit('a word')", 1),
        ("1 / 0", 1),
        ("import os; os._exit(9)", 9),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import atexit; atexit.register(print, 'the end')", 0),
    ],
)
def test_it_ends_as_it_would(program, text, status):
    done = subprocess.run(program(text), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status
    assert ("ZeroDivisionError" in done.stderr) == ("1 / 0" in text)
    assert ("a word" in done.stderr) == ("a word" in text)
    assert ("the end" in done.stdout) == ("the end" in text)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_it_is_signalled_as_any_other(program, number):
    words = program("import time; print('here', flush=True); time.sleep(600)")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdout.readline() == b"here\n"
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.send_signal(number)
    assert process.wait(120) in {-number, 1}
    assert process.poll() == process.returncode
    process.stdout.close()


def test_a_package_keeps_its_parts():
    words = [sys.executable, "-m", "uvicorn", "weighhouse_nowhere:app", "--port", "0"]
    with child(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert was_forked(process)
        _, aside = process.communicate()
    # It finds what its configuration of logs names, and only then looks for the application.
    assert b'Could not import module "weighhouse_nowhere"' in aside
    assert b"RuntimeWarning" not in aside


def test_what_it_starts_itself_starts_warm(program):
    inner = program("print('inner')")
    words = program(
        "import subprocess, sys\n"
        f"done = subprocess.run({inner!r}, capture_output=True, text=True)\n"
        "print(type(subprocess.Popen).__name__, subprocess.Popen.__name__, done.stdout)"
    )
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "type Warm inner\n\n"


def test_a_tether_of_setpriv_is_kept():
    words = [
        "/usr/bin/setpriv",
        "--pdeathsig",
        "SIGTERM",
        "--",
        sys.executable,
        "-m",
        "celery",
        "x",
    ]
    found = program_of(words, {})
    assert found is not None
    assert (found.module, found.arguments, found.death_signal) == ("celery", ("x",), signal.SIGTERM)


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        ([sys.executable, "-m", "weighhouse_agent"], {"LD_PRELOAD": "x.so"}),
        ([sys.executable, "-m", "http.server"], {}),
        ([sys.executable, "-I", "-m", "weighhouse_agent"], {}),
        ([sys.executable, "-c", "pass"], {}),
        (["setpriv", "--reuid", "1", "--", sys.executable, "-m", "celery"], {}),
        (["redis-server"], {}),
        ([sys.executable], {}),
    ],
)
def test_what_needs_another_interpreter_is_started_as_ever(words, environment):
    assert program_of(words, environment) is None


def test_everything_starts_cold_where_that_is_what_is_tested(program):
    words = program("print('cold')")
    with cold(), child(words, stdout=subprocess.PIPE) as process:
        assert not was_forked(process)
    with child(words, stdout=subprocess.DEVNULL) as process:
        assert was_forked(process)


def test_many_at_once_are_told_apart(program):
    words = program("import sys; sys.exit(int(sys.argv[1]))")
    started = [subprocess.Popen([*words, str(number)]) for number in range(40)]
    until("all have ended", lambda: all(each.poll() is not None for each in started))
    assert [each.returncode for each in started] == list(range(40))
