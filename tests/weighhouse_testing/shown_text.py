"""What people read in a source file: texts of pages, strings of programs, prose of documents."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from weighhouse_testing.tree import text_of

_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*|<!--.*?-->", re.DOTALL)
_STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`([^`]*)`")
_IMPORT = re.compile(r"^import .*$|^\} from .*$", re.MULTILINE)
_READ = "title|label|note|text|lead|hint|heading|empty|placeholder|aria-label|caption"
_TEMPLATE = re.compile(r"<template>(.*)</template>", re.DOTALL)
_SCRIPT = re.compile(r"<script[^>]*>(.*?)</script>", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A text that people read."""

    name: str
    line: int
    text: str

    def __str__(self) -> str:
        """`docs/studies.md:12: the text`."""
        return f"{self.name}:{self.line}: {self.text[:120]}"


def shown_in(name: str) -> list[Shown]:
    """All texts of a `.vue`, `.ts`, `.py` or `.md` file that people read, or that look as if.

    Comments, docstrings, imports, expressions, and code in documents are none; a string without a
    space counts only where it begins with a capital.
    """
    source = text_of(name)
    found = _of_document(source) if name.endswith(".md") else _of_program(name, source)
    return [Shown(name, line, " ".join(text.split())) for line, text in found if text.strip()]


def _of_program(name: str, source: str) -> Iterator[tuple[int, str]]:
    if name.endswith(".py"):
        texts = _of_python(source)
    elif name.endswith(".vue"):
        texts = _of_component(_blanked(_COMMENT, source))
    else:
        texts = _strings(_blanked(_COMMENT, source))
    for line, text in texts:
        if " " in text.strip() or text[:1].isupper():
            yield line, text


def _of_component(source: str) -> Iterator[tuple[int, str]]:
    for script in _SCRIPT.finditer(source):
        yield from _strings(script[1], _line(source, script.start(1)))
    template = _TEMPLATE.search(source)
    if template is None:
        return
    inside, first = template[1], _line(source, template.start(1))
    for part in re.finditer(r">([^<>]+)<", inside):
        yield first + _line(inside, part.start(1)), _blanked(re.compile(r"\{\{.*?\}\}"), part[1])
    for part in re.finditer(rf'(?<![\w:.-])(?:{_READ})="([^"]*)"', inside):
        yield first + _line(inside, part.start(1)), part[1]
    for part in re.finditer(r'(?<!\w):[a-z-]+="([^"]*)"', inside):
        yield from _strings(part[1], first + _line(inside, part.start(1)))


def _strings(source: str, first: int = 0) -> Iterator[tuple[int, str]]:
    source = _blanked(_IMPORT, source)
    for found in _STRING.finditer(source):
        text = next(one for one in found.groups() if one is not None)
        yield first + _line(source, found.start()), re.sub(r"\$\{[^}]*\}", "…", text)


def _of_python(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    # An expression that is a string alone is a docstring.
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.lineno, node.value


def _of_document(source: str) -> Iterator[tuple[int, str]]:
    yield from enumerate(_blanked(_CODE, source).splitlines(), 1)


def _blanked(pattern: re.Pattern[str], source: str) -> str:
    """Without what a pattern finds, every line where it was."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at)
