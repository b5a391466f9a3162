"""Reads configuration files line by line: names, values, and where they stand. Pure.

The standard library's reader of INI files knows no line numbers, and YAML's constructors forget
them, so that the first is read here and of the second its nodes are.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from weighhouse_protocol.configuration.tables import Settings, folded

MOST_CHARACTERS = 262_144
MOST_LINES = 10_000
MOST_SETTINGS = 2_000
MOST_DEPTH = 20
LONGEST_NAME = 100
SHOWN = 60
"""Characters of a name in a message; values are not told, for they may be secret."""
_OPTION = re.compile(r"--([A-Za-z0-9][A-Za-z0-9_.-]*)(?:=(.*))?", re.DOTALL)

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_JSON_PART = re.compile(r'"(?:[^"\\\n]|\\.)*"?|/\*.*?(?:\*/|\Z)|//[^\n]*|\t', re.DOTALL)
"""Linear: what does not end is taken to where it could have."""


def _without_comment(found: re.Match[str]) -> str:
    """A string as it is; in the place of a comment, or a tab, the lines that it took."""
    text = found.group()
    return text if text.startswith('"') else "\n" * text.count("\n") or " "


@dataclass(frozen=True, slots=True)
class Line:
    """One setting of a file."""

    number: int
    """Where it stands, from 1."""
    name: str
    value: str | None
    """None: it has none of its own, as a switch."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file cannot be read."""

    line: int | None
    """From 1; None: it is the whole file."""
    message: str


class ConfigurationRefused(ValueError):
    """A file is not taken, and nothing of it is."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        """:param faults: at least one."""
        self.faults = tuple(faults)
        super().__init__("; ".join(f"line {one.line}: {one.message}" if one.line else one.message
                                   for one in self.faults))  # fmt: skip


def text_of(content: bytes) -> str:
    """A file's text.

    :raises ConfigurationRefused: when it is larger than is read, or no UTF-8.
    """
    if len(content) > 4 * MOST_CHARACTERS:
        raise _too_long(len(content))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigurationRefused([Fault(line, "is no UTF-8: save the file as UTF-8")]) from error


def read_lines(text: str, settings: Settings) -> list[Line]:
    """All settings of a file in its order, aliases resolved, repetitions that may be joined.

    :raises ConfigurationRefused: with the lines that cannot be read, names that stand twice and may
        not, and files that are larger than is read.
    """
    if len(text) > MOST_CHARACTERS:
        raise _too_long(len(text))
    # As editors of other systems leave it: a mark of the order of bytes, and their ends of lines.
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\0" in text:
        raise _refused(text[: text.index("\0")].count("\n") + 1, "has a NUL, which no text has")
    if text.count("\n") > MOST_LINES:
        raise _refused(None, f"has more than {MOST_LINES:,} lines")
    found: list[Line] = []
    for line in GRAMMARS[settings.grammar](text, settings):
        if len(found) >= MOST_SETTINGS:
            raise _refused(line.number, f"has more than {MOST_SETTINGS:,} settings")
        if not line.name or len(line.name) > LONGEST_NAME or not line.name.isprintable():
            raise _refused(line.number, "has no name that can be read")
        found.append(Line(line.number, settings.named(line.name), line.value))
    return _once(found, settings)


def _once(lines: Sequence[Line], settings: Settings) -> list[Line]:
    """:raises ConfigurationRefused: naming every line whose name stood before."""
    may = set(map(folded, settings.repeated))
    kept: dict[str, Line] = {}
    faults = []
    for line in lines:
        key = folded(line.name)
        before = kept.get(key)
        if before is None:
            kept[key] = line
        elif key not in may:
            message = (
                f"`{_cut(line.name)}` stands on line {before.number} already: say which is meant"
            )
            faults.append(Fault(line.number, message))
        else:
            # A value that is empty takes back what came before, as `save ""` does.
            both = f"{before.value} {line.value}".strip() if line.value else line.value
            kept[key] = Line(before.number, before.name, both)
    if faults:
        raise ConfigurationRefused(faults[:20])
    return list(kept.values())


def _directives(text: str, settings: Settings) -> Iterator[Line]:
    """A name and its values, with quotes as a shell has them."""
    del settings
    for number, line in _said(text):
        words = _words(line, number)
        if folded(words[0]) == "include":
            message = "takes in another file, which is not here: write its lines in its place"
            raise _refused(number, message)
        if len(words) == 1:
            raise _refused(number, f"`{_cut(words[0])}` has no value")
        yield Line(number, words[0].lower(), " ".join(words[1:]))


def _arguments(text: str, settings: Settings) -> Iterator[Line]:
    """Arguments in one line or several; the program's own name may stand first."""
    waiting: tuple[int, str] | None = None
    first = True
    for number, line in _said(text.replace("\\\n", "  ")):
        words = _words(line, number)
        if waiting is None and settings.why_never(words[0]) and not words[0].startswith("-"):
            # Not the program's, but of whoever starts it, as `logfile` of Debian's.
            yield Line(number, words[0], " ".join(words[1:]) or None)
            continue
        for word in words:
            if waiting is not None:
                at, name = waiting
                waiting = None
                yield from _listed(at, name, word, settings)
                continue
            begins, first = first, False
            if begins and not word.startswith("-"):
                continue
            for at, name, value in _argument(number, word, settings):
                if value is None and name not in settings.switches:
                    waiting = (at, name)
                elif value is None:
                    yield Line(at, name, "true")
                else:
                    yield from _listed(at, name, value, settings)
    if waiting is not None:
        raise _refused(waiting[0], f"`{_cut(waiting[1])}` has no value")


