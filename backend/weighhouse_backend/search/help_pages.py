"""The documentation that is served at `/docs`, by its sections. It is the installation's own, the
same for everybody, and read once a process.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HEADING = re.compile(r"^(#{1,4}) +(.+?) *#*\Z")
FENCE = re.compile(r"^(```|~~~)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SIGNS = re.compile(r"[*`|>]|-{3,}")
WORD = "word"
"""Heading of the first column of a list of words, each row of which is found by itself."""
UNSEARCHED = frozenset({"adr", "benchmarks"})
"""Folders about how the platform is made."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page, with what stands below it."""

    page: str
    """The page's own title."""
    path: str
    title: str
    text: str
    small: str
    """All of it in small letters."""


@lru_cache(maxsize=4)
def sections_of(directory: Path) -> tuple[Section, ...]:
    """The sections of all pages below a folder."""
    found: list[Section] = []
    for file in sorted(directory.rglob("*.md")):
        place = file.relative_to(directory)
        if place.parts[0] in UNSEARCHED:
            continue
        folder = place.parent if place.stem == "README" else place.with_suffix("")
        path = "/docs" if folder == Path() else f"/docs/{folder.as_posix()}"
        found += _sections(path, file.read_text(encoding="utf-8").splitlines())
    return tuple(found)


def section_of(heading: str) -> str:
    """What a link names a section by: `The gate, and its base` is `the-gate-and-its-base`."""
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


def found_in(sections: Sequence[Section], terms: Sequence[str]) -> list[Section]:
    """Those that have all terms: first whose title has them all, then pages' own beginnings."""
    have = [one for one in sections if all(term in one.small for term in terms)]

    def order(one: Section) -> tuple[bool, bool]:
        title = one.title.lower()
        return not all(term in title for term in terms), "#" in one.path

    return sorted(have, key=order)


def _sections(path: str, lines: Sequence[str]) -> Iterator[Section]:
    inside = list(
        itertools.accumulate((bool(FENCE.match(one)) for one in lines), lambda a, b: a ^ b)
    )
    heads = [
        (n, found[2])
        for n, line in enumerate(lines)
        if not inside[n] and (found := HEADING.match(line)) is not None
    ]
    seen: Counter[str] = Counter()
    for (begin, heading), (end, _) in itertools.pairwise([*heads, (len(lines), "")]):
        name = section_of(heading)
        anchor = name if not seen[name] else f"{name}-{seen[name]}"
        seen[name] += 1
        title = _plain(heading)
        text = _plain(" ".join(lines[begin + 1 : end]))
        address = path if begin == heads[0][0] else f"{path}#{anchor}"
        page = _plain(heads[0][1])
        yield Section(page, address, title, text, f"{title} {text}".lower())
        yield from _words(page, path, lines[begin + 1 : end])


def _words(page: str, path: str, lines: Sequence[str]) -> Iterator[Section]:
    """Of a list of words each word, with what is said of it."""
    explains = False
    for line in lines:
        cells = [one.strip() for one in line.strip("|").split("|")] if line[:1] == "|" else []
        if not cells:
            explains = False
        elif cells[0] == WORD:
            explains = True
        elif explains and not set(cells[0]) <= set("-: "):
            text = _plain(cells[1])
            said = f"{cells[0]} {text}".lower()
            yield Section(page, f"{path}#{section_of(cells[0])}", cells[0], text, said)


def _plain(said: str) -> str:
    return " ".join(SIGNS.sub(" ", LINK.sub(r"\1", said)).split())
