"""Which program a process really is, whatever it was started as."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weighhouse_sdk.machine.procfs import process_stat
from weighhouse_sdk.machine.program_identity import build_id, program_in, program_of
from weighhouse_sdk.testkit.children import child
from weighhouse_testing.waits import until

SLEEP = Path(str(shutil.which("sleep"))).resolve()


@contextmanager
def asleep(program: Path, **environment: str) -> Iterator[int]:
    """A process of a program, as soon as it is that program; its pid."""
    with child([program, "600"], env={**os.environ, **environment}) as one:
        try:
            exe = Path(f"/proc/{one.pid}/exe")
            until("it is the program", lambda: exe.resolve().name != Path("/bin/sh").resolve().name)
            # It has loaded all that it is made of, and sleeps.
            until(
                "it sleeps",
                lambda: (stat := process_stat(one.pid)) is not None and stat.state == "S",
            )
            yield one.pid
        finally:
            one.kill()


def test_a_script_and_a_link_are_the_program_that_they_lead_to(tmp_path: Path) -> None:
    script, link = tmp_path / "server-2.0", tmp_path / "server-1.0"
    script.write_text(f'#!/bin/sh\nexec {SLEEP} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    link.symlink_to(SLEEP)
    found = []
    for program in (link, script):
        with asleep(program) as pid:
            found.append(program_of(pid, "system"))
    assert found[0] == found[1]
    assert found[0] is not None
    assert found[0].name == SLEEP.name
    assert found[0].sha256 == hashlib.sha256(SLEEP.read_bytes()).hexdigest()
    assert found[0].parts > 0


def test_another_library_is_another_program(tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    digests = set()
    for number in (1, 2):
        source.write_text(f"int own(void) {{ return {number}; }}\n", encoding="utf-8")
        library = tmp_path / f"own{number}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        with asleep(SLEEP, LD_PRELOAD=str(library)) as pid:
            until("it has the library", lambda pid=pid, name=library.name: name in _maps(pid))
            found = program_of(pid, "system")
        assert found is not None
        digests.add(found.parts_sha256)
    assert len(digests) == 2


def test_a_program_that_was_replaced_is_the_one_that_runs(tmp_path: Path) -> None:
    program = tmp_path / "server"
    shutil.copy2(SLEEP, program)
    with asleep(program) as pid:
        fresh = tmp_path / "fresh"
        fresh.write_bytes(SLEEP.read_bytes() + b"another build")
        fresh.chmod(0o755)
        fresh.replace(program)
        found = program_of(pid, "system")
    assert found is not None
    assert found.sha256 == hashlib.sha256(SLEEP.read_bytes()).hexdigest()
    assert found.name == "server"
    now = program_in(program, "tool")
    assert now is not None
    assert now.sha256 != found.sha256


def test_the_build_is_what_the_linker_noted(tmp_path: Path) -> None:
    source, program = tmp_path / "own.c", tmp_path / "own"
    source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    subprocess.run(["cc", "-Wl,--build-id=0xc0ffee", "-o", program, source], check=True)
    assert build_id(program) == "c0ffee"
    subprocess.run(["cc", "-Wl,--build-id=none", "-o", program, source], check=True)
    assert build_id(program) == ""
    source.write_text("no program", encoding="utf-8")
    assert build_id(source) == ""


def test_who_is_gone_tells_nothing() -> None:
    with child(["true"]) as one:
        one.wait()
    assert program_of(one.pid, "driver") is None


def _maps(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