def _argument(number: int, word: str, settings: Settings) -> Iterator[tuple[int, str, str | None]]:
    if long := _OPTION.fullmatch(word):
        yield number, settings.named(long.group(1)), long.group(2)
        return
    if not word.startswith("-") or word in ("-", "--"):
        raise _refused(number, "has a word that is no argument and no value of one")
    rest = word[1:]
    while rest:
        name, rest = f"-{rest[0]}", rest[1:]
        if name in settings.switches:
            yield number, settings.named(name), None
            continue
        yield number, settings.named(name), rest or None
        return


def _listed(number: int, name: str, value: str, settings: Settings) -> Iterator[Line]:
    if name not in settings.lists:
        yield Line(number, name, value)
        return
    for each in value.split(","):
        own, equals, rest = each.partition("=")
        if not own:
            raise _refused(number, f"`{_cut(name)}` has an empty place in its list")
        plain = own.removeprefix("no_")
        known = settings.is_taken(plain) and not equals
        yield (
            Line(number, plain, str(plain == own).lower())
            if known
            else Line(number, own, rest if equals else None)
        )


def _yaml(text: str, settings: Settings) -> Iterator[Line]:
    """The leaves of a mapping by their path; a list is one leaf. JSON may have comments, as
    `garnet.conf` has.
    """
    del settings
    if _COMMENT.sub("", text).lstrip().startswith("{"):
        text = _JSON_PART.sub(_without_comment, text)
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else None
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH:
                raise _refused(line, f"lies deeper than {MOST_DEPTH} levels")
            if isinstance(event, yaml.AliasEvent):
                raise _refused(line, "stands for another place of the file: write it out")
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = mark.line + 1 if mark else None
        raise _refused(at, f"is no YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise _refused(None, "is no YAML") from error
    if node is None:
        return
    if not isinstance(node, yaml.MappingNode):
        raise _refused(node.start_mark.line + 1, "is no mapping of names")
    yield from _leaves(node, "")


def _leaves(node: yaml.MappingNode, path: str) -> Iterator[Line]:
    seen: dict[str, int] = {}
    for key, value in node.value:
        number = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise _refused(number, "has a name that is no word")
        name = f"{path}.{key.value}" if path else str(key.value)
        if name in seen:
            message = f"`{_cut(name)}` stands on line {seen[name]} already: say which is meant"
            raise _refused(number, message)
        seen[name] = number
        if isinstance(value, yaml.MappingNode) and value.value:
            yield from _leaves(value, name)
        elif isinstance(value, yaml.ScalarNode):
            empty = value.tag.endswith(":null")
            yield Line(number, name, None if empty else str(value.value))
        else:
            yield Line(number, name, None)


def _sections(text: str, settings: Settings) -> Iterator[Line]:
    """Names and values within braces; a section's own word is its value."""
    del settings
    above: list[tuple[int, str]] = []
    for number, line in _said(text):
        words = line.split("#", 1)[0].split()
        opens = words[-1] == "{"
        words = words[:-1] if opens else words
        if words == ["}"]:
            if not above:
                raise _refused(number, "closes a section that is not open")
            above.pop()
            continue
        if not words or "{" in words or "}" in words:
            raise _refused(number, "has a brace where none is read: one section a line")
        name = ".".join([each for _, each in above] + [words[0]])
        if opens:
            above.append((number, words[0]))
            if len(above) > MOST_DEPTH:
                raise _refused(number, f"lies deeper than {MOST_DEPTH} levels")
            if len(words) > 1:
                yield Line(number, name, " ".join(words[1:]))
        else:
            yield Line(number, name, " ".join(words[1:]) or None)
    if above:
        raise _refused(above[-1][0], f"the section `{_cut(above[-1][1])}` is not closed")


def _ini(text: str, settings: Settings) -> Iterator[Line]:
    """`name=value` below `[Heading "of something"]`; the heading's first word begins the name, and
    a slash in it is a dot.
    """
    del settings
    heading = ""
    for number, line in _said(text, comments="#;"):
        if line.startswith("["):
            if not line.endswith("]") or not line[1:-1].strip():
                raise _refused(number, "is a heading that does not end")
            words = line[1:-1].split(None, 1)
            heading = words[0].replace("/", ".")
            if len(words) > 1 and words[1] not in ('"default"', "default"):
                raise _refused(number, f"`{_cut(line)}`: one column family is measured, `default`")
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise _refused(number, "is neither a heading nor `name=value`")
        own = name.strip()
        yield from _parts(number, f"{heading}.{own}" if heading else own, value.strip())


def _parts(number: int, name: str, value: str) -> Iterator[Line]:
    """A value, or of one in braces, `{name=value;name={…}}`, each that is in it."""
    if not (value.startswith("{") and value.endswith("}")) or "=" not in value:
        yield Line(number, name, value)
        return
    if name.count(".") > MOST_DEPTH:
        raise _refused(number, f"lies deeper than {MOST_DEPTH} levels")
    for part in _apart(value[1:-1]):
        own, _, rest = part.partition("=")
        yield from _parts(number, f"{name}.{own.strip()}", rest.strip())


def _apart(text: str) -> Iterator[str]:
    """What stands between semicolons that are in no braces."""
    depth, begins = 0, 0
    for place, each in enumerate(text):
        depth += (each == "{") - (each == "}")
        if each == ";" and depth == 0:
            yield text[begins:place]
            begins = place + 1
    if text[begins:].strip():
        yield text[begins:]


GRAMMARS = {
    "directives": _directives,
    "arguments": _arguments,
    "yaml": _yaml,
    "sections": _sections,
    "ini": _ini,
}


def _said(text: str, comments: str = "#") -> Iterator[tuple[int, str]]:
    """Lines that say something, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        kept = line.strip()
        if kept and kept[0] not in comments:
            yield number, kept


def _words(line: str, number: int) -> list[str]:
    try:
        return shlex.split(line, comments=False, posix=True)
    except ValueError as error:
        raise _refused(number, "has a quote that is not closed") from error


def _cut(name: str) -> str:
    return name if len(name) <= SHOWN else f"{name[: SHOWN - 1]}…"


def _refused(line: int | None, message: str) -> ConfigurationRefused:
    return ConfigurationRefused([Fault(line, message)])


def _too_long(size: int) -> ConfigurationRefused:
    return _refused(None, f"has {size:,} characters, at most {MOST_CHARACTERS:,} are read")
