"""Whether the account that a program runs under can use it, asked before it is started.

What is looked at: each folder on the way to the program, the program, the interpreter it names, the
libraries it brings along, and every path of its command line. A folder that is closed ends a server
before it can say a word, or has it say that a file is not there which everybody else can see.
"""

import grp
import json
import os
import pwd
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine import looker
from weighhouse_sdk.machine.libraries import brought_along, is_of_the_system
from weighhouse_sdk.machine.procfs import PROC

LINKS = 40
"""As many symbolic links on one way as the kernel follows."""
ASK_SECONDS = 30.0
NAMED = re.compile(r"(?:^|[=:,]|file:(?://)?)(/[^:,*]+)")
"""A path in a word of a command line: alone, behind `=`, or one of several."""
RIGHTS = {os.X_OK: "x", os.R_OK: "r"}


@dataclass(frozen=True)
class Need:
    """A right to a file or folder."""

    path: Path
    mode: int
    """`os.R_OK` or `os.X_OK`."""
    of: Path
    """What it is needed for."""


def refuse_unless_open(arguments: Sequence[str], user: str | None) -> None:
    """Hold that an account can use a program and what its command line names.

    :param arguments: the program's absolute path, then its command line.
    :param user: whom it becomes; None: it stays this process's account.
    :raises DeployFailed: naming what is closed, the right that lacks, the account and the mend.
    """
    libraries = _libraries(Path(arguments[0]))
    needs: dict[tuple[Path, int], Need] = {}
    for each in (
        *_needs(arguments),
        *(need for ways in libraries.values() for need in chain(*ways)),
    ):
        needs.setdefault((each.path, each.mode), each)
    refused = {(each.path, each.mode) for each in _refused(tuple(needs.values()), user)}
    closed = _closed(_needs(arguments), refused)
    for name, ways in libraries.items():
        lacking = [_closed(way, refused) for way in ways]
        if all(lacking) and not is_of_the_system(name):
            closed += chain(*lacking)
    if not closed:
        return
    account = user or _name(os.geteuid())
    first = closed[0]
    what = "folder" if stat.S_ISDIR(_mode(first.path)) else "file"
    right = {os.X_OK: "pass through it" if what == "folder" else "execute it"}
    raise DeployFailed(
        f"{account}, the account that {Path(arguments[0]).name} runs under, cannot use {first.of}: "
        f"the {what} {first.path} ({_shown(first.path)}) does not let it "
        f"{right.get(first.mode, 'read it')}",
        _mend(closed),
    )


def ready_directory(directory: Path, user: str | None = None) -> None:
    """Make a server's directory, and hand it to the account, closed to everybody else.

    :raises DeployFailed: naming the folder that is closed.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if user is not None:
            entry = pwd.getpwnam(user)
            os.chown(directory, entry.pw_uid, entry.pw_gid)
            directory.chmod(0o700)
    except OSError as error:
        where = next(each for each in (directory, *directory.parents) if os.path.lexists(each))
        account = _name(os.geteuid())
        raise DeployFailed(
            f"the data directory {directory} cannot be made ready for {user or account}: "
            f"{error.strerror} at {where} ({_shown(where)})",
            f"give {account} the right to write there, or name another directory",
        ) from error


def closed_folders(search_path: str) -> tuple[str, ...]:
    """Folders of a search path that this process's account may not look into."""
    folders = dict.fromkeys(each for each in search_path.split(os.pathsep) if each)
    return tuple(each for each in folders if _refused(tuple(_way(Path(each) / "x")), None))


def _needs(arguments: Sequence[str]) -> Iterator[Need]:
    program = Path(arguments[0])
    yield from _file(program, os.X_OK)
    interpreter = _interpreter(program)
    if interpreter is not None:
        yield Need(program, os.R_OK, program)
        yield from _file(interpreter, os.X_OK)
    for word in arguments[1:]:
        for found in NAMED.findall(word):
            yield from _file(Path(found), os.R_OK)


def _libraries(program: Path) -> dict[str, list[tuple[Need, ...]]]:
    """Name → what each of its places needs; one place that is open is enough."""
    return {
        name: [tuple(_file(each, os.R_OK)) for each in places]
        for name, places in brought_along(program).items()
    }


