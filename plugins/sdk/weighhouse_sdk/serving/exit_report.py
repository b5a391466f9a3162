"""What is told of a node that ended by itself: how, and its last words, wherever it left them."""

import contextlib
import fnmatch
import heapq
import os
import re
import signal
import stat
from collections.abc import Generator, Iterator, Sequence
from itertools import accumulate, islice, takewhile
from pathlib import Path

from weighhouse_protocol.text import mended

from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.machine.process import LOG_TAIL_BYTES

LINES = 20
FAR_LINES = 400
"""How far back a line is looked for that tells why."""
OWN_LOGS = ("*.log", "*.err", "LOG")
"""Names of the files that servers write beside, or in place of, their output."""
OWN_LINES = 10
OWN_FILES = 3
"""The latest of them."""
ENTRIES, DEPTH = 20_000, 8
"""How far they are looked for: files and folders, and folders within each other."""
LINE, TOTAL = 1000, 32_768
"""Characters of a line, and of all of them."""
PLAINLY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""What a server puts in its folder may be a link to what is not its to read, or a pipe."""
SIGNALLED = 128
"""A shell's way to tell a signal: this and its number."""
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FRAME = re.compile(r"^\s*(at |\.\.\. \d+ more|--- End of |#\d+ |File \")")
TELLING = re.compile(
    r"(?i)\b(\w*error|\w*exception|fatal|fail(ed|ure|s)?|unable|cannot|can't|could not|"
    r"couldn't|invalid|unknown|unrecogni[sz]ed|"
    r"denied|refused?|abort(ed|ing)?|bad|panic|not (found|allowed|supported)|no such|must)\b"
)
ELSEWHERE = re.compile(r"(?i)\bsee (the )?(log|messages?|above|below)|validation failed\.?\Z")
"""Of those the ones that only say where it stands, or that something was said."""
QUOTED = ">>> "
"""How Redis and its relatives begin the line of their configuration that the next one speaks of."""
LONGEST = 300
"""Characters of a line within a sentence."""


def how_ended(body: Body) -> str:
    """A body's end in words: exit code or signal, and the machine's reason where it knows one."""
    code = body.exit_code
    reason = body.reason()
    if reason:
        return f"has ended with {code}: {reason}"
    return f"has ended with {code}{_signal(code)}"


def last_words(body: Body, directory: Path | None) -> tuple[str, ...]:
    """The last lines that it wrote since it was started: its output, led by the line that tells
    most where that lies further back, and the end of logs of its own.

    :param directory: where it works; None: on another machine.
    """
    said = _plain(body.said(FAR_LINES))
    near = said[-LINES:]
    line = told_by(said)
    if line and not any(line.removesuffix("…") in each for each in near):
        near = [line, *near]
    lines = [each[:LINE] for each in (*near, *_own_logs(directory))]
    kept = takewhile(lambda total: total <= TOTAL, accumulate(map(len, lines)))
    return tuple(lines[: len(list(kept))])


def told_by(lines: Sequence[str]) -> str:
    """The line that tells most: the last one that speaks of a failure and is no frame of a stack;
    else the last one.
    """
    worded = [each.strip() for each in lines if not FRAME.match(each) and re.search(r"\w", each)]
    telling = [place for place, each in enumerate(worded) if TELLING.search(each)]
    place = next((each for each in reversed(telling) if not ELSEWHERE.search(worded[each])), None)
    if place is None:
        line = worded[telling[-1] if telling else -1] if worded else ""
    else:
        line = worded[place]
        if place and worded[place - 1].startswith(QUOTED):
            line = f"{worded[place - 1].removeprefix(QUOTED)}: {line}"
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _own_logs(directory: Path | None) -> Iterator[str]:
    """The last lines of the latest text files named like logs, each behind its file's name."""
    if directory is None:
        return
    for _, name, data in _latest(directory):
        text = mended(data.decode("utf-8", errors="replace"))
        for line in _plain(text.splitlines())[-OWN_LINES:]:
            yield f"{mended(name)}: {line}"


def _latest(directory: Path) -> list[tuple[int, str, bytes]]:
    """When written, name and end of such files; the latest one first."""
    found: list[tuple[int, str, bytes]] = []
    with (
        contextlib.suppress(OSError),
        _opened(directory, PLAINLY | os.O_DIRECTORY) as top,
        contextlib.closing(_entries(top)) as entries,
    ):
        for folder, name in islice(entries, ENTRIES):
            if any(fnmatch.fnmatchcase(name, each) for each in OWN_LOGS):
                oldest = found[0][0] if len(found) == OWN_FILES else -1
                with contextlib.suppress(OSError), _opened(name, PLAINLY, folder) as file:
                    for written_ns, data in _end_of(file, oldest):
                        heapq.heappush(found, (written_ns, name, data))
                if len(found) > OWN_FILES:
                    heapq.heappop(found)
    return sorted(found, reverse=True)


def _end_of(file: int, after_ns: int) -> Iterator[tuple[int, bytes]]:
    """When an open file was written, and its end; nothing of one that is older or has no words."""
    told = os.fstat(file)
    if stat.S_ISREG(told.st_mode) and told.st_mtime_ns > after_ns:
        data = os.pread(file, LOG_TAIL_BYTES, max(0, told.st_size - LOG_TAIL_BYTES))
        if data and b"\0" not in data:  # Else a log of writes.
            yield told.st_mtime_ns, data


def _entries(folder: int, depth: int = DEPTH) -> Generator[tuple[int, str], None, None]:
    """What is in an open folder, then in those below it, none of them behind a link."""
    folders = []
    with os.scandir(folder) as found:
        for each in found:
            if each.is_dir(follow_symlinks=False):
                folders.append(each.name)
            yield folder, each.name
    for name in folders if depth else ():
        with (
            contextlib.suppress(OSError),
            _opened(name, PLAINLY | os.O_DIRECTORY, folder) as below,
        ):
            yield from _entries(below, depth - 1)


@contextlib.contextmanager
def _opened(path: str | Path, flags: int, folder: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, flags, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _plain(lines: Sequence[str]) -> list[str]:
    plain = (ESCAPES.sub("", each).rstrip() for each in lines)
    return [each for each in plain if each]


def _signal(code: int | None) -> str:
    number = -code if code is not None and code < 0 else (code or 0) - SIGNALLED
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""
