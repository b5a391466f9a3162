"""A program that its account cannot use is told before the start: real folders, real accounts."""

import os
import pwd
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import BinaryMissing, DeployFailed
from weighhouse_sdk.machine.access import closed_folders, ready_directory, refuse_unless_open
from weighhouse_sdk.machine.libraries import brought_along, is_of_the_system
from weighhouse_sdk.machine.process import Command

ROOT = os.geteuid() == 0
ACCOUNT = "nobody" if ROOT else None
"""Root becomes another one; who is not root stays who he is, and closes folders to himself."""
SLEEP = Path(str(shutil.which("sleep")))


@pytest.fixture
def folder(server_directory: Path, tmp_path: Path) -> Iterator[Path]:
    """Open to every account, down from the root."""
    path = server_directory / tmp_path.name
    path.mkdir(mode=0o755)
    yield path
    for each in [path, *path.rglob("*")]:
        if each.is_dir() and not each.is_symlink():
            each.chmod(0o755)
    shutil.rmtree(path)


def program(folder: Path, name: str = "server") -> Path:
    """A real one, of our own."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(SLEEP, folder / name))


def told(*arguments: str) -> DeployFailed:
    with pytest.raises(DeployFailed) as caught:
        refuse_unless_open(arguments, ACCOUNT)
    return caught.value


def close(path: Path) -> None:
    path.chmod(0o700 if ROOT else 0o000)


def test_what_is_open_is_not_refused(folder: Path) -> None:
    refuse_unless_open((str(program(folder / "a" / "b")), "--dir", ".", "/nowhere/else"), ACCOUNT)
    refuse_unless_open(("/nowhere/server",), ACCOUNT)


def test_a_closed_folder_on_the_way_is_named_with_right_account_and_mend(folder: Path) -> None:
    server = program(folder / "home" / "tools")
    close(folder / "home")
    error = told(str(server))
    assert f"cannot use {server}: the folder {folder / 'home'} (d" in error.message
    assert "does not let it pass through it" in error.message
    if ROOT:
        assert "(drwx------ of root:root)" in error.message
        assert error.message.startswith("nobody, the account that server runs under")
    assert f"`chmod o+x {folder / 'home'}`" in error.hint
    (folder / "home").chmod(0o711)
    refuse_unless_open((str(server),), ACCOUNT)


def test_a_symbolic_link_into_a_closed_folder_is_followed(folder: Path) -> None:
    server = program(folder / "home" / "tools")
    (folder / "bin").symlink_to("home/tools")
    link = folder / "bin" / "server"
    close(folder / "home")
    assert f"the folder {folder / 'home'}" in told(str(link)).message
    assert f"cannot use {link}" in told(str(link)).message
    assert server.name == link.name


def test_a_program_that_may_not_be_executed_or_read(folder: Path) -> None:
    server = program(folder)
    close(server)
    error = told(str(server))
    assert f"the file {server}" in error.message
    assert error.message.endswith("does not let it execute it")
    script = folder / "script"
    script.write_text(f"#!{SLEEP} 1\n", encoding="ascii")
    script.chmod(0o711 if ROOT else 0o300)
    assert told(str(script)).message.endswith("does not let it read it")


def test_the_interpreter_of_a_script_counts(folder: Path) -> None:
    interpreter = program(folder / "runtime", "interpreter")
    script = folder / "script"
    script.write_text(f"#!{interpreter} 1\n", encoding="ascii")
    script.chmod(0o755)
    close(folder / "runtime")
    error = told(str(script))
    assert f"cannot use {interpreter}: the folder {folder / 'runtime'}" in error.message


def test_what_a_command_line_names_counts(folder: Path) -> None:
    server = str(program(folder / "bin"))
    jar = program(folder / "closed", "a.jar")
    close(folder / "closed")
    for words in (
        ("-cp", f"/usr/lib:{jar}"), (f"--config={jar}",), (f"-Dconfig=file://{jar}",), (str(jar),),
        ("--data-dir", str(folder / "closed" / "data")), ("-cp", f"{folder}/closed/*"),
    ):  # fmt: skip
        assert f"the folder {folder / 'closed'}" in told(server, *words).message, words


def test_the_folder_of_its_libraries_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that finds one of its libraries beside itself, as vendors ship them."""
    compiler = shutil.which("cc") or str(sysconfig.get_config_var("CC")).split()[0]
    (folder / "lib").mkdir()
    (folder / "own.c").write_text("int own(void) { return 0; }\n", encoding="ascii")
    (folder / "main.c").write_text(
        "int own(void); int main(void) { return own(); }\n", encoding="ascii"
    )
    made = folder / "lib" / "libown.so"
    for words in (
        ("-shared", "-fPIC", "-o", str(made), str(folder / "own.c")),
        ("-o", str(folder / "server"), str(folder / "main.c"), f"-L{folder / 'lib'}", "-lown",
         "-Wl,-rpath,$ORIGIN/lib"),
    ):  # fmt: skip
        subprocess.run([compiler, *words], check=True)
    server = folder / "server"
    assert brought_along(server) == {"libown.so": (made,)}
    assert brought_along(SLEEP) == {}
    assert brought_along(folder / "main.c") == {}
    refuse_unless_open((str(server),), ACCOUNT)
    close(folder / "lib")
    error = told(str(server))
    assert f"cannot use {made}: the folder {folder / 'lib'}" in error.message
    # The loader goes on to the next folder.
    (folder / "other").mkdir()
    shutil.copy(made, folder / "other")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{folder / 'other'}")
    assert brought_along(server) == {"libown.so": (folder / "other" / "libown.so", made)}
    refuse_unless_open((str(server),), ACCOUNT)
    close(folder / "other")
    assert f"cannot use {folder / 'other' / 'libown.so'}" in told(str(server)).message