def _closed(needs: Iterable[Need], refused: set[tuple[Path, int]]) -> list[Need]:
    return [each for each in needs if (each.path, each.mode) in refused]


def _file(path: Path, mode: int) -> Iterator[Need]:
    """The way to a file, and the right to it; of what is not there, the way as far as it goes, and
    so of what is another thing in another process.
    """
    way = tuple(_way(path))
    yield from way
    if any(each.path == PROC for each in way):
        return
    found = _mode(path)
    if stat.S_ISREG(found):
        yield Need(path, mode, path)
    elif stat.S_ISDIR(found):
        yield Need(path, os.X_OK, path)


def _way(path: Path) -> Iterator[Need]:
    """Each folder that has to be passed through, those behind symbolic links, too.

    It ends in /proc, where /dev/stdout and its like lead to: each process has its own there.
    """
    try:
        left = list(path.absolute().parts[1:])
    except OSError:
        return  # Relative to a folder that is gone.
    here, links = Path("/"), 0
    while left:
        yield Need(here, os.X_OK, path)
        if here == PROC:
            return
        part = left.pop(0)
        step = here.parent if part == ".." else here / part
        try:
            target = step.readlink() if step.is_symlink() else None
            end = target is None and not step.is_dir()
        except OSError:
            return  # Whatever else is wrong with it, the start tells.
        if end:
            return
        if target is None:
            here = step
            continue
        links += 1
        if links > LINKS:
            return
        left = [*target.parts[target.is_absolute() :], *left]
        if target.is_absolute():
            here = Path("/")


def _interpreter(program: Path) -> Path | None:
    try:
        with program.open("rb") as file:
            begins, line = file.read(2), file.readline(256)
    except OSError:
        return None
    words = line.decode("utf-8", errors="replace").split()
    return Path(words[0]) if begins == b"#!" and words else None


def _refused(needs: Sequence[Need], user: str | None) -> list[Need]:
    if user is None:
        return [each for each in needs if not _may(each)]
    doubtful = [each for each in needs if not _plainly_open(each, user)]
    if not doubtful:
        return []
    asked = json.dumps([(str(each.path), each.mode) for each in doubtful])
    command = [sys.executable, "-I", str(looker.__file__), user]
    try:
        told = subprocess.run(
            command, input=asked, capture_output=True, text=True, check=True, timeout=ASK_SECONDS
        )
    except (subprocess.SubprocessError, OSError):
        return []  # Then the start tells.
    return [doubtful[place] for place in json.loads(told.stdout)]


def _may(need: Need) -> bool:
    return os.access(need.path, need.mode, effective_ids=True) or not os.path.lexists(need.path)


def _plainly_open(need: Need, user: str) -> bool:
    """Whether the mode bits alone say so."""
    entry = pwd.getpwnam(user)
    try:
        found = need.path.stat()
    except OSError:
        return True
    wanted = {os.X_OK: 1, os.R_OK: 4}[need.mode]
    if found.st_uid == entry.pw_uid:
        return bool(found.st_mode & wanted << 6)
    if found.st_gid == entry.pw_gid:
        return bool(found.st_mode & wanted << 3)
    return bool(found.st_mode & wanted)


def _mend(closed: Iterable[Need]) -> str:
    right = {mode: [each.path for each in closed if each.mode == mode] for mode in RIGHTS}
    commands = [
        f"chmod o+{RIGHTS[mode]} {shlex.join(map(str, paths))}"
        for mode, paths in right.items()
        if paths
    ]
    return (
        f"`{' && '.join(commands)}` opens it to every account; or install the program where every "
        "account may go, below /usr/local/lib for example"
    )


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _shown(path: Path) -> str:
    """`drwx------ of root:root`."""
    try:
        found = path.stat()
    except OSError as error:
        return str(error.strerror)
    try:
        group = grp.getgrgid(found.st_gid).gr_name
    except KeyError:
        group = str(found.st_gid)
    return f"{stat.filemode(found.st_mode)} of {_name(found.st_uid)}:{group}"


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
