"""What is told of a node that ended by itself: how, and its last words, wherever it left them."""

import re
import signal
from collections.abc import Iterator, Sequence
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
SIGNALLED = 128
"""A shell's way to tell a signal: this and its number."""
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FRAME = re.compile(r"^\s*(at |\.\.\. \d+ more|--- End of |#\d+ |File \")")
TELLING = re.compile(
    r"(?i)\b(\w*error|\w*exception|fatal|fail(ed|ure|s)?|unable|cannot|can't|could not|invalid|"
    r"denied|refused?|abort(ed|ing)?|bad|panic|not (found|allowed|supported)|no such|must)\b"
)
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
    if line and not any(line in each for each in near):
        near = [line, *near]
    return (*near, *_own_logs(directory))


def told_by(lines: Sequence[str]) -> str:
    """The line that tells most: the last one that speaks of a failure and is no frame of a stack;
    else the last one.
    """
    worded = [each.strip() for each in lines if not FRAME.match(each) and re.search(r"\w", each)]
    telling = next((each for each in reversed(worded) if TELLING.search(each)), None)
    line = telling or (worded[-1] if worded else "")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _own_logs(directory: Path | None) -> Iterator[str]:
    """The last lines of text files that are named like logs, each behind its file's name."""
    if directory is None:
        return
    found = {path for pattern in OWN_LOGS for path in directory.rglob(pattern) if path.is_file()}
    for path in sorted(found):
        try:
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
                data = file.read()
        except OSError:
            continue
        if b"\0" in data:
            continue  # A log of writes, not of words.
        text = mended(data.decode("utf-8", errors="replace"))
        for line in _plain(text.splitlines())[-OWN_LINES:]:
            yield f"{path.name}: {line}"


def _plain(lines: Sequence[str]) -> list[str]:
    plain = (ESCAPES.sub("", each).rstrip() for each in lines)
    return [each for each in plain if each]


def _signal(code: int | None) -> str:
    number = -code if code is not None and code < 0 else (code or 0) - SIGNALLED
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""