def test_a_library_that_the_system_has_too_is_not_missed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = next(
        Path(line.split()[-1])
        for line in subprocess.run(
            ["ldd", SLEEP], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        if "libc.so" in line.partition("(")[0]
        for line in [line.partition(" (")[0]]
    )
    (folder / "lib").mkdir()
    shutil.copy(library, folder / "lib" / "libc.so.6")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder / "lib"))
    server = program(folder)
    assert brought_along(server) == {"libc.so.6": (folder / "lib" / "libc.so.6",)}
    close(folder / "lib")
    refuse_unless_open((str(server),), ACCOUNT)
    assert not is_of_the_system("libown.so")


def test_what_another_process_has_of_its_own_is_not_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = str(program(folder))
    (folder / "home").mkdir()
    monkeypatch.chdir(folder / "home")
    close(folder / "home")
    (folder / "log").symlink_to("/dev/stdout")
    words = ("/proc/self/cwd", "--log=/dev/stdout", f"{folder}/log", "/dev/fd/0", "/proc/1/cwd/x")
    refuse_unless_open((server, *words), ACCOUNT)


def test_trouble_of_another_kind_is_left_to_the_start(folder: Path) -> None:
    refuse_unless_open((str(program(folder)), f"{folder}/{'x' * 300}/{'y' * 5000}"), ACCOUNT)


@pytest.mark.skipif(not ROOT, reason="who is not root hands nothing over")
def test_a_folder_is_handed_over_before_it_is_looked_at(context: Context, folder: Path) -> None:
    data = folder / "data"
    data.mkdir(mode=0o700)
    words = (str(program(folder)), "--dir", str(data), "60")
    started = context.processes.start(Command("p", words, data, users=("nobody",)))
    started.stop(1.0)


def test_nothing_is_started_and_nothing_is_left_of_it(context: Context, folder: Path) -> None:
    server = program(folder / "home")
    close(folder / "home")
    command = Command("p", (str(server), "60"), context.directory / "data", users=("nobody",))
    with pytest.raises(DeployFailed, match="does not let it pass through it"):
        context.processes.start(command)
    assert context.processes.leftovers() == ()
    assert not (context.log_directory / "p.log").exists()


@pytest.mark.skipif(not ROOT, reason="who is not root gives nothing away")
def test_a_data_directory_that_cannot_be_made(folder: Path) -> None:
    (folder / "file").touch()
    with pytest.raises(DeployFailed) as caught:
        ready_directory(folder / "file" / "data", "nobody")
    assert f"at {folder / 'file'} (-rw" in caught.value.message
    assert "for nobody" in caught.value.message
    ready_directory(folder / "data", "nobody")
    assert (folder / "data").stat().st_mode & 0o777 == 0o700


def as_somebody(ask: Callable[[], str]) -> str:
    """What is found by an account that is not root."""
    if not ROOT:
        return ask()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(pwd.getpwnam("nobody").pw_gid)
            os.setuid(pwd.getpwnam("nobody").pw_uid)
            os.write(writing, ask().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        found = told.read()
    os.waitpid(child, 0)
    return found


def test_folders_of_a_search_path_that_are_closed(folder: Path) -> None:
    program(folder / "open")
    program(folder / "home" / "bin")
    close(folder / "home")
    path = f"{folder}/open:{folder}/home/bin:/nowhere:"
    assert as_somebody(lambda: ", ".join(closed_folders(path))) == f"{folder}/home/bin"
    hint = BinaryMissing("server", closed=(f"{folder}/home/bin",)).hint
    assert hint.endswith(f"or it lies where the agent's account may not look: {folder}/home/bin")


def test_who_is_not_root_is_told_of_what_is_closed_to_himself(folder: Path) -> None:
    server = program(folder / "home")
    close(folder / "home")

    def ask() -> str:
        try:
            refuse_unless_open((str(server),), None)
        except DeployFailed as error:
            return error.message
        return "open"

    assert f"cannot use {server}: the folder {folder / 'home'} (d" in as_somebody(ask)
