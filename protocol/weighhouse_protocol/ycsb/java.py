r"""Java's property files and numbers, as Java reads them. Pure.

Source: java.util.Properties, `load(InputStream)`: a byte is a character of ISO-8859-1, all others
are written as `\uXXXX`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from weighhouse_protocol.ycsb.notes import Note, Problem, YcsbError

MOST_BYTES = 262_144
MOST_PROPERTIES = 2_000
LONGEST_NAME = 200
BLANKS = " \t\f"
ENDS = "\r\n"
LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
HEXADECIMAL = re.compile(r"[0-9a-fA-F]{4}")
MARK = "\xef\xbb\xbf"
"""The byte order mark of UTF-8, in ISO-8859-1."""
WHOLE = re.compile(r"[+-]?\d{1,18}")
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?[fFdD]?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """A property's value, and where it stands."""

    value: str
    file: str = ""
    line: int | None = None
    """The first of its lines, from 1."""


def text_of(content: bytes, file: str) -> str:
    """A file's characters, as Java takes them.

    :raises YcsbError: when it is larger than is read.
    """
    if len(content) > MOST_BYTES:
        message = f"has {len(content):,} bytes; at most {MOST_BYTES:,} are read"
        raise YcsbError([Problem("", message, file)])
    return content.decode("iso-8859-1")


def read_entries(text: str, file: str = "") -> tuple[dict[str, Entry], list[Note]]:
    """All properties of a file: the last one wins where a name stands twice.

    :param text: as `text_of` gives it.
    :returns: the properties in their order, and what is to be told of their writing.
    :raises YcsbError: with every line that Java refuses or takes for what nobody means.
    """
    found: dict[str, Entry] = {}
    notes: list[Note] = []
    problems: list[Problem] = []
    if len(text) > MOST_BYTES:
        raise YcsbError([Problem("", f"has more than {MOST_BYTES:,} characters", file)])
    for number, line in _logical_lines(text):
        try:
            name, value = (_unescaped(part) for part in _divided(line))
        except ValueError as error:
            problems.append(Problem("", str(error), file, number))
            continue
        if name.startswith(MARK):
            if name.removeprefix(MARK)[:1] in ("", "#", "!"):
                message = "the file begins with a byte order mark, which Java takes for a name"
                notes.append(Note("", "note", message, file, number))
                continue
            message = (
                "the file begins with a byte order mark, which Java takes for the first letters of "
                f"`{_shown(name.removeprefix(MARK))}`, and YCSB ignores that: save it without"
            )
            problems.append(Problem("", message, file, number))
            continue
        if problem := _unfit(name, value):
            problems.append(Problem("", problem, file, number))
            continue
        if (before := found.get(name)) is not None:
            message = f"stands on line {before.line} already; the last one holds, as with Java"
            notes.append(Note(name, "caution", message, file, number))
        found[name] = Entry(value, file, number)
        if len(found) > MOST_PROPERTIES:
            raise YcsbError([Problem("", f"has more than {MOST_PROPERTIES:,} properties", file)])
        notes += _told(name, value, file, number)
    if problems:
        raise YcsbError(problems, notes)
    return found, notes


def _told(name: str, value: str, file: str, number: int) -> Iterator[Note]:
    if value != value.rstrip():
        yield Note(name, "caution", "has blanks at its end, which Java keeps", file, number)
    if _is_utf8(name + value):
        message = "is read byte by byte, as Java does; letters of UTF-8 are written as \\uXXXX"
        yield Note(name, "caution", message, file, number)


def _is_utf8(text: str) -> bool:
    """Whether it has letters that were meant as UTF-8."""
    if text.isascii():
        return False
    try:
        text.encode("iso-8859-1").decode("utf-8")
    except UnicodeError:
        return False
    return True


def _unfit(name: str, value: str) -> str:
    if "\0" in name + value:
        return "has a NUL: the file is no text, or it is UTF-16; save it as ISO-8859-1"
    try:
        (name + value).encode("utf-8")
    except UnicodeEncodeError:
        return "has one half of a character that \\uXXXX\\uXXXX writes"
    if len(name) > LONGEST_NAME:
        return f"has a name of {len(name):,} characters; at most {LONGEST_NAME} are read"
    return ""


def _shown(name: str) -> str:
    return "".join(letter if letter.isprintable() else "·" for letter in name)[:40]


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without those that say nothing, continued ones as one; numbers from 1."""
    natural = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line, first = "", 0
    for number, written in enumerate(natural, start=1):
        part = written.lstrip(BLANKS)
        if not line:
            if not part or part[0] in "#!":
                # A comment goes on to its end, whatever stands there; nor does it end what a lone
                # backslash began.
                continue
            first = number
        line += part
        if (len(part) - len(part.rstrip("\\"))) % 2:
            line = line[:-1]
            if not any(natural[number : number + 1]) and number + 1 >= len(natural):
                # The last one; even when that leaves nothing it is a line to Java.
                yield first, line
                return
            continue
        if line:
            yield first, line
        line = ""
    if line:
        yield first, line


def _divided(line: str) -> tuple[str, str]:
    """A name and its value, both as they are written."""
    end, escaped = len(line), False
    for index, letter in enumerate(line):
        if letter in "=:" + BLANKS and not escaped:
            end = index
            break
        escaped = letter == "\\" and not escaped
    rest = line[end:].lstrip(BLANKS)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(BLANKS)
    return line[:end], rest


def _unescaped(text: str) -> str:
    r""":raises ValueError: when a \u is not followed by four digits, as with Java."""
    found: list[str] = []
    letters = iter(range(len(text)))
    for index in letters:
        letter = text[index]
        if letter != "\\":
            found.append(letter)
            continue
        kind = text[index + 1 : index + 2]
        if kind != "u":
            found.append(LETTERS.get(kind, kind))
            next(letters, None)
            continue
        digits = text[index + 2 : index + 6]
        if not HEXADECIMAL.fullmatch(digits):
            message = (
                f"`\\u{_shown(digits)}` is not \\u and four hexadecimal digits, and Java refuses "
                "the file; a backslash is written as \\\\"
            )
            raise ValueError(message)
        found.append(chr(int(digits, 16)))
        for _ in range(5):
            next(letters, None)
    # Halves of a pair become the one character that they are to Java.
    return "".join(found).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def whole_number(text: str) -> int:
    """By `Long.parseLong`.

    :raises ValueError: when it is none, blanks around it included.
    """
    if not WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def decimal_number(text: str) -> float:
    """By `Double.parseDouble`, of decimal numbers.

    :raises ValueError: when it is none.
    """
    plain = text.strip()
    if not DECIMAL.fullmatch(plain):
        raise ValueError(text)
    return float(plain.rstrip("fFdD"))


def flag(text: str) -> bool:
    """By `Boolean.parseBoolean`: anything but `true` is false."""
    return text.lower() == "true"
